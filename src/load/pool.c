/* Places that take turns at a schedule.
 *
 * A place that has nothing to do takes the next moment under the lock and sleeps until it is
 * due: whoever is free next holds the moment after. So moments are sent in order by as many
 * places as are free, and nobody has to hand out work.
 *
 * Every place has its next request ready before it takes a moment. Where that cannot be (the
 * process does not start), the request that comes next has failed. */
#include "load/pool.h"

#include "base/arena.h"
#include "base/clock.h"
#include "load/load_internal.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>

enum { RETRY_NS = 1000000 };

struct place {
    struct pool *pool;
    size_t index;
    size_t request; /* that is ready */
    bool is_ready;  /* a request is */
    bool can_ask;   /* it could be made ready */
    struct error error;
    int64_t free_ns;  /* since when it could ask */
    int64_t ended_ns; /* its last request of this block; 0: none yet */
    pthread_t thread;
};

struct pool {
    struct pool_plan plan;
    struct place *places;
    struct kept kept;
    struct hdr response, service, lag, first_token, token_gap;
    int64_t *sends; /* moments of the first ones */
    double *gaps;

    /* Of the block that is on. */
    const struct load_block *block;
    struct load_live *live;
    int64_t begin_ns, end_ns;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t gate;
    size_t ready; /* places */
    bool is_begun;
    struct schedule schedule;
    size_t next_request;
    bool has_waited;
    size_t send_count;
    int64_t first_ns;
    int64_t in_flight;
    struct load_result *result;
};

/* ---- counting; under the lock ---- */

static enum load_failure failure_of(enum trial_status status)
{
    switch (status) {
    case TRIAL_FAILED: return LOAD_RESET; /* its process has ended */
    case TRIAL_INVALID_OUTPUT: return LOAD_BAD_REPLY;
    case TRIAL_HARNESS_ERROR: return LOAD_NO_CONNECTION;
    default: return LOAD_BAD_STATUS;
    }
}

static void count_bad(struct pool *p, const struct pool_reply *reply, int64_t due_ns,
                      int64_t sent_ns, int64_t end_ns)
{
    struct load_counts *c = &p->result->counts;
    if (reply->status == TRIAL_TIMED_OUT) {
        c->timed_out++;
        load_record(&p->response, end_ns - due_ns);
        load_record(&p->service, end_ns - sent_ns);
    } else {
        c->failed++;
        c->by_failure[failure_of(reply->status)]++;
    }
    if (!p->result->error[0])
        snprintf(p->result->error, sizeof p->result->error, "%s: %s",
                 trial_status_name(reply->status), reply->why ? reply->why : "");
}

static void count_good(struct pool *p, const struct pool_reply *reply, int64_t due_ns,
                       int64_t sent_ns, int64_t end_ns)
{
    struct load_counts *c = &p->result->counts;
    c->ok++;
    c->finished += end_ns < p->end_ns;
    c->within += end_ns - due_ns <= p->block->objective_ns;
    c->turns += reply->turns;
    c->tokens += reply->tokens;
    if (p->first_ns == 0 || end_ns < p->first_ns) p->first_ns = end_ns;
    load_record(&p->response, end_ns - due_ns);
    load_record(&p->service, end_ns - sent_ns);
    if (reply->first_token_ns > 0) load_record(&p->first_token, reply->first_token_ns - due_ns);
    for (size_t i = 0; i < reply->gap_count; i++)
        load_record(&p->token_gap, (int64_t)(1e9 * reply->gaps_s[i]));
}

static void count(struct pool *p, const struct pool_reply *reply, int64_t due_ns,
                  int64_t sent_ns, int64_t end_ns)
{
    bool is_good = reply->status == TRIAL_OK;
    if (is_good)
        count_good(p, reply, due_ns, sent_ns, end_ns);
    else
        count_bad(p, reply, due_ns, sent_ns, end_ns);
    double length_ns = (double)(p->end_ns - p->begin_ns);
    struct course_end e = {
        .share = (double)(due_ns - p->begin_ns) / length_ns,
        .end_share = (double)(end_ns - p->begin_ns) / length_ns,
        .due_ns = due_ns,
        .sent_ns = sent_ns,
        .end_ns = end_ns,
        .fault_ns = atomic_load(&p->live->fault_ns),
        .is_good = is_good,
    };
    course_note(&p->result->course, &e);
    p->result->counts.over_ns += load_over_ns(end_ns, p->end_ns);
    p->in_flight--;
    atomic_fetch_add(is_good ? &p->live->ok : &p->live->failed, 1);
    atomic_fetch_add(&p->live->in_flight, -1);
}

/* ---- a place ---- */

static bool must_stop(struct pool *p)
{
    return atomic_load(&p->live->stop);
}

/* The next moment, or false after the last. A few places are all busy now and then: who has
 * just begun to wait when the block ends is not lost for that. */
static bool take_moment(struct place *place, int64_t *due_ns)
{
    struct pool *p = place->pool;
    double at_s = 0;
    int64_t now_ns = clock_ns();
    bool is_over = now_ns >= p->end_ns;
    if (must_stop(p)) return false;
    if (!p->block->schedule) {
        *due_ns = 0;
        return !is_over;
    }
    if (is_over && !(p->plan.patience_s > 0)) return false;
    do {
        if (!schedule_next(&p->schedule, &at_s) || at_s >= p->block->length_s) return false;
        *due_ns = p->begin_ns + (int64_t)(at_s * 1e9);
        p->has_waited |= *due_ns < now_ns;
        p->result->counts.scheduled++;
    } while (is_over && (double)(now_ns - *due_ns) >= 1e9 * p->plan.patience_s);
    return true;
}

static void make_ready(struct place *place)
{
    struct pool *p = place->pool;
    pthread_mutex_lock(&p->lock);
    place->request = p->next_request++ % p->plan.requests;
    pthread_mutex_unlock(&p->lock);
    place->error = (struct error){0};
    place->can_ask = p->plan.work->prepare(p->plan.work->context, place->index, place->request,
                                           &place->error);
    place->is_ready = true;
}

static struct kept_answer *note_send(struct place *place, int64_t due_ns, int64_t now_ns)
{
    struct pool *p = place->pool;
    pthread_mutex_lock(&p->lock);
    p->result->counts.sent++;
    p->in_flight++;
    if (p->in_flight > p->result->most_in_flight) p->result->most_in_flight = p->in_flight;
    if (!p->block->schedule) p->result->counts.scheduled++;
    int64_t possible_ns = due_ns > place->free_ns ? due_ns : place->free_ns;
    if (p->block->schedule) load_record(&p->lag, now_ns - possible_ns);
    if (p->send_count < LOAD_GAPS_MAX) p->sends[p->send_count++] = now_ns;
    struct kept_answer *kept = kept_take(&p->kept, place->request);
    pthread_mutex_unlock(&p->lock);
    atomic_fetch_add(&p->live->sent, 1);
    atomic_fetch_add(&p->live->in_flight, 1);
    return kept;
}

static void ask(struct place *place, int64_t due_ns)
{
    struct pool *p = place->pool;
    struct pool_reply reply = {.status = TRIAL_HARNESS_ERROR, .why = place->error.text};
    int64_t sent_ns = clock_ns();
    if (due_ns == 0) due_ns = sent_ns;
    struct kept_answer *kept = note_send(place, due_ns, sent_ns);
    if (place->can_ask)
        p->plan.work->ask(p->plan.work->context, place->index, kept ? &kept->bytes : NULL,
                          &reply);
    int64_t end_ns = reply.end_ns > 0 ? reply.end_ns : clock_ns();
    pthread_mutex_lock(&p->lock);
    count(p, &reply, due_ns, sent_ns, end_ns);
    load_note_again(&p->result->counts, &place->ended_ns, end_ns, reply.status == TRIAL_OK);
    kept_end(kept, reply.status == TRIAL_OK);
    pthread_mutex_unlock(&p->lock);
    /* Who cannot be asked would be asked in a tight loop: once a millisecond. */
    if (!place->can_ask && !p->block->schedule) clock_sleep_until(end_ns + RETRY_NS);
    make_ready(place);
    /* What follows a good answer is our own work, and charged to us; after any other whoever
     * answers may have to be started again. */
    place->free_ns = reply.status == TRIAL_OK ? end_ns : clock_ns();
}

static void wait_at_gate(struct place *place)
{
    struct pool *p = place->pool;
    if (!place->is_ready) make_ready(place);
    pthread_mutex_lock(&p->lock);
    p->ready++;
    pthread_cond_broadcast(&p->gate);
    while (!p->is_begun) pthread_cond_wait(&p->gate, &p->lock);
    pthread_mutex_unlock(&p->lock);
    place->free_ns = p->begin_ns;
}

static void *run_place(void *at)
{
    struct place *place = at;
    struct pool *p = place->pool;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    prctl(PR_SET_TIMERSLACK, 1UL);
    double cpu_s = load_thread_cpu_s();
    wait_at_gate(place);
    clock_sleep_until(p->begin_ns);
    for (;;) {
        int64_t due_ns = 0;
        pthread_mutex_lock(&p->lock);
        bool goes_on = take_moment(place, &due_ns);
        pthread_mutex_unlock(&p->lock);
        if (!goes_on) break;
        clock_sleep_until(due_ns);
        ask(place, due_ns);
    }
    cpu_s = load_thread_cpu_s() - cpu_s;
    pthread_mutex_lock(&p->lock);
    p->result->cpu_s += cpu_s;
    p->result->busiest = fmax(p->result->busiest, cpu_s); /* a share when all have ended */
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void *warm_place(void *at)
{
    struct place *place = at;
    const struct pool_work *work = place->pool->plan.work;
    struct pool_reply ignored;
    make_ready(place);
    if (place->can_ask) work->ask(work->context, place->index, NULL, &ignored);
    make_ready(place);
    return NULL;
}

/* ---- a block ---- */

static void reset(struct pool *p, const struct load_block *block, struct load_result *r)
{
    *r = (struct load_result){.length_s = block->length_s,
                              .response = p->response,
                              .service = p->service,
                              .lag = p->lag,
                              .first_token = p->first_token,
                              .token_gap = p->token_gap,
                              .kept = &p->kept,
                              .kept_count = 1,
                              .retry_after_s = NAN};
    struct hdr *const all[] = {&p->response, &p->service, &p->lag, &p->first_token,
                               &p->token_gap};
    for (size_t i = 0; i < COUNT(all); i++) hdr_reset(all[i]);
    kept_begin(&p->kept, rng_derive(block->seed, 1, 0));
    p->block = block;
    p->result = r;
    p->is_begun = p->has_waited = false;
    p->ready = p->send_count = 0;
    p->first_ns = 0;
    for (size_t i = 0; i < p->plan.places; i++) p->places[i].ended_ns = 0;
    if (block->schedule) p->schedule = schedule_begin(block->schedule);
}

/* All have their first request ready; then the clock starts. */
static void open_gate(struct pool *p, size_t started)
{
    pthread_mutex_lock(&p->lock);
    while (p->ready < started) pthread_cond_wait(&p->gate, &p->lock);
    p->begin_ns = load_begin_ns(p->block);
    p->end_ns = p->begin_ns + (int64_t)(p->block->length_s * 1e9);
    p->is_begun = true;
    pthread_cond_broadcast(&p->gate);
    pthread_mutex_unlock(&p->lock);
}

static void count_unsent(struct pool *p)
{
    double at_s = 0;
    struct load_counts *c = &p->result->counts;
    while (p->block->schedule && schedule_next(&p->schedule, &at_s) &&
           at_s < p->block->length_s)
        c->scheduled++;
    c->unsent = c->scheduled - c->sent;
}

static int compare_moments(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static size_t find_gaps(struct pool *p)
{
    if (!p->block->schedule || p->has_waited || p->send_count < 2) return 0;
    double mean_ns = 1e9 * p->block->length_s / fmax(schedule_expected(p->block->schedule), 1);
    qsort(p->sends, p->send_count, sizeof *p->sends, compare_moments);
    for (size_t i = 1; i < p->send_count; i++)
        p->gaps[i - 1] = (double)(p->sends[i] - p->sends[i - 1]) / mean_ns;
    return p->send_count - 1;
}

static void sum_up(struct pool *p)
{
    struct load_result *r = p->result;
    struct load_timing timing = {
        .schedule = p->block->schedule, .in_flight = p->plan.places, .first_s = NAN};
    timing.elapsed_s = 1e-9 * (double)(clock_ns() - p->begin_ns);
    if (p->first_ns > 0) timing.first_s = 1e-9 * (double)(p->first_ns - p->begin_ns);
    count_unsent(p);
    load_check_counts(&r->counts);
    load_note_fault(r, p->live, p->begin_ns);
    r->response = p->response;
    r->service = p->service;
    r->lag = p->lag;
    r->first_token = p->first_token;
    r->token_gap = p->token_gap;
    r->rate = load_rate(r, &timing);
    r->busiest = timing.elapsed_s > 0 ? r->busiest / timing.elapsed_s : 0;
    if (p->plan.works_itself) r->busiest = r->cpu_s = NAN;
    struct load_sends sends = {.gaps = p->gaps,
                               .gap_count = find_gaps(p),
                               .have_waited = p->has_waited || r->counts.unsent > 0};
    load_judge(r, p->block->schedule, &sends);
}

/* One thread a place; how many started is in `started`. */
static bool start_places(struct pool *p, void *(*body)(void *), size_t *started,
                         struct error *err)
{
    int code = 0;
    for (*started = 0; *started < p->plan.places && code == 0; *started += code == 0) {
        struct place *place = &p->places[*started];
        code = pthread_create(&place->thread, NULL, body, place);
    }
    if (code == 0) return true;
    return error_set(err, ERROR_UNAVAILABLE, "cannot start a thread: %s", strerror(code));
}

static void join_places(struct pool *p, size_t started)
{
    for (size_t i = 0; i < started; i++) pthread_join(p->places[i].thread, NULL);
}

bool pool_warm(struct pool *p, struct error *err)
{
    size_t started = 0;
    bool done = start_places(p, warm_place, &started, err);
    join_places(p, started);
    return done;
}

bool pool_block(struct pool *p, const struct load_block *block, struct load_result *result,
                struct error *err)
{
    struct load_live own = {0};
    size_t started = 0;
    CHECK(block->length_s > 0);
    p->live = block->live ? block->live : &own;
    reset(p, block, result);
    bool done = start_places(p, run_place, &started, err);
    if (!done) atomic_store(&p->live->stop, true);
    open_gate(p, started);
    join_places(p, started);
    if (done) sum_up(p);
    return done;
}

bool pool_open(struct pool **pool, const struct pool_plan *plan, struct arena *out,
               struct error *err)
{
    struct pool *p = arena_new(out, struct pool, 1);
    CHECK(plan->places > 0 && plan->places <= POOL_PLACES_MAX && plan->requests > 0);
    p->plan = *plan;
    p->places = arena_new(out, struct place, plan->places);
    for (size_t i = 0; i < plan->places; i++) {
        p->places[i].pool = p;
        p->places[i].index = i;
    }
    p->sends = arena_new(out, int64_t, LOAD_GAPS_MAX);
    p->gaps = arena_new(out, double, LOAD_GAPS_MAX);
    kept_open(&p->kept, plan->kept_max, out);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->gate, NULL);
    bool done = load_init_hdr(&p->response, out, err) && load_init_hdr(&p->service, out, err) &&
                load_init_hdr(&p->lag, out, err) && load_init_hdr(&p->first_token, out, err) &&
                load_init_hdr(&p->token_gap, out, err);
    if (!done) pool_close(p);
    *pool = done ? p : NULL;
    return done;
}

void pool_close(struct pool *p)
{
    if (!p) return;
    kept_close(&p->kept);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->gate);
}
