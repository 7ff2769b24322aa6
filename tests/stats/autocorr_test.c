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

/* 1 + 2 sum rho_k is 4 for AR(1) 0.6; 3.4 for states that last and noise on top. */
TEST(inflation_sees_memory_beyond_lag_1)
{
    enum { RUNS = 200, N = 200 };
    double independent = 0;
    double ar = 0;
    double states = 0;
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        struct rng r = rng_seeded(seed);
        double x[N];
        double y[N];
        double z[N];
        double level = rng_normal(&r) / sqrt(1 - 0.36);
        double hidden = 1;
        for (int i = 0; i < N; i++) {
            z[i] = rng_normal(&r);
            x[i] = level;
            level = 0.6 * level + rng_normal(&r);
            if (rng_below(&r, 10) == 0) hidden = -hidden;
            y[i] = hidden + 1.5275 * rng_normal(&r); /* rho_k = 0.3 times 0.8^k */
        }
        independent += autocorr_inflation(&(struct autocorr_series){z, N}, 1) / RUNS;
        ar += autocorr_inflation(&(struct autocorr_series){x, N}, 1) / RUNS;
        states += autocorr_inflation(&(struct autocorr_series){y, N}, 1) / RUNS;
    }
    assert_true(independent >= 1 && independent < 1.35);
    assert_close(ar, 4, 0.15);
    assert_close(states, 3.4, 0.15);
}

TEST(inflation_has_limits)
{
    double ramp[40];
    const double equal[] = {3, 3, 3, 3, 3};
    for (int i = 0; i < 40; i++) ramp[i] = i;
    assert_true(autocorr_inflation(&(struct autocorr_series){ramp, 40}, 1) <= 20);
    assert_true(autocorr_inflation(&(struct autocorr_series){equal, 5}, 1) == 1);
    assert_true(autocorr_inflation(&(struct autocorr_series){equal, 0}, 1) == 1);
    const struct autocorr_series both[] = {{ramp, 40}, {equal, 1}};
    assert_true(autocorr_inflation(both, 2) == 1); /* no lags in the shorter */
}

TEST(constants_and_short_series_have_none)
{
    const double equal[] = {2, 2, 2, 2};
    assert_true(autocorr_lag1(equal, 4) == 0);
    assert_true(autocorr_lag1(equal, 0) == 0);
}

TEST_MAIN(T(lag1_as_r_gives_it), T(the_bias_correction_removes_most_of_the_bias),
          T(inflation_sees_memory_beyond_lag_1), T(inflation_has_limits),
          T(constants_and_short_series_have_none))
