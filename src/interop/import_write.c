/* Imported cells as a run of the store. */
#include "interop/import.h"

#include "base/clock.h"
#include "base/json.h"

#include <math.h>

bool import_read(const struct importer *importer, struct str bytes,
                 const struct import_options *options, struct arena *out,
                 struct imported **imported, struct error *err)
{
    struct imported *in = arena_new(out, struct imported, 1);
    in->arena = out;
    if (!importer->read(bytes, options, in, err)) {
        return error_wrap(err, "reading it as %s", importer->name);
    }
    if (in->cell_count == 0) {
        return error_set(err, ERROR_INVALID, "reading it as %s: it has no results",
                         importer->name);
    }
    imported_settle_kinds(in);
    *imported = in;
    return true;
}

static void hash_text(struct buf *b, const char *text)
{
    buf_text(b, text ? text : "");
    buf_add_char(b, '\n');
}

const char *import_hash(const struct importer *importer, const struct import_options *options,
                        const char *agent, const char *version, struct str bytes, char *out)
{
    char contents[SHA256_HEX_SIZE];
    struct buf b;
    buf_init(&b, 1 << 20);
    hash_text(&b, "import");
    hash_text(&b, importer->name);
    hash_text(&b, id_sha256(bytes, contents));
    for (size_t i = 0; i < options->column_count; i++) hash_text(&b, options->columns[i]);
    const char *texts[] = {options->by,        options->time, options->unit,
                           options->direction, agent,         version};
    for (size_t i = 0; i < COUNT(texts); i++) hash_text(&b, texts[i]);
    if (options->name) hash_text(&b, options->name); /* as asked for */
    if (options->kind) {
        hash_text(&b, "kind");
        hash_text(&b, options->kind);
    }
    id_sha256(buf_str(&b), out);
    buf_release(&b);
    return out;
}

/* ---- one cell ---- */

struct writing {
    struct store *store;
    const struct imported *in;
    const struct import_origin *origin;
    const struct run_record *run;
    struct arena *out;
    struct suite_record suite;
};

static bool name_agent(struct writing *w, const struct imported_cell *cell,
                       struct execution_record *e, struct error *err)
{
    const char *name = cell->agent ? cell->agent : w->origin->agent;
    e->agent_version = cell->version ? cell->version : w->origin->version;
    if (!name && !w->in->suite) return true; /* the built-in one */
    struct agent_record agent = {
        .name = name ? name : w->in->suite, .kind = "external", .version = e->agent_version};
    if (!store_put_agent(w->store, &agent, err)) return false;
    snprintf(e->agent_id, sizeof e->agent_id, "%s", agent.id);
    return true;
}

static bool name_benchmark(struct writing *w, struct execution_record *e, struct error *err)
{
    if (!w->in->suite) return true;
    struct benchmark_record b = {.name = e->experiment, .test_type = "real_world"};
    snprintf(b.suite_id, sizeof b.suite_id, "%s", w->suite.id);
    store_benchmark_id(w->store, w->suite.name, b.name, NULL, b.id);
    if (!store_put_benchmark(w->store, &b, err)) return false;
    snprintf(e->suite_id, sizeof e->suite_id, "%s", w->suite.id);
    snprintf(e->benchmark_id, sizeof e->benchmark_id, "%s", b.id);
    return true;
}

static const char *key_of(const struct execution_record *e, struct arena *out)
{
    char hash[SHA256_HEX_SIZE];
    const char *text =
        arena_printf(out, "%s\n%s\n%s\n%s", e->experiment, json_of(e->parameters, out).p,
                     e->agent_id, e->benchmark_id);
    return str_cstr(out, str_of(id_sha256(str_of(text), hash)));
}

static void count_trials(const struct imported_cell *cell, struct trial_counts *counts)
{
    for (size_t i = 0; i < cell->trial_count; i++) counts->by_status[cell->statuses[i]]++;
    counts->attempted = (int64_t)cell->trial_count;
}

static double sum_of(const struct imported_cell *cell, const char *metric)
{
    double sum = NAN;
    for (size_t m = 0; m < cell->metric_count; m++) {
        if (strcmp(cell->metrics[m].metric.name, metric) != 0) continue;
        for (size_t i = 0; i < cell->trial_count; i++) {
            double v = cell->metrics[m].values[i];
            if (!isnan(v)) sum = isnan(sum) ? v : sum + v;
        }
    }
    return sum;
}

static const char *primary_of(const struct imported_cell *cell)
{
    for (size_t m = 0; m < cell->metric_count; m++) {
        if (strcmp(cell->metrics[m].metric.name, metric_duration.name) == 0) {
            return metric_duration.name;
        }
    }
    return cell->metric_count ? cell->metrics[0].metric.name : metric_duration.name;
}

/* The name alone where that is enough: a history goes on over versions, and trend
 * follows the label. */
static const char *label_of(struct writing *w, const struct imported_cell *cell)
{
    size_t alike = 0;
    for (size_t i = 0; i < w->in->cell_count; i++) {
        alike += strcmp(w->in->cells[i]->name, cell->name) == 0;
    }
    if (alike == 1 || !(cell->agent || cell->version)) return cell->name;
    return arena_printf(w->out, "%s (%s%s%s)", cell->name, cell->agent ? cell->agent : "",
                        cell->agent && cell->version ? " " : "",
                        cell->version ? cell->version : "");
}

/* Arms of a group are compared, and a claim is about the cells of its entry. */
static void place_as_ours(struct execution_record *e, const struct execution_record *ours)
{
    e->group_index = ours->group_index;
    e->arm_index = ours->arm_index;
    e->entry_index = ours->entry_index;
    e->factor = ours->factor;
    e->primary_metric = ours->primary_metric;
}

static bool make_execution(struct writing *w, size_t index, struct execution_record *e,
                           struct error *err)
{
    const struct imported_cell *cell = w->in->cells[index];
    execution_record_init(e);
    id_uuid7(e->id);
    snprintf(e->run_id, sizeof e->run_id, "%s", w->run->id);
    e->experiment = cell->ours ? cell->ours->experiment : cell->name;
    e->label = cell->ours ? cell->ours->label : label_of(w, cell);
    e->parameters = cell->parameters ? cell->parameters : value_new_map(w->out, NULL, 0);
    store_builtin_ids(w->store, e);
    if (!name_agent(w, cell, e, err) || !name_benchmark(w, e, err)) return false;
    e->cell_index = e->group_index = (int64_t)index;
    if (cell->ours) place_as_ours(e, cell->ours);
    e->cell_key = key_of(e, w->out);
    e->provenance = cell->is_claimed ? "claimed" : "measured";
    e->instruments = value_new_list(w->out, NULL, 0);
    if (!e->primary_metric) e->primary_metric = primary_of(cell);
    for (size_t i = 0; i < cell->remark_count; i++) {
        note_add(&e->notes, w->out, NOTE_REMARK, str_of(cell->remarks[i]));
    }
    e->steady_at = -2;
    e->measured_planned = (int64_t)cell->trial_count;
    e->segments = 1;
    count_trials(cell, &e->counts);
    e->status = RUN_SUCCESS;
    e->start_ns = w->run->started_ns;
    e->end_ns = w->run->ended_ns;
    e->cost_usd = sum_of(cell, "cost_usd");
    if (w->in->suite && cell->trial_count) {
        e->scores[SCORE_RELIABILITY] =
            (double)e->counts.by_status[TRIAL_OK] / (double)e->counts.attempted;
    }
    return true;
}

static bool write_trials(struct writing *w, const struct imported_cell *cell, const char *id,
                         struct error *err)
{
    const struct metric **metrics =
        arena_new(w->out, const struct metric *, cell->metric_count);
    const double **columns = arena_new(w->out, const double *, cell->metric_count);
    for (size_t m = 0; m < cell->metric_count; m++) {
        metrics[m] = &cell->metrics[m].metric;
        columns[m] = cell->metrics[m].values;
    }
    struct trial_batch batch = {.execution_id = id,
                                .phase = PHASE_MEASURED,
                                .count = cell->trial_count,
                                .statuses = cell->statuses,
                                .starts_s = cell->starts_s,
                                .column_count = cell->metric_count,
                                .metrics = metrics,
                                .columns = columns,
                                .notes = cell->notes,
                                .note_count = cell->note_count};
    return store_append(w->store, &batch, 1, err);
}

static bool write_histogram(struct writing *w, const struct imported_cell *cell, const char *id,
                            struct error *err)
{
    if (!cell->histogram) return true;
    struct buf text;
    buf_init(&text, IMPORT_MAX_BYTES);
    hdr_encode(cell->histogram, &text);
    struct histogram_record h = {.metric = cell->histogram_metric.name,
                                 .unit = cell->histogram_metric.unit,
                                 .definition = cell->histogram_metric.definition,
                                 .phase = PHASE_MEASURED,
                                 .count = cell->histogram->total,
                                 .encoding = HISTOGRAM_ENCODING,
                                 .data = buf_str(&text),
                                 .trial = -1};
    bool done = store_put_histogram(w->store, id, &h, err);
    buf_release(&text);
    return done;
}

static bool write_cells(struct writing *w, struct error *err)
{
    for (size_t i = 0; i < w->in->cell_count; i++) {
        const struct imported_cell *cell = w->in->cells[i];
        struct execution_record e;
        if (!make_execution(w, i, &e, err) || !store_put_execution(w->store, &e, err) ||
            !write_trials(w, cell, e.id, err) || !write_histogram(w, cell, e.id, err) ||
            !store_finish(w->store, &e, err)) {
            return error_wrap(err, "storing '%.80s'", cell->name);
        }
    }
    return true;
}

/* ---- the run ---- */

static int64_t end_of(const struct imported *in, int64_t started_ns)
{
    double last_s = 0;
    for (size_t c = 0; c < in->cell_count; c++) {
        for (size_t i = 0; i < in->cells[c]->trial_count; i++) {
            double at = in->cells[c]->starts_s[i];
            if (at > last_s) last_s = at;
        }
    }
    return clock_after(started_ns, last_s);
}

static void make_run(const struct imported *in, const struct import_origin *origin,
                     struct run_record *run)
{
    *run = (struct run_record){.status = RUN_SUCCESS};
    id_uuid7(run->id);
    run->spec_path = origin->path;
    run->spec_hash = origin->hash;
    run->command = origin->command;
    run->environment = in->environment ? in->environment : origin->environment;
    run->vcs = in->vcs ? in->vcs : origin->vcs;
    run->tags = in->tags;
    run->claims = in->claims;
    note_add(&run->notes, in->arena, NOTE_REMARK, in->notes);
    run->assay_version = origin->assay_version;
    run->started_ns = in->started_ns ? in->started_ns : clock_unix_ns();
    run->ended_ns = end_of(in, run->started_ns);
}

static bool has_text(const struct value *list, const char *text)
{
    for (size_t i = 0; list && i < list->list.count; i++) {
        const struct value *v = list->list.items[i];
        if (v->kind == VALUE_TEXT && str_is(v->source, text)) return true;
    }
    return false;
}

/* The suite's benchmarks so far, and those of these cells. */
static const char *benchmarks_of(struct writing *w)
{
    struct suite_record stored = {0};
    struct buf b;
    struct json j;
    bool is_known = store_find_suite(w->store, w->in->suite, w->out, &stored, NULL);
    const struct value *known = is_known ? value_stored(stored.benchmarks, w->out) : NULL;
    if (known && known->kind != VALUE_LIST) known = NULL;
    buf_init(&b, (size_t)64 << 20);
    json_init(&j, &b, 0);
    json_list(&j);
    for (size_t i = 0; known && i < known->list.count; i++) {
        json_value(&j, known->list.items[i]);
    }
    for (size_t i = 0; i < w->in->cell_count; i++) {
        char id[UUID_SIZE];
        store_benchmark_id(w->store, w->in->suite, w->in->cells[i]->name, NULL, id);
        bool is_new = !has_text(known, id);
        for (size_t k = 0; k < i && is_new; k++) {
            is_new = strcmp(w->in->cells[k]->name, w->in->cells[i]->name) != 0;
        }
        if (is_new) json_text(&j, id);
    }
    json_end(&j);
    const char *text = str_cstr(w->out, buf_str(&b));
    buf_release(&b);
    return text;
}

static bool write_all(struct writing *w, struct error *err)
{
    /* What has no date of its own is of now, as a run that is measured here. */
    if (!store_put_run(w->store, w->run, err) ||
        (w->in->started_ns && !store_place_imported(w->store, w->run->id, err))) {
        return false;
    }
    if (w->in->suite) {
        w->suite = (struct suite_record){
            .name = w->in->suite, .category = "comprehensive", .benchmarks = benchmarks_of(w)};
        if (!store_put_suite(w->store, &w->suite, err)) return false;
    }
    return write_cells(w, err);
}

bool import_again(struct store *store, struct run_record *run, int64_t started_ns,
                  struct arena *out, struct error *err)
{
    struct execution_record *executions = NULL;
    size_t count = 0;
    int64_t later_ns = started_ns - run->started_ns;
    char first[CLOCK_STAMP_SIZE];
    if (!note_has(&run->notes, NOTE_AGAIN)) {
        note_add(&run->notes, out, NOTE_AGAIN,
                 str_of(arena_printf(out, "imported before, first at %s",
                                     clock_stamp(run->started_ns, first))));
    }
    run->started_ns += later_ns;
    run->ended_ns += later_ns;
    if (!store_put_run(store, run, err) ||
        !store_list_executions(store, run->id, out, &executions, &count, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        executions[i].start_ns += later_ns;
        executions[i].end_ns += later_ns;
        if (!store_put_execution(store, &executions[i], err)) return false;
    }
    return store_place_newest(store, run->id, err);
}

bool import_write(struct store *store, const struct imported *imported,
                  const struct import_origin *origin, struct arena *out, struct run_record *run,
                  bool *is_new, struct error *err)
{
    bool found = false;
    /* Looked for inside the transaction: of two processes that import the same at
     * once, the second finds what the first wrote. */
    if (!store_begin(store, err)) return false;
    bool done =
        !origin->hash || store_find_run_by_hash(store, origin->hash, out, run, &found, err);
    *is_new = !found;
    if (done && !found) {
        make_run(imported, origin, run);
        struct writing w = {
            .store = store, .in = imported, .origin = origin, .run = run, .out = out};
        done = write_all(&w, err);
    } else if (done && !imported->started_ns) {
        done = import_again(store, run, clock_unix_ns(), out, err);
    }
    return done ? store_commit(store, err) : store_rollback(store);
}
