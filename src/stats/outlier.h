/* outlier.h - values that lie far from the rest: reported, never dropped.
 *
 * A value is an outlier when it is further than k robust standard deviations
 * from the median. The deviation is 1.4826 MAD; where more than half of the
 * values are equal the MAD is 0 and 1.2533 times the mean distance from the
 * median takes its place (Iglewicz and Hoaglin 1993). Both factors are those
 * that estimate sigma of a normal sample. k = 3.5 is their advice; hyperfine
 * uses 10. Skewed samples have more of them without anything being wrong. */
#ifndef STATS_OUTLIER_H
#define STATS_OUTLIER_H

#include "base/arena.h"

#define OUTLIER_K           3.5
#define OUTLIER_K_HYPERFINE 10.0

enum outlier_scale {
    OUTLIER_SCALE_MAD,
    OUTLIER_SCALE_MEAN_DISTANCE, /* the MAD was 0 */
    OUTLIER_SCALE_NONE,          /* all values equal, or none: nothing is outside */
};

struct outlier_fence {
    double low;
    double high;
    double sigma;
    enum outlier_scale scale;
};

/* NaNs are left out. */
struct outlier_fence outlier_fence(struct arena scratch, const double *values, size_t n,
                                   double k);

static inline bool outlier_is(const struct outlier_fence *fence, double value)
{
    return value < fence->low || value > fence->high;
}

size_t outlier_count(const struct outlier_fence *fence, const double *values, size_t n);

#endif
