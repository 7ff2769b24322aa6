/* ratio.h - how a benchmark reports: one line per ratio, with its target.
 *
 * Each contender runs once in every block, in an order that rotates, so that
 * drift of the machine falls on all alike; a block gives one ratio. The line
 * shows the median of the ten blocks' ratios, between the second and the ninth
 * (a distribution-free interval of 97.9 %): a block that something disturbed
 * does not decide. A target that is not met prints MISSED, which
 * tools/run-bench turns into a failure. */
#ifndef BENCH_RATIO_H
#define BENCH_RATIO_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 10 };

struct ratio {
    double median, low, high;
};

static inline int ratio_by_size(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the values. */
static inline double ratio_median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, ratio_by_size);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static inline struct ratio ratio_of(const double *ours, const double *theirs)
{
    double ratios[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) ratios[i] = ours[i] / theirs[i];
    double median = ratio_median(ratios, BLOCKS); /* sorts them */
    return (struct ratio){median, ratios[1], ratios[BLOCKS - 2]};
}

static inline void ratio_line(const char *what, struct ratio r, const char *target, bool met)
{
    printf("%-58s %.3f [%.3f, %.3f]  %s: %s\n", what, r.median, r.low, r.high, target,
           met ? "met" : "MISSED");
    fflush(stdout);
}

/* For the reader; nothing is asked of it. */
static inline void ratio_note(const char *what, const double *ours, const double *theirs)
{
    struct ratio r = ratio_of(ours, theirs);
    printf("%-58s %.3f [%.3f, %.3f]\n", what, r.median, r.low, r.high);
    fflush(stdout);
}

/* Ours may take at most `limit` times theirs. */
static inline void ratio_at_most(const char *what, const double *ours, const double *theirs,
                                 double limit)
{
    char target[32];
    snprintf(target, sizeof target, "<= %.2f", limit);
    struct ratio r = ratio_of(ours, theirs);
    ratio_line(what, r, target, r.median <= limit);
}

/* The same of the upper end of the interval. `noise` is the peer against itself:
 * where even that is above the limit, this machine cannot tell, and UNDECIDED is
 * said, unless ours is above it for sure. */
static inline void ratio_bound_at_most(const char *what, const double *ours,
                                       const double *theirs, double limit, struct ratio noise)
{
    char target[32];
    snprintf(target, sizeof target, "bound <= %.2f", limit);
    struct ratio r = ratio_of(ours, theirs);
    if (r.high > limit && r.low <= limit && noise.high > limit) {
        printf(
            "%-58s %.3f [%.3f, %.3f]  %s: UNDECIDED, the peer against itself is up to %.3f\n",
            what, r.median, r.low, r.high, target, noise.high);
        return;
    }
    ratio_line(what, r, target, r.high <= limit);
}

/* The two must agree within a share of 1. */
static inline void ratio_within(const char *what, const double *ours, const double *theirs,
                                double share)
{
    char target[32];
    snprintf(target, sizeof target, "1 +- %.0f %%", 100 * share);
    struct ratio r = ratio_of(ours, theirs);
    ratio_line(what, r, target, fabs(r.median - 1) <= share);
}

#endif
