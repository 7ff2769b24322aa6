/* A model behind /chat/completions of the OpenAI protocol. */
#include "agent/agent.h"
#include "http/call.h"
#include "http/chat_reply.h"

#include <math.h>

struct openai_config {
    const char *url;
    const char *model;
    const char *api_key_env;
    bool stream;
    int64_t max_tokens;
    double temperature;
    const char *system;
    const struct value *tools;
    const struct value *extra;
    const struct value *headers;
    const struct value *retry;
};

struct openai {
    const struct openai_config *config;
    struct agent_env env;
    struct call call;
    const char *url;    /* of chats */
    struct buf history; /* messages of the conversation so far, with commas between */
    struct buf turn;    /* those that this task adds */
    struct str conversation;
    struct arena conversations; /* holds its name */
    struct buf body;
    struct arena answers;
};

enum { TEMPERATURE_UNSET = -1 };

static const size_t body_max = (size_t)64 << 20;
static const struct value_limits input_limits = {
    .max_bytes = (size_t)64 << 20, .max_depth = 64, .max_nodes = 1000000};

#define ROW(key, kind, field)                                                       \
    .name = (key), .type = (kind), .offset = offsetof(struct openai_config, field), \
    .role = PARAM_TREATMENT

static const struct param params[] = {
    {ROW("url", PARAM_TEXT, url), .required = true,
     .help = "address of the API, such as http://127.0.0.1:8400/v1"},
    {ROW("model", PARAM_TEXT, model), .required = true, .help = "name of the model"},
    {ROW("api_key_env", PARAM_TEXT, api_key_env),
     .help = "environment variable that holds the key"},
    {ROW("stream", PARAM_BOOL, stream), .fallback = "true",
     .help = "stream the reply: gives the time to the first token and the gaps between tokens"},
    {ROW("max_tokens", PARAM_INT, max_tokens), .fallback = "0", .min = 0, .max = 10000000,
     .help = "most tokens of an answer; 0 = the server's default"},
    {ROW("temperature", PARAM_REAL, temperature), .fallback = "-1", .min = TEMPERATURE_UNSET,
     .max = 2, .help = "sampling temperature; -1 = the server's default"},
    {ROW("system", PARAM_TEXT, system), .help = "system message before each conversation"},
    {ROW("tools", PARAM_ANY, tools), .help = "list of tools, in the API's format"},
    {ROW("extra", PARAM_MAP, extra),
     .help = "more keys for the request: top_p, response_format, tool_choice"},
    {ROW("headers", PARAM_MAP, headers), .help = "more headers to send"},
    {ROW("retry", PARAM_MAP, retry),
     .help = "{max: 2, backoff_ms: 500}: 408, 429, 5xx and broken connections are retried"},
};

static struct call_options options_of(const struct openai_config *c)
{
    return (struct call_options){
        .url = c->url,
        .method = "POST",
        .api_key_env = c->api_key_env,
        .api_key_header = "Authorization: Bearer {{key}}",
        .content_type = "application/json",
        .headers = c->headers,
        .retry = c->retry,
    };
}

static bool check_tools(const struct openai_config *c, struct error *err)
{
    if (!c->tools || c->tools->kind == VALUE_LIST || c->tools->kind == VALUE_NULL) return true;
    return error_set(err, ERROR_INVALID, "tools must be a list (is %s)",
                     value_kind_name(c->tools->kind));
}

static bool openai_available(const void *config, struct error *err)
{
    struct call_options o = options_of(config);
    return check_tools(config, err) && call_available(&o, err);
}

static bool openai_open(void *state, const void *config, const struct agent_env *env,
                        struct error *err)
{
    struct openai *s = state;
    s->config = config;
    s->env = *env;
    s->answers = arena_open();
    s->conversations = arena_open();
    buf_init(&s->history, body_max);
    buf_init(&s->turn, body_max);
    buf_init(&s->body, body_max);
    struct call_options o = options_of(s->config);
    struct str base = str_of(s->config->url);
    while (str_ends(base, S("/"))) base.n--;
    o.url = s->url = arena_printf(env->arena, "%.*s/chat/completions", STR_ARG(base));
    return check_tools(config, err) && call_open(&s->call, &o, env, err);
}

/* ---- messages ---- */

static void add_message(struct buf *out, const char *role, struct str content)
{
    struct json j;
    if (out->n > 0) buf_add_char(out, ',');
    json_init(&j, out, 0);
    json_object(&j);
    json_put_text(&j, "role", role);
    json_put_str(&j, "content", content);
    json_end(&j);
}

static void add_json(struct buf *out, const struct value *message)
{
    struct json j;
    if (out->n > 0) buf_add_char(out, ',');
    json_init(&j, out, 0);
    json_value(&j, message);
}

static bool is_message(const struct value *v)
{
    const struct value *role = value_get(v, "role");
    return role && role->kind == VALUE_TEXT;
}

/* An input that is a message, or a list of them, is taken as it is: a case can
 * bring images, results of tools, examples. Anything else is a user's text. */
static void add_input(struct openai *s, const struct agent_task *task)
{
    const struct value *v = NULL;
    if (task->is_json && value_read_json(task->input, &input_limits, &s->answers, &v, NULL)) {
        if (is_message(v)) {
            add_json(&s->turn, v);
            return;
        }
        bool are_messages = v->kind == VALUE_LIST && v->list.count > 0;
        for (size_t i = 0; are_messages && i < v->list.count; i++) {
            are_messages = is_message(v->list.items[i]);
        }
        for (size_t i = 0; are_messages && i < v->list.count; i++) {
            add_json(&s->turn, v->list.items[i]);
        }
        if (are_messages) return;
    }
    add_message(&s->turn, "user", task->input);
}

static void begin_turn(struct openai *s, const struct agent_task *task)
{
    bool goes_on = task->turn > 0 && task->conversation.n > 0 &&
                   str_equal(task->conversation, s->conversation);
    if (!goes_on) {
        buf_clear(&s->history);
        if (s->config->system) add_message(&s->history, "system", str_of(s->config->system));
        arena_reset(&s->conversations);
        s->conversation = str_copy(&s->conversations, task->conversation);
    }
    buf_clear(&s->turn);
    add_input(s, task);
}

/* What was asked and answered, for the turns to come. */
static void end_turn(struct openai *s, const struct chat_reply *r)
{
    struct json j;
    if (s->conversation.n == 0) return;
    if (s->history.n > 0) buf_add_char(&s->history, ',');
    buf_add(&s->history, buf_str(&s->turn));
    buf_add_char(&s->history, ',');
    json_init(&j, &s->history, 0);
    json_object(&j);
    json_put_text(&j, "role", "assistant");
    json_put_str(&j, "content", r->text);
    if (r->tool_calls.n > 0) {
        json_key(&j, "tool_calls");
        json_raw(&j, r->tool_calls);
    }
    json_end(&j);
}

static void write_request(struct openai *s)
{
    const struct openai_config *c = s->config;
    struct json j;
    json_init(&j, &s->body, 0);
    json_object(&j);
    json_put_text(&j, "model", c->model);
    json_key_list(&j, "messages");
    if (s->history.n > 0) json_raw(&j, buf_str(&s->history));
    json_raw(&j, buf_str(&s->turn));
    json_end(&j);
    json_put_bool(&j, "stream", c->stream);
    if (c->stream) {
        json_key(&j, "stream_options");
        json_raw(&j, S("{\"include_usage\":true}"));
    }
    if (c->max_tokens > 0) json_put_int(&j, "max_tokens", c->max_tokens);
    if (c->temperature >= 0) json_put_real(&j, "temperature", c->temperature);
    if (c->tools && c->tools->kind == VALUE_LIST) {
        json_put_value(&j, "tools", c->tools);
    }
    for (size_t i = 0; c->extra && i < c->extra->map.count; i++) {
        json_key_str(&j, c->extra->map.pairs[i].key);
        json_value(&j, c->extra->map.pairs[i].value);
    }
    json_end(&j);
}

static bool openai_prepare(void *state, const struct agent_task *task, struct error *err)
{
    struct openai *s = state;
    arena_reset(&s->answers);
    begin_turn(s, task);
    buf_clear(&s->body);
    write_request(s);
    if (s->body.overflow || s->turn.overflow || s->history.overflow) {
        return error_set(err, ERROR_INVALID, "the conversation is larger than %zu bytes",
                         body_max);
    }
    call_prepare(&s->call, NULL, buf_str(&s->body));
    return true;
}

static enum trial_status openai_ask(void *state, const struct agent_task *task)
{
    (void)task;
    struct openai *s = state;
    return call_send(&s->call);
}

/* ---- the answer ---- */

/* Tokens of attempts that broke off, as far as they came, and their prompts, which are
 * the one of the attempt that counts unless the server said otherwise. NaN if there were
 * no such attempts. */
static void take_wasted(struct openai *s, struct agent_answer *a)
{
    double input = 0;
    double output = 0;
    size_t broken = 0;
    for (size_t i = 0; i + 1 < s->call.attempt_count; i++) {
        const struct curl_reply *raw = &s->call.attempts[i];
        struct chat_reply r;
        struct error ignored = {0};
        if (!call_is_answer(raw)) continue;
        chat_reply_read(raw, &s->answers, &r, &ignored);
        double prompt = isnan(r.input_tokens) ? a->input_tokens : r.input_tokens;
        input += isnan(prompt) ? 0 : prompt;
        output += isnan(r.output_tokens) ? (double)r.deltas : r.output_tokens;
        broken++;
    }
    if (broken == 0) return;
    a->wasted_input_tokens = input;
    a->wasted_tokens = input + output;
}

static void take_reply(struct openai *s, const struct chat_reply *r, struct agent_answer *a)
{
    /* Calls without a text are the answer: checks look at them. */
    a->output = r->text.n > 0 ? r->text : r->tool_calls;
    a->tool_calls = r->tool_calls;
    a->finish_reason = r->finish_reason;
    a->input_tokens = r->input_tokens;
    a->output_tokens = r->output_tokens;
    a->cache_read_tokens = r->cache_read_tokens;
    if (r->first_ns == 0) return;
    if (isnan(a->output_tokens)) {
        a->output_tokens = (double)r->deltas;
        a->tokens_are_counted = true;
    }
    a->first_token_s = (double)(r->first_ns - call_reply(&s->call)->ready_ns) / 1e9;
    a->arrived_at_once = r->deltas > 1 && r->last_ns == r->first_ns;
    if (a->arrived_at_once) return;
    a->stream_s = (double)(r->last_ns - r->first_ns) / 1e9;
    a->gaps_s = r->gaps_s;
    a->gap_count = r->gap_count;
}

static enum trial_status openai_conclude(void *state, const struct agent_task *task,
                                         enum trial_status status, struct agent_answer *answer)
{
    (void)task;
    struct openai *s = state;
    struct chat_reply r = {0};
    struct error why = {0};
    agent_answer_init(answer);
    const struct curl_reply *raw = call_reply(&s->call);
    bool has_reply = call_is_answer(raw);
    enum trial_status read = TRIAL_OK;
    if (has_reply) {
        read = chat_reply_read(raw, &s->answers, &r, &why);
        take_reply(s, &r, answer);
    }
    call_conclude(&s->call, status, r.first_ns, answer);
    if (status == TRIAL_OK && read != TRIAL_OK) {
        status = read;
        answer->error = why;
    }
    answer->is_simulated |= r.is_stub;
    take_wasted(s, answer);
    call_redact(&s->call, answer, &s->answers);
    if (status == TRIAL_OK) end_turn(s, &r);
    return agent_answer_settle(answer, &s->env, status);
}

static void openai_wire(const void *state, struct agent_wire *wire)
{
    const struct openai *s = state;
    *wire = (struct agent_wire){
        .url = s->url,
        .method = "POST",
        .headers = s->call.headers,
        .header_count = s->call.header_count,
        .body = buf_str(&s->body),
    };
}

/* Times of tokens are whoever's who read them off the wire. */
static enum trial_status openai_read(void *state, struct str body, struct agent_answer *answer)
{
    struct openai *s = state;
    struct curl_chunk all = {.end = body.n, .at_ns = 1};
    struct curl_reply raw = {
        .end = CURL_END_DONE, .status = 200, .body = body, .chunks = &all, .chunk_count = 1};
    struct chat_reply r = {0};
    arena_reset(&s->answers);
    agent_answer_init(answer);
    enum trial_status status = chat_reply_read(&raw, &s->answers, &r, &answer->error);
    answer->output = r.text.n > 0 ? r.text : r.tool_calls;
    answer->tool_calls = r.tool_calls;
    answer->finish_reason = r.finish_reason;
    answer->input_tokens = r.input_tokens;
    answer->output_tokens = isnan(r.output_tokens) ? (double)r.deltas : r.output_tokens;
    answer->is_simulated = r.is_stub;
    call_redact(&s->call, answer, &s->answers);
    return agent_answer_settle(answer, &s->env, status);
}

static void openai_close(void *state)
{
    struct openai *s = state;
    call_close(&s->call);
    buf_release(&s->history);
    buf_release(&s->turn);
    buf_release(&s->body);
    arena_close(&s->answers);
    arena_close(&s->conversations);
}

const struct agent_kind agent_openai = {
    .name = "openai",
    .summary =
        "a model that speaks the OpenAI protocol; streams replies and keeps conversations",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct openai_config),
    .state_size = sizeof(struct openai),
    .available = openai_available,
    .open = openai_open,
    .prepare = openai_prepare,
    .ask = openai_ask,
    .conclude = openai_conclude,
    .close = openai_close,
    .wire = openai_wire,
    .read = openai_read,
};
