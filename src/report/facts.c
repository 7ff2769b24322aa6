#include "report/facts.h"

#include "base/clock.h"

static const struct value_limits embedded_limits = {16 << 20, 64, 1000000};

void facts_put_embedded(struct json *j, const char *key, const char *text)
{
    json_key(j, key);
    if (!text) {
        json_null(j);
        return;
    }
    struct arena scratch = arena_open();
    const struct value *v = NULL;
    if (value_read_json(str_of(text), &embedded_limits, &scratch, &v, NULL)) {
        json_value(j, v);
    } else {
        json_text(j, text);
    }
    arena_close(&scratch);
}

void facts_put_notes(struct json *j, const struct note_list *notes, const char *none)
{
    struct arena scratch = arena_open();
    const char *lines = note_lines(notes, &scratch);
    json_put_text(j, "notes", lines ? lines : none);
    arena_close(&scratch);
}

void facts_put_stamp(struct json *j, const char *key, int64_t unix_ns)
{
    char stamp[CLOCK_STAMP_SIZE];
    json_put_text(j, key, unix_ns ? clock_stamp(unix_ns, stamp) : NULL);
}

void facts_summary(struct json *j, const struct view_metric *m)
{
    json_put_text(j, "unit", m->unit);
    json_put_text(j, "direction", direction_name(m->direction));
    json_put_text(j, "definition", m->definition);
    json_put_int(j, "n", (int64_t)m->n);
    const struct {
        const char *key;
        double v;
    } numbers[] = {
        {"mean", m->mean},
        {"sd", m->sd},
        {"cv", m->cv},
        {"min", m->min},
        {"max", m->max},
        {"median", m->median},
        {"median_low", m->median_low},
        {"median_high", m->median_high},
        {"p5", m->p5},
        {"p25", m->p25},
        {"p75", m->p75},
        {"p95", m->p95},
        {"p99", m->p99},
        {"mad", m->mad},
    };
    for (size_t i = 0; i < COUNT(numbers); i++) json_put_real(j, numbers[i].key, numbers[i].v);
    json_put_text(j, "cv_label", m->cv_label);
    json_put_int(j, "outliers", (int64_t)m->outliers);
    json_put_texts(j, "warnings", m->warnings, m->warning_count);
}

void facts_metric(struct json *j, const struct view_metric *m)
{
    json_object(j);
    json_put_text(j, "name", m->name);
    facts_summary(j, m);
    json_key(j, "samples");
    json_list(j);
    for (size_t i = 0; i < m->count; i++) json_real(j, m->samples[i]);
    json_end(j);
    json_end(j);
}

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

void facts_warmup(struct json *j, const struct view_cell *cell)
{
    json_object(j);
    json_put_int(j, "planned", cell->record.warmup_planned);
    json_put_int(j, "done", cell->record.warmup_done);
    json_put_int(j, "steady_at", cell->record.steady_at);
    json_key(j, "durations_s");
    json_list(j);
    for (size_t i = 0; i < cell->warmup_count; i++) json_real(j, cell->warmup[i]);
    json_end(j);
    json_end(j);
}

void facts_comparison(struct json *j, const struct view *view, const struct view_comparison *c)
{
    const struct view_cell *cell = &view->cells[c->cell];
    json_object(j);
    json_put_int(j, "cell", cell->record.cell_index);
    json_put_int(j, "reference", view->cells[c->reference].record.cell_index);
    json_put_text(j, "metric", cell->metric_count ? cell->metrics[0].name : NULL);
    json_put_int(j, "pairs", (int64_t)c->pairs);
    json_put_real(j, "ratio", c->ratio);
    json_put_real(j, "ratio_low", c->ratio_low);
    json_put_real(j, "ratio_high", c->ratio_high);
    json_end(j);
}

void facts_effect(struct json *j, const struct view_effect *e)
{
    json_object(j);
    json_put_text(j, "experiment", e->experiment);
    json_put_text(j, "param", e->param);
    json_put_text(j, "value", e->value);
    json_put_text(j, "metric", e->metric);
    json_put_text(j, "unit", e->unit);
    json_put_int(j, "matched", (int64_t)e->matched);
    json_put_real(j, "ratio", e->ratio);
    json_put_real(j, "median", e->median);
    json_end(j);
}
