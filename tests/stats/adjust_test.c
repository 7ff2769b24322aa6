#include "stats/adjust.h"

#include "stats/quantile.h"
#include "tests/test.h"

static const double ten[] = {
    0.838541367553, 0.642193923795,   0.680845947633,  0.967833824309,   0.71626938238,
    0.177096952723, 5.23656777208e-5, 0.0202732688798, 0.00028140506198, 0.0149877310796};

static void check(enum adjust_method method, const double *p, size_t n, const double *expected,
                  size_t known, double tolerance)
{
    struct arena a = arena_open();
    double got[10];
    adjust_p(a, method, p, n, got);
    stats_sort_inplace(got, n);
    for (size_t i = 0; i < known; i++) assert_close(got[i], expected[i], tolerance);
    arena_close(&a);
}

TEST(known_answers)
{
    const double holm[] = {
        5.23656777208e-4, 2.53264555782e-3, 0.119901848637, 0.141912882159, 1, 1, 1, 1, 1, 1};
    const double bh[] = {5.23656777208e-4, 1.4070253099e-3, 0.0499591035987, 0.0506831721995,
                         0.354193905446,   0.895336727975,  0.895336727975,  0.895336727975,
                         0.931712630614,   0.967833824309};
    const double by[] = {1.53377407642e-3, 4.12113246523e-3, 0.146328628437, 0.148449402383};
    check(ADJUST_HOLM, ten, 10, holm, 10, 1e-12);
    check(ADJUST_BH, ten, 10, bh, 10, 1e-12);
    check(ADJUST_BY, ten, 10, by, 4, 1e-12);
    const double eight[] = {.005, .009, .019, .022, .051, .101, .361, .387};
    const double eight_bh[] = {.036, .036, .044, .044, .082, .135, .387, .387};
    check(ADJUST_BH, eight, 8, eight_bh, 8, 5e-4);
}

TEST(order_is_kept_and_nan_is_not_counted)
{
    struct arena a = arena_open();
    double p[] = {0.04, (double)NAN, 0.01};
    adjust_p(a, ADJUST_HOLM, p, 3, p);
    assert_close(p[0], 0.04, 1e-15);
    assert_true(isnan(p[1]));
    assert_close(p[2], 0.02, 1e-15);
    adjust_p(a, ADJUST_BH, p, 0, p);
    arena_close(&a);
}

TEST_MAIN(T(known_answers), T(order_is_kept_and_nan_is_not_counted))
