/* trajectory_pool.h - the playbooks a search has tried and still knows, with their descent.
 *
 * At most `max` trajectories. When one more comes the worst is dropped of those that neither
 * succeeded nor belong to the last ten generations; if there is none, the worst but the best.
 * Descent is kept of all, also of those that were dropped.
 *
 * Bytes: trajectories, their code, scores and descent are LEDGER_TRAJECTORIES; embeddings and
 * outlines have parts of their own. */
#ifndef EVOLVE_TRAJECTORY_POOL_H
#define EVOLVE_TRAJECTORY_POOL_H

#include "evolve/challenge.h"
#include "evolve/embedding_compressor.h"
#include "evolve/hot_spot.h"
#include "evolve/operator_selector.h"

enum { OPERATOR_BASELINE = OPERATOR_COUNT, OPERATOR_RESTART }; /* made by no operator */

struct descent {
    int64_t parents[2]; /* ids; -1 = none */
    int64_t generation;
    double fitness;
    int operator; /* also OPERATOR_BASELINE, OPERATOR_RESTART */
};

/* "refinement", ...; "start" for OPERATOR_BASELINE, "restart". */
const char *descent_operator_name(const struct descent *d);

struct trajectory {
    int64_t id; /* its place in the descent */
    struct genome genome;
    struct offer offer;
    double fitness; /* as measured: with noise */
    double *scores; /* of the training scenarios */
    char *code;
    size_t code_bytes;
    void *embedding;
    struct hot_spot_code *outline;
};

struct trajectory_pool {
    struct ledger *ledger;
    struct trajectory **items;
    size_t count;
    size_t max;
    struct descent *descent; /* of every trajectory ever added */
    int64_t added;
    struct hot_spots *hot_spots;
};

void trajectory_pool_init(struct trajectory_pool *pool, struct ledger *ledger,
                          struct hot_spots *hot_spots, size_t max);
void trajectory_pool_release(struct trajectory_pool *pool);

/* Drops all trajectories but the best. The pool is not empty. */
void trajectory_pool_keep_best(struct trajectory_pool *pool);

/* Takes `t` (from ledger_alloc, as are its members), gives it an id and may drop another. */
void trajectory_pool_add(struct trajectory_pool *pool, struct trajectory *t, struct descent d);

bool trajectory_is_successful(const struct trajectory *t); /* fitness >= 0.7 */
bool trajectory_is_failed(const struct trajectory *t);     /* fitness < 0.3 */

/* Neither is NULL; the pool is not empty. */
const struct trajectory *trajectory_pool_best(const struct trajectory_pool *pool);
const struct trajectory *trajectory_pool_worst(const struct trajectory_pool *pool);

#endif
