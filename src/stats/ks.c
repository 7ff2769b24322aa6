#include "stats/ks.h"

#include "stats/dist.h"
#include "stats/quantile.h"

#include <math.h>

/* A walk through both ascending samples. `ends[i]` (i = 1..m+n) says that the
 * pooled value i differs from the next, so that the functions may be compared
 * there. Returns the largest |i n - j m|: D in exact integers. */
static int64_t largest_gap(const double *x, size_t m, const double *y, size_t n, bool *ends)
{
    int64_t largest = 0;
    size_t i = 0;
    size_t j = 0;
    while (i < m || j < n) {
        double value = j == n || (i < m && x[i] <= y[j]) ? x[i] : y[j];
        while (i < m && x[i] == value) i++;
        while (j < n && y[j] == value) j++;
        ends[i + j] = true;
        int64_t gap = (int64_t)(i * n) - (int64_t)(j * m);
        gap = gap < 0 ? -gap : gap;
        largest = gap > largest ? gap : largest;
    }
    return largest;
}

/* P(D >= gap / (m n)) over all orders of the pooled sample. reach[j] is the
 * probability that a path to (i, j) has met a gap that large at a place where
 * one may look; each step weighs the two ways of arriving. */
static double exact_p(struct arena scratch, size_t m, size_t n, int64_t gap, const bool *ends)
{
    double *reach = arena_new(&scratch, double, n + 1);
    for (size_t i = 0; i <= m; i++) {
        for (size_t j = 0; j <= n; j++) {
            int64_t here = (int64_t)(i * n) - (int64_t)(j * m);
            bool is_met = ends[i + j] && (here >= gap || -here >= gap);
            double from_x = i > 0 ? reach[j] : 0;
            double from_y = j > 0 ? reach[j - 1] : 0;
            double steps = i + j > 0 ? (double)(i + j) : 1;
            reach[j] = is_met ? 1 : ((double)i * from_x + (double)j * from_y) / steps;
        }
    }
    return reach[n];
}

/* P(K > x) for Kolmogorov's limit: his alternating series for large x, and for
 * small x the first term of the theta-transformed one, where R stops too. */
static double limit_p(double x)
{
    if (x <= 0) return 1;
    if (x < 1) return 1 - sqrt(2 * M_PI) / x * exp(-M_PI * M_PI / (8 * x * x));
    double sum = 0;
    for (int k = 1; k <= 5; k++) sum += (k % 2 ? 2 : -2) * exp(-2.0 * k * k * x * x);
    return sum;
}

struct ks ks_test(struct arena scratch, const double *x, size_t m, const double *y, size_t n)
{
    const double *xs = stats_sort(&scratch, x, m, &m);
    const double *ys = stats_sort(&scratch, y, n, &n);
    if (m == 0 || n == 0) return (struct ks){(double)NAN, 1, false};
    bool *ends = arena_new(&scratch, bool, m + n + 1);
    int64_t gap = largest_gap(xs, m, ys, n, ends);
    double d = (double)gap / ((double)m * (double)n);
    if (m * n < KS_EXACT_BELOW) {
        return (struct ks){d, dist_told(exact_p(scratch, m, n, gap, ends)), true};
    }
    double size = (double)m * (double)n / (double)(m + n);
    return (struct ks){d, fmin(1, dist_told(limit_p(sqrt(size) * d))), false};
}
