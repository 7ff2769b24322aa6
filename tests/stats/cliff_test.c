#include "stats/cliff.h"

#include "tests/test.h"

TEST(delta_and_label)
{
    struct arena a = arena_open();
    const double x[] = {1, 2, 3, 4};
    const double y[] = {1, 2, 3, 4, 5};
    struct cliff c = cliff_delta(a, x, 4, y, 5, 0.05);
    assert_close(c.delta, 2 * 8.0 / 20 - 1, 1e-15); /* U = 8 */
    assert_string_equal(c.label, "small");
    assert_string_equal(cliff_delta(a, x, 4, x, 4, 0.05).label, "negligible");
    for (size_t n = 1; n <= 5; n++) assert_true(cliff_delta(a, y, n, y, n, 0.05).delta == 0);
    const double far[] = {7, 8, 9};
    c = cliff_delta(a, far, 3, x, 4, 0.05);
    assert_true(c.delta == 1 && c.high == 1 && c.low < 0.5);
    assert_string_equal(c.label, "large");
    arena_close(&a);
}

/* The variance written out over all pairs. */
TEST(interval_from_the_full_matrix)
{
    struct arena a = arena_open();
    const double x[] = {5.1, 2.2, 7.3, 4.4, 6.5, 3.3};
    const double y[] = {4.0, 3.3, 6.1, 1.0, 2.5};
    enum { M = 6, N = 5 };
    double d[M][N];
    double delta = 0;
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            d[i][j] = (x[i] > y[j]) - (x[i] < y[j]);
            delta += d[i][j] / (M * N);
        }
    }
    double rows = 0;
    double columns = 0;
    double cells = 0;
    for (int i = 0; i < M; i++) {
        double mean = 0;
        for (int j = 0; j < N; j++) {
            mean += d[i][j] / N;
            cells += (d[i][j] - delta) * (d[i][j] - delta);
        }
        rows += (mean - delta) * (mean - delta);
    }
    for (int j = 0; j < N; j++) {
        double mean = 0;
        for (int i = 0; i < M; i++) mean += d[i][j] / M;
        columns += (mean - delta) * (mean - delta);
    }
    /* The mean of a row varies over M rows and stands for N cells. */
    double variance =
        (N * N * rows + M * M * columns - cells) / (M * N * (M - 1.0) * (N - 1.0));
    double z = 1.9599639845400538;
    double base = 1 - delta * delta + z * z * variance;
    double spread = z * sqrt(variance) * sqrt(pow(1 - delta * delta, 2) + z * z * variance);
    struct cliff c = cliff_delta(a, x, M, y, N, 0.05);
    assert_close(c.delta, delta, 1e-14);
    assert_close(c.low, (delta - pow(delta, 3) - spread) / base, 1e-12);
    assert_close(c.high, (delta - pow(delta, 3) + spread) / base, 1e-12);
    arena_close(&a);
}

TEST(small_sides)
{
    struct arena a = arena_open();
    const double x[] = {1};
    const double y[] = {2, 3};
    struct cliff c = cliff_delta(a, x, 1, y, 2, 0.05);
    assert_true(c.delta == -1 && isnan(c.low));
    assert_true(isnan(cliff_delta(a, x, 0, y, 2, 0.05).delta));
    arena_close(&a);
}

TEST_MAIN(T(delta_and_label), T(interval_from_the_full_matrix), T(small_sides))
