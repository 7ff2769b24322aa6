/* run_internal.h - what the files of run.h share: the state of one run. */
#ifndef RUN_RUN_INTERNAL_H
#define RUN_RUN_INTERNAL_H

#include "run/intake.h"
#include "run/run.h"

enum { JOBS_MAX = 64 };

/* One group while it is executed. */
struct group_run {
    const struct plan_group *group; /* NULL = this slot is free */
    struct arena arena;
    struct group_control *control;
    int memory_fd;
    int event_fd;
    struct intake *arms;
    struct ring_reader runner;
    struct ring_reader *lanes; /* of arm i from i * lane_count on */
    size_t lane_count;
    bool is_broken; /* the memory shared with its processes */
    bool has_ended;
    int exit_status;
    int64_t look_at;            /* `until`: rounds after which to look next */
    int64_t measuring_since_ns; /* first measured trial; 0 = none yet */
};

struct run {
    const struct run_request *request;
    struct run_record record;
    struct run_outcome *outcome;
    struct arena *out;
    int64_t start_ns;
    int64_t call_ns;       /* this call began; start_ns is that of the first, when resumed */
    int64_t last_trial_ns; /* the newest trial was stored */
    int64_t trials_planned;
    int64_t trials_done;
    int64_t trials_resumed; /* were there before this call */
    struct group_run slots[JOBS_MAX];
    size_t slot_count;
    size_t next_group;
    int signal_fd;
    bool is_stopping; /* no new groups */
    int64_t last_progress_ns;
    int64_t last_estimate_ns;
    struct execution_record *earlier; /* of the run that is resumed, by cell */
    size_t earlier_count;
    struct run_record aside;             /* keeps what is repeated; id "" = none */
    const struct protection *protection; /* from agents; NULL = there are none */
    struct benchmark_record *benchmarks; /* of each entry of the spec; id "" = none */
};

/* The wall clock as it was when the run began, and the monotonic one since: whoever sets the
 * clock meanwhile does not change how long things took. */
int64_t run_unix_ns(const struct run *r);

/* run_events.c */
void run_emit(const struct run *r, struct run_event event);
void run_emit_cell(const struct run *r, const struct intake *in, enum run_event_kind kind);
void run_emit_trials(const struct run *r, const struct intake *in, size_t count);
void run_emit_progress(struct run *r, const struct intake *in);
void run_emit_estimates(struct run *r, const struct group_run *g);

/* run_flow.c: what comes in while a group is executed. */

/* Reads the rings. */
MUST_USE bool run_take_in(struct run *r, struct group_run *g, struct error *err);

/* Stores the complete trials of every arm in one transaction, then announces
 * them. `all`: also those that wait for an outside instrument in vain. */
MUST_USE bool run_commit(struct run *r, struct group_run *g, bool all, struct error *err);

/* Half-width of the 95 % interval of the median of the arm's primary metric, relative to it;
 * NaN if there are too few values for one. */
double run_precision(const struct run *r, const struct intake *in);

/* When the next commit is due, on clock_ns's scale; INT64_MAX = none waits. */
int64_t run_commit_due_ns(const struct group_run *g);

/* `until`: has the group had enough? */
MUST_USE bool run_decide(struct run *r, struct group_run *g, struct error *err);
int64_t run_rounds_done(const struct group_run *g);
void run_wake(struct group_control *c); /* after a change in the control block */

/* run_group.c: a group's beginning and end. */
MUST_USE bool run_start_group(struct run *r, struct group_run *g,
                              const struct plan_group *group, struct error *err);
MUST_USE bool run_finish_group(struct run *r, struct group_run *g, struct error *err);
void run_free_group(struct group_run *g);

/* run_suite.c: what a suite adds to a run. */

/* Stores the suites, benchmarks, cases and agents that the plan names. */
MUST_USE bool run_put_names(struct run *r, struct error *err);

/* Ids, version, configuration and provenance of a cell of a suite. */
void run_describe_agent(const struct run *r, struct intake *in, struct arena *arena);
void run_describe_suite(const struct run *r, struct intake *in, struct arena *arena);

/* At a cell's end: the scores and every other column that follows from stored
 * trials, with a note where one must stay NULL. */
MUST_USE bool run_score_cell(struct run *r, struct intake *in, struct arena *arena,
                             struct error *err);

/* reuse.c: takes cells over whose answers are stored; request->plan becomes
 * what is left. */
MUST_USE bool run_reuse(struct run *r, struct run_request *request, struct error *err);

/* True if an earlier segment has carried the group out. */
bool run_is_finished(const struct run *r, const struct plan_group *g);

#endif
