#include "load/load.h"

#include "base/arena.h"
#include "base/clock.h"
#include "load/load_internal.h"
#include "load/worker.h"
#include "stats/ks.h"

#include <errno.h>
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
#define GAP_LIMIT_P     1e-4  /* of the gap test, and */
#define GAP_LIMIT_D     0.1   /* its distance: many gaps tell what is no matter */
#define GAP_LEAST_NS    1e6   /* mean gaps below are changed by lags that are allowed */
enum { FILES_OWN = 256 };     /* open files besides the connections */
enum { AGAIN_MIN = 8 };       /* below it 1 / x is too convex */
enum { GAP_TEST_MIN = 200, DIGITS = 3, LOWEST_NS = 1000 };

struct load {
    struct load_plan plan;
    struct tls *tls;
    struct worker *workers;
    struct kept *kept; /* one of each worker */
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

bool load_init_hdr(struct hdr *h, struct arena *out, struct error *err)
{
    return hdr_init(h, LOWEST_NS, (int64_t)LOAD_LATENCY_MAX_S * 1000000000, DIGITS, out, err);
}

void load_record(struct hdr *h, int64_t ns)
{
    if (!hdr_record(h, ns > 0 ? ns : 0, 1)) CHECK(hdr_record(h, h->highest, 1));
}

int64_t load_begin_ns(const struct load_block *block)
{
    int64_t soon_ns = clock_ns() + LOAD_HEAD_START_NS;
    return block->begin_ns > soon_ns ? block->begin_ns : soon_ns;
}

double load_thread_cpu_s(void)
{
    struct rusage u;
    getrusage(RUSAGE_THREAD, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* ---- descriptors ---- */

bool load_has_room(size_t connections, struct error *err)
{
    struct rlimit limit;
    rlim_t wanted = connections + FILES_OWN;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max >= wanted) return true;
    return error_set(
        err, ERROR_UNAVAILABLE,
        "%zu connections need %llu open files, %d of them for assay itself; the "
        "hard limit is %llu: raise it with `ulimit -Hn`, or use fewer --connections",
        connections, (unsigned long long)wanted, FILES_OWN, (unsigned long long)limit.rlim_max);
}

/* The soft limit is raised as far as it may be. */
static bool make_room(size_t connections, struct error *err)
{
    struct rlimit limit;
    if (!load_has_room(connections, err)) return false;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= connections + FILES_OWN)
        return true;
    limit.rlim_cur = connections + FILES_OWN;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 ||
           error_set_errno(err, errno, "raising the limit of open files");
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
    to->within += c->within;
    to->over_ns += c->over_ns;
    to->again += c->again;
    to->again_ok += c->again_ok;
    to->again_ns += c->again_ns;
    to->connects += c->connects;
    to->bytes += c->bytes;
    to->tokens += c->tokens;
    to->turns += c->turns;
    for (size_t i = 0; i < LOAD_FAILURES; i++) to->by_failure[i] += c->by_failure[i];
}

void load_check_counts(const struct load_counts *c)
{
    CHECK(c->scheduled == c->sent + c->unsent);
    CHECK(c->sent == c->ok + c->failed + c->timed_out + c->cancelled);
}

void load_note_again(struct load_counts *c, int64_t *ended_ns, int64_t now_ns, bool is_good)
{
    if (*ended_ns > 0) {
        c->again++;
        c->again_ok += is_good;
        c->again_ns += now_ns - *ended_ns;
    }
    *ended_ns = now_ns;
}

void load_note_fault(struct load_result *r, const struct load_live *live, int64_t begin_ns)
{
    r->fault_ns = atomic_load(&live->fault_ns);
    r->fault_s = r->fault_ns > 0 ? 1e-9 * (double)(r->fault_ns - begin_ns) : (double)NAN;
}

double load_rate(const struct load_result *r, const struct load_timing *t)
{
    if (!t->schedule && r->counts.again >= AGAIN_MIN) {
        double again_s = 1e-9 * (double)r->counts.again_ns / (double)t->in_flight;
        return (double)r->counts.again_ok / again_s;
    }
    if (!t->schedule) {
        double over_s = 1e-9 * (double)r->counts.over_ns / (double)t->in_flight;
        return (double)r->counts.ok / (r->length_s + over_s);
    }
    if (r->counts.ok < 2) return (double)r->counts.ok / fmax(t->elapsed_s, r->length_s);
    double most = (double)r->counts.ok / r->length_s;
    if (t->first_s < r->length_s / 2)
        return fmin(most,
                    fmax(0, (double)r->counts.finished - 0.5) / (r->length_s - t->first_s));
    return fmin(most, ((double)r->counts.ok - 1) / fmax(t->elapsed_s - t->first_s, 1e-3));
}

static bool gather(struct load *load, double length_s, struct load_result *r, struct error *err)
{
    *r = (struct load_result){.length_s = length_s,
                              .response = load->response,
                              .service = load->service,
                              .lag = load->lag,
                              .first_token = load->first_token,
                              .token_gap = load->token_gap,
                              .kept = load->kept,
                              .kept_count = load->plan.threads,
                              .retry_after_s = NAN};
    struct hdr *const all[] = {&r->response, &r->service, &r->lag, &r->first_token,
                               &r->token_gap};
    for (size_t i = 0; i < COUNT(all); i++) hdr_reset(all[i]);
    bool done = true;
    struct load_timing timing = {.schedule = load->workers->schedule,
                                 .in_flight = load->plan.connections,
                                 .first_s = NAN};
    for (size_t i = 0; done && i < load->plan.threads; i++) {
        const struct worker *w = &load->workers[i];
        add_counts(&r->counts, &w->counts);
        course_add(&r->course, &w->course);
        r->most_in_flight += w->most_in_flight;
        r->cpu_s += w->cpu_s;
        timing.elapsed_s = fmax(timing.elapsed_s, w->elapsed_s);
        if (w->first_ns > 0)
            timing.first_s = fmin(timing.first_s, 1e-9 * (double)(w->first_ns - w->begin_ns));
        r->busiest = fmax(r->busiest, w->elapsed_s > 0 ? w->cpu_s / w->elapsed_s : 0);
        r->retry_after_s = fmax(r->retry_after_s, w->retry_after_s);
        if (!r->error[0]) memcpy(r->error, w->error, sizeof r->error);
        done = hdr_merge(&r->response, &w->response, err) &&
               hdr_merge(&r->service, &w->service, err) && hdr_merge(&r->lag, &w->lag, err) &&
               hdr_merge(&r->first_token, &w->first_token, err) &&
               hdr_merge(&r->token_gap, &w->token_gap, err);
    }
    load_check_counts(&r->counts);
    load_note_fault(r, load->workers->live, load->workers->begin_ns);
    r->rate = load_rate(r, &timing);
    return done;
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
static struct ks gap_test(const double *gaps, size_t count)
{
    struct arena scratch = arena_open();
    double *expected = arena_new(&scratch, double, count);
    for (size_t i = 0; i < count; i++) {
        expected[i] = -log1p(-((double)i + 0.5) / (double)count);
    }
    struct ks found = ks_test(scratch, gaps, count, expected, count);
    arena_close(&scratch);
    return found;
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

/* Of few sends 99 % are all of them, and one late one would spoil the block: all but one. */
static double late_percent(int64_t sends)
{
    const double rounding = 1e-6;
    return sends > 1 && sends < 100 ? 100 * (double)(sends - 1) / (double)sends - rounding : 99;
}

static void judge_schedule(struct load_result *r, const struct schedule_plan *schedule,
                           const struct load_sends *sends)
{
    double lag_ns = (double)hdr_percentile(&r->lag, late_percent(r->lag.total));
    double rate = schedule_highest_rate(schedule);
    double limit_ns = fmax(LAG_LIMIT_NS, rate > 0 ? LAG_LIMIT_SHARE * 1e9 / rate : 0);
    int64_t drawn = drawn_in_time(schedule, r->length_s);
    double off = sends->have_waited ? 0 : fabs((double)(r->counts.sent - drawn));
    bool is_testable = schedule->arrivals == SCHEDULE_POISSON && has_one_rate(schedule) &&
                       sends->gap_count >= GAP_TEST_MIN && rate * GAP_LEAST_NS <= 1e9;
    if (lag_ns > limit_ns) {
        doubt(r, GENERATOR_SATURATED, "it sent late: %s within %.3g ms, limit %.3g ms",
              r->lag.total < 100 ? "all but one" : "99 %", lag_ns / 1e6, limit_ns / 1e6);
    } else if (off > COUNT_LIMIT * (double)drawn) {
        doubt(r, GENERATOR_SKEWED, "%lld requests were sent, %lld drawn",
              (long long)r->counts.sent, (long long)drawn);
    } else if (is_testable) {
        struct ks gaps = gap_test(sends->gaps, sends->gap_count);
        if (gaps.p < GAP_LIMIT_P && gaps.d > GAP_LIMIT_D)
            doubt(r, GENERATOR_SKEWED, "gaps between sends are not exponential (p = %.1g)",
                  gaps.p);
    }
}

void load_judge(struct load_result *r, const struct schedule_plan *schedule,
                const struct load_sends *sends)
{
    if (schedule) judge_schedule(r, schedule, sends);
    if (r->verdict != GENERATOR_SATURATED && r->busiest > BUSY_LIMIT) {
        doubt(r, GENERATOR_SATURATED,
              "a worker used %.0f %% of a processor, limit %.0f %%: add threads",
              100 * r->busiest, 100 * BUSY_LIMIT);
    }
}

/* ---- running ---- */

static void *run_worker(void *w)
{
    worker_run(w);
    return NULL;
}

bool load_block(struct load *load, const struct load_block *block, struct load_result *result,
                struct error *err)
{
    struct load_live own = {0};
    struct load_live *live = block->live ? block->live : &own;
    pthread_t threads[LOAD_THREADS_MAX];
    int64_t begin_ns = load_begin_ns(block);
    size_t started = 0;
    int code = 0;
    CHECK(block->length_s > 0);
    for (; started < load->plan.threads && code == 0; started += code == 0) {
        struct worker *w = &load->workers[started];
        w->schedule = block->schedule;
        w->live = live;
        w->begin_ns = begin_ns;
        w->objective_ns = block->objective_ns;
        w->end_ns = begin_ns + (int64_t)(block->length_s * 1e9);
        kept_begin(w->kept, rng_derive(block->seed, 1, started));
        code = pthread_create(&threads[started], NULL, run_worker, w);
    }
    if (code != 0) atomic_store(&live->stop, true);
    for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
    if (code != 0) {
        return error_set(err, ERROR_UNAVAILABLE, "cannot start a thread: %s", strerror(code));
    }
    if (!gather(load, block->length_s, result, err)) return false;
    const struct worker *first = &load->workers[0];
    struct load_sends sends = {.gaps = first->gaps};
    for (size_t i = 0; i < started; i++) sends.have_waited |= load->workers[i].has_waited;
    if (started == 1 && !sends.have_waited) sends.gap_count = first->gap_count;
    load_judge(result, block->schedule, &sends);
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
    load->kept = arena_new(out, struct kept, threads);
    bool done = make_room(plan->connections, err) && load_init_hdr(&load->response, out, err) &&
                load_init_hdr(&load->service, out, err) &&
                load_init_hdr(&load->lag, out, err) &&
                load_init_hdr(&load->first_token, out, err) &&
                load_init_hdr(&load->token_gap, out, err);
    if (done && plan->target->is_tls) done = open_tls(load, out, err);
    for (size_t i = 0; done && i < threads; i++) {
        struct worker *w = &load->workers[i];
        w->plan = &load->plan;
        w->tls = load->tls;
        w->index = i;
        w->of = threads;
        w->connections = plan->connections / threads + (i < plan->connections % threads);
        w->kept = &load->kept[i];
        kept_open(w->kept, plan->kept_max / threads, out);
        done = load_init_hdr(&w->response, out, err) && load_init_hdr(&w->service, out, err) &&
               load_init_hdr(&w->lag, out, err) && load_init_hdr(&w->first_token, out, err) &&
               load_init_hdr(&w->token_gap, out, err) && worker_open(w, out, err);
    }
    if (!done) load_close(load);
    *out_load = done ? load : NULL;
    return done;
}

void load_close(struct load *load)
{
    if (!load) return;
    for (size_t i = 0; i < load->plan.threads; i++) {
        worker_close(&load->workers[i]);
        kept_close(&load->kept[i]);
    }
    tls_close(load->tls);
}
