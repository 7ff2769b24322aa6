/* scores_internal.h - between scores.c, which gives each score its interval or
 * its reason, and scores_formula.c, which computes it from any cases. */
#ifndef SCORE_SCORES_INTERNAL_H
#define SCORE_SCORES_INTERNAL_H

#include "score/scores.h"
#include "stats/bootstrap.h"

/* What is resampled: one metric of the cases that have it, ascending. */
struct score_column {
    double *sorted;
    uint32_t *order; /* which case sorted[i] is of */
    size_t known;
    double target;
    const char *name;
};

enum {
    SCORE_COLUMN_DURATION,
    SCORE_COLUMN_TOKENS, /* these three make the efficiency */
    SCORE_COLUMN_CPU,
    SCORE_COLUMN_MEMORY,
    SCORE_COLUMN_ACCURACY,
    SCORE_COLUMN_COST,
    SCORE_COLUMN_COUNT
};

struct score_inquiry {
    const struct score_case *cases;
    size_t n;
    const struct score_plan *plan;
    double confidence;
    struct score_column columns[SCORE_COLUMN_COUNT];
    int64_t *ok; /* of each case, apart from the rest: a resample reads them all */
    int64_t *attempted;
    bool is_reliable; /* nothing failed, whatever is drawn */
    const double *weights;
    double whole[SCORE_COUNT]; /* the scores of all cases */
};

bool score_has_target(double target); /* false for NaN and 0 */

/* Sorts the columns, and computes the scores of the data itself; cases, n and
 * plan are set. */
void score_prepare(struct score_inquiry *q, struct arena *out);

/* The mean of the field at `offset` of struct score_case over the cases that
 * have it; NaN if none has. */
double score_mean(const struct score_inquiry *q, size_t offset);

/* By the inquiry's weights, of counts[i] copies of case i; finite where the
 * scores of the data itself are. */
double score_overall(const struct score_inquiry *q, const uint32_t *counts);

/* One score likewise. A resample may hold no case that has a value (a metric known
 * for few): the score of the data stands in. */
double score_part(const struct score_inquiry *q, enum score_id id, const uint32_t *counts);

/* False where every resample has the same score: all cases have the same values. */
bool score_varies(const struct score_inquiry *q, enum score_id id);

/* For the bootstrap: the context is a struct score_part. */
struct score_part {
    const struct score_inquiry *inquiry;
    enum score_id id;
};
bootstrap_function score_part_statistic;

uint32_t *score_each_once(size_t n, struct arena *out); /* the counts of the data itself */

#endif
