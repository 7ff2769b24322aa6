/* Runs that the API was asked for: one, and those that wait or run. */
#include "report/answer_requests.h"

#include "report/answers.h"

LAYOUT_WORD_IS(state_of, const struct request_record *x, request_state_name(x->state))

#define OF struct request_record
static const struct layout_field request_fields[] = {
    LAYOUT_FIELD("run_id", id, "that the run has, or will have"),
    LAYOUT_WORD("state", state_of, "queued, running, parked, done, failed or cancelled"),
    LAYOUT_FIELD("suite_id", suite, "its name"),
    LAYOUT_JSON("agent_ids", agents, "their names; empty: all of the suite"),
    LAYOUT_JSON("configuration", configuration, "what was overridden; null: nothing"),
    LAYOUT_FIELD("schedule", schedule, "that asked for it; null: none"),
    LAYOUT_FIELD("token", token, "name of the token that asked; null: none was needed"),
    LAYOUT_FIELD("error", error, "why it could not be started; null: it could"),
    LAYOUT_FIELD("created_at", created_at, "when it was asked for"),
    LAYOUT_FIELD("started_at", started_at, "null: not yet"),
    LAYOUT_FIELD("ended_at", ended_at, "null: not yet"),
};
static const struct layout request_layout = LAYOUT_OF(OF, request_fields);
#undef OF

static void put_request(const struct request_record *r, struct buf *out)
{
    buf_printf(out, "%s  %-9s  %s  %s%s%s\n", r->id, request_state_name(r->state), r->suite,
               r->agents, r->error ? ": " : "", r->error ? r->error : "");
}

static void request_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    (void)look;
    put_request(answer, out);
}

const struct answer answer_request = {
    ANSWER_NAME("request"),
    .summary = "a run that the API was asked for",
    .layout = &request_layout,
    .text = request_text,
};

#define OF struct answer_requests
static const struct layout_field requests_fields[] = {
    LAYOUT_LIST("requests", rows, count, &request_layout, "the one that runs first"),
};
static const struct layout requests_layout = LAYOUT(requests_fields);
#undef OF

static void requests_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct answer_requests *a = answer;
    if (a->count == 0 && !look->quiet) buf_text(out, "nothing waits or runs\n");
    for (size_t i = 0; i < a->count; i++) put_request(&a->rows[i], out);
}

const struct answer answer_requests = {
    ANSWER_NAME("requests"),
    .summary = "runs that wait or run",
    .layout = &requests_layout,
    .text = requests_text,
};
