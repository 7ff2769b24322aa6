/* diversity_metric.h - how different the trajectories of a pool are, and when to begin anew: the
 * fifth of the five parts.
 *
 * Diversity = mean distance over all pairs / length of the longest text; 1 for fewer than two.
 *   hamming      bytes that differ at the same place; the shorter text is filled with spaces
 *   levenshtein  edits; bit-parallel (Myers 1999, in blocks as Hyyroe 2003), 64 cells a step
 *
 * Restart, by the design's rule: not before iteration 20, when the mean of the last five
 * diversities is below 0.3. A search counts them anew after a restart: the mean does not rise at
 * once, and a restart every iteration is a random search. */
#ifndef EVOLVE_DIVERSITY_METRIC_H
#define EVOLVE_DIVERSITY_METRIC_H

#include "base/str.h"

enum diversity_distance { DIVERSITY_HAMMING, DIVERSITY_LEVENSHTEIN };

extern const char *const diversity_distance_names[]; /* by enum, NULL-terminated */

size_t diversity_hamming(struct str a, struct str b);
size_t diversity_levenshtein(struct str a, struct str b, struct arena scratch);

double diversity_of(const struct str *texts, size_t count, enum diversity_distance distance,
                    struct arena scratch);

/* `last` holds the diversities up to this iteration, the latest at its end. */
bool diversity_should_restart(const double *last, size_t count, int64_t iteration);

/* The candidate with the largest mean distance to the pool. */
size_t diversity_farthest(const struct str *candidates, size_t count, const struct str *pool,
                          size_t pool_count);

#endif
