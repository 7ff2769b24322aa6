#include "stats/outlier.h"

#include "stats/quantile.h"

#include <math.h>

#define MEAN_DISTANCE_TO_SIGMA 1.2533 /* sqrt(pi / 2) */

static double mean_distance(const double *values, size_t n, double centre)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += fabs(values[i] - centre) / (double)n;
    return sum;
}

struct outlier_fence outlier_fence(struct arena scratch, const double *values, size_t n,
                                   double k)
{
    struct outlier_fence fence = {-(double)INFINITY, (double)INFINITY, 0, OUTLIER_SCALE_NONE};
    size_t kept = 0;
    const double *sorted = stats_sort(&scratch, values, n, &kept);
    if (kept == 0 || sorted[0] == sorted[kept - 1]) return fence;

    double median = quantile_median(sorted, kept);
    fence.scale = OUTLIER_SCALE_MAD;
    fence.sigma = MAD_TO_SIGMA * quantile_mad(scratch, sorted, kept);
    if (fence.sigma == 0) {
        fence.scale = OUTLIER_SCALE_MEAN_DISTANCE;
        fence.sigma = MEAN_DISTANCE_TO_SIGMA * mean_distance(sorted, kept, median);
    }
    fence.low = median - k * fence.sigma;
    fence.high = median + k * fence.sigma;
    return fence;
}

size_t outlier_count(const struct outlier_fence *fence, const double *values, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += outlier_is(fence, values[i]);
    return count;
}
