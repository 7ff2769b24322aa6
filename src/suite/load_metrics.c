#include "suite/load_metrics.h"

#include "experiment/trial_histogram.h"

#include <math.h>

#define SECONDS(label, what)                                  \
    {                                                         \
        label, "s", DIRECTION_LOWER, "load_" label "/1", what \
    }
/* Those that were given up included, with the time until then. */
#define TIMES(label, what)                                    \
    {                                                         \
        label, "s", DIRECTION_LOWER, "load_" label "/2", what \
    }
#define NUMBER(label, direction, what)                        \
    {                                                         \
        label, "1", direction, "load_" label "/1", what, true \
    }

const struct metric load_metrics[LOAD_METRIC_COUNT] = {
    [LOAD_METRIC_RESPONSE_P95] =
        TIMES("response_p95_s", "95 % of requests were answered, or given up, "
                                "within it, from the moment they were due"),
    [LOAD_METRIC_RATE] = {"rate", "1/s", DIRECTION_HIGHER, "load_rate/5",
                          "good answers per second: with a rate within the block, from the "
                          "first on; else from the first of each connection to its last"},
    [LOAD_METRIC_GOODPUT] = {"goodput", "1/s", DIRECTION_HIGHER, "load_goodput/5",
                             "good answers per second that came within the objective"},
    [LOAD_METRIC_RESPONSE_P50] = TIMES("response_p50_s", "median response time"),
    [LOAD_METRIC_RESPONSE_P90] = TIMES("response_p90_s", "90 % of response times"),
    [LOAD_METRIC_RESPONSE_P99] = TIMES("response_p99_s", "99 % of response times"),
    [LOAD_METRIC_RESPONSE_P999] = TIMES("response_p999_s", "99.9 % of response times"),
    [LOAD_METRIC_SERVICE_P50] = TIMES("service_p50_s", "median time from the send"),
    [LOAD_METRIC_SERVICE_P95] = TIMES("service_p95_s", "95 % of times from the send"),
    [LOAD_METRIC_SERVICE_P99] = TIMES("service_p99_s", "99 % of times from the send"),
    [LOAD_METRIC_ERROR_SHARE] = {"error_share", "1", DIRECTION_LOWER, "load_error_share/1",
                                 "share of scheduled requests without a good answer",
                                 .of_failures = true, .kind = KIND_SHARE},
    [LOAD_METRIC_SCHEDULED] = NUMBER("scheduled", DIRECTION_NONE, "requests that were due"),
    [LOAD_METRIC_UNSENT] = NUMBER("unsent", DIRECTION_LOWER,
                                  "of these: no connection was free until the block's end"),
    [LOAD_METRIC_SENT] = NUMBER("sent", DIRECTION_NONE, "requests sent"),
    [LOAD_METRIC_OK] = NUMBER("answered", DIRECTION_NONE, "good answers"),
    [LOAD_METRIC_FAILED] = NUMBER("failed", DIRECTION_LOWER, "failed requests"),
    [LOAD_METRIC_TIMED_OUT] = NUMBER("timed_out", DIRECTION_LOWER, "requests beyond the limit"),
    [LOAD_METRIC_CANCELLED] = NUMBER("cancelled", DIRECTION_NONE, "ended by us"),
    [LOAD_METRIC_NO_CONNECTION] = NUMBER("no_connection", DIRECTION_LOWER, "not connected"),
    [LOAD_METRIC_RESET] = NUMBER("reset", DIRECTION_LOWER, "connections that broke"),
    [LOAD_METRIC_BAD_REPLY] = NUMBER("bad_reply", DIRECTION_LOWER, "replies that are not HTTP"),
    [LOAD_METRIC_BAD_STATUS] = NUMBER("bad_status", DIRECTION_LOWER, "status 400 and above"),
    [LOAD_METRIC_TOO_MANY] = NUMBER("too_many_requests", DIRECTION_LOWER, "status 429"),
    [LOAD_METRIC_QUEUE_GROWTH] =
        SECONDS("queue_growth_s", "mean response time of the last third of the block less "
                                  "that of the first"),
    /* What the load itself did is nobody's merit. */
    [LOAD_METRIC_LAG_P99] = {"lag_p99_s", "s", DIRECTION_NONE, "load_lag_p99_s/1",
                             "99 % of sends were at most so late"},
    [LOAD_METRIC_GENERATOR] = NUMBER("generator", DIRECTION_NONE,
                                     "verdict on the load itself: 0 ok, 1 saturated, 2 skewed"),
    [LOAD_METRIC_BUSIEST] = NUMBER("generator_busiest", DIRECTION_NONE,
                                   "share of a processor that the busiest thread used"),
    [LOAD_METRIC_GENERATOR_CPU] = {"generator_cpu_s", "s", DIRECTION_NONE,
                                   "load_generator_cpu_s/1",
                                   "processor time of the load itself"},
    [LOAD_METRIC_RETRY_AFTER] = {"retry_after_s", "s", DIRECTION_NONE, "load_retry_after_s/2",
                                 "longest wait that a refusal asked for", true},
    [LOAD_METRIC_FIRST_TOKEN_P50] =
        SECONDS("first_token_p50_s", "median time to the first token "
                                     "of a stream, from the moment the "
                                     "request was due"),
    [LOAD_METRIC_FIRST_TOKEN_P95] = SECONDS("first_token_p95_s", "95 % of these"),
    [LOAD_METRIC_FIRST_TOKEN_P99] = SECONDS("first_token_p99_s", "99 % of these"),
    [LOAD_METRIC_TOKEN_GAP_P50] = SECONDS("token_gap_p50_s", "median time between tokens"),
    [LOAD_METRIC_TOKEN_GAP_P95] = SECONDS("token_gap_p95_s", "95 % of these"),
    [LOAD_METRIC_TOKEN_GAP_P99] = SECONDS("token_gap_p99_s", "99 % of these"),
    [LOAD_METRIC_TOKENS] = NUMBER("tokens", DIRECTION_NONE, "tokens of good answers"),
    [LOAD_METRIC_RESPONSE_MEAN] = TIMES("response_mean_s", "mean response time"),
    [LOAD_METRIC_RECOVERY] = {"recovery_s", "s", DIRECTION_LOWER, "load_recovery_s/3",
                              "from the end of the spike, or the fault, until response times "
                              "are within the earlier p95 and nothing fails"},
    [LOAD_METRIC_LOST] = {"lost", "1", DIRECTION_LOWER, "load_lost/2",
                          "requests without a good answer after the fault, those in flight "
                          "included",
                          true},
    [LOAD_METRIC_FIRST_SUCCESS] = {"first_success_s", "s", DIRECTION_LOWER,
                                   "load_first_success_s/2",
                                   "from the fault to the first good answer to a request sent "
                                   "after it"},
    [LOAD_METRIC_SERVER_MEMORY] =
        {"server_memory_mb", "MB", DIRECTION_LOWER, "load_server_memory_mb/1",
         "largest resident set of the server's processes, every 10 ms", true},
    [LOAD_METRIC_SERVER_CPU] = {"server_cpu_s", "s", DIRECTION_LOWER, "load_server_cpu_s/1",
                                "processor time of the server's processes", true},
    [LOAD_METRIC_SERVER_THREADS] =
        NUMBER("server_threads", DIRECTION_NONE, "most that were seen"),
    [LOAD_METRIC_SERVER_FILES] = NUMBER("server_files", DIRECTION_NONE, "most that were open"),
    [LOAD_METRIC_SERVER_DEATHS] =
        NUMBER("server_deaths", DIRECTION_LOWER,
               "times that the server ended by itself, or for want of "
               "memory"),
    [LOAD_METRIC_SERVER_GROUP] = {"server_group_mb", "MB", DIRECTION_LOWER,
                                  "load_server_group_mb/1",
                                  "most memory that the kernel charged to a cgroup of the "
                                  "server, files that it read or wrote included; of a pool "
                                  "times the number of its programs",
                                  true},
    [LOAD_METRIC_SERVER_KILLS] =
        NUMBER("server_memory_kills", DIRECTION_LOWER,
               "times that the kernel killed a process of the server for its memory limit"),
    [LOAD_METRIC_ACCURACY] = {"accuracy", "1", DIRECTION_HIGHER, "load_accuracy/1",
                              "mean score of the answers that were checked",
                              .kind = KIND_SHARE},
    [LOAD_METRIC_CHECKED] =
        NUMBER("checked", DIRECTION_NONE, "answers that were checked, drawn at random"),
    [LOAD_METRIC_CHECKED_SHARE] =
        NUMBER("checked_share", DIRECTION_NONE, "share of good answers that were checked"),
    [LOAD_METRIC_TURN_RATE] = {"turn_rate", "1/s", DIRECTION_HIGHER, "load_turn_rate/4",
                               "turns answered per second, of all conversations together"},
    [LOAD_METRIC_IN_FLIGHT] =
        NUMBER("in_flight", DIRECTION_NONE, "most requests in flight at once"),
    [LOAD_METRIC_BASELINE] = NUMBER("baseline", DIRECTION_NONE,
                                    "good answers before the spike or the fault, with which "
                                    "recovery_s compares: it takes 20"),
    [LOAD_METRIC_SPIKE_RATE] = {"spike_rate", "1/s", DIRECTION_HIGHER, "load_spike_rate/1",
                                "good answers per second from the begin of the spike on, where "
                                "they were most: for as long as the spike takes"},
};

const struct metric load_histograms[LOAD_HISTOGRAM_COUNT] = {
    [LOAD_HISTOGRAM_RESPONSE] = {"response", "ns", DIRECTION_LOWER, "load_response/2",
                                 "from the moment a request was due to its whole answer, or "
                                 "until it was given up"},
    [LOAD_HISTOGRAM_SERVICE] = {"service", "ns", DIRECTION_LOWER, "load_service/2",
                                "from the send to the same"},
    [LOAD_HISTOGRAM_LAG] = {"lag", "ns", DIRECTION_LOWER, "load_lag/1",
                            "between the moment a request could be sent and the send"},
    [LOAD_HISTOGRAM_FIRST_TOKEN] = {"first_token", "ns", DIRECTION_LOWER, "load_first_token/1",
                                    "from the moment a request was due to its first token"},
    [LOAD_HISTOGRAM_TOKEN_GAP] = {"token_gap", "ns", DIRECTION_LOWER, "load_token_gap/1",
                                  "between tokens of a stream"},
};

static double percentile_s(const struct hdr *h, double percent)
{
    return h->total > 0 ? 1e-9 * (double)hdr_percentile(h, percent) : (double)NAN;
}

static double goodput(const struct load_result *r)
{
    const struct load_counts *c = &r->counts;
    return c->ok > 0 ? r->rate * (double)c->within / (double)c->ok : 0;
}

/* Last third less first: a queue that grows. */
static double growth_s(const struct course *c)
{
    return course_mean_s(c, (size_t)COURSE_SLOTS / 3 * 2, COURSE_SLOTS) -
           course_mean_s(c, 0, COURSE_SLOTS / 3);
}

static void put_recovery(const struct load_result *r, struct course_span span, double *values)
{
    values[LOAD_METRIC_RECOVERY] = course_recovery_s(&r->course, r->length_s, span);
    values[LOAD_METRIC_BASELINE] = (double)course_baseline(&r->course, span.begin);
}

static void put_spike(const struct load_result *r, double share, double *values)
{
    struct course_span span = {.begin = SCHEDULE_SPIKE_BEGIN * share,
                               .end = SCHEDULE_SPIKE_END * share};
    put_recovery(r, span, values);
    values[LOAD_METRIC_SPIKE_RATE] =
        course_peak_rate(&r->course, r->length_s, span.begin, share);
}

/* What a fault cost: whatever ended badly after it, or was never sent. Nobody is back before the
 * first good answer, nor while stopped. */
static void put_fault(const struct load_result *r, enum subject_fault fault, double *values)
{
    const struct course *c = &r->course;
    if (isnan(r->fault_s)) return;
    double share = r->fault_s / r->length_s;
    values[LOAD_METRIC_LOST] = (double)(c->lost + r->counts.unsent);
    double stopped = fault == SUBJECT_STOP ? SUBJECT_STOP_SHARE : 0;
    struct course_span span = {.begin = share, .end = share, .back = INFINITY};
    if (c->first_ns > 0) {
        double first_s = 1e-9 * (double)(c->first_ns - r->fault_ns);
        values[LOAD_METRIC_FIRST_SUCCESS] = first_s;
        span.back = share + fmax(stopped, first_s / r->length_s);
    }
    put_recovery(r, span, values);
}

static void put_server(const struct subject_use *use, double *values)
{
    values[LOAD_METRIC_SERVER_MEMORY] = use->memory_mb;
    values[LOAD_METRIC_SERVER_CPU] = use->cpu_s;
    values[LOAD_METRIC_SERVER_THREADS] = use->threads;
    values[LOAD_METRIC_SERVER_FILES] = use->files;
    values[LOAD_METRIC_SERVER_DEATHS] = use->deaths;
    values[LOAD_METRIC_SERVER_GROUP] = use->group_mb;
    values[LOAD_METRIC_SERVER_KILLS] = use->memory_kills;
}

static void put_percentiles(const struct load_result *r, double *values)
{
    const struct {
        int metric;
        double percent;
        const struct hdr *of;
    } rows[] = {
        {LOAD_METRIC_RESPONSE_P50, 50, &r->response},
        {LOAD_METRIC_RESPONSE_P90, 90, &r->response},
        {LOAD_METRIC_RESPONSE_P95, 95, &r->response},
        {LOAD_METRIC_RESPONSE_P99, 99, &r->response},
        {LOAD_METRIC_RESPONSE_P999, 99.9, &r->response},
        {LOAD_METRIC_SERVICE_P50, 50, &r->service},
        {LOAD_METRIC_SERVICE_P95, 95, &r->service},
        {LOAD_METRIC_SERVICE_P99, 99, &r->service},
        {LOAD_METRIC_LAG_P99, 99, &r->lag},
        {LOAD_METRIC_FIRST_TOKEN_P50, 50, &r->first_token},
        {LOAD_METRIC_FIRST_TOKEN_P95, 95, &r->first_token},
        {LOAD_METRIC_FIRST_TOKEN_P99, 99, &r->first_token},
        {LOAD_METRIC_TOKEN_GAP_P50, 50, &r->token_gap},
        {LOAD_METRIC_TOKEN_GAP_P95, 95, &r->token_gap},
        {LOAD_METRIC_TOKEN_GAP_P99, 99, &r->token_gap},
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
    } rows[] = {{LOAD_METRIC_SCHEDULED, c->scheduled},
                {LOAD_METRIC_UNSENT, c->unsent},
                {LOAD_METRIC_SENT, c->sent},
                {LOAD_METRIC_OK, c->ok},
                {LOAD_METRIC_FAILED, c->failed},
                {LOAD_METRIC_TIMED_OUT, c->timed_out},
                {LOAD_METRIC_CANCELLED, c->cancelled},
                {LOAD_METRIC_NO_CONNECTION, c->by_failure[LOAD_NO_CONNECTION]},
                {LOAD_METRIC_RESET, c->by_failure[LOAD_RESET]},
                {LOAD_METRIC_BAD_REPLY, c->by_failure[LOAD_BAD_REPLY]},
                {LOAD_METRIC_BAD_STATUS, c->by_failure[LOAD_BAD_STATUS]},
                {LOAD_METRIC_TOO_MANY, c->by_failure[LOAD_TOO_MANY]},
                {LOAD_METRIC_TOKENS, c->tokens}};
    for (size_t i = 0; i < COUNT(rows); i++) values[rows[i].metric] = (double)rows[i].n;
    values[LOAD_METRIC_ERROR_SHARE] =
        c->scheduled ? 1 - (double)c->ok / (double)c->scheduled : (double)NAN;
}

static void put_accuracy(const struct load_accuracy *a, const struct load_counts *c,
                         double *values)
{
    if (a->checked == 0) return;
    values[LOAD_METRIC_ACCURACY] = a->score;
    values[LOAD_METRIC_CHECKED] = (double)a->checked;
    values[LOAD_METRIC_CHECKED_SHARE] = (double)a->checked / (double)c->ok;
}

static void put_histograms(const struct load_result *r, struct trial *t)
{
    const struct {
        enum load_histogram id;
        const struct hdr *of;
        bool is_always;
    } rows[] = {{LOAD_HISTOGRAM_RESPONSE, &r->response, true},
                {LOAD_HISTOGRAM_SERVICE, &r->service, true},
                {LOAD_HISTOGRAM_LAG, &r->lag, true},
                {LOAD_HISTOGRAM_FIRST_TOKEN, &r->first_token, false},
                {LOAD_HISTOGRAM_TOKEN_GAP, &r->token_gap, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].is_always || rows[i].of->total > 0)
            trial_put_histogram(t, &load_histograms[rows[i].id], rows[i].of);
    }
}

void load_put_block(const struct load_block_given *g, struct trial *t)
{
    const struct load_result *r = g->result;
    double *values = t->values;
    put_percentiles(r, values);
    put_counts(&r->counts, values);
    values[LOAD_METRIC_RATE] = r->rate;
    values[LOAD_METRIC_GOODPUT] = goodput(r);
    values[LOAD_METRIC_QUEUE_GROWTH] = growth_s(&r->course);
    if (r->response.total > 0)
        values[LOAD_METRIC_RESPONSE_MEAN] = 1e-9 * hdr_mean(&r->response);
    if (r->counts.turns > r->counts.ok)
        values[LOAD_METRIC_TURN_RATE] =
            r->rate * (double)r->counts.turns / (double)r->counts.ok;
    if (g->spike_share > 0) put_spike(r, g->spike_share, values);
    if (g->fault != SUBJECT_NO_FAULT) put_fault(r, g->fault, values);
    if (g->use) put_server(g->use, values);
    put_accuracy(g->accuracy, &r->counts, values);
    values[LOAD_METRIC_GENERATOR] = (double)r->verdict;
    values[LOAD_METRIC_IN_FLIGHT] = (double)r->most_in_flight;
    values[LOAD_METRIC_BUSIEST] = r->busiest;
    values[LOAD_METRIC_GENERATOR_CPU] = r->cpu_s;
    values[LOAD_METRIC_RETRY_AFTER] = r->retry_after_s;
    put_histograms(r, t);
}
