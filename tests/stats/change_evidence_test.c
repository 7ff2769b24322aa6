#include "stats/change_evidence.h"

#include "base/rng.h"
#include "stats/autocorr.h"
#include "tests/test.h"

#include <math.h>

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
    double lag1 = autocorr_lag1(y, COUNT(y));
    double share = change_memory_of(y, COUNT(y), NULL, 0, a).share;
    assert_true(share < 0.95 * (1 - lag1) / (1 + lag1));
    for (size_t i = 0; i < COUNT(y); i++) y[i] = rng_normal(&r);
    assert_true(change_memory_of(y, COUNT(y), NULL, 0, a).share > 0.8);
    arena_close(&a);
}

static double p_of(const double *both, size_t half, struct change_memory memory, struct arena a)
{
    struct change_stretch s = {.y = both, .n = 2 * half};
    s.order = change_search_order(both, s.n, &a);
    return change_evidence_p(&s, half, memory, a);
}

/* Each of these is seen by one test and hardly by the others. */
TEST(each_kind_of_difference_is_seen)
{
    enum { N = 30 };
    double both[2 * N];
    double *x = both;
    double *y = both + N;
    struct arena a = arena_open();
    struct change_memory none = {1, 1};
    for (size_t i = 0; i < N; i++) {
        double noise = 0.1 * (double)(i % 7);
        x[i] = noise + (i % 2 ? 10 : 0);
        y[i] = noise + (i % 2 ? 5 : 15) - 0.01; /* modes beside modes: the same median */
    }
    assert_true(p_of(both, N, none, a) < 1e-6);
    for (size_t i = 0; i < N; i++) y[i] = x[i];
    assert_true(p_of(both, N, none, a) > 0.5);
    x[0] = 1e6; /* an outlier hides a level from t */
    for (size_t i = 1; i < N; i++) x[i] = 1 + 0.1 * (double)(i % 7);
    for (size_t i = 0; i < N; i++) y[i] = 2 + 0.1 * (double)(i % 7);
    assert_true(p_of(both, N, none, a) < 1e-6);
    struct change_memory long_memory = {0.1, 0.2};
    assert_true(p_of(both, N, long_memory, a) > 1e-6);
    arena_close(&a);
}

TEST_MAIN(T(memory_under_white_noise_is_seen), T(each_kind_of_difference_is_seen))
