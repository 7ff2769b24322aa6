/* moments.h - count, mean and variance of a stream, in one pass.
 *
 * Welford's update (1962): the sum-of-squares form loses its digits when the
 * spread is small compared with the mean, as it is for nanosecond stamps. Of values that
 * are all there (moments_of) it is two passes with the correction of Chan, Golub
 * and LeVeque (1983), which keeps the digits that Welford's loses at large offsets
 * (a spread of 0.1 at 1e15: 9 %). Squares are long doubles, whose range is the square of
 * the doubles' and more: the spread of values of 1e300 or 1e-300 is as good as any.
 *
 * A value type; {0} is empty. Give it finite values: one NaN makes all NaN. */
#ifndef STATS_MOMENTS_H
#define STATS_MOMENTS_H

#include "base/invariant.h"

struct moments {
    int64_t count;
    double mean;
    long double m2; /* sum of squared distances from the mean */
};

void moments_add(struct moments *m, double value);
struct moments moments_of(const double *values, size_t n);

/* Sample variance (divisor n - 1) and its root. NaN below two values: there is
 * no honest number, and 0 would read as "no noise". */
long double moments_variance(const struct moments *m);
double moments_sd(const struct moments *m);

#endif
