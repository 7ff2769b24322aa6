/* scores_internal.h - between scores.c, which gives each score its interval or
 * its reason, and scores_formula.c, which computes it from any cases. */
#ifndef SCORE_SCORES_INTERNAL_H
#define SCORE_SCORES_INTERNAL_H

#include "score/scores.h"

/* What is resampled: one metric of all cases, sorted once. */
struct score_column {
    double *sorted;
    size_t known; /* cases that have a value */
    size_t *rank; /* of each case in `sorted`; SIZE_MAX = no value */
    double target;
    const char *name;
};

enum {
    SCORE_COLUMN_DURATION,
    SCORE_COLUMN_TOKENS,
    SCORE_COLUMN_CPU,
    SCORE_COLUMN_MEMORY,
    SCORE_COLUMN_COUNT
};

struct score_inquiry {
    const struct score_case *cases;
    size_t n;
    const struct score_plan *plan;
    double confidence;
    struct score_column columns[SCORE_COLUMN_COUNT];
    uint32_t *counts; /* scratch of a resample: one thread */
    const double *weights;
    double whole[SCORE_COUNT]; /* the scores of all cases */
};

bool score_has_target(double target); /* false for NaN and 0 */

/* 0, 1, ..., n - 1: the cases themselves, as the formulas take them. */
double *score_positions(size_t n, struct arena *out);

/* Sorts the columns, and computes the scores of the data itself; cases, n and
 * plan are set. */
void score_prepare(struct score_inquiry *q, struct arena *out);

/* The mean of the field at `offset` of struct score_case over the cases at these
 * positions that have it; NaN if none has. */
double score_mean(const struct score_inquiry *q, size_t offset, const double *positions,
                  size_t n);

/* For the bootstrap: one score (the context is a struct score_part), and the
 * overall one by the inquiry's weights (the context is the inquiry). Finite
 * where the score of the data itself is. */
struct score_part {
    const struct score_inquiry *inquiry;
    enum score_id id;
};
double score_part_statistic(const double *positions, size_t n, const void *context);
double score_overall_statistic(const double *positions, size_t n, const void *context);

#endif
