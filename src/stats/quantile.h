/* quantile.h - quantiles of a sample, and what rests on them.
 *
 * The definition is Hyndman and Fan's type 7, the default of R and NumPy:
 * h = (n - 1) q, linear between the values at floor(h) and ceil(h). Functions
 * take ascending arrays without NaN, as stats_sort makes them; on an empty one
 * they answer NaN. */
#ifndef STATS_QUANTILE_H
#define STATS_QUANTILE_H

#include "base/arena.h"

/* An ascending copy of `values` in `out` without the NaNs; *kept is its length. */
double *stats_sort(struct arena *out, const double *values, size_t n, size_t *kept);

/* Sorts in place; no NaN. */
void stats_sort_inplace(double *values, size_t n);

/* The median of values in any order; NaNs are left out. */
double stats_median(struct arena scratch, const double *values, size_t n);

double quantile_of(const double *sorted, size_t n, double q); /* q in [0, 1] */
double quantile_median(const double *sorted, size_t n);

/* Median of the distances from the median, unscaled. Times MAD_TO_SIGMA it
 * estimates the standard deviation of a normal sample. */
#define MAD_TO_SIGMA 1.4826
double quantile_mad(struct arena scratch, const double *sorted, size_t n);

#endif
