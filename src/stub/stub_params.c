/* What a stub can be set to, and GET /v1/stub, which says it. */
#include "stub/stub_internal.h"

#include "base/clock.h"
#include "base/json.h"

#include <math.h>

#define ROW(text, kind, field) \
    .name = (text), .type = (kind), .offset = offsetof(struct stub_options, field)

static const char *const at_limit[] = {
    [STUB_DIE] = "die", [STUB_STAY] = "stay", [STUB_STAY + 1] = NULL};

const struct param stub_params[STUB_PARAMS] = {
    {ROW("listen", PARAM_TEXT, listen), .argument = "HOST:PORT",
     .help = "where to listen; port 0 takes any that is free",
     .fallback = "\"127.0.0.1:8400\""},
    {ROW("ttft-ms", PARAM_TEXT, ttft_ms), .argument = "TIME",
     .help = "time to the first token: 50, uniform:10,90, normal:50,10, lognormal:50,0.5, "
             "lognormal-mean:50,0.5, exp:50",
     .fallback = "\"0\""},
    {ROW("gap-ms", PARAM_TEXT, gap_ms), .argument = "TIME",
     .help = "time between tokens, likewise", .fallback = "\"0\""},
    {ROW("tokens", PARAM_TEXT, tokens), .argument = "N",
     .help = "tokens of an answer, likewise", .fallback = "\"16\""},
    {ROW("answers", PARAM_TEXT, answers), .argument = "FILE",
     .help = "JSON lines {\"match\": ..., \"answer\": ...}: what to answer to what"},
    {ROW("echo", PARAM_BOOL, echo), .help = "answer with the prompt"},
    {ROW("seed", PARAM_INT, seed), .fallback = "42", .max = INFINITY,
     .help = "answers, times and errors are drawn from it"},
    {ROW("error-rate", PARAM_SHARE, error_rate), .fallback = "0", .max = 1,
     .help = "share of requests that fail"},
    {ROW("error-status", PARAM_INT, error_status), .argument = "STATUS", .fallback = "500",
     .min = 400, .max = 599, .help = "what they fail with"},
    {ROW("drop-rate", PARAM_SHARE, drop_rate), .fallback = "0", .max = 1,
     .help = "share of streams cut off in the middle"},
    {ROW("rate-limit", PARAM_REAL, rate_limit), .argument = "N", .fallback = "0",
     .max = INFINITY, .help = "requests a second before 429 with Retry-After; 0: no limit"},
    {ROW("retry-after", PARAM_TEXT, retry_after), .argument = "SECONDS",
     .help = "sent with 429 and 503 instead of what fits the rate limit"},
    {ROW("servers", PARAM_INT, servers), .fallback = "0", .max = CAPACITY_SERVERS_MAX,
     .help = "requests served at a time, first come, first served; 0: no limit"},
    {ROW("service-ms", PARAM_TEXT, service_ms), .argument = "TIME", .fallback = "\"0\"",
     .help = "time that a request holds its server, as --ttft-ms"},
    {ROW("queue-limit", PARAM_INT, queue_limit), .fallback = "131072",
     .max = CAPACITY_IN_FLIGHT_MAX,
     .help = "requests that may wait for a server, beyond it 503"},
    {ROW("contention", PARAM_REAL, contention), .argument = "SHARE", .fallback = "0",
     .max = 1e6, .help = "service time grows by this share for each other one in flight"},
    {ROW("coherence", PARAM_REAL, coherence), .argument = "SHARE", .fallback = "0", .max = 1e6,
     .help = "and by this share for each pair: throughput falls back"},
    {ROW("cliff-in-flight", PARAM_INT, cliff_in_flight), .fallback = "0",
     .max = CAPACITY_IN_FLIGHT_MAX,
     .help = "with this many in flight, others fail with --error-status; 0: never"},
    {ROW("cliff-rate", PARAM_INT, cliff_rate), .fallback = "0", .max = CAPACITY_RATE_MAX,
     .unit = "1/s",
     .help = "after this many requests within a second, all others fail; 0: never"},
    {ROW("stall-every-s", PARAM_REAL, stall_every_s), .argument = "SECONDS", .fallback = "0",
     .max = 86400, .help = "time from one stall to the next, from the start"},
    {ROW("stall-s", PARAM_REAL, stall_s), .argument = "SECONDS", .fallback = "0", .max = 86400,
     .help = "length of a stall: nothing is served, nothing is sent; 0: never"},
    {ROW("memory-kb", PARAM_REAL, memory_kb), .fallback = "0", .max = 1e6, .unit = "KiB",
     .help = "memory kept of each request that is served"},
    {ROW("memory-limit-mb", PARAM_REAL, memory_limit_mb), .fallback = "0", .max = 1e6,
     .unit = "MiB", .help = "of what is kept; 0: no limit"},
    {ROW("at-limit", PARAM_CHOICE, at_limit), .choices = at_limit, .fallback = "\"die\"",
     .help = "what it does at that limit: end as if killed, or keep no more"},
    {ROW("no-usage", PARAM_BOOL, has_no_usage), .help = "do not report token counts"},
    {ROW("api-key-env", PARAM_TEXT, api_key_env), .argument = "NAME",
     .help = "demand the key that this environment variable holds"},
    {ROW("dimensions", PARAM_INT, dimensions), .fallback = "256", .min = 1,
     .max = STUB_DIMENSIONS_MAX, .help = "of embeddings"},
    {ROW("requests", PARAM_INT, requests), .max = INFINITY, .help = "end after N requests"},
};

static void put_setting(struct json *j, const struct param *row, const struct stub_options *o)
{
    const void *at = (const char *)o + row->offset;
    switch (row->type) {
    case PARAM_INT: json_put_int(j, row->name, *(const int64_t *)at); break;
    case PARAM_BOOL: json_put_bool(j, row->name, *(const bool *)at); break;
    case PARAM_TEXT: json_put_text(j, row->name, *(const char *const *)at); break;
    case PARAM_CHOICE: json_put_text(j, row->name, row->choices[*(const int *)at]); break;
    default: json_put_real(j, row->name, *(const double *)at); break;
    }
}

static void put_counts(struct json *j, struct stub *s)
{
    struct capacity *c = &s->capacity;
    json_key_object(j, "counts");
    json_put_int(j, "requests", s->answered);
    json_put_int(j, "rate_limited", s->rate_limited);
    json_put_int(j, "failed", s->failed);
    json_put_int(j, "arrived", c->arrived);
    json_put_int(j, "served", c->outcomes[CAPACITY_SERVED]);
    json_put_int(j, "queue_full", c->outcomes[CAPACITY_QUEUE_FULL]);
    json_put_int(j, "cliff", c->outcomes[CAPACITY_CLIFF]);
    json_put_int(j, "in_flight",
                 s->has_capacity ? (int64_t)capacity_in_flight(c, clock_ns()) : 0);
    json_put_int(j, "most_in_flight", (int64_t)c->most_in_flight);
    json_put_int(j, "memory_bytes", s->memory_bytes);
    json_end(j);
}

void stub_describe(struct stub *s, struct http_request *r, int64_t from_ns)
{
    struct buf b;
    struct json j;
    (void)from_ns;
    buf_init(&b, STUB_BODY_MAX);
    json_init(&j, &b, 0);
    json_object(&j);
    json_put_text(&j, "object", "stub");
    json_key_object(&j, "settings");
    for (size_t i = 0; i < STUB_PARAMS; i++) put_setting(&j, &stub_params[i], &s->options);
    json_end(&j);
    json_put_real(&j, "capacity_per_s", capacity_per_s(&s->capacity.plan));
    put_counts(&j, s);
    json_end(&j);
    struct str body = str_copy(r->arena, buf_str(&b));
    buf_release(&b);
    http_reply(r,
               &(struct http_reply){.status = 200, .type = "application/json", .body = body});
}
