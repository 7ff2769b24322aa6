#include "base/rng.h"
#include "report/doctor_words.h"
#include "tests/test.h"

enum { SESSIONS = 3, TRIALS = 100, PAIRS = SESSIONS * TRIALS };

static void fill(double *a, double *b, double noise, double session_noise, uint64_t seed)
{
    struct rng rng = rng_seeded(seed);
    double level = 1;
    for (size_t i = 0; i < PAIRS; i++) {
        if (i % TRIALS == 0) level = 1 + session_noise * rng_normal(&rng);
        a[i] = level * (1 + noise * rng_normal(&rng));
        b[i] = level * (1 + noise * rng_normal(&rng));
    }
}

static struct doctor_noise judge(const double *a, const double *b, struct arena *arena)
{
    struct doctor_noise noise = {0};
    struct error err = {0};
    if (!doctor_judge(a, b, SESSIONS, TRIALS, arena, &noise, &err)) fail_msg("%s", err.text);
    return noise;
}

/* Normal noise of sd s: (z_.975 + z_.8) s sqrt(2 / n), a little more for ranks. */
TEST(the_smallest_change_follows_from_noise_and_budget)
{
    struct arena arena = arena_open();
    double a[PAIRS];
    double b[PAIRS];
    fill(a, b, 0.01, 0, 1);
    struct doctor_noise n = judge(a, b, &arena);
    assert_close(n.cv, 0.01, 0.0015);
    for (size_t k = 0; k < DOCTOR_BUDGETS; k++) {
        double theory = 2.8 * 0.01 * sqrt(2.0 / (double)n.budgets[k]);
        assert_true(n.mde[k] > 0.9 * theory && n.mde[k] < 1.7 * theory);
        if (k > 0) assert_true(n.mde[k] < n.mde[k - 1]);
    }
    assert_int_equal(n.blocks, 30);
    assert_true(n.false_verdicts <= 5);
    assert_true(n.floor > 0.002 && n.floor < 0.01);
    assert_int_not_equal(n.answer.verdict, VERDICT_EQUIVALENT); /* no margin was given */
    arena_close(&arena);
}

/* The same noise, looked at more often, is not more noise: the largest of 30 sessions would be
 * half as large again as one. */
TEST(the_floor_does_not_grow_with_the_sessions)
{
    enum { MANY = 30, FEW = 3 };
    struct arena arena = arena_open();
    double *a = arena_new(&arena, double, MANY *TRIALS);
    double *b = arena_new(&arena, double, MANY *TRIALS);
    struct rng rng = rng_seeded(11);
    for (size_t i = 0; i < MANY * TRIALS; i++) {
        a[i] = 1 + 0.01 * rng_normal(&rng);
        b[i] = 1 + 0.01 * rng_normal(&rng);
    }
    struct doctor_noise few = {0};
    struct doctor_noise many = {0};
    struct error err = {0};
    assert_true(doctor_judge(a, b, FEW, TRIALS, &arena, &few, &err));
    assert_true(doctor_judge(a, b, MANY, TRIALS, &arena, &many, &err));
    assert_true(many.floor < 1.25 * few.floor);
    arena_close(&arena);
}

TEST(sessions_that_differ_are_seen_and_cancelled)
{
    struct arena arena = arena_open();
    double a[PAIRS];
    double b[PAIRS];
    fill(a, b, 0.01, 0.1, 2);
    struct doctor_noise n = judge(a, b, &arena);
    assert_true(n.session_spread > 0.02);
    assert_true(n.floor < 0.012); /* pairs are of one session */
    arena_close(&arena);
}

TEST(a_biased_bench_is_noticed)
{
    struct arena arena = arena_open();
    double a[PAIRS];
    double b[PAIRS];
    fill(a, b, 0.01, 0, 3);
    for (size_t i = 0; i < PAIRS; i++) b[i] *= 1.05;
    struct doctor_noise n = judge(a, b, &arena);
    assert_true(n.floor > 0.045);
    assert_true(n.false_verdicts > 20);
    assert_int_equal(n.answer.verdict, VERDICT_WORSE);
    arena_close(&arena);
}

TEST(every_check_has_a_value_and_every_warning_advice)
{
    struct arena arena = arena_open();
    struct doctor_check checks[DOCTOR_CHECKS_MAX];
    size_t count = doctor_check(&arena, checks);
    assert_true(count >= 10);
    for (size_t i = 0; i < count; i++) {
        assert_true(strlen(doctor_words_name(&checks[i])) > 0);
        assert_true(strlen(doctor_words_value(&checks[i], &arena)) > 0);
        if (checks[i].status == DOCTOR_WARNING)
            assert_non_null(doctor_words_advice(&checks[i]));
        if (checks[i].status == DOCTOR_OK) assert_null(doctor_words_advice(&checks[i]));
    }
    arena_close(&arena);
}

TEST(there_are_words_for_every_item)
{
    struct arena arena = arena_open();
    for (int i = 0; i < DOCTOR_ITEM_COUNT; i++) {
        struct doctor_check c = {.item = (enum doctor_item)i, .text = "word"};
        for (int status = 0; status <= DOCTOR_UNKNOWN; status++) {
            c.status = (enum doctor_status)status;
            assert_true(strlen(doctor_words_value(&c, &arena)) > 0);
        }
        c.status = DOCTOR_WARNING;
        assert_true(strlen(doctor_words_name(&c)) > 0);
        if (i != DOCTOR_PERF) assert_non_null(doctor_words_advice(&c)); /* it never warns */
    }
    arena_close(&arena);
}

TEST_MAIN(T(the_smallest_change_follows_from_noise_and_budget),
          T(the_floor_does_not_grow_with_the_sessions),
          T(sessions_that_differ_are_seen_and_cancelled), T(a_biased_bench_is_noticed),
          T(every_check_has_a_value_and_every_warning_advice),
          T(there_are_words_for_every_item))
