/* plan.h - from a checked spec to what will be done, in order.
 *
 * A cell is one point of the plan: experiment x parameters (x agent x
 * benchmark). Cells that differ only in the compared factor form a group: its
 * arms are set up together and take turns, so that drift of the machine
 * cancels. Without a factor every cell is a group of one. More than PLAN_ARMS_MAX arms are
 * several groups, one after the other.
 *
 * The factor is, in this order: the one that `interleave: NAME` chooses; the
 * agent, where there are several; the only swept treatment parameter; of
 * several, the first in the experiment's own table. `interleave: false` makes
 * every cell a group of one.
 *
 * Random streams. A cell's workload_seed is a hash of seed, experiment and
 * workload parameters, so contenders get the same data and the same queries;
 * its private_seed adds the cell's key. */
#ifndef SPEC_PLAN_H
#define SPEC_PLAN_H

#include "spec/spec.h"

struct plan_cell {
    size_t index; /* position in the plan: the number people see */
    size_t group;
    size_t arm;
    const struct spec_entry *entry;
    const struct value *params; /* complete: defaults filled in */
    const char *params_json;    /* canonical */
    char key[SHA256_HEX_SIZE];  /* of experiment, parameters, agent */
    const char *label;         /* "n=1000, sort=quick"; the experiment's name without axes; with
                                   "entry 2" where two entries would have the same */
    const char *name;          /* that the spec gave it, with its axes; or NULL */
    const struct value *agent; /* NULL where the experiment takes none */
    uint64_t workload_seed;
    uint64_t private_seed;
};

struct plan_group {
    size_t index;
    const char *factor; /* the compared parameter, or NULL */
    size_t *cells;      /* indexes into plan.cells, in arm order */
    size_t count;
    const struct spec_entry *entry;
};

struct plan {
    const struct spec *spec;
    struct plan_cell *cells;
    size_t cell_count;
    struct plan_group *groups;
    size_t group_count;
};

enum { PLAN_CELLS_MAX = 100000, PLAN_BYTES_MAX = 64 << 20, PLAN_ARMS_MAX = 64 };

/* Cartesian order: keys sorted, last varies fastest. Random: `samples` draws
 * from a stream of the seed, each key in sorted order; equal draws are kept
 * apart by their index. Fails (ERROR_INVALID) above PLAN_CELLS_MAX cells, and when the
 * texts of their parameters are more than PLAN_BYTES_MAX. */
MUST_USE bool plan_make(const struct spec *spec, struct arena *out, struct plan **plan,
                        struct error *err);

/* Arm at position `turn` of `round`, for `arms` arms: rows of a Latin square
 * that is balanced for carry-over (Williams, 1949), so that each arm stands in
 * each place and follows each other arm equally often. */
size_t plan_turn(size_t arms, int64_t round, size_t turn);

#endif
