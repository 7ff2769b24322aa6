#include "stats/kendall.h"

#include "tests/test.h"

static struct kendall trend(const double *series, size_t n, double inflation)
{
    struct arena a = arena_open();
    struct kendall k = kendall_trend(a, series, n, inflation);
    arena_close(&a);
    return k;
}

/* R: cor.test(1:10, x, method = "kendall", exact = FALSE, continuity = TRUE). */
TEST(r_agrees_with_and_without_ties)
{
    const double x[] = {1.2, 0.7, 2.5, 2.4, 3.1, 2.9, 4.4, 3.8, 5.0, 4.9};
    struct kendall k = trend(x, 10, 1);
    assert_true(k.s == 35);
    assert_close(k.p, 0.0023575275957954923, 1e-12);
    const double tied[] = {1, 1, 2, 2, 2, 3, 1, 3, 4, 4};
    k = trend(tied, 10, 1);
    assert_true(k.s == 29);
    assert_close(k.p, 0.0092283175340587779, 1e-12);
}

TEST(the_brute_force_count_agrees)
{
    double x[50];
    for (int i = 0; i < 50; i++) x[i] = (double)((i * 37 + i * i * 11) % 17);
    double s = 0;
    for (int i = 0; i < 50; i++) {
        for (int j = i + 1; j < 50; j++) s += (x[j] > x[i]) - (x[j] < x[i]);
    }
    assert_true(trend(x, 50, 1).s == s);
}

TEST(inflation_weakens_and_constants_say_nothing)
{
    const double up[] = {1, 2, 3, 4, 5, 6};
    assert_true(trend(up, 6, 1).tau == 1);
    assert_true(trend(up, 6, 4).p > trend(up, 6, 1).p);
    const double equal[] = {3, 3, 3, 3, 3};
    assert_true(trend(equal, 5, 1).p == 1 && trend(equal, 5, 1).tau == 0);
    assert_true(trend(up, 1, 1).p == 1);
    assert_true(trend(up, 0, 1).p == 1);
}

TEST_MAIN(T(r_agrees_with_and_without_ties), T(the_brute_force_count_agrees),
          T(inflation_weakens_and_constants_say_nothing))
