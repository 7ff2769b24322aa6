#include "base/rng.h"
#include "evolve/embedding_compressor.h"
#include "tests/test.h"

static void draw(struct rng *rng, float *v)
{
    for (size_t i = 0; i < EMBEDDING_DIMENSIONS; i++) v[i] = (float)rng_normal(rng);
}

/* Pairs at all angles: b = c a + sqrt(1 - c^2) noise. */
TEST(the_worst_of_10000_random_pairs_is_below_two_hundredths)
{
    struct ledger h = {0};
    struct embedding_cache whole = embedding_cache_new(&h, 0, false);
    struct embedding_cache packed = embedding_cache_new(&h, 1, true);
    struct rng rng = rng_seeded(11);
    float a[EMBEDDING_DIMENSIONS];
    float b[EMBEDDING_DIMENSIONS];
    double worst = 0;
    double sum = 0;
    for (int i = 0; i < 10000; i++) {
        draw(&rng, a);
        draw(&rng, b);
        float c = (float)(2 * rng_real(&rng) - 1);
        for (size_t k = 0; k < EMBEDDING_DIMENSIONS; k++)
            b[k] = c * a[k] + sqrtf(1 - c * c) * b[k];
        void *kept[4] = {embedding_put(&whole, a), embedding_put(&whole, b),
                         embedding_put(&packed, a), embedding_put(&packed, b)};
        double off = fabs(embedding_cosine(&whole, kept[0], kept[1]) -
                          embedding_cosine(&packed, kept[2], kept[3]));
        if (off > worst) worst = off;
        sum += off;
        for (size_t k = 0; k < 4; k++) ledger_free(&h, kept[k]);
    }
    print_message("# worst %.5f, mean %.5f\n", worst, sum / 10000);
    assert_true(worst < 0.02);
    assert_true(worst < 0.004);      /* the reference's maxima are 0.0016 over 400 pairs */
    assert_true(sum / 10000 > 1e-5); /* they do differ */
}

TEST(compression_with_scales_saves_74_7_percent)
{
    double saved = 1 - (double)embedding_bytes(true) / (double)embedding_bytes(false);
    assert_close(saved, 0.7474, 0.0001);
    struct ledger h = {0};
    struct embedding_cache packed = embedding_cache_new(&h, 1, true);
    float v[EMBEDDING_DIMENSIONS] = {1};
    void *kept = embedding_put(&packed, v);
    assert_int_equal(h.parts[1].live_bytes, 388 + 16);
    ledger_free(&h, kept);
}

TEST(what_is_kept_is_near_itself)
{
    struct ledger h = {0};
    struct rng rng = rng_seeded(2);
    float v[EMBEDDING_DIMENSIONS];
    draw(&rng, v);
    for (int is_packed = 0; is_packed < 2; is_packed++) {
        struct embedding_cache c = embedding_cache_new(&h, 0, is_packed);
        void *kept = embedding_put(&c, v);
        assert_close(embedding_cosine(&c, kept, kept), 1, 1e-6);
        ledger_free(&h, kept);
    }
}

TEST(texts_that_share_words_are_near)
{
    struct ledger h = {0};
    struct embedding_cache c = embedding_cache_new(&h, 0, false);
    const char *texts[] = {"set the budget before the campaign",
                           "the campaign needs a budget before it is set",
                           "rotate all passwords of operators"};
    void *kept[3];
    float v[EMBEDDING_DIMENSIONS];
    for (size_t i = 0; i < 3; i++) {
        embedding_of_text(texts[i], strlen(texts[i]), v);
        kept[i] = embedding_put(&c, v);
    }
    assert_true(embedding_cosine(&c, kept[0], kept[1]) >
                embedding_cosine(&c, kept[0], kept[2]) + 0.3);
    for (size_t i = 0; i < 3; i++) ledger_free(&h, kept[i]);
    embedding_of_text("", 0, v);
    assert_true(v[0] == 0.0F);
}

TEST_MAIN(T(the_worst_of_10000_random_pairs_is_below_two_hundredths),
          T(compression_with_scales_saves_74_7_percent), T(what_is_kept_is_near_itself),
          T(texts_that_share_words_are_near))
