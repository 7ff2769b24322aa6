/* How the cells of one group begin and end in the store.
 *
 * A cell begins as an execution of status running; with --resume it takes over what an earlier
 * segment stored, so that counts, totals and the stopping rule see all of its trials. It ends
 * by one judgement of what became of it (judge_cell), which looks at trials and not at scores:
 * carried out, cut short, or failed. A cell with harness errors is repeated as a whole, because
 * its trials have their order. */
#include "base/clock.h"
#include "base/fault.h"
#include "base/json.h"
#include "base/os.h"
#include "model/cell.h"
#include "run/run_internal.h"

#include <errno.h>
#include <math.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a group's beginning ---- */

static void describe_execution(struct run *r, struct intake *in, const struct plan_group *g,
                               struct arena *arena)
{
    const struct plan_cell *cell = in->cell;
    const struct spec_entry *e = cell->entry;
    struct execution_record *x = &in->record;
    id_uuid7(x->id);
    memcpy(x->run_id, r->record.id, sizeof x->run_id);
    x->agent_version = r->request->assay_version;
    x->entry_index = e - r->request->plan->spec->entries;
    x->cell_index = (int64_t)cell->index;
    x->group_index = (int64_t)cell->group;
    x->arm_index = (int64_t)cell->arm;
    x->cell_key = cell->key;
    x->label = cell->label;
    x->name = cell->name;
    x->experiment = e->experiment->name;
    store_builtin_ids(r->request->store, x);
    x->parameters = cell->params;
    x->factor = g->factor;
    x->provenance = e->experiment->provenance ? e->experiment->provenance : "measured";
    x->primary_metric = in->metrics[in->primary]->name;
    x->status = RUN_RUNNING;
    x->seed = e->seed;
    x->warmup_planned = e->warmup;
    x->measured_planned = spec_trials(e);
    x->concurrency = spec_lanes(e);
    x->start_ns = run_unix_ns(r);
    if (e->benchmark) run_describe_suite(r, in, arena);
    if (!e->benchmark && cell->agent) run_describe_agent(r, in, arena);
}

static const struct value *instrument_names(const struct spec_entry *e, struct arena *out)
{
    const struct value **names = arena_new(out, const struct value *, e->instrument_count + 1);
    for (size_t i = 0; i < e->instrument_count; i++) {
        names[i] = value_new_text(out, str_of(e->instruments[i].row->name));
    }
    return value_new_list(out, names, e->instrument_count);
}

/* What intake.c had added up of it. */
static void take_over_totals(struct intake *in, const struct series_record *s)
{
    bool is_cpu = strcmp(s->metric, "user_s") == 0 || strcmp(s->metric, "system_s") == 0;
    for (size_t t = 0; t < s->count; t++) {
        double v = s->samples[t];
        if (isnan(v)) continue;
        intake_judge(in, s->metric, v);
        if (strcmp(s->metric, in->record.primary_metric) == 0) {
            reals_push(&in->primary_samples, v);
        }
        if (strcmp(s->metric, "memory_peak_mb") == 0) in->peak_mb = fmax(in->peak_mb, v);
        bool has_cpu = in->user_column && in->system_column;
        if (has_cpu && is_cpu) in->cpu_s += v;
        if (has_cpu && strcmp(s->metric, "duration_s") == 0) in->cpu_wall_s += v;
    }
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
            double status = s->samples[t];
            bool is_status = status >= 0 && status < TRIAL_STATUS_COUNT; /* or was damaged */
            if (strcmp(s->metric, "trial.status") == 0 && is_status) {
                x->counts.attempted++;
                x->counts.by_status[(int)status]++;
            }
        }
        take_over_totals(in, s);
    }
    return true;
}

static const struct execution_record *find_earlier(const struct run *r,
                                                   const struct plan_cell *cell)
{
    for (size_t i = 0; i < r->earlier_count; i++) {
        const struct execution_record *e = &r->earlier[i];
        if (e->cell_index == (int64_t)cell->index && cell_has_key(e, cell->key)) {
            return e;
        }
    }
    return NULL;
}

/* Trials with harness errors are not done. A cell is executed again as a whole: its
 * trials have their order. What was stored of it before goes to a run of its own. */
static bool must_repeat(const struct execution_record *e)
{
    return e->counts.by_status[TRIAL_HARNESS_ERROR] > 0;
}

/* A run that nothing resumes, ranks or takes for the latest: it began just before ours. */
static bool open_aside(struct run *r, struct error *err)
{
    struct run_record *a = &r->aside;
    char hash[SHA256_HEX_SIZE];
    if (a->id[0]) return true;
    *a = r->record;
    id_uuid7(a->id);
    a->status = RUN_CANCELLED;
    a->started_ns--;
    a->ended_ns = run_unix_ns(r);
    a->spec_hash = arena_printf(r->out, "%s", id_sha256(str_of(a->id), hash));
    a->claims = NULL;
    a->baseline = NULL;
    note_add(&a->notes, r->out, NOTE_REMARK,
             str_of(arena_printf(r->out,
                                 "trials of run %s that --resume repeated: their cells had "
                                 "harness errors",
                                 r->record.id)));
    return store_put_run(r->request->store, a, err) &&
           store_place_imported(r->request->store, a->id, err);
}

static bool set_aside(struct run *r, const struct execution_record *earlier, struct error *err)
{
    struct execution_record kept = *earlier;
    if (!open_aside(r, err)) return false;
    memcpy(kept.run_id, r->aside.id, sizeof kept.run_id);
    kept.status = RUN_CANCELLED;
    if (kept.unranked == UNRANKED_NOT) kept.unranked = UNRANKED_SUBSET;
    return store_put_execution(r->request->store, &kept, err);
}

bool run_is_finished(const struct run *r, const struct plan_group *g)
{
    for (size_t i = 0; i < g->count; i++) {
        const struct execution_record *e =
            find_earlier(r, &r->request->plan->cells[g->cells[i]]);
        if (!e || e->status != RUN_SUCCESS || must_repeat(e)) return false;
    }
    return true;
}

void run_free_group(struct group_run *g)
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
        describe_execution(r, in, g->group, &g->arena);
        in->record.instruments = instrument_names(cell->entry, &g->arena);
        const struct execution_record *earlier = find_earlier(r, cell);
        if (earlier && must_repeat(earlier)) {
            if (!set_aside(r, earlier, err)) return false;
            earlier = NULL;
        }
        if (earlier && !take_over(r, in, earlier, &g->arena, &progress[i], err)) return false;
        r->trials_done += progress[i].done[PHASE_MEASURED];
        r->trials_resumed += progress[i].done[PHASE_MEASURED];
        if (!store_put_execution(r->request->store, &in->record, err)) return false;
    }
    return true;
}

static int64_t whole_passes(int64_t trials, int64_t cases)
{
    return (trials + cases - 1) / cases * cases;
}

static void set_limits(const struct run *r, struct group_run *g)
{
    const struct spec_entry *e = g->group->entry;
    int64_t most = spec_trials(e);
    bool looks =
        e->until.is_set && (e->until.relative_ci > 0 || r->request->decider.is_enough != NULL);
    int64_t first = r->request->decider.is_enough ? whole_passes(10, e->case_count) : 10;
    g->look_at = looks && most > first ? first : most;
    while (looks && g->look_at < most && run_rounds_done(g) >= g->look_at) g->look_at *= 2;
    if (g->look_at > most) g->look_at = most;
    atomic_store(&g->control->round_limit, g->look_at);
    atomic_store(&g->control->limit_is_last, !e->until.is_set);
}

static void open_readers(struct group_run *g)
{
    struct group_control *c = g->control;
    g->runner = (struct ring_reader){
        .ring = group_runner_ring(c), .capacity = c->runner_capacity, .arena = &g->arena};
    g->lane_count = c->lane_count;
    g->lanes = arena_new(&g->arena, struct ring_reader, g->group->count * g->lane_count);
    for (size_t i = 0; i < g->group->count * g->lane_count; i++) {
        g->lanes[i] = (struct ring_reader){
            .ring = group_ring(c, 0, i), .capacity = c->lane_capacity, .arena = &g->arena};
    }
}

bool run_start_group(struct run *r, struct group_run *g, const struct plan_group *group,
                     struct error *err)
{
    *g = (struct group_run){
        .group = group, .arena = arena_open(), .memory_fd = -1, .event_fd = -1};
    struct group_progress progress[PLAN_ARMS_MAX] = {{{0}}};
    g->arms = arena_new(&g->arena, struct intake, group->count);
    int fault = fault_at("setup");
    if (fault) return error_set_errno(err, fault, "starting group %zu", group->index);
    if (!prepare_arms(r, g, progress, err)) return false;

    struct buf json;
    buf_init(&json, (size_t)64 << 20);
    group_describe(r->request->plan, group, progress, r->protection, &json);
    CHECK(!json.overflow);
    bool is_shared = group_share(group, buf_str(&json), &g->control, &g->memory_fd, err);
    buf_release(&json);
    if (!is_shared) return false;
    g->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (g->event_fd < 0) return error_set_errno(err, errno, "eventfd");
    open_readers(g);
    set_limits(r, g);
    for (size_t i = 0; i < group->count; i++) {
        run_emit_cell(r, &g->arms[i], RUN_EVENT_CELL_STARTED);
    }
    /* A trial in the arm itself would lose its processor to us for milliseconds. One that
     * starts others waits for them, and we would only be late. */
    os_step_back(!g->group->entry->experiment->spawns);
    return nursery_launch(r->request->nursery, (uint32_t)(g - r->slots), g->memory_fd,
                          g->event_fd, err);
}

/* ---- a group's end ---- */

static void judge_cell(const struct run *r, struct group_run *g, struct intake *in)
{
    struct execution_record *x = &in->record;
    const struct trial_counts *c = &x->counts;
    int64_t ok = c->by_status[TRIAL_OK];
    bool is_short =
        c->attempted < spec_trials(g->group->entry) && !g->group->entry->until.is_set;
    bool died = !WIFEXITED(g->exit_status) || WEXITSTATUS(g->exit_status) != 0;
    /* An agent that answers nothing was measured anyway. */
    bool is_agent = g->group->entry->benchmark != NULL;
    bool gave_up = in->was_stopped && !is_agent;
    bool had_nothing = c->attempted > 0 &&
                       (is_agent ? c->by_status[TRIAL_HARNESS_ERROR] == c->attempted : ok == 0);
    bool was_cut = r->is_stopping && (is_short || g->group->entry->until.is_set);
    x->status = RUN_SUCCESS;
    if ((in->was_stopped || was_cut) && is_agent && x->unranked == UNRANKED_NOT)
        x->unranked = UNRANKED_SUBSET;
    if (in->has_failed_setup || g->is_broken) {
        x->status = RUN_FAILED;
        if (g->is_broken) {
            x->error_details = "the experiment wrote over its records: what was read before is "
                               "kept; look for a wild pointer in it";
        }
    } else if (was_cut) {
        x->status = RUN_PARTIAL;
        x->error_details =
            arena_printf(&g->arena, "interrupted after %lld of %lld trials; --resume continues",
                         (long long)c->attempted, (long long)x->measured_planned);
    } else if (died || gave_up || had_nothing) {
        x->status = RUN_FAILED;
        if (died) x->error_details = "the runner ended unexpectedly";
    } else if (is_agent && c->by_status[TRIAL_HARNESS_ERROR] > 0) {
        /* What is missing by our doing may be what the agent would have got wrong. */
        x->status = RUN_PARTIAL;
        x->error_details = arena_printf(
            &g->arena, "%lld of %lld trials had harness errors; --resume repeats the cell",
            (long long)c->by_status[TRIAL_HARNESS_ERROR], (long long)c->attempted);
    }
    double judged = (double)(c->attempted - c->by_status[TRIAL_HARNESS_ERROR]);
    if (judged > 0) x->scores[SCORE_RELIABILITY] = (double)ok / judged;
    x->memory_peak_mb = in->peak_mb;
    if (in->cpu_wall_s > 0) x->cpu_usage_percent = 100 * in->cpu_s / in->cpu_wall_s;
    x->end_ns = run_unix_ns(r);
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
    x->error_details = "no trial was ok";
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

/* A precision that was asked for and not reached must not pass for reached. */
static void note_imprecision(const struct run *r, struct group_run *g, struct intake *in)
{
    double wanted = g->group->entry->until.relative_ci;
    if (wanted <= 0 || in->has_failed_setup || in->record.status != RUN_SUCCESS) return;
    double reached = run_precision(r, in);
    if (reached <= wanted) return;
    const char *how = isnan(reached) ? "too few values for an interval"
                                     : arena_printf(&g->arena, "the median is known to %.2g %%",
                                                    100 * reached);
    const char *note =
        arena_printf(&g->arena,
                     "--until was not reached: %s after %lld trials, %.2g %% was requested; "
                     "allow more with max_iterations or max_seconds",
                     how, (long long)in->record.counts.attempted, 100 * wanted);
    note_add(&in->record.notes, &g->arena, NOTE_REMARK, str_of(note));
}

static void add_counts(struct trial_counts *sum, const struct trial_counts *c)
{
    sum->attempted += c->attempted;
    for (int i = 0; i < TRIAL_STATUS_COUNT; i++) sum->by_status[i] += c->by_status[i];
}

bool run_finish_group(struct run *r, struct group_run *g, struct error *err)
{
    if (!run_take_in(r, g, err) || !run_commit(r, g, true, err)) return false;
    for (size_t i = 0; i < g->group->count; i++) {
        struct intake *in = &g->arms[i];
        judge_cell(r, g, in);
        explain_failure(r, g, in);
        note_imprecision(r, g, in);
        if (in->cell->entry->benchmark && !run_score_cell(r, in, &g->arena, err)) {
            return error_wrap(err, "scoring cell %zu", in->cell->index);
        }
        if (!store_finish(r->request->store, &in->record, err)) {
            return error_wrap(err, "storing cell %zu", in->cell->index);
        }
        r->outcome->cells_by_status[in->record.status]++;
        if (in->is_unavailable) r->outcome->cells_unavailable++;
        add_counts(&r->outcome->counts, &in->record.counts);
        run_emit_cell(r, in, RUN_EVENT_CELL_FINISHED);
    }
    run_free_group(g);
    return true;
}
