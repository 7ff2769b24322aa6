/* bootstrap.h - how far would a statistic move, had other cases been drawn?
 *
 * Resamples the cases with replacement, seeded. The statistic is the mean of their values,
 * the ratio of two totals over the same cases, or a function of how often each is drawn.
 *
 * Percentile intervals work from a few values on, and are too short then. BCa
 * (Efron 1987) corrects bias and skew; it is refused below 30 cases, where its
 * corrections are noise themselves. Formulas: docs/method.md. */
#ifndef STATS_BOOTSTRAP_H
#define STATS_BOOTSTRAP_H

#include "base/arena.h"
#include "base/error.h"

enum { BOOTSTRAP_BCA_LEAST = 30, BOOTSTRAP_RESAMPLES = 10000 };

enum bootstrap_method { BOOTSTRAP_PERCENTILE, BOOTSTRAP_BCA };

/* Of a resample with counts[i] copies of case i. */
typedef double bootstrap_function(const uint32_t *counts, const void *context);

struct bootstrap_plan {
    size_t n;
    const double *values;         /* finite; not read if there is a function */
    const double *over;           /* NULL, or the values that theirs are divided by, in total */
    bootstrap_function *function; /* NULL: the mean, or the ratio */
    const void *context;          /* of the function */
    enum bootstrap_method method;
    double confidence; /* 0: 0.95 */
    size_t resamples;  /* 0: BOOTSTRAP_RESAMPLES */
    uint64_t seed;
    bool counts_undefined; /* a resample without the statistic counts as +infinity */
};

struct bootstrap_interval {
    double estimate;
    double low;
    double high;
    double se;                    /* standard deviation of the resampled statistics */
    enum bootstrap_method method; /* percentile if BCa cannot correct the statistics */
    double z0;                    /* bias correction, BCa only */
    double acceleration;          /* skew correction, BCa only */
    size_t undefined; /* resamples that counted as +infinity; high may be no number then */
};

/* The quantiles are widened for small n (Hesterberg 2015). Fails below 2 cases, for BCa
 * below BOOTSTRAP_BCA_LEAST, and if the statistic is not finite on the data. */
MUST_USE bool bootstrap_interval(const struct bootstrap_plan *plan, struct arena scratch,
                                 struct bootstrap_interval *out, struct error *err);

#endif
