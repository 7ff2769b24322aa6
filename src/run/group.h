/* group.h - one group as its processes share it.
 *
 * The parent writes a group into a piece of shared memory: a control block, a
 * description in JSON, and one ring per process that has something to report: the
 * runner and the lanes of each arm. An arm has one lane, or as many as cases of
 * its agent are to be in flight at once; each is a process with an agent of its
 * own, and the runner gives out the numbers of trials among them.
 * The runner, which was forked before the parent had read anything, reads the
 * description and finds experiments and instruments by name in its own copy of
 * the registries. */
#ifndef RUN_GROUP_H
#define RUN_GROUP_H

#include "experiment/experiment.h"
#include "instrument/instrument.h"
#include "run/protection.h"
#include "run/ring.h"
#include "spec/plan.h"

enum { GROUP_LANES_MAX = SPEC_CONCURRENCY_MAX };

/* ---- the shared control block ---- */

enum arm_order {
    ORDER_NONE,
    ORDER_WARMUP,
    ORDER_MEASURE, /* `count` trials */
    ORDER_PROFILE, /* `count` trials for instruments that cost */
    ORDER_TEARDOWN,
};

struct lane_control {
    _Alignas(64) _Atomic uint32_t orders; /* bumped by the runner with each order: futex */
    enum arm_order order;
    int64_t count;                      /* of trials, from number `trial` on */
    _Alignas(64) _Atomic uint32_t done; /* set by the lane to `orders` when executed */
    _Atomic int64_t trial;              /* under way or next; moved on by the lane */
    _Atomic int64_t trial_started_ns;   /* 0 between trials; for the time limit */
    _Atomic uint32_t is_ready;          /* set-up went well */
    _Atomic uint32_t is_warm;           /* wants no more trials of ORDER_WARMUP */
};

struct arm_control {                    /* shared by its lanes */
    _Alignas(64) _Atomic uint32_t news; /* bumped by a lane after a change: futex */
    _Atomic int64_t failures_in_a_row;  /* in the order in which trials end */
    _Atomic uint32_t has_breached;      /* a limit, in a measured trial */
    _Atomic int64_t ended_at;           /* stopped early: the first round without it; or 0 */
};

enum group_stop {
    STOP_NOT,
    STOP_SOON, /* after the trials under way */
    STOP_NOW,  /* drop the trials under way, tear down, end */
};

struct group_control {
    size_t total_bytes;
    size_t config_offset;
    size_t config_bytes;
    size_t cases_offset; /* of a benchmark: suite/case_pack.h */
    size_t cases_bytes;
    size_t lane_count; /* of each arm */
    size_t lanes_offset;
    size_t runner_ring;     /* offset */
    size_t runner_capacity; /* of its ring */
    size_t lane_rings;      /* offset of the first: they lie side by side */
    size_t lane_ring_stride;
    size_t lane_capacity;
    _Alignas(64) _Atomic uint32_t commands; /* bumped by the parent after a change: futex */
    _Atomic int64_t round_limit;            /* measured rounds that may be executed */
    _Atomic uint32_t limit_is_last;         /* round_limit will not be raised */
    _Atomic uint32_t stop;                  /* enum group_stop */
    _Atomic uint32_t ended_arms;            /* how many were stopped early */
    struct arm_control arms[PLAN_ARMS_MAX];
};

static inline struct lane_control *group_lane(struct group_control *c, size_t arm, size_t lane)
{
    struct lane_control *lanes = (struct lane_control *)(void *)((char *)c + c->lanes_offset);
    return &lanes[arm * c->lane_count + lane];
}

static inline struct ring *group_runner_ring(struct group_control *c)
{
    return (struct ring *)(void *)((char *)c + c->runner_ring);
}

static inline struct ring *group_ring(struct group_control *c, size_t arm, size_t lane)
{
    size_t at = c->lane_rings + (arm * c->lane_count + lane) * c->lane_ring_stride;
    return (struct ring *)(void *)((char *)c + at);
}

/* ---- the description ---- */

/* Columns of a trial: duration_s, then the experiment's metrics, then each
 * instrument's. */
struct group_instrument {
    const struct instrument *row;
    const void *config;
    bool optional;
    size_t first_column;
};

struct group_arm {
    const struct experiment *experiment;
    const void *config;
    const struct value *agent;
    const struct value *secrets; /* names of variables; or NULL */
    uint64_t workload_seed;
    uint64_t private_seed;
    int64_t time_limit_ns;
    int64_t warmup; /* -1 = until steady */
    int64_t warmup_max;
    int64_t done[PHASE_COUNT]; /* trials stored by an earlier segment */
    int64_t case_count;
    const char *base_dir; /* where relative file names of the spec begin; NULL = here */
    const char **hidden;  /* protection.h; NULL-terminated, as the next two */
    const char **fixed;
    const char **folders;
    struct group_instrument *instruments;
    size_t instrument_count;
    size_t column_count;
    bool has_watch;     /* an instrument looks at measured trials from outside */
    int64_t own_trials; /* trials of their own that instruments want */
};

struct group {
    struct group_arm *arms;
    size_t arm_count;
    size_t lane_count; /* of each arm */
    int64_t stop_failures;
    bool stop_breach; /* a breach of a limit ends its arm */
    struct str cases; /* shared with all processes of the group */
    bool exclusive;
    struct names *names; /* shared with all processes of the command: load/names.h */
    int event_fd;        /* written to when a ring has news */
    pid_t runner;
};

/* Is it time to stop early: for the arm's failures, for a breached limit, for anything? */
static inline bool group_has_failed_enough(const struct group *g, struct group_control *c,
                                           size_t arm)
{
    return g->stop_failures > 0 &&
           atomic_load(&c->arms[arm].failures_in_a_row) >= g->stop_failures;
}

static inline bool group_has_breached(const struct group *g, struct group_control *c,
                                      size_t arm)
{
    return g->stop_breach && atomic_load(&c->arms[arm].has_breached);
}

static inline bool group_must_stop(const struct group *g, struct group_control *c, size_t arm)
{
    return atomic_load(&c->stop) != STOP_NOT || group_has_failed_enough(g, c, arm) ||
           group_has_breached(g, c, arm);
}

/* What the parent adds to the plan: progress of an earlier segment. */
struct group_progress {
    int64_t done[PHASE_COUNT];
};

/* Writes the description of `g` as JSON; `progress` has one item per arm.
 * `protection` is that of the run's agents; may be NULL. */
void group_describe(const struct plan *plan, const struct plan_group *g,
                    const struct group_progress *progress, const struct protection *protection,
                    struct buf *out);

/* Reads it back (in the runner). */
MUST_USE bool group_read(struct str json, struct arena *out, struct group **group,
                         struct error *err);

/* A memory file with control block, description and rings, mapped; `fd` is to
 * be passed to the runner. */
MUST_USE bool group_share(const struct plan_group *g, struct str json,
                          struct group_control **control, int *fd, struct error *err);
MUST_USE bool group_map(int fd, struct group_control **control, struct error *err);
void group_unmap(struct group_control *control);

/* The metric of one column of an arm. */
const struct metric *group_metric(const struct experiment *experiment,
                                  const struct spec_instrument *instruments,
                                  size_t instrument_count, size_t column);

#endif
