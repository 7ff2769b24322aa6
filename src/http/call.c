#include "http/call.h"

#include "base/clock.h"
#include "base/pointer.h"
#include "model/template.h"

#include <math.h>

enum { HEADERS_MAX = 64, SHOWN_MAX = 300, BODY_LOOKED_AT = 1 << 16 };

/* A limit is of the answer's text. A token of a stream takes some 300 bytes on the wire,
 * and 4 of text: what is read at most goes by the limit, within bounds. */
static const size_t wire_per_text = 64;
static const size_t wire_least = (size_t)64 << 20;
static const size_t wire_most = (size_t)1 << 30;
static const int64_t reach_ns = INT64_C(10) * 1000000000;
static const int64_t time_default_ns = INT64_C(600) * 1000000000;
static const struct value_limits error_limits = {
    .max_bytes = (size_t)1 << 20, .max_depth = 64, .max_nodes = 10000};

struct retry {
    int64_t max;
    int64_t backoff_ms;
};

static const struct param retry_rows[] = {
    {"max", PARAM_INT, .offset = offsetof(struct retry, max), .fallback = "2", .min = 0,
     .max = CALL_RETRIES_MAX, .help = "how often a failed request is retried"},
    {"backoff_ms", PARAM_INT, .offset = offsetof(struct retry, backoff_ms), .fallback = "500",
     .min = 0, .max = 3600000, .unit = "ms",
     .help = "wait before the first retry; it doubles each time"},
};
static const struct param_table retry_table = {retry_rows, COUNT(retry_rows)};

/* ---- options ---- */

static bool read_retry(const struct value *map, struct retry *retry, struct error *err)
{
    struct arena scratch = arena_open();
    struct problems problems = {.arena = &scratch};
    bool done = param_check(retry_table, map, "retry", &problems);
    if (!done) error_set(err, ERROR_INVALID, "retry: %s", problems.items[0].text);
    if (done) done = param_read(retry_table, map, retry, &scratch, err);
    arena_close(&scratch);
    return done;
}

static bool find_key(const struct call_options *o, struct str *key, struct error *err)
{
    if (!o->api_key_env) return true;
    *key = str_trim(str_of(getenv(o->api_key_env)));
    if (key->n > 0) return true;
    return error_set(err, ERROR_UNAVAILABLE,
                     "api_key_env: the environment variable %s is not set", o->api_key_env);
}

bool call_available(const struct call_options *o, struct error *err)
{
    struct retry retry = {0};
    struct str key = {0};
    return read_retry(o->retry, &retry, err) && curl_available(err) && find_key(o, &key, err);
}

static const char *key_header(const struct call_options *o, struct str key, struct arena *arena)
{
    const char *mark = strstr(o->api_key_header, "{{key}}");
    if (!mark) return o->api_key_header;
    return arena_printf(arena, "%.*s%.*s%s", (int)(mark - o->api_key_header), o->api_key_header,
                        STR_ARG(key), mark + strlen("{{key}}"));
}

static bool add_headers(const struct value *map, const char **list, size_t *n,
                        bool *has_content_type, struct arena *arena, struct error *err)
{
    for (size_t i = 0; map && i < map->map.count; i++) {
        const struct value_pair *p = &map->map.pairs[i];
        if (*n == HEADERS_MAX - 2) {
            return error_set(err, ERROR_INVALID, "headers: %zu, at most %d", map->map.count,
                             HEADERS_MAX - 2);
        }
        const char *line =
            arena_printf(arena, "%.*s: %.*s", STR_ARG(p->key), STR_ARG(p->value->source));
        bool is_scalar = p->value->kind != VALUE_LIST && p->value->kind != VALUE_MAP;
        if (!is_scalar || p->key.n == 0 || strpbrk(line, "\r\n")) {
            return error_set(err, ERROR_INVALID, "headers: '%.*s' must be one line of text",
                             STR_ARG(p->key));
        }
        *has_content_type |= strncasecmp(line, "Content-Type:", 13) == 0;
        list[(*n)++] = line;
    }
    return true;
}

/* ---- asking ---- */

void call_prepare(struct call *c, const char *url, struct str body)
{
    c->attempt_count = 0;
    c->gave_up_s = 0;
    curl_set(c->curl, url, body);
}

static bool is_worth_a_retry(const struct curl_reply *r)
{
    if (r->end == CURL_END_BROKEN) return true;
    return r->end == CURL_END_DONE &&
           (r->status == 408 || r->status == 429 || r->status >= 500);
}

bool call_is_answer(const struct curl_reply *r)
{
    return r->status > 0 && r->status < 300;
}

static enum trial_status status_of(const struct curl_reply *r)
{
    switch (r->end) {
    case CURL_END_DONE: return r->status < 300 ? TRIAL_OK : TRIAL_AGENT_ERROR;
    case CURL_END_TIMED_OUT: return TRIAL_TIMED_OUT;
    case CURL_END_TOO_LARGE: return TRIAL_LIMIT_BREACHED;
    default: return TRIAL_AGENT_ERROR;
    }
}

enum trial_status call_send(struct call *c)
{
    c->begin_ns = clock_ns();
    int64_t deadline_ns = c->begin_ns + c->time_ns;
    int64_t backoff_ns = c->backoff_ns;
    for (;;) {
        struct curl_reply *r = &c->attempts[c->attempt_count++];
        curl_send(c->curl, deadline_ns, r);
        if (!is_worth_a_retry(r) || c->attempt_count > (size_t)c->retries_max) {
            return status_of(r);
        }
        double said_ns = r->retry_after_s * 1e9;
        double wait_ns = fmax(said_ns, (double)backoff_ns);
        if (wait_ns >= (double)(deadline_ns - clock_ns())) {
            c->gave_up_s = wait_ns / 1e9;
            return status_of(r);
        }
        curl_cut(r);
        clock_sleep_until(clock_ns() + (int64_t)wait_ns);
        backoff_ns *= 2;
    }
}

const struct curl_reply *call_reply(const struct call *c)
{
    CHECK(c->attempt_count > 0);
    return &c->attempts[c->attempt_count - 1];
}

/* ---- what came of it ---- */

void call_redact(const struct call *c, struct agent_answer *answer, struct arena *arena)
{
    answer->output = secret_redacted(&c->secrets, answer->output, arena);
    answer->tool_calls = secret_redacted(&c->secrets, answer->tool_calls, arena);
    secret_redact_error(&c->secrets, &answer->error);
}

/* What a server says is wrong: the message of a JSON error in the usual places,
 * else the beginning of the body. Keys go before anything is cut. */
static struct str error_message(const struct call *c, struct str body, struct arena *arena)
{
    static const char *const places[] = {"/error/message", "/error", "/message", "/detail"};
    const struct value *v = NULL;
    if (value_read_json(body, &error_limits, arena, &v, NULL)) {
        for (size_t i = 0; i < COUNT(places); i++) {
            const struct value *text = pointer_find(v, str_of(places[i]));
            if (text && text->kind == VALUE_TEXT)
                return secret_redacted(&c->secrets, text->source, arena);
        }
    }
    if (body.n > BODY_LOOKED_AT) body.n = BODY_LOOKED_AT;
    body.n = str_utf8_prefix(body);
    body = secret_redacted(&c->secrets, body, arena);
    return str_trim((struct str){body.p, body.n < SHOWN_MAX ? body.n : SHOWN_MAX});
}

static void explain(struct call *c, enum trial_status status, struct error *err)
{
    const struct curl_reply *r = call_reply(c);
    struct arena scratch = arena_open();
    if (status == TRIAL_TIMED_OUT) {
        error_set(err, ERROR_TIMEOUT, "took longer than the limit of %g s and was stopped",
                  (double)c->time_ns / 1e9);
    } else if (status == TRIAL_LIMIT_BREACHED) {
        error_set(err, ERROR_FAILED,
                  "the reply is larger than %zu bytes, the most that is read if an answer may "
                  "have %zu",
                  c->wire_max, c->output_max);
    } else if (r->end != CURL_END_DONE) {
        error_set(err, ERROR_FAILED, "%s%s", r->status ? "the reply broke off: " : "",
                  r->reason);
    } else if (r->status < 400) {
        error_set(err, ERROR_FAILED, "HTTP %d, a redirect%s%s, which is not followed",
                  r->status, r->location[0] ? " to " : "", r->location);
    } else {
        struct str said = error_message(c, r->body, &scratch);
        error_set(err, ERROR_FAILED, "HTTP %d%s%.*s", r->status, said.n ? ": " : "",
                  STR_ARG(said));
    }
    if (c->attempt_count > 1) error_wrap(err, "after %zu attempts", c->attempt_count);
    if (c->gave_up_s > 0) {
        error_wrap(err, "the wait of %g s before the next attempt exceeds the time limit",
                   c->gave_up_s);
    }
    arena_close(&scratch);
}

/* ---- opening ---- */

static bool reach(struct call *c, const char *url, struct error *err)
{
    int64_t time_ns = c->time_ns;
    if (c->time_ns > reach_ns) c->time_ns = reach_ns;
    curl_only_connects(c->curl, true);
    call_prepare(c, NULL, (struct str){0});
    enum trial_status status = call_send(c);
    curl_only_connects(c->curl, false);
    if (status != TRIAL_OK) {
        explain(c, status, err);
        err->code = ERROR_UNAVAILABLE;
        error_wrap(err, "nothing listens at %s", url);
    }
    c->time_ns = time_ns;
    return status == TRIAL_OK;
}

bool call_open(struct call *c, const struct call_options *o, const struct agent_env *env,
               struct error *err)
{
    struct retry retry = {0};
    struct str key = {0};
    if (env->secrets) c->secrets = *env->secrets;
    if (!read_retry(o->retry, &retry, err) || !find_key(o, &key, err) ||
        !secrets_add(&c->secrets, key, err)) {
        return false;
    }
    c->retries_max = retry.max;
    c->backoff_ns = retry.backoff_ms * 1000000;
    c->time_ns = env->limits.time_ns > 0 ? env->limits.time_ns : time_default_ns;
    c->output_max = agent_output_max(&env->limits);
    c->wire_max = c->output_max * wire_per_text;
    if (c->wire_max < wire_least) c->wire_max = wire_least;
    if (c->wire_max > wire_most) c->wire_max = wire_most;

    const char **headers = arena_new(env->arena, const char *, HEADERS_MAX);
    size_t n = 0;
    bool has_content_type = false;
    if (!add_headers(o->headers, headers, &n, &has_content_type, env->arena, err)) return false;
    if (!has_content_type) {
        headers[n++] = arena_printf(env->arena, "Content-Type: %s", o->content_type);
    }
    if (key.n > 0) headers[n++] = key_header(o, key, env->arena);
    c->headers = headers;
    c->header_count = n;
    struct curl_options options = {
        .url = o->url,
        .method = o->method,
        .headers = headers,
        .header_count = n,
        .body_max = c->wire_max,
        .retries = (size_t)c->retries_max,
        .pin = env->pin,
        .is_judge = env->is_judge,
    };
    return curl_open(&c->curl, &options, env->arena, err) &&
           (template_has_fields(str_of(o->url)) || reach(c, o->url, err));
}

void call_close(struct call *c)
{
    curl_close(c->curl);
    c->curl = NULL;
}

/* ---- the answer ---- */

static void add_phase(struct call *c, size_t *n, const char *name, int64_t from_ns,
                      int64_t to_ns)
{
    if (to_ns <= from_ns) return;
    c->phases[(*n)++] = (struct agent_phase){
        .name = name,
        .start_s = (double)(from_ns - c->begin_ns) / 1e9,
        .duration_s = (double)(to_ns - from_ns) / 1e9,
        .cpu_s = NAN,
        .memory_mb = NAN,
        .io_operations = NAN,
    };
}

void call_conclude(struct call *c, enum trial_status status, int64_t first_ns,
                   struct agent_answer *answer)
{
    const struct curl_reply *r = call_reply(c);
    size_t connections = 0;
    for (size_t i = 0; i < c->attempt_count; i++) {
        connections += c->attempts[i].is_new_connection;
    }
    answer->api_calls = (double)c->attempt_count;
    answer->retries = (double)(c->attempt_count - 1);
    answer->connections = (double)connections;
    answer->is_simulated = r->is_stub;
    if (first_ns == 0) first_ns = r->chunk_count > 0 ? r->chunks[0].at_ns : r->end_ns;
    size_t n = 0;
    add_phase(c, &n, "retries", c->begin_ns, c->attempt_count > 1 ? r->start_ns : 0);
    add_phase(c, &n, "connect", r->start_ns, r->is_new_connection ? r->ready_ns : 0);
    add_phase(c, &n, "wait", r->ready_ns, first_ns);
    add_phase(c, &n, "receive", first_ns, r->end_ns);
    answer->phases = c->phases;
    answer->phase_count = n;
    if (status != TRIAL_OK) explain(c, status, &answer->error);
}
