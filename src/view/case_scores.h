/* case_scores.h - one execution, case by case: the five scores of each.
 *
 * The formulas are those of score/scores.h, applied to one case's medians over
 * its passes: accuracy and 1 / (1 + used / target) of that case, reliability its
 * ok / attempted. Their means over cases need not be the execution's scores
 * (speed goes by the median of all), but they can be paired between agents. The
 * execution's own are beside them. */
#ifndef VIEW_CASE_SCORES_H
#define VIEW_CASE_SCORES_H

#include "score/scores.h"
#include "store/store.h"
#include "suite/scoring.h"

struct case_row {
    const char *hash;
    const char *name;
    struct score_case values;
    double score[SCORE_COUNT]; /* NaN = none */
    /* The same if all that was never judged (harness errors) was wrong, and right. */
    double ends[2][SCORE_COUNT];
};

struct case_scores {
    struct case_row *rows; /* by hash */
    size_t count;
    double weights[SCORE_COUNT]; /* the suite's, or the default ones */
    struct score_plan plan;
    struct scores scores; /* of the execution, as it is shown: with intervals */
};

/* The execution's scores with an overall by other weights. */
struct scores case_scores_weighted(const struct case_scores *cases,
                                   const double weights[SCORE_COUNT], struct arena *out);

struct case_scores case_scores_of(const struct scoring *scoring, struct arena *out);

/* The same of a stored execution. An execution without measured trials of cases has none. */
MUST_USE bool case_scores_load(struct store *store, const char *execution_id,
                               const char *benchmark_id, struct arena *out,
                               struct case_scores *cases, struct error *err);

#endif
