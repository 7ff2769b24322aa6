#include "stats/welch.h"

#include "tests/test.h"

static struct welch test_of(const double *x, size_t m, const double *y, size_t n)
{
    struct moments a = moments_of(x, m);
    struct moments b = moments_of(y, n);
    return welch_test(&a, &b);
}

static void line(double *out, double from, double to, int n)
{
    for (int i = 0; i < n; i++) out[i] = from + (to - from) * i / (n - 1);
}

TEST(known_answers)
{
    const double x[] = {1, 2, 3, 4};
    const double y[] = {1.1, 2.9, 4.2};
    struct welch w = test_of(x, 3, y, 3);
    assert_close(w.t, -0.686495127355726, 1e-13);
    assert_close(w.p, 0.536194907531267, 1e-12);
    w = test_of(x, 4, y, 3);
    assert_close(w.t, -0.210866331595072, 1e-13);
    assert_close(w.p, 0.843541391316083, 1e-12);
    double a[100];
    double b[100];
    line(a, 5, 105, 100);
    line(b, 1, 100, 100);
    w = test_of(a, 100, b, 100);
    assert_close(w.t, 1.0912746897927283, 1e-12);
    assert_close(w.p, 0.27647831993021388, 1e-12);
    line(b, 1, 100, 25);
    w = test_of(a, 100, b, 25);
    assert_close(w.t, 0.66745638708050492, 1e-12);
    assert_close(w.p, 0.50873585065616544, 1e-12);
}

TEST(from_summaries)
{
    struct moments x = {150, 0.299, 0.05 * 149};
    struct moments y = {165, 0.307, 0.08 * 164};
    struct welch w = welch_test(&x, &y);
    assert_close(w.t, -0.27968236, 1e-7);
    assert_close(w.df, 307.19879975, 1e-9);
}

TEST(without_variance)
{
    const double ones[] = {1, 1, 1};
    const double twos[] = {2, 2};
    struct welch w = test_of(ones, 3, ones, 3);
    assert_true(isnan(w.df) && w.p == 1 && w.t == 0);
    w = test_of(ones, 3, twos, 2);
    assert_true(isnan(w.df) && w.p > 0 && w.p < 1e-300 && isinf(w.t));
    assert_true(isnan(test_of(ones, 1, twos, 2).p));
}

TEST_MAIN(T(known_answers), T(from_summaries), T(without_variance))
