/* A server under load. A trial is a block: so many seconds of load over connections that
 * live from block to block, every latency counted in histograms. Blocks are samples like any
 * other: two arms take turns under load, and what compares and gates commands compares and
 * gates rates and percentiles. */
#include "base/clock.h"
#include "base/value.h"
#include "experiment/trial_histogram.h"
#include "load/load.h"
#include "load/subject.h"
#include "load/trace.h"

#include <math.h>

enum {
    METRIC_RESPONSE_P95,
    METRIC_RATE,
    METRIC_GOODPUT,
    METRIC_RESPONSE_P50,
    METRIC_RESPONSE_P90,
    METRIC_RESPONSE_P99,
    METRIC_RESPONSE_P999,
    METRIC_SERVICE_P50,
    METRIC_SERVICE_P95,
    METRIC_SERVICE_P99,
    METRIC_ERROR_SHARE,
    METRIC_SCHEDULED,
    METRIC_UNSENT,
    METRIC_SENT,
    METRIC_OK,
    METRIC_FAILED,
    METRIC_TIMED_OUT,
    METRIC_CANCELLED,
    METRIC_NO_CONNECTION,
    METRIC_RESET,
    METRIC_BAD_REPLY,
    METRIC_BAD_STATUS,
    METRIC_TOO_MANY,
    METRIC_QUEUE_GROWTH,
    METRIC_LAG_P99,
    METRIC_GENERATOR,
    METRIC_BUSIEST,
    METRIC_GENERATOR_CPU,
    METRIC_RETRY_AFTER,
    METRIC_FIRST_TOKEN_P50,
    METRIC_FIRST_TOKEN_P95,
    METRIC_FIRST_TOKEN_P99,
    METRIC_TOKEN_GAP_P50,
    METRIC_TOKEN_GAP_P95,
    METRIC_TOKEN_GAP_P99,
    METRIC_TOKENS,
    METRIC_RESPONSE_MEAN,
    METRIC_RECOVERY,
    METRIC_LOST,
    METRIC_FIRST_SUCCESS,
    METRIC_SERVER_MEMORY,
    METRIC_SERVER_CPU,
    METRIC_SERVER_THREADS,
    METRIC_SERVER_FILES,
    METRIC_SERVER_DEATHS,
    METRIC_COUNT
};

enum {
    HISTOGRAM_RESPONSE,
    HISTOGRAM_SERVICE,
    HISTOGRAM_LAG,
    HISTOGRAM_FIRST_TOKEN,
    HISTOGRAM_TOKEN_GAP
};
enum { SHAPE_CONSTANT, SHAPE_RAMP, SHAPE_SPIKE, SHAPE_BURSTS };

struct config {
    const char *url;
    const char *method;
    const char *body;
    const struct value *headers;
    double rate;
    int arrivals;
    int shape;
    double factor;
    const char *trace;
    const char *trace_column;
    double time_scale;
    int64_t connections;
    int64_t threads;
    double seconds;
    double timeout_s;
    double objective_ms;
    struct param_texts allow_hosts;
    const char *ca_file;
    bool verify_certificate;
    const char *serve;
    int fault;
    int64_t memory_limit_mb;
    int64_t body_bytes;
};

struct state {
    const struct config *config;
    struct target target;
    struct str request;
    struct load_plan plan;
    struct load *load;
    struct schedule_plan schedule;
    struct load_result result;
    struct subject subject; /* where it is ours */
    struct subject_use use;
};

static const char *const arrivals[] = {"constant", "poisson", NULL};
static const char *const shapes[] = {"constant", "ramp", "spike", "bursts", NULL};
static const char *const faults[] = {
    [SUBJECT_NO_FAULT] = "none", [SUBJECT_STOP] = "stop", [SUBJECT_KILL] = "kill", NULL};

#define AT(field) .offset = offsetof(struct config, field)

static const struct param params[] = {
    {"url", PARAM_TEXT, AT(url), .role = PARAM_TREATMENT, .required = true,
     .help = "what to load"},
    {"method", PARAM_TEXT, AT(method), .help = "GET, or POST with a body"},
    {"body", PARAM_TEXT, AT(body), .help = "of each request"},
    {"headers", PARAM_MAP, AT(headers), .help = "names and values"},
    {"rate", PARAM_REAL, AT(rate), .fallback = "0", .max = 1e7, .unit = "1/s",
     .help = "requests due per second; 0: as many as `connections` in flight give"},
    {"arrivals", PARAM_CHOICE, AT(arrivals), .choices = arrivals, .fallback = "\"poisson\"",
     .help = "gaps between the moments that requests are due"},
    {"shape", PARAM_CHOICE, AT(shape), .choices = shapes, .fallback = "\"constant\"",
     .help = "how the rate runs within a block"},
    {"factor", PARAM_REAL, AT(factor), .fallback = "10", .min = 1, .max = 1e6,
     .help = "of a spike: so many times the rate; of bursts: the rate while they last"},
    {"trace", PARAM_TEXT, AT(trace),
     .help = "CSV file with the moments of requests, instead of a rate; each block has those "
             "of its first `seconds`"},
    {"trace_column", PARAM_TEXT, AT(trace_column),
     .help = "name of the column with the times; without it the first"},
    {"time_scale", PARAM_REAL, AT(time_scale), .fallback = "1", .min = 1e-9, .max = 1e9,
     .help = "by which the times of the trace are multiplied: 0.1 is ten times as fast"},
    {"connections", PARAM_INT, AT(connections), .fallback = "0", .max = LOAD_CONNECTIONS_MAX,
     .help = "in flight; with a rate: at most; 0: 10, with a rate 1000"},
    {"threads", PARAM_INT, AT(threads), .fallback = "1", .min = 1, .max = LOAD_THREADS_MAX,
     .help = "that send"},
    {"seconds", PARAM_REAL, AT(seconds), .fallback = "1", .min = 0.05, .max = 3600, .unit = "s",
     .help = "length of a block, which is a trial"},
    {"timeout_s", PARAM_REAL, AT(timeout_s), .fallback = "10", .min = 0.001,
     .max = LOAD_LATENCY_MAX_S / 2.0, .unit = "s", .help = "limit of a request"},
    {"objective_ms", PARAM_REAL, AT(objective_ms), .fallback = "0", .max = 1e7, .unit = "ms",
     .help = "answers within it are goodput; 0: all good answers are"},
    {"allow_hosts", PARAM_TEXT_LIST, AT(allow_hosts),
     .help = "other machines that may be loaded: their names, as in `url`"},
    {"ca_file", PARAM_TEXT, AT(ca_file),
     .help = "of https: PEM file with the authorities to trust, instead of this machine's"},
    {"verify_certificate", PARAM_BOOL, AT(verify_certificate), .fallback = "true",
     .help = "of https: check the server's certificate and its name"},
    {"serve", PARAM_TEXT, AT(serve),
     .help = "shell command of a server to start first and to end after; it is ready when the "
             "address of `url` takes a connection"},
    {"fault", PARAM_CHOICE, AT(fault), .choices = faults, .fallback = "\"none\"",
     .help =
         "to that server, 3/10 into each block: stop it for a fifth of the block, or kill it"},
    {"memory_limit_mb", PARAM_INT, AT(memory_limit_mb), .fallback = "0", .max = 1 << 20,
     .unit = "MB",
     .help = "that server is killed and started again when it takes more; 0: no limit"},
    {"body_bytes", PARAM_INT, AT(body_bytes), .fallback = "0", .max = 256 << 20,
     .help = "the body is filled up with blanks to this size"},
};

#define SECONDS(label, what)                                  \
    {                                                         \
        label, "s", DIRECTION_LOWER, "load_" label "/1", what \
    }
#define NUMBER(label, direction, what)                        \
    {                                                         \
        label, "1", direction, "load_" label "/1", what, true \
    }

static const struct metric metrics[METRIC_COUNT] = {
    [METRIC_RESPONSE_P95] = SECONDS("response_p95_s", "95 % of answers came within it, from "
                                                      "the moment they were due"),
    [METRIC_RATE] = {"rate", "1/s", DIRECTION_HIGHER, "load_rate/2",
                     "good answers per second, within the block, from the first on"},
    [METRIC_GOODPUT] = {"goodput", "1/s", DIRECTION_HIGHER, "load_goodput/2",
                        "good answers per second that came within the objective"},
    [METRIC_RESPONSE_P50] = SECONDS("response_p50_s", "median response time"),
    [METRIC_RESPONSE_P90] = SECONDS("response_p90_s", "90 % of response times"),
    [METRIC_RESPONSE_P99] = SECONDS("response_p99_s", "99 % of response times"),
    [METRIC_RESPONSE_P999] = SECONDS("response_p999_s", "99.9 % of response times"),
    [METRIC_SERVICE_P50] = SECONDS("service_p50_s", "median time from the send"),
    [METRIC_SERVICE_P95] = SECONDS("service_p95_s", "95 % of times from the send"),
    [METRIC_SERVICE_P99] = SECONDS("service_p99_s", "99 % of times from the send"),
    [METRIC_ERROR_SHARE] = NUMBER("error_share", DIRECTION_LOWER,
                                  "share of scheduled requests without a good answer"),
    [METRIC_SCHEDULED] = NUMBER("scheduled", DIRECTION_NONE, "requests that were due"),
    [METRIC_UNSENT] = NUMBER("unsent", DIRECTION_LOWER,
                             "of these: no connection was free until the block's end"),
    [METRIC_SENT] = NUMBER("sent", DIRECTION_NONE, "requests sent"),
    [METRIC_OK] = NUMBER("answered", DIRECTION_NONE, "good answers"),
    [METRIC_FAILED] = NUMBER("failed", DIRECTION_LOWER, "failed requests"),
    [METRIC_TIMED_OUT] = NUMBER("timed_out", DIRECTION_LOWER, "requests beyond the limit"),
    [METRIC_CANCELLED] = NUMBER("cancelled", DIRECTION_NONE, "ended by us"),
    [METRIC_NO_CONNECTION] = NUMBER("no_connection", DIRECTION_LOWER, "not connected"),
    [METRIC_RESET] = NUMBER("reset", DIRECTION_LOWER, "connections that broke"),
    [METRIC_BAD_REPLY] = NUMBER("bad_reply", DIRECTION_LOWER, "replies that are not HTTP"),
    [METRIC_BAD_STATUS] = NUMBER("bad_status", DIRECTION_LOWER, "status 400 and above"),
    [METRIC_TOO_MANY] = NUMBER("too_many_requests", DIRECTION_LOWER, "status 429"),
    [METRIC_QUEUE_GROWTH] =
        SECONDS("queue_growth_s", "mean response time of the last third of the block less "
                                  "that of the first"),
    [METRIC_LAG_P99] = SECONDS("lag_p99_s", "99 % of sends were at most so late"),
    [METRIC_GENERATOR] = NUMBER("generator", DIRECTION_LOWER,
                                "verdict on the load itself: 0 ok, 1 saturated, 2 skewed"),
    [METRIC_BUSIEST] = NUMBER("generator_busiest", DIRECTION_LOWER,
                              "share of a processor that the busiest thread used"),
    [METRIC_GENERATOR_CPU] = {"generator_cpu_s", "s", DIRECTION_LOWER, "load_generator_cpu_s/1",
                              "processor time of the load itself"},
    [METRIC_RETRY_AFTER] = {"retry_after_s", "s", DIRECTION_NONE, "load_retry_after_s/1",
                            "longest wait that a refusal asked for"},
    [METRIC_FIRST_TOKEN_P50] = SECONDS("first_token_p50_s", "median time to the first token "
                                                            "of a stream, from the moment the "
                                                            "request was due"),
    [METRIC_FIRST_TOKEN_P95] = SECONDS("first_token_p95_s", "95 % of these"),
    [METRIC_FIRST_TOKEN_P99] = SECONDS("first_token_p99_s", "99 % of these"),
    [METRIC_TOKEN_GAP_P50] = SECONDS("token_gap_p50_s", "median time between tokens"),
    [METRIC_TOKEN_GAP_P95] = SECONDS("token_gap_p95_s", "95 % of these"),
    [METRIC_TOKEN_GAP_P99] = SECONDS("token_gap_p99_s", "99 % of these"),
    [METRIC_TOKENS] = NUMBER("tokens", DIRECTION_NONE, "tokens of good answers"),
    [METRIC_RESPONSE_MEAN] = SECONDS("response_mean_s", "mean response time"),
    [METRIC_RECOVERY] = SECONDS("recovery_s", "after the spike or the fault: until response "
                                              "times are as before and nothing fails"),
    [METRIC_LOST] =
        NUMBER("lost", DIRECTION_LOWER, "requests without an answer after the fault"),
    [METRIC_FIRST_SUCCESS] = SECONDS("first_success_s", "from the fault to the first request "
                                                        "due after it that was answered"),
    [METRIC_SERVER_MEMORY] = {"server_memory_mb", "MB", DIRECTION_LOWER,
                              "load_server_memory_mb/1",
                              "largest resident set of the server's processes, every 10 ms",
                              true},
    [METRIC_SERVER_CPU] = {"server_cpu_s", "s", DIRECTION_LOWER, "load_server_cpu_s/1",
                           "processor time of the server's processes", true},
    [METRIC_SERVER_THREADS] = NUMBER("server_threads", DIRECTION_NONE, "most that were seen"),
    [METRIC_SERVER_FILES] = NUMBER("server_files", DIRECTION_NONE, "most that were open"),
    [METRIC_SERVER_DEATHS] = NUMBER("server_deaths", DIRECTION_LOWER,
                                    "times that the server ended by itself, or for want of "
                                    "memory"),
};

static const struct metric histograms[] = {
    [HISTOGRAM_RESPONSE] = {"response", "ns", DIRECTION_LOWER, "load_response/1",
                            "from the moment a request was due to its whole answer"},
    [HISTOGRAM_SERVICE] = {"service", "ns", DIRECTION_LOWER, "load_service/1",
                           "from the send to the whole answer"},
    [HISTOGRAM_LAG] = {"lag", "ns", DIRECTION_LOWER, "load_lag/1",
                       "between the moment a request could be sent and the send"},
    [HISTOGRAM_FIRST_TOKEN] = {"first_token", "ns", DIRECTION_LOWER, "load_first_token/1",
                               "from the moment a request was due to its first token"},
    [HISTOGRAM_TOKEN_GAP] = {"token_gap", "ns", DIRECTION_LOWER, "load_token_gap/1",
                             "between tokens of a stream"},
};

static bool load_check(const void *config, struct error *err)
{
    const struct config *c = config;
    if (c->trace && (c->rate > 0 || c->shape != SHAPE_CONSTANT)) {
        return error_set(err, ERROR_INVALID, "a trace has its own rate: omit rate and shape");
    }
    if (!(c->rate > 0) && c->shape != SHAPE_CONSTANT)
        return error_set(err, ERROR_INVALID, "shape '%s' needs a rate", shapes[c->shape]);
    if (c->serve || (c->fault == SUBJECT_NO_FAULT && c->memory_limit_mb == 0)) return true;
    return error_set(err, ERROR_INVALID,
                     "fault and memory_limit_mb need a server of ours: give its command as "
                     "`serve`");
}

/* {"X-A": "b"} as lines. */
static bool write_request(struct state *s, struct arena *out, struct error *err)
{
    const struct config *c = s->config;
    struct target_request r = {.method = c->method, .body = str_of(c->body ? c->body : "")};
    if (r.body.n < (size_t)c->body_bytes) {
        char *filled = arena_new(out, char, (size_t)c->body_bytes);
        memset(filled, ' ', (size_t)c->body_bytes);
        memcpy(filled, r.body.p, r.body.n);
        r.body = (struct str){filled, (size_t)c->body_bytes};
    }
    size_t count = c->headers ? c->headers->map.count : 0;
    const char **lines = arena_new(out, const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct value_pair *p = &c->headers->map.pairs[i];
        if (p->value->kind == VALUE_LIST || p->value->kind == VALUE_MAP) {
            return error_set(err, ERROR_INVALID, "header '%.*s' is not a text",
                             STR_ARG(p->key));
        }
        lines[i] = arena_printf(out, "%.*s: %.*s", STR_ARG(p->key), STR_ARG(p->value->source));
    }
    r.headers = lines;
    r.header_count = count;
    return target_write(&s->target, &r, out, &s->request, err);
}

static struct schedule_plan schedule_of(const struct config *c, struct arena *out)
{
    switch (c->shape) {
    case SHAPE_RAMP: return schedule_ramp(0, 2 * c->rate, c->seconds, out);
    case SHAPE_SPIKE: return schedule_spike(c->rate, c->factor, c->seconds, out);
    case SHAPE_BURSTS:
        return schedule_bursts(c->rate, c->seconds / 5, 1 / c->factor, c->seconds, out);
    default: return schedule_constant(c->rate, c->seconds, out);
    }
}

static bool is_open_load(const struct config *c)
{
    return c->rate > 0 || c->trace;
}

/* The moments of the trace that fall into a block. */
static bool read_trace(struct state *s, struct arena *out, struct error *err)
{
    const struct config *c = s->config;
    struct trace trace;
    struct trace_options options = {.column = c->trace_column, .time_scale = c->time_scale};
    if (!trace_read(&trace, c->trace, &options, out, err)) return false;
    while (trace.at_s[trace.count - 1] >= c->seconds) trace.count--; /* the first is at 0 */
    s->schedule = (struct schedule_plan){.trace_s = trace.at_s, .trace_count = trace.count};
    return true;
}

static bool load_setup(const struct experiment_env *env, void *state, struct error *err)
{
    struct state *s = state;
    const struct config *c = env->config;
    s->config = c;
    if (!target_open(&s->target, c->url, c->allow_hosts.items, c->allow_hosts.count, env->arena,
                     err) ||
        !write_request(s, env->arena, err))
        return false;
    if (c->trace) {
        if (!read_trace(s, env->arena, err)) return false;
    } else {
        s->schedule = schedule_of(c, env->arena);
        s->schedule.arrivals = c->arrivals == 1 ? SCHEDULE_POISSON : SCHEDULE_EVEN;
    }
    int64_t fallback = is_open_load(c) ? 1000 : 10;
    s->plan = (struct load_plan){
        .target = &s->target,
        .requests = &s->request,
        .request_count = 1,
        .connections = (size_t)(c->connections ? c->connections : fallback),
        .threads = (size_t)c->threads,
        .timeout_s = c->timeout_s,
        .ca_file = c->ca_file,
        .trusts_everybody = !c->verify_certificate,
    };
    if (c->serve &&
        !subject_open(&s->subject, c->serve, &s->target, env->work_dir, env->arena, err))
        return false;
    return load_open(&s->load, &s->plan, env->arena, err);
}

static enum trial_status load_execute_once(struct trial *t, void *state)
{
    struct state *s = state;
    const struct config *c = s->config;
    s->schedule.seed = t->workload_seed;
    struct subject_watch watch = {.begin_ns = clock_ns(),
                                  .length_s = c->seconds,
                                  .fault = (enum subject_fault)c->fault,
                                  .memory_limit_bytes = c->memory_limit_mb * 1000000};
    if (c->serve && !subject_begin(&s->subject, &watch, &t->error)) return TRIAL_HARNESS_ERROR;
    bool done = load_block(s->load, is_open_load(c) ? &s->schedule : NULL, c->seconds, NULL,
                           &s->result, &t->error);
    if (c->serve) subject_end(&s->subject, &s->use);
    return done ? TRIAL_OK : TRIAL_HARNESS_ERROR;
}

static double percentile_s(const struct hdr *h, double percent)
{
    return h->total > 0 ? 1e-9 * (double)hdr_percentile(h, percent) : (double)NAN;
}

/* Answers within the objective: whole buckets below it. */
static double goodput(const struct state *s)
{
    const struct hdr *h = &s->result.response;
    double limit_ns = s->config->objective_ms * 1e6;
    int64_t within = 0;
    if (!(limit_ns > 0)) return s->result.rate;
    for (size_t i = 0; i < h->counts_len; i++) {
        int64_t range = 0;
        int64_t low = hdr_value_at(h, i, &range);
        if ((double)(low + range - 1) <= limit_ns) within += h->counts[i];
    }
    return h->total > 0 ? s->result.rate * (double)within / (double)h->total : 0;
}

/* Last third less first: a queue that grows. */
static double growth_s(const struct load_slot *slots)
{
    return load_mean_s(slots, (size_t)LOAD_SLOTS / 3 * 2, LOAD_SLOTS) -
           load_mean_s(slots, 0, LOAD_SLOTS / 3);
}

/* Of requests that were due after the fault. */
static void put_fault(const struct state *s, double *values)
{
    const struct load_slot *slots = s->result.slots;
    size_t from = (size_t)(SUBJECT_FAULT_AT * LOAD_SLOTS);
    double lost = 0, first_s = NAN;
    for (size_t i = from; i < LOAD_SLOTS; i++) {
        lost += (double)slots[i].bad;
        if (isnan(first_s) && slots[i].ok > 0)
            first_s = (double)(i - from) * s->result.length_s / LOAD_SLOTS;
    }
    values[METRIC_LOST] = lost;
    values[METRIC_FIRST_SUCCESS] = first_s;
    values[METRIC_RECOVERY] = load_recovery_s(slots, s->result.length_s, SUBJECT_FAULT_AT,
                                              SUBJECT_FAULT_AT + 1.0 / LOAD_SLOTS);
}

static void put_server(const struct subject_use *use, double *values)
{
    values[METRIC_SERVER_MEMORY] = use->memory_mb;
    values[METRIC_SERVER_CPU] = use->cpu_s;
    values[METRIC_SERVER_THREADS] = use->threads;
    values[METRIC_SERVER_FILES] = use->files;
    values[METRIC_SERVER_DEATHS] = use->deaths;
}

static void put_percentiles(const struct load_result *r, double *values)
{
    const struct {
        int metric;
        double percent;
        const struct hdr *of;
    } rows[] = {
        {METRIC_RESPONSE_P50, 50, &r->response},
        {METRIC_RESPONSE_P90, 90, &r->response},
        {METRIC_RESPONSE_P95, 95, &r->response},
        {METRIC_RESPONSE_P99, 99, &r->response},
        {METRIC_RESPONSE_P999, 99.9, &r->response},
        {METRIC_SERVICE_P50, 50, &r->service},
        {METRIC_SERVICE_P95, 95, &r->service},
        {METRIC_SERVICE_P99, 99, &r->service},
        {METRIC_LAG_P99, 99, &r->lag},
        {METRIC_FIRST_TOKEN_P50, 50, &r->first_token},
        {METRIC_FIRST_TOKEN_P95, 95, &r->first_token},
        {METRIC_FIRST_TOKEN_P99, 99, &r->first_token},
        {METRIC_TOKEN_GAP_P50, 50, &r->token_gap},
        {METRIC_TOKEN_GAP_P95, 95, &r->token_gap},
        {METRIC_TOKEN_GAP_P99, 99, &r->token_gap},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        values[rows[i].metric] = percentile_s(rows[i].of, rows[i].percent);
    }
}

static void put_counts(const struct load_counts *c, double *values)
{
    const struct {
        int metric;
        int64_t n;
    } rows[] = {{METRIC_SCHEDULED, c->scheduled},
                {METRIC_UNSENT, c->unsent},
                {METRIC_SENT, c->sent},
                {METRIC_OK, c->ok},
                {METRIC_FAILED, c->failed},
                {METRIC_TIMED_OUT, c->timed_out},
                {METRIC_CANCELLED, c->cancelled},
                {METRIC_NO_CONNECTION, c->by_failure[LOAD_NO_CONNECTION]},
                {METRIC_RESET, c->by_failure[LOAD_RESET]},
                {METRIC_BAD_REPLY, c->by_failure[LOAD_BAD_REPLY]},
                {METRIC_BAD_STATUS, c->by_failure[LOAD_BAD_STATUS]},
                {METRIC_TOO_MANY, c->by_failure[LOAD_TOO_MANY]},
                {METRIC_TOKENS, c->tokens}};
    for (size_t i = 0; i < COUNT(rows); i++) values[rows[i].metric] = (double)rows[i].n;
    values[METRIC_ERROR_SHARE] =
        c->scheduled ? 1 - (double)c->ok / (double)c->scheduled : (double)NAN;
}

static enum trial_status load_conclude(struct trial *t, void *state, enum trial_status status)
{
    const struct state *s = state;
    const struct load_result *r = &s->result;
    if (status != TRIAL_OK) return status;
    put_percentiles(r, t->values);
    put_counts(&r->counts, t->values);
    t->values[METRIC_RATE] = r->rate;
    t->values[METRIC_GOODPUT] = goodput(s);
    t->values[METRIC_QUEUE_GROWTH] = growth_s(r->slots);
    t->values[METRIC_RESPONSE_MEAN] = load_mean_s(r->slots, 0, LOAD_SLOTS);
    if (s->config->shape == SHAPE_SPIKE)
        t->values[METRIC_RECOVERY] = load_recovery_s(r->slots, r->length_s, 0.4, 0.6);
    if (s->config->fault != SUBJECT_NO_FAULT) put_fault(s, t->values);
    if (s->config->serve) put_server(&s->use, t->values);
    t->values[METRIC_GENERATOR] = (double)r->verdict;
    t->values[METRIC_BUSIEST] = r->busiest;
    t->values[METRIC_GENERATOR_CPU] = r->cpu_s;
    t->values[METRIC_RETRY_AFTER] = r->retry_after_s;
    trial_put_histogram(t, &histograms[HISTOGRAM_RESPONSE], &r->response);
    trial_put_histogram(t, &histograms[HISTOGRAM_SERVICE], &r->service);
    trial_put_histogram(t, &histograms[HISTOGRAM_LAG], &r->lag);
    if (r->first_token.total > 0)
        trial_put_histogram(t, &histograms[HISTOGRAM_FIRST_TOKEN], &r->first_token);
    if (r->token_gap.total > 0)
        trial_put_histogram(t, &histograms[HISTOGRAM_TOKEN_GAP], &r->token_gap);
    if (r->counts.ok > 0 || r->counts.scheduled == 0) return TRIAL_OK;
    error_set(&t->error, ERROR_UNAVAILABLE, "no good answer to %lld requests: %s",
              (long long)r->counts.scheduled, r->error);
    return r->counts.timed_out > 0 ? TRIAL_TIMED_OUT : TRIAL_FAILED;
}

static bool load_teardown(void *state, struct error *err)
{
    (void)err;
    struct state *s = state;
    load_close(s->load);
    subject_close(&s->subject);
    return true;
}

const struct experiment experiment_load = {
    .name = "load",
    .summary = "loads a server and counts every answer from the moment it was due",
    .help = "With `rate` requests are due whether or not the server keeps up, and their times "
            "count from that moment; without it, `connections` requests are always in flight. "
            "Each trial is a block of `seconds`, its latencies are kept as histograms. The "
            "generator judges itself: a result whose `generator` is not 0 says more about the "
            "load than about the server.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = METRIC_COUNT,
    .histograms = histograms,
    .histogram_count = COUNT(histograms),
    .label_param = "url",
    .primary = "response_p95_s",
    .check = load_check,
    .setup = load_setup,
    .execute_once = load_execute_once,
    .conclude = load_conclude,
    .teardown = load_teardown,
};
