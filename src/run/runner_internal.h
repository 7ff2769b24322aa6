/* runner_internal.h - what the files of runner.h share.
 *
 *   runner.c   the group: rounds, turns, blocks
 *   lane.c     one lane: start, order, wait, loss, end
 *   flight.c   several lanes of one arm at once
 *   watch.c    instruments that look from outside */
#ifndef RUN_RUNNER_INTERNAL_H
#define RUN_RUNNER_INTERNAL_H

#include "run/group.h"

#include <sys/types.h>

struct watcher {            /* one outside instrument of one arm */
    enum trial_phase phase; /* whose trials it looks at */
    const struct group_instrument *instrument;
    void *state;
    int64_t interval_ns;
    int64_t next_ns;
};

enum lane_state {
    LANE_STARTING, /* not ready yet */
    LANE_IDLE,
    LANE_BUSY,
    LANE_LOST,  /* died, and its trial is not recorded yet */
    LANE_ENDED, /* will not come back */
};

enum { WHY_SIZE = 300 };

struct lane { /* one process */
    size_t arm;
    struct lane_control *control;
    struct ring *ring;
    pid_t pid; /* 0 = not up */
    const char *work_dir;
    int64_t end;           /* number after the last trial of its order */
    enum lane_state state; /* kept by flight.c */
    bool timed_out;        /* how it was lost, and why */
    char why[WHY_SIZE];
};

struct keeper { /* what the runner knows of one arm */
    struct lane *lanes;
    bool is_given_up;          /* it gets no more turns: set-up failed, or it was stopped */
    bool is_stopped;           /* early, and the parent knows */
    int64_t next[PHASE_COUNT]; /* trials given out, earlier segments included */
    struct watcher *watchers;  /* of its first lane */
    size_t watcher_count;
    enum trial_phase watched; /* trials of this phase are being watched; PHASE_COUNT = none */
};

struct runner {
    struct arena arena;
    struct group *group;
    struct group_control *control;
    struct ring *ring;
    struct keeper *keepers;
};

static const int64_t runner_look_ns = 100000000; /* at least this often */

/* ---- telling the parent ---- */

void runner_ring_bell(const struct runner *r);
void runner_tell(const struct runner *r, size_t arm, enum notice_kind kind, const char *why);

/* ---- watch.c ---- */

void watch_open(struct runner *r, size_t arm);
void watch_close(struct keeper *k);
void watch_begin(struct keeper *k, enum trial_phase phase);

/* Ticks what is due; returns when the next one is, at most until_ns. */
int64_t watch_tick(const struct keeper *k, int64_t now_ns, int64_t until_ns);

/* One record per outside instrument. `was_lost`: the arm died meanwhile, and
 * there is nothing to read. */
void watch_end(struct runner *r, size_t arm, int64_t trial, bool was_lost);

/* ---- lane.c ---- */

MUST_USE bool lane_start(struct runner *r, struct lane *lane);
void lane_order_trials(struct lane *lane, enum trial_phase phase, int64_t trial, int64_t count);
bool lane_is_done(const struct lane *lane);

/* True if it died, by itself or because its trial is over its limit; lane->why
 * says how. */
bool lane_has_died(struct runner *r, struct lane *lane, int64_t now_ns);

/* The trial that a dead lane could not record, if it had one, written into its
 * ring for it. May wait for room in the ring. */
void lane_record_loss(struct runner *r, struct lane *lane, enum trial_phase phase);

/* Brings it up again, warmed up or not. */
MUST_USE bool lane_revive(struct runner *r, struct lane *lane);

/* Tears all lanes of the arm down. */
void lanes_end(struct runner *r, size_t arm);

/* ---- flight.c ---- */

/* Waits until all lanes of the arm are set up. False if the group is to end. */
MUST_USE bool flight_begin(struct runner *r, size_t arm);

/* Keeps every lane of the arm at a trial, up to trial `end` of the phase; of a
 * warm-up, until each has had its own. False if the group is to end. */
MUST_USE bool flight_see_through(struct runner *r, size_t arm, enum trial_phase phase,
                                 int64_t end);

#endif
