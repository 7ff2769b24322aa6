/* A copy of each execution with the rubric's part computed again.
 *
 * The columns that the rubric gives (accuracy, dimensions, the judge's cost) are made writable
 * copies and filled from the stored answers; all others are written as they were read, in
 * batches that share a segment, so that the store folds them into the same bytes. Which case an
 * answer was for: by its name in a spec given now, by the stored content else. */
#include "run/rescore.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/os.h"
#include "model/detail.h"
#include "run/run.h"
#include "spec/spec_suite.h"
#include "suite/scoring.h"
#include "suite/stored_cases.h"
#include "suite/suite_score.h"

#include <math.h>

/* One execution as it was stored. */
struct copy {
    struct series_record *series;
    size_t series_count;
    struct trial_note *notes;
    size_t note_count;
    struct artifact_record *artifacts;
    size_t artifact_count;
    struct histogram_record *histograms;
    size_t histogram_count;
};

static bool load(struct store *store, const char *id, struct arena *out, struct copy *c,
                 struct error *err)
{
    return store_list_series(store, id, out, &c->series, &c->series_count, err) &&
           store_list_notes(store, id, out, &c->notes, &c->note_count, err) &&
           store_list_artifacts(store, id, out, &c->artifacts, &c->artifact_count, err) &&
           store_list_histograms(store, id, out, &c->histograms, &c->histogram_count, err);
}

/* ---- writing ---- */

struct columns {
    const struct metric **metrics;
    const double **samples;
    size_t count;
};

static struct columns columns_of(const struct copy *c, enum trial_phase phase,
                                 struct arena *out)
{
    struct columns k = {.metrics = arena_new(out, const struct metric *, c->series_count + 1),
                        .samples = arena_new(out, const double *, c->series_count + 1)};
    for (size_t i = 0; i < c->series_count; i++) {
        const struct series_record *s = &c->series[i];
        if (s->phase != phase || strncmp(s->metric, "trial.", 6) == 0) continue;
        struct metric *m = arena_new(out, struct metric, 1);
        *m = series_metric(s);
        k.metrics[k.count] = m;
        k.samples[k.count++] = s->samples;
    }
    return k;
}

/* What is kept of single trials, for those of the batch. */
static void take_extras(const struct copy *c, struct trial_batch *b, struct arena *out)
{
    int64_t end = b->first + (int64_t)b->count;
    struct trial_note *notes = arena_new(out, struct trial_note, c->note_count + 1);
    struct histogram_record *histograms =
        arena_new(out, struct histogram_record, c->histogram_count + 1);
    for (size_t i = 0; i < c->note_count; i++) {
        const struct trial_note *n = &c->notes[i];
        bool is_in = n->phase == b->phase && n->trial >= b->first && n->trial < end;
        if (is_in) notes[b->note_count++] = *n;
    }
    for (size_t i = 0; i < c->histogram_count; i++) {
        const struct histogram_record *h = &c->histograms[i];
        bool is_in = h->phase == b->phase && h->trial >= b->first && h->trial < end;
        if (is_in) histograms[b->histogram_count++] = *h;
    }
    b->notes = notes;
    b->histograms = histograms;
}

/* Trials of one phase in batches that share a segment, as they were measured. */
static bool append(struct store *store, const char *id, const struct copy *c,
                   enum trial_phase phase, struct arena *out, struct error *err)
{
    const struct series_record *status =
        series_find(c->series, c->series_count, phase, "trial.status");
    const struct series_record *start =
        series_find(c->series, c->series_count, phase, "trial.start_s");
    const struct series_record *segment =
        series_find(c->series, c->series_count, phase, "trial.segment");
    if (!status || !start || !segment) return true;
    struct columns columns = columns_of(c, phase, out);
    uint8_t *statuses = arena_new(out, uint8_t, status->count + 1);
    for (size_t i = 0; i < status->count; i++) statuses[i] = (uint8_t)status->samples[i];
    for (size_t first = 0, end = 0; first < status->count; first = end) {
        while (end < status->count && segment->samples[end] == segment->samples[first]) end++;
        const double **samples = arena_new(out, const double *, columns.count + 1);
        for (size_t i = 0; i < columns.count; i++) samples[i] = columns.samples[i] + first;
        struct trial_batch batch = {
            .execution_id = id,
            .phase = phase,
            .first = (int64_t)first,
            .count = end - first,
            .segment = (int64_t)segment->samples[first],
            .statuses = statuses + first,
            .starts_s = start->samples + first,
            .column_count = columns.count,
            .metrics = columns.metrics,
            .columns = samples,
            .artifacts = c->artifacts,
            .artifact_count = phase == PHASE_MEASURED && first == 0 ? c->artifact_count : 0,
        };
        take_extras(c, &batch, out);
        if (!store_append(store, &batch, 1, err)) return false;
    }
    return true;
}

static bool write_copy(struct store *store, struct execution_record *e, const struct copy *c,
                       struct arena *out, struct error *err)
{
    return append(store, e->id, c, PHASE_WARMUP, out, err) &&
           append(store, e->id, c, PHASE_MEASURED, out, err);
}

/* ---- scoring again ---- */

static double *writable(struct copy *c, const char *metric, struct arena *out)
{
    for (size_t i = 0; i < c->series_count; i++) {
        struct series_record *s = &c->series[i];
        if (s->phase != PHASE_MEASURED || strcmp(s->metric, metric) != 0) continue;
        double *samples = arena_new(out, double, s->count + 1);
        if (s->count) memcpy(samples, s->samples, s->count * sizeof *samples);
        s->samples = samples;
        return samples;
    }
    return NULL;
}

struct scorer {
    const struct rescore_request *request;
    struct suite_rescorer *rescorer;
    struct stored_cases stored;
    const struct suite_benchmark *benchmark; /* of the spec, or NULL */
    struct rescore_outcome *outcome;
    struct arena *out;
};

/* The case that a note is about: by its name in a spec, by its content else. */
static bool find_case(struct scorer *s, struct trial_note *note, const struct case_item **item,
                      struct error *err)
{
    if (!s->benchmark) return stored_case(&s->stored, note->case_hash, item, err);
    const char *name = detail_case_name(note->detail, s->out);
    for (size_t i = 0; name && i < s->benchmark->cases.count; i++) {
        *item = &s->benchmark->cases.items[i];
        if (strcmp(name, (*item)->id) != 0) continue;
        note->case_hash = (*item)->hash;
        return true;
    }
    return error_set(err, ERROR_INVALID,
                     "trial %lld answers case '%s', which benchmark '%s' does not have",
                     (long long)note->trial, name ? name : "?", s->benchmark->id);
}

static bool score_notes(struct scorer *s, struct copy *c, struct error *err)
{
    double *accuracy = writable(c, "accuracy", s->out);
    double *judge = writable(c, "judge_cost_usd", s->out);
    double *dimensions[RUBRIC_DIMENSIONS];
    for (size_t d = 0; d < RUBRIC_DIMENSIONS; d++) {
        dimensions[d] = writable(c, rubric_dimension_name((enum rubric_dimension)d), s->out);
    }
    for (size_t i = 0; i < c->note_count; i++) {
        struct trial_note *note = &c->notes[i];
        const struct case_item *item = NULL;
        struct suite_again again;
        if (note->phase != PHASE_MEASURED || !note->case_hash) continue;
        if (!find_case(s, note, &item, err)) return false;
        if (!suite_rescore(s->rescorer, item, note, s->out, &again, err)) return false;
        s->outcome->trials++;
        note->detail = again.detail;
        if (note->status != TRIAL_OK) continue;
        size_t t = (size_t)note->trial;
        bool is_same = accuracy && (accuracy[t] == again.accuracy ||
                                    (isnan(accuracy[t]) && isnan(again.accuracy)));
        if (!is_same) s->outcome->changed++;
        if (accuracy) accuracy[t] = again.accuracy;
        if (judge) judge[t] = again.judge_cost_usd;
        for (size_t d = 0; d < RUBRIC_DIMENSIONS; d++) {
            if (dimensions[d]) dimensions[d][t] = again.dimensions[d];
        }
    }
    return true;
}

/* ---- one execution ---- */

/* The notes of an execution, made again: `remark`, those of the source that are not about what
 * is missing, then those that are. */
static struct note_list write_notes(const struct note_list *old, const char *remark,
                                    const struct scoring *scoring,
                                    const struct execution_record *e, struct arena *out)
{
    struct note_list notes = {0};
    note_add(&notes, out, NOTE_REMARK, str_of(remark));
    for (size_t i = 0; i < old->count; i++) {
        if (old->items[i].kind == NOTE_MISSING) continue;
        note_add(&notes, out, old->items[i].kind, str_of(old->items[i].text));
    }
    scoring_explain(scoring, e, &notes, out);
    return notes;
}

static void begin_copy(const struct execution_record *source, const char *run_id,
                       struct execution_record *e)
{
    *e = *source;
    e->made_from = source->id;
    if (e->unranked == UNRANKED_RESCORED || e->unranked == UNRANKED_CONTENT)
        e->unranked = UNRANKED_NOT;
    id_uuid7(e->id);
    snprintf(e->run_id, sizeof e->run_id, "%s", run_id);
    e->status = RUN_RUNNING;
}

static const struct spec_entry *entry_of(const struct spec *spec, const char *benchmark)
{
    for (size_t i = 0; spec && i < spec->entry_count; i++) {
        if (strcmp(spec->entries[i].benchmark->id, benchmark) == 0) return &spec->entries[i];
    }
    return NULL;
}

/* Zero if the store does not have it. */
static bool find_agent(struct store *store, const char *id, struct arena *out,
                       struct agent_record *row, struct error *err)
{
    struct error why = {0};
    if (store_find_agent(store, id, out, row, &why) || why.code == ERROR_NOT_FOUND) return true;
    *err = why;
    return false;
}

static bool open_scorer(struct scorer *s, const struct execution_record *source,
                        const struct spec_entry *entry, const char *work_dir, struct error *err)
{
    const struct value *params = source->parameters;
    const char *base_dir = suite_dir_of(s->out, s->request->source->spec_path);
    if (entry) {
        const struct value *prompt = value_get(params, "prompt");
        s->benchmark = entry->benchmark;
        base_dir = entry->benchmark->base_dir;
        params = entry->params;
        if (prompt) params = value_with(s->out, params, S("prompt"), prompt);
    }
    s->stored = (struct stored_cases){
        .store = s->request->store, .rubric = value_get(params, "rubric"), .out = s->out};
    struct agent_record row = {0};
    if (!find_agent(s->request->store, source->agent_id, s->out, &row, err)) return false;
    const struct value *agent = value_stored(row.configuration, s->out);
    return suite_rescorer_open(&s->rescorer, params, agent, base_dir, work_dir, s->out, err);
}

static bool score_copy(struct store *store, struct execution_record *e, const char *remark,
                       struct arena *out, struct error *err)
{
    struct scoring scoring;
    struct agent_record row = {0};
    if (!scoring_load(store, e, out, &scoring, err) ||
        !find_agent(store, e->agent_id, out, &row, err)) {
        return false;
    }
    const char *agent = row.name ? row.name : "";
    scoring_fill(&scoring, e);
    if (!scoring_compare(store, &scoring, agent, e, out, err)) return false;
    e->notes = write_notes(&e->notes, remark, &scoring, e, out);
    return true;
}

static bool rescore_one(struct scorer *s, const struct execution_record *source,
                        const struct benchmark_record *rows, const char *work_dir,
                        struct error *err)
{
    struct store *store = s->request->store;
    struct execution_record e;
    struct copy c = {0};
    struct benchmark_record row;
    if (!trial_counts_add_up(&source->counts)) {
        return error_set(err, ERROR_INVALID,
                         "cell %lld of run %s cannot be scored again: its stored counts of "
                         "trials do not add up, so the store is damaged",
                         (long long)source->cell_index, source->run_id);
    }
    if (!store_find_benchmark(store, source->benchmark_id, s->out, &row, err)) return false;
    const struct spec_entry *entry = entry_of(s->request->spec, row.name);
    if (s->request->spec && !entry) return true; /* not in the new suite: left out */
    begin_copy(source, s->outcome->run_id, &e);
    if (entry && s->request->spec) {
        const struct benchmark_record *to = &rows[entry - s->request->spec->entries];
        memcpy(e.benchmark_id, to->id, sizeof e.benchmark_id);
        memcpy(e.suite_id, to->suite_id, sizeof e.suite_id);
        e.entry_index = entry - s->request->spec->entries;
    }
    const char *remark =
        arena_printf(s->out, "answers of run %s, scored again", source->run_id);
    bool done = open_scorer(s, source, entry, work_dir, err) &&
                store_put_execution(store, &e, err) &&
                load(store, source->id, s->out, &c, err) && score_notes(s, &c, err) &&
                write_copy(store, &e, &c, s->out, err);
    suite_rescorer_close(s->rescorer);
    s->rescorer = NULL;
    if (!done) return false;
    e.status = source->status;
    if (source->counts.attempted > 0 && !score_copy(store, &e, remark, s->out, err))
        return false;
    s->outcome->cells++;
    return store_finish(store, &e, err);
}

static struct run_record begin_run(const struct rescore_request *q, struct arena *out)
{
    struct run_record run = *q->source;
    id_uuid7(run.id);
    run.status = RUN_RUNNING;
    run.command = q->command;
    run.assay_version = q->assay_version;
    run.notes = (struct note_list){0};
    note_add(&run.notes, out, NOTE_REMARK,
             str_of(arena_printf(out, "answers of run %s, scored again", q->source->id)));
    run.started_ns = clock_unix_ns();
    run.ended_ns = 0;
    if (q->spec) {
        run.spec_path = q->spec->path;
        run.spec_text = str_cstr(out, q->spec->text);
        run.spec_hash = q->spec->hash;
        run.claims = spec_claims(q->spec, out);
        run.baseline = q->spec->entries[0].baseline;
    }
    return run;
}

bool rescore_run(const struct rescore_request *q, struct arena *out,
                 struct rescore_outcome *outcome, struct error *err)
{
    struct execution_record *list = NULL;
    size_t count = 0;
    const char *work_dir = NULL;
    *outcome = (struct rescore_outcome){0};
    if (!store_list_executions(q->store, q->source->id, out, &list, &count, err)) return false;
    size_t suites = 0;
    for (size_t i = 0; i < count; i++) suites += strcmp(list[i].experiment, "suite") == 0;
    if (suites == 0) {
        return error_set(err, ERROR_INVALID, "run %s has no answers of a suite to score",
                         id_short(q->source->id));
    }
    struct benchmark_record *rows = NULL;
    if (q->spec) {
        rows = arena_new(out, struct benchmark_record, q->spec->entry_count + 1);
        if (!run_put_suite(q->store, q->spec, NULL, rows, out, err)) return false;
    }
    int64_t began_ns = clock_ns();
    struct run_record run = begin_run(q, out);
    memcpy(outcome->run_id, run.id, sizeof outcome->run_id);
    if (!os_make_temp_dir("assay-rescore", out, &work_dir, err) ||
        !store_put_run(q->store, &run, err)) {
        return false;
    }
    struct scorer s = {.request = q, .outcome = outcome, .out = out};
    bool done = true;
    for (size_t i = 0; i < count && done; i++) {
        s.benchmark = NULL;
        if (strcmp(list[i].experiment, "suite") != 0) continue;
        done = rescore_one(&s, &list[i], rows, work_dir, err);
    }
    os_remove_tree(work_dir);
    done = done && scoring_settle_run(q->store, run.id, err);
    run.status = done ? RUN_SUCCESS : RUN_FAILED;
    run.ended_ns = run.started_ns + (clock_ns() - began_ns);
    return store_put_run(q->store, &run, done ? err : NULL) && done;
}

bool rescore_reuse(struct store *store, const struct execution_record *source,
                   const struct rescore_copy *how, struct arena *out,
                   struct execution_record *e, struct error *err)
{
    struct copy c = {0};
    begin_copy(source, how->run_id, e);
    e->unranked = UNRANKED_CACHED;
    if (how->like) {
        e->cell_index = how->like->cell_index;
        e->group_index = how->like->group_index;
        e->arm_index = how->like->arm_index;
        e->label = how->like->label;
    }
    if (!store_put_execution(store, e, err) || !load(store, source->id, out, &c, err) ||
        !write_copy(store, e, &c, out, err)) {
        return false;
    }
    e->status = source->status;
    return score_copy(store, e, how->remark, out, err) && store_finish(store, e, err);
}
