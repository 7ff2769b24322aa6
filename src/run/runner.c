#include "run/runner.h"

#include "base/clock.h"
#include "base/futex.h"
#include "base/os.h"
#include "run/arm.h"
#include "run/measure.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const int64_t look_ns = 100000000;      /* at least this often */
static const int64_t backstop_ns = 5000000000; /* for experiments that time out by themselves */
static const int64_t teardown_limit_ns = 60000000000;
static const int64_t abort_limit_ns = 3000000000;
static const size_t curve_max = (size_t)192 << 10;

struct watcher {            /* one outside instrument of one arm */
    enum trial_phase phase; /* whose trials it looks at */
    const struct group_instrument *instrument;
    void *state;
    int64_t interval_ns;
    int64_t next_ns;
};

struct keeper { /* what the runner knows of one arm */
    pid_t pid;  /* 0 = not up */
    const char *work_dir;
    bool is_given_up; /* set-up failed or it died too often: it gets no more turns */
    struct watcher *watchers;
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

enum wait_result { WAIT_DONE, WAIT_DIED, WAIT_ABORTED };

/* ---- telling the parent ---- */

static void ring_bell(const struct runner *r)
{
    uint64_t one = 1;
    ssize_t n = write(r->group->event_fd, &one, sizeof one);
    (void)n;
}

static void tell(const struct runner *r, size_t arm, enum notice_kind kind, const char *why)
{
    struct record head = {.kind = RECORD_NOTICE, .status = (uint8_t)kind, .arm = (uint8_t)arm};
    struct record_texts texts = {.error = str_of(why)};
    ring_write(r->ring, &head, NULL, &texts);
    ring_bell(r);
}

/* A trial that its own arm could not record. */
static void record_loss(const struct runner *r, size_t arm, enum trial_phase phase,
                        enum trial_status status, const char *why)
{
    struct arm_control *c = &r->control->arms[arm];
    int64_t trial = atomic_load(&c->trials[phase]);
    int64_t started_ns = atomic_load(&c->trial_started_ns);
    int64_t now_ns = clock_ns();
    if (started_ns == 0) started_ns = now_ns;
    struct record head = {.kind = RECORD_TRIAL,
                          .status = (uint8_t)status,
                          .phase = (uint8_t)phase,
                          .arm = (uint8_t)arm,
                          .trial = trial,
                          .case_index = measure_case_of(&r->group->arms[arm], trial, r->arena),
                          .start_ns = started_ns,
                          .duration_s = (double)(now_ns - started_ns) * 1e-9};
    struct record_texts texts = {.error = str_of(why)};
    ring_write(r->ring, &head, NULL, &texts);
    atomic_store(&c->trials[phase], trial + 1);
    atomic_fetch_add(&c->failures_in_a_row, 1);
    if (status == TRIAL_TIMED_OUT && phase == PHASE_MEASURED) atomic_store(&c->has_breached, 1);
    ring_bell(r);
}

/* ---- watching from outside ---- */

static void begin_watch(struct keeper *k, enum trial_phase phase)
{
    k->watched = phase;
    int64_t now_ns = clock_ns();
    for (size_t i = 0; i < k->watcher_count; i++) {
        struct watcher *w = &k->watchers[i];
        if (!w->state || w->phase != phase) continue;
        w->instrument->row->watch_begin(w->state);
        w->next_ns = now_ns + w->interval_ns;
    }
}

/* Ticks what is due; returns when the next one is. */
static int64_t tick_watch(const struct keeper *k, int64_t now_ns, int64_t until_ns)
{
    for (size_t i = 0; i < k->watcher_count; i++) {
        struct watcher *w = &k->watchers[i];
        if (!w->state || w->phase != k->watched) continue;
        if (now_ns >= w->next_ns) {
            w->instrument->row->watch_tick(w->state);
            w->next_ns = now_ns + w->interval_ns;
        }
        if (w->next_ns < until_ns) until_ns = w->next_ns;
    }
    return until_ns;
}

/* One record per outside instrument. `was_lost`: the arm died meanwhile, and
 * there is nothing to read. */
static void end_watch(struct runner *r, size_t arm, int64_t trial, bool was_lost)
{
    struct keeper *k = &r->keepers[arm];
    const struct group_arm *plan = &r->group->arms[arm];
    enum trial_phase phase = k->watched;
    k->watched = PHASE_COUNT;
    struct arena scratch = r->arena;
    double *values = arena_new(&scratch, double, plan->column_count);
    for (size_t i = 0; i < k->watcher_count; i++) {
        struct watcher *w = &k->watchers[i];
        const struct instrument *row = w->instrument->row;
        if (w->phase != phase) continue;
        struct buf curve;
        buf_init(&curve, curve_max);
        for (size_t c = 0; c < plan->column_count; c++) values[c] = NAN;
        if (w->state && !was_lost)
            row->watch_end(w->state, values + w->instrument->first_column, &curve);
        struct record head = {.kind = RECORD_WATCH,
                              .phase = (uint8_t)phase,
                              .arm = (uint8_t)arm,
                              .trial = trial,
                              .value_count = (uint32_t)plan->column_count};
        struct record_texts texts = {.detail = str_of(row->name), .output = buf_str(&curve)};
        ring_write(r->ring, &head, values, &texts);
        buf_release(&curve);
    }
    if (k->watcher_count > 0) ring_bell(r);
}

static void open_watch(struct runner *r, size_t arm)
{
    struct keeper *k = &r->keepers[arm];
    const struct group_arm *plan = &r->group->arms[arm];
    struct instrument_subject subject = {k->pid, plan->experiment->spawns};
    k->watchers = arena_new(&r->arena, struct watcher, plan->instrument_count);
    k->watcher_count = 0;
    k->watched = PHASE_COUNT;
    for (size_t i = 0; i < plan->instrument_count; i++) {
        const struct group_instrument *g = &plan->instruments[i];
        if (!g->row->watch_begin) continue;
        struct watcher *w = &k->watchers[k->watcher_count++];
        w->instrument = g;
        w->phase = g->row->own_trials ? PHASE_PROFILED : PHASE_MEASURED;
        w->interval_ns = g->row->watch_interval_ns(g->config);
        w->state = arena_alloc(&r->arena, 1, g->row->state_size + 1, _Alignof(max_align_t));
        struct error err = {0};
        if (!g->row->watch_open(w->state, g->config, &subject, &err)) {
            tell(r, arm, NOTICE_INSTRUMENT_LOST, err.text);
            w->state = NULL;
        }
    }
}

static void close_watch(struct keeper *k)
{
    k->watched = PHASE_COUNT;
    for (size_t i = 0; i < k->watcher_count; i++) {
        struct watcher *w = &k->watchers[i];
        if (w->state) w->instrument->row->watch_close(w->state);
        w->state = NULL;
    }
}

/* ---- arms: start, order, wait, end ---- */

static void describe_end(int status, char *out, size_t size)
{
    if (WIFSIGNALED(status)) {
        snprintf(out, size, "the process of the experiment was ended by signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        snprintf(out, size, "the process of the experiment ended by itself with exit code %d",
                 WEXITSTATUS(status));
    }
}

static bool is_gone(struct keeper *k, int *status)
{
    if (k->pid == 0) return true;
    pid_t got = waitpid(k->pid, status, WNOHANG);
    if (got != k->pid) return false;
    k->pid = 0;
    return true;
}

static void kill_arm(struct keeper *k)
{
    if (k->pid == 0) return;
    kill(k->pid, SIGKILL);
    int status = 0;
    while (waitpid(k->pid, &status, 0) < 0 && errno == EINTR) {
    }
    k->pid = 0;
}

/* True (and the arm killed) when the trial under way is over its limit. */
static bool is_overdue(struct runner *r, size_t arm, int64_t now_ns)
{
    const struct group_arm *plan = &r->group->arms[arm];
    if (plan->time_limit_ns == 0) return false;
    int64_t started_ns = atomic_load(&r->control->arms[arm].trial_started_ns);
    int64_t limit_ns = plan->time_limit_ns + (plan->experiment->spawns ? backstop_ns : 0);
    return started_ns > 0 && now_ns - started_ns > limit_ns;
}

/* Waits until the arm has carried out its order. `why` says how it died. */
static enum wait_result wait_for(struct runner *r, size_t arm, char *why, size_t why_size,
                                 bool *timed_out)
{
    struct keeper *k = &r->keepers[arm];
    struct arm_control *c = &r->control->arms[arm];
    *timed_out = false;
    for (;;) {
        uint32_t done = atomic_load(&c->done);
        if (done == atomic_load(&c->orders)) return WAIT_DONE;
        int status = 0;
        if (is_gone(k, &status)) {
            describe_end(status, why, why_size);
            return WAIT_DIED;
        }
        if (atomic_load(&r->control->stop) == STOP_NOW) return WAIT_ABORTED;
        int64_t now_ns = clock_ns();
        if (is_overdue(r, arm, now_ns)) {
            kill_arm(k);
            *timed_out = true;
            snprintf(why, why_size, "took longer than its time limit of %.3g s",
                     (double)r->group->arms[arm].time_limit_ns * 1e-9);
            return WAIT_DIED;
        }
        int64_t until_ns = tick_watch(k, now_ns, now_ns + look_ns);
        futex_wait(&c->done, done, until_ns - now_ns);
    }
}

static void give_order(struct runner *r, size_t arm, enum arm_order order, int64_t count)
{
    struct arm_control *c = &r->control->arms[arm];
    c->order = order;
    c->count = count;
    atomic_fetch_add(&c->orders, 1);
    futex_wake(&c->orders);
}

static bool start_arm(struct runner *r, size_t arm)
{
    struct keeper *k = &r->keepers[arm];
    struct arm_control *c = &r->control->arms[arm];
    struct error err = {0};
    if (!os_make_temp_dir("assay-arm", &r->arena, &k->work_dir, &err)) {
        tell(r, arm, NOTICE_SETUP_FAILED, err.text);
        return false;
    }
    atomic_store(&c->orders, 0);
    atomic_store(&c->done, 0);
    atomic_store(&c->trial_started_ns, 0);
    atomic_store(&c->is_ready, 0);
    k->pid = fork();
    if (k->pid == 0) arm_main(r->group, arm, r->control, k->work_dir);
    if (k->pid < 0) {
        k->pid = 0;
        tell(r, arm, NOTICE_SETUP_FAILED, "cannot fork");
        return false;
    }
    open_watch(r, arm);
    return true;
}

static void end_arm(struct runner *r, size_t arm)
{
    struct keeper *k = &r->keepers[arm];
    close_watch(k);
    int64_t deadline_ns = clock_ns() + teardown_limit_ns;
    if (k->pid) give_order(r, arm, ORDER_TEARDOWN, 0);
    bool is_aborting = false;
    int status = 0;
    while (!is_gone(k, &status)) {
        int64_t now_ns = clock_ns();
        if (!is_aborting && atomic_load(&r->control->stop) == STOP_NOW) {
            is_aborting = true;
            kill(k->pid, SIGTERM);
            deadline_ns = now_ns + abort_limit_ns;
        }
        if (now_ns > deadline_ns) {
            kill_arm(k);
            tell(r, arm, NOTICE_TEARDOWN_FAILED,
                 "teardown did not end; the process was killed");
            break;
        }
        /* SIGCHLD ends the wait. */
        futex_wait(&r->control->commands, atomic_load(&r->control->commands), 20000000);
    }
    if (k->work_dir) os_remove_tree(k->work_dir);
}

/* ---- phases ---- */

static bool has_failed_enough(const struct runner *r, size_t arm)
{
    return r->group->stop_failures > 0 &&
           atomic_load(&r->control->arms[arm].failures_in_a_row) >= r->group->stop_failures;
}

/* Brings the arm up (again). A crash in set-up is a failed set-up. */
static bool revive(struct runner *r, size_t arm)
{
    struct keeper *k = &r->keepers[arm];
    close_watch(k);
    if (k->work_dir) os_remove_tree(k->work_dir);
    return start_arm(r, arm);
}

/* Carries out one order, and turns a death into a failed trial. False if the
 * group is to end. */
static bool see_through(struct runner *r, size_t arm, enum trial_phase phase, int64_t count)
{
    char why[300];
    bool timed_out = false;
    static const enum arm_order orders[PHASE_COUNT] = {ORDER_WARMUP, ORDER_MEASURE,
                                                       ORDER_PROFILE};
    give_order(r, arm, orders[phase], count);
    enum wait_result result = wait_for(r, arm, why, sizeof why, &timed_out);
    if (result == WAIT_ABORTED) return false;
    if (result == WAIT_DONE) return true;
    if (!atomic_load(&r->control->arms[arm].is_ready)) {
        /* It told the reason itself unless it crashed. */
        tell(r, arm, NOTICE_SETUP_FAILED, why);
        r->keepers[arm].is_given_up = true;
        return true;
    }
    record_loss(r, arm, phase, timed_out ? TRIAL_TIMED_OUT : TRIAL_FAILED, why);
    if (has_failed_enough(r, arm) || !revive(r, arm)) r->keepers[arm].is_given_up = true;
    return true;
}

/* One trial of one arm, watched. */
static bool take_turn(struct runner *r, size_t arm, enum trial_phase phase)
{
    int64_t trial = atomic_load(&r->control->arms[arm].trials[phase]);
    struct keeper *k = &r->keepers[arm];
    pid_t pid = k->pid;
    begin_watch(k, phase);
    if (!see_through(r, arm, phase, 1)) return false;
    end_watch(r, arm, trial, k->pid != pid);
    return true;
}

/* The first round that some arm has not yet done. */
static int64_t current_round(const struct runner *r)
{
    int64_t round = INT64_MAX;
    for (size_t i = 0; i < r->group->arm_count; i++) {
        if (r->keepers[i].is_given_up) continue;
        int64_t done = atomic_load(&r->control->arms[i].trials[PHASE_MEASURED]);
        if (done < round) round = done;
    }
    return round;
}

static bool has_breached(const struct runner *r, size_t arm)
{
    return r->group->stop_breach && atomic_load(&r->control->arms[arm].has_breached);
}

/* After a round: is it time to stop early? Says so, of the first arm to blame. */
static bool stops_early(const struct runner *r)
{
    for (size_t i = 0; i < r->group->arm_count; i++) {
        char why[120];
        if (has_failed_enough(r, i)) {
            snprintf(why, sizeof why, "stopped after %lld failures in a row",
                     (long long)r->group->stop_failures);
        } else if (has_breached(r, i)) {
            snprintf(why, sizeof why, "stopped after a limit was breached");
        } else {
            continue;
        }
        tell(r, i, NOTICE_STOPPED, why);
        return true;
    }
    return false;
}

static bool one_round(struct runner *r, int64_t round)
{
    for (size_t turn = 0; turn < r->group->arm_count; turn++) {
        size_t arm = plan_turn(r->group->arm_count, round, turn);
        bool has_turn = !r->keepers[arm].is_given_up &&
                        atomic_load(&r->control->arms[arm].trials[PHASE_MEASURED]) == round;
        if (has_turn && !take_turn(r, arm, PHASE_MEASURED)) return false;
    }
    return true;
}

/* Rounds until the parent says it is enough. */
static void carry_out_rounds(struct runner *r)
{
    bool in_batches = r->group->arm_count == 1 && !r->group->arms[0].has_watch;
    for (;;) {
        uint32_t commands = atomic_load(&r->control->commands);
        if (atomic_load(&r->control->stop) != STOP_NOT) return;
        int64_t round = current_round(r);
        int64_t limit = atomic_load(&r->control->round_limit);
        if (round == INT64_MAX) return;
        if (round >= limit) {
            if (atomic_load(&r->control->limit_is_last)) return;
            ring_bell(r);
            futex_wait(&r->control->commands, commands, look_ns);
            continue;
        }
        if (!(in_batches ? see_through(r, 0, PHASE_MEASURED, limit - round)
                         : one_round(r, round))) {
            return;
        }
        if (stops_early(r)) return;
    }
}

static bool warm_all_up(struct runner *r, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        if (r->keepers[i].is_given_up) continue;
        if (!see_through(r, i, PHASE_WARMUP, 0)) return false;
    }
    return true;
}

/* Trials of their own for the instruments that cost, after the measured ones. */
static void profile_arm(struct runner *r, size_t arm)
{
    for (int64_t i = r->group->arms[arm].done[PHASE_PROFILED];
         i < r->group->arms[arm].own_trials; i++) {
        bool goes_on = !r->keepers[arm].is_given_up &&
                       atomic_load(&r->control->stop) == STOP_NOT &&
                       take_turn(r, arm, PHASE_PROFILED);
        if (!goes_on) return;
    }
}

static void run_together(struct runner *r)
{
    size_t n = r->group->arm_count;
    for (size_t i = 0; i < n; i++) r->keepers[i].is_given_up = !start_arm(r, i);
    if (warm_all_up(r, 0, n)) carry_out_rounds(r);
    for (size_t i = 0; i < n; i++) profile_arm(r, i);
    for (size_t i = n; i-- > 0;) end_arm(r, i);
}

/* One block of one arm: up to measured trial `end`. False if the group is to
 * end. */
static bool run_block(struct runner *r, size_t arm, int64_t end, bool is_last)
{
    const struct arm_control *c = &r->control->arms[arm];
    bool goes_on = start_arm(r, arm) && see_through(r, arm, PHASE_WARMUP, 0);
    while (goes_on && !r->keepers[arm].is_given_up &&
           atomic_load(&c->trials[PHASE_MEASURED]) < end &&
           atomic_load(&r->control->stop) == STOP_NOT) {
        goes_on = take_turn(r, arm, PHASE_MEASURED);
    }
    if (goes_on && is_last) profile_arm(r, arm);
    end_arm(r, arm);
    return goes_on;
}

/* Arms that cannot be up at once take turns in blocks: a quarter of the rounds
 * each, with set-up, warm-up and teardown around every block. */
static void run_in_blocks(struct runner *r)
{
    size_t n = r->group->arm_count;
    int64_t limit = atomic_load(&r->control->round_limit);
    int64_t block = limit > 4 ? (limit + 3) / 4 : 1;
    int64_t end = 0;
    for (int64_t number = 0; end < limit; number++) {
        end = end + block < limit ? end + block : limit;
        for (size_t turn = 0; turn < n; turn++) {
            size_t arm = plan_turn(n, number, turn);
            bool is_done = r->keepers[arm].is_given_up ||
                           atomic_load(&r->control->arms[arm].trials[PHASE_MEASURED]) >= end;
            if (!is_done && !run_block(r, arm, end, end == limit)) return;
        }
    }
}

static void do_nothing(int signal_number)
{
    (void)signal_number;
}

void runner_main(int memory_fd, int event_fd)
{
    struct sigaction wake = {.sa_handler = do_nothing}; /* no SA_RESTART: ends futex_wait */
    sigaction(SIGCHLD, &wake, NULL);
    struct runner r = {.arena = arena_open()};
    struct error err = {0};
    if (!group_map(memory_fd, &r.control, &err)) _exit(1);
    r.ring = group_ring(r.control, 0);
    struct str json = {(char *)r.control + r.control->config_offset, r.control->config_bytes};
    if (!group_read(json, &r.arena, &r.group, &err)) _exit(1);
    r.group->cases =
        (struct str){(char *)r.control + r.control->cases_offset, r.control->cases_bytes};
    r.group->event_fd = event_fd;
    r.group->runner = getpid();
    r.keepers = arena_new(&r.arena, struct keeper, r.group->arm_count);
    for (size_t i = 0; i < r.group->arm_count; i++) {
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            atomic_store(&r.control->arms[i].trials[phase], r.group->arms[i].done[phase]);
        }
    }
    if (r.group->exclusive && r.group->arm_count > 1) {
        run_in_blocks(&r);
    } else {
        run_together(&r);
    }
    ring_bell(&r);
    _exit(0);
}
