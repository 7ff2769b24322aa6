/* Typical values: the inversion of the sign-flip test, and what it covers. */
#include "base/rng.h"
#include "stats/permutation.h"
#include "stats/typical.h"
#include "tests/test.h"

#include <math.h>

TEST(p_is_that_of_flipped_signs)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct arena a = arena_open();
        struct rng r = rng_seeded(seed);
        double ones[12], d[12], moved[12];
        size_t n = 3 + rng_below(&r, 10);
        for (size_t i = 0; i < n; i++) {
            ones[i] = 1;
            d[i] = rng_normal(&r) + 0.5;
        }
        double at = rng_normal(&r);
        for (size_t i = 0; i < n; i++) moved[i] = d[i] - at;
        struct typical t = typical_pairs(ones, d, n, 1, &a);
        assert_close(typical_p(&t, at), permutation_signs(moved, n, 1, 1).p, 1e-12);
        arena_close(&a);
    }
}

TEST(interval_and_p_are_two_views_of_one_thing)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct arena a = arena_open();
        struct rng r = rng_seeded(seed);
        double x[40], y[40];
        size_t n = 6 + rng_below(&r, 34);
        for (size_t i = 0; i < n; i++) {
            x[i] = rng_exponential(&r);
            y[i] = rng_below(&r, 4) ? x[i] * 1.2 : rng_exponential(&r);
        }
        struct typical t = typical_pairs(x, y, n, seed, &a);
        double low = 0, high = 0;
        typical_interval(&t, 0.05, &low, &high);
        assert_true(typical_p(&t, low * 0.999) < 0.05 && typical_p(&t, low) >= 0.05);
        assert_true(typical_p(&t, high * 1.001) < 0.05 && typical_p(&t, high) >= 0.05);
        arena_close(&a);
    }
}

/* All pairs say the same: sure from six on, never of five. */
TEST(equal_pairs_are_sure_from_six_on)
{
    struct arena a = arena_open();
    double x[20], y[20], low = 0, high = 0;
    for (int i = 0; i < 20; i++) x[i] = 1, y[i] = 0.8;
    struct typical t = typical_pairs(x, y, 5, 1, &a);
    typical_interval(&t, 0.05, &low, &high);
    assert_true(isinf(low) && isinf(high));
    t = typical_pairs(x, y, 6, 1, &a);
    typical_interval(&t, 0.05, &low, &high);
    assert_close(low, 0.8, 1e-12);
    assert_close(high, 0.8, 1e-12);
    t = typical_pairs(x, y, 20, 1, &a);
    assert_true(typical_p(&t, 1) < 0.001);
    arena_close(&a);
}

/* The true ratio of means, of paired and unpaired amounts with a long tail. */
TEST(the_interval_of_a_ratio_of_means_covers)
{
    enum { DRAWS = 1000, N = 30 };
    for (int paired = 0; paired < 2; paired++) {
        int covered = 0;
        for (uint64_t seed = 0; seed < DRAWS; seed++) {
            struct arena a = arena_open();
            struct rng r = rng_seeded(rng_derive(9, (uint64_t)paired, seed));
            double x[N], y[N], low = 0, high = 0;
            for (int i = 0; i < N; i++) {
                double level = exp(0.7 * rng_normal(&r));
                x[i] = level * exp(0.3 * rng_normal(&r));
                if (!paired) level = exp(0.7 * rng_normal(&r));
                y[i] = 1.5 * level * exp(0.3 * rng_normal(&r));
            }
            struct typical t =
                paired ? typical_pairs(x, y, N, seed, &a) : typical_arms(x, N, y, N, seed, &a);
            typical_interval(&t, 0.05, &low, &high);
            covered += low <= 1.5 && 1.5 <= high;
            arena_close(&a);
        }
        printf("# %s: %d of %d covered\n", paired ? "pairs" : "arms", covered, DRAWS);
        assert_true(covered >= 920);
    }
}

TEST_MAIN(T(p_is_that_of_flipped_signs), T(interval_and_p_are_two_views_of_one_thing),
          T(equal_pairs_are_sure_from_six_on), T(the_interval_of_a_ratio_of_means_covers))
