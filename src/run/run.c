/* The parent's loop. It sleeps until a bell rings (an arm or the runner has
 * news), a runner has ended, a signal has come or a commit is due; then it
 * takes records in, commits what must be committed, announces it, and decides
 * whether a group has had enough.
 *
 * Commit rule: a trial of 1 ms or more is committed alone, shorter ones
 * together, at the latest 10 ms after they came in. */
#include "run/run.h"

#include "base/clock.h"
#include "base/fault.h"
#include "base/futex.h"
#include "base/json.h"
#include "run/environment.h"
#include "run/intake.h"
#include "stats/interval.h"
#include "stats/quantile.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static const int64_t commit_ns = 10000000;
static const int64_t progress_ns = 100000000;
static const int64_t default_max_iterations = 10000;

enum { JOBS_MAX = 64 };

struct group_run {
    const struct plan_group *group; /* NULL = this slot is free */
    struct arena arena;
    struct group_control *control;
    int memory_fd;
    int event_fd;
    struct intake *arms;
    struct ring_reader *readers; /* [0] the runner's, [1 + i] arm i's */
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
    int64_t trials_planned;
    int64_t trials_done;
    int64_t trials_resumed; /* were there before this call */
    struct group_run slots[JOBS_MAX];
    size_t slot_count;
    size_t next_group;
    int signal_fd;
    bool is_stopping; /* no new groups */
    int64_t last_progress_ns;
    struct execution_record *earlier; /* of the run that is resumed, by cell */
    size_t earlier_count;
};

/* ---- events ---- */

static void emit(const struct run *r, struct run_event event)
{
    const struct run_listener *l = &r->request->listener;
    if (!l->on_event) return;
    event.run_id = r->record.id;
    l->on_event(l->context, &event);
}

static void emit_cell(const struct run *r, const struct intake *in, enum run_event_kind kind)
{
    emit(r, (struct run_event){.kind = kind, .cell = in->cell, .execution = &in->record});
}

static void emit_trials(const struct run *r, const struct intake *in, size_t count)
{
    if (!r->request->listener.on_event) return;
    struct arena scratch = *r->out;
    double *values = arena_new(&scratch, double, in->metric_count);
    size_t note = 0;
    for (size_t t = 0; t < count; t++) {
        for (size_t i = 0; i < in->metric_count; i++) values[i] = in->columns[i][t];
        int64_t trial = in->first + (int64_t)t;
        while (note < in->note_count && in->notes[note].trial < trial) note++;
        bool has_note = note < in->note_count && in->notes[note].trial == trial;
        emit(r, (struct run_event){
                    .kind = in->phase == PHASE_WARMUP ? RUN_EVENT_WARMUP : RUN_EVENT_TRIAL,
                    .cell = in->cell,
                    .execution = &in->record,
                    .trial = trial,
                    .iteration = trial,
                    .status = in->statuses[t],
                    .start_s = in->starts_s[t],
                    .metrics = in->metrics,
                    .values = values,
                    .metric_count = in->metric_count,
                    .text = has_note ? in->notes[note].error : NULL,
                });
    }
}

static void emit_progress(struct run *r, const struct intake *in)
{
    int64_t now_ns = clock_ns();
    if (!r->request->listener.on_event || now_ns - r->last_progress_ns < progress_ns) return;
    r->last_progress_ns = now_ns;
    struct run_progress p = {
        .trials_done = r->trials_done,
        .trials_planned = r->trials_planned,
        .elapsed_s = (double)(now_ns - r->start_ns) * 1e-9,
        .left_s = NAN,
        .metric = in->metrics[in->primary]->name,
        .unit = in->metrics[in->primary]->unit,
        .median = NAN,
        .low = NAN,
        .high = NAN,
    };
    int64_t here = r->trials_done - r->trials_resumed;
    if (here > 0) {
        p.left_s = p.elapsed_s / (double)here * (double)(r->trials_planned - r->trials_done);
    }
    /* The estimate of a long series does not change from one tick to the next:
     * its first part would do, but the newest says more about drift. */
    enum { ENOUGH = 20000 };
    size_t n = in->primary_samples.count < ENOUGH ? in->primary_samples.count : ENOUGH;
    const double *newest = in->primary_samples.items + (in->primary_samples.count - n);
    struct arena scratch = *r->out;
    const double *sorted = stats_sort(&scratch, newest, n, &n);
    if (n > 0) p.median = quantile_median(sorted, n);
    struct interval ci;
    if (interval_median(sorted, n, 0.95, &ci, NULL)) {
        p.low = ci.low;
        p.high = ci.high;
    }
    emit(r, (struct run_event){.kind = RUN_EVENT_PROGRESS,
                               .cell = in->cell,
                               .execution = &in->record,
                               .progress = &p});
}

/* ---- committing ---- */

/* Stores the complete trials of every arm in one transaction, then announces
 * them. `all`: also those that wait for an outside instrument in vain. */
static bool commit(struct run *r, struct group_run *g, bool all, struct error *err)
{
    struct trial_batch batches[GROUP_ARMS_MAX];
    size_t counts[GROUP_ARMS_MAX];
    size_t batch_count = 0;
    for (size_t i = 0; i < g->group->count; i++) {
        counts[i] = all ? g->arms[i].count : intake_ready(&g->arms[i]);
        if (counts[i] > 0) batches[batch_count++] = intake_batch(&g->arms[i], counts[i]);
    }
    if (batch_count == 0) return true;
    if (!store_append(r->request->store, batches, batch_count, err)) {
        return error_wrap(err, "storing trials of run %s", r->record.id);
    }
    for (size_t i = 0; i < g->group->count; i++) {
        if (counts[i] == 0) continue;
        if (g->arms[i].phase == PHASE_MEASURED) r->trials_done += (int64_t)counts[i];
        emit_trials(r, &g->arms[i], counts[i]);
        intake_forget(&g->arms[i], counts[i]);
    }
    return true;
}

static bool is_due(const struct group_run *g, int64_t now_ns)
{
    for (size_t i = 0; i < g->group->count; i++) {
        const struct intake *in = &g->arms[i];
        if (intake_ready(in) == 0) continue;
        if (in->has_long_one || now_ns - in->oldest_ns >= commit_ns) return true;
    }
    return false;
}

/* ---- taking in ---- */

static bool take_ring(struct run *r, struct group_run *g, size_t ring, uint64_t upto,
                      struct error *err)
{
    struct ring_reader *reader = &g->readers[ring];
    for (const struct record *record = ring_next(reader, upto); record;
         record = ring_next(reader, upto)) {
        size_t arm = ring == 0 ? record->arm : ring - 1;
        if (arm >= g->group->count) continue;
        struct intake *in = &g->arms[arm];
        bool changes_phase =
            record->kind == RECORD_TRIAL && in->count > 0 && record->phase != in->phase;
        if ((changes_phase || !intake_has_room(in)) && !commit(r, g, changes_phase, err)) {
            return false;
        }
        if (record->kind == RECORD_TRIAL && record->phase == PHASE_MEASURED &&
            g->measuring_since_ns == 0) {
            g->measuring_since_ns = record->start_ns;
        }
        intake_take(in, record, &g->arena);
    }
    return true;
}

/* What the runner says of a trial comes after what its arm says, so the arms'
 * rings are read between looking at the runner's head and reading up to it. */
static bool take_in(struct run *r, struct group_run *g, struct error *err)
{
    uint64_t runner_head = ring_head(group_ring(g->control, 0));
    for (size_t i = 1; i <= g->group->count; i++) {
        if (!take_ring(r, g, i, ring_head(group_ring(g->control, i)), err)) return false;
    }
    return take_ring(r, g, 0, runner_head, err);
}

/* ---- deciding ---- */

static void command(struct group_control *c)
{
    atomic_fetch_add(&c->commands, 1);
    futex_wake(&c->commands);
}

static int64_t most_rounds(const struct spec_entry *e)
{
    if (!e->until.is_set) return e->measured;
    return e->until.max_iterations > 0 ? e->until.max_iterations : default_max_iterations;
}

/* Is the median of the arm's primary metric known well enough? */
static bool is_precise(const struct run *r, const struct intake *in, double relative_ci)
{
    struct arena scratch = *r->out;
    size_t n = 0;
    const double *sorted =
        stats_sort(&scratch, in->primary_samples.items, in->primary_samples.count, &n);
    struct interval ci;
    if (!interval_median(sorted, n, 0.95, &ci, NULL)) return false;
    double median = quantile_median(sorted, n);
    return (ci.high - ci.low) / 2 <= relative_ci * fabs(median);
}

static bool are_precise(const struct run *r, const struct group_run *g)
{
    double wanted = g->group->entry->until.relative_ci;
    if (wanted <= 0) return false;
    for (size_t i = 0; i < g->group->count; i++) {
        if (!g->arms[i].has_failed_setup && !is_precise(r, &g->arms[i], wanted)) return false;
    }
    return true;
}

static int64_t rounds_done(const struct group_run *g)
{
    int64_t rounds = INT64_MAX;
    for (size_t i = 0; i < g->group->count; i++) {
        if (g->arms[i].has_failed_setup) continue;
        int64_t done = g->arms[i].trials[PHASE_MEASURED];
        if (done < rounds) rounds = done;
    }
    return rounds == INT64_MAX ? 0 : rounds;
}

/* `until`: enough when every arm is precise, at the looks after 10, 20, 40, ...
 * rounds; or when rounds or seconds are used up. */
static void decide(struct run *r, struct group_run *g)
{
    const struct spec_until *until = &g->group->entry->until;
    if (!until->is_set || atomic_load(&g->control->limit_is_last)) return;
    if (until->max_seconds > 0 && g->measuring_since_ns > 0 &&
        (double)(clock_ns() - g->measuring_since_ns) * 1e-9 >= until->max_seconds) {
        atomic_store(&g->control->limit_is_last, 1);
        atomic_store(&g->control->stop, STOP_SOON);
        command(g->control);
        return;
    }
    int64_t most = most_rounds(g->group->entry);
    if (rounds_done(g) < g->look_at) return;
    if (g->look_at >= most || are_precise(r, g)) {
        atomic_store(&g->control->limit_is_last, 1);
    } else {
        g->look_at = g->look_at * 2 < most ? g->look_at * 2 : most;
        atomic_store(&g->control->round_limit, g->look_at);
    }
    command(g->control);
}

static void stop_all(struct run *r, enum group_stop how)
{
    r->is_stopping = true;
    for (size_t i = 0; i < r->slot_count; i++) {
        if (!r->slots[i].group) continue;
        atomic_store(&r->slots[i].control->stop, how);
        command(r->slots[i].control);
    }
}

/* ---- a group's beginning ---- */

static void describe_execution(struct run *r, struct intake *in, const struct plan_group *g)
{
    const struct plan_cell *cell = in->cell;
    const struct spec_entry *e = cell->entry;
    struct execution_record *x = &in->record;
    id_uuid7(x->id);
    memcpy(x->run_id, r->record.id, sizeof x->run_id);
    store_builtin_ids(r->request->store, x);
    x->agent_version = r->request->assay_version;
    x->cell_index = (int64_t)cell->index;
    x->group_index = (int64_t)cell->group;
    x->arm_index = (int64_t)cell->arm;
    x->cell_key = cell->key;
    x->label = cell->label;
    x->experiment = e->experiment->name;
    x->parameters = cell->params_json;
    x->factor = g->factor;
    x->provenance = e->experiment->provenance ? e->experiment->provenance : "measured";
    x->primary_metric = in->metrics[in->primary]->name;
    x->status = RUN_RUNNING;
    x->seed = e->seed;
    x->warmup_planned = e->warmup;
    x->measured_planned = most_rounds(e);
    x->start_ns = clock_unix_ns();
}

static const char *instrument_names(const struct spec_entry *e, struct arena *out)
{
    struct buf b;
    buf_init(&b, 4096);
    struct json j;
    json_init(&j, &b, 0);
    json_list(&j);
    for (size_t i = 0; i < e->instrument_count; i++) json_text(&j, e->instruments[i].row->name);
    json_end(&j);
    const char *text = str_cstr(out, buf_str(&b));
    buf_release(&b);
    return text;
}

/* Takes over what an earlier segment stored. */
static bool take_over(struct run *r, struct intake *in, const struct execution_record *earlier,
                      struct arena *arena, struct group_progress *progress, struct error *err)
{
    struct execution_record *x = &in->record;
    memcpy(x->id, earlier->id, sizeof x->id);
    x->start_ns = earlier->start_ns;
    struct store_progress p;
    struct series_record *series = NULL;
    size_t count = 0;
    if (!store_progress(r->request->store, x->id, &p, err) ||
        !store_list_series(r->request->store, x->id, arena, &series, &count, err)) {
        return false;
    }
    in->segment = p.next_segment;
    x->segments = p.next_segment + 1;
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        progress->done[phase] = p.trials[phase];
        in->trials[phase] = p.trials[phase];
    }
    x->warmup_done = p.trials[PHASE_WARMUP];
    for (size_t i = 0; i < count; i++) {
        const struct series_record *s = &series[i];
        if (s->phase != PHASE_MEASURED) continue;
        for (size_t t = 0; t < s->count; t++) {
            if (strcmp(s->metric, "trial.status") == 0) {
                x->counts.attempted++;
                x->counts.by_status[(int)s->samples[t]]++;
            }
            if (strcmp(s->metric, x->primary_metric) == 0 && !isnan(s->samples[t])) {
                reals_push(&in->primary_samples, s->samples[t]);
            }
        }
    }
    return true;
}

static const struct execution_record *find_earlier(const struct run *r,
                                                   const struct plan_cell *cell)
{
    for (size_t i = 0; i < r->earlier_count; i++) {
        const struct execution_record *e = &r->earlier[i];
        if (e->cell_index == (int64_t)cell->index && strcmp(e->cell_key, cell->key) == 0) {
            return e;
        }
    }
    return NULL;
}

static bool is_finished(const struct run *r, const struct plan_group *g)
{
    for (size_t i = 0; i < g->count; i++) {
        const struct execution_record *e =
            find_earlier(r, &r->request->plan->cells[g->cells[i]]);
        if (!e || e->status != RUN_SUCCESS) return false;
    }
    return true;
}

static void free_slot(struct group_run *g)
{
    for (size_t i = 0; g->arms && i < g->group->count; i++) intake_release(&g->arms[i]);
    group_unmap(g->control);
    if (g->memory_fd >= 0) close(g->memory_fd);
    if (g->event_fd >= 0) close(g->event_fd);
    arena_close(&g->arena);
    g->group = NULL;
}

static bool prepare_arms(struct run *r, struct group_run *g, struct group_progress *progress,
                         struct error *err)
{
    const struct plan *plan = r->request->plan;
    for (size_t i = 0; i < g->group->count; i++) {
        const struct plan_cell *cell = &plan->cells[g->group->cells[i]];
        struct intake *in = &g->arms[i];
        intake_init(in, cell, &g->arena);
        in->run_start_ns = r->start_ns;
        describe_execution(r, in, g->group);
        in->record.instruments = instrument_names(cell->entry, &g->arena);
        const struct execution_record *earlier = find_earlier(r, cell);
        if (earlier && !take_over(r, in, earlier, &g->arena, &progress[i], err)) return false;
        r->trials_done += progress[i].done[PHASE_MEASURED];
        r->trials_resumed += progress[i].done[PHASE_MEASURED];
        if (!store_put_execution(r->request->store, &in->record, err)) return false;
    }
    return true;
}

static void set_limits(struct group_run *g)
{
    const struct spec_entry *e = g->group->entry;
    int64_t most = most_rounds(e);
    bool looks = e->until.is_set && e->until.relative_ci > 0;
    g->look_at = looks && most > 10 ? 10 : most;
    while (looks && g->look_at < most && rounds_done(g) >= g->look_at) g->look_at *= 2;
    if (g->look_at > most) g->look_at = most;
    atomic_store(&g->control->round_limit, g->look_at);
    atomic_store(&g->control->limit_is_last, !e->until.is_set);
}

static bool start_group(struct run *r, struct group_run *g, const struct plan_group *group,
                        struct error *err)
{
    *g = (struct group_run){
        .group = group, .arena = arena_open(), .memory_fd = -1, .event_fd = -1};
    struct group_progress progress[GROUP_ARMS_MAX] = {{{0}}};
    g->arms = arena_new(&g->arena, struct intake, group->count);
    int fault = fault_at("setup");
    if (fault) return error_set_errno(err, fault, "starting group %zu", group->index);
    if (!prepare_arms(r, g, progress, err)) return false;

    struct buf json;
    buf_init(&json, (size_t)64 << 20);
    group_describe(r->request->plan, group, progress, &json);
    CHECK(!json.overflow);
    bool is_shared =
        group_share(r->request->plan, group, buf_str(&json), &g->control, &g->memory_fd, err);
    buf_release(&json);
    if (!is_shared) return false;
    g->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (g->event_fd < 0) return error_set_errno(err, errno, "eventfd");
    g->readers = arena_new(&g->arena, struct ring_reader, group->count + 1);
    for (size_t i = 0; i <= group->count; i++) {
        g->readers[i].ring = group_ring(g->control, i);
        g->readers[i].capacity = g->control->ring_capacity[i];
    }
    set_limits(g);
    for (size_t i = 0; i < group->count; i++) {
        emit_cell(r, &g->arms[i], RUN_EVENT_CELL_STARTED);
    }
    return nursery_launch(r->request->nursery, (uint32_t)(g - r->slots), g->memory_fd,
                          g->event_fd, err);
}

/* ---- a group's end ---- */

static void judge_cell(const struct run *r, const struct group_run *g, struct intake *in)
{
    struct execution_record *x = &in->record;
    const struct trial_counts *c = &x->counts;
    int64_t ok = c->by_status[TRIAL_OK];
    bool is_short = c->attempted < g->group->entry->measured && !g->group->entry->until.is_set;
    x->status = RUN_SUCCESS;
    if (in->has_failed_setup) {
        x->status = RUN_FAILED;
    } else if (r->is_stopping && (is_short || g->group->entry->until.is_set)) {
        x->status = RUN_PARTIAL;
    } else if (!WIFEXITED(g->exit_status) || WEXITSTATUS(g->exit_status) != 0) {
        x->status = RUN_FAILED;
        x->error_details = "the runner ended unexpectedly";
    } else if (c->attempted > 0 && ok == 0) {
        x->status = RUN_FAILED;
    } else if (in->was_stopped && !g->group->entry->experiment->takes_agent) {
        x->status = RUN_FAILED;
    }
    double judged = (double)(c->attempted - c->by_status[TRIAL_HARNESS_ERROR]);
    if (judged > 0) x->reliability_score = (double)ok / judged;
    x->memory_peak_mb = in->peak_mb;
    if (in->cpu_wall_s > 0) x->cpu_usage_percent = 100 * in->cpu_s / in->cpu_wall_s;
    x->end_ns = clock_unix_ns();
    trial_counts_check(c);
}

/* The first reason among stored notes, for a cell that failed by its trials. */
static void explain_failure(struct run *r, struct group_run *g, struct intake *in)
{
    struct execution_record *x = &in->record;
    if (x->status != RUN_FAILED || x->error_details) return;
    struct trial_note *notes = NULL;
    size_t count = 0;
    int64_t failed = x->counts.attempted - x->counts.by_status[TRIAL_OK];
    x->error_details = "no trial went well";
    if (!store_list_notes(r->request->store, x->id, &g->arena, &notes, &count, NULL)) return;
    for (size_t i = 0; i < count; i++) {
        if (!notes[i].error || notes[i].phase != PHASE_MEASURED) continue;
        x->error_details =
            arena_printf(&g->arena, "%lld of %lld trials failed; the first, trial %lld: %s",
                         (long long)failed, (long long)x->counts.attempted,
                         (long long)notes[i].trial, notes[i].error);
        return;
    }
}

static void add_counts(struct trial_counts *sum, const struct trial_counts *c)
{
    sum->attempted += c->attempted;
    for (int i = 0; i < TRIAL_STATUS_COUNT; i++) sum->by_status[i] += c->by_status[i];
}

static bool finish_group(struct run *r, struct group_run *g, struct error *err)
{
    if (!take_in(r, g, err) || !commit(r, g, true, err)) return false;
    for (size_t i = 0; i < g->group->count; i++) {
        struct intake *in = &g->arms[i];
        judge_cell(r, g, in);
        explain_failure(r, g, in);
        if (!store_finish(r->request->store, &in->record, err)) {
            return error_wrap(err, "storing cell %zu", in->cell->index);
        }
        r->outcome->cells_by_status[in->record.status]++;
        add_counts(&r->outcome->counts, &in->record.counts);
        emit_cell(r, in, RUN_EVENT_CELL_FINISHED);
    }
    free_slot(g);
    return true;
}

/* ---- the loop ---- */

static struct group_run *free_place(struct run *r)
{
    for (size_t i = 0; i < r->slot_count; i++) {
        if (!r->slots[i].group) return &r->slots[i];
    }
    return NULL;
}

static bool start_groups(struct run *r, struct error *err)
{
    const struct plan *plan = r->request->plan;
    while (!r->is_stopping && r->next_group < plan->group_count) {
        const struct plan_group *group = &plan->groups[r->next_group];
        if (is_finished(r, group)) {
            r->outcome->cells_by_status[RUN_SUCCESS] += group->count;
            r->next_group++;
            continue;
        }
        struct group_run *g = free_place(r);
        if (!g) return true;
        r->next_group++;
        if (!start_group(r, g, group, err)) return false;
    }
    return true;
}

static bool has_groups(const struct run *r)
{
    for (size_t i = 0; i < r->slot_count; i++) {
        if (r->slots[i].group) return true;
    }
    return false;
}

static int wait_ms(const struct run *r)
{
    int64_t wait_ns = progress_ns;
    int64_t now_ns = clock_ns();
    for (size_t i = 0; i < r->slot_count; i++) {
        const struct group_run *g = &r->slots[i];
        for (size_t a = 0; g->group && a < g->group->count; a++) {
            if (intake_ready(&g->arms[a]) == 0) continue;
            int64_t left_ns = g->arms[a].oldest_ns + commit_ns - now_ns;
            if (left_ns < wait_ns) wait_ns = left_ns;
        }
    }
    return wait_ns < 0 ? 0 : (int)(wait_ns / 1000000) + 1;
}

static void wait_for_news(struct run *r)
{
    struct pollfd p[JOBS_MAX + 2];
    size_t n = 0;
    p[n++] = (struct pollfd){.fd = r->signal_fd, .events = POLLIN};
    p[n++] = (struct pollfd){.fd = r->request->nursery->socket, .events = POLLIN};
    for (size_t i = 0; i < r->slot_count; i++) {
        if (r->slots[i].group) {
            p[n++] = (struct pollfd){.fd = r->slots[i].event_fd, .events = POLLIN};
        }
    }
    poll(p, n, wait_ms(r));
    if (p[0].revents) {
        struct signalfd_siginfo info;
        while (read(r->signal_fd, &info, sizeof info) > 0) {
        }
        r->outcome->interrupted = true;
        stop_all(r, STOP_NOW);
    }
    uint32_t slot = 0;
    int status = 0;
    while (nursery_ended(r->request->nursery, &slot, &status)) {
        CHECK(slot < r->slot_count);
        r->slots[slot].has_ended = true;
        r->slots[slot].exit_status = status;
    }
}

static bool tend_group(struct run *r, struct group_run *g, struct error *err)
{
    uint64_t bells = 0;
    ssize_t n = read(g->event_fd, &bells, sizeof bells);
    (void)n;
    if (g->has_ended) return finish_group(r, g, err);
    if (!take_in(r, g, err)) return false;
    if (is_due(g, clock_ns()) && !commit(r, g, false, err)) return false;
    decide(r, g);
    for (size_t i = 0; i < g->group->count; i++) {
        if (g->arms[i].primary_samples.count > 0) emit_progress(r, &g->arms[i]);
    }
    return true;
}

static bool loop(struct run *r, struct error *err)
{
    for (;;) {
        if (!start_groups(r, err)) return false;
        if (!has_groups(r)) return true;
        wait_for_news(r);
        for (size_t i = 0; i < r->slot_count; i++) {
            if (r->slots[i].group && !tend_group(r, &r->slots[i], err)) return false;
        }
    }
}

/* After a store that no longer takes anything: end the runners, keep nothing
 * of what was not announced. */
static void abandon(struct run *r)
{
    stop_all(r, STOP_NOW);
    int64_t deadline_ns = clock_ns() + 5000000000;
    while (has_groups(r) && clock_ns() < deadline_ns) {
        struct pollfd p = {.fd = r->request->nursery->socket, .events = POLLIN};
        poll(&p, 1, 100);
        uint32_t slot = 0;
        int status = 0;
        while (nursery_ended(r->request->nursery, &slot, &status)) free_slot(&r->slots[slot]);
        for (size_t i = 0; i < r->slot_count; i++) { /* an arm may wait for room */
            struct group_run *g = &r->slots[i];
            for (size_t k = 0; g->group && g->readers && k <= g->group->count; k++) {
                while (ring_next(&g->readers[k], ring_head(g->readers[k].ring))) {
                }
            }
            if (g->group && !g->readers) free_slot(g); /* it never started */
        }
    }
}

/* ---- the run's record ---- */

static void describe_run(struct run *r)
{
    const struct run_request *q = r->request;
    const struct spec *spec = q->plan->spec;
    const struct spec_entry *first = &spec->entries[0];
    struct buf tags;
    buf_init(&tags, 1 << 16);
    struct json j;
    json_init(&j, &tags, 0);
    json_list(&j);
    for (size_t i = 0; first->tags && i < first->tags->list.count; i++) {
        json_value(&j, first->tags->list.items[i]);
    }
    json_end(&j);
    id_uuid7(r->record.id);
    r->record.status = RUN_RUNNING;
    r->record.seed = first->seed;
    r->record.spec_path = spec->path;
    r->record.spec_text = str_cstr(r->out, spec->text);
    r->record.spec_hash = spec->hash;
    r->record.command = q->command_json;
    r->record.vcs = environment_vcs_json(r->out);
    r->record.tags = str_cstr(r->out, buf_str(&tags));
    r->record.notes = first->notes;
    r->record.assay_version = q->assay_version;
    r->record.output_dir = first->output_dir;
    r->record.started_ns = clock_unix_ns();
    buf_release(&tags);
}

static bool open_run(struct run *r, struct error *err)
{
    const struct run_request *q = r->request;
    r->start_ns = clock_ns();
    if (q->resume) {
        r->record = *q->resume;
        int64_t pid = 0;
        if (strcmp(r->record.spec_hash, q->plan->spec->hash) != 0) {
            return error_set(err, ERROR_INVALID,
                             "the spec has changed since run %.8s began; start a new run "
                             "without --resume",
                             r->record.id);
        }
        if (r->record.status == RUN_RUNNING &&
            environment_is_alive(r->record.environment, &pid)) {
            return error_set(err, ERROR_INVALID,
                             "run %.8s is still being carried out by process %lld",
                             r->record.id, (long long)pid);
        }
        if (!store_list_executions(q->store, r->record.id, r->out, &r->earlier,
                                   &r->earlier_count, err)) {
            return false;
        }
        /* Offsets count from the first start, by the wall clock between. */
        r->start_ns -= clock_unix_ns() - r->record.started_ns;
        r->record.status = RUN_RUNNING;
        r->record.ended_ns = 0;
    } else {
        describe_run(r);
    }
    r->record.environment = environment_json(r->out);
    memcpy(r->outcome->run_id, r->record.id, sizeof r->outcome->run_id);
    return store_put_run(q->store, &r->record, err);
}

static enum run_status judge_run(const struct run *r)
{
    const size_t *by = r->outcome->cells_by_status;
    if (r->outcome->interrupted || by[RUN_PARTIAL] > 0) return RUN_PARTIAL;
    return by[RUN_FAILED] > 0 ? RUN_FAILED : RUN_SUCCESS;
}

static int64_t count_trials(const struct plan *plan)
{
    int64_t total = 0;
    for (size_t i = 0; i < plan->cell_count; i++) total += most_rounds(plan->cells[i].entry);
    return total;
}

bool run_execute(const struct run_request *request, struct arena *out,
                 struct run_outcome *outcome, struct error *err)
{
    *outcome = (struct run_outcome){.status = RUN_FAILED, .cells = request->plan->cell_count};
    struct run *r = arena_new(out, struct run, 1);
    r->request = request;
    r->outcome = outcome;
    r->out = out;
    r->slot_count = request->jobs < 1 ? 1 : (size_t)request->jobs;
    if (r->slot_count > JOBS_MAX) r->slot_count = JOBS_MAX;
    r->trials_planned = count_trials(request->plan);
    if (!open_run(r, err)) return false;

    sigset_t ending;
    sigset_t before;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigprocmask(SIG_BLOCK, &ending, &before);
    r->signal_fd = signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
    CHECK(r->signal_fd >= 0);

    emit(r, (struct run_event){.kind = RUN_EVENT_STARTED});
    bool is_done = loop(r, err);
    if (!is_done) abandon(r);
    outcome->status = is_done ? judge_run(r) : RUN_PARTIAL;
    r->record.status = outcome->status;
    r->record.ended_ns = clock_unix_ns();
    if (is_done) {
        is_done = store_put_run(request->store, &r->record, err);
    } else if (!store_put_run(request->store, &r->record, NULL)) {
        outcome->status = RUN_PARTIAL; /* the first reason stands */
    }
    close(r->signal_fd);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return is_done;
}
