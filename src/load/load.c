#include "load/load.h"

#include "base/arena.h"
#include "base/clock.h"
#include "load/worker.h"
#include "stats/ks.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define LAG_LIMIT_NS    1e6   /* of its 99th percentile, or */
#define LAG_LIMIT_SHARE 0.05  /* of the mean gap between sends */
#define BUSY_LIMIT      0.9   /* of a processor */
#define COUNT_LIMIT     0.001 /* by which sends may differ from the schedule */
#define GAP_LIMIT_P     1e-4  /* of the gap test */
enum { GAP_TEST_MIN = 200, DIGITS = 3, LOWEST_NS = 1000, HEAD_START_NS = 2000000 };

struct load {
    struct load_plan plan;
    struct tls *tls;
    struct worker *workers;
    struct hdr response, service, lag, first_token, token_gap;
};

const char *load_failure_name(enum load_failure f)
{
    static const char *const names[] = {[LOAD_NO_CONNECTION] = "no_connection",
                                        [LOAD_RESET] = "reset",
                                        [LOAD_BAD_REPLY] = "bad_reply",
                                        [LOAD_BAD_STATUS] = "bad_status",
                                        [LOAD_TOO_MANY] = "too_many_requests"};
    return names[f];
}

static bool init_hdr(struct hdr *h, struct arena *out, struct error *err)
{
    return hdr_init(h, LOWEST_NS, (int64_t)LOAD_LATENCY_MAX_S * 1000000000, DIGITS, out, err);
}

/* ---- descriptors ---- */

/* The soft limit is raised as far as it may be. */
static bool make_room(size_t connections, struct error *err)
{
    struct rlimit limit;
    rlim_t wanted = connections + 256;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return true;
    rlim_t had = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    if (limit.rlim_cur >= wanted && setrlimit(RLIMIT_NOFILE, &limit) == 0) return true;
    return error_set(err, ERROR_UNAVAILABLE,
                     "%zu connections need as many open files; the limit is %llu (hard limit "
                     "%llu): raise it with `ulimit -n`, or use fewer --connections",
                     connections, (unsigned long long)had, (unsigned long long)limit.rlim_max);
}

/* ---- adding up ---- */

static void add_counts(struct load_counts *to, const struct load_counts *c)
{
    to->scheduled += c->scheduled;
    to->unsent += c->unsent;
    to->sent += c->sent;
    to->ok += c->ok;
    to->failed += c->failed;
    to->timed_out += c->timed_out;
    to->cancelled += c->cancelled;
    to->finished += c->finished;
    to->connects += c->connects;
    to->bytes += c->bytes;
    to->tokens += c->tokens;
    for (size_t i = 0; i < LOAD_FAILURES; i++) to->by_failure[i] += c->by_failure[i];
}

static void check_identities(const struct load_counts *c)
{
    CHECK(c->scheduled == c->sent + c->unsent);
    CHECK(c->sent == c->ok + c->failed + c->timed_out + c->cancelled);
}

/* Good answers per second. Closed load is over with its last answer. Of open load those count
 * that came within the time, from the first of them on: before it the answers to what was
 * asked earlier are missing, which would make a slow server look weak. Where the first takes
 * more than half of the time, too few are left of it: all answers then, up to the last. */
static double rate_of(const struct load *load, const struct load_result *r, double elapsed_s)
{
    int64_t first_ns = INT64_MAX;
    const struct worker *w = load->workers;
    for (size_t i = 0; i < load->plan.threads; i++) {
        if (w[i].first_ns > 0 && w[i].first_ns < first_ns) first_ns = w[i].first_ns;
    }
    if (!w->schedule || r->counts.ok < 2)
        return (double)r->counts.ok / fmax(elapsed_s, r->length_s);
    double first_s = 1e-9 * (double)(first_ns - w->begin_ns);
    if (first_s < r->length_s / 2)
        return fmax(0, (double)r->counts.finished - 0.5) / (r->length_s - first_s);
    return ((double)r->counts.ok - 1) / fmax(elapsed_s - first_s, 1e-3);
}

static bool gather(struct load *load, double length_s, struct load_result *r, struct error *err)
{
    *r = (struct load_result){.length_s = length_s,
                              .response = load->response,
                              .service = load->service,
                              .lag = load->lag,
                              .first_token = load->first_token,
                              .token_gap = load->token_gap,
                              .retry_after_s = NAN};
    struct hdr *const all[] = {&r->response, &r->service, &r->lag, &r->first_token,
                               &r->token_gap};
    for (size_t i = 0; i < COUNT(all); i++) hdr_reset(all[i]);
    bool done = true;
    double elapsed_s = 0;
    for (size_t i = 0; done && i < load->plan.threads; i++) {
        const struct worker *w = &load->workers[i];
        add_counts(&r->counts, &w->counts);
        for (size_t t = 0; t < LOAD_SLOTS; t++) {
            r->slots[t].sum_s += w->slots[t].sum_s;
            r->slots[t].ok += w->slots[t].ok;
            r->slots[t].bad += w->slots[t].bad;
        }
        r->cpu_s += w->cpu_s;
        elapsed_s = fmax(elapsed_s, w->elapsed_s);
        r->busiest = fmax(r->busiest, w->elapsed_s > 0 ? w->cpu_s / w->elapsed_s : 0);
        r->retry_after_s = fmax(r->retry_after_s, w->retry_after_s);
        if (!r->error[0]) memcpy(r->error, w->error, sizeof r->error);
        done = hdr_merge(&r->response, &w->response, err) &&
               hdr_merge(&r->service, &w->service, err) && hdr_merge(&r->lag, &w->lag, err) &&
               hdr_merge(&r->first_token, &w->first_token, err) &&
               hdr_merge(&r->token_gap, &w->token_gap, err);
    }
    check_identities(&r->counts);
    r->rate = rate_of(load, r, elapsed_s);
    return done;
}

/* ---- slots ---- */

double load_mean_s(const struct load_slot *slots, size_t from, size_t to)
{
    double sum_s = 0;
    int64_t n = 0;
    for (size_t i = from; i < to; i++) {
        sum_s += slots[i].sum_s;
        n += slots[i].ok;
    }
    return n > 0 ? sum_s / (double)n : (double)NAN;
}

double load_recovery_s(const struct load_slot *slots, double length_s, double begin, double end)
{
    enum { STEADY = 3 };
    double usual_s = load_mean_s(slots, 0, (size_t)(begin * LOAD_SLOTS));
    double slot_s = length_s / LOAD_SLOTS;
    size_t first = (size_t)ceil(end * LOAD_SLOTS);
    size_t good = 0, since = first;
    for (size_t i = first; i < LOAD_SLOTS && !isnan(usual_s); i++) {
        if (slots[i].ok + slots[i].bad == 0) continue;
        bool is_good =
            slots[i].bad == 0 && slots[i].sum_s / (double)slots[i].ok <= 2 * usual_s + 1e-3;
        if (is_good && good == 0) since = i;
        good = is_good ? good + 1 : 0;
        if (good == STEADY) return fmax(0, (double)since * slot_s - end * length_s);
    }
    return NAN;
}

/* ---- what the generator says of itself ---- */

static int64_t drawn_in_time(const struct schedule_plan *plan, double length_s)
{
    struct schedule s = schedule_begin(plan);
    double at_s = 0;
    int64_t n = 0;
    while (schedule_next(&s, &at_s) && at_s < length_s) n++;
    return n;
}

/* Poisson arrivals at a constant rate: are the gaps between sends exponential? Compared
 * with quantiles of that distribution, as many as there are gaps. */
static double gap_test(const struct worker *w, struct arena scratch)
{
    double *expected = arena_new(&scratch, double, w->gap_count);
    for (size_t i = 0; i < w->gap_count; i++) {
        expected[i] = -log1p(-((double)i + 0.5) / (double)w->gap_count);
    }
    return ks_test(scratch, w->gaps, w->gap_count, expected, w->gap_count).p;
}

static bool has_one_rate(const struct schedule_plan *s)
{
    return !s->trace_s && s->piece_count == 1 && s->pieces[0].from_rate == s->pieces[0].to_rate;
}

static void doubt(struct load_result *r, enum generator_verdict v, const char *fmt, ...)
    PRINTF(3, 4);
static void doubt(struct load_result *r, enum generator_verdict v, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    r->verdict = v;
    vsnprintf(r->reason, sizeof r->reason, fmt, args);
    va_end(args);
}

/* Closed load has no schedule to miss. */
static void judge_generator(const struct load *load, const struct schedule_plan *schedule,
                            struct load_result *r)
{
    if (!schedule) return;
    double lag_ns = (double)hdr_percentile(&r->lag, 99);
    double rate = schedule_highest_rate(schedule);
    double limit_ns = fmax(LAG_LIMIT_NS, rate > 0 ? LAG_LIMIT_SHARE * 1e9 / rate : 0);
    int64_t drawn = drawn_in_time(schedule, r->length_s);
    double off = fabs((double)(r->counts.scheduled - drawn));
    const struct worker *w = &load->workers[0];
    bool is_testable = schedule->arrivals == SCHEDULE_POISSON && has_one_rate(schedule) &&
                       load->plan.threads == 1 && !w->has_waited &&
                       w->gap_count >= GAP_TEST_MIN;
    if (lag_ns > limit_ns) {
        doubt(r, GENERATOR_SATURATED, "it sent late: 99 %% within %.3g ms, limit %.3g ms",
              lag_ns / 1e6, limit_ns / 1e6);
    } else if (r->busiest > BUSY_LIMIT) {
        doubt(r, GENERATOR_SATURATED,
              "a worker used %.0f %% of a processor, limit %.0f %%: add threads",
              100 * r->busiest, 100 * BUSY_LIMIT);
    } else if (off > COUNT_LIMIT * (double)drawn) {
        doubt(r, GENERATOR_SKEWED, "%lld requests were scheduled, %lld drawn",
              (long long)r->counts.scheduled, (long long)drawn);
    } else if (is_testable) {
        struct arena scratch = arena_open();
        double p = gap_test(w, scratch);
        arena_close(&scratch);
        if (p < GAP_LIMIT_P)
            doubt(r, GENERATOR_SKEWED, "gaps between sends are not exponential (p = %.1g)", p);
    }
}

/* ---- running ---- */

static void *run_worker(void *w)
{
    worker_run(w);
    return NULL;
}

bool load_block(struct load *load, const struct schedule_plan *schedule, double length_s,
                struct load_live *live, struct load_result *result, struct error *err)
{
    struct load_live own = {0};
    pthread_t threads[LOAD_THREADS_MAX];
    int64_t begin_ns = clock_ns() + HEAD_START_NS;
    size_t started = 0;
    int code = 0;
    CHECK(length_s > 0);
    if (!live) live = &own;
    for (; started < load->plan.threads && code == 0; started += code == 0) {
        struct worker *w = &load->workers[started];
        w->schedule = schedule;
        w->live = live;
        w->begin_ns = begin_ns;
        w->end_ns = begin_ns + (int64_t)(length_s * 1e9);
        code = pthread_create(&threads[started], NULL, run_worker, w);
    }
    if (code != 0) atomic_store(&live->stop, true);
    for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
    if (code != 0) {
        return error_set(err, ERROR_UNAVAILABLE, "cannot start a thread: %s", strerror(code));
    }
    if (!gather(load, length_s, result, err)) return false;
    judge_generator(load, schedule, result);
    return true;
}

static bool open_tls(struct load *load, struct arena *out, struct error *err)
{
    struct tls_options options = {.host = load->plan.target->host,
                                  .ca_file = load->plan.ca_file,
                                  .trusts_everybody = load->plan.trusts_everybody};
    return tls_open(&load->tls, &options, out, err);
}

bool load_open(struct load **out_load, const struct load_plan *plan, struct arena *out,
               struct error *err)
{
    struct load *load = arena_new(out, struct load, 1);
    load->plan = *plan;
    if (load->plan.threads == 0) load->plan.threads = 1;
    if (load->plan.threads > plan->connections) load->plan.threads = plan->connections;
    CHECK(plan->connections > 0 && plan->connections <= LOAD_CONNECTIONS_MAX);
    CHECK(plan->request_count > 0 && load->plan.threads <= LOAD_THREADS_MAX);
    size_t threads = load->plan.threads;
    load->workers = arena_new(out, struct worker, threads);
    bool done = make_room(plan->connections, err) && init_hdr(&load->response, out, err) &&
                init_hdr(&load->service, out, err) && init_hdr(&load->lag, out, err) &&
                init_hdr(&load->first_token, out, err) && init_hdr(&load->token_gap, out, err);
    if (done && plan->target->is_tls) done = open_tls(load, out, err);
    for (size_t i = 0; done && i < threads; i++) {
        struct worker *w = &load->workers[i];
        w->plan = &load->plan;
        w->tls = load->tls;
        w->index = i;
        w->of = threads;
        w->connections = plan->connections / threads + (i < plan->connections % threads);
        done = init_hdr(&w->response, out, err) && init_hdr(&w->service, out, err) &&
               init_hdr(&w->lag, out, err) && init_hdr(&w->first_token, out, err) &&
               init_hdr(&w->token_gap, out, err) && worker_open(w, out, err);
    }
    if (!done) load_close(load);
    *out_load = done ? load : NULL;
    return done;
}

void load_close(struct load *load)
{
    if (!load) return;
    for (size_t i = 0; i < load->plan.threads; i++) worker_close(&load->workers[i]);
    tls_close(load->tls);
}
