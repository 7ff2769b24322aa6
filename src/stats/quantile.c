#include "stats/quantile.h"

#include <math.h>

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

void stats_sort_inplace(double *values, size_t n)
{
    if (n > 1) qsort(values, n, sizeof *values, compare_reals);
}

double *stats_sort(struct arena *out, const double *values, size_t n, size_t *kept)
{
    double *sorted = arena_new(out, double, n ? n : 1);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isnan(values[i])) sorted[count++] = values[i];
    }
    stats_sort_inplace(sorted, count);
    *kept = count;
    return sorted;
}

double stats_median(struct arena scratch, const double *values, size_t n)
{
    size_t kept = 0;
    const double *sorted = stats_sort(&scratch, values, n, &kept);
    return quantile_median(sorted, kept);
}

double quantile_of(const double *sorted, size_t n, double q)
{
    CHECK(q >= 0 && q <= 1);
    if (n == 0) return (double)NAN;
    double h = (double)(n - 1) * q;
    size_t below = (size_t)h;
    if (below + 1 >= n) return sorted[n - 1];
    double low = sorted[below];
    double high = sorted[below + 1];
    double part = h - (double)below;
    /* Equal neighbours first: inf - inf would be NaN. The two products rather
     * than low + part * (high - low), whose difference overflows for 1e308. */
    if (low == high || part == 0) return low;
    return (1 - part) * low + part * high;
}

double quantile_median(const double *sorted, size_t n)
{
    if (n == 0) return (double)NAN;
    double low = sorted[(n - 1) / 2];
    double high = sorted[n / 2];
    return low == high ? low : low / 2 + high / 2;
}

double quantile_mad(struct arena scratch, const double *sorted, size_t n)
{
    if (n == 0) return (double)NAN;
    double median = quantile_median(sorted, n);
    double *distance = arena_new(&scratch, double, n);
    for (size_t i = 0; i < n; i++) {
        distance[i] = sorted[i] == median ? 0 : fabs(sorted[i] - median);
    }
    stats_sort_inplace(distance, n);
    return quantile_median(distance, n);
}
