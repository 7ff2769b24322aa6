#include "report/facts.h"

#define OF struct trial_counts
static const struct layout_field counts_fields[] = {
    LAYOUT_FIELD("attempted", attempted, "the sum of the others"),
    LAYOUT_FIELD("ok", by_status[TRIAL_OK], "trials that went well"),
    LAYOUT_FIELD("failed", by_status[TRIAL_FAILED], "the work said so: exit code, crash"),
    LAYOUT_FIELD("timed_out", by_status[TRIAL_TIMED_OUT], "beyond the time limit"),
    LAYOUT_FIELD("limit_breached", by_status[TRIAL_LIMIT_BREACHED], "beyond another limit"),
    LAYOUT_FIELD("invalid_output", by_status[TRIAL_INVALID_OUTPUT], "cannot be read"),
    LAYOUT_FIELD("agent_error", by_status[TRIAL_AGENT_ERROR], "the agent reported an error"),
    LAYOUT_FIELD("harness_error", by_status[TRIAL_HARNESS_ERROR], "our own failure"),
};
_Static_assert(COUNT(counts_fields) == TRIAL_STATUS_COUNT + 1, "a key for each status");
const struct layout facts_counts = LAYOUT(counts_fields);
#undef OF

#define OF struct view_cell
static const struct layout_field warmup_fields[] = {
    LAYOUT_FIELD("planned", record.warmup_planned, "-1: until steady"),
    LAYOUT_FIELD("done", record.warmup_done, "trials"),
    LAYOUT_FIELD("steady_at", record.steady_at, "trial; -1 never, -2 not asked"),
    LAYOUT_ITEMS("durations_s", warmup, warmup_count, "of each trial"),
};
const struct layout facts_warmup = LAYOUT(warmup_fields);
#undef OF

LAYOUT_WORD_IS(direction_of, const struct view_metric *x, direction_name(x->direction))
LAYOUT_WORD_IS(kind_of, const struct view_metric *x, kind_name(x->kind))

#define OF struct view_metric
static const struct layout_field summary_fields[] = {
    LAYOUT_FIELD("unit", unit, "of the values"),
    LAYOUT_WORD("direction", direction_of, "which values are better: lower, higher, none"),
    LAYOUT_FIELD("definition", definition, "what exactly is measured"),
    LAYOUT_WORD("kind", kind_of, "how two sets of it compare: ratio, share, shift, sum"),
    LAYOUT_FIELD(
        "level", centre,
        "what heads it, over cases, or trials where there are none: the mean of a share or of "
        "money (no answer is a wrong one), else the median"),
    LAYOUT_FIELD("level_low", centre_low, "lower end of its 95 % interval"),
    LAYOUT_FIELD("level_high", centre_high, "upper end"),
    LAYOUT_FIELD("level_n", units, "cases that it is over, or trials where there are none"),
    LAYOUT_FIELD("n", n, "values: trials that gave one, whatever their case"),
    LAYOUT_FIELD("mean", mean, "of the values, as are the next"),
    LAYOUT_FIELD("sd", sd, "standard deviation"),
    LAYOUT_FIELD("cv", cv, "sd / mean"),
    LAYOUT_FIELD("min", min, "the least"),
    LAYOUT_FIELD("max", max, "the most"),
    LAYOUT_FIELD("median", median, "the middle"),
    LAYOUT_FIELD("median_low", median_low, "lower end of its 95 % interval"),
    LAYOUT_FIELD("median_high", median_high, "upper end"),
    LAYOUT_FIELD("p5", p5, "5 % quantile"),
    LAYOUT_FIELD("p25", p25, "25 % quantile"),
    LAYOUT_FIELD("p75", p75, "75 % quantile"),
    LAYOUT_FIELD("p95", p95, "95 % quantile"),
    LAYOUT_FIELD("p99", p99, "99 % quantile"),
    LAYOUT_FIELD("mad", mad, "median absolute deviation"),
    LAYOUT_FIELD("cv_label", cv_label, "excellent, good, moderate, poor"),
    LAYOUT_FIELD("outliers", outliers, "values beyond 3.5 by the MAD rule"),
    LAYOUT_TEXTS("warnings", warnings, warning_count, "sentences: drift, two modes, clipped"),
};
const struct layout facts_summary = LAYOUT(summary_fields);
#undef OF

void facts_put_statuses(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct view_cell *cell = owner;
    json_list(j);
    for (size_t i = 0; i < cell->trial_count; i++) {
        json_text(j, trial_status_name((enum trial_status)cell->statuses[i]));
    }
    json_end(j);
}

void facts_put_notes(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    note_put_texts(j, &((const struct view_cell *)owner)->record.notes);
}

double facts_lanes(const void *owner)
{
    return (double)execution_lanes(&((const struct view_cell *)owner)->record);
}
