#include "stats/change_slope.h"

#include "base/rng.h"
#include "tests/test.h"

#include <math.h>

TEST(the_slope_is_the_median_of_pairs)
{
    static const double y[] = {1, 3, 2, 7, 5};
    /* -2 -1 .5 2/3 1 | 1.5 2 2 2 5 */
    struct arena a = arena_open();
    struct change_slope s = change_slope_of(y, COUNT(y), NULL, 0, 1, a);
    assert_close(s.estimate, 1.25, 1e-12);
    assert_true(s.low <= s.estimate && s.estimate <= s.high);
    arena_close(&a);
}

TEST(steps_make_no_slope)
{
    double y[60];
    struct rng r = rng_seeded(5);
    for (size_t i = 0; i < COUNT(y); i++) y[i] = (i < 30 ? 0 : 50) + rng_normal(&r);
    struct arena a = arena_open();
    size_t at = 30;
    assert_true(change_slope_of(y, COUNT(y), NULL, 0, 1, a).p < 1e-5);
    assert_true(change_slope_of(y, COUNT(y), &at, 1, 1, a).p > 0.01);
    arena_close(&a);
}

/* 95 % of the intervals hold the slope; two standard errors of 400 are 2.2 %. */
TEST(the_interval_holds_the_slope)
{
    struct arena a = arena_open();
    size_t at = 30;
    int held = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct rng r = rng_seeded(seed);
        double y[60];
        for (size_t i = 0; i < COUNT(y); i++)
            y[i] = (i < at ? 0 : 50) + 0.5 * (double)i + rng_normal(&r);
        struct change_slope s = change_slope_of(y, COUNT(y), &at, 1, 1, a);
        assert_true(s.p < 1e-6);
        held += s.low <= 0.5 && s.high >= 0.5;
    }
    if (held < 371 || held > 389) fail_msg("%d of 400", held);
    arena_close(&a);
}

/* Pairs of long series are sampled: the answer must stay. */
TEST(long_series_have_the_same_slope)
{
    enum { N = 3000 };
    struct arena a = arena_open();
    double *y = arena_new(&a, double, N);
    struct rng r = rng_seeded(6);
    for (size_t i = 0; i < N; i++) y[i] = 0.001 * (double)i + 0.1 * rng_normal(&r);
    struct change_slope s = change_slope_of(y, N, NULL, 0, 1, a);
    assert_close(s.estimate, 0.001, 0.02);
    assert_true(s.low <= 0.001 && s.high >= 0.001 && s.high - s.low < 0.0001);
    arena_close(&a);
}

TEST_MAIN(T(the_slope_is_the_median_of_pairs), T(steps_make_no_slope),
          T(the_interval_holds_the_slope), T(long_series_have_the_same_slope))
