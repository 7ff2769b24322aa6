/* One JSON object per execution, with all its samples. */
#include "interop/export.h"

#include "base/clock.h"
#include "base/json.h"
#include "experiment/declared.h"

static void put_series(struct json *j, const struct series_record *s)
{
    json_object(j);
    json_put_text(j, "metric", s->metric);
    json_put_text(j, "unit", s->unit);
    json_put_text(j, "direction", direction_name(s->direction));
    json_put_text(j, "definition", s->definition);
    if (export_is_metric(s)) json_put_text(j, "kind", kind_name(declared_kind_of(s)));
    json_put_text(j, "phase", trial_phase_name(s->phase));
    json_key_list(j, "samples");
    for (size_t i = 0; i < s->count; i++) json_real(j, s->samples[i]);
    json_end(j);
    json_end(j);
}

static void put_run(struct json *j, const struct run_record *run, struct arena *arena)
{
    char stamp[CLOCK_STAMP_SIZE];
    json_key_object(j, "run");
    json_put_text(j, "id", run->id);
    json_put_text(j, "status", run_status_name(run->status));
    json_put_text(j, "started", clock_stamp(run->started_ns, stamp));
    json_put_int(j, "seed", run->seed);
    json_put_text(j, "spec_path", run->spec_path);
    json_put_text(j, "spec_hash", run->spec_hash);
    json_put_text(j, "notes", note_lines(&run->notes, arena));
    json_put_text(j, "assay_version", run->assay_version);
    json_put_value(j, "tags", run->tags);
    json_put_value(j, "vcs", run->vcs);
    json_put_value(j, "environment", run->environment);
    json_end(j);
}

static void put(const struct exported *x, void *state, struct buf *out)
{
    (void)state;
    const struct execution_record *e = x->e;
    char stamp[CLOCK_STAMP_SIZE];
    struct json j;
    json_open(&j, out, "assay.execution/1");
    put_run(&j, x->run, x->arena);
    json_put_text(&j, "id", e->id);
    json_put_text(&j, "experiment", e->experiment);
    json_put_text(&j, "label", e->label);
    json_put_text(&j, "agent", x->agent);
    json_put_text(&j, "version", e->agent_version);
    json_put_text(&j, "status", run_status_name(e->status));
    json_put_text(&j, "provenance", e->provenance);
    json_put_int(&j, "concurrency", execution_lanes(e));
    json_put_text(&j, "started", clock_stamp(e->start_ns, stamp));
    json_put_text(&j, "primary_metric", e->primary_metric);
    json_put_value(&j, "parameters", e->parameters);
    json_key(&j, "notes");
    note_put_texts(&j, &e->notes);
    json_key_object(&j, "trials");
    json_put_int(&j, "attempted", e->counts.attempted);
    for (int i = 0; i < TRIAL_STATUS_COUNT; i++) {
        json_put_int(&j, trial_status_name((enum trial_status)i), e->counts.by_status[i]);
    }
    json_end(&j);
    if (x->case_count > 0) {
        json_key_list(&j, "cases");
        for (size_t i = 0; i < x->case_count; i++) json_text(&j, x->cases[i]);
        json_end(&j);
    }
    json_key_list(&j, "series");
    for (size_t i = 0; i < x->series_count; i++) put_series(&j, &x->series[i]);
    json_end(&j);
    json_close(&j);
}

const struct exporter exporter_jsonl = {
    .name = "jsonl",
    .summary = "one JSON object per execution, with all its samples",
    .put = put,
};
