/* A run as whoever shows or compares it sees it: records and series of the store, worked out
 * once. view_fill is the one place in which series become a cell, whether they come from a
 * store or from a file (result_file.c): trials first, then metrics, then what is derived from
 * both. Loading holds one moment of the store, as the run may be under way. */
#include "view/view_internal.h"

#include "model/cell.h"
#include "model/environment.h"
#include "view/units.h"

#include <inttypes.h>
#include <math.h>

static bool is_metric(const struct series_record *s)
{
    return s->phase == PHASE_MEASURED && strncmp(s->metric, "trial.", 6) != 0;
}

static void take_metrics(struct view_cell *cell, const struct series_record *series,
                         size_t count, struct arena *out)
{
    const char *primary =
        cell->record.primary_metric ? cell->record.primary_metric : metric_duration.name;
    cell->metrics = arena_new(out, struct view_metric, count + 2); /* one more may follow */
    const struct series_record *first = series_find(series, count, PHASE_MEASURED, primary);
    if (first) view_summarise(&cell->metrics[cell->metric_count++], first, out);
    for (size_t i = 0; i < count; i++) {
        if (!is_metric(&series[i]) || &series[i] == first) continue;
        view_summarise(&cell->metrics[cell->metric_count++], &series[i], out);
    }
}

/* Statuses, starts and segments, as long as the longest series. */
static void take_trials(struct view_cell *cell, const struct series_record *series,
                        size_t count, struct arena *out)
{
    for (size_t i = 0; i < count; i++) {
        if (series[i].phase != PHASE_MEASURED) continue;
        if (series[i].count > cell->trial_count) cell->trial_count = series[i].count;
    }
    uint8_t *statuses = arena_new(out, uint8_t, cell->trial_count + 1);
    uint32_t *segments = arena_new(out, uint32_t, cell->trial_count + 1);
    double *starts = arena_new(out, double, cell->trial_count + 1);
    const struct series_record *status =
        series_find(series, count, PHASE_MEASURED, "trial.status");
    const struct series_record *segment =
        series_find(series, count, PHASE_MEASURED, "trial.segment");
    const struct series_record *start =
        series_find(series, count, PHASE_MEASURED, "trial.start_s");
    for (size_t i = 0; i < cell->trial_count; i++) {
        double s = status && i < status->count ? status->samples[i] : TRIAL_OK;
        double g = segment && i < segment->count ? segment->samples[i] : 0;
        if (s >= 0 && s < TRIAL_STATUS_COUNT) statuses[i] = (uint8_t)s;
        if (g >= 0 && g < UINT32_MAX) segments[i] = (uint32_t)g;
        starts[i] = start && i < start->count ? start->samples[i] : (double)NAN;
    }
    cell->statuses = statuses;
    cell->segments = segments;
    cell->starts_s = starts;
    const struct series_record *warmup =
        series_find(series, count, PHASE_WARMUP, metric_duration.name);
    if (!warmup) return;
    cell->warmup = warmup->samples;
    cell->warmup_count = warmup->count;
}

/* Segments that no resume began are those of trials without a pair: a note of the cell says
 * which arm was stopped. */
static void warn_of_segments(const struct view_cell *cell, struct view_metric *m,
                             struct arena *out)
{
    for (size_t i = 1; i < cell->trial_count && cell->record.segments > 1; i++) {
        if (cell->segments[i] == cell->segments[i - 1]) continue;
        view_warn(m, out, "resumed before trial %zu: set-up and warm-up were repeated there",
                  i);
        return;
    }
}

/* What is odd about the measuring, not about the values. */
static void warn_of_conditions(struct view_cell *cell, struct arena *out)
{
    if (cell->metric_count == 0) return;
    struct view_metric *m = &cell->metrics[0];
    double overhead_s = cell->record.overhead_s;
    bool is_timed = strcmp(m->name, metric_duration.name) == 0 &&
                    strcmp(cell->record.experiment, "noop") != 0; /* it is the overhead */
    if (is_timed && overhead_s > 0.05 * m->median) {
        view_warn(m, out,
                  "clock reads and the call take %.0f %% of the median: make the "
                  "work of one trial longer",
                  100 * overhead_s / m->median);
    }
    if (execution_lanes(&cell->record) > 1) {
        view_warn(m, out,
                  "concurrent: %lld cases of the agent were in flight at once, so this is its "
                  "time under that load, not alone",
                  (long long)execution_lanes(&cell->record));
    }
    size_t spoiled = units_spoiled(cell);
    if (spoiled > 0) {
        view_warn(m, out,
                  "the generator spoiled %zu of %zu blocks: medians of times and rates are "
                  "those of the others",
                  spoiled, cell->trial_count);
    }
    warn_of_segments(cell, m, out);
}

/* An execution that is still open has counted nothing in its row, and a bundle may say what
 * does not add up. */
static void count_trials(struct view_cell *cell)
{
    struct trial_counts *counts = &cell->record.counts;
    if (counts->attempted > 0 && trial_counts_add_up(counts)) return;
    *counts = (struct trial_counts){0};
    for (size_t i = 0; i < cell->trial_count; i++) counts->by_status[cell->statuses[i]]++;
    counts->attempted = (int64_t)cell->trial_count;
}

/* By the units that trends, gates and claims go by: repeats of a case are not new evidence, a
 * trial that was timed out is longer than all others, one that we spoiled says nothing. */
void view_centre(struct view_cell *cell, struct arena *out)
{
    cell->order = units_order(cell, cell->trial_count, out);
    for (size_t i = 0; i < cell->metric_count; i++) {
        struct view_metric *m = &cell->metrics[i];
        m->centre = m->median;
        m->centre_low = m->median_low;
        m->centre_high = m->median_high;
        m->units = m->n;
        struct units u = units_of(cell, m, out);
        if (u.count == 0) continue;
        m->is_by_case = u.keys != NULL;
        u.ends[0] = u.ends[1] = NULL; /* as scores are: of what was judged */
        struct units_level level = units_level(&u, m->kind, 0.05, *out);
        m->centre = level.centre;
        m->centre_low = level.low;
        m->centre_high = level.high;
        m->units = level.n;
    }
}

void view_fill(struct view_cell *cell, const struct series_record *series, size_t count,
               struct arena *out)
{
    cell->settings = cell_settings(cell->record.parameters, out, &cell->setting_count);
    take_trials(cell, series, count, out);
    take_metrics(cell, series, count, out);
    view_grow(cell, out);
    count_trials(cell);
    view_centre(cell, out);
    warn_of_conditions(cell, out);
}

static bool load_cell(struct store *store, struct view_cell *cell, struct arena *out,
                      struct error *err)
{
    const char *id = cell->record.id;
    struct series_record *series = NULL;
    size_t count = 0;
    if (!store_list_series(store, id, out, &series, &count, err) ||
        !store_list_notes(store, id, out, &cell->notes, &cell->note_count, err) ||
        !store_list_artifacts(store, id, out, &cell->artifacts, &cell->artifact_count, err) ||
        !view_take_histograms(store, cell, out, err)) {
        return error_wrap(err, "reading execution %s", id);
    }
    view_fill(cell, series, count, out);
    cell->series = series;
    cell->series_count = count;
    return true;
}

bool view_load_metric(struct store *store, const struct execution_record *execution,
                      const char *metric, struct arena *out, struct view_cell *cell,
                      struct error *err)
{
    const char *const names[] = {"trial.status", "trial.start_s", metric, "generator"};
    const struct series_filter filter = {execution->id, names, COUNT(names)};
    struct series_record *series = NULL;
    size_t count = 0;
    *cell = (struct view_cell){.record = *execution};
    if (!store_read_series(store, &filter, out, &series, &count, err)) return false;
    const struct series_record *found = series_find(series, count, PHASE_MEASURED, metric);
    take_trials(cell, series, count, out);
    /* Whether its blocks are the server's own (view/units.h). */
    const struct series_record *generator =
        series_find(series, count, PHASE_MEASURED, "generator");
    cell->metrics = arena_new(out, struct view_metric, 2);
    if (found) cell->metrics[cell->metric_count++] = view_name_metric(found);
    if (found && generator && generator != found)
        cell->metrics[cell->metric_count++] = view_name_metric(generator);
    for (size_t i = 0; found && i < found->count; i++)
        cell->metrics->n += isfinite(found->samples[i]) != 0;
    return store_list_notes(store, execution->id, out, &cell->notes, &cell->note_count, err);
}

static void take_machine_warnings(struct view *view, struct arena *out)
{
    const struct value *list = value_get(view->run.environment, "warnings");
    if (!list || list->kind != VALUE_LIST) return;
    const struct value *kinds = value_get(view->run.environment, "warning_kinds");
    bool has_kinds =
        kinds && kinds->kind == VALUE_LIST && kinds->list.count == list->list.count;
    view->machine_warnings = arena_new(out, const char *, list->list.count + 1);
    view->machine_warning_kinds = arena_new(out, const char *, list->list.count + 1);
    for (size_t i = 0; i < list->list.count; i++) {
        const struct value *v = list->list.items[i];
        if (v->kind != VALUE_TEXT) continue;
        if (has_kinds)
            view->machine_warning_kinds[view->machine_warning_count] =
                str_cstr(out, kinds->list.items[i]->source);
        view->machine_warnings[view->machine_warning_count++] = str_cstr(out, v->source);
    }
}

struct metric view_metric_of(const struct view_metric *m)
{
    return (struct metric){.name = m->name,
                           .unit = m->unit,
                           .direction = m->direction,
                           .definition = m->definition,
                           .kind = m->kind};
}

const struct value *view_find_setting(const struct view_cell *cell, struct str key)
{
    for (size_t i = 0; i < cell->setting_count; i++) {
        if (str_equal(cell->settings[i].key, key)) return cell->settings[i].value;
    }
    return NULL;
}

size_t view_changes(const struct view_cell *a, const struct view_cell *b, struct arena *out,
                    struct view_change **changes)
{
    size_t n = 0;
    *changes = arena_new(out, struct view_change, a->setting_count + b->setting_count + 1);
    for (size_t i = 0; i < a->setting_count; i++) {
        struct value_pair x = a->settings[i];
        const struct value *other = view_find_setting(b, x.key);
        if (!other || !value_equal(x.value, other))
            (*changes)[n++] = (struct view_change){x.key, {x.value, other}};
    }
    for (size_t i = 0; i < b->setting_count; i++) {
        struct value_pair x = b->settings[i];
        if (!view_find_setting(a, x.key))
            (*changes)[n++] = (struct view_change){x.key, {NULL, x.value}};
    }
    return n;
}

double view_sample(const struct view_metric *m, int64_t trial)
{
    bool is_there = m && trial >= 0 && (size_t)trial < m->count;
    return is_there ? m->samples[trial] : (double)NAN;
}

const struct view_metric *view_find_metric(const struct view_cell *cell, const char *name)
{
    for (size_t i = 0; i < cell->metric_count; i++) {
        if (strcmp(cell->metrics[i].name, name) == 0) return &cell->metrics[i];
    }
    return NULL;
}

const struct view_metric *view_find_alike(const struct view_cell *cell,
                                          const struct view_metric *like)
{
    const struct view_metric *m = view_find_metric(cell, like->name);
    struct metric wanted = view_metric_of(like);
    struct metric has = m ? view_metric_of(m) : wanted;
    return m && metric_is_comparable(&has, &wanted) ? m : NULL;
}

const char *view_cell_name(const struct view *view, const struct view_cell *cell,
                           struct arena *out)
{
    for (size_t i = 0; i < view->suite_count; i++) {
        bool is_it = &view->cells[view->suites[i].cell] == cell;
        if (is_it) return suite_view_name(&view->suites[i], out);
    }
    bool has_label = cell->record.label && cell->record.label[0];
    return has_label ? cell->record.label : cell->record.experiment;
}

bool view_was_killed(const struct run_record *run)
{
    int64_t pid = 0;
    return run->status == RUN_RUNNING && !environment_is_alive(run->environment, &pid);
}

/* One that `until` ended is complete with fewer trials than its upper limit. */
const struct execution_record *view_unfinished(const struct execution_record *e)
{
    bool was_ended = e->status == RUN_SUCCESS && e->unranked != UNRANKED_SUBSET;
    return was_ended || e->counts.attempted >= e->measured_planned ? NULL : e;
}

const char *view_left_out(const struct execution_record *e, struct arena *out)
{
    if (execution_represents(e)) return NULL;
    bool has_details = e->error_details && e->error_details[0];
    if (!execution_stands(e))
        return arena_printf(out, "%s%s%.120s", run_status_name(e->status),
                            has_details ? ": " : "", has_details ? e->error_details : "");
    if (e->unranked == UNRANKED_RESCORED) return "scored again since";
    if (e->unranked != UNRANKED_SUBSET) return e->provenance;
    bool is_cut = e->counts.attempted < e->measured_planned;
    return is_cut ? arena_printf(out,
                                 "run on some of the cases only (%" PRId64 " of %" PRId64
                                 " trials)",
                                 e->counts.attempted, e->measured_planned)
                  : "run on some of the cases only";
}

const char *view_status(const struct view *view, enum run_status stored)
{
    return view->was_killed && stored == RUN_RUNNING ? "killed" : run_status_name(stored);
}

static bool load(struct store *store, struct arena *out, struct view *v, struct error *err)
{
    struct execution_record *executions = NULL;
    if (!store_list_executions(store, v->run.id, out, &executions, &v->cell_count, err)) {
        return error_wrap(err, "reading run %s", v->run.id);
    }
    v->was_killed = view_was_killed(&v->run);
    take_machine_warnings(v, out);
    v->cells = arena_new(out, struct view_cell, v->cell_count + 1);
    for (size_t i = 0; i < v->cell_count; i++) {
        v->cells[i].record = executions[i];
        if (!load_cell(store, &v->cells[i], out, err)) return false;
    }
    view_relate(v, out);
    return suite_view_load(store, v, out, err);
}

bool view_load_run(struct store *store, const struct run_record *run, struct arena *out,
                   struct view **view, struct error *err)
{
    *view = arena_new(out, struct view, 1);
    (*view)->run = *run;
    if (!store_hold(store, err)) return false; /* the run may be under way */
    bool done = load(store, out, *view, err);
    store_release(store);
    return done;
}

bool view_load(struct store *store, const char *run_id, struct arena *out, struct view **view,
               struct error *err)
{
    struct run_record run;
    if (!store_hold(store, err)) return false;
    bool done = store_find_run(store, run_id, out, &run, err) &&
                view_load_run(store, &run, out, view, err);
    store_release(store);
    return done;
}
