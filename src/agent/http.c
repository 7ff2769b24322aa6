/* A service that takes a request and gives a reply: any endpoint, described by
 * a body template and JSON pointers into the reply. */
#include "agent/agent.h"
#include "base/pointer.h"
#include "http/call.h"
#include "model/template.h"

#include <math.h>

struct http_config {
    const char *url;
    int method;
    const struct value *headers;
    const struct value *body;
    const char *output;
    const struct value *usage;
    const char *error;
    const struct value *retry;
    const char *api_key_env;
    const char *api_key_header;
};

struct http {
    const struct http_config *config;
    struct agent_env env;
    struct call call;
    struct buf body;
    struct buf url; /* of this task, where it has fields */
    bool is_json;   /* the text template is */
    struct arena answers;
};

static const char *const methods[] = {"POST", "PUT", "PATCH", "GET", "DELETE", NULL};
static const size_t body_max = (size_t)64 << 20;
static const size_t url_max = (size_t)1 << 20;
static const struct value_limits reply_limits = {
    .max_bytes = (size_t)1 << 30, .max_depth = 64, .max_nodes = 4000000};

#define ROW(key, kind, field)                                                     \
    .name = (key), .type = (kind), .offset = offsetof(struct http_config, field), \
    .role = PARAM_TREATMENT

static const struct param params[] = {
    {ROW("url", PARAM_TEXT, url), .required = true,
     .help = "address of the service; may contain {{field}} of the case, percent-encoded"},
    {ROW("method", PARAM_CHOICE, method), .fallback = "\"POST\"", .choices = methods,
     .help = "HTTP method"},
    {ROW("headers", PARAM_MAP, headers), .help = "headers to send"},
    {ROW("body", PARAM_ANY, body),
     .help = "a text or a mapping, which may contain {{field}} of the case; default "
             "{\"input\": \"{{input}}\"}, or nothing for GET"},
    {ROW("output", PARAM_TEXT, output), .fallback = "\"\"",
     .help = "JSON pointer to the answer in the reply; empty: the whole reply"},
    {ROW("usage", PARAM_MAP, usage),
     .help = "JSON pointers to input_tokens, output_tokens, cache_read_tokens, cost_usd"},
    {ROW("error", PARAM_TEXT, error),
     .help = "JSON pointer to an error; if the reply has one, the agent has failed"},
    {ROW("retry", PARAM_MAP, retry),
     .help = "{max: 2, backoff_ms: 500}: 408, 429, 5xx and broken connections are retried"},
    {ROW("api_key_env", PARAM_TEXT, api_key_env),
     .help = "environment variable that holds the key"},
    {ROW("api_key_header", PARAM_TEXT, api_key_header),
     .fallback = "\"Authorization: Bearer {{key}}\"",
     .help = "the header that carries the key"},
};

/* What may be read out of a reply, and where it goes. */
static const struct {
    const char *name;
    size_t offset;
} usages[] = {
    {"input_tokens", offsetof(struct agent_answer, input_tokens)},
    {"output_tokens", offsetof(struct agent_answer, output_tokens)},
    {"cache_read_tokens", offsetof(struct agent_answer, cache_read_tokens)},
    {"cost_usd", offsetof(struct agent_answer, cost_usd)},
};

static struct call_options options_of(const struct http_config *c)
{
    bool is_text = c->body && c->body->kind == VALUE_TEXT;
    struct str text = is_text ? str_trim(c->body->source) : (struct str){0};
    bool is_json = !is_text || (text.n > 0 && strchr("{[\"", text.p[0]));
    return (struct call_options){
        .url = c->url,
        .method = methods[c->method],
        .api_key_env = c->api_key_env,
        .api_key_header = c->api_key_header,
        .content_type = is_json ? "application/json" : "text/plain; charset=utf-8",
        .headers = c->headers,
        .retry = c->retry,
    };
}

static bool check_usage(const struct value_pair *pair, struct error *err)
{
    for (size_t i = 0; i < COUNT(usages); i++) {
        if (!str_is(pair->key, usages[i].name)) continue;
        if (pair->value->kind == VALUE_TEXT) return pointer_check(pair->value->source, err);
        return error_set(err, ERROR_INVALID, "must be a JSON pointer");
    }
    return error_set(err, ERROR_INVALID,
                     "is unknown; the names are input_tokens, output_tokens, cache_read_tokens "
                     "and cost_usd");
}

static bool check_pointers(const struct http_config *c, struct error *err)
{
    if (!pointer_check(str_of(c->output), err)) return error_wrap(err, "output");
    if (!pointer_check(str_of(c->error), err)) return error_wrap(err, "error");
    for (size_t i = 0; c->usage && i < c->usage->map.count; i++) {
        const struct value_pair *pair = &c->usage->map.pairs[i];
        if (!check_usage(pair, err)) return error_wrap(err, "usage.%.*s", STR_ARG(pair->key));
    }
    return true;
}

static bool http_available(const void *config, struct error *err)
{
    struct call_options o = options_of(config);
    return check_pointers(config, err) && call_available(&o, err);
}

static bool http_open(void *state, const void *config, const struct agent_env *env,
                      struct error *err)
{
    struct http *h = state;
    h->config = config;
    h->env = *env;
    h->answers = arena_open();
    buf_init(&h->body, body_max);
    buf_init(&h->url, url_max);
    struct call_options o = options_of(h->config);
    h->is_json = strcmp(o.content_type, "application/json") == 0;
    return check_pointers(h->config, err) && call_open(&h->call, &o, env, err);
}

static bool is_without_body(const struct http_config *c)
{
    if (c->body) return c->body->kind == VALUE_NULL;
    return strcmp(methods[c->method], "GET") == 0;
}

static bool write_body(struct http *h, const struct agent_task *task, struct error *err)
{
    const struct value *body = h->config->body;
    if (body && body->kind == VALUE_TEXT) {
        enum template_form form = h->is_json ? TEMPLATE_JSON : TEMPLATE_TEXT;
        return template_fill(body->source, form, task, &h->body, err);
    }
    struct value text = {.kind = VALUE_TEXT, .source = S("{{input}}")};
    struct value_pair pair = {.key = S("input"), .value = &text};
    struct value standard = {.kind = VALUE_MAP, .map = {.pairs = &pair, .count = 1}};
    struct json j;
    json_init(&j, &h->body, 0);
    return template_write(body ? body : &standard, task, &j, err);
}

static bool http_prepare(void *state, const struct agent_task *task, struct error *err)
{
    struct http *h = state;
    arena_reset(&h->answers);
    buf_clear(&h->body);
    buf_clear(&h->url);
    struct str url = str_of(h->config->url);
    bool has_fields = template_has_fields(url);
    if (has_fields && !template_fill(url, TEMPLATE_URL, task, &h->url, err)) {
        return error_wrap(err, "url");
    }
    if (!is_without_body(h->config) && !write_body(h, task, err)) {
        return error_wrap(err, "body");
    }
    if (h->body.overflow || h->url.overflow) {
        return error_set(err, ERROR_INVALID, "the request is larger than %zu bytes", body_max);
    }
    call_prepare(&h->call, has_fields ? h->url.p : NULL, buf_str(&h->body));
    return true;
}

static enum trial_status http_ask(void *state, const struct agent_task *task)
{
    (void)task;
    struct http *h = state;
    return call_send(&h->call);
}

/* ---- reading the reply ---- */

static bool read_usage(const struct http *h, const struct value *reply, struct agent_answer *a)
{
    const struct value *map = h->config->usage;
    for (size_t i = 0; i < COUNT(usages); i++) {
        const struct value *pointer = value_get(map, usages[i].name);
        const struct value *v = pointer ? pointer_find(reply, pointer->source) : NULL;
        if (!v || v->kind == VALUE_NULL) continue;
        if (!value_is_number(v) || value_number(v) < 0) {
            return error_set(&a->error, ERROR_INVALID, "usage.%s at %.*s is %s", usages[i].name,
                             STR_ARG(pointer->source),
                             value_is_number(v) ? "below 0" : value_kind_name(v->kind));
        }
        *(double *)((char *)a + usages[i].offset) = value_number(v);
    }
    return true;
}

static enum trial_status read_json(struct http *h, struct str body, struct agent_answer *a)
{
    const struct http_config *c = h->config;
    const struct value *reply = NULL;
    if (!value_read_json(body, &reply_limits, &h->answers, &reply, &a->error)) {
        error_wrap(&a->error, "the reply is not JSON");
        return TRIAL_INVALID_OUTPUT;
    }
    if (!read_usage(h, reply, a)) return TRIAL_INVALID_OUTPUT;
    const struct value *problem = c->error ? pointer_find(reply, str_of(c->error)) : NULL;
    if (problem && problem->kind != VALUE_NULL) {
        struct str said = template_text(problem, &h->answers);
        error_set(&a->error, ERROR_FAILED, "the agent reports: %.*s", STR_ARG(said));
        return TRIAL_AGENT_ERROR;
    }
    if (!c->output[0]) return TRIAL_OK;
    const struct value *output = pointer_find(reply, str_of(c->output));
    if (!output) {
        error_set(&a->error, ERROR_INVALID, "the reply has nothing at %s", c->output);
        return TRIAL_INVALID_OUTPUT;
    }
    a->output = template_text(output, &h->answers);
    return TRIAL_OK;
}

static enum trial_status read_reply(struct http *h, struct str body, struct agent_answer *a)
{
    const struct http_config *c = h->config;
    size_t good = str_utf8_prefix(body);
    if (good < body.n) {
        error_set(&a->error, ERROR_INVALID, "the reply %s at byte %zu",
                  body.p[good] ? "is not UTF-8" : "has a NUL", good + 1);
        return TRIAL_INVALID_OUTPUT;
    }
    if (!c->output[0]) a->output = body;
    bool needs_json = c->output[0] || c->error || (c->usage && c->usage->map.count > 0);
    return needs_json ? read_json(h, body, a) : TRIAL_OK;
}

static enum trial_status http_conclude(void *state, const struct agent_task *task,
                                       enum trial_status status, struct agent_answer *answer)
{
    (void)task;
    struct http *h = state;
    agent_answer_init(answer);
    call_conclude(&h->call, status, 0, answer);
    if (status == TRIAL_OK) status = read_reply(h, call_reply(&h->call)->body, answer);
    call_redact(&h->call, answer, &h->answers);
    return agent_answer_settle(answer, &h->env, status);
}

static void http_wire(const void *state, struct agent_wire *wire)
{
    const struct http *h = state;
    *wire = (struct agent_wire){
        .url = h->url.n > 0 ? h->url.p : h->config->url,
        .method = methods[h->config->method],
        .headers = h->call.headers,
        .header_count = h->call.header_count,
        .body = buf_str(&h->body),
    };
}

static enum trial_status http_read(void *state, struct str body, struct agent_answer *answer)
{
    struct http *h = state;
    arena_reset(&h->answers);
    agent_answer_init(answer);
    enum trial_status status = read_reply(h, body, answer);
    call_redact(&h->call, answer, &h->answers);
    return agent_answer_settle(answer, &h->env, status);
}

static void http_close(void *state)
{
    struct http *h = state;
    call_close(&h->call);
    buf_release(&h->body);
    buf_release(&h->url);
    arena_close(&h->answers);
}

const struct agent_kind agent_http = {
    .name = "http",
    .summary = "a service: a request made from a template, the answer found by JSON pointers",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct http_config),
    .state_size = sizeof(struct http),
    .available = http_available,
    .open = http_open,
    .prepare = http_prepare,
    .ask = http_ask,
    .conclude = http_conclude,
    .close = http_close,
    .wire = http_wire,
    .read = http_read,
};
