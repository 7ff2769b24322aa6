/* Everything about a run, for programs; docs/json.md documents the keys. */
#include "report/answer_claims.h"
#include "report/answers.h"
#include "report/facts.h"
#include "report/phrase.h"
#include "report/report.h"
#include "report/suite_section.h"

#include <math.h>

LAYOUT_CALL_IS(put_status, json_text, const struct view *x, view_status(whole, x->run.status))
LAYOUT_CALL_IS(put_disturbed, json_bool, const struct view *x,
               note_has(&x->run.notes, NOTE_DISTURBED))
LAYOUT_SENTENCE_IS(notes_of, const struct view *x, note_lines(&x->run.notes, scratch))

#define OF struct view
static const struct layout_field run_fields[] = {
    LAYOUT_FIELD("id", run.id, "the run"),
    LAYOUT_CALL("status", put_status, "string", "killed: running, but its process is gone"),
    LAYOUT_FIELD("seed", run.seed, "of its random numbers"),
    LAYOUT_STAMP("started", run.started_ns, "when it began"),
    LAYOUT_STAMP("ended", run.ended_ns, "when it ended"),
    LAYOUT_FIELD("spec_path", run.spec_path, "the file that it was read from"),
    LAYOUT_FIELD("spec_hash", run.spec_hash, "of the spec and the options"),
    LAYOUT_FIELD("spec", run.spec_text, "as it was run"),
    LAYOUT_FIELD("command", run.command, "its words"),
    LAYOUT_FIELD("tags", run.tags, "a list of texts"),
    LAYOUT_CALL("disturbed", put_disturbed, "boolean", "other work took too much of its CPUs"),
    LAYOUT_SENTENCE("notes", notes_of, "what was said about it"),
    LAYOUT_FIELD("assay_version", run.assay_version, "that carried it out"),
    LAYOUT_FIELD("output_dir", run.output_dir, "where its results were written"),
};
static const struct layout run_layout = LAYOUT(run_fields);
#undef OF

/* ---- a cell ---- */

#define OF struct view_metric
static const struct layout_field metric_fields[] = {
    LAYOUT_FIELD("name", name, "of the metric"),
    LAYOUT_ALSO(&facts_summary),
    LAYOUT_ITEMS("samples", samples, count, "one per measured trial; null where it gave none"),
};
static const struct layout metric_layout = LAYOUT_OF(OF, metric_fields);
#undef OF

LAYOUT_FIGURE_IS(trial_of, const struct view_quantiles *q,
                 q->trial >= 0 ? (double)q->trial : (double)NAN)

#define OF struct view_quantiles
static const struct layout_field quantiles_fields[] = {
    LAYOUT_FIGURE("trial", trial_of, "whose values they are; null: of all trials"),
    LAYOUT_FIELD("metric", metric, "what was counted"),
    LAYOUT_FIELD("unit", unit, "of the values"),
    LAYOUT_FIELD("total", total, "values"),
    LAYOUT_FIELD("p50", p50, "the median"),
    LAYOUT_FIELD("p90", p90, "90 % quantile"),
    LAYOUT_FIELD("p99", p99, "99 % quantile"),
    LAYOUT_FIELD("p999", p999, "99.9 % quantile"),
    LAYOUT_FIELD("max", max, "the largest"),
};
static const struct layout quantiles_layout = LAYOUT_OF(OF, quantiles_fields);
#undef OF

LAYOUT_WORD_IS(phase_of, const struct trial_note *x, trial_phase_name(x->phase))
LAYOUT_WORD_IS(note_status, const struct trial_note *x, trial_status_name(x->status))
LAYOUT_CALL_IS(put_output, json_str, const struct trial_note *x, x->output)

#define OF struct trial_note
static const struct layout_field note_fields[] = {
    LAYOUT_WORD("phase", phase_of, "warmup, measured, profiled"),
    LAYOUT_FIELD("trial", trial, "its number in the phase"),
    LAYOUT_FIELD("iteration", iteration, "the pass over the cases"),
    LAYOUT_FIELD("case", case_hash, "null without cases"),
    LAYOUT_WORD("status", note_status, "ok, or how it went wrong"),
    LAYOUT_FIELD("error", error, "why it was not ok"),
    LAYOUT_JSON("detail", detail, "what it handed up besides numbers"),
    LAYOUT_CALL("output", put_output, "string", "the answer, or what a command printed"),
};
static const struct layout note_layout = LAYOUT_OF(OF, note_fields);
#undef OF

#define OF struct artifact_record
static const struct layout_field artifact_fields[] = {
    LAYOUT_FIELD("name", name, "of the artifact"),
    LAYOUT_FIELD("type", kind, "jsonl, text, svg"),
    LAYOUT_FIELD("trial", trial, "that it is of"),
    LAYOUT_FIELD("bytes", bytes.n, "its size"),
};
static const struct layout artifact_layout = LAYOUT_OF(OF, artifact_fields);
#undef OF

LAYOUT_CALL_IS(put_cell_status, json_text, const struct view_cell *x,
               view_status(whole, x->record.status))

static void put_scores(struct json *j, const void *owner, const void *whole)
{
    const struct view *view = whole;
    size_t cell = (size_t)((const struct view_cell *)owner - view->cells);
    for (size_t i = 0; i < view->suite_count; i++) {
        if (view->suites[i].cell != cell) continue;
        layout_put(j, &suite_layout, &view->suites[i], whole);
        return;
    }
    json_null(j);
}

#define OF struct view_cell
static const struct layout_field cell_fields[] = {
    LAYOUT_FIELD("index", record.cell_index, "position in the plan"),
    LAYOUT_FIELD("id", record.id, "the execution"),
    LAYOUT_FIELD("key", record.cell_key, "hash of what identifies the cell"),
    LAYOUT_FIELD("label", record.label, "what people call it"),
    LAYOUT_FIELD("experiment", record.experiment, "its name"),
    LAYOUT_FIELD("parameters", record.parameters, "defaults included"),
    LAYOUT_FIELD("group", record.group_index, "cells of a group took turns"),
    LAYOUT_FIELD("arm", record.arm_index, "its position in the group"),
    LAYOUT_FIELD("factor", record.factor, "what the cells of the group differ in"),
    LAYOUT_FIELD("provenance", record.provenance, "measured, simulated, claimed"),
    LAYOUT_FIELD("instruments", record.instruments, "what measured it"),
    LAYOUT_FIELD("primary_metric", record.primary_metric, "the first of metrics"),
    LAYOUT_CALL("status", put_cell_status, "string", "of the cell itself"),
    LAYOUT_FIELD("error", record.error_details, "why it failed"),
    LAYOUT_CALL("notes", facts_put_notes, "array", "sentences about limits"),
    LAYOUT_FIELD("seed", record.seed, "of its random numbers"),
    LAYOUT_STAMP("started", record.start_ns, "when it began"),
    LAYOUT_STAMP("ended", record.end_ns, "when it ended"),
    LAYOUT_FIELD("segments", record.segments, "how often it was resumed, plus 1"),
    LAYOUT_FIGURE("concurrency", facts_lanes, "cases in flight at once"),
    LAYOUT_FIELD("overhead_s", record.overhead_s, "reading of an empty trial"),
    LAYOUT_FIELD("measured_planned", record.measured_planned, "trials"),
    LAYOUT_OBJECT("trials", record.counts, &facts_counts, "measured ones, by status"),
    LAYOUT_GROUP("warmup", &facts_warmup, "trials before them"),
    LAYOUT_LIST("metrics", metrics, metric_count, &metric_layout, "primary first"),
    LAYOUT_LIST("merged", merged, merged_count, &quantiles_layout,
                "over all values that were counted in histograms"),
    LAYOUT_LIST("histograms", histograms, histogram_count, &quantiles_layout,
                "of each trial that counted"),
    LAYOUT_CALL("scores", put_scores, "object", "of a suite's benchmark; else null"),
    LAYOUT_CALL("statuses", facts_put_statuses, "array", "of each measured trial"),
    LAYOUT_ITEMS("starts_s", starts_s, trial_count, "of each, since the run's start"),
    LAYOUT_ITEMS("segment_of", segments, trial_count, "of each"),
    LAYOUT_LIST("trial_notes", notes, note_count, &note_layout,
                "of trials that have something to say"),
    LAYOUT_LIST("artifacts", artifacts, artifact_count, &artifact_layout, "files of trials"),
};
static const struct layout cell_layout = LAYOUT_OF(OF, cell_fields);
#undef OF

/* ---- between cells ---- */

static void put_cell_index(struct json *j, const void *owner, const void *whole)
{
    const struct view *view = whole;
    json_int(j, view->cells[((const struct view_comparison *)owner)->cell].record.cell_index);
}

static void put_reference(struct json *j, const void *owner, const void *whole)
{
    const struct view *view = whole;
    const struct view_comparison *c = owner;
    json_int(j, view->cells[c->reference].record.cell_index);
}

static void put_metric(struct json *j, const void *owner, const void *whole)
{
    const struct view *view = whole;
    const struct view_cell *cell = &view->cells[((const struct view_comparison *)owner)->cell];
    json_text(j, cell->metric_count ? cell->metrics[0].name : NULL);
}

static size_t pairs_of(const struct view_comparison *c)
{
    return c->is_asked && c->answer.is_paired ? c->answer.arm[0].n : 0;
}
LAYOUT_CALL_IS(put_pairs, json_int, const struct view_comparison *c, (int64_t)pairs_of(c))

/* Of a comparison that was asked; else null. */
#define FIGURE(name, expression)                                           \
    static double name(const void *owner)                                  \
    {                                                                      \
        const struct view_comparison *c = owner;                           \
        return c->is_asked ? (double)(c->answer.expression) : (double)NAN; \
    }
FIGURE(ratio_figure, effect.ratio)
FIGURE(low_figure, effect.low)
FIGURE(high_figure, effect.high)
FIGURE(alpha_figure, alpha)

LAYOUT_FIGURE_IS(confidence_of, const struct view_comparison *c, 1 - alpha_figure(c))
LAYOUT_FIGURE_IS(p_of, const struct view_comparison *c,
                 c->is_asked ? answer_verdict_p(&c->answer) : (double)NAN)
LAYOUT_WORD_IS(verdict_of, const struct view_comparison *c,
               c->is_asked ? verdict_name(c->answer.verdict) : NULL)

static void put_comparison_sentence(struct json *j, const void *owner, const void *whole)
{
    struct buf b;
    buf_init(&b, 65536);
    phrase_comparison(&b, whole, owner);
    json_str(j, buf_str(&b));
    buf_release(&b);
}

#define OF struct view_comparison
static const struct layout_field comparison_fields[] = {
    LAYOUT_CALL("cell", put_cell_index, "integer", "as in cells[].index"),
    LAYOUT_CALL("reference", put_reference, "integer", "the first arm of its group"),
    LAYOUT_CALL("metric", put_metric, "string", "the primary one"),
    LAYOUT_CALL("pairs", put_pairs, "integer", "of trials, or of cases"),
    LAYOUT_FIGURE("ratio", ratio_figure, "to the reference"),
    LAYOUT_FIGURE("ratio_low", low_figure, "lower end of its interval"),
    LAYOUT_FIGURE("ratio_high", high_figure, "upper end"),
    LAYOUT_FIGURE("confidence", confidence_of, "of the interval"),
    LAYOUT_FIGURE("p", p_of, "of no difference; null where there was nothing to test"),
    LAYOUT_WORD("verdict", verdict_of, "of the cell, as `compare` has it; null: not compared"),
    LAYOUT_CALL("sentence", put_comparison_sentence, "string", "the answer in words"),
};
static const struct layout comparison_layout = LAYOUT_OF(OF, comparison_fields);
#undef OF

#define OF struct view_effect
static const struct layout_field effect_fields[] = {
    LAYOUT_FIELD("experiment", experiment, "its name"),
    LAYOUT_FIELD("param", param, "that was swept"),
    LAYOUT_FIELD("value", value, "of the parameter"),
    LAYOUT_FIELD("metric", metric, "the primary one"),
    LAYOUT_FIELD("unit", unit, "of the median"),
    LAYOUT_FIELD("matched", matched, "cells that are equal in all else"),
    LAYOUT_FIELD("ratio", ratio, "to the parameter's first value"),
    LAYOUT_FIELD("median", median,
                 "geometric mean of the cells' levels (medians; of shares and sums means)"),
};
static const struct layout effect_layout = LAYOUT_OF(OF, effect_fields);
#undef OF

static void put_claims(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct claims *claims = ((const struct view *)owner)->claims;
    json_list(j);
    for (size_t i = 0; claims && i < claims->count; i++) {
        layout_put(j, &claim_layout, &claims->items[i], claims);
    }
    json_end(j);
}

LAYOUT_CALL_IS(put_holding, json_int, const struct view *x,
               x->claims ? (int64_t)x->claims->holding : 0)
LAYOUT_CALL_IS(put_readiness, json_real, const struct view *x,
               x->claims ? claims_readiness(x->claims) : (double)NAN)

#define OF struct view
static const struct layout_field report_fields[] = {
    LAYOUT_GROUP("run", &run_layout, "what was run"),
    LAYOUT_FIELD("environment", run.environment, "the machine"),
    LAYOUT_FIELD("vcs", run.vcs, "commit, branch and more; or null"),
    LAYOUT_TEXTS("warnings", machine_warnings, machine_warning_count, "about the machine"),
    LAYOUT_LIST("cells", cells, cell_count, &cell_layout, "in plan order"),
    LAYOUT_LIST("comparisons", comparisons, comparison_count, &comparison_layout,
                "arms against the first of their group"),
    LAYOUT_LIST("effects", effects, effect_count, &effect_layout, "of swept parameters"),
    LAYOUT_CALL("claims", put_claims, "array", "as in assay.claims/1"),
    LAYOUT_CALL("claims_holding", put_holding, "integer", "how many of them hold"),
    LAYOUT_CALL("readiness", put_readiness, "number", "as in assay.claims/1"),
};
static const struct layout report_layout = LAYOUT(report_fields);
#undef OF

static void report_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    reporter_find(S("text"))->write(
        answer, &(struct report_options){.color = look->color, .width = look->width}, out);
}

const struct answer answer_report = {
    ANSWER_NAME("report"),
    .summary = "a run with all its samples",
    .layout = &report_layout,
    .text = report_text,
};

static void write_json(const struct view *view, const struct report_options *options,
                       struct buf *out)
{
    (void)options; /* it says everything anyway */
    answer_json(&answer_report, view, out);
}

const struct reporter reporter_json = {
    .name = "json",
    .summary = "everything with all samples, for programs (schema assay.report/1)",
    .write = write_json,
};
