#include "stats/hodges.h"

#include "base/rng.h"
#include "stats/quantile.h"
#include "stats/rank.h"
#include "tests/test.h"

/* R: wilcox.test(a, b, conf.int = TRUE), its help page's permeability. */
TEST(shift_of_r)
{
    struct arena s = arena_open();
    const double a[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    const double b[] = {1.15, 0.88, 0.90, 0.74, 1.21};
    struct hodges h = hodges_shift(s, a, 10, b, 5, 0.05);
    assert_true(h.has_interval && h.is_exact);
    assert_close(h.estimate, 0.305, 1e-14);
    assert_close(h.low, -0.15, 1e-14);
    assert_close(h.high, 0.76, 1e-14);
    arena_close(&s);
}

TEST(centre_of_r)
{
    struct arena s = arena_open();
    const double x[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
    const double y[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
    double d[9];
    for (int i = 0; i < 9; i++) d[i] = x[i] - y[i];
    struct hodges h = hodges_centre(s, d, 9, 0.05);
    assert_true(h.has_interval && h.is_exact);
    assert_close(h.estimate, 0.46, 1e-14);
    assert_close(h.low, 0.01, 1e-14);
    assert_close(h.high, 0.786, 1e-14);
    arena_close(&s);
}

TEST(too_few_values_have_no_interval)
{
    struct arena s = arena_open();
    const double a[] = {1, 2, 3, 4, 5, 6};
    const double b[] = {1.5, 2.5, 3.5, 4.5};
    assert_false(hodges_shift(s, a, 3, b, 3, 0.05).has_interval);
    assert_true(isnan(hodges_shift(s, a, 3, b, 3, 0.05).low));
    assert_close(hodges_shift(s, a, 3, b, 3, 0.05).estimate, -0.5, 1e-15);
    /* 1/20 and 1/32 are the tail itself: not below it, as R has it */
    assert_false(hodges_shift(s, a, 3, b, 3, 0.1).has_interval);
    assert_false(hodges_centre(s, a, 5, 0.0625).has_interval);
    assert_true(hodges_shift(s, a, 4, b, 4, 0.05).has_interval);
    assert_false(hodges_centre(s, a, 5, 0.05).has_interval);
    assert_true(hodges_centre(s, a, 6, 0.05).has_interval);
    assert_true(isnan(hodges_shift(s, a, 0, b, 3, 0.05).estimate));
    assert_true(isnan(hodges_centre(s, a, 0, 0.05).estimate));
    arena_close(&s);
}

TEST(selection_equals_sorting)
{
    struct arena s = arena_open();
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct rng r = rng_seeded(seed);
        size_t m = 1 + rng_below(&r, 30);
        size_t n = 1 + rng_below(&r, 30);
        bool is_tied = seed % 2;
        double x[30];
        double y[30];
        double d[900];
        for (size_t i = 0; i < m; i++)
            x[i] = is_tied ? (double)rng_below(&r, 6) : rng_normal(&r);
        for (size_t i = 0; i < n; i++)
            y[i] = is_tied ? (double)rng_below(&r, 6) : rng_normal(&r);
        size_t count = 0;
        for (size_t i = 0; i < m; i++) {
            for (size_t j = 0; j < n; j++) d[count++] = x[i] - y[j];
        }
        stats_sort_inplace(d, count);
        assert_true(hodges_shift(s, x, m, y, n, 0.05).estimate == quantile_median(d, count));
        count = 0;
        for (size_t i = 0; i < m; i++) {
            for (size_t j = i; j < m; j++) d[count++] = x[i] / 2 + x[j] / 2;
        }
        stats_sort_inplace(d, count);
        assert_true(hodges_centre(s, x, m, 0.05).estimate == quantile_median(d, count));
    }
    arena_close(&s);
}

TEST(large_values_and_large_samples)
{
    struct arena s = arena_open();
    const double huge[] = {1.5e308, 1.6e308, 1.7e308};
    assert_close(hodges_centre(s, huge, 3, 0.05).estimate / 1.6e308, 1, 1e-15);
    enum { N = 20000 };
    double *x = arena_new(&s, double, N);
    double *y = arena_new(&s, double, N);
    struct rng r = rng_seeded(1);
    for (size_t i = 0; i < N; i++) {
        x[i] = 0.1 * rng_normal(&r) + 0.05;
        y[i] = 0.1 * rng_normal(&r);
    }
    struct hodges h = hodges_shift(s, x, N, y, N, 0.05);
    assert_false(h.is_exact);
    assert_true(h.low < 0.05 && h.high > 0.05);
    assert_close(h.estimate, 0.05, 0.003);
    assert_close(h.high - h.low, 2 * 1.96 * 0.1 * sqrt(2.0 / N) / sqrt(0.955), 2e-4);
    arena_close(&s);
}

/* Where counting stops and the expansion takes over, both give the same pair. */
TEST(the_expansion_meets_the_exact_rank)
{
    struct arena s = arena_open();
    enum { M = 140, N = 170 };
    double x[M];
    double y[N] = {0};
    for (int i = 0; i < M; i++) x[i] = i * 1000.0;
    for (int i = 0; i < N; i++) y[i] = i * 1000.0 + i * 0.5;
    const double alphas[] = {0.1, 0.05, 0.01};
    for (size_t a = 0; a < COUNT(alphas); a++) {
        struct hodges h = hodges_shift(s, x, M, y, N, alphas[a]);
        assert_false(h.is_exact);
        const double *cdf = rank_u_cdf(&s, M, N);
        size_t k = 0;
        while (cdf[k] < alphas[a] / 2) k++;
        double *d = arena_new(&s, double, M *N);
        for (int i = 0; i < M * N; i++) d[i] = x[i / N] - y[i % N];
        stats_sort_inplace(d, M * N);
        assert_true(h.low == d[k - 1] && h.high == d[M * N - k]);

        h = hodges_centre(s, y, N, alphas[a]);
        assert_false(h.is_exact);
        cdf = rank_v_cdf(&s, N);
        for (k = 0; cdf[k] < alphas[a] / 2;) k++;
        size_t count = 0;
        for (int i = 0; i < N; i++) {
            for (int j = i; j < N; j++) d[count++] = y[i] / 2 + y[j] / 2;
        }
        stats_sort_inplace(d, count);
        assert_true(h.low == d[k - 1] && h.high == d[count - k]);
    }
    arena_close(&s);
}

TEST_MAIN(T(shift_of_r), T(centre_of_r), T(too_few_values_have_no_interval),
          T(selection_equals_sorting), T(large_values_and_large_samples),
          T(the_expansion_meets_the_exact_rank))
