/* Four tests, because each is blind where another sees:
 *
 *   Student's t, pooled    normal noise, and short stretches
 *   Mann-Whitney's z       outliers, skewed noise
 *   Kolmogorov-Smirnov     a change of some of the values only
 *   Wald-Wolfowitz runs    two tight modes: a step moves the lower mode into the
 *                          gap between the old ones, so that levels overlap and
 *                          values do not
 *
 * The smallest p is doubled: the tests agree so much that twice is enough (made
 * noise in tests/stats/change_test.c). All of them take the points for
 * independent, which those of a benchmark are not: z, D and t are those of the
 * effective sample size f n. f is the smaller of (1 - rho) / (1 + rho), with rho
 * the lag-1 autocorrelation of the residuals, winsorised at 3 sigma, its bias
 * added back, within [0, 0.9]; and of 1 / (1 + 2 sum w_k rho_k) over LAGS lags, w
 * falling to 0 (Bartlett's window, Newey and West 1987), since memory under white
 * noise hides from lag 1 alone.
 *
 * Degrees of freedom shrink less: n values of AR(1) noise tell the variance as
 * (1 - rho^2) / (1 + rho^2) n independent ones would. But rho is itself an
 * estimate from the same few values, hence the geometric mean of that and f. */
#include "stats/change_evidence.h"

#include "stats/autocorr.h"
#include "stats/dist.h"
#include "stats/moments.h"
#include "stats/quantile.h"

#include <math.h>
#include <string.h>

enum { LAGS = 5 }; /* of memory looked at: more cost power on white noise */

/* ---- memory ---- */

/* 1 + 2 sum w_k rho_k over the first lags. A mean per segment was taken out,
 * which lowers every rho by about 1 / n. */
static double bartlett_inflation(const double *rest, size_t n, size_t segments)
{
    struct moments m = moments_of(rest, n);
    double sum = 0;
    for (size_t k = 1; k <= LAGS && k < n && m.m2 > 0; k++) {
        long double products = 0;
        for (size_t i = 0; i + k < n; i++)
            products += (long double)(rest[i] - m.mean) * (rest[i + k] - m.mean);
        double rho = (double)(products / m.m2) + (double)segments / (double)n;
        sum += rho * (1 - (double)k / (LAGS + 1));
    }
    return fmax(1, 1 + 2 * sum);
}

struct change_memory change_memory_of(const double *y, size_t n, const size_t *splits,
                                      size_t count, struct arena scratch)
{
    double *rest = arena_new(&scratch, double, n);
    double *away = arena_new(&scratch, double, n);
    for (size_t i = 0, start = 0; i <= count; i++) {
        size_t end = i < count ? splits[i] : n;
        double level = stats_median(scratch, y + start, end - start);
        for (size_t j = start; j < end; j++) {
            rest[j] = y[j] - level;
            away[j] = fabs(rest[j]);
        }
        start = end;
    }
    double limit = 3 * MAD_TO_SIGMA * stats_median(scratch, away, n);
    for (size_t j = 0; limit > 0 && j < n; j++) rest[j] = fmax(-limit, fmin(limit, rest[j]));
    double rho = autocorr_lag1(rest, n);
    rho += (1 + 3 * rho) * (double)(count + 1) / (double)n; /* a mean per segment */
    rho = fmax(0, fmin(0.9, rho));
    double share = fmin((1 - rho) / (1 + rho), 1 / bartlett_inflation(rest, n, count + 1));
    double of_variance = (1 - rho * rho) / (1 + rho * rho);
    return (struct change_memory){share, sqrt(share * of_variance)};
}

/* ---- tests ---- */

struct sides {
    const double *x;
    size_t m;
    const double *y;
    size_t n;
};

static double student_p(const struct sides *s, struct change_memory memory)
{
    struct moments a = moments_of(s->x, s->m);
    struct moments b = moments_of(s->y, s->n);
    double size = (double)(s->m + s->n);
    long double variance = (a.m2 + b.m2) / (size - 2);
    double m_eff = fmax(2, memory.share * (double)s->m);
    double n_eff = fmax(2, memory.share * (double)s->n);
    double se = (double)sqrtl(variance * (1 / m_eff + 1 / n_eff));
    if (se <= 0) return a.mean == b.mean ? 1 : 0;
    return dist_t_two_sided((a.mean - b.mean) / se, fmax(2, memory.df_share * size - 2));
}

/* How many of sorted[0..n) lie below x, those equal to it counting half. */
static double midcount(const double *sorted, size_t n, double x)
{
    size_t low = 0;
    for (size_t high = n; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    size_t equal = 0;
    while (low + equal < n && sorted[low + equal] == x) equal++;
    return (double)low + (double)equal / 2;
}

double *change_midranks(const double *y, size_t n, struct arena *out)
{
    double *rank = arena_new(out, double, n);
    struct arena scratch = *out;
    const double *sorted = stats_sort(&scratch, y, n, &n);
    for (size_t i = 0; i < n; i++) rank[i] = midcount(sorted, n, y[i]);
    return rank;
}

/* Normal approximation without tie correction (which would only widen z):
 * exact p do not exist at a fractional sample size. */
static double mann_whitney_p(const struct sides *sorted, double share)
{
    double u = 0;
    for (size_t i = 0; i < sorted->m; i++) u += midcount(sorted->y, sorted->n, sorted->x[i]);
    double pairs = (double)sorted->m * (double)sorted->n;
    double sd = sqrt(pairs * (double)(sorted->m + sorted->n + 1) / 12);
    double z = (fabs(u - pairs / 2) - 0.5) / sd * sqrt(share);
    return fmin(1, 2 * dist_normal_upper(z));
}

/* The first term of Kolmogorov's series, which is never too small. */
static double smirnov_p(const struct sides *sorted, double share)
{
    double m = (double)sorted->m;
    double n = (double)sorted->n;
    double d = 0;
    for (size_t i = 0, j = 0; i < sorted->m && j < sorted->n;) {
        double value = fmin(sorted->x[i], sorted->y[j]);
        while (i < sorted->m && sorted->x[i] == value) i++;
        while (j < sorted->n && sorted->y[j] == value) j++;
        d = fmax(d, fabs((double)i / m - (double)j / n));
    }
    return fmin(1, 2 * exp(-2 * share * m * n / (m + n) * d * d));
}

static double runs_p(const struct change_stretch *stretch, size_t at, double share,
                     struct arena scratch)
{
    struct change_stretch one = *stretch;
    one.first = one.last = at;
    return dist_normal_upper(change_search_runs(&one, scratch).statistic * sqrt(share));
}

/* Both parts, each in ascending order. */
static struct sides sort_sides(const struct change_stretch *stretch, size_t at,
                               struct arena *out)
{
    double *sorted = arena_new(out, double, stretch->n);
    size_t left = 0;
    size_t right = at;
    for (size_t k = 0; k < stretch->n; k++) {
        size_t i = stretch->order[k];
        sorted[i < at ? left++ : right++] = stretch->y[i];
    }
    return (struct sides){sorted, at, sorted + at, stretch->n - at};
}

double change_evidence_p(const struct change_stretch *stretch, size_t at,
                         struct change_memory memory, struct arena scratch)
{
    struct sides sides = {stretch->y, at, stretch->y + at, stretch->n - at};
    struct sides sorted = sort_sides(stretch, at, &scratch);
    double p = student_p(&sides, memory);
    p = fmin(p, mann_whitney_p(&sorted, memory.share));
    p = fmin(p, smirnov_p(&sorted, memory.share));
    p = fmin(p, runs_p(stretch, at, memory.share, scratch));
    return fmin(1, 2 * p);
}
