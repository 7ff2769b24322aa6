/* measure.h - one trial: the only measured calls of the program.
 *
 *     prepare; instruments begin; clock; execute_once; clock; instruments end;
 *     conclude; instruments give
 *
 * Nothing stands between the two clock reads but the call of execute_once. */
#ifndef RUN_MEASURE_H
#define RUN_MEASURE_H

#include "run/group.h"

/* Everything an arm needs for its trials, made once at set-up. */
struct measure {
    const struct group_arm *plan;
    struct experiment_env env;
    void *state;              /* the experiment's */
    void **instrument_states; /* NULL = this instrument does nothing in the arm */
    bool has_hooks;           /* some instrument works in the arm */
    struct trial trial;
    struct buf detail;
    struct buf output;
    struct buf histograms;
    double *values; /* plan->column_count; [0] is duration_s */
    uint32_t *case_order;
    int64_t case_order_of;          /* iteration that case_order is for */
    _Atomic int64_t *limit_from_ns; /* what the time limit counts from, 0 = it does not; NULL =
                                     * nobody looks. Set again for each part of a trial */
};

struct reading {
    enum trial_status status;
    int64_t start_ns;
    int64_t end_ns;
};

/* The case of a trial: each pass has a seeded order of its own, the same in every
 * arm. */
uint32_t measure_case_of(const struct group_arm *plan, int64_t trial, struct arena scratch);

/* Carries out trial number `index` of `phase`. */
struct reading measure_trial(struct measure *m, enum trial_phase phase, int64_t index);

/* Median reading, in seconds, of an empty trial on the same path. */
double measure_overhead(struct measure *m);

#endif
