/* instrument.h - what is measured around one trial.
 *
 * An instrument may work in two places. In the arm (the process that runs the
 * experiment) its begin and end stand just outside the two clock reads, so that
 * their cost is never in duration_s; what they read becomes values after the
 * experiment's conclude, when every process of the trial has been reaped and
 * `usage` is final:
 *     begin, clock, the measured work, clock, end; conclude; give
 * In the runner (the process that
 * watches the arm) watch_begin, watch_tick and watch_end look at the arm's
 * process tree from outside while it works. Each side has a zeroed state of
 * its own and fills its own slots of `values`; slots left NaN are missing.
 *
 * To add one: write src/instrument/instrument_<name>.c ending in `const struct instrument
 * instrument_<name>`, and name it in the list in instrument_registry.c. */
#ifndef INSTRUMENT_INSTRUMENT_H
#define INSTRUMENT_INSTRUMENT_H

#include "base/registry.h"
#include "model/metric.h"
#include "model/trial.h"

#include <sys/types.h>

/* Whose processes count. */
struct instrument_subject {
    pid_t arm;
    bool spawns; /* the arm only starts others: count its descendants, not itself */
};

struct instrument {
    REGISTRY_ENTRY;
    size_t state_size;

    /* Arm side; all may be NULL. open runs once after the experiment's setup.
     * begin and end: no allocation, lock or log. In give, `usage` is what the
     * trial's processes used (is_set false for in-process work: take what
     * begin and end saw). */
    bool (*open)(void *state, const void *config, const struct instrument_subject *subject,
                 struct error *err);
    void (*begin)(void *state);
    void (*end)(void *state);
    void (*give)(const void *state, double duration_s, const struct usage *usage,
                 double *values);
    void (*close)(void *state);

    /* How many trials of its own it wants, after the measured ones: for
     * instruments that cost. NULL = it looks at the measured trials. */
    int64_t (*own_trials)(const void *config);

    /* Runner side; all NULL or all set. watch_tick is called about every
     * `watch_interval_ns(config)` while the trial runs. watch_end may append
     * lines to `curve`, which is kept as an artifact if not empty. */
    int64_t (*watch_interval_ns)(const void *config);
    bool (*watch_open)(void *state, const void *config,
                       const struct instrument_subject *subject, struct error *err);
    void (*watch_begin)(void *state);
    void (*watch_tick)(void *state);
    void (*watch_end)(void *state, double *values, struct buf *curve);
    void (*watch_close)(void *state);
};

REGISTRY(struct instrument, instrument)

#endif
