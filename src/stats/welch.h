/* welch.h - do two means differ? Welch's t (1947), unequal variances.
 *
 * t = (mean_x - mean_y) / sqrt(v_x / m + v_y / n) with Satterthwaite's degrees
 * of freedom. Good for means of not too skewed values; for latencies use it on
 * logarithms, or look at ranks. */
#ifndef STATS_WELCH_H
#define STATS_WELCH_H

#include "stats/moments.h"

struct welch {
    double t;
    double
        df; /* NaN without variance: p is then 1 for equal means, else 0, and proves nothing */
    double p; /* two-sided */
};

/* All NaN below two values a side. */
struct welch welch_test(const struct moments *x, const struct moments *y);

#endif
