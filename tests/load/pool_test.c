/* Places that answer as a script says: every request is accounted for, from the moment it was
 * due, and answers are kept with the request they belong to. Counts and orders are judged. */
#include "base/arena.h"
#include "base/clock.h"
#include "load/kept.h"
#include "load/load_internal.h"
#include "load/pool.h"
#include "tests/test.h"

#include <math.h>

enum { REQUESTS = 7, PLACES_MAX = 8 };

struct script {
    int64_t answer_ns;             /* how long an answer takes */
    int64_t stall_ns;              /* the 20th of all takes so much longer; 0: none does */
    enum trial_status statuses[4]; /* in turn; status_count 0: all are ok */
    size_t status_count;
    bool cannot_prepare;
    _Atomic int64_t asked, prepared;
    _Atomic int busy, most_busy, overlaps;
    _Atomic int is_busy[PLACES_MAX];
    _Atomic int64_t by_request[REQUESTS];
    size_t ready[PLACES_MAX]; /* request, by place */
};

static bool prepare(void *context, size_t place, size_t request, struct error *err)
{
    struct script *s = context;
    s->ready[place] = request;
    atomic_fetch_add(&s->prepared, 1);
    return !s->cannot_prepare || error_set(err, ERROR_FAILED, "does not start");
}

static void ask(void *context, size_t place, struct buf *kept, struct pool_reply *reply)
{
    struct script *s = context;
    int64_t n = atomic_fetch_add(&s->asked, 1);
    int busy = atomic_fetch_add(&s->busy, 1) + 1;
    for (int most = atomic_load(&s->most_busy);
         busy > most && !atomic_compare_exchange_weak(&s->most_busy, &most, busy);) {
    }
    if (atomic_exchange(&s->is_busy[place], 1)) atomic_fetch_add(&s->overlaps, 1);
    atomic_fetch_add(&s->by_request[s->ready[place]], 1);
    clock_sleep_until(clock_ns() + s->answer_ns + (n == 20 ? s->stall_ns : 0));
    *reply = (struct pool_reply){.status = TRIAL_OK, .turns = 3, .why = "scripted"};
    if (s->status_count) reply->status = s->statuses[(size_t)n % s->status_count];
    if (kept) buf_printf(kept, "%zu", s->ready[place]);
    atomic_store(&s->is_busy[place], 0);
    atomic_fetch_add(&s->busy, -1);
}

struct want {
    size_t places;
    double rate; /* 0: closed */
    double length_s;
    size_t kept_max;
    double patience_s;
    struct load_live *live;
};

struct seen {
    size_t used, whole; /* answers that were kept */
};

static struct load_result run_seen(struct arena *arena, struct script *script, struct want w,
                                   struct seen *seen)
{
    struct error err = {0};
    struct pool *pool = NULL;
    struct load_result r;
    struct pool_work work = {.context = script, .prepare = prepare, .ask = ask};
    struct pool_plan plan = {.work = &work,
                             .places = w.places,
                             .requests = REQUESTS,
                             .kept_max = w.kept_max,
                             .patience_s = w.patience_s};
    struct schedule_plan schedule = schedule_constant(w.rate, w.length_s, arena);
    struct load_block block = {.schedule = w.rate > 0 ? &schedule : NULL,
                               .length_s = w.length_s,
                               .seed = 1,
                               .live = w.live};
    assert_true(pool_open(&pool, &plan, arena, &err));
    assert_true(pool_block(pool, &block, &r, &err));
    assert_int_equal(r.counts.scheduled, r.counts.sent + r.counts.unsent);
    assert_int_equal(r.counts.sent,
                     r.counts.ok + r.counts.failed + r.counts.timed_out + r.counts.cancelled);
    assert_int_equal(r.response.total, r.counts.ok + r.counts.timed_out);
    assert_int_equal(r.service.total, r.counts.ok + r.counts.timed_out);
    assert_int_equal(script->overlaps, 0);
    /* Kept answers are those of their requests; they end with the pool. */
    for (size_t i = 0; i < r.kept[0].used; i++) {
        const struct kept_answer *a = &r.kept[0].slots[i];
        assert_false(a->is_flying);
        char number[32];
        snprintf(number, sizeof number, "%zu", a->request);
        if (a->is_whole) assert_string_equal(a->bytes.p, number);
        seen->whole += a->is_whole;
    }
    seen->used = r.kept[0].used;
    pool_close(pool);
    return r;
}

static struct load_result run(struct arena *arena, struct script *script, struct want w)
{
    struct seen ignored = {0};
    return run_seen(arena, script, w, &ignored);
}

TEST(closed_load_keeps_every_place_busy)
{
    struct arena arena = arena_open();
    struct script s = {.answer_ns = 2000000};
    struct seen seen = {0};
    struct want w = {.places = 4, .length_s = 0.2, .kept_max = 5};
    struct load_result r = run_seen(&arena, &s, w, &seen);
    assert_int_equal(s.most_busy, 4);
    assert_true(r.counts.ok > 8 && r.counts.unsent == 0);
    assert_int_equal(r.counts.ok, s.asked);
    assert_int_equal(r.counts.again, r.counts.ok - 4);
    assert_int_equal(r.counts.turns, 3 * r.counts.ok);
    assert_int_equal(seen.used, 5);
    assert_int_equal(r.lag.total, 0);
    /* Each request in turn: no two differ by more than the places that have one ready. */
    int64_t least = INT64_MAX, most = 0;
    for (size_t i = 0; i < REQUESTS; i++) {
        if (s.by_request[i] < least) least = s.by_request[i];
        if (s.by_request[i] > most) most = s.by_request[i];
    }
    assert_true(most - least <= 5);
    arena_close(&arena);
}

/* Two places, one answer each, which takes longer than the block. */
TEST(the_rate_of_slow_answers_is_that_until_they_came)
{
    struct arena arena = arena_open();
    struct script s = {.answer_ns = 500000000};
    struct load_result r = run(&arena, &s, (struct want){.places = 2, .length_s = 0.25});
    assert_int_equal(r.counts.ok, 2);
    assert_int_equal(r.counts.finished, 0);
    assert_true(r.counts.over_ns >= 2 * 250000000LL);
    assert_true(r.rate > 0 && r.rate <= 2 / 0.5);
    arena_close(&arena);
}

TEST(what_waits_keeps_its_moment)
{
    struct arena arena = arena_open();
    /* One place, 20 ms an answer, 200 due per second: a quarter is answered in time, and the
     * wait grows by 15 ms with each. */
    struct script s = {.answer_ns = 20000000};
    struct load_result r =
        run(&arena, &s, (struct want){.places = 1, .rate = 200, .length_s = 0.4});
    assert_int_equal(r.counts.scheduled, 80);
    assert_true(r.counts.ok > 1 && r.counts.ok <= 21);
    assert_int_equal(r.counts.unsent, 80 - r.counts.ok);
    double first = course_mean_s(&r.course, 0, 5);
    int64_t worst = hdr_percentile(&r.response, 100);
    assert_true(first < 0.4);
    /* The last one was sent 15 ms later for each one before it. */
    assert_true((double)worst >= 15e6 * (double)(r.counts.ok - 1));
    arena_close(&arena);
}

TEST(who_waits_at_the_end_is_sent_after_it_unless_too_long)
{
    struct arena arena = arena_open();
    struct script s = {.answer_ns = 10000000};
    /* 40 due in 0.2 s, at most 20 answered: with patience all are. */
    struct want w = {.places = 1, .rate = 200, .length_s = 0.2, .patience_s = 100};
    struct load_result r = run(&arena, &s, w);
    assert_int_equal(r.counts.scheduled, 40);
    assert_int_equal(r.counts.ok, 40);
    assert_true(r.counts.finished <= 21);
    /* Without enough of it, those that have waited longer than that are not. */
    w.patience_s = 0.001;
    r = run(&arena, &s, w);
    assert_int_equal(r.counts.scheduled, 40);
    assert_true(r.counts.unsent >= 15);
    arena_close(&arena);
}

TEST(a_stall_is_charged_to_those_it_kept_waiting)
{
    struct arena arena = arena_open();
    struct script s = {.answer_ns = 100000, .stall_ns = 200000000};
    struct load_result r =
        run(&arena, &s, (struct want){.places = 1, .rate = 200, .length_s = 0.5});
    assert_int_equal(r.counts.scheduled, 100);
    /* 40 were due while it stood still: more than 10 of them waited for 100 ms and more, and
     * one was sent before. */
    int64_t slow_responses = 0, slow_services = 0;
    for (size_t i = 0; i < r.response.counts_len; i++) {
        int64_t range = 0;
        if (hdr_value_at(&r.response, i, &range) > 100000000)
            slow_responses += r.response.counts[i];
        if (hdr_value_at(&r.service, i, &range) > 100000000)
            slow_services += r.service.counts[i];
    }
    assert_true(slow_responses > 10);
    assert_true(slow_services >= 1 && slow_services < slow_responses);
    arena_close(&arena);
}

TEST(failures_are_counted_by_kind)
{
    struct arena arena = arena_open();
    struct script s = {
        .answer_ns = 500000,
        .statuses = {TRIAL_OK, TRIAL_FAILED, TRIAL_TIMED_OUT, TRIAL_INVALID_OUTPUT},
        .status_count = 4};
    struct seen seen = {0};
    struct want w = {.places = 1, .rate = 100, .length_s = 0.4, .kept_max = 100};
    struct load_result r = run_seen(&arena, &s, w, &seen);
    int64_t sent = r.counts.sent;
    assert_true(sent >= 4);
    assert_int_equal(r.counts.ok, (sent + 3) / 4);
    assert_int_equal(r.counts.by_failure[LOAD_RESET], (sent + 2) / 4);
    assert_int_equal(r.counts.timed_out, (sent + 1) / 4);
    assert_int_equal(r.counts.by_failure[LOAD_BAD_REPLY], sent / 4);
    assert_non_null(strstr(r.error, "scripted"));
    /* Only good answers are whole. */
    assert_int_equal(seen.whole, r.counts.ok);
    arena_close(&arena);
}

TEST(who_cannot_be_asked_has_failed)
{
    struct arena arena = arena_open();
    struct script s = {.cannot_prepare = true};
    struct load_result r =
        run(&arena, &s, (struct want){.places = 2, .rate = 100, .length_s = 0.2});
    assert_int_equal(r.counts.scheduled, 20);
    assert_int_equal(r.counts.ok, 0);
    assert_int_equal(s.asked, 0);
    assert_int_equal(r.counts.by_failure[LOAD_NO_CONNECTION], r.counts.sent);
    assert_non_null(strstr(r.error, "does not start"));
    /* A closed load does not spin: at most one a millisecond and place. */
    r = run(&arena, &s, (struct want){.places = 1, .length_s = 0.05});
    assert_true(r.counts.sent > 0 && r.counts.sent <= 51);
    arena_close(&arena);
}

TEST(it_stops_when_told)
{
    struct arena arena = arena_open();
    struct load_live live = {.stop = true};
    struct script s = {.answer_ns = 1000000};
    struct load_result r = run(
        &arena, &s, (struct want){.places = 2, .rate = 100, .length_s = 100, .live = &live});
    assert_int_equal(r.counts.scheduled, 10000);
    assert_int_equal(r.counts.sent, 0);
    arena_close(&arena);
}

/* ---- what is kept ---- */

TEST(every_answer_has_the_same_chance)
{
    enum { OFFERED = 1000, KEPT = 50, DRAWS = 200 };
    struct arena arena = arena_open();
    struct kept k;
    int64_t early = 0;
    kept_open(&k, KEPT, &arena);
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        kept_begin(&k, seed);
        for (size_t i = 0; i < OFFERED; i++) kept_end(kept_take(&k, i), true);
        assert_int_equal(k.used, KEPT);
        for (size_t i = 0; i < KEPT; i++) {
            assert_true(k.slots[i].is_whole);
            early += k.slots[i].request < OFFERED / 2;
            for (size_t j = 0; j < i; j++)
                assert_int_not_equal(k.slots[i].request, k.slots[j].request);
        }
    }
    /* Half of 10,000 come from the first half; four deviations of 50 are allowed. */
    assert_true(early > 4800 && early < 5200);
    kept_close(&k);
    arena_close(&arena);
}

TEST(what_is_in_flight_is_not_written_over)
{
    struct arena arena = arena_open();
    struct kept k;
    kept_open(&k, 1, &arena);
    kept_begin(&k, 1);
    struct kept_answer *first = kept_take(&k, 3);
    assert_non_null(first);
    for (size_t i = 0; i < 100; i++) assert_null(kept_take(&k, 4));
    assert_int_equal(first->request, 3);
    kept_end(first, false);
    assert_false(first->is_whole);
    kept_end(NULL, true);
    kept_close(&k);
    kept_open(&k, 0, &arena);
    kept_begin(&k, 1);
    assert_null(kept_take(&k, 0));
    kept_close(&k);
    arena_close(&arena);
}

/* 20 a second are due. Who answers them in batches, or was asked late, gives no more than that;
 * who gives 40 of 100 in time has a rate of its own. */
TEST(the_rate_of_open_load_is_never_above_what_was_due)
{
    static const struct {
        double length_s, first_s, elapsed_s;
        int64_t ok, finished;
        double rate;
    } rows[] = {{0.4, 0.3, 0.3, 8, 8, 20},
                {0.4, 0.5, 0.505, 8, 0, 20},
                {0.4, 0.19, 0.39, 8, 8, 20},
                {1, 0.01, 2.5, 100, 40, 39.5 / 0.99},
                {1, 0.7, 2.7, 21, 5, 10}};
    static const struct schedule_plan schedule;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct load_result r = {.length_s = rows[i].length_s,
                                .counts = {.ok = rows[i].ok, .finished = rows[i].finished}};
        struct load_timing timing = {
            .schedule = &schedule, .first_s = rows[i].first_s, .elapsed_s = rows[i].elapsed_s};
        double rate = load_rate(&r, &timing);
        if (!(fabs(rate - rows[i].rate) < 1e-9)) fail_msg("row %zu: %g", i, rate);
    }
}

TEST_MAIN(T(the_rate_of_open_load_is_never_above_what_was_due),
          T(closed_load_keeps_every_place_busy),
          T(the_rate_of_slow_answers_is_that_until_they_came), T(what_waits_keeps_its_moment),
          T(who_waits_at_the_end_is_sent_after_it_unless_too_long),
          T(a_stall_is_charged_to_those_it_kept_waiting), T(failures_are_counted_by_kind),
          T(who_cannot_be_asked_has_failed), T(it_stops_when_told),
          T(every_answer_has_the_same_chance), T(what_is_in_flight_is_not_written_over))
