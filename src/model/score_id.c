#include "model/score_id.h"

#include <math.h>

unsigned scores_present(const double scores[SCORE_COUNT])
{
    unsigned mask = 0;
    for (int i = 0; i < SCORE_COUNT; i++) mask |= isnan(scores[i]) ? 0u : 1u << i;
    return mask;
}

double scores_overall(const double scores[SCORE_COUNT], const double weights[SCORE_COUNT],
                      unsigned mask)
{
    double sum = 0;
    double total = 0;
    mask &= scores_present(scores);
    for (int i = 0; i < SCORE_COUNT; i++) {
        if (!(mask & 1u << i)) continue;
        sum += weights[i] * scores[i];
        total += weights[i];
    }
    return total > 0 ? sum / total : (double)NAN;
}

enum kind score_kind(enum score_id score)
{
    if (score == SCORE_COST) return KIND_SUM;
    return score == SCORE_SPEED ? KIND_RATIO : KIND_SHARE;
}

double score_amount(double score)
{
    return (1 - score) / score;
}
