/* Exact null distributions are counted as coefficients of polynomials, one half of them, as
 * they are symmetric: O(m n min(m, n)) for U, O(n^3) for V, in doubles. Beyond the sizes of R's
 * wilcox.test, and with ties, the normal approximation takes over as there. */
#include "stats/rank.h"

#include "stats/dist.h"

#include <math.h>

struct ranked {
    double value;
    size_t index;
};

static int compare_ranked(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->value;
    double y = ((const struct ranked *)b)->value;
    return (x > y) - (x < y);
}

double rank_midranks(struct arena scratch, const double *values, size_t n, double *ranks)
{
    if (n == 0) return 0;
    struct ranked *order = arena_new(&scratch, struct ranked, n);
    for (size_t i = 0; i < n; i++) order[i] = (struct ranked){values[i], i};
    qsort(order, n, sizeof *order, compare_ranked);

    double ties = 0;
    for (size_t i = 0, end = 0; i < n; i = end) {
        for (end = i + 1; end < n && order[end].value == order[i].value;) end++;
        double t = (double)(end - i);
        double shared = (double)(i + 1 + end) / 2;
        for (size_t j = i; j < end; j++) ranks[order[j].index] = shared;
        ties += t * t * t - t;
    }
    return ties;
}

/* Counts of the lower half of a symmetric distribution on 0..top -> P(S <= s). */
static const double *cdf_of_half(struct arena *out, const double *counts, size_t top,
                                 double total)
{
    CHECK(isfinite(total));
    double *cdf = arena_new(out, double, top + 1);
    double sum = 0;
    for (size_t s = 0; s <= top / 2; s++) {
        sum += counts[s];
        cdf[s] = (double)(sum / total);
    }
    for (size_t s = top / 2 + 1; s < top; s++) cdf[s] = 1 - cdf[top - s - 1];
    cdf[top] = 1;
    return cdf;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The counts are the coefficients of the Gaussian binomial, built by
 * multiplying by (1 - q^(n+i)) and dividing by (1 - q^i), i = 1..m (Knuth 4A,
 * 7.2.1.4). Both are one pass, and no coefficient needs a higher one, so half of
 * them will do. Doubles keep 2e-15 up to 125 by 125, against 64-bit mantissas. */
const double *rank_u_cdf(struct arena *out, size_t m, size_t n)
{
    if (m > n) return rank_u_cdf(out, n, m);
    size_t top = m * n;
    double *counts = arena_new(out, double, top / 2 + 1);
    double total = 1;
    counts[0] = 1;
    for (size_t i = 1; i <= m; i++) {
        size_t used = least(top / 2, i * n); /* the degree so far */
        for (size_t u = used; u >= n + i; u--) counts[u] -= counts[u - n - i];
        for (size_t u = i; u <= used; u++) counts[u] += counts[u - i];
        total = total * (double)(n + i) / (double)i;
    }
    return cdf_of_half(out, counts, top, total);
}

/* Subsets of 1..n by their sum. */
const double *rank_v_cdf(struct arena *out, size_t n)
{
    size_t top = n * (n + 1) / 2;
    double *counts = arena_new(out, double, top / 2 + 1);
    double total = 1;
    counts[0] = 1;
    for (size_t i = 1; i <= n; i++) {
        size_t used = least(top / 2, i * (i + 1) / 2);
        for (size_t v = used; v >= i; v--) counts[v] += counts[v - i];
        total *= 2;
    }
    return cdf_of_half(out, counts, top, total);
}

/* From the cdf of a symmetric statistic on 0..top. */
static double exact_p(const double *cdf, double top, double statistic, enum rank_side side)
{
    double below = cdf[(size_t)statistic];
    double above = cdf[(size_t)(top - statistic)]; /* P(S >= s) = P(S <= top - s) */
    if (side == RANK_LESS) return below;
    if (side == RANK_GREATER) return above;
    return fmin(1, 2 * fmin(below, above));
}

static double normal_p(double distance, double variance, enum rank_side side)
{
    if (!(variance > 0)) return 1;
    double sigma = sqrt(variance);
    if (side == RANK_LESS) return dist_normal_cdf((distance + 0.5) / sigma);
    if (side == RANK_GREATER) return dist_normal_upper((distance - 0.5) / sigma);
    return fmin(1, 2 * dist_normal_upper((fabs(distance) - 0.5) / sigma));
}

static enum rank_method choose(enum rank_method asked, bool is_clean, size_t largest)
{
    if (asked == RANK_NORMAL) return RANK_NORMAL;
    /* With ties the counts do not hold, whatever was asked. */
    if (!is_clean) return RANK_NORMAL;
    return asked == RANK_EXACT || largest < RANK_EXACT_BELOW ? RANK_EXACT : RANK_NORMAL;
}

struct rank_test rank_mann_whitney(struct arena scratch, const double *x, size_t m,
                                   const double *y, size_t n, enum rank_side side,
                                   enum rank_method method)
{
    struct rank_test test = {(double)NAN, 1, 0, RANK_NORMAL};
    if (m == 0 || n == 0) return test;
    double *all = arena_new(&scratch, double, m + n);
    double *ranks = arena_new(&scratch, double, m + n);
    memcpy(all, x, m * sizeof *x);
    memcpy(all + m, y, n * sizeof *y);
    double ties = rank_midranks(scratch, all, m + n, ranks);

    double sum = 0;
    for (size_t i = 0; i < m; i++) sum += ranks[i];
    double mx = (double)m;
    double ny = (double)n;
    test.statistic = sum - mx * (mx + 1) / 2;
    test.method = choose(method, ties == 0, m > n ? m : n);
    if (test.method == RANK_EXACT) {
        const double *cdf = rank_u_cdf(&scratch, m, n);
        test.p = dist_told(exact_p(cdf, mx * ny, test.statistic, side));
        return test;
    }
    double all_n = mx + ny;
    double variance = mx * ny / 12 * (all_n + 1 - ties / (all_n * (all_n - 1)));
    test.p = dist_told(normal_p(test.statistic - mx * ny / 2, variance, side));
    return test;
}

struct rank_test rank_signed(struct arena scratch, const double *differences, size_t n,
                             enum rank_side side, enum rank_method method)
{
    struct rank_test test = {0, 1, 0, RANK_NORMAL};
    double *sizes = arena_new(&scratch, double, n ? n : 1);
    double *signs = arena_new(&scratch, double, n ? n : 1);
    for (size_t i = 0; i < n; i++) {
        if (differences[i] == 0) continue;
        sizes[test.n] = fabs(differences[i]);
        signs[test.n++] = differences[i];
    }
    if (test.n == 0) return test;
    double *ranks = arena_new(&scratch, double, test.n);
    double ties = rank_midranks(scratch, sizes, test.n, ranks);
    for (size_t i = 0; i < test.n; i++) test.statistic += signs[i] > 0 ? ranks[i] : 0;

    double used = (double)test.n;
    double top = used * (used + 1) / 2;
    test.method = choose(method, ties == 0 && test.n == n, test.n);
    if (test.method == RANK_EXACT) {
        test.p = dist_told(exact_p(rank_v_cdf(&scratch, test.n), top, test.statistic, side));
        return test;
    }
    double variance = used * (used + 1) * (2 * used + 1) / 24 - ties / 48;
    test.p = dist_told(normal_p(test.statistic - top / 2, variance, side));
    return test;
}

const char *rank_method_name(enum rank_method method)
{
    return method == RANK_EXACT ? "exact" : "normal";
}
