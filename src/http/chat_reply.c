#include "http/chat_reply.h"

#include "base/pointer.h"
#include "http/sse.h"
#include "model/template.h"

#include <math.h>

enum { CALLS_MAX = 128, SHOWN_MAX = 200 };

static const size_t text_max = (size_t)64 << 20;
static const struct value_limits limits = {
    .max_bytes = (size_t)1 << 30, .max_depth = 64, .max_nodes = 4000000};

struct tool_call { /* put together from deltas */
    struct str id;
    struct str name;
    struct buf arguments;
};

struct reader {
    struct chat_reply *reply;
    struct arena *arena;
    struct buf text;
    struct tool_call calls[CALLS_MAX];
    size_t call_count;
    bool is_done; /* [DONE] was read: nothing that follows belongs to the answer */
    struct error *err;
};

static struct str text_at(const struct value *v, const char *key)
{
    const struct value *found = value_get(v, key);
    return found && found->kind == VALUE_TEXT ? found->source : (struct str){0};
}

static double number_at(const struct value *v, const char *pointer)
{
    const struct value *found = v ? pointer_find(v, str_of(pointer)) : NULL;
    return found && value_is_number(found) ? value_number(found) : (double)NAN;
}

static void read_usage(struct chat_reply *r, const struct value *root)
{
    r->is_stub |= str_is(text_at(root, "system_fingerprint"), CHAT_STUB_FINGERPRINT);
    const struct value *usage = value_get(root, "usage");
    if (!usage || usage->kind != VALUE_MAP) return;
    r->input_tokens = number_at(usage, "/prompt_tokens");
    r->output_tokens = number_at(usage, "/completion_tokens");
    r->cache_read_tokens = number_at(usage, "/prompt_tokens_details/cached_tokens");
}

/* {"error": {"message": ...}}, in a body or in the middle of a stream. */
static bool has_error(const struct value *root, struct arena *arena, struct error *err)
{
    const struct value *problem = value_get(root, "error");
    if (!problem || problem->kind == VALUE_NULL) return false;
    const struct value *message = value_get(problem, "message");
    struct str text = template_text(message ? message : problem, arena);
    error_set(err, ERROR_FAILED, "the server reports: %.*s", STR_ARG(text));
    return true;
}

/* The choice whose index is 0, wherever it stands; one without an index if it is the first.
 * Other choices are other answers. */
static const struct value *first_choice(const struct value *root)
{
    const struct value *list = value_get(root, "choices");
    for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->list.count; i++) {
        const struct value *index = value_get(list->list.items[i], "index");
        bool is_it = index ? index->kind == VALUE_INT && index->integer == 0 : i == 0;
        if (is_it) return list->list.items[i];
    }
    return NULL;
}

/* ---- a whole reply ---- */

static enum trial_status read_whole(struct str body, struct arena *arena, struct chat_reply *r,
                                    struct error *err)
{
    const struct value *root = NULL;
    if (!value_read_json(body, &limits, arena, &root, err)) {
        error_wrap(err, "the reply is not JSON");
        return TRIAL_INVALID_OUTPUT;
    }
    read_usage(r, root);
    if (has_error(root, arena, err)) return TRIAL_AGENT_ERROR;
    const struct value *choice = first_choice(root);
    const struct value *message = value_get(choice, "message");
    if (!message || message->kind != VALUE_MAP) {
        error_set(err, ERROR_INVALID, "the reply has no choices[0].message");
        return TRIAL_INVALID_OUTPUT;
    }
    r->has_ended = true;
    r->text = text_at(message, "content");
    if (!r->text.p) r->text = text_at(message, "refusal");
    r->finish_reason = text_at(choice, "finish_reason");
    const struct value *calls = value_get(message, "tool_calls");
    if (calls && calls->kind == VALUE_LIST && calls->list.count > 0) {
        r->tool_calls = template_text(calls, arena);
    }
    return TRIAL_OK;
}

/* ---- a stream ---- */

static struct tool_call *call_at(struct reader *r, const struct value *delta)
{
    double index = number_at(delta, "/index");
    if (!(index >= 0)) index = r->call_count > 0 ? (double)r->call_count - 1 : 0;
    if (index >= CALLS_MAX) return NULL;
    while ((double)r->call_count <= index) {
        buf_init(&r->calls[r->call_count++].arguments, text_max);
    }
    return &r->calls[(size_t)index];
}

/* True if there was something in it. */
static bool take_calls(struct reader *r, const struct value *calls)
{
    bool has_content = false;
    for (size_t i = 0; calls && calls->kind == VALUE_LIST && i < calls->list.count; i++) {
        const struct value *delta = calls->list.items[i];
        const struct value *function = value_get(delta, "function");
        struct tool_call *call = call_at(r, delta);
        if (!call) continue;
        struct str id = text_at(delta, "id");
        struct str name = text_at(function, "name");
        struct str arguments = text_at(function, "arguments");
        if (call->id.n == 0) call->id = str_copy(r->arena, id);
        if (call->name.n == 0) call->name = str_copy(r->arena, name);
        buf_add(&call->arguments, arguments);
        has_content |= name.n > 0 || arguments.n > 0;
    }
    return has_content;
}

static void note_delta(struct reader *r, int64_t at_ns)
{
    struct chat_reply *reply = r->reply;
    if (reply->deltas++ == 0)
        reply->first_ns = at_ns;
    else if (reply->gap_count < AGENT_GAPS_MAX)
        reply->gaps_s[reply->gap_count++] = (double)(at_ns - reply->last_ns) / 1e9;
    reply->last_ns = at_ns;
}

/* `scratch` is a copy: what an event takes of it is free again afterwards. */
static enum trial_status take_event(struct reader *r, struct str data, int64_t at_ns,
                                    struct arena scratch)
{
    const struct value *root = NULL;
    if (r->is_done) return TRIAL_OK;
    if (str_is(data, "[DONE]")) {
        r->is_done = r->reply->has_ended = true;
        return TRIAL_OK;
    }
    if (!value_read_json(data, &limits, &scratch, &root, r->err)) {
        size_t good = str_utf8_prefix(data);
        error_wrap(r->err, "an event of the stream is not JSON: '%.*s'",
                   (int)(good < SHOWN_MAX ? good : SHOWN_MAX), data.p);
        return TRIAL_INVALID_OUTPUT;
    }
    read_usage(r->reply, root);
    if (has_error(root, &scratch, r->err)) return TRIAL_AGENT_ERROR;
    const struct value *choice = first_choice(root);
    const struct value *delta = value_get(choice, "delta");
    struct str content = text_at(delta, "content");
    if (content.n == 0) content = text_at(delta, "refusal");
    buf_add(&r->text, content);
    bool has_calls = take_calls(r, value_get(delta, "tool_calls"));
    if (content.n > 0 || has_calls) note_delta(r, at_ns);
    struct str finish = text_at(choice, "finish_reason");
    if (finish.n > 0) {
        r->reply->finish_reason = str_copy(r->arena, finish);
        r->reply->has_ended = true;
    }
    return TRIAL_OK;
}

static enum trial_status read_events(struct reader *r, const struct curl_reply *raw)
{
    struct sse sse;
    struct arena scratch = arena_open();
    enum trial_status status = TRIAL_OK;
    size_t from = 0;
    sse_init(&sse, text_max);
    for (size_t i = 0; i < raw->chunk_count && status == TRIAL_OK; i++) {
        size_t end = raw->chunks[i].end < raw->body.n ? raw->chunks[i].end : raw->body.n;
        struct str piece = {raw->body.p + from, end - from};
        struct sse_event event;
        while (status == TRIAL_OK && sse_next(&sse, &piece, &event)) {
            status = take_event(r, event.data, raw->chunks[i].at_ns, scratch);
        }
        from = end;
    }
    if (status == TRIAL_OK && (sse.overflow || r->text.overflow)) {
        error_set(r->err, ERROR_INVALID, "an event or the text is larger than %zu bytes",
                  text_max);
        status = TRIAL_INVALID_OUTPUT;
    }
    sse_release(&sse);
    arena_close(&scratch);
    return status;
}

static struct str calls_as_json(struct reader *r)
{
    struct buf b;
    struct json j;
    if (r->call_count == 0) return (struct str){0};
    buf_init(&b, text_max);
    json_init(&j, &b, 0);
    json_list(&j);
    for (size_t i = 0; i < r->call_count; i++) {
        json_object(&j);
        json_put_str(&j, "id", r->calls[i].id);
        json_put_text(&j, "type", "function");
        json_key_object(&j, "function");
        json_put_str(&j, "name", r->calls[i].name);
        json_put_str(&j, "arguments", buf_str(&r->calls[i].arguments));
        json_end(&j);
        json_end(&j);
    }
    json_end(&j);
    struct str text = str_copy(r->arena, buf_str(&b));
    buf_release(&b);
    return text;
}

static enum trial_status read_stream(const struct curl_reply *raw, struct arena *arena,
                                     struct chat_reply *reply, struct error *err)
{
    struct reader *r = arena_new(arena, struct reader, 1);
    *r = (struct reader){.reply = reply, .arena = arena, .err = err};
    reply->gaps_s = arena_new(arena, double, AGENT_GAPS_MAX);
    buf_init(&r->text, text_max);
    enum trial_status status = read_events(r, raw);
    reply->text = str_copy(arena, buf_str(&r->text));
    reply->tool_calls = calls_as_json(r);
    buf_release(&r->text);
    for (size_t i = 0; i < r->call_count; i++) buf_release(&r->calls[i].arguments);
    if (status == TRIAL_OK && !reply->has_ended) {
        error_set(err, ERROR_INVALID,
                  "the stream ended after %zu tokens without a finish reason", reply->deltas);
        status = TRIAL_INVALID_OUTPUT;
    }
    return status;
}

enum trial_status chat_reply_read(const struct curl_reply *raw, struct arena *arena,
                                  struct chat_reply *reply, struct error *err)
{
    *reply = (struct chat_reply){
        .input_tokens = NAN, .output_tokens = NAN, .cache_read_tokens = NAN};
    bool is_object = str_starts(str_trim(raw->body), S("{"));
    return is_object ? read_whole(raw->body, arena, reply, err)
                     : read_stream(raw, arena, reply, err);
}
