/* share.h - by how much do two means of values from 0 to 1 differ?
 *
 * Right or wrong, failed or not, a score: a median of such values does not move
 * until half of them change, so their means are compared, in points.
 *
 * One mean has the interval of Clopper and Pearson (1934) for a binomial of n*
 * trials, n* being the number that would vary as much as these values do (Korn and
 * Graubard 1998): n where each is 0 or 1 or all are equal, more where values lie
 * between (a case's mean over passes), with Student's price for estimating that. A value
 * may be a share of several trials itself (a block's lost requests): blocks that agree, 0
 * lost in each, are then as many trials as were in all of them. Where blocks differ, how
 * much they do counts, whatever is in them.
 * Intervals of two parts make one of their difference by MOVER (Zou and Donner
 * 2008): the parts are the two means, or, of pairs, the mean gain and the mean
 * loss, so that pairs which agree cost nothing but their number.
 *
 * That allows for whatever so few units did not show (6 of 6 lost may be 9 of 10), but
 * would hide a small loss that every unit has. The end next to 0 of pairs therefore allows
 * for unseen changes no larger than the largest that was seen: of right or wrong that is
 * the same. Where the sign-flip test (stats/typical.h) leaves 0 out and this does not, it
 * stands a tenth of a point beyond 0, at most: so close to 0 the test rejects hardly more
 * often than at 0. (Its own inversion moves all pairs alike: 6 of 6 would be -100 points
 * at both ends.)
 *
 * The test is exact: Fisher's of two sets of 0 and 1, McNemar's of pairs, else
 * permutation of values or of signs (drawn with a fixed seed when there are too
 * many). Interval and p never contradict: an interval that leaves 0 out where the
 * test does not reject is drawn out to 0, and p is never below the level at which
 * the interval reaches the limit.
 *
 * Several strata (benchmarks): weighted means of the strata's means, whose
 * variance is that within strata; signs are flipped in all of them together. */
#ifndef STATS_SHARE_H
#define STATS_SHARE_H

#include "stats/typical.h"

struct share_stratum {
    const double *a; /* finite, 0 to 1; A is the baseline */
    size_t a_count;
    const double *b; /* of pairs: b[i] belongs to a[i] */
    size_t b_count;
    double weight;   /* they add up to 1 */
    double worth[2]; /* trials that a value of A, or of B, is the mean of; 0: 1. Not of pairs */
};

struct share_question {
    const struct share_stratum *strata;
    size_t count;
    bool is_paired;
    struct typical typical; /* of pairs: share_prepare's */
    double flips_p;         /* its p of no difference */
    double largest;         /* of pairs, share_prepare's: change of one of them */
};

/* Works out what all questions about the same pairs share. */
void share_prepare(struct share_question *q, struct arena *out);

struct share_interval {
    double estimate; /* mean of B less mean of A; NaN where a side is empty */
    double low;
    double high;
};

/* `exact_p` is share_exact_p of the same question. */
struct share_interval share_difference(const struct share_question *q, double alpha,
                                       double exact_p);

/* Two-sided, of no difference: exact, or drawn. */
double share_exact_p(const struct share_question *q, struct arena scratch);

/* The level at which the interval reaches `limit`, at least the exact p. */
double share_p(const struct share_question *q, double limit, double exact_p);

/* One mean: Clopper and Pearson for the n* of the values. */
struct share_interval share_mean(const double *values, size_t n, double alpha);

/* The mean of the A's of several strata. */
struct share_interval share_mean_of(const struct share_stratum *strata, size_t count,
                                    double alpha);

/* Fisher's exact test of hits[0] of n[0] against hits[1] of n[1], two-sided as R's
 * fisher.test: all tables that are no likelier. */
double share_fisher(const int64_t hits[2], const int64_t n[2]);

#endif
