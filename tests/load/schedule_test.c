/* Moments that are due: their number, their order, their gaps, and that they can be drawn
 * again. */
#include "base/arena.h"
#include "load/schedule.h"
#include "stats/ks.h"
#include "tests/test.h"

#include <math.h>

enum { MOMENTS_MAX = 200000 };

static double moments[MOMENTS_MAX];

static size_t draw_all(const struct schedule_plan *plan)
{
    struct schedule s = schedule_begin(plan);
    size_t n = 0;
    double before = 0;
    while (n < MOMENTS_MAX && schedule_next(&s, &moments[n])) {
        if (moments[n] < before) fail_msg("moment %zu is before the one before it", n);
        before = moments[n++];
    }
    return n;
}

static size_t between(size_t n, double from_s, double to_s)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) found += moments[i] >= from_s && moments[i] < to_s;
    return found;
}

TEST(an_even_schedule_has_equal_gaps)
{
    struct arena a = arena_open();
    struct schedule_plan p = schedule_constant(250, 4, &a);
    size_t n = draw_all(&p);
    assert_int_equal(n, 1000);
    for (size_t i = 1; i < n; i++) {
        assert_close(moments[i] - moments[i - 1], 0.004, 1e-9);
    }
    assert_close(moments[0], 0.002, 1e-12);
    arena_close(&a);
}

TEST(poisson_gaps_are_exponential_and_their_number_varies_as_it_should)
{
    struct arena a = arena_open();
    double sum = 0, squares = 0;
    enum { DRAWS = 400 };
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        struct schedule_plan p = schedule_constant(100, 4, &a);
        p.arrivals = SCHEDULE_POISSON;
        p.seed = seed;
        double n = (double)draw_all(&p);
        sum += n;
        squares += n * n;
    }
    double mean = sum / DRAWS;
    double variance = squares / DRAWS - mean * mean;
    assert_true(fabs(mean - 400) < 4 * 20 / sqrt(DRAWS));
    assert_true(variance > 400 * 0.75 && variance < 400 * 1.3); /* 4 standard errors: 0.28 */

    struct schedule_plan p = schedule_constant(1000, 20, &a);
    p.arrivals = SCHEDULE_POISSON;
    p.seed = 7;
    size_t n = draw_all(&p);
    double *gaps = arena_new(&a, double, n);
    double *expected = arena_new(&a, double, n);
    for (size_t i = 0; i < n; i++) {
        gaps[i] = 1000 * (moments[i] - (i ? moments[i - 1] : 0));
        expected[i] = -log1p(-((double)i + 0.5) / (double)n);
    }
    assert_true(ks_test(a, gaps, n, expected, n).p > 0.001);
    arena_close(&a);
}

TEST(ramps_spikes_and_bursts_have_their_rates)
{
    struct arena a = arena_open();
    struct schedule_plan ramp = schedule_ramp(0, 1000, 10, &a);
    size_t n = draw_all(&ramp);
    assert_int_equal(n, 5000);
    assert_int_equal(between(n, 0, 5), 1250); /* a quarter of the area */

    struct schedule_plan down = schedule_ramp(1000, 0, 10, &a);
    n = draw_all(&down);
    assert_int_equal(between(n, 0, 5), 3750);

    struct schedule_plan spike = schedule_spike(100, 10, 0.2, 10, &a);
    n = draw_all(&spike);
    assert_int_equal(between(n, 4, 6), 2000);
    assert_int_equal(between(n, 0, 4), 400);
    assert_close(schedule_highest_rate(&spike), 1000, 1e-12);

    struct schedule_plan bursts = schedule_bursts(100, 1, 0.2, 5, &a);
    n = draw_all(&bursts);
    assert_int_equal(n, 500);
    for (int i = 0; i < 5; i++) assert_int_equal(between(n, i + 0.2001, i + 1), 0);
    assert_close(schedule_expected(&bursts), 500, 1e-9);
    arena_close(&a);
}

TEST(a_trace_is_followed_and_a_plan_can_be_drawn_again)
{
    static const double trace[] = {0.1, 0.1, 0.5, 2};
    struct schedule_plan p = {.trace_s = trace, .trace_count = COUNT(trace)};
    assert_int_equal(draw_all(&p), 4);
    assert_close(moments[3], 2, 1e-12);

    struct arena a = arena_open();
    struct schedule_plan r = schedule_ramp(5, 50, 3, &a);
    r.arrivals = SCHEDULE_POISSON;
    r.seed = 3;
    size_t n = draw_all(&r);
    double *first = arena_new(&a, double, n);
    memcpy(first, moments, n * sizeof *first);
    assert_int_equal(draw_all(&r), n);
    assert_memory_equal(first, moments, n * sizeof *first);
    arena_close(&a);
}

TEST_MAIN(T(an_even_schedule_has_equal_gaps),
          T(poisson_gaps_are_exponential_and_their_number_varies_as_it_should),
          T(ramps_spikes_and_bursts_have_their_rates),
          T(a_trace_is_followed_and_a_plan_can_be_drawn_again))
