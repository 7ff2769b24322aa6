/* cliff.h - how often one sample beats the other: Cliff's delta (1993).
 *
 * delta = (#{x > y} - #{x < y}) / (m n), from -1 to 1; 2 U / (m n) - 1. The
 * labels are those of Romano et al. (2006): below 0.147 negligible, 0.33 small,
 * 0.474 medium, else large. The interval is Cliff's (1996) from the consistent
 * variance, in the asymmetric form that stays inside [-1, 1]; where the samples
 * do not overlap at all, that variance is 0 and the inner end is (k - z^2) / (k
 * + z^2), k the smaller size (Feng 2007). It needs 2 values on each side, and
 * is rough below 10. */
#ifndef STATS_CLIFF_H
#define STATS_CLIFF_H

#include "base/arena.h"

struct cliff {
    double delta;
    double low; /* NaN below 2 values a side */
    double high;
    const char *label; /* "negligible", "small", "medium", "large" */
};

/* Input without NaN; delta is NaN when a side is empty. */
struct cliff cliff_delta(struct arena scratch, const double *x, size_t m, const double *y,
                         size_t n, double alpha);

#endif
