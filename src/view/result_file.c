/* A result file is read as the importer of its format reads it, and its samples become a
 * view as those of a store do, so that a file compares with the run that it is imported
 * as. What our own files say besides (places in the plan, ids) is added to the record. */
#include "view/result_file.h"

#include "base/clock.h"
#include "base/os.h"
#include "base/plain.h"
#include "interop/import.h"
#include "view/view_internal.h"

struct reader {
    struct arena *out;
    struct view *view;
    const struct value *root;
    const struct value *ours; /* the key "assay", or NULL */
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

static void copy_id(char *to, const char *from)
{
    size_t n = from ? strlen(from) : 0;
    if (n >= UUID_SIZE) n = UUID_SIZE - 1;
    if (n) memcpy(to, from, n);
    to[n] = '\0';
}

static void take_run(struct reader *r)
{
    struct run_record *run = &r->view->run;
    const char *status = text_of(r->root, "status", r->out);
    copy_id(run->id, text_of(r->root, "run_id", r->out));
    run->status = RUN_SUCCESS;
    if (status && !run_status_parse(status, &run->status)) run->status = RUN_FAILED;
    run->seed = int_of(r->ours, "seed", 0);
    run->started_ns = stamp_of(r->ours, "started", r->out);
    run->ended_ns = stamp_of(r->ours, "ended", r->out);
    run->assay_version = text_of(r->ours, "version", r->out);
    run->environment = value_get(r->root, "environment");
    run->vcs = value_get(r->root, "vcs");
}

static void take_record(const struct reader *r, const struct imported_cell *from, size_t index,
                        struct execution_record *e)
{
    const struct value *ours = r->ours;
    execution_record_init(e);
    copy_id(e->run_id, r->view->run.id);
    copy_id(e->id, text_of(ours, "execution_id", r->out));
    e->experiment = from->name;
    e->parameters = from->parameters;
    e->label = plain_line(text_of(ours, "label", r->out), r->out);
    e->cell_key = text_of(ours, "cell_key", r->out);
    e->factor = text_of(ours, "factor", r->out);
    e->provenance = text_of(ours, "provenance", r->out);
    if (!e->provenance) e->provenance = "claimed"; /* by a program that is not ours */
    e->primary_metric = text_of(ours, "primary_metric", r->out);
    e->cell_index = int_of(ours, "cell", (int64_t)index);
    e->group_index = int_of(ours, "group", -1);
    e->arm_index = int_of(ours, "arm", 0);
    e->seed = r->view->run.seed;
    e->segments = int_of(ours, "segments", 1);
    e->concurrency = int_of(ours, "concurrency", 1);
    e->instruments = value_get(ours, "instruments");
    e->status = r->view->run.status;
}

/* As the store would give it: one series for each metric, and those of the trials. */
static void take_cell(const struct reader *r, const struct imported_cell *from,
                      struct view_cell *cell)
{
    size_t n = from->trial_count;
    size_t count = 0;
    struct series_record *series =
        arena_new(r->out, struct series_record, from->metric_count + 2);
    double *statuses = arena_new(r->out, double, n + 1);
    for (size_t i = 0; i < n; i++) statuses[i] = from->statuses[i];
    for (size_t i = 0; i < from->metric_count; i++) {
        const struct metric *m = &from->metrics[i].metric;
        series[count++] = (struct series_record){.metric = m->name,
                                                 .unit = m->unit,
                                                 .direction = m->direction,
                                                 .definition = m->definition,
                                                 .kind = m->kind,
                                                 .samples = from->metrics[i].values};
    }
    series[count++] = (struct series_record){.metric = "trial.status", .samples = statuses};
    series[count++] =
        (struct series_record){.metric = "trial.start_s", .samples = from->starts_s};
    for (size_t i = 0; i < count; i++) {
        series[i].phase = PHASE_MEASURED;
        series[i].count = n;
    }
    cell->notes = from->notes;
    cell->note_count = from->note_count;
    view_fill(cell, series, count, r->out);
}

bool result_file_parse(const char *path, struct str bytes, struct arena *out,
                       struct view **view, struct error *err)
{
    const struct import_options options = {.name = "result"};
    struct str text = str_trim(bytes);
    if (text.n > 0 && text.p[0] != '{' && text.p[0] != '[') {
        return error_set(err, ERROR_INVALID,
                         "'%s' is not a result file (JSON); two files of plain numbers are "
                         "compared with --samples",
                         path);
    }
    struct reader r = {.out = out};
    struct imported *in = NULL;
    if (!import_read(importer_find(S("agentfarm")), bytes, &options, out, &in, err) ||
        !import_json(bytes, out, &r.root, err)) {
        return error_wrap(err, "'%s' is not a result file", path);
    }
    size_t metrics = 0;
    r.view = arena_new(out, struct view, 1);
    r.view->cells = arena_new(out, struct view_cell, in->cell_count);
    r.view->cell_count = in->cell_count;
    r.view->run.spec_path = path;
    r.ours = value_get(r.root, "assay");
    take_run(&r);
    for (size_t i = 0; i < in->cell_count; i++) {
        take_record(&r, in->cells[i], i, &r.view->cells[i].record);
        take_cell(&r, in->cells[i], &r.view->cells[i]);
        metrics += in->cells[i]->metric_count;
    }
    *view = r.view;
    return metrics > 0 ||
           error_set(err, ERROR_INVALID, "'%s' is not a result file: it has no numbers", path);
}

bool result_file_read(const char *path, struct arena *out, struct view **view,
                      struct error *err)
{
    struct str bytes = {0};
    return os_read_file(path, RESULT_FILE_MAX_BYTES, out, &bytes, err) &&
           result_file_parse(path, bytes, out, view, err);
}
