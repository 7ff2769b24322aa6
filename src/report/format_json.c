/* Everything about a run, for programs; docs/json.md documents the keys. */
#include "report/answer_claims.h"
#include "report/facts.h"
#include "report/report.h"
#include "report/suite_section.h"

static void put_run(struct json *j, const struct view *view)
{
    const struct run_record *r = &view->run;
    json_key(j, "run");
    json_object(j);
    json_put_text(j, "id", r->id);
    json_put_text(j, "status", view_status(view, r->status));
    json_put_int(j, "seed", r->seed);
    facts_put_stamp(j, "started", r->started_ns);
    facts_put_stamp(j, "ended", r->ended_ns);
    json_put_text(j, "spec_path", r->spec_path);
    json_put_text(j, "spec_hash", r->spec_hash);
    json_put_text(j, "spec", r->spec_text);
    json_put_value(j, "command", r->command);
    json_put_value(j, "tags", r->tags);
    facts_put_notes(j, &r->notes, NULL);
    json_put_text(j, "assay_version", r->assay_version);
    json_put_text(j, "output_dir", r->output_dir);
    json_end(j);
}

static void put_trials(struct json *j, const struct view_cell *cell)
{
    json_key(j, "statuses");
    json_list(j);
    for (size_t i = 0; i < cell->trial_count; i++) {
        json_text(j, trial_status_name((enum trial_status)cell->statuses[i]));
    }
    json_end(j);
    json_key(j, "starts_s");
    json_list(j);
    for (size_t i = 0; i < cell->trial_count; i++) json_real(j, cell->starts_s[i]);
    json_end(j);
    json_key(j, "segment_of");
    json_list(j);
    for (size_t i = 0; i < cell->trial_count; i++) json_int(j, cell->segments[i]);
    json_end(j);
}

static void put_quantiles(struct json *j, const char *key, const struct view_quantiles *list,
                          size_t count)
{
    json_key(j, key);
    json_list(j);
    for (size_t i = 0; i < count; i++) {
        const struct view_quantiles *m = &list[i];
        json_object(j);
        if (m->trial >= 0) json_put_int(j, "trial", m->trial);
        json_put_text(j, "metric", m->metric);
        json_put_text(j, "unit", m->unit);
        json_put_int(j, "total", m->total);
        json_put_real(j, "p50", m->p50);
        json_put_real(j, "p90", m->p90);
        json_put_real(j, "p99", m->p99);
        json_put_real(j, "p999", m->p999);
        json_put_real(j, "max", m->max);
        json_end(j);
    }
    json_end(j);
}

static void put_notes(struct json *j, const struct view_cell *cell)
{
    json_key(j, "trial_notes");
    json_list(j);
    for (size_t i = 0; i < cell->note_count; i++) {
        const struct trial_note *n = &cell->notes[i];
        json_object(j);
        json_put_text(j, "phase", trial_phase_name(n->phase));
        json_put_int(j, "trial", n->trial);
        json_put_int(j, "iteration", n->iteration);
        json_put_text(j, "case", n->case_hash);
        json_put_text(j, "status", trial_status_name(n->status));
        json_put_text(j, "error", n->error);
        facts_put_embedded(j, "detail", n->detail);
        json_key(j, "output");
        json_str(j, n->output);
        json_end(j);
    }
    json_end(j);
    json_key(j, "artifacts");
    json_list(j);
    for (size_t i = 0; i < cell->artifact_count; i++) {
        json_object(j);
        json_put_text(j, "name", cell->artifacts[i].name);
        json_put_text(j, "type", cell->artifacts[i].kind);
        json_put_int(j, "trial", cell->artifacts[i].trial);
        json_put_int(j, "bytes", (int64_t)cell->artifacts[i].bytes.n);
        json_end(j);
    }
    json_end(j);
}

static void put_cell(struct json *j, const struct view *view, size_t index)
{
    const struct view_cell *cell = &view->cells[index];
    const struct execution_record *r = &cell->record;
    json_object(j);
    json_put_int(j, "index", r->cell_index);
    json_put_text(j, "id", r->id);
    json_put_text(j, "key", r->cell_key);
    json_put_text(j, "label", r->label);
    json_put_text(j, "experiment", r->experiment);
    json_put_value(j, "parameters", cell->record.parameters);
    json_put_int(j, "group", r->group_index);
    json_put_int(j, "arm", r->arm_index);
    json_put_text(j, "factor", r->factor);
    json_put_text(j, "provenance", r->provenance);
    json_put_value(j, "instruments", r->instruments);
    json_put_text(j, "primary_metric", r->primary_metric);
    json_put_text(j, "status", view_status(view, r->status));
    json_put_text(j, "error", r->error_details);
    json_key(j, "notes");
    note_put_texts(j, &r->notes);
    json_put_int(j, "seed", r->seed);
    facts_put_stamp(j, "started", r->start_ns);
    facts_put_stamp(j, "ended", r->end_ns);
    json_put_int(j, "segments", r->segments);
    json_put_int(j, "concurrency", execution_lanes(r));
    json_put_real(j, "overhead_s", r->overhead_s);
    json_put_int(j, "measured_planned", r->measured_planned);
    json_key(j, "trials");
    layout_put(j, &facts_counts, &r->counts, view);
    json_key(j, "warmup");
    facts_warmup(j, cell);
    json_key(j, "metrics");
    json_list(j);
    for (size_t i = 0; i < cell->metric_count; i++) facts_metric(j, &cell->metrics[i]);
    json_end(j);
    put_quantiles(j, "merged", cell->merged, cell->merged_count);
    put_quantiles(j, "histograms", cell->histograms, cell->histogram_count);
    suite_json(j, view, index);
    put_trials(j, cell);
    put_notes(j, cell);
    json_end(j);
}

static void write_json(const struct view *view, const struct report_options *options,
                       struct buf *out)
{
    (void)options; /* it says everything anyway */
    struct json writer;
    struct json *j = &writer;
    json_open(j, out, "assay.report/1");
    put_run(j, view);
    json_put_value(j, "environment", view->run.environment);
    json_put_value(j, "vcs", view->run.vcs);
    json_key(j, "warnings");
    json_list(j);
    for (size_t i = 0; i < view->machine_warning_count; i++) {
        json_text(j, view->machine_warnings[i]);
    }
    json_end(j);
    json_key(j, "cells");
    json_list(j);
    for (size_t i = 0; i < view->cell_count; i++) put_cell(j, view, i);
    json_end(j);
    json_key(j, "comparisons");
    json_list(j);
    for (size_t i = 0; i < view->comparison_count; i++) {
        facts_comparison(j, view, &view->comparisons[i]);
    }
    json_end(j);
    json_key(j, "effects");
    json_list(j);
    for (size_t i = 0; i < view->effect_count; i++) facts_effect(j, &view->effects[i]);
    json_end(j);
    json_key(j, "claims");
    json_list(j);
    for (size_t i = 0; view->claims && i < view->claims->count; i++) {
        layout_put(j, &claim_layout, &view->claims->items[i], view->claims);
    }
    json_end(j);
    json_close(j);
}

const struct reporter reporter_json = {
    .name = "json",
    .summary = "everything with all samples, for programs (schema assay.report/1)",
    .write = write_json,
};
