/* One cell in the result format of AgentFarm: its 12 keys under their names,
 * and everything that format has no place for under "assay". Their metrics are
 * summarised as mean, p50, p95 and p99; a trial that failed keeps its place in
 * iteration_metrics with null. */
#include "report/facts.h"
#include "report/folder.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

#define OF struct view_metric
static const struct layout_field metric_fields[] = {
    LAYOUT_FIELD("mean", mean, "of the values"),
    LAYOUT_FIELD("p50", median, "the median"),
    LAYOUT_FIELD("p95", p95, "95 % quantile"),
    LAYOUT_FIELD("p99", p99, "99 % quantile"),
};
static const struct layout metric_layout = LAYOUT(metric_fields);
#undef OF

/* By name. */
static void put_each(struct json *j, const struct view_cell *cell, const struct layout *layout)
{
    json_object(j);
    for (size_t i = 0; i < cell->metric_count; i++) {
        json_key(j, cell->metrics[i].name);
        layout_put(j, layout, &cell->metrics[i], cell);
    }
    json_end(j);
}

LAYOUT_CALL_IS(put_metrics, put_each, const struct view_cell *x, x, &metric_layout)
LAYOUT_CALL_IS(put_summary, put_each, const struct view_cell *x, x, &facts_summary)

static double sample_of(const struct view_metric *m, size_t trial)
{
    return trial < m->count ? m->samples[trial] : (double)NAN;
}

static double duration_of(const struct view_cell *cell, size_t trial)
{
    for (size_t i = 0; i < cell->metric_count; i++) {
        const struct view_metric *m = &cell->metrics[i];
        if (strcmp(m->name, metric_duration.name) == 0) return sample_of(m, trial);
    }
    return NAN;
}

#define OF struct trial_note
static const struct layout_field detail_fields[] = {
    LAYOUT_JSON("detail", detail, "what it handed up besides numbers"),
};
static const struct layout detail_layout = LAYOUT(detail_fields);
#undef OF

/* What the trials of a cell have handed up, in their order. */
struct details {
    const struct view_cell *cell;
    size_t next; /* note */
    size_t room; /* bytes left for them: many large ones do not make a file unreadable */
};

static void put_detail(struct json *j, struct details *d, int64_t trial)
{
    const struct view_cell *cell = d->cell;
    for (; d->next < cell->note_count; d->next++) {
        const struct trial_note *note = &cell->notes[d->next];
        if (note->phase != PHASE_MEASURED || note->trial < trial) continue;
        if (note->trial > trial) return;
        size_t n = note->detail ? strlen(note->detail) : 0;
        if (n == 0 || n > d->room) continue;
        layout_put_members(j, &detail_layout, note, cell);
        d->room -= n;
        d->next++;
        return;
    }
}

static void put_iterations(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct view_cell *cell = owner;
    struct details details = {.cell = cell, .room = REPORT_MAX_BYTES / 4};
    json_list(j);
    for (size_t t = 0; t < cell->trial_count; t++) {
        json_object(j);
        json_put_int(j, "index", (int64_t)t);
        json_put_real(j, "duration_s", duration_of(cell, t));
        json_key_object(j, "metrics");
        for (size_t i = 0; i < cell->metric_count; i++) {
            json_put_real(j, cell->metrics[i].name, sample_of(&cell->metrics[i], t));
        }
        json_end(j);
        put_detail(j, &details, (int64_t)t);
        json_end(j);
    }
    json_end(j);
}

static void put_text_of(struct json *j, const char *key, const struct value *map)
{
    const struct value *v = value_get(map, key);
    json_put_str(j, key, v && v->kind == VALUE_TEXT ? v->source : S(""));
}

static void put_vcs(struct json *j, const void *owner, const void *whole)
{
    (void)owner;
    const struct value *vcs = ((const struct view *)whole)->run.vcs;
    const struct value *dirty = value_get(vcs, "dirty");
    json_object(j);
    put_text_of(j, "commit", vcs);
    put_text_of(j, "branch", vcs);
    json_put_bool(j, "dirty", dirty && dirty->kind == VALUE_BOOL && dirty->boolean);
    json_end(j);
}

static void put_artifacts(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct view_cell *cell = owner;
    json_list(j);
    char path[FOLDER_PATH_SIZE];
    for (size_t i = 0; i < cell->artifact_count; i++) {
        json_object(j);
        json_put_text(j, "name", cell->artifacts[i].name);
        json_put_text(j, "type", cell->artifacts[i].kind);
        json_put_text(j, "path", folder_artifact_path(cell, i, path));
        json_end(j);
    }
    json_end(j);
}

LAYOUT_WORD_IS(name_of, const struct view_cell *cell,
               cell->record.experiment ? cell->record.experiment : "")
LAYOUT_WORD_IS(status_of, const struct view_cell *x, run_status_name(x->record.status))

/* ---- what is the run's ---- */

LAYOUT_WHOLE_IS(put_run_id, json_text, const struct view *v, v->run.id)
LAYOUT_WHOLE_IS(put_environment, json_value, const struct view *v, v->run.environment)
LAYOUT_WHOLE_IS(put_version, json_text, const struct view *v, v->run.assay_version)
LAYOUT_WHOLE_IS(put_spec_hash, json_text, const struct view *v, v->run.spec_hash)

static void put_tags(struct json *j, const void *owner, const void *whole)
{
    (void)owner;
    const struct value *tags = ((const struct view *)whole)->run.tags;
    if (tags)
        json_value(j, tags);
    else
        json_texts(j, NULL, 0);
}

static void put_run_notes(struct json *j, const void *owner, const void *whole)
{
    (void)owner;
    struct arena scratch = arena_open();
    const char *notes = note_lines(&((const struct view *)whole)->run.notes, &scratch);
    json_text(j, notes ? notes : "");
    arena_close(&scratch);
}

/* ---- the file ---- */

#define OF struct view_cell
static const struct layout_field ours_fields[] = {
    LAYOUT_CALL("version", put_version, "string", "of assay"),
    LAYOUT_FIELD("execution_id", record.id, "the execution"),
    LAYOUT_FIELD("cell", record.cell_index, "position in the plan"),
    LAYOUT_FIELD("label", record.label, "what people call it"),
    LAYOUT_FIELD("cell_key", record.cell_key, "hash of what identifies the cell"),
    LAYOUT_CALL("spec_hash", put_spec_hash, "string", "of the spec and the options"),
    LAYOUT_FIELD("seed", record.seed, "of its random numbers"),
    LAYOUT_FIELD("provenance", record.provenance, "measured, simulated, claimed"),
    LAYOUT_FIELD("group", record.group_index, "cells of a group took turns"),
    LAYOUT_FIELD("arm", record.arm_index, "its position in the group"),
    LAYOUT_FIELD("factor", record.factor, "what the cells of the group differ in"),
    LAYOUT_STAMP("started", record.start_ns, "when it began"),
    LAYOUT_STAMP("ended", record.end_ns, "when it ended"),
    LAYOUT_FIELD("error", record.error_details, "why it failed"),
    LAYOUT_CALL("notes", facts_put_notes, "array", "sentences about limits"),
    LAYOUT_FIELD("instruments", record.instruments, "what measured it"),
    LAYOUT_FIELD("primary_metric", record.primary_metric, "what heads it"),
    LAYOUT_FIELD("segments", record.segments, "how often it was resumed, plus 1"),
    LAYOUT_FIGURE("concurrency", facts_lanes, "cases in flight at once"),
    LAYOUT_FIELD("overhead_s", record.overhead_s, "reading of an empty trial"),
    LAYOUT_OBJECT("trials", record.counts, &facts_counts, "measured ones, by status"),
    LAYOUT_GROUP("warmup", &facts_warmup, "trials before them"),
    LAYOUT_CALL("statuses", facts_put_statuses, "array", "of each measured trial"),
    LAYOUT_CALL("summary", put_summary, "object", "every number of each metric"),
};
static const struct layout ours_layout = LAYOUT(ours_fields);

static const struct layout_field iterations_fields[] = {
    LAYOUT_FIELD("warmup", record.warmup_done, "trials"),
    LAYOUT_FIELD("measured", record.counts.attempted, "trials"),
};
static const struct layout iterations_layout = LAYOUT(iterations_fields);

static const struct layout_field result_fields[] = {
    LAYOUT_CONST("schema", "assay.result/1", "of this file"),
    LAYOUT_WORD("name", name_of, "the experiment"),
    LAYOUT_CALL("run_id", put_run_id, "string", "the run"),
    LAYOUT_FIELD("parameters", record.parameters, "defaults included"),
    LAYOUT_GROUP("iterations", &iterations_layout, "as made"),
    LAYOUT_CALL("metrics", put_metrics, "object", "each by name"),
    LAYOUT_CALL("iteration_metrics", put_iterations, "array", "of each measured trial"),
    LAYOUT_CALL("environment", put_environment, "object", "the machine"),
    LAYOUT_CALL("vcs", put_vcs, "object", "commit, branch, dirty"),
    LAYOUT_CALL("artifacts", put_artifacts, "array", "files of trials"),
    LAYOUT_CALL("tags", put_tags, "array", "of the run"),
    LAYOUT_CALL("notes", put_run_notes, "string", "of the run"),
    LAYOUT_WORD("status", status_of, "of the cell"),
    LAYOUT_GROUP("assay", &ours_layout, "what that format has no place for"),
};
static const struct layout result_layout = LAYOUT(result_fields);
#undef OF

void report_write_result(const struct view *view, const struct view_cell *cell, struct buf *out)
{
    struct json j;
    json_init(&j, out, 2);
    layout_put(&j, &result_layout, cell, view);
    buf_add_char(out, '\n');
}
