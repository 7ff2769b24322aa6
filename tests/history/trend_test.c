#include "base/rng.h"
#include "history/trend.h"
#include "tests/test.h"

enum { N = 100 };

static void fill(double *values, double noise, double step, size_t at, uint64_t seed)
{
    struct rng rng = rng_seeded(seed);
    for (size_t i = 0; i < N; i++) {
        values[i] = (i < at ? 10 : 10 * (1 + step)) * (1 + noise * rng_normal(&rng));
    }
}

TEST(quiet_noise_hides_little)
{
    struct arena arena = arena_open();
    double values[N];
    fill(values, 0.005, 0, N, 1);
    struct trend_rates r = trend_rates(values, N, &(struct change_options){0}, 1, arena);
    assert_int_equal(r.deals, TREND_DEALS);
    assert_true(r.false_alarms <= 0.05);
    assert_true(r.missed[2] <= 0.02);
    arena_close(&arena);
}

/* The found step must not count as noise of the series. */
TEST(a_real_step_does_not_spoil_the_rates)
{
    struct arena arena = arena_open();
    double values[N];
    fill(values, 0.005, 0.5, 50, 1);
    struct trend_rates r = trend_rates(values, N, &(struct change_options){0}, 1, arena);
    assert_true(r.false_alarms <= 0.05);
    assert_true(r.missed[2] <= 0.02);
    arena_close(&arena);
}

TEST(loud_noise_is_admitted)
{
    struct arena arena = arena_open();
    double values[N];
    fill(values, 0.1, 0, N, 2);
    struct trend_rates r = trend_rates(values, N, &(struct change_options){0}, 1, arena);
    assert_true(r.missed[0] >= 0.8); /* 3 % in noise of 10 % */
    struct change_options rash = {.detector = CHANGE_OTAVA, .p = 0.2};
    struct trend_rates of_rash = trend_rates(values, N, &rash, 1, arena);
    assert_true(of_rash.false_alarms > 0.3);
    arena_close(&arena);
}

TEST(rates_are_repeatable_and_refused_for_few_points)
{
    struct arena arena = arena_open();
    double values[N];
    fill(values, 0.03, 0, N, 3);
    struct change_options o = {0};
    struct trend_rates a = trend_rates(values, N, &o, 9, arena);
    struct trend_rates b = trend_rates(values, N, &o, 9, arena);
    assert_memory_equal(&a.missed, &b.missed, sizeof a.missed);
    assert_int_equal(trend_rates(values, 19, &o, 9, arena).deals, 0);
    assert_int_equal(trend_rates(values, 0, &o, 9, arena).deals, 0);
    for (size_t i = 0; i < N; i++) values[i] -= 10; /* around 0: shifts, not ratios */
    assert_int_not_equal(trend_rates(values, N, &o, 9, arena).deals, 0);
    arena_close(&arena);
}

/* A step of 10 %, and what it is called. */
static const char *called(double step, size_t after, enum direction direction)
{
    static struct trend_point points[40];
    struct arena out = arena_open();
    struct rng r = rng_seeded(4);
    struct trend_series s = {.points = points, .count = 20 + after, .direction = direction};
    for (size_t i = 0; i < s.count; i++) {
        points[i].value = (i < 20 ? 1 : 1 + step) * (1 + 0.01 * rng_normal(&r));
    }
    struct trend_question q = {.change.detector = CHANGE_OTAVA};
    trend_analyse(&s, &q, &out);
    const char *kind = s.change_count == 1 ? trend_kind(&s, 0) : "none";
    arena_close(&out);
    return kind;
}

TEST(better_and_worse_are_verdicts)
{
    assert_string_equal(called(0.1, 20, DIRECTION_LOWER), "degradation");
    assert_string_equal(called(0.1, 20, DIRECTION_HIGHER), "improvement");
    assert_string_equal(called(-0.1, 20, DIRECTION_LOWER), "improvement");
    assert_string_equal(called(-0.1, 20, DIRECTION_NONE), "change");
    /* Otava sees one point; a verdict on one point there is none. */
    assert_string_equal(called(0.3, 1, DIRECTION_LOWER), "change");
}

TEST_MAIN(T(quiet_noise_hides_little), T(a_real_step_does_not_spoil_the_rates),
          T(loud_noise_is_admitted), T(rates_are_repeatable_and_refused_for_few_points),
          T(better_and_worse_are_verdicts))
