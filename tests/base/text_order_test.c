#include "base/text_order.h"

#include "base/rng.h"
#include "tests/test.h"

TEST(texts_ascend_as_strcmp_has_it)
{
    struct arena a = arena_open();
    static const char *const texts[] = {"b", "", "abcdefghz", "abcdefgh", "\xc3\xa4", "b", "a"};
    static const size_t wanted[] = {1, 6, 3, 2, 0, 5, 4};
    const size_t *order = text_order(texts, COUNT(texts), &a);
    for (size_t i = 0; i < COUNT(texts); i++) assert_int_equal(order[i], wanted[i]);
    text_order(NULL, 0, &a);
    arena_close(&a);
}

TEST(equal_texts_stay_in_their_order)
{
    struct arena a = arena_open();
    struct rng rng = rng_seeded(1);
    for (size_t count = 0; count < 200; count++) {
        const char **texts = arena_new(&a, const char *, count + 1);
        for (size_t i = 0; i < count; i++) {
            size_t n = (size_t)rng_below(&rng, 12);
            char *text = arena_new(&a, char, n + 1);
            for (size_t k = 0; k < n; k++)
                text[k] = (char)('a' + rng_below(&rng, k < 8 ? 1 : 3));
            texts[i] = text;
        }
        const size_t *order = text_order(texts, count, &a);
        for (size_t i = 1; i < count; i++) {
            int step = strcmp(texts[order[i - 1]], texts[order[i]]);
            assert_true(step < 0 || (step == 0 && order[i - 1] < order[i]));
        }
        arena_reset(&a);
    }
    arena_close(&a);
}

TEST_MAIN(T(texts_ascend_as_strcmp_has_it), T(equal_texts_stay_in_their_order))
