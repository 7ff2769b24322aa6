/* One cell in the result format of AgentFarm: its 12 keys under their names,
 * and everything that format has no place for under "assay". Their metrics are
 * summarised as mean, p50, p95 and p99; a trial that failed keeps its place in
 * iteration_metrics with null. */
#include "report/facts.h"
#include "report/folder.h"
#include "report/report.h"

#include <math.h>

static void put_metrics(struct json *j, const struct view_cell *cell)
{
    json_key(j, "metrics");
    json_object(j);
    for (size_t i = 0; i < cell->metric_count; i++) {
        const struct view_metric *m = &cell->metrics[i];
        json_key(j, m->name);
        json_object(j);
        json_put_real(j, "mean", m->mean);
        json_put_real(j, "p50", m->median);
        json_put_real(j, "p95", m->p95);
        json_put_real(j, "p99", m->p99);
        json_end(j);
    }
    json_end(j);
}

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

static void put_iterations(struct json *j, const struct view_cell *cell)
{
    json_key(j, "iteration_metrics");
    json_list(j);
    for (size_t t = 0; t < cell->trial_count; t++) {
        json_object(j);
        json_put_int(j, "index", (int64_t)t);
        json_put_real(j, "duration_s", duration_of(cell, t));
        json_key(j, "metrics");
        json_object(j);
        for (size_t i = 0; i < cell->metric_count; i++) {
            json_put_real(j, cell->metrics[i].name, sample_of(&cell->metrics[i], t));
        }
        json_end(j);
        json_end(j);
    }
    json_end(j);
}

static void put_text_of(struct json *j, const char *key, const struct value *map)
{
    const struct value *v = value_get(map, key);
    json_key(j, key);
    json_str(j, v && v->kind == VALUE_TEXT ? v->source : S(""));
}

static void put_vcs(struct json *j, const struct value *vcs)
{
    const struct value *dirty = value_get(vcs, "dirty");
    json_key(j, "vcs");
    json_object(j);
    put_text_of(j, "commit", vcs);
    put_text_of(j, "branch", vcs);
    json_put_bool(j, "dirty", dirty && dirty->kind == VALUE_BOOL && dirty->boolean);
    json_end(j);
}

static void put_artifacts(struct json *j, const struct view_cell *cell)
{
    json_key(j, "artifacts");
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

static void put_ours(struct json *j, const struct view *view, const struct view_cell *cell)
{
    const struct execution_record *r = &cell->record;
    json_key(j, "assay");
    json_object(j);
    json_put_text(j, "version", view->run.assay_version);
    json_put_text(j, "execution_id", r->id);
    json_put_int(j, "cell", r->cell_index);
    json_put_text(j, "label", r->label);
    json_put_text(j, "cell_key", r->cell_key);
    json_put_text(j, "spec_hash", view->run.spec_hash);
    json_put_int(j, "seed", r->seed);
    json_put_text(j, "provenance", r->provenance);
    json_put_int(j, "group", r->group_index);
    json_put_int(j, "arm", r->arm_index);
    json_put_text(j, "factor", r->factor);
    facts_put_stamp(j, "started", r->start_ns);
    facts_put_stamp(j, "ended", r->end_ns);
    json_put_text(j, "error", r->error_details);
    json_key(j, "notes");
    note_put_texts(j, &r->notes);
    json_put_value(j, "instruments", r->instruments);
    json_put_text(j, "primary_metric", r->primary_metric);
    json_put_int(j, "segments", r->segments);
    json_put_int(j, "concurrency", execution_lanes(r));
    json_put_real(j, "overhead_s", r->overhead_s);
    json_key(j, "trials");
    layout_put(j, &facts_counts, &r->counts, view);
    json_key(j, "warmup");
    facts_warmup(j, cell);
    json_key(j, "statuses");
    json_list(j);
    for (size_t t = 0; t < cell->trial_count; t++) {
        json_text(j, trial_status_name((enum trial_status)cell->statuses[t]));
    }
    json_end(j);
    json_key(j, "summary");
    json_object(j);
    for (size_t i = 0; i < cell->metric_count; i++) {
        json_key(j, cell->metrics[i].name);
        json_object(j);
        facts_summary(j, &cell->metrics[i]);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

void report_write_result(const struct view *view, const struct view_cell *cell, struct buf *out)
{
    const struct execution_record *r = &cell->record;
    struct json writer;
    struct json *j = &writer;
    json_init(j, out, 2);
    json_object(j);
    json_put_text(j, "schema", "assay.result/1");
    json_put_text(j, "name", r->experiment ? r->experiment : "");
    json_put_text(j, "run_id", view->run.id);
    json_put_value(j, "parameters", cell->record.parameters);
    json_key(j, "iterations");
    json_object(j);
    json_put_int(j, "warmup", r->warmup_done);
    json_put_int(j, "measured", r->counts.attempted);
    json_end(j);
    put_metrics(j, cell);
    put_iterations(j, cell);
    json_put_value(j, "environment", view->run.environment);
    put_vcs(j, view->run.vcs);
    put_artifacts(j, cell);
    json_key(j, "tags");
    if (view->run.tags) {
        json_value(j, view->run.tags);
    } else {
        json_texts(j, NULL, 0);
    }
    facts_put_notes(j, &view->run.notes, "");
    json_put_text(j, "status", run_status_name(r->status));
    put_ours(j, view, cell);
    json_end(j);
    buf_add_char(out, '\n');
}
