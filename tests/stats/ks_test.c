#include "stats/ks.h"

#include "tests/test.h"

static struct ks test_of(const double *x, size_t m, const double *y, size_t n)
{
    struct arena a = arena_open();
    struct ks k = ks_test(a, x, m, y, n);
    arena_close(&a);
    return k;
}

TEST(exact_as_r_has_it)
{
    const double a[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    const double b[] = {1.15, 0.88, 0.90, 0.74, 1.21};
    struct ks k = test_of(a, 10, b, 5);
    assert_true(k.is_exact);
    assert_close(k.d, 0.6, 1e-15);
    assert_close(k.p, 0.16583416583416366, 1e-12);
    const double x[] = {1, 2, 2, 3, 3};
    const double y[] = {1, 2, 3, 3, 4, 5};
    k = test_of(x, 5, y, 6);
    assert_close(k.d, 1.0 / 3, 1e-15);
    assert_close(k.p, 0.74025974025974162, 1e-12);
}

TEST(equal_samples_and_empty_ones)
{
    const double x[] = {1, 2, 3};
    assert_true(test_of(x, 3, x, 3).d == 0);
    assert_true(test_of(x, 3, x, 3).p == 1);
    assert_true(test_of(x, 3, x, 0).p == 1);
}

/* Two samples of 100 that do not overlap: D = 1, p = 2 / C(200, 100) exactly,
 * 2 exp(-100) in the limit. */
TEST(the_limit_for_large_samples)
{
    double x[100];
    double y[100];
    for (int i = 0; i < 100; i++) {
        x[i] = i;
        y[i] = i + 1000;
    }
    struct ks k = test_of(x, 100, y, 100);
    assert_false(k.is_exact);
    assert_true(k.d == 1);
    assert_close(k.p / (2 * exp(-100)), 1, 1e-10);
    k = test_of(x, 99, y, 100);
    assert_true(k.is_exact);
    assert_true(k.p < 1e-50);
}

TEST_MAIN(T(exact_as_r_has_it), T(equal_samples_and_empty_ones), T(the_limit_for_large_samples))
