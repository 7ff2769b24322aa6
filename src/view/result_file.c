#include "view/result_file.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/os.h"
#include "base/plain.h"
#include "interop/import.h"
#include "view/view_internal.h"

#include <math.h>

enum { METRICS_MAX = 2000 };

struct reader {
    struct arena *out;
    struct view *view;
    struct view_cell *cell;
    const struct value *root;
    const struct value *ours; /* the key "assay", or NULL */
    bool is_sampled;          /* has iterations, not only summaries */
};

static const char *text_of(const struct value *map, const char *key, struct arena *out)
{
    const struct value *v = value_get(map, key);
    return v && v->kind == VALUE_TEXT ? str_cstr(out, v->source) : NULL;
}

/* 0 = unknown. */
static int64_t stamp_of(const struct value *map, const char *key, struct arena *out)
{
    const char *text = text_of(map, key, out);
    int64_t unix_ns = 0;
    return text && clock_parse_stamp(text, &unix_ns) ? unix_ns : 0;
}

static int64_t int_of(const struct value *map, const char *key, int64_t fallback)
{
    const struct value *v = value_get(map, key);
    return v && v->kind == VALUE_INT ? v->integer : fallback;
}

static double number_of(const struct value *v)
{
    return v && value_is_number(v) ? value_number(v) : (double)NAN;
}

/* ---- metrics ---- */

/* As our own files say; else as the importer of this format reads a name, so that a
 * file compares with the run that it was imported as. */
static void describe_metric(struct reader *r, const char *name, struct series_record *s)
{
    const struct value *summary = value_get(value_get(r->ours, "summary"), name);
    const char *direction = text_of(summary, "direction", r->out);
    s->metric = name;
    s->unit = text_of(summary, "unit", r->out);
    s->definition = text_of(summary, "definition", r->out);
    if (s->unit && s->definition && direction && direction_parse(direction, &s->direction))
        return;
    struct metric m = {.name = name};
    import_guess(name, &m);
    s->unit = m.unit;
    s->direction = m.direction;
    s->definition = !r->is_sampled                    ? "agentfarm.summary/1"
                    : strcmp(name, "duration_s") == 0 ? "agentfarm.duration/1"
                                                      : "agentfarm.metric/1";
}

static void add_metric(struct reader *r, const char *name, const double *samples, size_t count)
{
    if (r->cell->metric_count == METRICS_MAX) return;
    struct series_record s = {.phase = PHASE_MEASURED, .samples = samples, .count = count};
    describe_metric(r, name, &s);
    view_summarise(&r->cell->metrics[r->cell->metric_count++], &s, r->out);
    if (count > r->cell->trial_count) r->cell->trial_count = count;
}

static bool has_metric(const struct reader *r, struct str name)
{
    for (size_t i = 0; i < r->cell->metric_count; i++) {
        if (str_is(name, r->cell->metrics[i].name)) return true;
    }
    return false;
}

/* Every number of iteration_metrics[].metrics, by name, in the order of the
 * iterations; duration_s is next to them and comes first. */
static void take_iterations(struct reader *r, const struct value *list)
{
    size_t count = list->list.count;
    double *durations = arena_new(r->out, double, count + 1);
    for (size_t i = 0; i < count; i++) {
        durations[i] = number_of(value_get(list->list.items[i], "duration_s"));
    }
    add_metric(r, "duration_s", durations, count);
    for (size_t i = 0; i < count; i++) {
        const struct value *metrics = value_get(list->list.items[i], "metrics");
        if (!metrics || metrics->kind != VALUE_MAP) continue;
        for (size_t k = 0; k < metrics->map.count; k++) {
            const struct value_pair *pair = &metrics->map.pairs[k];
            if (!value_is_number(pair->value) || has_metric(r, pair->key)) continue;
            const char *name = str_cstr(r->out, pair->key);
            double *samples = arena_new(r->out, double, count + 1);
            for (size_t t = 0; t < count; t++) {
                const struct value *of = value_get(list->list.items[t], "metrics");
                samples[t] = number_of(value_get(of, name));
            }
            add_metric(r, name, samples, count);
        }
    }
}

static bool is_series(const struct value *v)
{
    bool all = v->kind == VALUE_LIST && v->list.count > 0;
    for (size_t i = 0; all && i < v->list.count; i++) {
        const struct value *item = v->list.items[i];
        all = value_is_number(item) || item->kind == VALUE_NULL;
    }
    return all;
}

/* A summary: the path of every number is a metric with one value. */
static void take_leaves(struct reader *r, const struct value *v, const char *path)
{
    if (value_is_number(v) || is_series(v)) {
        size_t count = v->kind == VALUE_LIST ? v->list.count : 1;
        double *samples = arena_new(r->out, double, count);
        for (size_t i = 0; i < count; i++) {
            samples[i] = number_of(v->kind == VALUE_LIST ? v->list.items[i] : v);
        }
        add_metric(r, path, samples, count);
        return;
    }
    const char *dot = path[0] ? "." : "";
    for (size_t i = 0; v->kind == VALUE_MAP && i < v->map.count; i++) {
        const struct value_pair *pair = &v->map.pairs[i];
        take_leaves(r, pair->value,
                    arena_printf(r->out, "%s%s%.*s", path, dot, STR_ARG(pair->key)));
    }
    for (size_t i = 0; v->kind == VALUE_LIST && i < v->list.count; i++) {
        take_leaves(r, v->list.items[i], arena_printf(r->out, "%s%s%zu", path, dot, i));
    }
}

/* ---- what is around them ---- */

static void take_trials(struct reader *r)
{
    struct view_cell *cell = r->cell;
    size_t n = cell->trial_count;
    uint8_t *statuses = arena_new(r->out, uint8_t, n + 1);
    double *starts = arena_new(r->out, double, n + 1);
    const struct value *list = value_get(r->ours, "statuses");
    struct trial_counts *counts = &cell->record.counts;
    for (size_t i = 0; i < n; i++) {
        starts[i] = NAN;
        bool is_told = list && list->kind == VALUE_LIST && i < list->list.count;
        for (int s = 0; is_told && s < TRIAL_STATUS_COUNT; s++) {
            const char *name = trial_status_name((enum trial_status)s);
            if (str_is(list->list.items[i]->source, name)) statuses[i] = (uint8_t)s;
        }
        counts->by_status[statuses[i]]++;
    }
    counts->attempted = (int64_t)n;
    cell->statuses = statuses;
    cell->starts_s = starts;
    cell->segments = arena_new(r->out, uint32_t, n + 1);
}

static void copy_id(char *to, const char *from)
{
    size_t n = from ? strlen(from) : 0;
    if (n >= UUID_SIZE) n = UUID_SIZE - 1;
    if (n) memcpy(to, from, n);
    to[n] = '\0';
}

static void take_record(struct reader *r)
{
    struct execution_record *e = &r->cell->record;
    const struct value *ours = r->ours;
    execution_record_init(e);
    copy_id(r->view->run.id, text_of(r->root, "run_id", r->out));
    copy_id(e->run_id, r->view->run.id);
    copy_id(e->id, text_of(ours, "execution_id", r->out));
    e->experiment = text_of(r->root, "name", r->out);
    if (!e->experiment) e->experiment = text_of(r->root, "benchmark_name", r->out);
    if (!e->experiment) e->experiment = "result";
    e->label = plain_line(text_of(ours, "label", r->out), r->out);
    e->cell_key = text_of(ours, "cell_key", r->out);
    e->factor = text_of(ours, "factor", r->out);
    e->provenance = text_of(ours, "provenance", r->out);
    if (!e->provenance) e->provenance = "claimed"; /* by a program that is not ours */
    e->primary_metric = text_of(ours, "primary_metric", r->out);
    e->cell_index = int_of(ours, "cell", 0);
    e->group_index = int_of(ours, "group", -1);
    e->arm_index = int_of(ours, "arm", 0);
    e->seed = int_of(ours, "seed", 0);
    e->segments = int_of(ours, "segments", 1);
    e->concurrency = int_of(ours, "concurrency", 1);
    e->instruments = value_get(ours, "instruments");
    const char *status = text_of(r->root, "status", r->out);
    e->status = RUN_SUCCESS;
    if (status && !run_status_parse(status, &e->status)) e->status = RUN_FAILED;
    r->view->run.status = e->status;
    r->view->run.seed = e->seed;
    r->view->run.started_ns = stamp_of(ours, "started", r->out);
    r->view->run.ended_ns = stamp_of(ours, "ended", r->out);
    r->view->run.assay_version = text_of(ours, "version", r->out);
    r->view->run.environment = value_get(r->root, "environment");
    r->view->run.vcs = value_get(r->root, "vcs");
    const struct value *params = value_get(r->root, "parameters");
    if (!params || params->kind != VALUE_MAP) return;
    e->parameters = params;
    r->cell->settings = params->map.pairs;
    r->cell->setting_count = params->map.count;
}

/* The primary metric goes to the front. */
static void order_metrics(struct view_cell *cell)
{
    for (size_t i = 1; cell->record.primary_metric && i < cell->metric_count; i++) {
        if (strcmp(cell->metrics[i].name, cell->record.primary_metric) != 0) continue;
        struct view_metric primary = cell->metrics[i];
        memmove(cell->metrics + 1, cell->metrics, i * sizeof primary);
        cell->metrics[0] = primary;
    }
}

bool result_file_parse(const char *path, struct str bytes, struct arena *out,
                       struct view **view, struct error *err)
{
    struct reader r = {.out = out};
    if (!import_json(bytes, out, &r.root, err)) {
        return error_wrap(err, "'%s' is not a result file", path);
    }
    if (r.root->kind != VALUE_MAP) {
        return error_set(err, ERROR_INVALID, "'%s' is not a result file: it holds %s", path,
                         value_kind_name(r.root->kind));
    }
    r.view = arena_new(out, struct view, 1);
    r.view->cells = r.cell = arena_new(out, struct view_cell, 1);
    r.view->cell_count = 1;
    r.view->run.spec_path = path;
    r.ours = value_get(r.root, "assay");
    take_record(&r);
    r.cell->metrics = arena_new(out, struct view_metric, METRICS_MAX);
    const struct value *iterations = value_get(r.root, "iteration_metrics");
    r.is_sampled = iterations && iterations->kind == VALUE_LIST;
    if (r.is_sampled) {
        take_iterations(&r, iterations);
    } else {
        take_leaves(&r, r.root, "");
    }
    if (r.cell->metric_count == 0) {
        return error_set(err, ERROR_INVALID, "'%s' is not a result file: it has no numbers",
                         path);
    }
    order_metrics(r.cell);
    take_trials(&r);
    *view = r.view;
    return true;
}

bool result_file_read(const char *path, struct arena *out, struct view **view,
                      struct error *err)
{
    struct str bytes = {0};
    return os_read_file(path, RESULT_FILE_MAX_BYTES, out, &bytes, err) &&
           result_file_parse(path, bytes, out, view, err);
}
