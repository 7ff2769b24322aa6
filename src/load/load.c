#include "load/load.h"

#include "base/arena.h"
#include "base/clock.h"
#include "load/worker.h"
#include "stats/ks.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

#define LAG_LIMIT_NS    1e6   /* of its 99th percentile, or */
#define LAG_LIMIT_SHARE 0.05  /* of the mean gap between sends */
#define BUSY_LIMIT      0.9   /* of a processor */
#define COUNT_LIMIT     0.001 /* by which sends may differ from the schedule */
#define GAP_LIMIT_P     1e-4  /* of the gap test */
enum { GAP_TEST_MIN = 200, DIGITS = 3, LOWEST_NS = 1000, HEAD_START_NS = 20000000 };

const char *load_failure_name(enum load_failure f)
{
    static const char *const names[] = {[LOAD_NO_CONNECTION] = "no_connection",
                                        [LOAD_RESET] = "reset",
                                        [LOAD_BAD_REPLY] = "bad_reply",
                                        [LOAD_BAD_STATUS] = "bad_status",
                                        [LOAD_TOO_MANY] = "too_many_requests"};
    return names[f];
}

const char *generator_verdict_name(enum generator_verdict v)
{
    static const char *const names[] = {[GENERATOR_OK] = "ok",
                                        [GENERATOR_SATURATED] = "saturated",
                                        [GENERATOR_SKEWED] = "skewed"};
    return names[v];
}

static bool init_hdr(struct hdr *h, struct arena *out, struct error *err)
{
    return hdr_init(h, LOWEST_NS, (int64_t)LOAD_LATENCY_MAX_S * 1000000000, DIGITS, out, err);
}

static bool init_blocks(struct load_block **blocks, size_t count, struct arena *out,
                        struct error *err)
{
    *blocks = arena_new(out, struct load_block, count);
    for (size_t i = 0; i < count; i++) {
        if (!init_hdr(&(*blocks)[i].response, out, err) ||
            !init_hdr(&(*blocks)[i].service, out, err))
            return false;
    }
    return true;
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
    to->connects += c->connects;
    to->bytes += c->bytes;
    for (size_t i = 0; i < LOAD_FAILURES; i++) to->by_failure[i] += c->by_failure[i];
}

static void check_identities(const struct load_counts *c)
{
    CHECK(c->scheduled == c->sent + c->unsent);
    CHECK(c->sent == c->ok + c->failed + c->timed_out + c->cancelled);
}

static bool gather(const struct load_plan *plan, const struct worker *workers, size_t count,
                   struct arena *out, struct load_result *r, struct error *err)
{
    *r = (struct load_result){.block_count = plan->blocks, .length_s = plan->length_s};
    r->retry_after_s = NAN;
    bool done = init_blocks(&r->blocks, plan->blocks, out, err) &&
                init_hdr(&r->response, out, err) && init_hdr(&r->service, out, err) &&
                init_hdr(&r->lag, out, err);
    int64_t finished = 0;
    for (size_t i = 0; done && i < count; i++) {
        const struct worker *w = &workers[i];
        for (size_t b = 0; done && b < plan->blocks; b++) {
            struct load_block *to = &r->blocks[b];
            add_counts(&to->counts, &w->blocks[b].counts);
            to->finished += w->blocks[b].finished;
            done = hdr_merge(&to->response, &w->blocks[b].response, err) &&
                   hdr_merge(&to->service, &w->blocks[b].service, err);
        }
        done = done && hdr_merge(&r->lag, &w->lag, err);
        r->cpu_s += w->cpu_s;
        r->busiest = fmax(r->busiest, w->elapsed_s > 0 ? w->cpu_s / w->elapsed_s : 0);
        r->retry_after_s = fmax(r->retry_after_s, w->retry_after_s);
        if (!r->error[0]) memcpy(r->error, w->error, sizeof r->error);
    }
    for (size_t b = 0; done && b < plan->blocks; b++) {
        add_counts(&r->counts, &r->blocks[b].counts);
        check_identities(&r->blocks[b].counts);
        finished += r->blocks[b].finished;
        done = hdr_merge(&r->response, &r->blocks[b].response, err) &&
               hdr_merge(&r->service, &r->blocks[b].service, err);
    }
    check_identities(&r->counts);
    r->rate = (double)finished / plan->length_s;
    return done;
}

/* ---- what the generator says of itself ---- */

static int64_t drawn_in_time(const struct load_plan *plan)
{
    struct schedule s = schedule_begin(plan->schedule);
    double at_s = 0;
    int64_t n = 0;
    while (schedule_next(&s, &at_s) && at_s < plan->length_s) n++;
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

static void judge_generator(const struct load_plan *plan, const struct worker *workers,
                            struct arena *out, struct load_result *r)
{
    double lag = (double)hdr_percentile(&r->lag, 99);
    double gap_ns = 0;
    if (plan->schedule) {
        double rate = schedule_highest_rate(plan->schedule);
        gap_ns = rate > 0 ? 1e9 / rate : 0;
    }
    double limit = fmax(LAG_LIMIT_NS, LAG_LIMIT_SHARE * gap_ns);
    if (plan->schedule && lag > limit) {
        r->verdict = GENERATOR_SATURATED;
        r->reason = arena_printf(out, "it sent late: 99 %% within %.3g ms, limit %.3g ms",
                                 lag / 1e6, limit / 1e6);
        return;
    }
    if (plan->schedule && r->busiest > BUSY_LIMIT) {
        r->verdict = GENERATOR_SATURATED;
        r->reason = arena_printf(out,
                                 "a worker used %.0f %% of a processor, limit %.0f %%: add "
                                 "--threads",
                                 100 * r->busiest, 100 * BUSY_LIMIT);
        return;
    }
    if (!plan->schedule) return;
    int64_t drawn = drawn_in_time(plan);
    double off = fabs((double)(r->counts.scheduled - drawn));
    if (off > COUNT_LIMIT * (double)drawn) {
        r->verdict = GENERATOR_SKEWED;
        r->reason = arena_printf(out, "%lld requests were scheduled, %lld drawn",
                                 (long long)r->counts.scheduled, (long long)drawn);
        return;
    }
    bool is_testable = plan->schedule->arrivals == SCHEDULE_POISSON &&
                       has_one_rate(plan->schedule) && plan->threads == 1 &&
                       r->counts.unsent == 0 && workers[0].gap_count >= GAP_TEST_MIN;
    double p = is_testable ? gap_test(&workers[0], arena_open()) : 1;
    if (p < GAP_LIMIT_P) {
        r->verdict = GENERATOR_SKEWED;
        r->reason = arena_printf(out, "gaps between sends are not exponential (p = %.1g)", p);
    }
}

/* ---- running ---- */

static void *run_worker(void *w)
{
    worker_run(w);
    return NULL;
}

static bool run_all(struct worker *workers, size_t count, struct load_live *live,
                    struct error *err)
{
    pthread_t threads[LOAD_THREADS_MAX];
    int64_t begin_ns = clock_ns() + HEAD_START_NS;
    size_t started = 0;
    int code = 0;
    for (; started < count; started++) {
        workers[started].begin_ns = begin_ns;
        code = pthread_create(&threads[started], NULL, run_worker, &workers[started]);
        if (code != 0) break;
    }
    if (code != 0) atomic_store(&live->stop, true);
    for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
    return code == 0 ||
           error_set(err, ERROR_UNAVAILABLE, "cannot start a thread: %s", strerror(code));
}

bool load_run(const struct load_plan *given, struct load_live *live, struct arena *out,
              struct load_result *result, struct error *err)
{
    struct load_live own = {0};
    struct load_plan plan = *given;
    if (plan.threads == 0) plan.threads = 1;
    if (plan.blocks == 0) plan.blocks = 1;
    if (plan.threads > plan.connections) plan.threads = plan.connections;
    CHECK(plan.connections > 0 && plan.request_count > 0 && plan.length_s > 0);
    CHECK(plan.threads <= LOAD_THREADS_MAX && plan.blocks <= LOAD_BLOCKS_MAX);
    if (!make_room(plan.connections, err)) return false;
    struct worker *workers = arena_new(out, struct worker, plan.threads);
    bool done = true;
    for (size_t i = 0; done && i < plan.threads; i++) {
        size_t share = plan.connections / plan.threads + (i < plan.connections % plan.threads);
        workers[i] = (struct worker){.plan = &plan,
                                     .live = live ? live : &own,
                                     .index = i,
                                     .of = plan.threads,
                                     .connections = share};
        done = init_blocks(&workers[i].blocks, plan.blocks, out, err) &&
               init_hdr(&workers[i].lag, out, err) && worker_open(&workers[i], out, err);
    }
    done = done && run_all(workers, plan.threads, live ? live : &own, err);
    for (size_t i = 0; i < plan.threads; i++) worker_close(&workers[i]);
    if (!done || !gather(&plan, workers, plan.threads, out, result, err)) return false;
    judge_generator(&plan, workers, out, result);
    return true;
}
