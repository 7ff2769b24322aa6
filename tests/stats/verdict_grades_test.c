/* Shares that do not vary: grades measure, right or wrong may be chance. And a tail that a
 * level does not show. */
#include "base/rng.h"
#include "stats/proportion.h"
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

static bool has_tail(const double *a, const double *b, bool is_higher, struct arena arena)
{
    struct verdict_question q = {.a = a,
                                 .a_count = 60,
                                 .b = b,
                                 .b_count = 60,
                                 .higher_is_better = is_higher,
                                 .margin = 0.03};
    struct verdict_answer v;
    struct error err = {0};
    if (!verdict_compare(&q, arena, &v, &err)) fail_msg("%s", err.text);
    return verdict_has(&v, REASON_TAIL);
}

TEST(a_tail_is_noted_where_the_level_is_the_same)
{
    struct arena arena = arena_open();
    struct rng r = rng_seeded(3);
    double a[60];
    double b[60];
    size_t noted = 0;
    for (int pair = 0; pair < 1000; pair++) {
        for (size_t i = 0; i < 60; i++) {
            a[i] = 10 + 0.1 * rng_normal(&r);
            b[i] = 10 + 0.1 * rng_normal(&r);
        }
        noted += has_tail(a, b, false, arena);
    }
    if (noted > 20) fail_msg("%zu of 1000 unchanged pairs", noted);
    for (size_t i = 0; i < 60; i++) {
        a[i] = 10;
        b[i] = i % 5 ? 10 : 100;
    }
    assert_true(has_tail(a, b, false, arena));
    assert_false(has_tail(b, a, false, arena));
    assert_false(has_tail(a, b, true, arena));
    for (size_t i = 0; i < 60; i += 5) b[i] = 1;
    assert_true(has_tail(a, b, true, arena));
    print_message("# tails noted in %zu of 1000 unchanged pairs\n", noted);
    arena_close(&arena);
}

static struct verdict_answer paired(const double *a, const double *b, size_t n, bool by_case,
                                    bool is_graded, struct arena arena)
{
    const struct verdict_question q = {.a = a,
                                       .a_count = n,
                                       .b = b,
                                       .b_count = n,
                                       .kind = KIND_SHARE,
                                       .is_paired = true,
                                       .has_no_order = by_case,
                                       .is_graded = {is_graded, is_graded},
                                       .higher_is_better = true,
                                       .margin = 0.03};
    struct verdict_answer v;
    struct error err = {0};
    if (!verdict_compare(&q, arena, &v, &err)) fail_msg("%s", err.text);
    return v;
}

/* Pairs say what the same values say without a partner. */
TEST(pairs_of_constant_grades)
{
    static const struct {
        double a, b;
        size_t n;
        bool by_case, is_graded;
        enum verdict verdict;
        bool is_deterministic;
    } cases[] = {
        {0.8, 0.6, 4, true, true, VERDICT_WORSE, true},
        {0.6, 0.8, 5, true, true, VERDICT_BETTER, true},
        {0.8, 0.6, 4, false, true, VERDICT_WORSE, true}, /* trials that took turns */
        {1, 0.8, 20, true, true, VERDICT_WORSE, true},
        {0.8, 0.6, 3, true, true, VERDICT_UNDECIDED, false},
        {0.8, 0.8, 5, true, true, VERDICT_EQUIVALENT, false},
        {1, 0.5, 5, true, false, VERDICT_UNDECIDED, false}, /* two passes each */
        {1, 0, 5, true, true, VERDICT_UNDECIDED, false},
        {1, 0, 5, false, false, VERDICT_UNDECIDED, false},
        {1, 0, 6, true, true, VERDICT_WORSE, false},
    };
    struct arena arena = arena_open();
    for (size_t i = 0; i < COUNT(cases); i++) {
        double a[20], b[20];
        for (size_t k = 0; k < cases[i].n; k++) {
            a[k] = cases[i].a;
            b[k] = cases[i].b;
        }
        struct verdict_answer v =
            paired(a, b, cases[i].n, cases[i].by_case, cases[i].is_graded, arena);
        if (v.verdict != cases[i].verdict) fail_msg("%zu: %s", i, verdict_name(v.verdict));
        assert_int_equal(verdict_has(&v, REASON_DETERMINISTIC), cases[i].is_deterministic);
        if (cases[i].is_deterministic)
            assert_close(v.effect.shift, cases[i].b - cases[i].a, 1e-12);
    }
    arena_close(&arena);
}

static bool is_decided(const struct verdict_answer *v)
{
    return v->verdict == VERDICT_BETTER || v->verdict == VERDICT_WORSE;
}

/* Few pairs of one agent with itself, right or wrong with the same chance, or graded by two
 * checks that are: McNemar's p is never undercut, and grades do not agree by chance alone. */
TEST(few_pairs_of_equals_are_not_told_apart)
{
    struct rng rng = rng_seeded(5);
    size_t decided = 0;
    enum { SETS = 4000 };
    struct arena arena = arena_open();
    for (int i = 0; i < SETS; i++) {
        double values[2][6];
        size_t n = 4 + (size_t)i % 3;
        double chance = 0.05 + 0.9 * (i % 19) / 18;
        bool is_graded = i % 2;
        size_t only[2] = {0, 0};
        for (size_t k = 0; k < 2 * n; k++) {
            double *v = &values[k / n][k % n];
            *v = rng_real(&rng) < chance;
            if (is_graded) *v = (*v + (rng_real(&rng) < chance)) / 2;
        }
        for (size_t k = 0; k < n; k++) {
            only[0] += values[0][k] > values[1][k];
            only[1] += values[1][k] > values[0][k];
        }
        struct verdict_answer v = paired(values[0], values[1], n, true, is_graded, arena);
        decided += is_decided(&v);
        double exact = proportion_mcnemar((int64_t)only[0], (int64_t)only[1]);
        if (!is_graded) assert_true(v.p >= exact - 1e-12);
    }
    arena_close(&arena);
    assert_true(decided <= SETS / 100);
}

/* Means of the same grades, in another order. */
TEST(last_bits_are_no_difference)
{
    struct arena arena = arena_open();
    double a[20], b[20];
    for (int i = 0; i < 20; i++) {
        a[i] = (0.8 + 0.9 + 0.7) / 3 - (i == 0) * 0.1;
        b[i] = (0.7 + 0.8 + 0.9) / 3 - (i == 0) * 0.1;
    }
    assert_true(a[1] != b[1]);
    struct verdict_answer v = paired(a, b, 20, true, false, arena);
    assert_int_equal(v.verdict, VERDICT_UNDECIDED);
    assert_close(v.p, 1, 0);
    assert_close(v.effect.shift, 0, 0);
    arena_close(&arena);
}

TEST_MAIN(T(pairs_of_constant_grades), T(few_pairs_of_equals_are_not_told_apart),
          T(last_bits_are_no_difference), T(a_tail_is_noted_where_the_level_is_the_same),
          T(constants_that_are_shares))
