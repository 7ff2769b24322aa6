/* Executions of an agent: the columns of benchmark_executions under their own names. */
#include "report/answer_results.h"

#include "report/answers.h"

#include <math.h>

LAYOUT_WORD_IS(status_of, const struct result_row *x, run_status_name(x->execution.status))
LAYOUT_CALL_IS(put_ranks, json_bool, const struct result_row *x,
               x->execution.unranked == UNRANKED_NOT)
LAYOUT_FIGURE_IS(duration_of, const struct result_row *x,
                 x->execution.end_ns
                     ? trunc((double)(x->execution.end_ns - x->execution.start_ns) / 1e6)
                     : (double)NAN)

static double trials_of(const void *owner)
{
    const struct result_row *x = owner;
    int64_t attempted = 0;
    for (size_t i = 0; i < TRIAL_STATUS_COUNT; i++)
        attempted += x->execution.counts.by_status[i];
    return (double)attempted;
}

#define OF struct result_row
static const struct layout_field row_fields[] = {
    LAYOUT_FIELD("id", execution.id, "the execution"),
    LAYOUT_FIELD("run_id", execution.run_id, "the run that it is of"),
    LAYOUT_FIELD("suite", suite, "its name"),
    LAYOUT_FIELD("benchmark", benchmark, "its name"),
    LAYOUT_FIELD("category", category, "of the suite"),
    LAYOUT_FIELD("label", execution.label, "what people call the cell"),
    LAYOUT_FIELD("agent_version", execution.agent_version, "the version that was measured"),
    LAYOUT_FIELD("provenance", execution.provenance, "measured, simulated or claimed"),
    LAYOUT_WORD("status", status_of, "success, partial, failed, running or cancelled"),
    LAYOUT_CALL("ranks", put_ranks, "boolean", "whether rankings count it"),
    LAYOUT_STAMP("start_time", execution.start_ns, "when it began"),
    LAYOUT_STAMP("end_time", execution.end_ns, "when it ended"),
    LAYOUT_FIGURE("total_duration_ms", duration_of, "from start to end"),
    LAYOUT_FIGURE("trials", trials_of, "measured ones"),
    LAYOUT_FIELD("ok", execution.counts.by_status[TRIAL_OK], "of these"),
    LAYOUT_FIELD("accuracy_score", execution.scores[SCORE_ACCURACY], "0 to 1"),
    LAYOUT_FIELD("speed_score", execution.scores[SCORE_SPEED], "0 to 1"),
    LAYOUT_FIELD("efficiency_score", execution.scores[SCORE_EFFICIENCY], "0 to 1"),
    LAYOUT_FIELD("cost_score", execution.scores[SCORE_COST], "0 to 1"),
    LAYOUT_FIELD("reliability_score", execution.scores[SCORE_RELIABILITY], "0 to 1"),
    LAYOUT_FIELD("tokens_used", execution.tokens_used, "of all trials"),
    LAYOUT_FIELD("api_calls_made", execution.api_calls_made, "of all trials"),
    LAYOUT_FIELD("memory_peak_mb", execution.memory_peak_mb, "the largest"),
    LAYOUT_FIELD("cpu_usage_percent", execution.cpu_usage_percent, "of one processor"),
    LAYOUT_FIELD("output_correctness", execution.output_correctness, "0 to 1"),
    LAYOUT_FIELD("output_completeness", execution.output_completeness, "0 to 1"),
    LAYOUT_FIELD("output_relevance", execution.output_relevance, "0 to 1"),
    LAYOUT_FIELD("percentile_rank", execution.percentile_rank,
                 "share of successes that it beats or ties"),
    LAYOUT_FIELD("deviation_from_baseline", execution.deviation_from_baseline,
                 "of the overall score, relative"),
    LAYOUT_FIELD("cost_usd", execution.cost_usd, "of all trials"),
    LAYOUT_FIELD("error_details", execution.error_details, "why it was not a success"),
};
static const struct layout row_layout = LAYOUT_OF(OF, row_fields);
#undef OF

#define OF struct answer_results
static const struct layout_field results_fields[] = {
    LAYOUT_FIELD("agent_id", agent.id, "the agent"),
    LAYOUT_FIELD("agent_name", agent.name, "what it is called"),
    LAYOUT_FIELD("timeframe", timeframe, "as it was asked"),
    LAYOUT_FIELD("total", total, "executions that fit"),
    LAYOUT_LIST("results", rows, count, &row_layout, "newest first"),
};
static const struct layout results_layout = LAYOUT(results_fields);
#undef OF

static void results_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    (void)look;
    const struct answer_results *a = answer;
    buf_printf(out, "%s: %zu of %zu executions\n", a->agent.name, a->count, a->total);
    for (size_t i = 0; i < a->count; i++) {
        const struct execution_record *e = &a->rows[i].execution;
        buf_printf(out, "%s  %s  %s\n", id_short(e->run_id), a->rows[i].benchmark,
                   run_status_name(e->status));
    }
}

const struct answer answer_results = {
    ANSWER_NAME("results"),
    .summary = "executions of an agent with their scores",
    .layout = &results_layout,
    .text = results_text,
};
