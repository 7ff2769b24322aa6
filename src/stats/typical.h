/* typical.h - intervals of a mean, or of a ratio of means, from subsets of the sample.
 *
 * Of pairs (a, b) take every subset, and of each the sum of b over the sum of a. These
 * typical values cut the line into pieces that are equally likely to hold the true ratio,
 * if what pairs add to b - ratio * a is as likely below 0 as above (Hartigan 1969); it is
 * the inversion of the test that flips signs (Fisher 1935), so that p and interval are two
 * views of one thing, and the few values that make up most of a sum are as uncertain as
 * they should be. With weights instead of a and weighted differences instead of b it is a
 * mean of differences.
 *
 * All subsets up to TYPICAL_EXACT_MAX values, else a seeded draw. Two samples without pairs:
 * a subset of each. */
#ifndef STATS_TYPICAL_H
#define STATS_TYPICAL_H

#include "base/arena.h"

enum { TYPICAL_EXACT_MAX = 13, TYPICAL_DRAWS = 4999 };

struct typical {
    double *values; /* sums of b over sums of a; ascending once an interval was asked for */
    size_t count;
    size_t total; /* with the subsets that say nothing, which are on no side */
};

/* `a` is not below 0. */
struct typical typical_pairs(const double *a, const double *b, size_t n, uint64_t seed,
                             struct arena *out);
struct typical typical_mean(const double *values, size_t n, uint64_t seed, struct arena *out);
struct typical typical_arms(const double *a, size_t a_count, const double *b, size_t b_count,
                            uint64_t seed, struct arena *out);

/* The smallest p there is: no interval exists at this level or below. */
double typical_least(const struct typical *t);

/* Two-sided, of the true value being `value`. */
double typical_p(const struct typical *t, double value);

/* What p >= alpha leaves; an end without a value is infinite. */
void typical_interval(const struct typical *t, double alpha, double *low, double *high);

#endif
