/* looking.h - what experiments have in common whose trials let agents observe their world:
 * metrics and hooks, over world/perception.h.
 *
 * A trial lives a world from its seed on: in each step all agents look, then the world ticks.
 * Afterwards the same life is lived in the other storage, and a cell that differs fails the
 * trial. */
#ifndef EXPERIMENT_LOOKING_H
#define EXPERIMENT_LOOKING_H

#include "experiment/experiment.h"
#include "world/perception.h"

enum looking_metric {
    LOOKING_OBSERVES,
    LOOKING_TIME,
    LOOKING_RATE,
    LOOKING_STEP_MEAN,
    LOOKING_STEP_P95,
    LOOKING_TICKS,
    LOOKING_DENSE_BYTES,
    LOOKING_SPARSE_BYTES,
    LOOKING_ALLOCATED_BYTES,
    LOOKING_REDUCTION,
    LOOKING_CACHE_HITS,
    LOOKING_REBUILDS,
    LOOKING_GFLOPS,
    LOOKING_QUERY,
    LOOKING_BILINEAR,
    LOOKING_NEAREST,
    LOOKING_BILINEAR_POINTS,
    LOOKING_NEAREST_POINTS,
    LOOKING_METRIC_COUNT
};

extern const struct metric looking_metrics[LOOKING_METRIC_COUNT];

/* Choices of parameters. */
extern const char *const looking_storages[]; /* by enum observation_storage */
extern const char *const looking_devices[];

struct looking {
    struct perception_config config;
    int64_t steps;
    struct arena arenas[2]; /* the world's, and its twin's */
    struct perception perception;
    int64_t renders_before; /* of the unmeasured round */
    double *step_s;
    double tick_s;
    double profiled_s; /* of the round with clocks in it */
};

/* For the experiment's setup; `config` and `steps` are set by the caller. */
void looking_open(struct looking *l, struct arena *arena);

/* Of tensors: trial or twin keeps all of them dense. */
struct experiment_demand looking_demand(int64_t agents, int64_t radius, const char *by);

/* The other hooks, of a state that begins with a struct looking. */
enum trial_status looking_prepare(struct trial *t, void *state);
enum trial_status looking_execute_once(struct trial *t, void *state);

/* Checks, and gives values. What the trial found is added to t->detail as one object, named
 * as the peer does. */
enum trial_status looking_conclude(struct trial *t, void *state, enum trial_status status);
bool looking_teardown(void *state, struct error *err);

#endif
