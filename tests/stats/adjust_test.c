#include "stats/adjust.h"

#include "stats/quantile.h"
#include "tests/test.h"

static const double ten[] = {
    0.838541367553, 0.642193923795,   0.680845947633,  0.967833824309,   0.71626938238,
    0.177096952723, 5.23656777208e-5, 0.0202732688798, 0.00028140506198, 0.0149877310796};

static void check(const double *p, size_t n, const double *expected, double tolerance)
{
    struct arena a = arena_open();
    double got[10];
    adjust_holm(a, p, n, got);
    stats_sort_inplace(got, n);
    for (size_t i = 0; i < n; i++) assert_close(got[i], expected[i], tolerance);
    arena_close(&a);
}

TEST(known_answers)
{
    const double holm[] = {
        5.23656777208e-4, 2.53264555782e-3, 0.119901848637, 0.141912882159, 1, 1, 1, 1, 1, 1};
    check(ten, 10, holm, 1e-12);
}

TEST(order_is_kept_and_nan_is_not_counted)
{
    struct arena a = arena_open();
    double p[] = {0.04, (double)NAN, 0.01};
    adjust_holm(a, p, 3, p);
    assert_close(p[0], 0.04, 1e-15);
    assert_true(isnan(p[1]));
    assert_close(p[2], 0.02, 1e-15);
    adjust_holm(a, p, 0, p);
    arena_close(&a);
}

TEST_MAIN(T(known_answers), T(order_is_kept_and_nan_is_not_counted))
