/* rankset.h - does a ranking owe its order to the weights of its parts?
 *
 * First share: how often an agent would be first if the weights of the score's parts
 * were drawn at random (uniform on the simplex). Higher scores are better. */
#ifndef STATS_RANKSET_H
#define STATS_RANKSET_H

#include "base/arena.h"

/* `parts` values per agent, each on the same scale; writes the share of `draws`
 * weightings that each agent wins (equal scores share a win). A part that is
 * NaN is left out for that agent, its weight spread over the others. */
void rankset_weights(const double *scores, size_t agents, size_t parts, size_t draws,
                     uint64_t seed, struct arena scratch, double *first_share);

#endif
