/* The events of a run as JSON, each kind a table of keys. */
#include "report/events.h"

#include "report/facts.h"
#include "spec/plan.h"

#include <math.h>

#define OF struct plan_cell
static const struct layout_field place_fields[] = {
    LAYOUT_FIELD("cell", index, "its position in the plan"),
    LAYOUT_FIELD("arm", arm, "its position in its group"),
};
static const struct layout place_layout = LAYOUT(place_fields);

static const struct layout_field params_fields[] = {
    LAYOUT_JSON("parameters", params_json, "defaults included"),
};
static const struct layout params_layout = LAYOUT(params_fields);
#undef OF

LAYOUT_WORD_IS(status_of, const struct execution_record *x, run_status_name(x->status))

#define OF struct execution_record
static const struct layout_field execution_fields[] = {
    LAYOUT_FIELD("execution", id, "the execution"),
};
static const struct layout execution_layout = LAYOUT(execution_fields);

static const struct layout_field started_fields[] = {
    LAYOUT_FIELD("execution", id, "the execution"),
    LAYOUT_FIELD("experiment", experiment, "its name"),
    LAYOUT_FIELD("label", label, "what people call it"),
};
static const struct layout started_layout = LAYOUT(started_fields);

static const struct layout_field finished_fields[] = {
    LAYOUT_FIELD("execution", id, "the execution"),
    LAYOUT_WORD("status", status_of, "success, partial, failed"),
    LAYOUT_PART(counts, &facts_counts),
    LAYOUT_FIELD("error", error_details, "why it failed"),
};
static const struct layout finished_layout = LAYOUT(finished_fields);

static const struct layout_field so_far_fields[] = {
    LAYOUT_FIELD("execution", id, "the execution"),
    LAYOUT_PART(counts, &facts_counts),
};
static const struct layout so_far_layout = LAYOUT(so_far_fields);
#undef OF

LAYOUT_WORD_IS(trial_status_of, const struct run_event *x, trial_status_name(x->status))

static void put_metrics(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct run_event *e = owner;
    json_object(j);
    for (size_t i = 0; i < e->metric_count; i++) {
        if (!isnan(e->values[i])) json_put_real(j, e->metrics[i]->name, e->values[i]);
    }
    json_end(j);
}

#define OF struct run_estimate
static const struct layout_field estimate_fields[] = {
    LAYOUT_FIELD("right", right, "trials judged right; null: none is judged"),
    LAYOUT_FIELD("metric", metric, "the cell's primary one"),
    LAYOUT_FIELD("unit", unit, "of its values"),
    LAYOUT_FIELD("n", n, "its values so far"),
    LAYOUT_FIELD("median", median, "of the newest 20,000 of them"),
    LAYOUT_FIELD("low", low, "lower end of its 95 % interval"),
    LAYOUT_FIELD("high", high, "upper end"),
};
static const struct layout estimate_layout = LAYOUT(estimate_fields);
#undef OF

#define OF struct run_progress
static const struct layout_field progress_fields[] = {
    LAYOUT_FIELD("trials_done", trials_done, "measured, of all cells"),
    LAYOUT_FIELD("trials_planned", trials_planned, "of all cells"),
};
static const struct layout progress_layout = LAYOUT(progress_fields);
#undef OF

#define OF struct run_event
static const struct layout_field run_started_fields[] = {
    LAYOUT_FIELD("run_id", run_id, "the run"),
};
static const struct layout run_started_layout = LAYOUT(run_started_fields);

static const struct layout_field cell_started_fields[] = {
    LAYOUT_PART_OF(cell, &place_layout),
    LAYOUT_PART_OF(execution, &started_layout),
    LAYOUT_PART_OF(cell, &params_layout),
};
static const struct layout cell_started_layout = LAYOUT(cell_started_fields);

static const struct layout_field trial_fields[] = {
    LAYOUT_PART_OF(cell, &place_layout),
    LAYOUT_PART_OF(execution, &execution_layout),
    LAYOUT_FIELD("trial", trial, "its number within its kind"),
    LAYOUT_FIELD("iteration", iteration, "the pass over the cases"),
    LAYOUT_FIELD("case", case_index, "its position"),
    LAYOUT_WORD("status", trial_status_of, "ok, or how it went wrong"),
    LAYOUT_FIELD("start_s", start_s, "since the start of the run"),
    LAYOUT_CALL("metrics", put_metrics, "object", "name and value of each that it gave"),
    LAYOUT_FIELD("error", text, "why it is not ok"),
};
static const struct layout trial_layout = LAYOUT(trial_fields);

static const struct layout_field cell_finished_fields[] = {
    LAYOUT_PART_OF(cell, &place_layout),
    LAYOUT_PART_OF(execution, &finished_layout),
    LAYOUT_PART_OF(estimate, &estimate_layout),
};
static const struct layout cell_finished_layout = LAYOUT(cell_finished_fields);

static const struct layout_field progress_event_fields[] = {
    LAYOUT_PART_OF(cell, &place_layout),
    LAYOUT_PART_OF(execution, &so_far_layout),
    LAYOUT_PART_OF(estimate, &estimate_layout),
    LAYOUT_PART_OF(progress, &progress_layout),
};
static const struct layout progress_event_layout = LAYOUT(progress_event_fields);

static const struct layout_field note_fields[] = {
    LAYOUT_FIELD("text", text, "something to know"),
};
static const struct layout note_layout = LAYOUT(note_fields);
#undef OF

LAYOUT_WORD_IS(outcome_status, const struct run_outcome *x, run_status_name(x->status))

#define OF struct run_outcome
static const struct layout_field run_finished_fields[] = {
    LAYOUT_FIELD("run_id", run_id, "the run"),
    LAYOUT_WORD("status", outcome_status, "success, partial, failed"),
    LAYOUT_FIELD("cells", cells, "that were run"),
    LAYOUT_FIELD("cells_failed", cells_by_status[RUN_FAILED], "of them"),
    LAYOUT_PART(counts, &facts_counts),
    LAYOUT_FIELD("disturbed", is_disturbed, "by other work; looked at in runs of the API"),
};
static const struct layout run_finished_layout = LAYOUT(run_finished_fields);
#undef OF

enum { EVENT_END = RUN_EVENT_NOTE + 1 }; /* after the kinds of run_event.h */

static const struct event_row events[] = {
    [RUN_EVENT_STARTED] = {"run_started", &run_started_layout},
    [RUN_EVENT_CELL_STARTED] = {"cell_started", &cell_started_layout},
    [RUN_EVENT_WARMUP] = {"warmup", &trial_layout, .is_passing = true},
    [RUN_EVENT_TRIAL] = {"iteration", &trial_layout, .is_passing = true},
    [RUN_EVENT_PROFILED] = {"profiled", &trial_layout, .is_passing = true},
    [RUN_EVENT_ESTIMATE] = {"progress", &progress_event_layout, .is_passing = true},
    [RUN_EVENT_PROGRESS] = {NULL, NULL}, /* for people, at a terminal */
    [RUN_EVENT_CELL_FINISHED] = {"cell_finished", &cell_finished_layout},
    [RUN_EVENT_NOTE] = {"note", &note_layout},
    [EVENT_END] = {"run_finished", &run_finished_layout},
};

bool event_is_passing(struct str line)
{
    const struct str head = S("{\"event\":\"");
    if (!str_starts(line, head)) return false;
    struct str rest = {line.p + head.n, line.n - head.n};
    struct str name = str_cut(&rest, '"');
    for (size_t i = 0; i < COUNT(events); i++) {
        if (events[i].name && str_is(name, events[i].name)) return events[i].is_passing;
    }
    return false;
}

const struct event_row *event_at(size_t i)
{
    return i < COUNT(events) ? &events[i] : NULL;
}

static void put_line(size_t kind, const void *owner, struct buf *out)
{
    if (!events[kind].name) return;
    struct json j;
    json_init(&j, out, 0);
    json_object(&j);
    json_put_text(&j, "event", events[kind].name);
    layout_put_members(&j, events[kind].layout, owner, owner);
    json_end(&j);
    buf_add_char(out, '\n');
}

void event_write(const struct run_event *event, struct buf *out)
{
    put_line(event->kind, event, out);
}

void event_write_end(const struct run_outcome *outcome, struct buf *out)
{
    put_line(EVENT_END, outcome, out);
}
