/* The rounds of a group. A round is one turn of each arm, in the order of a balanced
 * Latin square (plan_turn); a turn is one trial, or one pass where cases are in flight
 * at once. Before a round the parent is asked whether it is wanted (is_wanted), so
 * that `until` and limits end a group between rounds and never within one; an arm that
 * has earned its end is left out of later rounds, which is told before their first
 * trial. Arms that cannot be up together take turns in blocks. A lane that dies has
 * lost the trial that it was at and is started again: nothing that happens to an arm
 * ends the runner. */
#include "run/runner.h"

#include "base/clock.h"
#include "base/futex.h"
#include "run/runner_internal.h"

#include <signal.h>
#include <unistd.h>

/* ---- telling the parent ---- */

void runner_ring_bell(const struct runner *r)
{
    uint64_t one = 1;
    ssize_t n = write(r->group->event_fd, &one, sizeof one);
    (void)n;
}

void runner_tell(const struct runner *r, size_t arm, enum notice_kind kind, const char *why)
{
    struct record head = {.kind = RECORD_NOTICE, .status = (uint8_t)kind, .arm = (uint8_t)arm};
    struct record_texts texts = {.error = str_of(why)};
    ring_write(r->ring, &head, NULL, &texts);
    runner_ring_bell(r);
}

/* ---- stopping ---- */

/* Why the arm has earned its end; false if it has not. */
static bool has_earned_end(const struct runner *r, size_t arm, char *why, size_t size)
{
    if (group_has_failed_enough(r->group, r->control, arm)) {
        snprintf(why, size, "stopped after %lld failures in a row",
                 (long long)r->group->stop_failures);
    } else if (group_has_breached(r->group, r->control, arm)) {
        snprintf(why, size, "stopped after a limit was breached");
    } else {
        return false;
    }
    return true;
}

/* The first round that no arm has begun. */
static int64_t next_round(const struct runner *r)
{
    int64_t round = 0;
    for (size_t i = 0; i < r->group->arm_count; i++) {
        int64_t next = r->keepers[i].next[PHASE_MEASURED];
        if (next > round) round = next;
    }
    return round;
}

/* After a round: ends the arms that have earned it, and only those. The others go on, in
 * rounds that are not whole any more. The parent must know that before it reads a trial of
 * such a round, so it is in the control block before the trial is ordered. */
static void end_arms_early(struct runner *r)
{
    int64_t round = next_round(r);
    char why[120];
    for (size_t i = 0; i < r->group->arm_count; i++) {
        struct keeper *k = &r->keepers[i];
        if (k->is_stopped || !has_earned_end(r, i, why, sizeof why)) continue;
        k->is_stopped = k->is_given_up = true;
        atomic_store(&r->control->arms[i].ended_at, round);
        atomic_fetch_add(&r->control->ended_arms, 1);
        runner_tell(r, i, NOTICE_STOPPED, why);
    }
}

/* ---- one lane at work ---- */

enum wait_result { WAIT_DONE, WAIT_DIED, WAIT_ABORTED };

/* Waits until the lane has executed its order. */
static enum wait_result wait_for(struct runner *r, struct lane *lane)
{
    struct arm_control *c = &r->control->arms[lane->arm];
    for (;;) {
        uint32_t news = atomic_load(&c->news);
        if (lane_is_done(lane)) return WAIT_DONE;
        int64_t now_ns = clock_ns();
        if (lane_has_died(r, lane, now_ns)) return WAIT_DIED;
        if (atomic_load(&r->control->stop) == STOP_NOW) return WAIT_ABORTED;
        int64_t until_ns = watch_tick(&r->keepers[lane->arm], now_ns, now_ns + runner_look_ns);
        futex_wait(&c->news, news, until_ns - now_ns);
    }
}

/* Carries out one order, and turns a death into a failed trial. False if the
 * group is to end. */
static bool see_through(struct runner *r, size_t arm, enum trial_phase phase, int64_t count)
{
    struct keeper *k = &r->keepers[arm];
    struct lane *lane = &k->lanes[0];
    lane_order_trials(lane, phase, k->next[phase], count);
    enum wait_result result = wait_for(r, lane);
    if (result == WAIT_DIED && !atomic_load(&lane->control->is_ready)) {
        /* It reported the reason itself unless it crashed. */
        runner_tell(r, arm, NOTICE_SETUP_FAILED, lane->why);
        k->is_given_up = true;
    } else if (result == WAIT_DIED) {
        lane_record_loss(r, lane, phase);
        k->is_given_up =
            group_has_failed_enough(r->group, r->control, arm) || !lane_revive(r, lane);
    }
    k->next[phase] = atomic_load(&lane->control->trial);
    return result != WAIT_ABORTED;
}

/* One trial of one arm, watched. */
static bool take_turn(struct runner *r, size_t arm, enum trial_phase phase)
{
    struct keeper *k = &r->keepers[arm];
    int64_t trial = k->next[phase];
    pid_t pid = k->lanes[0].pid;
    watch_begin(k, phase);
    if (!see_through(r, arm, phase, 1)) return false;
    watch_end(r, arm, trial, k->lanes[0].pid != pid);
    return true;
}

/* The first round that some arm has not yet done. */
static int64_t current_round(const struct runner *r)
{
    int64_t round = INT64_MAX;
    for (size_t i = 0; i < r->group->arm_count; i++) {
        if (r->keepers[i].is_given_up) continue;
        int64_t done = r->keepers[i].next[PHASE_MEASURED];
        if (done < round) round = done;
    }
    return round;
}

/* Where a turn that begins at `round` ends. An arm that is alone goes on to the
 * limit. Arms that take turns do so trial by trial, or, with cases in flight at
 * once, pass by pass: while the lanes of one work, those of the others wait. */
static int64_t turn_end(const struct runner *r, int64_t round, int64_t limit)
{
    bool is_concurrent = r->group->lane_count > 1;
    int64_t cases = r->group->arms[0].case_count;
    if (r->group->arm_count == 1 && (is_concurrent || !r->group->arms[0].has_watch))
        return limit;
    int64_t end = is_concurrent ? (round / cases + 1) * cases : round + 1;
    return end < limit ? end : limit;
}

static bool one_turn(struct runner *r, size_t arm, int64_t end)
{
    int64_t left = end - r->keepers[arm].next[PHASE_MEASURED];
    if (r->group->lane_count > 1) return flight_see_through(r, arm, PHASE_MEASURED, end);
    bool is_watched = r->group->arms[arm].has_watch || r->group->arm_count > 1;
    return is_watched ? take_turn(r, arm, PHASE_MEASURED)
                      : see_through(r, arm, PHASE_MEASURED, left);
}

/* A turn of each arm that has not got to `end`. */
static bool one_round(struct runner *r, int64_t round, int64_t end)
{
    bool is_concurrent = r->group->lane_count > 1;
    int64_t row = is_concurrent ? round / r->group->arms[0].case_count : round;
    for (size_t turn = 0; turn < r->group->arm_count; turn++) {
        size_t arm = plan_turn(r->group->arm_count, row, turn);
        bool has_turn =
            !r->keepers[arm].is_given_up && r->keepers[arm].next[PHASE_MEASURED] < end;
        if (has_turn && !one_turn(r, arm, end)) return false;
    }
    return true;
}

/* Waits until the parent has decided about this round: true = it may be executed, up to
 * *limit; false = it is enough. */
static bool is_wanted(const struct runner *r, int64_t round, int64_t *limit)
{
    for (;;) {
        uint32_t commands = atomic_load(&r->control->commands);
        if (atomic_load(&r->control->stop) != STOP_NOT || round == INT64_MAX) return false;
        *limit = atomic_load(&r->control->round_limit);
        if (round < *limit) return true;
        if (atomic_load(&r->control->limit_is_last)) return false;
        runner_ring_bell(r);
        futex_wait(&r->control->commands, commands, runner_look_ns);
    }
}

static void carry_out_rounds(struct runner *r)
{
    int64_t limit = 0;
    for (int64_t round; is_wanted(r, round = current_round(r), &limit);) {
        if (!one_round(r, round, turn_end(r, round, limit))) return;
        end_arms_early(r);
    }
    end_arms_early(r); /* those that died too often in their warm-up */
}

static bool warm_up(struct runner *r, size_t arm)
{
    if (r->keepers[arm].is_given_up) return true;
    if (r->group->lane_count == 1) return see_through(r, arm, PHASE_WARMUP, INT64_MAX);
    return flight_begin(r, arm) && flight_see_through(r, arm, PHASE_WARMUP, INT64_MAX);
}

static bool warm_all_up(struct runner *r)
{
    for (size_t i = 0; i < r->group->arm_count; i++) {
        if (!warm_up(r, i)) return false;
    }
    return true;
}

static bool start_arm(struct runner *r, size_t arm)
{
    bool is_up = true;
    for (size_t i = 0; i < r->group->lane_count && is_up; i++) {
        is_up = lane_start(r, &r->keepers[arm].lanes[i]);
    }
    return is_up;
}

/* Trials of their own for the instruments that cost, after the measured ones. */
static void profile_arm(struct runner *r, size_t arm)
{
    for (int64_t i = r->group->arms[arm].done[PHASE_PROFILED];
         i < r->group->arms[arm].own_trials; i++) {
        bool goes_on = !r->keepers[arm].is_given_up &&
                       atomic_load(&r->control->stop) != STOP_NOW &&
                       take_turn(r, arm, PHASE_PROFILED);
        if (!goes_on) return;
    }
}

static void run_together(struct runner *r)
{
    size_t n = r->group->arm_count;
    for (size_t i = 0; i < n; i++) r->keepers[i].is_given_up = !start_arm(r, i);
    if (warm_all_up(r)) carry_out_rounds(r);
    for (size_t i = 0; i < n; i++) profile_arm(r, i);
    for (size_t i = n; i-- > 0;) lanes_end(r, i);
}

/* One block of one arm: up to measured trial `end`. False if the group is to
 * end. */
static bool run_block(struct runner *r, size_t arm, int64_t end, bool is_last)
{
    const struct keeper *k = &r->keepers[arm];
    bool goes_on = start_arm(r, arm) && warm_up(r, arm);
    while (goes_on && !k->is_given_up && k->next[PHASE_MEASURED] < end &&
           !group_must_stop(r->group, r->control, arm)) {
        goes_on = take_turn(r, arm, PHASE_MEASURED);
    }
    if (goes_on && is_last) profile_arm(r, arm);
    lanes_end(r, arm);
    return goes_on;
}

/* Arms that cannot be up at once take turns in blocks: a quarter of the rounds
 * each, with set-up, warm-up and teardown around every block. */
static void run_in_blocks(struct runner *r)
{
    size_t n = r->group->arm_count;
    int64_t limit = 0;
    int64_t end = 0;
    for (int64_t number = 0; current_round(r) != INT64_MAX && is_wanted(r, end, &limit);
         number++) {
        int64_t block = limit > 4 ? (limit + 3) / 4 : 1;
        end = end + block < limit ? end + block : limit;
        bool is_last = end == limit && atomic_load(&r->control->limit_is_last);
        for (size_t turn = 0; turn < n; turn++) {
            size_t arm = plan_turn(n, number, turn);
            bool is_done =
                r->keepers[arm].is_given_up || r->keepers[arm].next[PHASE_MEASURED] >= end;
            if (!is_done && !run_block(r, arm, end, is_last)) return;
        }
        end_arms_early(r);
    }
}

static void do_nothing(int signal_number)
{
    (void)signal_number;
}

static void open_keeper(struct runner *r, size_t arm)
{
    struct keeper *k = &r->keepers[arm];
    memcpy(k->next, r->group->arms[arm].done, sizeof k->next);
    k->watched = PHASE_COUNT;
    k->lanes = arena_new(&r->arena, struct lane, r->group->lane_count);
    for (size_t i = 0; i < r->group->lane_count; i++) {
        k->lanes[i] = (struct lane){.arm = arm,
                                    .control = group_lane(r->control, arm, i),
                                    .ring = group_ring(r->control, arm, i),
                                    .state = LANE_ENDED};
    }
}

void runner_main(int memory_fd, int event_fd, struct names *names)
{
    struct sigaction wake = {.sa_handler = do_nothing}; /* no SA_RESTART: ends futex_wait */
    sigaction(SIGCHLD, &wake, NULL);
    struct runner r = {.arena = arena_open()};
    struct error err = {0};
    if (!group_map(memory_fd, &r.control, &err)) _exit(1);
    r.ring = group_runner_ring(r.control);
    struct str json = {(char *)r.control + r.control->config_offset, r.control->config_bytes};
    if (!group_read(json, &r.arena, &r.group, &err)) _exit(1);
    r.group->cases =
        (struct str){(char *)r.control + r.control->cases_offset, r.control->cases_bytes};
    r.group->event_fd = event_fd;
    r.group->names = names;
    r.group->runner = getpid();
    r.keepers = arena_new(&r.arena, struct keeper, r.group->arm_count);
    for (size_t i = 0; i < r.group->arm_count; i++) open_keeper(&r, i);
    if (r.group->exclusive && r.group->arm_count > 1) {
        run_in_blocks(&r);
    } else {
        run_together(&r);
    }
    runner_ring_bell(&r);
    _exit(0);
}
