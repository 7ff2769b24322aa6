/* power.h - the smallest effect that so many values could have shown, and how
 * many values an effect needs. Normal theory; stated with every verdict, so
 * that "no difference found" is never read as "no difference".
 *
 *     effect = (z_{1 - alpha/2} + z_{power}) sigma sqrt(2 / n)
 *
 * for two arms of n each. For pairs sqrt(2 (1 - r) / n) stands for sqrt(2 / n);
 * a rank test knows 95.5 % (3 / pi) as much as a t test on normal noise; values
 * with memory count as the effective n that stats/autocorr.h gives. */
#ifndef STATS_POWER_H
#define STATS_POWER_H

#include "base/invariant.h"

struct power {
    double alpha;       /* two-sided; 0: 0.05 */
    double power;       /* 0: 0.8 */
    double sigma;       /* standard deviation of one value; effects have its unit */
    bool is_rank_test;  /* Mann-Whitney or signed rank */
    bool is_paired;     /* then n counts pairs */
    double correlation; /* of the pairs */
};

double power_effect(const struct power *p, double n); /* NaN for n <= 0 */

/* Values per arm (or pairs), not rounded; infinite for an effect of 0. */
double power_needed(const struct power *p, double effect);

/* The same by Student's quantiles, rounded up: what to plan with. */
double power_needed_student(const struct power *p, double effect);

/* Noise floor: one-way analysis of variance over sessions that measured the
 * same thing. values are session by session; ends are exclusive. NaN where a
 * variance has no degrees of freedom; between is 0 if it came out negative. */
struct power_noise {
    double mean;
    double sd_within;  /* of the values of a session */
    double sd_between; /* of the sessions' true means */
};
struct power_noise power_noise(const double *values, const size_t *ends, size_t sessions);

#endif
