/* Several cases of one agent in flight: the runner gives each idle lane the next
 * trial, so it knows at any time which lane has which, and a lane that dies loses
 * exactly the trial it had. */
#include "base/clock.h"
#include "base/futex.h"
#include "run/runner_internal.h"

/* How far ahead of the oldest trial under way others may be, for each lane.
 * Trials are stored in order: those after one that a kill interrupts are asked
 * again. An answer that takes as long as 64 others holds them up. */
enum { AHEAD_PER_LANE = 64 };

struct flight {
    struct runner *r;
    struct keeper *keeper;
    size_t arm;
    enum trial_phase phase;
    int64_t end;
};

static void give_up(struct flight *f, struct lane *lane, const char *why)
{
    if (why) runner_tell(f->r, f->arm, NOTICE_SETUP_FAILED, why);
    lane->state = LANE_ENDED;
    f->keeper->is_given_up = true;
}

/* Another arm has had trials that this one is still to have. */
static bool is_behind(const struct flight *f)
{
    for (size_t i = 0; i < f->r->group->arm_count; i++) {
        const struct keeper *k = &f->r->keepers[i];
        if (!k->is_given_up && k->next[f->phase] > f->keeper->next[f->phase]) return true;
    }
    return false;
}

/* No more measured trials, of one that may end soon: as soon as arms are even. */
static bool must_end(const struct flight *f)
{
    uint32_t stop = atomic_load(&f->r->control->stop);
    return stop == STOP_NOW || (stop == STOP_SOON && !is_behind(f)) ||
           group_has_failed_enough(f->r->group, f->r->control, f->arm) ||
           group_has_breached(f->r->group, f->r->control, f->arm);
}

/* Its loss goes into its ring once that has room: waiting for it here could be
 * waiting for ourselves, when the trial before it is overdue. */
static void settle_loss(struct flight *f, struct lane *lane)
{
    if (!ring_has_room(lane->ring)) return;
    lane_record_loss(f->r, lane, f->phase);
    atomic_store(&lane->control->is_warm, 1);
    bool is_over = f->phase != PHASE_WARMUP && must_end(f);
    if (is_over || !lane_revive(f->r, lane)) give_up(f, lane, NULL);
}

/* What has become of the lane since it was last looked at. */
static void settle(struct flight *f, struct lane *lane, int64_t now_ns)
{
    switch (lane->state) {
    case LANE_STARTING:
        if (atomic_load(&lane->control->is_ready)) {
            lane->state = LANE_IDLE;
        } else if (lane_has_died(f->r, lane, now_ns)) {
            give_up(f, lane, lane->why); /* it reported the reason itself unless it crashed */
        }
        break;
    case LANE_BUSY:
        if (lane_is_done(lane)) {
            lane->state = LANE_IDLE;
        } else if (lane_has_died(f->r, lane, now_ns)) {
            lane->state = LANE_LOST;
        }
        break;
    case LANE_LOST:
    case LANE_IDLE:
    case LANE_ENDED: break;
    }
    if (lane->state == LANE_LOST) settle_loss(f, lane);
}

static int64_t oldest_trial(const struct flight *f)
{
    int64_t oldest = f->keeper->next[f->phase];
    for (size_t i = 0; i < f->r->group->lane_count; i++) {
        const struct lane *lane = &f->keeper->lanes[i];
        bool has_one = lane->state == LANE_BUSY || lane->state == LANE_LOST;
        if (has_one && lane->end - 1 < oldest) oldest = lane->end - 1;
    }
    return oldest;
}

static bool is_wanted(const struct flight *f, const struct lane *lane)
{
    const struct runner *r = f->r;
    int64_t next = f->keeper->next[f->phase];
    if (lane->state != LANE_IDLE || f->keeper->is_given_up) return false;
    if (f->phase == PHASE_WARMUP) {
        return atomic_load(&r->control->stop) == STOP_NOT &&
               !atomic_load(&lane->control->is_warm);
    }
    return next < f->end && !must_end(f) &&
           next - oldest_trial(f) < AHEAD_PER_LANE * (int64_t)r->group->lane_count;
}

/* Looks at every lane once; true while one of them has something to do. */
static bool look_at_all(struct flight *f)
{
    int64_t now_ns = clock_ns();
    bool is_busy = false;
    for (size_t i = 0; i < f->r->group->lane_count; i++) {
        struct lane *lane = &f->keeper->lanes[i];
        settle(f, lane, now_ns);
        if (is_wanted(f, lane)) {
            lane_order_trials(lane, f->phase, f->keeper->next[f->phase]++, 1);
            lane->state = LANE_BUSY;
        }
        is_busy |= lane->state != LANE_IDLE && lane->state != LANE_ENDED;
    }
    return is_busy;
}

static bool fly(struct flight *f)
{
    struct arm_control *c = &f->r->control->arms[f->arm];
    for (;;) {
        uint32_t news = atomic_load(&c->news);
        if (atomic_load(&f->r->control->stop) == STOP_NOW) return false;
        if (!look_at_all(f)) return true;
        futex_wait(&c->news, news, runner_look_ns); /* SIGCHLD ends it too */
    }
}

bool flight_begin(struct runner *r, size_t arm)
{
    /* Nothing is wanted before trial 0: it ends when all are up. */
    struct flight f = {r, &r->keepers[arm], arm, PHASE_MEASURED, INT64_MIN};
    return fly(&f);
}

bool flight_see_through(struct runner *r, size_t arm, enum trial_phase phase, int64_t end)
{
    struct flight f = {r, &r->keepers[arm], arm, phase, end};
    if (phase == PHASE_WARMUP && r->group->arms[arm].warmup == 0) return true;
    return fly(&f);
}
