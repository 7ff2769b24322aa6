/* estimate.h - how long a plan will take, judged by earlier runs of its cells.
 *
 * A cell that an earlier run in the store carried out (same experiment, same
 * parameters) is taken to need the same time a trial. Nothing is guessed: a
 * plan with a cell that nobody has run yet has no estimate. */
#ifndef SPEC_ESTIMATE_H
#define SPEC_ESTIMATE_H

#include "spec/plan.h"

struct estimate {
    size_t known;           /* cells with an earlier run */
    double seconds;         /* of these cells' trials, warm-up included */
    bool is_upper_limit;    /* `until` or a steady warm-up may end sooner */
    char run_id[UUID_SIZE]; /* the newest run that was looked at for it */
};

/* Trials that a cell may take at most. */
int64_t estimate_trials(const struct spec_entry *entry, enum trial_phase phase);

/* A store that is missing or cannot be read gives known = 0. */
struct estimate estimate_plan(const char *store_url, const char *workspace,
                              const struct plan *plan);

#endif
