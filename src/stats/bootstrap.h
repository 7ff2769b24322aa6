/* bootstrap.h - how far would a statistic move, had other values been drawn?
 *
 * Resamples with replacement, seeded: block k of 64 resamples has the random
 * stream (seed, k), so that the result is the same for any number of threads.
 *
 * What is resampled is the unit of independence:
 *   values      each on its own,
 *   pairs       two samples of the same cases: the same cases for both,
 *   clusters    all values of a case, session or host together, whole,
 *   strata      values within their task only, all tasks kept.
 *
 * Percentile intervals work from a few values on, and are too short then. BCa
 * (Efron 1987) corrects bias and skew; it is refused below 30 units, where its
 * corrections are noise themselves. Formulas: docs/method.md. */
#ifndef STATS_BOOTSTRAP_H
#define STATS_BOOTSTRAP_H

#include "base/arena.h"
#include "base/error.h"

enum { BOOTSTRAP_BCA_LEAST = 30, BOOTSTRAP_RESAMPLES = 10000 };

enum bootstrap_statistic {
    BOOTSTRAP_MEAN,
    BOOTSTRAP_MEDIAN,
    BOOTSTRAP_TRIMMED_MEAN, /* a quarter cut from each end: the interquartile mean */
    BOOTSTRAP_CUSTOM,
};

enum bootstrap_contrast {
    BOOTSTRAP_ONE,        /* of the only sample */
    BOOTSTRAP_DIFFERENCE, /* second less first */
    BOOTSTRAP_RATIO,      /* second over first; paired means: a ratio of totals */
};

enum bootstrap_grouping { BOOTSTRAP_VALUES, BOOTSTRAP_CLUSTERS, BOOTSTRAP_STRATA };

enum bootstrap_method { BOOTSTRAP_PERCENTILE, BOOTSTRAP_BCA };

/* A resample: counts[i] copies of values[i]. */
struct bootstrap_draw {
    const double *values;
    const uint32_t *counts;
    size_t n;
};

/* Must be safe on any thread. */
typedef double bootstrap_function(const struct bootstrap_draw *draw, const void *context);

struct bootstrap_sample {
    const double *values; /* finite; with groups: group by group */
    size_t n;
    const size_t *ends; /* exclusive end of each group; NULL for plain values */
    size_t groups;
};

struct bootstrap_plan {
    struct bootstrap_sample samples[2]; /* the second for a contrast only */
    enum bootstrap_contrast contrast;
    enum bootstrap_grouping grouping;
    bool is_paired; /* both samples have the same n and groups */
    enum bootstrap_statistic statistic;
    bootstrap_function *custom;
    const void *custom_context;
    enum bootstrap_method method;
    double confidence; /* 0: 0.95 */
    size_t resamples;  /* 0: BOOTSTRAP_RESAMPLES */
    uint64_t seed;
    size_t threads;        /* 0: 1 */
    bool counts_undefined; /* a resample without the statistic counts as +infinity */
};

struct bootstrap_interval {
    double estimate;
    double low;
    double high;
    double se; /* standard deviation of the resampled statistics */
    enum bootstrap_method method;
    double z0;           /* bias correction, BCa only */
    double acceleration; /* skew correction, BCa only */
    const char *note;    /* NULL, or why this is not the method asked for */
    size_t undefined;    /* resamples that counted as +infinity; high may be no number then */
};

/* The quantiles are widened for small n (Hesterberg 2015), those of the parts
 * below are not. Fails below 2 units or values in a stratum, for BCa below
 * BOOTSTRAP_BCA_LEAST, for unequal pairs, and if the statistic is not finite on the data. */
MUST_USE bool bootstrap_interval(const struct bootstrap_plan *plan, struct arena scratch,
                                 struct bootstrap_interval *out, struct error *err);

/* The parts of it, for those who have one of them already.
 *
 * resample writes plan->resamples statistics. acceleration is the jackknife's
 * over all units. bca (and percentile) turn given statistics, ascending, into
 * an interval; out->estimate and, for bca, out->acceleration must be set. */
double bootstrap_estimate(const struct bootstrap_plan *plan, struct arena scratch);
void bootstrap_resample(const struct bootstrap_plan *plan, struct arena scratch,
                        double *statistics);
double bootstrap_acceleration(const struct bootstrap_plan *plan, struct arena scratch);
void bootstrap_percentile(const double *sorted, size_t n, double confidence,
                          struct bootstrap_interval *out);
void bootstrap_bca(const double *sorted, size_t n, double confidence,
                   struct bootstrap_interval *out);

#endif
