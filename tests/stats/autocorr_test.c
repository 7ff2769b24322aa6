#include "stats/autocorr.h"

#include "base/rng.h"
#include "tests/test.h"

/* R: acf(c(1, 3, 2, 5, 4, 6, 8, 7), plot = FALSE)$acf[2] */
TEST(lag1_as_r_gives_it)
{
    const double x[] = {1, 3, 2, 5, 4, 6, 8, 7};
    assert_close(autocorr_lag1(x, 8), 0.494047619047619, 1e-12);
    const double swing[] = {1, -1, 1, -1, 1, -1};
    assert_true(autocorr_lag1(swing, 6) < -0.8);
}

/* Uncorrected the mean would be 0.46. */
TEST(the_bias_correction_removes_most_of_the_bias)
{
    double sum = 0;
    enum { RUNS = 2000, N = 20 };
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        struct rng r = rng_seeded(seed);
        double x[N];
        double level = rng_normal(&r) / sqrt(1 - 0.36);
        for (int i = 0; i < N; i++) {
            x[i] = level;
            level = 0.6 * level + rng_normal(&r);
        }
        sum += autocorr_unbiased(autocorr_lag1(x, N), N);
    }
    assert_close(sum / RUNS, 0.6, 0.06);
}

TEST(effective_n)
{
    assert_close(autocorr_effective_n(0.6, 100), 25, 1e-12);
    assert_close(autocorr_effective_n(-0.5, 100), 100, 0);
    assert_close(autocorr_effective_n(0, 7), 7, 0);
    assert_close(autocorr_effective_n(0.99, 10), 1, 0);
    assert_close(autocorr_effective_n(0.5, 0), 0, 0);
}

TEST(constants_and_short_series_have_none)
{
    const double equal[] = {2, 2, 2, 2};
    assert_true(autocorr_lag1(equal, 4) == 0);
    assert_true(autocorr_lag1(equal, 0) == 0);
}

TEST_MAIN(T(lag1_as_r_gives_it), T(the_bias_correction_removes_most_of_the_bias),
          T(effective_n), T(constants_and_short_series_have_none))
