/* ratio.h - how a benchmark reports: one line per ratio, with its target.
 *
 * Each contender runs once in every block, in an order that rotates, so that
 * drift of the machine falls on all alike; a block gives one ratio. The line
 * shows the geometric mean of the blocks' ratios with its 95 % interval (t on
 * logs). A target that is not met prints MISSED, which tools/run-bench turns
 * into a failure. */
#ifndef BENCH_RATIO_H
#define BENCH_RATIO_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 10 };
#define RATIO_T95 2.262 /* Student's t, 9 degrees of freedom, two-sided 95 % */

struct ratio {
    double mean, low, high;
};

static inline struct ratio ratio_of(const double *ours, const double *theirs)
{
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < BLOCKS; i++) sum += log(ours[i] / theirs[i]);
    double mean = sum / BLOCKS;
    for (int i = 0; i < BLOCKS; i++) squares += pow(log(ours[i] / theirs[i]) - mean, 2);
    double half = RATIO_T95 * sqrt(squares / (BLOCKS - 1) / BLOCKS);
    return (struct ratio){exp(mean), exp(mean - half), exp(mean + half)};
}

static inline void ratio_line(const char *what, struct ratio r, const char *target, bool met)
{
    printf("%-58s %.3f [%.3f, %.3f]  %s: %s\n", what, r.mean, r.low, r.high, target,
           met ? "met" : "MISSED");
    fflush(stdout);
}

/* Ours may take at most `limit` times theirs. */
static inline void ratio_at_most(const char *what, const double *ours, const double *theirs,
                                 double limit)
{
    char target[32];
    snprintf(target, sizeof target, "<= %.2f", limit);
    struct ratio r = ratio_of(ours, theirs);
    ratio_line(what, r, target, r.mean <= limit);
}

/* The two must agree within a share of 1. */
static inline void ratio_within(const char *what, const double *ours, const double *theirs,
                                double share)
{
    char target[32];
    snprintf(target, sizeof target, "1 +- %.0f %%", 100 * share);
    struct ratio r = ratio_of(ours, theirs);
    ratio_line(what, r, target, fabs(r.mean - 1) <= share);
}

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

#endif
