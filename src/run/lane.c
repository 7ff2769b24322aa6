/* A lane is one process of an arm, as the runner sees it: started, given orders, found dead or
 * overdue, replaced, ended.
 *
 * A trial never goes missing. Its number is in the lane's control block before it begins, so
 * whoever finds the process gone or over its limit writes the record of that trial in its
 * stead (failed or timed out), moves the number on and starts another process for the rest.
 * The producer of a ring is one process at a time: the lane while it lives, then the runner. */
#include "base/clock.h"
#include "base/futex.h"
#include "base/os.h"
#include "run/arm.h"
#include "run/measure.h"
#include "run/runner_internal.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const int64_t backstop_ns = 5000000000; /* for experiments that time out by themselves */
static const int64_t teardown_limit_ns = 60000000000;
static const int64_t abort_limit_ns = 3000000000;

static void describe_end(int status, char *out, size_t size)
{
    if (WIFSIGNALED(status)) {
        snprintf(out, size, "the process of the experiment was ended by signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        enum { NO_MEMORY = 3 }; /* memory_failed */
        snprintf(out, size, "the process of the experiment ended by itself with exit code %d%s",
                 WEXITSTATUS(status),
                 WEXITSTATUS(status) == NO_MEMORY
                     ? ": it could not allocate memory; raise the limit (ulimit -v, the "
                       "container's), or ask for less"
                     : "");
    }
}

static bool is_gone(struct lane *lane, int *status)
{
    if (lane->pid == 0) return true;
    pid_t got = waitpid(lane->pid, status, WNOHANG);
    if (got != lane->pid) return false;
    lane->pid = 0;
    return true;
}

static void kill_lane(struct lane *lane)
{
    if (lane->pid == 0) return;
    kill(lane->pid, SIGKILL);
    int status = 0;
    while (waitpid(lane->pid, &status, 0) < 0 && errno == EINTR) {
    }
    lane->pid = 0;
}

bool lane_start(struct runner *r, struct lane *lane)
{
    struct lane_control *c = lane->control;
    struct error err = {0};
    lane->state = LANE_ENDED;
    lane->timed_out = false;
    if (!os_make_temp_dir("assay-arm", &r->arena, &lane->work_dir, &err)) {
        runner_tell(r, lane->arm, NOTICE_SETUP_FAILED, err.text);
        return false;
    }
    atomic_store(&c->orders, 0);
    atomic_store(&c->done, 0);
    atomic_store(&c->trial_started_ns, 0);
    atomic_store(&c->is_ready, 0);
    size_t number = (size_t)(lane - r->keepers[lane->arm].lanes);
    lane->pid = fork();
    if (lane->pid == 0) arm_main(r->group, lane->arm, number, r->control, lane->work_dir);
    if (lane->pid < 0) {
        lane->pid = 0;
        runner_tell(r, lane->arm, NOTICE_SETUP_FAILED, "cannot fork");
        return false;
    }
    lane->state = LANE_STARTING;
    if (number == 0) watch_open(r, lane->arm);
    return true;
}

bool lane_revive(struct runner *r, struct lane *lane)
{
    struct keeper *k = &r->keepers[lane->arm];
    if (lane == k->lanes) watch_close(k);
    if (lane->work_dir) os_remove_tree(lane->work_dir);
    return lane_start(r, lane);
}

static void give_order(struct lane *lane, enum arm_order order, int64_t trial, int64_t count)
{
    struct lane_control *c = lane->control;
    c->order = order;
    c->count = count;
    lane->end = count < INT64_MAX - trial ? trial + count : INT64_MAX;
    atomic_store(&c->trial, trial);
    atomic_fetch_add(&c->orders, 1);
    futex_wake(&c->orders);
}

void lane_order_trials(struct lane *lane, enum trial_phase phase, int64_t trial, int64_t count)
{
    static const enum arm_order orders[PHASE_COUNT] = {ORDER_WARMUP, ORDER_MEASURE,
                                                       ORDER_PROFILE};
    give_order(lane, orders[phase], trial, count);
}

bool lane_is_done(const struct lane *lane)
{
    return atomic_load(&lane->control->done) == atomic_load(&lane->control->orders);
}

/* True when the trial under way is over its limit. */
static bool is_overdue(const struct runner *r, const struct lane *lane, int64_t now_ns)
{
    const struct group_arm *plan = &r->group->arms[lane->arm];
    if (plan->time_limit_ns == 0) return false;
    int64_t started_ns = atomic_load(&lane->control->trial_started_ns);
    int64_t limit_ns = plan->time_limit_ns + (plan->experiment->spawns ? backstop_ns : 0);
    return started_ns > 0 && now_ns - started_ns > limit_ns;
}

bool lane_has_died(struct runner *r, struct lane *lane, int64_t now_ns)
{
    int status = 0;
    if (is_gone(lane, &status)) {
        describe_end(status, lane->why, sizeof lane->why);
        return true;
    }
    if (!is_overdue(r, lane, now_ns)) return false;
    kill_lane(lane);
    lane->timed_out = true;
    snprintf(lane->why, sizeof lane->why, "took longer than its time limit of %.3g s",
             (double)r->group->arms[lane->arm].time_limit_ns / 1e9);
    return true;
}

/* Who is in a process of its own and kept from ours cannot have ended it: somebody else has,
 * and nothing is known of the agent. A plug-in is in ours, and an agent without
 * containment has our rights. */
static enum trial_status status_of_loss(const struct lane *lane, const struct value *agent)
{
    if (lane->timed_out) return TRIAL_TIMED_OUT;
    struct str way = value_text(value_get(agent, "process"), "contain");
    bool is_apart = agent && !value_get(agent, "plugin") && !str_is(way, "off");
    return is_apart ? TRIAL_HARNESS_ERROR : TRIAL_FAILED;
}

void lane_record_loss(struct runner *r, struct lane *lane, enum trial_phase phase)
{
    struct arm_control *c = &r->control->arms[lane->arm];
    int64_t trial = atomic_load(&lane->control->trial);
    if (trial >= lane->end) return; /* it had just finished */
    int64_t started_ns = atomic_load(&lane->control->trial_started_ns);
    int64_t now_ns = clock_ns();
    if (started_ns == 0) started_ns = now_ns;
    enum trial_status status = status_of_loss(lane, r->group->arms[lane->arm].agent);
    struct record head = {.kind = RECORD_TRIAL,
                          .status = (uint8_t)status,
                          .phase = (uint8_t)phase,
                          .arm = (uint8_t)lane->arm,
                          .trial = trial,
                          .case_index =
                              measure_case_of(&r->group->arms[lane->arm], trial, r->arena),
                          .start_ns = started_ns,
                          .duration_s = (double)(now_ns - started_ns) / 1e9};
    char why[WHY_SIZE + 64];
    snprintf(why, sizeof why, "%s%s",
             status == TRIAL_HARNESS_ERROR ? "assay's own process was lost: " : "", lane->why);
    struct record_texts texts = {.error = str_of(why)};
    lane->ring->parent = 0; /* we are its producer now */
    ring_write(lane->ring, &head, NULL, &texts);
    atomic_store(&lane->control->trial, trial + 1);
    atomic_fetch_add(&c->failures_in_a_row, 1);
    if (lane->timed_out && phase == PHASE_MEASURED) atomic_store(&c->has_breached, 1);
    runner_ring_bell(r);
}

/* True when the lane has ended or was ended. */
static bool has_ended(struct runner *r, struct lane *lane, int64_t deadline_ns)
{
    int status = 0;
    if (is_gone(lane, &status)) return true;
    if (clock_ns() <= deadline_ns) return false;
    kill_lane(lane);
    runner_tell(r, lane->arm, NOTICE_TEARDOWN_FAILED,
                "teardown did not end; the process was killed");
    return true;
}

void lanes_end(struct runner *r, size_t arm)
{
    struct keeper *k = &r->keepers[arm];
    size_t count = r->group->lane_count;
    watch_close(k);
    for (size_t i = 0; i < count; i++) {
        if (k->lanes[i].pid) give_order(&k->lanes[i], ORDER_TEARDOWN, 0, 0);
    }
    int64_t deadline_ns = clock_ns() + teardown_limit_ns;
    bool is_aborting = false;
    for (size_t i = 0; i < count;) {
        if (!is_aborting && atomic_load(&r->control->stop) == STOP_NOW) {
            is_aborting = true;
            deadline_ns = clock_ns() + abort_limit_ns;
            for (size_t n = i; n < count; n++) {
                if (k->lanes[n].pid) kill(k->lanes[n].pid, SIGTERM);
            }
        }
        if (has_ended(r, &k->lanes[i], deadline_ns)) {
            i++;
            continue;
        }
        /* SIGCHLD ends the wait. */
        futex_wait(&r->control->commands, atomic_load(&r->control->commands), 20000000);
    }
    for (size_t i = 0; i < count; i++) {
        if (k->lanes[i].work_dir) os_remove_tree(k->lanes[i].work_dir);
    }
}
