/* Shares that do not vary: grades measure, right or wrong may be chance. */
#include "stats/verdict.h"
#include "tests/test.h"

/* Less noise does not weaken a verdict. */
TEST(constants_that_are_shares)
{
    static const struct {
        double a, b;
        size_t n;
        bool by_case;
        double worth;
        enum verdict verdict;
        bool is_deterministic;
    } cases[] = {
        {1, 0.8, 20, false, 0, VERDICT_WORSE, true},
        {0.8, 1, 20, false, 1, VERDICT_BETTER, true},
        {0.8, 0, 4, false, 0, VERDICT_WORSE, true},
        {1, 0.8, 3, false, 0, VERDICT_UNDECIDED, false},
        {0.8, 0.8, 20, false, 0, VERDICT_EQUIVALENT, false},
        {0.8, 0.79, 20, false, 0, VERDICT_EQUIVALENT, true},
        {1, 0, 3, false, 0, VERDICT_UNDECIDED, false},
        {1, 0, 20, false, 0, VERDICT_WORSE, false},
        {1, 0.5, 4, true, 0, VERDICT_UNDECIDED, false}, /* two passes each */
        {1, 0.8, 4, false, 10, VERDICT_WORSE, false},   /* blocks of ten requests */
    };
    struct arena arena = arena_open();
    for (size_t i = 0; i < COUNT(cases); i++) {
        double a[20];
        double b[20];
        for (size_t k = 0; k < cases[i].n; k++) {
            a[k] = cases[i].a;
            b[k] = cases[i].b;
        }
        struct verdict_question q = {.a = a,
                                     .a_count = cases[i].n,
                                     .b = b,
                                     .b_count = cases[i].n,
                                     .kind = KIND_SHARE,
                                     .worth = {cases[i].worth, cases[i].worth},
                                     .has_no_order = cases[i].by_case,
                                     .higher_is_better = true,
                                     .margin = 0.03};
        struct verdict_answer v;
        struct error err = {0};
        if (!verdict_compare(&q, arena, &v, &err)) fail_msg("%s", err.text);
        if (v.verdict != cases[i].verdict) fail_msg("%zu: %s", i, verdict_name(v.verdict));
        assert_int_equal(verdict_has(&v, REASON_DETERMINISTIC), cases[i].is_deterministic);
        if (cases[i].is_deterministic)
            assert_close(v.effect.shift, cases[i].b - cases[i].a, 1e-12);
    }
    arena_close(&arena);
}

TEST_MAIN(T(constants_that_are_shares))
