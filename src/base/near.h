/* near.h - the one epsilon of scores, limits and tolerances.
 *
 * What people write in tenths is not exact in binary: 0.3 + 0.6 + 0.1 is
 * 0.9999999999999999 and 0.4 - 0.3 is more than 0.1. A limit is therefore met by
 * whatever misses it by less than a billionth of itself. Every `pass_at`,
 * `at_least`, `threshold` and `tolerance` goes through here; nothing else may
 * compare a score with a limit. */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#define NEAR_EPSILON 1e-9

/* value >= limit. */
static inline bool near_reaches(double value, double limit)
{
    return value >= limit - NEAR_EPSILON * fabs(limit);
}

/* |a - b| <= tolerance, and what rounding adds to the difference of two large
 * numbers. A tolerance of 0 means equal. */
static inline bool near_within(double a, double b, double tolerance)
{
    if (!(tolerance > 0)) return a == b;
    double rounding = 2 * DBL_EPSILON * fmax(fabs(a), fabs(b));
    return fabs(a - b) <= tolerance * (1 + NEAR_EPSILON) + rounding;
}

/* A share of 1: exactly 0 or 1 where it is that near. NaN stays. */
static inline double near_share(double share)
{
    if (fabs(share - 1) <= NEAR_EPSILON) return 1;
    return fabs(share) <= NEAR_EPSILON ? 0 : share;
}

#endif
