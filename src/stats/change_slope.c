/* Theil's slope (1950): the median of the slopes of all pairs of points, here
 * only of pairs with no step between them, so that steps do not make a slope.
 * Its p is Kendall's S, its interval Sen's (1968), which are the slopes at the
 * ranks (N -+ z sd(S)) / 2; both add up over the segments, which are independent.
 * The variance of S is widened by 1 / share.
 *
 * Pairs grow with the square of n. Beyond PAIRS of them only every so-many-th point
 * begins one; the ranks are then those shares of the slopes that are there. */
#include "stats/change_slope.h"

#include "stats/dist.h"
#include "stats/kendall.h"
#include "stats/quantile.h"

#include <math.h>

enum { PAIRS = 10000 };

struct sums {
    double s;
    double variance;
    double pairs;
};

static size_t segment_slopes(const double *y, size_t start, size_t end, size_t stride,
                             double *slopes)
{
    size_t count = 0;
    for (size_t i = start; i < end; i += stride) {
        for (size_t j = i + 1; j < end; j++) slopes[count++] = (y[j] - y[i]) / (double)(j - i);
    }
    return count;
}

static void add_segment(struct sums *sums, const double *y, size_t n, struct arena scratch)
{
    double size = (double)n;
    sums->s += kendall_trend(scratch, y, n, 1).s;
    sums->variance += size * (size - 1) * (2 * size + 5) / 18;
    sums->pairs += size * (size - 1) / 2;
}

struct change_slope change_slope_of(const double *y, size_t n, const size_t *splits,
                                    size_t count, double share, struct arena scratch)
{
    size_t stride = 1 + n * n / 2 / PAIRS;
    double *slopes = arena_new(&scratch, double, n *(n / (2 * stride) + 2) + n);
    struct sums sums = {0, 0, 0};
    size_t slope_count = 0;
    for (size_t i = 0, start = 0; i <= count; i++) {
        size_t end = i < count ? splits[i] : n;
        slope_count += segment_slopes(y, start, end, stride, slopes + slope_count);
        add_segment(&sums, y + start, end - start, scratch);
        start = end;
    }
    if (slope_count == 0) return (struct change_slope){0, 0, 0, 1};
    stats_sort_inplace(slopes, slope_count);
    double sd = sqrt(sums.variance / share);
    double half = dist_normal_quantile(0.975) * sd / sums.pairs / 2;
    double z = fmax(0, fabs(sums.s) - 1) / sd;
    return (struct change_slope){
        .estimate = quantile_median(slopes, slope_count),
        .low = quantile_of(slopes, slope_count, fmax(0, 0.5 - half)),
        .high = quantile_of(slopes, slope_count, fmin(1, 0.5 + half)),
        .p = fmin(1, dist_told(2 * dist_normal_upper(z))),
    };
}
