#include "api/traffic.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/os.h"

static const int statuses[TRAFFIC_STATUSES] = {200, 201, 202, 204, 303, 304, 400, 401,
                                               403, 404, 405, 409, 413, 415, 421, 422,
                                               429, 431, 500, 501, 503, 0};
static const double bounds[TRAFFIC_BUCKETS - 1] = {0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05,
                                                   0.1,    0.5,    1,     5,     30};

void traffic_init(struct traffic *t, int log_fd, struct arena *arena)
{
    *t = (struct traffic){.log_fd = log_fd};
    while (route_at(t->route_count)) t->route_count++;
    t->counts = arena_alloc(arena, t->route_count + 2, sizeof *t->counts, _Alignof(int64_t));
}

void traffic_begin(struct traffic *t)
{
    t->begun++;
}

static size_t row_of(const struct traffic *t, const struct traffic_note *note)
{
    for (size_t i = 0; note && note->route && i < t->route_count; i++) {
        if (route_at(i) == note->route) return i;
    }
    return t->route_count + (note && note->is_page ? 0 : 1);
}

static const char *name_of(const struct traffic *t, size_t row)
{
    if (row < t->route_count) return route_at(row)->name;
    return row == t->route_count ? "page" : "none";
}

/* What comes from outside may be anything; JSON must be UTF-8. */
static void put_bytes(struct json *j, const char *key, struct str text)
{
    enum { SHOWN_MAX = 500 };
    if (text.n > SHOWN_MAX) text.n = SHOWN_MAX;
    text.n = str_utf8_prefix(text);
    json_put_str(j, key, text);
}

static void tell(const struct traffic *t, const struct http_request *r,
                 const struct http_outcome *o, double seconds)
{
    char memory[16 << 10]; /* each of three texts may take six times SHOWN_MAX */
    char stamp[CLOCK_STAMP_SIZE];
    struct buf line;
    struct json j;
    const struct traffic_note *note = r->note;
    struct str query = r->target;
    struct str path = str_cut(&query, '?');
    buf_over(&line, memory, sizeof memory);
    json_init(&j, &line, 0);
    json_object(&j);
    json_put_text(&j, "time", clock_stamp(clock_unix_ns(), stamp));
    json_put_text(&j, "peer", o->peer.text);
    put_bytes(&j, "method", r->method);
    put_bytes(&j, "path", path);
    if (query.p && !str_starts(path, S("/session"))) put_bytes(&j, "query", query);
    json_put_text(&j, "route", name_of(t, row_of(t, note)));
    json_put_int(&j, "status", o->status);
    json_put_int(&j, "bytes", o->bytes);
    json_put_real(&j, "ms", (double)(int64_t)(seconds * 1e6) / 1e3);
    json_put_text(&j, "workspace", note ? note->workspace : NULL);
    json_put_text(&j, "token", note ? note->token : NULL);
    json_end(&j);
    buf_add_char(&line, '\n');
    /* A log that cannot be written is no reason to stop answering. */
    if (!line.overflow) (void)!os_write_all(t->log_fd, buf_str(&line), NULL);
}

void traffic_end(struct traffic *t, const struct http_request *r, const struct http_outcome *o)
{
    double seconds = r->arrived_ns ? (double)(clock_ns() - r->arrived_ns) / 1e9 : 0;
    size_t status = 0;
    size_t bucket = 0;
    while (status + 1 < TRAFFIC_STATUSES && statuses[status] != o->status) status++;
    while (bucket + 1 < TRAFFIC_BUCKETS && seconds > bounds[bucket]) bucket++;
    t->counts[row_of(t, r->note)][status]++;
    t->buckets[bucket]++;
    t->seconds += seconds;
    t->bytes += o->bytes;
    t->finished++;
    if (!r->note) t->begun++; /* refused, or gone, before anybody was asked */
    if (t->log_fd >= 0) tell(t, r, o, seconds);
}

void traffic_write(const struct traffic *t, struct buf *out)
{
    buf_text(out, "# HELP assay_http_requests_total Requests that were answered.\n"
                  "# TYPE assay_http_requests_total counter\n");
    for (size_t i = 0; i < t->route_count + 2; i++) {
        for (size_t k = 0; k < TRAFFIC_STATUSES; k++) {
            if (t->counts[i][k] == 0) continue;
            buf_printf(out, "assay_http_requests_total{route=\"%s\",status=\"%d\"} %lld\n",
                       name_of(t, i), statuses[k], (long long)t->counts[i][k]);
        }
    }
    buf_text(out,
             "# HELP assay_http_request_duration_seconds From the last byte of a request to "
             "that of its reply.\n"
             "# TYPE assay_http_request_duration_seconds histogram\n");
    int64_t sum = 0;
    for (size_t i = 0; i < TRAFFIC_BUCKETS; i++) {
        char limit[32] = "+Inf";
        sum += t->buckets[i];
        if (i + 1 < TRAFFIC_BUCKETS) json_format_real(bounds[i], limit);
        buf_printf(out, "assay_http_request_duration_seconds_bucket{le=\"%s\"} %lld\n", limit,
                   (long long)sum);
    }
    buf_printf(out,
               "assay_http_request_duration_seconds_sum %.9g\n"
               "assay_http_request_duration_seconds_count %lld\n",
               t->seconds, (long long)t->finished);
    buf_printf(out,
               "# HELP assay_http_requests_open Requests that are being answered.\n"
               "# TYPE assay_http_requests_open gauge\nassay_http_requests_open %lld\n"
               "# HELP assay_http_response_bytes_total Bytes of bodies that were sent.\n"
               "# TYPE assay_http_response_bytes_total counter\n"
               "assay_http_response_bytes_total %lld\n",
               (long long)(t->begun - t->finished), (long long)t->bytes);
}
