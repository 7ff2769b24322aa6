/* Starting, watching and cancelling runs. */
#include "api/api.h"
#include "api/queue.h"
#include "base/clock.h"
#include "base/json.h"
#include "question/question_runs.h"
#include "report/answer_requests.h"
#include "spec/spec.h"

/* ---- asking for one ---- */

enum { AGENTS_MAX = 1000 };

struct start_params {
    const char *suite_id;
    const char *agent_id;
    struct param_texts agent_ids;
    const struct value *configuration;
    bool is_async;
};

#define AT(field) .offset = offsetof(struct start_params, field)

static const struct param start_rows[] = {
    {"suite_id", PARAM_TEXT, AT(suite_id), .required = true, .help = "a registered suite"},
    {"agent_id", PARAM_TEXT, AT(agent_id),
     .help = "an agent of the suite, or a registered one"},
    {"agent_ids", PARAM_TEXT_LIST, AT(agent_ids),
     .help = "several; without any: all of the suite"},
    {"configuration", PARAM_MAP, AT(configuration),
     .help = "what the suite lists under `overridable`, by path: {\"iterations.measured\": 3}"},
    {"async_execution", PARAM_BOOL, AT(is_async),
     .help = "answer 202 at once, not 200 when the run has ended"},
};

/* For spec_override.find_agent: registered ones only. */
static bool find_agent(void *context, const char *name, struct arena *out,
                       const struct value **agent, struct error *err)
{
    struct agent_record row;
    if (!store_find_agent(context, name, out, &row, err)) return false;
    if (!row.is_registered)
        return error_set(err, ERROR_NOT_FOUND, "agent '%s' is not registered", name);
    return value_read_json(str_of(row.configuration), &value_limits_stored, out, agent, err);
}

/* What is wrong with a setting is the setting's, what has a place the file's. */
static void refuse_problems(struct refusal *refusal, const struct problems *problems)
{
    for (size_t i = 0; i < problems->kept; i++) {
        const struct problem *p = &problems->items[i];
        const char *name = p->setting ? p->setting : p->line ? "suite_id" : "agent_ids";
        refusal_add(refusal, str_of(name), "%s", p->setting ? p->why : p->text);
    }
    refusal_set(refusal, 422, "the suite cannot be run like that");
}

static struct param_texts agents_of(const struct start_params *p, struct arena *out)
{
    if (!p->agent_id) return p->agent_ids;
    const char **names = arena_new(out, const char *, p->agent_ids.count + 1);
    names[0] = p->agent_id;
    for (size_t i = 0; i < p->agent_ids.count; i++) names[i + 1] = p->agent_ids.items[i];
    return (struct param_texts){names, p->agent_ids.count + 1};
}

/* All that the child would refuse is refused here, with the names of the parameters. */
static bool check(struct route_call *call, struct param_texts agents, struct error *err)
{
    const struct start_params *p = call->params;
    struct suite_record suite;
    struct spec *spec = NULL;
    if (!store_find_suite(call->store, p->suite_id, call->arena, &suite, err))
        return error_blame(err, "suite_id");
    if (!suite.is_registered || !suite.spec) {
        error_set(err, ERROR_NOT_FOUND, "suite '%s' is not registered", p->suite_id);
        return error_blame(err, "suite_id");
    }
    struct problems problems = {.arena = call->arena, .file = "suite"};
    struct spec_override override = SPEC_OVERRIDE_NONE;
    override.agents = agents.items;
    override.agent_count = agents.count;
    override.settings = p->configuration;
    override.find_agent = find_agent;
    override.context = call->store;
    if (spec_load(suite.source ? suite.source : p->suite_id, str_of(suite.spec), &override,
                  call->arena, &spec, &problems)) {
        return true;
    }
    refuse_problems(call->refusal, &problems);
    return false;
}

static const char *texts_json(struct param_texts list, struct arena *out)
{
    struct buf b;
    struct json j;
    buf_init(&b, 1 << 20);
    json_init(&j, &b, 0);
    json_texts(&j, list.items, list.count);
    const char *text = str_cstr(out, buf_str(&b));
    buf_release(&b);
    return text;
}

static const struct http_header *run_headers(struct route_call *call, const char *id)
{
    struct http_header *headers = arena_new(call->arena, struct http_header, 3);
    headers[0] =
        (struct http_header){"Location", arena_printf(call->arena, "/benchmarks/runs/%s", id)};
    headers[1] = (struct http_header){"X-Run-Id", arena_printf(call->arena, "%s", id)};
    headers[2] = (struct http_header){"Cache-Control", "no-store"};
    return headers;
}

static bool send_accepted(struct route_call *call, const struct request_record *r,
                          const char *id, struct error *err)
{
    struct str body;
    if (!answer_text(&answer_request, r, call->arena, &body, err)) return false;
    http_reply(call->request, &(struct http_reply){.status = 202,
                                                   .type = "application/json",
                                                   .body = body,
                                                   .headers = run_headers(call, id),
                                                   .header_count = 3});
    return true;
}

/* ---- waiting for its end ---- */

struct wait {
    struct api *api;
    struct http_request *request;
    const char *id;
    const char *workspace;
    struct queue_waiter waiter;
    enum access_role needs;
    bool is_over;
    bool is_made;
    struct str body; /* what is left of it */
};

/* The run's own document; of one that never began, what became of the request. */
static bool make_ended(struct wait *w)
{
    struct arena *out = w->request->arena;
    struct store *store = NULL;
    struct error err = {0};
    const struct run_params of_run = {.run = w->id};
    const struct request_filter of_request = {.id = w->id};
    const void *answer = NULL;
    struct request_record *rows = NULL;
    size_t count = 0;
    if (!api_store(w->api, w->workspace, false, &store, &err)) return false;
    if (question_run.ask(store, &of_run, out, &answer, &err))
        return answer_text(question_run.answer, answer, out, &w->body, &err);
    return store_list_requests(store, &of_request, out, &rows, &count, &err) && count == 1 &&
           answer_text(&answer_request, &rows[0], out, &w->body, &err);
}

/* The status was sent when the run began: what cannot be answered ends in the middle. */
static int64_t write_ended(void *context, struct buf *out)
{
    enum { PIECE = 64 << 10 };
    struct wait *w = context;
    if (!w->is_over) return HTTP_WAIT;
    if (!access_still(w->api->rules, w->request, w->needs, w->workspace)) return HTTP_ABORT;
    if (!w->is_made && !make_ended(w)) return HTTP_ABORT;
    w->is_made = true;
    size_t n = w->body.n < PIECE ? w->body.n : PIECE;
    buf_add_bytes(out, w->body.p, n);
    w->body = (struct str){w->body.p + n, w->body.n - n};
    return w->body.n ? 0 : HTTP_END;
}

static void on_run_end(void *context)
{
    struct wait *w = context;
    w->is_over = true;
    http_wake(w->request);
}

static void on_client_end(void *context)
{
    struct wait *w = context;
    queue_forget(w->api->queue, &w->waiter);
}

static void send_when_over(struct route_call *call, const char *id)
{
    struct wait *w = arena_new(call->arena, struct wait, 1);
    *w = (struct wait){.api = call->api,
                       .request = call->request,
                       .needs = call->route->needs,
                       .id = str_cstr(call->arena, str_of(id)),
                       .workspace = str_cstr(call->arena, str_of(call->who->workspace)),
                       .waiter = {.done = on_run_end, .context = w}};
    w->is_over = !queue_wait(call->api->queue, id, &w->waiter);
    http_send_stream(call->request, &(struct http_stream){.status = 200,
                                                          .type = "application/json",
                                                          .source = write_ended,
                                                          .context = w,
                                                          .closed = on_client_end,
                                                          .headers = run_headers(call, id),
                                                          .header_count = 3});
}

static bool reply_start(struct route_call *call, struct error *err)
{
    const struct start_params *p = call->params;
    struct param_texts agents = agents_of(p, call->arena);
    struct request_record r = {
        .suite = p->suite_id,
        .agents = texts_json(agents, call->arena),
        .configuration = p->configuration
                             ? str_cstr(call->arena, json_of(p->configuration, call->arena))
                             : NULL,
        .token = call->who->name,
        .created_at =
            clock_stamp(clock_unix_ns(), arena_new(call->arena, char, CLOCK_STAMP_SIZE))};
    id_uuid7(r.id);
    if (agents.count > AGENTS_MAX) {
        return refusal_add(call->refusal, S("agent_ids"), "must be at most %d agents (are %zu)",
                           AGENTS_MAX, agents.count);
    }
    if (!check(call, agents, err)) return false;
    if (!queue_add(call->api->queue, call->who->workspace, &r, err)) {
        if (err->code != ERROR_TIMEOUT) return false;
        call->refusal->retry_after_s = queue_retry_s(call->api->queue);
        return refusal_set(call->refusal, 429, "%s", err->text);
    }
    if (!p->is_async) {
        send_when_over(call, r.id);
        return true;
    }
    return send_accepted(call, &r, r.id, err);
}

const struct route route_start_run = {
    .name = "start_run",
    .summary = "runs a registered suite; X-Run-Id and Location come at once, the run's "
               "document when it has ended (with async_execution: 202 and the request)",
    .method = "POST",
    .path = "/benchmarks/run",
    .needs = ACCESS_RUN,
    .writes = true,
    .params = {start_rows, COUNT(start_rows)},
    .config_size = sizeof(struct start_params),
    .reply = reply_start,
    .schema = "{\"oneOf\":[{\"$ref\":\"#/components/schemas/report\"},"
              "{\"$ref\":\"#/components/schemas/request\"}]}",
    .answer = &answer_request,
    .also = 202,
    .also_answer = &answer_request,
    .names_run = true,
};

/* ---- what waits and runs ---- */

static bool reply_queue(struct route_call *call, struct error *err)
{
    (void)err;
    struct request_record *rows = NULL;
    struct answer_requests a = {0};
    a.count = queue_list(call->api->queue, call->who->workspace, call->arena, &rows);
    a.rows = rows;
    route_send_answer(call, &answer_requests, &a);
    return true;
}

const struct route route_list_requests = {
    .name = "list_requests",
    .summary = "runs that wait or run",
    .method = "GET",
    .path = "/benchmarks/queue",
    .needs = ACCESS_READ,
    .is_storeless = true,
    .reply = reply_queue,
    .answer = &answer_requests,
};

struct one_params {
    const char *run_id;
};

static const struct param one_rows[] = {
    {"run_id", PARAM_TEXT, .offset = offsetof(struct one_params, run_id), .required = true,
     .help = "id of the run"},
};

static bool find_request(struct route_call *call, struct request_record **r, struct error *err)
{
    const struct one_params *p = call->params;
    struct request_filter filter = {.id = p->run_id};
    size_t count = 0;
    if (!store_list_requests(call->store, &filter, call->arena, r, &count, err)) return false;
    return count == 1 ||
           refusal_set(call->refusal, 404, "no run '%s' was asked for", p->run_id);
}

/* A run that the API was asked for has no document before it begins, and never one if it was
 * cancelled before. */
static bool send_request(struct route_call *call)
{
    const struct run_params *p = call->params;
    struct request_record *r = NULL;
    size_t count = 0;
    if (!store_list_requests(call->store, &(struct request_filter){.id = p->run}, call->arena,
                             &r, &count, NULL) ||
        count != 1)
        return false;
    route_send_answer(call, &answer_request, r);
    return true;
}

const struct route route_get_run = {
    .name = "get_run",
    .summary = "a run with all its samples, comparisons and claims; of one that waits, or that "
               "never began, the request",
    .method = "GET",
    .path = "/benchmarks/runs/{run_id}",
    .needs = ACCESS_READ,
    .question = &question_run,
    .names = {{"run_id", "run"}},
    .instead = send_request,
    .schema = "{\"oneOf\":[{\"$ref\":\"#/components/schemas/report\"},"
              "{\"$ref\":\"#/components/schemas/request\"}]}",
};

static bool reply_request(struct route_call *call, struct error *err)
{
    struct request_record *r = NULL;
    if (!find_request(call, &r, err)) return false;
    route_send_answer(call, &answer_request, r);
    return true;
}

const struct route route_get_request = {
    .name = "get_request",
    .summary = "what became of a run that the API was asked for",
    .method = "GET",
    .path = "/benchmarks/runs/{run_id}/request",
    .needs = ACCESS_READ,
    .params = {one_rows, COUNT(one_rows)},
    .config_size = sizeof(struct one_params),
    .reply = reply_request,
    .answer = &answer_request,
};

static bool reply_cancel(struct route_call *call, struct error *err)
{
    const struct one_params *p = call->params;
    struct request_record *r = NULL;
    if (!find_request(call, &r, err)) return false;
    if (!queue_cancel(call->api->queue, call->who->workspace, p->run_id)) {
        return refusal_set(call->refusal, 409,
                           "run '%s' is not queued or running here (state: %s)", p->run_id,
                           request_state_name(r->state));
    }
    /* One that runs is cancelled once it has ended; it may still end by itself. */
    if (!find_request(call, &r, err)) return false;
    return send_accepted(call, r, p->run_id, err);
}

#define CANCEL(id, method_name, path_text)                                    \
    const struct route route_##id = {                                         \
        .name = #id,                                                          \
        .summary = "takes a run out of the queue, or ends its process group", \
        .method = (method_name),                                              \
        .path = (path_text),                                                  \
        .needs = ACCESS_RUN,                                                  \
        .params = {one_rows, COUNT(one_rows)},                                \
        .config_size = sizeof(struct one_params),                             \
        .reply = reply_cancel,                                                \
        .status = 202,                                                        \
        .answer = &answer_request,                                            \
        .names_run = true,                                                    \
    }

CANCEL(cancel_run, "POST", "/benchmarks/runs/{run_id}/cancel");
CANCEL(delete_run, "DELETE", "/benchmarks/runs/{run_id}");

/* ---- events ---- */

/* Of a run that was started elsewhere, or long ago, only what the store says is known, and
 * that as it is now. */
static void send_status(struct route_call *call, const struct run_record *run)
{
    char line[200];
    bool is_over = run->status != RUN_RUNNING;
    snprintf(line, sizeof line, "{\"event\":\"run_%s\",\"run_id\":\"%s\",\"status\":\"%s\"}",
             is_over ? "finished" : "status", run->id, run_status_name(run->status));
    feed_send_line(call->request, str_of(line), is_over);
}

static struct feed *log_of(const struct route_call *call, const char *id)
{
    struct feed *log = feed_find(&call->api->feeds, id);
    return log && strcmp(log->workspace, call->who->workspace) == 0 ? log : NULL;
}

static bool reply_events(struct route_call *call, struct error *err)
{
    const struct one_params *p = call->params;
    struct run_record run;
    struct feed *log = log_of(call, p->run_id);
    if (!log && !store_find_run(call->store, p->run_id, call->arena, &run, err))
        return refusal_set(call->refusal, 404, "no run '%s'", p->run_id);
    if (!log) log = log_of(call, run.id); /* "latest", or the beginning of an id */
    if (log) {
        feed_send(&call->api->feeds, log, call->request, call->route->needs);
    } else {
        send_status(call, &run);
    }
    return true;
}

const struct route route_watch_run = {
    .name = "watch_run",
    .summary = "the lines of `assay run --json` as they come (server-sent events, resumable by "
               "Last-Event-ID)",
    .method = "GET",
    .path = "/benchmarks/runs/{run_id}/events",
    .needs = ACCESS_READ,
    .params = {one_rows, COUNT(one_rows)},
    .config_size = sizeof(struct one_params),
    .reply = reply_events,
    .type = "text/event-stream",
};

static bool reply_changes(struct route_call *call, struct error *err)
{
    struct feed *log = NULL;
    if (!store_feed_get(call->api, call->who->workspace, &log, err)) return false;
    feed_send(&call->api->feeds, log, call->request, call->route->needs);
    return true;
}

const struct route route_watch_store = {
    .name = "watch_store",
    .summary = "runs that appear or change in the workspace, whoever recorded them "
               "(server-sent events)",
    .method = "GET",
    .path = "/benchmarks/events",
    .needs = ACCESS_READ,
    .is_storeless = true,
    .reply = reply_changes,
    .type = "text/event-stream",
};
