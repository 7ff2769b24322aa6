/* An arm obeys orders that the runner writes into shared memory, and tells by records in its
 * ring; the two share no lock. What must hold:
 *
 *   - a trial is recorded whole or not at all: one that a signal ends is dropped, and the
 *     runner, who knows its number, records the loss (lane.c);
 *   - records leave in the order of their trials, which merge.c relies on;
 *   - nothing is told between the clock reads of measure.c, and the parent is woken only when
 *     it has something to do, as a waking on our processor lengthens the next trial;
 *   - whatever the experiment has started is found by asking the kernel for our children, so
 *     that ending them needs no list and may be done in a signal handler. */
#include "run/arm.h"

#include "base/clock.h"
#include "base/fault.h"
#include "base/futex.h"
#include "base/os.h"
#include "base/proc.h"
#include "base/reals.h"
#include "run/demand.h"
#include "run/measure.h"
#include "stats/steady.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

static const int64_t bell_ns = 9000000; /* of short trials: the oldest is 8 ms old */
static const size_t detail_max = (size_t)1 << 20;
static const size_t output_max = (size_t)1 << 20;

struct warmup {
    struct reals durations; /* where it is until steady */
    int64_t done;
    int64_t look_at;
    int64_t steady_at;
};

struct arm {
    const struct group *group;
    size_t index;
    struct group_control *control;
    struct arm_control *arm;   /* of all its lanes */
    struct lane_control *mine; /* of this process */
    struct ring *ring;
    struct warmup warmup;
    struct arena arena;
    struct measure measure;
    int64_t now_ns;       /* the latest clock read */
    int64_t bell_ns;      /* when the parent was last woken */
    uint64_t bell_head;   /* of the ring, at that time */
    int64_t memory_floor; /* bytes; 0 = not known */
    struct buf remarks;   /* of set-up and of teardown */
    bool has_told_simulated;
};

/* ---- ending early ---- */

/* A starter is asked to end what it has started, and stays. */
static bool is_starter(pid_t pid)
{
    char path[64], name[32];
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, name, sizeof name) : -1;
    if (fd >= 0) close(fd);
    return n == sizeof PROC_GUARD_NAME && memcmp(name, PROC_GUARD_NAME "\n", (size_t)n) == 0;
}

static void end_child(pid_t pid)
{
    if (is_starter(pid)) {
        kill(pid, PROC_GUARD_SIGNAL);
        return;
    }
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
}

/* Ends every child and its process group. Async-signal-safe, and without
 * state: the kernel keeps the list. */
static void kill_children(int signal_number)
{
    (void)signal_number;
    int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    char text[4096];
    ssize_t n = read(fd, text, sizeof text);
    close(fd);
    pid_t pid = 0;
    for (ssize_t i = 0; i < n; i++) {
        if (text[i] >= '0' && text[i] <= '9') {
            pid = pid * 10 + (text[i] - '0');
        } else if (pid > 0) {
            end_child(pid);
            pid = 0;
        }
    }
}

/* An interrupt, or the runner is gone: then nobody will kill us where a trial goes on for hours
 * in this process. What it leaves in the folder is swept by the next run (os_sweep_temp_dirs). */
static void end_soon(int signal_number)
{
    enum { GRACE_S = 5 }; /* longer than the runner waits (lane.c) */
    kill_children(signal_number);
    alarm(GRACE_S);
}

static void catch_signals(void)
{
    struct sigaction end = {.sa_handler = end_soon};
    sigaction(SIGTERM, &end, NULL);
    signal(SIGALRM, SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
}

static bool is_over(const void *arm)
{
    const struct arm *a = arm;
    return atomic_load(&a->control->stop) == STOP_NOW || getppid() != a->group->runner;
}

/* ---- telling ---- */

static void ring_bell(struct arm *a)
{
    uint64_t one = 1;
    ssize_t n = write(a->group->event_fd, &one, sizeof one);
    (void)n; /* full: the parent is awake anyway */
    a->bell_ns = a->now_ns;
    a->bell_head = ring_head(a->ring);
}

/* Whether the parent has something to do. It is not woken before: where the scheduler
 * puts it on our processor, every waking costs a trial some 30 us. */
static bool has_news(const struct arm *a, struct reading got)
{
    return got.end_ns - got.start_ns >= RECORD_ALONE_NS || a->now_ns - a->bell_ns >= bell_ns ||
           ring_head(a->ring) - a->bell_head >= a->ring->capacity / 2;
}

static void tell(struct arm *a, enum notice_kind kind, int64_t trial, double duration_s,
                 const char *error)
{
    struct record r = {.kind = RECORD_NOTICE,
                       .status = (uint8_t)kind,
                       .arm = (uint8_t)a->index,
                       .trial = trial,
                       .duration_s = duration_s};
    struct record_texts texts = {.error = str_of(error)};
    ring_write(a->ring, &r, NULL, &texts);
    ring_bell(a);
}

static void tell_too_large(struct arm *a)
{
    char text[160];
    snprintf(text, sizeof text,
             "histograms of more than %zu kB in one trial are not kept: use fewer digits or a "
             "smaller range",
             ring_histograms_max(a->ring) >> 10);
    tell(a, NOTICE_INSTRUMENT_LOST, 0, 0, text);
}

/* Field by field, so that it can be where it will be read. */
static void fill_record(const struct arm *a, enum trial_phase phase, int64_t trial,
                        struct reading got, struct record *r)
{
    r->kind = RECORD_TRIAL;
    r->status = (uint8_t)got.status;
    r->phase = (uint8_t)phase;
    r->arm = (uint8_t)a->index;
    r->trial = trial;
    r->start_ns = got.start_ns;
    r->duration_s = (double)(got.end_ns - got.start_ns) / 1e9;
    r->value_count = (uint32_t)a->measure.plan->column_count;
    r->case_index = (uint32_t)a->measure.trial.case_index;
    r->error_bytes = r->case_bytes = 0;
    r->detail_bytes = r->histogram_bytes = r->output_bytes = 0;
}

static void write_numbers(struct arm *a, enum trial_phase phase, int64_t trial,
                          struct reading got)
{
    const struct measure *m = &a->measure;
    struct record *r = ring_open(a->ring, m->plan->column_count);
    if (!r) return;
    fill_record(a, phase, trial, got, r);
    double *numbers = record_numbers(r);
    for (size_t i = 0; i < m->plan->column_count; i++) numbers[i] = m->values[i];
    ring_publish(a->ring, r);
}

static void write_trial(struct arm *a, enum trial_phase phase, int64_t trial,
                        struct reading got)
{
    const struct measure *m = &a->measure;
    bool is_ok = got.status == TRIAL_OK;
    size_t bytes = m->detail.n + m->output.n + m->histograms.n;
    if (is_ok && bytes == 0 && !m->trial.case_hash) {
        write_numbers(a, phase, trial, got);
        return;
    }
    struct record r = {0};
    fill_record(a, phase, trial, got, &r);
    const char *why = m->trial.error.text;
    struct record_texts texts = {
        .error = is_ok ? (struct str){0} : str_of(*why ? why : "no reason given"),
        .case_hash = str_of(m->trial.case_hash),
        .detail = buf_str(&m->detail),
        .histograms = buf_str(&m->histograms),
        .output = buf_str(&m->output),
    };
    ring_write(a->ring, &r, m->values, &texts);
}

/* ---- trials ---- */

/* One trial, recorded. False if the run ends here; the trial is then dropped. */
static bool carry_out(struct arm *a, enum trial_phase phase, struct reading *got)
{
    /* The signal of the runner's end may have come before there was a child to
     * end: a trial that only starts others would wait for it in vain. */
    if (a->measure.plan->experiment->spawns && is_over(a)) return false;
    int64_t trial = atomic_load_explicit(&a->mine->trial, memory_order_relaxed);
    /* Before its task an agent may have to be started, which has a limit of its own. */
    int64_t from_ns = a->measure.plan->agent ? 0 : a->now_ns;
    atomic_store_explicit(&a->mine->trial_started_ns, from_ns, memory_order_relaxed);
    *got = measure_trial(&a->measure, phase, trial);
    a->now_ns = got->end_ns;
    atomic_store_explicit(&a->mine->trial_started_ns, 0, memory_order_relaxed);
    bool is_ok = got->status == TRIAL_OK;
    if (!is_ok && is_over(a)) return false;
    if (a->measure.trial.is_simulated && !a->has_told_simulated) {
        tell(a, NOTICE_SIMULATED, 0, 0, NULL);
        a->has_told_simulated = true;
    }
    if (a->measure.histograms.overflow) tell_too_large(a);
    write_trial(a, phase, trial, *got);
    atomic_store_explicit(&a->mine->trial, trial + 1, memory_order_release);
    if (is_ok) {
        atomic_store_explicit(&a->arm->failures_in_a_row, 0, memory_order_relaxed);
    } else {
        atomic_fetch_add(&a->arm->failures_in_a_row, 1);
        bool is_breach = got->status == TRIAL_TIMED_OUT || got->status == TRIAL_LIMIT_BREACHED;
        if (is_breach && phase == PHASE_MEASURED) atomic_store(&a->arm->has_breached, 1);
    }
    if (has_news(a, *got)) {
        ring_bell(a);
        if (is_over(a)) return false;
    }
    return true;
}

static bool must_stop(const struct arm *a)
{
    return group_must_stop(a->group, a->control, a->index);
}

static void measure_batch(struct arm *a, enum trial_phase phase)
{
    struct reading got;
    for (int64_t i = 0; i < a->mine->count; i++) {
        if (!carry_out(a, phase, &got) || must_stop(a)) break;
    }
    ring_bell(a);
}

/* After one more warm-up trial: was it the last? A fixed number of them, or until
 * the series is steady: looked at after 10, 20, 40, ... trials. */
static bool is_warmed_up(struct arm *a, struct reading got)
{
    const struct group_arm *plan = a->measure.plan;
    struct warmup *w = &a->warmup;
    w->done++;
    if (plan->warmup >= 0) return w->done >= plan->warmup;
    reals_push(&w->durations, (double)(got.end_ns - got.start_ns) / 1e9);
    if (w->done < w->look_at && w->done < plan->warmup_max) return false;
    w->look_at *= 2;
    struct steady found = steady_find(a->arena, w->durations.items, w->durations.count);
    if (found.is_steady) w->steady_at = (int64_t)found.at;
    return found.is_steady || w->done >= plan->warmup_max;
}

/* Goes on with the warm-up: `count` trials, or fewer if it is over before. */
static void warm_up(struct arm *a)
{
    bool is_over_now = a->measure.plan->warmup == 0;
    struct reading got;
    for (int64_t i = 0; i < a->mine->count && !is_over_now; i++) {
        is_over_now = !carry_out(a, PHASE_WARMUP, &got) || must_stop(a) || is_warmed_up(a, got);
    }
    if (!is_over_now) return;
    reals_release(&a->warmup.durations);
    atomic_store(&a->arm->failures_in_a_row, 0);
    atomic_store(&a->mine->is_warm, 1);
    tell(a, NOTICE_WARMUP_DONE, a->warmup.steady_at, 0, NULL);
}

/* ---- life ---- */

static bool open_instruments(struct arm *a, struct error *err)
{
    struct measure *m = &a->measure;
    const struct group_arm *plan = m->plan;
    struct instrument_subject subject = {getpid(), plan->experiment->spawns};
    m->instrument_states = arena_new(&a->arena, void *, plan->instrument_count);
    for (size_t i = 0; i < plan->instrument_count; i++) {
        const struct group_instrument *g = &plan->instruments[i];
        void *state = arena_alloc(&a->arena, 1, g->row->state_size + 1, _Alignof(max_align_t));
        if (g->row->open && !g->row->open(state, g->config, &subject, err)) {
            error_wrap(err, "instrument '%s'", g->row->name);
            if (!g->optional) return false;
            tell(a, NOTICE_INSTRUMENT_LOST, (int64_t)i, 0, err->text);
            continue;
        }
        m->instrument_states[i] = state;
        if (g->row->begin || g->row->end || g->row->give) m->has_hooks = true;
    }
    return true;
}

static bool set_up(struct arm *a, const char *work_dir, struct error *err)
{
    struct measure *m = &a->measure;
    const struct group_arm *plan = m->plan;
    const struct experiment *e = plan->experiment;
    m->env = (struct experiment_env){
        .arena = &a->arena,
        .work_dir = work_dir,
        .config = plan->config,
        .agent = plan->agent,
        .workload_seed = plan->workload_seed,
        .private_seed = plan->private_seed,
        .time_limit_ns = plan->time_limit_ns,
        .cases = a->group->cases,
        .secrets = plan->secrets,
        .base_dir = plan->base_dir,
        .hidden = plan->hidden,
        .fixed = plan->fixed,
        .folders = plan->folders,
        .names = a->group->names,
        .is_over = is_over,
        .arm = a,
        .memory_floor = &a->memory_floor,
        .remarks = &a->remarks,
    };
    m->state = arena_alloc(&a->arena, 1, e->state_size + 1, _Alignof(max_align_t));
    m->values = arena_new(&a->arena, double, plan->column_count);
    m->case_order = arena_new(&a->arena, uint32_t, (size_t)plan->case_count);
    m->case_order_of = -1;
    buf_init(&m->detail, detail_max);
    buf_init(&m->output, output_max);
    buf_init(&m->histograms, ring_histograms_max(a->ring));
    m->trial = (struct trial){
        .env = &m->env,
        .values = m->values + 1,
        .detail = &m->detail,
        .output = &m->output,
        .histograms = &m->histograms,
    };
    int fault = fault_at("arm.setup");
    if (fault) return error_set_errno(err, fault, "set-up of '%s'", e->name);
    struct experiment_demand demand = {0};
    if (e->demand) demand = e->demand(plan->config);
    struct demand_supply supply = demand_supply(work_dir);
    if (!demand_is_met(&demand, &supply, err) ||
        (e->setup && !e->setup(&m->env, m->state, err))) {
        return error_wrap(err, "set-up of '%s'", e->name);
    }
    return open_instruments(a, err);
}

/* What set-up or teardown found that the result should state, a line each. */
static void tell_remarks(struct arm *a)
{
    for (struct str rest = buf_str(&a->remarks); rest.n > 0;) {
        struct str remark = str_trim(str_cut(&rest, '\n'));
        if (remark.n > 0) tell(a, NOTICE_REMARK, 0, 0, str_cstr(&a->arena, remark));
    }
    buf_clear(&a->remarks);
}

static void tear_down(struct arm *a)
{
    struct measure *m = &a->measure;
    for (size_t i = m->plan->instrument_count; i-- > 0;) {
        const struct instrument *row = m->plan->instruments[i].row;
        if (m->instrument_states && m->instrument_states[i] && row->close) {
            row->close(m->instrument_states[i]);
        }
    }
    struct error err = {0};
    const struct experiment *e = m->plan->experiment;
    if (e->teardown && !e->teardown(m->state, &err)) {
        tell(a, NOTICE_TEARDOWN_FAILED, 0, 0, err.text);
    }
    tell_remarks(a);
}

/* Waits for the next order; ORDER_TEARDOWN when the run is over. */
static enum arm_order next_order(struct arm *a, uint32_t *seen)
{
    for (;;) {
        uint32_t now = atomic_load(&a->mine->orders);
        if (now != *seen) {
            *seen = now;
            a->now_ns = clock_ns();
            return a->mine->order;
        }
        if (is_over(a)) return ORDER_TEARDOWN;
        futex_wait(&a->mine->orders, now, 200000000);
    }
}

static void bring_news(struct arm *a)
{
    atomic_fetch_add(&a->arm->news, 1);
    futex_wake(&a->arm->news);
}

static void obey(struct arm *a)
{
    uint32_t seen = 0;
    for (;;) {
        enum arm_order order = next_order(a, &seen);
        if (order == ORDER_WARMUP) warm_up(a);
        if (order == ORDER_MEASURE) measure_batch(a, PHASE_MEASURED);
        if (order == ORDER_PROFILE) measure_batch(a, PHASE_PROFILED);
        if (order == ORDER_TEARDOWN) tear_down(a);
        atomic_store(&a->mine->done, seen);
        bring_news(a);
        if (order == ORDER_TEARDOWN) return;
    }
}

void arm_main(const struct group *group, size_t index, size_t lane,
              struct group_control *control, const char *work_dir)
{
    struct arm a = {
        .group = group,
        .index = index,
        .control = control,
        .arm = &control->arms[index],
        .mine = group_lane(control, index, lane),
        .ring = group_ring(control, index, lane),
        .arena = arena_open(),
        .measure = {.plan = &group->arms[index]},
        .warmup = {.look_at = 10, .steady_at = group->arms[index].warmup < 0 ? -1 : -2},
        .now_ns = clock_ns(),
    };
    a.ring->parent = group->runner;
    a.measure.limit_from_ns = &a.mine->trial_started_ns;
    catch_signals();
    struct error err = {0};
    buf_init(&a.remarks, 8192);
    bool is_ready = set_up(&a, work_dir, &err);
    tell_remarks(&a);
    if (a.memory_floor > 0) tell(&a, NOTICE_MEMORY_FLOOR, a.memory_floor, 0, NULL);
    if (is_ready) {
        tell(&a, NOTICE_SETUP_DONE, 0, measure_overhead(&a.measure), NULL);
        if (!group->arms[index].experiment->spawns) ring_populate(a.ring);
        atomic_store(&a.mine->is_ready, 1);
        bring_news(&a);
        obey(&a);
    } else {
        /* One that was interrupted has not failed. */
        if (!is_over(&a)) tell(&a, NOTICE_SETUP_FAILED, (int64_t)err.code, 0, err.text);
        if (a.measure.state) tear_down(&a);
    }
    os_remove_tree(work_dir);
    _exit(is_ready ? 0 : 1);
}
