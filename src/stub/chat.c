/* POST /v1/chat/completions. */
#include "stub/stub_internal.h"

#include "base/clock.h"
#include "base/json.h"
#include "http/chat_reply.h"

#include <inttypes.h>

struct chat { /* what was asked, and what is said */
    struct stub *stub;
    struct str model;
    struct str id;
    int64_t created_s;
    int64_t max_tokens;
    bool is_stream;
    bool wants_usage;
    struct str prompt; /* the last user message */
    uint64_t hash;     /* of all messages */
    size_t prompt_tokens;
    struct str text;
    const struct value *calls; /* list of {name, arguments}, or NULL */
    size_t call_count;
    struct str *arguments; /* as JSON text, of each call */
    size_t tokens;
    const char *finish;
    struct rng rng;
    bool is_dropped;
};

/* ---- the request ---- */

/* A message's content: a text, or a list of parts of which some are texts. */
static struct str content_text(const struct value *content, struct arena *arena)
{
    if (!content) return (struct str){0};
    if (content->kind == VALUE_TEXT) return content->source;
    if (content->kind != VALUE_LIST) return (struct str){0};
    struct buf b;
    buf_init(&b, STUB_BODY_MAX);
    for (size_t i = 0; i < content->list.count; i++) {
        const struct value *text = value_get(content->list.items[i], "text");
        if (text && text->kind == VALUE_TEXT) buf_add(&b, text->source);
    }
    struct str all = str_copy(arena, buf_str(&b));
    buf_release(&b);
    return all;
}

static bool read_messages(struct chat *c, const struct value *body, struct http_request *r)
{
    const struct value *messages = value_get(body, "messages");
    if (!messages || messages->kind != VALUE_LIST || messages->list.count == 0) {
        stub_fail(r, 400, "'messages' must be a list of at least one message");
        return false;
    }
    for (size_t i = 0; i < messages->list.count; i++) {
        const struct value *role = value_get(messages->list.items[i], "role");
        if (!role || role->kind != VALUE_TEXT) {
            stub_fail(r, 400, "messages[%zu] has no 'role'", i);
            return false;
        }
        struct str text = content_text(value_get(messages->list.items[i], "content"), r->arena);
        c->hash = answer_hash(answer_hash(c->hash, role->source), text);
        c->prompt_tokens += answer_count_tokens(text);
        if (!str_is(role->source, "assistant")) c->prompt = text;
    }
    return true;
}

static bool is_true(const struct value *v)
{
    return v && v->kind == VALUE_BOOL && v->boolean;
}

static bool read_request(struct chat *c, const struct value *body, struct http_request *r)
{
    const struct value *model = value_get(body, "model");
    const struct value *n = value_get(body, "n");
    const struct value *seed = value_get(body, "seed");
    const struct value *max = value_get(body, "max_completion_tokens");
    if (!max) max = value_get(body, "max_tokens");
    if (!model || model->kind != VALUE_TEXT) {
        stub_fail(r, 400, "'model' must be a text");
        return false;
    }
    if (n && (n->kind != VALUE_INT || n->integer != 1)) {
        stub_fail(r, 400, "'n' must be 1 here");
        return false;
    }
    if (max && max->kind != VALUE_NULL && (max->kind != VALUE_INT || max->integer < 1)) {
        stub_fail(r, 400, "'max_tokens' must be a whole number from 1");
        return false;
    }
    c->model = model->source;
    c->max_tokens = max && max->kind == VALUE_INT ? max->integer : STUB_TOKENS_MAX;
    c->is_stream = is_true(value_get(body, "stream"));
    c->wants_usage = !c->stub->options.has_no_usage &&
                     (!c->is_stream ||
                      is_true(value_get(value_get(body, "stream_options"), "include_usage")));
    if (!read_messages(c, body, r)) return false;
    uint64_t own = seed && seed->kind == VALUE_INT ? (uint64_t)seed->integer : 0;
    c->rng = rng_seeded(rng_derive(c->stub->options.seed, c->hash, own));
    return true;
}

/* ---- the answer ---- */

static void take_calls(struct chat *c, const struct value *calls, struct arena *arena)
{
    c->calls = calls;
    c->call_count = calls->list.count;
    c->arguments = arena_new(arena, struct str, c->call_count);
    c->finish = "tool_calls";
    for (size_t i = 0; i < c->call_count; i++) {
        const struct value *v = value_get(calls->list.items[i], "arguments");
        if (!v)
            c->arguments[i] = S("{}");
        else
            c->arguments[i] = v->kind == VALUE_TEXT ? v->source : json_of(v, arena);
        c->tokens += 1 + answer_count_tokens(c->arguments[i]);
    }
}

/* A question for a score, as the check `judge` asks it, gets one: from 0 to 1, which every
 * scale has. */
static bool asks_for_score(const struct chat *c)
{
    return memmem(c->prompt.p, c->prompt.n, "{\"score\":", 9) != NULL;
}

static void make_answer(struct chat *c, struct arena *arena)
{
    struct stub *s = c->stub;
    const struct answer_line *line = answer_table_find(&s->table, c->prompt);
    c->finish = "stop";
    if (line) {
        c->text = line->text;
    } else if (s->options.echo) {
        c->text = c->prompt;
    } else if (c->prompt.n > 0 && asks_for_score(c)) {
        c->text = str_of(arena_printf(arena, "{\"score\": %.2f, \"why\": \"simulated\"}",
                                      rng_real(&c->rng)));
    } else {
        double tokens = draw_next(&s->tokens, &c->rng);
        if (tokens > STUB_TOKENS_MAX) tokens = STUB_TOKENS_MAX;
        c->text = answer_words(&c->rng, (size_t)(tokens + 0.5), arena);
    }
    struct str rest = c->text;
    while (rest.n > 0 && c->tokens < (size_t)c->max_tokens) {
        (void)answer_token(&rest);
        c->tokens++;
    }
    if (rest.n > 0) c->finish = "length";
    c->text.n -= rest.n;
    if (line && line->tool_calls) take_calls(c, line->tool_calls, arena);
    c->is_dropped = s->options.drop_rate > 0 && rng_real(&s->faults) < s->options.drop_rate;
}

static int64_t ns_of(double ms)
{
    return (int64_t)(ms * 1e6);
}

/* ---- JSON of it ---- */

static void put_head(struct json *j, const struct chat *c, const char *object)
{
    json_object(j);
    json_put_str(j, "id", c->id);
    json_put_text(j, "object", object);
    json_put_int(j, "created", c->created_s);
    json_put_str(j, "model", c->model);
    json_put_text(j, "system_fingerprint", CHAT_STUB_FINGERPRINT);
}

static void put_usage(struct json *j, const struct chat *c)
{
    json_key_object(j, "usage");
    json_put_int(j, "prompt_tokens", (int64_t)c->prompt_tokens);
    json_put_int(j, "completion_tokens", (int64_t)c->tokens);
    json_put_int(j, "total_tokens", (int64_t)(c->prompt_tokens + c->tokens));
    json_end(j);
}

/* One call; arguments NULL: as a stream begins it, with an index and none yet. */
static void put_call(struct json *j, const struct chat *c, size_t i,
                     const struct str *arguments)
{
    const struct value *name = value_get(c->calls->list.items[i], "name");
    char id[48];
    snprintf(id, sizeof id, "call_%016" PRIx64 "_%zu", c->hash, i);
    json_object(j);
    if (!arguments) json_put_int(j, "index", (int64_t)i);
    json_put_text(j, "id", id);
    json_put_text(j, "type", "function");
    json_key_object(j, "function");
    json_put_str(j, "name", name && name->kind == VALUE_TEXT ? name->source : S("function"));
    json_put_str(j, "arguments", arguments ? *arguments : S(""));
    json_end(j);
    json_end(j);
}

static struct str whole_reply(const struct chat *c, struct arena *arena)
{
    size_t max = 1100 + c->model.n * 6 + c->text.n * 6;
    for (size_t i = 0; i < c->call_count; i++) max += 256 + c->arguments[i].n * 6;
    struct buf b;
    struct json j;
    buf_over(&b, arena_new(arena, char, max), max);
    json_init(&j, &b, 0);
    put_head(&j, c, "chat.completion");
    json_key_list(&j, "choices");
    json_object(&j);
    json_put_int(&j, "index", 0);
    json_key_object(&j, "message");
    json_put_text(&j, "role", "assistant");
    json_key(&j, "content");
    if (c->calls && c->text.n == 0)
        json_null(&j);
    else
        json_str(&j, c->text);
    if (c->calls) {
        json_key_list(&j, "tool_calls");
        for (size_t i = 0; i < c->call_count; i++) put_call(&j, c, i, &c->arguments[i]);
        json_end(&j);
    }
    json_end(&j);
    json_put_text(&j, "finish_reason", c->finish);
    json_end(&j);
    json_end(&j);
    if (c->wants_usage) put_usage(&j, c);
    json_end(&j);
    CHECK(!b.overflow);
    return buf_str(&b);
}

/* ---- the stream ---- */

struct chat_stream {
    struct chat chat;
    int64_t due_ns;  /* of the token to come */
    struct str text; /* what is left of it */
    struct str arguments;
    size_t calls_begun;
    size_t sent;
    bool has_begun;
};

static bool has_more(const struct chat_stream *s)
{
    return s->text.n > 0 || s->arguments.n > 0 || s->calls_begun < s->chat.call_count;
}

static void put_delta(struct json *j, struct chat_stream *s)
{
    json_object(j);
    if (!s->has_begun) {
        json_put_text(j, "role", "assistant");
        json_put_text(j, "content", "");
    } else if (s->text.n > 0) {
        json_put_str(j, "content", answer_token(&s->text));
    } else if (has_more(s)) {
        json_key_list(j, "tool_calls");
        if (s->arguments.n == 0) {
            put_call(j, &s->chat, s->calls_begun, NULL);
            s->arguments = s->chat.arguments[s->calls_begun++];
        } else {
            json_object(j);
            json_put_int(j, "index", (int64_t)s->calls_begun - 1);
            json_key_object(j, "function");
            json_put_str(j, "arguments", answer_token(&s->arguments));
            json_end(j);
            json_end(j);
        }
        json_end(j);
    }
    json_end(j);
}

static void put_event(struct buf *out, struct chat_stream *s, const char *finish)
{
    struct json j;
    buf_text(out, "data: ");
    json_init(&j, out, 0);
    put_head(&j, &s->chat, "chat.completion.chunk");
    json_key_list(&j, "choices");
    json_object(&j);
    json_put_int(&j, "index", 0);
    json_key(&j, "delta");
    put_delta(&j, s);
    json_put_text(&j, "finish_reason", finish);
    json_end(&j);
    json_end(&j);
    json_end(&j);
    buf_text(out, "\n\n");
}

static void put_end(struct buf *out, struct chat_stream *s)
{
    put_event(out, s, s->chat.finish);
    if (s->chat.wants_usage) {
        struct json j;
        buf_text(out, "data: ");
        json_init(&j, out, 0);
        put_head(&j, &s->chat, "chat.completion.chunk");
        json_key_list(&j, "choices");
        json_end(&j);
        put_usage(&j, &s->chat);
        json_end(&j);
        buf_text(out, "\n\n");
    }
    buf_text(out, "data: [DONE]\n\n");
}

/* The first event has the role and leaves at once; tokens follow on schedule,
 * the end together with the last of them. */
static int64_t next_event(void *context, struct buf *out)
{
    struct chat_stream *s = context;
    if (!s->has_begun) {
        put_event(out, s, NULL);
        s->has_begun = true;
        return stub_after_stall(s->chat.stub, s->due_ns);
    }
    if (s->chat.is_dropped && s->sent >= s->chat.tokens / 2) return HTTP_ABORT;
    if (has_more(s)) {
        put_event(out, s, NULL);
        s->sent++;
        s->due_ns += ns_of(draw_next(&s->chat.stub->gap_ms, &s->chat.rng));
        if (has_more(s)) return stub_after_stall(s->chat.stub, s->due_ns);
    }
    put_end(out, s);
    return HTTP_END;
}

void stub_chat(struct stub *s, struct http_request *r, int64_t from_ns)
{
    const struct value *body = NULL;
    struct chat_stream *stream = arena_new(r->arena, struct chat_stream, 1);
    struct chat *c = &stream->chat;
    c->stub = s;
    if (!stub_read_body(r, &body) || !read_request(c, body, r)) return;
    c->created_s = clock_unix_ns() / 1000000000;
    c->id = str_of(arena_printf(r->arena, "chatcmpl-%" PRId64, s->answered));
    make_answer(c, r->arena);
    int64_t due_ns = from_ns + ns_of(draw_next(&s->ttft_ms, &c->rng));
    if (c->is_stream) {
        stream->due_ns = due_ns;
        stream->text = c->text;
        http_send_stream(r, &(struct http_stream){.status = 200,
                                                  .type = "text/event-stream",
                                                  .first_due_ns = from_ns,
                                                  .source = next_event,
                                                  .context = stream});
        return;
    }
    for (size_t i = 1; i < c->tokens; i++) due_ns += ns_of(draw_next(&s->gap_ms, &c->rng));
    http_reply(r, &(struct http_reply){.status = 200,
                                       .type = "application/json",
                                       .body = whole_reply(c, r->arena),
                                       .not_before_ns = stub_after_stall(s, due_ns)});
}
