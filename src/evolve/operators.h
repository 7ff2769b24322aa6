/* operators.h - the three ways to make a new playbook out of known ones.
 *
 *   Revision        takes a failed trajectory (the worst, if none failed) and replaces, place by
 *                   place, the segments that satisfy nothing which no other one does; one at
 *                   random, if there is none
 *   Recombination   takes a successful one and the successful one that is most different from
 *                   it by embedding, and each segment from either
 *   Refinement      takes the best and changes one or two segments: to a line that the best
 *                   quarter of the pool has more often than the rest ("insight"), to any line,
 *                   to another setting, or to nothing
 *
 * With fewer than two successful ones the two best count as such. */
#ifndef EVOLVE_OPERATORS_H
#define EVOLVE_OPERATORS_H

#include "evolve/trajectory_pool.h"

struct operators_input {
    const struct challenge *challenge;
    const struct trajectory_pool *pool;
    const struct embedding_cache *embeddings;
    struct rng *rng;
};

struct operators_child {
    struct genome genome;
    const struct trajectory *parents[2]; /* the second may be NULL */
};

struct operators_child operators_apply(int op, const struct operators_input *in);

/* Whom an operator would start from: what a proposer is shown. */
struct operators_child operators_parents(int op, const struct operators_input *in);

/* The lines that are over-represented in the best quarter, the most so first. */
size_t operators_insights(const struct operators_input *in, int16_t *lines, size_t max);

struct segment operators_random_segment(const struct challenge *p, struct rng *rng);

#endif
