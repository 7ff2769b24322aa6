/* rankset.h - how sure is a ranking?
 *
 * A rank from a few dozen cases is a random number. Three answers go with it:
 *   rank interval   resample the cases with replacement, rank again, take the
 *                   5 % and 95 % quantiles of the ranks;
 *   tie group       agents that the data cannot tell apart: down the ranking, a
 *                   new group begins at the first agent that differs from the
 *                   group's best by a paired signed-rank test over the cases,
 *                   Holm-adjusted over all pairs of agents;
 *   first share     how often an agent would be first if the weights of the
 *                   score's parts were drawn at random (uniform on the simplex).
 * Higher scores are better; negate what is not. NaN: the agent has no score for
 * that case; its mean is over those it has, a pair is tested on those both have. */
#ifndef STATS_RANKSET_H
#define STATS_RANKSET_H

#include "base/arena.h"

struct rankset_input {
    const double *scores; /* agent by agent, `cases` values each */
    size_t agents;
    size_t cases;
    double alpha;     /* of the tie groups; 0: 0.05 */
    size_t resamples; /* 0: 2000 */
    uint64_t seed;
};

struct rankset_row {
    double mean;      /* NaN without any score: ranked last */
    size_t rank;      /* 1 + agents with a higher mean */
    size_t rank_low;  /* 5 % quantile, rounded down */
    size_t rank_high; /* 95 % quantile, rounded up */
    size_t tie_group; /* from 1, in the order of the ranking */
};

/* One row per agent, in the order of the input. */
struct rankset_row *rankset_of(const struct rankset_input *input, struct arena *out);

/* `parts` values per agent, each on the same scale; writes the share of `draws`
 * weightings that each agent wins (equal scores share a win). A part that is
 * NaN is left out for that agent, its weight spread over the others. */
void rankset_weights(const double *scores, size_t agents, size_t parts, size_t draws,
                     uint64_t seed, struct arena scratch, double *first_share);

#endif
