/* run.h - executes a plan and stores every sample.
 *
 * run_execute is the parent's side: it owns the store, the decisions (`until`,
 * limits, Ctrl-C) and the progress; the measuring is done by the processes
 * that the nursery forks. Trials are announced to the listener after they are
 * safe in the store, never before.
 *
 * Killed at any moment, every announced trial is in the store; run_execute with
 * `resume` goes on from there with the same run id. SIGINT and SIGTERM are
 * taken over while it works: what is done is stored, and the outcome is
 * RUN_PARTIAL. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "model/run_event.h"
#include "run/nursery.h"
#include "spec/plan.h"
#include "store/store.h"

/* Asked at the looks of `until` (after 10, 20, 40, ... rounds; where there are
 * cases, after as many whole passes), when all trials up to there are in the
 * store and every arm waits: is the question that the
 * run was made for decided? */
struct run_decider {
    void *context;
    bool (*is_enough)(void *context, const char *run_id, int64_t rounds);
};

struct run_request {
    struct store *store;
    struct nursery *nursery;
    const struct plan *plan;
    const char *const *others;       /* specs of the same command, hidden too; or NULL */
    const struct run_record *resume; /* the run to go on with, or NULL */
    const char *run_id;              /* of a new one, UUIDv7; NULL: it gets one */
    bool is_watched;                 /* flag it if other work disturbs it (disturbance.h) */
    bool cache;                      /* take over what the same agents answered before */
    int64_t jobs;                    /* groups at once; at least 1 */
    const struct value *command;     /* argv, for the record */
    const char *assay_version;
    struct run_listener listener;
    struct run_decider decider; /* {0}: `until` alone decides */
};

/* Stores a suite with its benchmarks and cases; `as` (or NULL) says the text,
 * source and registration of its row. `benchmarks` gets a row per entry. */
MUST_USE bool run_put_suite(struct store *store, const struct spec *spec,
                            const struct suite_record *as, struct benchmark_record *benchmarks,
                            struct arena *out, struct error *err);

/* False only when the run could not be kept going (store, machine); then
 * `outcome` still says what was done. A failed cell is not a failed call. */
MUST_USE bool run_execute(const struct run_request *request, struct arena *out,
                          struct run_outcome *outcome, struct error *err);

#endif
