#include "src/stats/change_assay.c"

#include "base/rng.h"
#include "tests/test.h"

static double distances(const double *x, size_t m, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) sum += fabs(x[i] - y[j]);
    }
    return sum;
}

static double energy_by_definition(const double *x, size_t m, const double *y, size_t n)
{
    return energy_of(distances(x, m, y, n), distances(x, m, x, m) / 2,
                     distances(y, n, y, n) / 2, (double)m, (double)n);
}

/* MongoDB's own test of its energy statistic: E = 268.352, T = 10035.943. */
TEST(energy_is_the_published_one)
{
    double x[200];
    double y[46];
    for (size_t i = 0; i < COUNT(x); i++) x[i] = 300 + (double)i;
    for (size_t i = 0; i < COUNT(y); i++) y[i] = 400 + 11 * (double)i;
    double t = energy_by_definition(x, COUNT(x), y, COUNT(y));
    assert_close(t, 10035.943, 1e-7);
    assert_close(t * (200 + 46) / (200.0 * 46), 268.352, 1e-5);
}

/* The sums that are carried along must give the split that the definition does. */
TEST(the_best_split_is_the_one_by_definition)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct rng r = rng_seeded(seed);
        double y[50];
        double step = (double)(seed % 3);
        for (size_t i = 0; i < COUNT(y); i++) y[i] = rng_normal(&r) + (i < 30 ? 0 : step);
        size_t n = 20 + seed % 31;
        struct scan s = {.y = y, .n = n};
        size_t best = SETTLED;
        for (size_t t = SETTLED; t + SETTLED <= n; t++) {
            if (energy_by_definition(y, t, y + t, n - t) >
                energy_by_definition(y, best, y + best, n - best))
                best = t;
        }
        assert_int_equal(best_split(&s, 0, n), best);
    }
}

/* AR(1) .8 under white noise: lag 1 is 0.29 and says 1.8 times the variance, the
 * lags together 3.9; five of them, weighted, see 2.1. */
TEST(memory_under_white_noise_is_seen)
{
    double y[400];
    double hidden = 0;
    struct arena a = arena_open();
    struct rng r = rng_seeded(3);
    for (size_t i = 0; i < COUNT(y); i++) {
        hidden = 0.8 * hidden + 0.6 * rng_normal(&r);
        y[i] = 0.6 * hidden + 0.8 * rng_normal(&r);
    }
    struct scan s = {.y = y, .n = COUNT(y)};
    double lag1 = autocorr_lag1(y, COUNT(y));
    double share = independence(&s, NULL, 0, a);
    assert_true(share < 0.95 * (1 - lag1) / (1 + lag1));
    for (size_t i = 0; i < COUNT(y); i++) y[i] = rng_normal(&r);
    assert_true(independence(&s, NULL, 0, a) > 0.8);
    arena_close(&a);
}

TEST_MAIN(T(energy_is_the_published_one), T(the_best_split_is_the_one_by_definition),
          T(memory_under_white_noise_is_seen))
