/* score_id.h - the five scores of an execution, and the one made of them.
 *
 * Scores are arrays of SCORE_COUNT doubles in 0..1, NaN where there is none. What
 * each is computed from: score/scores.h. */
#ifndef MODEL_SCORE_ID_H
#define MODEL_SCORE_ID_H

#include "base/kind.h"

enum score_id {
    SCORE_ACCURACY,
    SCORE_SPEED,
    SCORE_EFFICIENCY,
    SCORE_COST,
    SCORE_RELIABILITY,
    SCORE_COUNT
};

/* A bit for each score that is there. */
unsigned scores_present(const double scores[SCORE_COUNT]);

/* The overall score: the weighted mean of those scores that are there and in `mask`,
 * over their weights; NaN without any. Two overalls compare only if they are made of
 * the same scores: callers pass the mask of what both have, or rank them apart. The
 * view agent_comparison_matrix computes the same (store/sqlite_schema_rank.c). */
double scores_overall(const double scores[SCORE_COUNT], const double weights[SCORE_COUNT],
                      unsigned mask);
#define SCORES_ALL ((1u << SCORE_COUNT) - 1)

/* How two agents are compared by a score, whoever asks: by what it is made of. Speed is
 * compared by times and cost by money, as ratios of the amounts; the others as they are. */
enum kind score_kind(enum score_id score);

/* The amount in units of its target that has this speed or cost score: 1/(1 + amount). */
double score_amount(double score);

#endif
