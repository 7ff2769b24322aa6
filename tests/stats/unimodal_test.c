#include "stats/unimodal.h"

#include "base/rng.h"
#include "stats/quantile.h"
#include "tests/test.h"

static double dip(struct arena scratch, double *x, size_t n)
{
    stats_sort_inplace(x, n);
    return unimodal_dip(scratch, x, n, unimodal_step(x, n));
}

TEST(the_uniform_stays_below_the_limit)
{
    struct arena a = arena_open();
    static const size_t sizes[] = {20, 50, 300};
    for (size_t s = 0; s < COUNT(sizes); s++) {
        int above = 0;
        for (uint64_t seed = 0; seed < 1000; seed++) {
            struct rng r = rng_seeded(rng_derive(seed, s, 2));
            double x[300];
            for (size_t i = 0; i < sizes[s]; i++) x[i] = rng_real(&r);
            above += dip(a, x, sizes[s]) > UNIMODAL_LIMIT;
        }
        assert_true(above <= 20);
    }
    arena_close(&a);
}

TEST(two_peaks_rise_above_it)
{
    struct arena a = arena_open();
    int above = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct rng r = rng_seeded(seed);
        double x[50];
        for (size_t i = 0; i < 50; i++) {
            x[i] = rng_normal(&r);
            x[i] += rng_below(&r, 2) ? 6 : 0;
        }
        above += dip(a, x, 50) > UNIMODAL_LIMIT;
    }
    assert_true(above >= 170);
    arena_close(&a);
}

TEST(the_step_ignores_rounding_in_the_last_digit)
{
    const double x[] = {0.1, 0.3, 0.1 + 0.2, 0.4, 0.9};
    assert_close(unimodal_step(x, 5), 0.1, 1e-12);
    assert_true(unimodal_step(x, 1) == 0);
    const double equal[] = {1, 1, 1, 1};
    assert_true(unimodal_step(equal, 4) == 0);
}

TEST_MAIN(T(the_uniform_stays_below_the_limit), T(two_peaks_rise_above_it),
          T(the_step_ignores_rounding_in_the_last_digit))
