#include "stats/drift.h"

#include "base/rng.h"
#include "tests/test.h"

static struct drift drift(const double *series, size_t n)
{
    struct arena a = arena_open();
    struct drift d = drift_of(a, series, n);
    arena_close(&a);
    return d;
}

TEST(a_line_is_a_drift_with_its_size)
{
    double up[30];
    for (int i = 0; i < 30; i++) up[i] = 100 + i;
    struct drift d = drift(up, 30);
    assert_true(d.tau == 1);
    assert_true(d.p < 1e-6);
    assert_close(d.relative, 124.5 / 104.5 - 1, 1e-12);
    for (int i = 0; i < 30; i++) up[i] = -up[i];
    assert_true(drift(up, 30).tau == -1 && drift(up, 30).relative < 0);
}

TEST(p_is_honest_under_independent_and_remembering_noise)
{
    for (int k = 0; k < 2; k++) {
        int low = 0;
        for (uint64_t seed = 0; seed < 1000; seed++) {
            struct rng r = rng_seeded(rng_derive(seed, (uint64_t)k, 3));
            double x[60];
            double level = 0;
            for (int i = 0; i < 60; i++) {
                level = (k ? 0.6 : 0) * level + rng_normal(&r);
                x[i] = level;
            }
            low += drift(x, 60).p < 0.05;
        }
        assert_true(low <= 75); /* 5 % and three standard errors, and some */
    }
}

TEST(few_or_equal_values_do_not_drift)
{
    const double x[] = {1, 2, 3, 4, 5, 6, 7};
    assert_true(drift(x, 7).p == 1);
    assert_true(drift(x, 0).p == 1);
    const double equal[] = {3, 3, 3, 3, 3, 3, 3, 3, 3};
    struct drift d = drift(equal, 9);
    assert_true(d.p == 1 && d.relative == 0 && d.tau == 0);
    double from_zero[12] = {0};
    for (int i = 8; i < 12; i++) from_zero[i] = 1;
    assert_true(isinf(drift(from_zero, 12).relative));
}

TEST_MAIN(T(a_line_is_a_drift_with_its_size),
          T(p_is_honest_under_independent_and_remembering_noise),
          T(few_or_equal_values_do_not_drift))
