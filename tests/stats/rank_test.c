#include "stats/rank.h"

#include "tests/test.h"

static const double x3[] = {210.052110, 110.190630, 307.918612};
static const double y13[] = {436.08811482466416, 416.37397329768191, 179.96975939463582,
                             197.8118754228619,  34.038757281225756, 138.54220550921517,
                             128.7769351470246,  265.92721427951852, 275.6617533155341,
                             592.34083395416258, 448.73177590617018, 300.61495185038905,
                             187.97508449019588};

static struct rank_test u_test(const double *x, size_t m, const double *y, size_t n,
                               enum rank_side side, enum rank_method method)
{
    struct arena a = arena_open();
    struct rank_test t = rank_mann_whitney(a, x, m, y, n, side, method);
    arena_close(&a);
    return t;
}

static struct rank_test v_test(const double *d, size_t n, enum rank_side side)
{
    struct arena a = arena_open();
    struct rank_test t = rank_signed(a, d, n, side, RANK_AUTO);
    arena_close(&a);
    return t;
}

TEST(mann_whitney_of_r_and_scipy)
{
    struct rank_test t = u_test(x3, 3, y13, 13, RANK_TWO_SIDED, RANK_NORMAL);
    assert_true(t.statistic == 16);
    assert_close(t.p, 0.6865041817876, 1e-12);
    assert_close(u_test(x3, 3, y13, 13, RANK_LESS, RANK_NORMAL).p, 0.3432520908938, 1e-12);
    assert_close(u_test(x3, 3, y13, 13, RANK_GREATER, RANK_NORMAL).p, 0.7047591913255, 1e-12);
    t = u_test(x3, 3, y13, 13, RANK_TWO_SIDED, RANK_AUTO);
    assert_int_equal(t.method, RANK_EXACT);
    assert_close(t.p, 0.7035714285714, 1e-12);
    assert_close(u_test(x3, 3, y13, 13, RANK_LESS, RANK_AUTO).p, 0.3517857142857, 1e-12);
    assert_close(u_test(x3, 3, y13, 13, RANK_GREATER, RANK_AUTO).p, 0.6946428571429, 1e-12);
}

TEST(mann_whitney_with_ties)
{
    const double x[] = {1, 2, 3, 4};
    double y[] = {1, 2, 3, 4, 5};
    struct rank_test t = u_test(x, 4, y, 5, RANK_TWO_SIDED, RANK_AUTO);
    assert_int_equal(t.method, RANK_NORMAL);
    assert_true(t.statistic == 8);
    assert_close(t.p, 0.7086240584439, 1e-12);
    for (int i = 0; i < 5; i++) y[i] -= 0.01;
    t = u_test(x, 4, y, 5, RANK_TWO_SIDED, RANK_NORMAL);
    assert_true(t.statistic == 10 && t.p == 1);
    for (int i = 0; i < 5; i++) y[i] += 0.02;
    t = u_test(x, 4, y, 5, RANK_TWO_SIDED, RANK_NORMAL);
    assert_true(t.statistic == 6);
    assert_close(t.p, 0.3912672792826, 1e-12);
    const double low[] = {0.9, 1.1, 0.7};
    assert_close(u_test(x, 4, low, 3, RANK_TWO_SIDED, RANK_AUTO).p, 0.114285714, 1e-8);
}

TEST(mann_whitney_of_separate_samples)
{
    double low[10];
    double high[10];
    for (int i = 0; i < 10; i++) {
        low[i] = i;
        high[i] = 20 + i;
    }
    assert_close(u_test(low, 10, high, 10, RANK_TWO_SIDED, RANK_NORMAL).p, 1.8267179110955e-4,
                 1e-14);
    const double zeros[] = {0, 0, 0, 0, 0};
    const double ones[] = {1, 1, 1, 1, 1};
    assert_close(u_test(zeros, 5, ones, 5, RANK_TWO_SIDED, RANK_AUTO).p, 3.9767517097887e-3,
                 1e-13);
    assert_true(u_test(zeros, 5, zeros, 5, RANK_TWO_SIDED, RANK_AUTO).p == 1);
    assert_true(u_test(zeros, 5, NULL, 0, RANK_TWO_SIDED, RANK_AUTO).p == 1);
}

/* R: wilcox.test on the depression scores of its own help page. */
TEST(signed_rank_of_r)
{
    const double x[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
    const double y[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
    double d[9];
    for (int i = 0; i < 9; i++) d[i] = x[i] - y[i];
    struct rank_test t = v_test(d, 9, RANK_TWO_SIDED);
    assert_int_equal(t.method, RANK_EXACT);
    assert_true(t.statistic == 40);
    assert_close(t.p, 0.0390625, 1e-14);
    assert_close(v_test(d, 9, RANK_GREATER).p, 0.01953125, 1e-14);

    const double zeros_and_ties[] = {1, 2, 0, -1, 3, 2, 2, -3, 4};
    t = v_test(zeros_and_ties, 9, RANK_TWO_SIDED);
    assert_int_equal(t.method, RANK_NORMAL);
    assert_int_equal(t.n, 8);
    assert_true(t.statistic == 28);
    assert_close(t.p, 0.18019441523163582, 1e-13);
}

TEST(nothing_to_rank_tells_nothing)
{
    const double zeros[] = {0, 0};
    assert_true(v_test(zeros, 2, RANK_TWO_SIDED).p == 1);
    assert_true(v_test(NULL, 0, RANK_TWO_SIDED).p == 1);
}

/* Every split of small groups, counted one by one. */
TEST(counts_of_u_by_brute_force)
{
    struct arena a = arena_open();
    for (size_t m = 1; m <= 5; m++) {
        for (size_t n = 1; n <= 5; n++) {
            double count[26] = {0};
            double total = 0;
            for (unsigned mask = 0; mask < 1u << (m + n); mask++) {
                if ((size_t)__builtin_popcount(mask) != m) continue;
                size_t u = 0;
                for (size_t i = 0; i < m + n; i++) {
                    if (!(mask >> i & 1)) continue;
                    for (size_t j = 0; j < i; j++) u += !(mask >> j & 1);
                }
                count[u]++;
                total++;
            }
            const double *cdf = rank_u_cdf(&a, m, n);
            double sum = 0;
            for (size_t u = 0; u <= m * n; u++) {
                sum += count[u];
                assert_close(cdf[u], sum / total, 1e-15);
            }
        }
    }
    arena_close(&a);
}

/* R: pwilcox(c(600, 900, 1200), 49, 49), pwilcox(300, 7, 120), psignrank(400, 49) */
TEST(large_counts_keep_their_digits)
{
    struct arena a = arena_open();
    const double *u = rank_u_cdf(&a, 49, 49);
    assert_close(u[600] / 6.0817706871531859e-06, 1, 1e-12);
    assert_close(u[900] / 0.016308863525874184, 1, 1e-12);
    assert_close(u[1200] / 0.49999999999999767, 1, 1e-12);
    assert_close(rank_u_cdf(&a, 7, 120)[300] / 0.10584286711784235, 1, 1e-12);
    assert_close(rank_v_cdf(&a, 49)[400] / 0.017063075357777183, 1, 1e-12);
    arena_close(&a);
}

TEST(midranks_share)
{
    struct arena a = arena_open();
    const double x[] = {3, 1, 3, 2, 3};
    double ranks[5];
    assert_true(rank_midranks(a, x, 5, ranks) == 24);
    assert_true(ranks[0] == 4 && ranks[1] == 1 && ranks[2] == 4 && ranks[3] == 2);
    arena_close(&a);
}

TEST_MAIN(T(mann_whitney_of_r_and_scipy), T(mann_whitney_with_ties),
          T(mann_whitney_of_separate_samples), T(signed_rank_of_r),
          T(nothing_to_rank_tells_nothing), T(counts_of_u_by_brute_force),
          T(large_counts_keep_their_digits), T(midranks_share))
