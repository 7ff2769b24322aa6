/* The calibrated server against the truth of its parameters, in virtual time: queues
 * simulated another way, formulas of queueing theory, counts. */
#include "stub/capacity.h"

#include "tests/test.h"

#include <stdlib.h>

#define SECOND 1000000000LL

static struct arena arena;

static struct draw drawn(const char *text)
{
    struct draw d;
    struct error err = {0};
    assert_true(draw_parse(text, "x", &d, &err));
    return d;
}

static struct capacity opened(struct capacity_plan plan, const char *service_ms)
{
    struct capacity c;
    plan.service_ms = drawn(service_ms);
    capacity_init(&c, &plan, 0, &arena);
    return c;
}

/* The same server, step by step: each tick of the list is one event, found by looking at all.
 * Requests wait in a list; a server that is free takes the first. */
struct job {
    int64_t arrives, work, ends;
    bool is_begun, is_refused;
};

static size_t in_system(const struct job *jobs, size_t upto, int64_t now)
{
    size_t n = 0;
    for (size_t i = 0; i < upto; i++) {
        n += !jobs[i].is_refused && (!jobs[i].is_begun || jobs[i].ends > now);
    }
    return n;
}

static size_t being_served(const struct job *jobs, size_t upto, int64_t now)
{
    size_t n = 0;
    for (size_t i = 0; i < upto; i++) n += jobs[i].is_begun && jobs[i].ends > now;
    return n;
}

/* Free servers take who waits, in order, at the moments at which others end, up to `now`. */
static void serve_until(struct job *jobs, size_t upto, size_t servers, int64_t now)
{
    for (;;) {
        size_t first = 0;
        while (first < upto && (jobs[first].is_begun || jobs[first].is_refused)) first++;
        if (first == upto) return;
        int64_t at = jobs[first].arrives;
        while (being_served(jobs, upto, at) >= servers) {
            int64_t next = INT64_MAX;
            for (size_t i = 0; i < upto; i++) {
                if (jobs[i].is_begun && jobs[i].ends > at && jobs[i].ends < next)
                    next = jobs[i].ends;
            }
            at = next;
        }
        if (at > now) return;
        jobs[first].is_begun = true;
        jobs[first].ends = at + jobs[first].work;
    }
}

static void compare_with_simulation(size_t servers, int64_t queue_limit, uint64_t seed)
{
    enum { N = 300 };
    struct job jobs[N] = {0};
    struct capacity_plan plan = {
        .servers = (int64_t)servers, .queue_limit = queue_limit, .seed = seed};
    struct capacity c = opened(plan, "exp:10");
    struct rng service = rng_seeded(seed);
    struct rng r = rng_seeded(seed + 1);
    int64_t now = 0;
    for (size_t i = 0; i < N; i++) {
        now += (int64_t)(rng_exponential(&r) * 8e6 / (double)servers);
        jobs[i].arrives = now;
        serve_until(jobs, i, servers, now);
        jobs[i].is_refused =
            queue_limit >= 0 && in_system(jobs, i, now) >= servers + (size_t)queue_limit;
        int64_t due = 0;
        bool is_served = capacity_arrive(&c, now, &due) == CAPACITY_SERVED;
        assert_int_equal(is_served, !jobs[i].is_refused);
        if (!is_served) {
            assert_int_equal(due, now);
            continue;
        }
        jobs[i].work = (int64_t)(draw_next(&c.plan.service_ms, &service) * 1e6);
        /* All before it are in the list already: first come, first served. */
        struct job *j = &jobs[i];
        serve_until(jobs, i + 1, servers, INT64_MAX);
        if (j->ends != due) {
            fail_msg("servers %zu, limit %d, job %zu: ends %lld, said %lld", servers,
                     (int)queue_limit, i, (long long)j->ends, (long long)due);
        }
    }
}

TEST(it_serves_as_a_queue_simulated_step_by_step)
{
    arena = arena_open();
    for (uint64_t seed = 0; seed < 5; seed++) {
        compare_with_simulation(1, -1, seed);
        compare_with_simulation(1, 3, seed);
        compare_with_simulation(4, -1, seed);
        compare_with_simulation(4, 0, seed);
        compare_with_simulation(7, 5, seed);
    }
    arena_close(&arena);
}

/* Poisson arrivals, exponential service, one server: the mean time in the system is
 * 1/(mu - lambda), here 20 ms at 50 of 100 requests a second. */
TEST(a_single_server_has_the_mean_time_of_its_queue)
{
    enum { N = 200000 };
    arena = arena_open();
    struct capacity c =
        opened((struct capacity_plan){.servers = 1, .queue_limit = -1}, "exp:10");
    struct rng r = rng_seeded(9);
    int64_t now = 0;
    double sum_s = 0;
    for (int i = 0; i < N; i++) {
        int64_t due = 0;
        now += (int64_t)(rng_exponential(&r) * 20e6);
        assert_int_equal(capacity_arrive(&c, now, &due), CAPACITY_SERVED);
        sum_s += (double)(due - now) / 1e9;
    }
    assert_close(sum_s / N, 0.020, 0.001);
    assert_close(capacity_per_s(&c.plan), 100, 1e-9);
    arena_close(&arena);
}

static double erlang_b(int servers, double load)
{
    double b = 1;
    for (int i = 1; i <= servers; i++) b = load * b / (i + load * b);
    return b;
}

/* Erlang's loss formula holds for any service time: of those that come, B are refused. */
TEST(without_a_queue_the_share_refused_is_erlangs)
{
    enum { N = 200000 };
    static const char *const services[] = {"100", "exp:100", "lognormal-mean:100,0.8"};
    arena = arena_open();
    for (size_t k = 0; k < 2 * COUNT(services); k++) {
        bool is_cliff = k >= COUNT(services); /* the same bound, said in another way */
        struct capacity_plan plan = {.seed = k};
        plan.servers = is_cliff ? 0 : 10;
        plan.cliff_in_flight = is_cliff ? 10 : 0;
        struct capacity c = opened(plan, services[k % COUNT(services)]);
        struct rng r = rng_seeded(k + 100);
        int64_t now = 0;
        for (int i = 0; i < N; i++) {
            int64_t due = 0;
            now +=
                (int64_t)(rng_exponential(&r) * 1e9 / 90); /* 9 in flight, if all were let in */
            (void)capacity_arrive(&c, now, &due);
        }
        enum capacity_outcome refused = is_cliff ? CAPACITY_CLIFF : CAPACITY_QUEUE_FULL;
        double share = (double)c.outcomes[refused] / N;
        assert_close(share, erlang_b(10, 9), 0.006);
        assert_int_equal(c.outcomes[refused] + c.outcomes[CAPACITY_SERVED], N);
        assert_true(c.most_in_flight == 10);
    }
    arena_close(&arena);
}

/* N clients, each asking again when it is answered: the throughput of the law, exactly. */
static double closed_rate(struct capacity *c, size_t clients)
{
    enum { ROUNDS = 200 };
    int64_t next[64] = {0};
    int64_t due = 0;
    for (size_t i = 0; i < clients * ROUNDS; i++) {
        size_t first = 0;
        for (size_t k = 1; k < clients; k++) {
            if (next[k] < next[first]) first = k;
        }
        assert_int_equal(capacity_arrive(c, next[first], &due), CAPACITY_SERVED);
        next[first] = due;
    }
    return (double)(clients * ROUNDS) / ((double)due / 1e9);
}

TEST(clients_in_a_closed_loop_get_the_universal_scalability_law)
{
    const double sigma = 0.05;
    const double kappa = 0.002;
    arena = arena_open();
    double highest = 0;
    double last = 0;
    for (size_t n = 1; n <= 64; n *= 2) {
        struct capacity_plan plan = {
            .contention = sigma, .coherence = kappa, .queue_limit = -1};
        struct capacity c = opened(plan, "10");
        double law =
            (double)n / 0.010 / (1 + sigma * (double)(n - 1) + kappa * (double)(n * (n - 1)));
        last = closed_rate(&c, n);
        assert_close(last, law, 0.02); /* the first round sees fewer in flight */
        highest = fmax(highest, last);
    }
    assert_true(last < 0.8 * highest); /* it fell back */
    struct capacity c = opened((struct capacity_plan){.servers = 4, .queue_limit = -1}, "10");
    assert_close(closed_rate(&c, 16), 400, 0.01);
    arena_close(&arena);
}

/* Even arrivals at 1000 a second, a stall of 100 ms each second, no service time: of the 100
 * that arrive in a stall each waits for its end. */
TEST(a_stall_keeps_all_waiting_that_arrive_in_it)
{
    arena = arena_open();
    struct capacity_plan plan = {.stall_every_ns = SECOND, .stall_ns = SECOND / 10};
    struct capacity c = opened(plan, "0");
    int waited = 0;
    int beyond_90 = 0;
    for (int64_t i = 0; i < 10000; i++) {
        int64_t at = i * 1000000 + 500000;
        int64_t due = 0;
        assert_int_equal(capacity_arrive(&c, at, &due), CAPACITY_SERVED);
        int64_t into = at % SECOND;
        bool is_stalled = at >= SECOND && into < SECOND / 10;
        assert_int_equal(due, is_stalled ? at - into + SECOND / 10 : at);
        waited += due > at;
        beyond_90 += due - at > 90000000;
    }
    assert_int_equal(waited, 900);
    assert_int_equal(beyond_90, 90); /* so the 99th percentile is 90 ms */
    /* Work of 250 ms from 0.9 s on: 100 ms before the stall, 150 ms after it. */
    struct capacity w = opened(plan, "250");
    int64_t due = 0;
    (void)capacity_arrive(&w, 900000000, &due);
    assert_int_equal(due, 1250000000);
    /* 2 s of it: three stalls fall into them. */
    w = opened(plan, "2000");
    (void)capacity_arrive(&w, 900000000, &due);
    assert_int_equal(due, 900000000 + 2 * SECOND + 300000000);
    assert_int_equal(capacity_after_stall(&w, SECOND), SECOND + SECOND / 10);
    assert_int_equal(capacity_after_stall(&w, SECOND - 1), SECOND - 1);
    assert_true(isnan(capacity_per_s(&plan)));
    plan.servers = 2;
    plan.service_ms = drawn("20");
    assert_close(capacity_per_s(&plan), 90, 1e-9);
    arena_close(&arena);
}

/* A queue limit of 2 before one server and work of a minute: of 10 three are let in. */
TEST(limits_are_exact)
{
    arena = arena_open();
    struct capacity c = opened((struct capacity_plan){.servers = 1, .queue_limit = 2}, "60000");
    int64_t due = 0;
    for (int i = 0; i < 10; i++) {
        enum capacity_outcome o = capacity_arrive(&c, i, &due);
        assert_int_equal(o, i < 3 ? CAPACITY_SERVED : CAPACITY_QUEUE_FULL);
    }
    assert_int_equal(capacity_in_flight(&c, 9), 3);
    assert_int_equal(capacity_in_flight(&c, 180 * SECOND), 0);
    arena_close(&arena);
}

TEST(a_rate_beyond_the_cliff_fails_whole_and_below_it_not_at_all)
{
    static const struct {
        int64_t rate, failed_first, failed_last; /* in 10 s; of the first, the last second */
    } rows[] = {{100, 0, 0}, {99, 0, 0}, {101, 1, 101}, {200, 100, 200}};
    arena = arena_open();
    for (size_t k = 0; k < COUNT(rows); k++) {
        struct capacity c = opened((struct capacity_plan){.cliff_rate = 100}, "0");
        int64_t failed[10] = {0};
        for (int64_t i = 0; i < 10 * rows[k].rate; i++) {
            int64_t due = 0;
            failed[i / rows[k].rate] +=
                capacity_arrive(&c, i * SECOND / rows[k].rate, &due) == CAPACITY_CLIFF;
        }
        assert_int_equal(failed[0], rows[k].failed_first);
        assert_int_equal(failed[9], rows[k].failed_last);
    }
    arena_close(&arena);
}

TEST(the_same_seed_gives_the_same_schedule)
{
    arena = arena_open();
    struct capacity_plan plan = {.servers = 2, .queue_limit = -1, .seed = 3};
    struct capacity a = opened(plan, "lognormal:10,1");
    struct capacity b = opened(plan, "lognormal:10,1");
    plan.seed = 4;
    struct capacity other = opened(plan, "lognormal:10,1");
    int same = 0;
    for (int i = 0; i < 100; i++) {
        int64_t x = 0;
        int64_t y = 0;
        int64_t z = 0;
        (void)capacity_arrive(&a, i * 1000, &x);
        (void)capacity_arrive(&b, i * 1000, &y);
        (void)capacity_arrive(&other, i * 1000, &z);
        assert_int_equal(x, y);
        same += x == z;
    }
    assert_true(same < 5);
    arena_close(&arena);
}

TEST_MAIN(T(it_serves_as_a_queue_simulated_step_by_step),
          T(a_single_server_has_the_mean_time_of_its_queue),
          T(without_a_queue_the_share_refused_is_erlangs),
          T(clients_in_a_closed_loop_get_the_universal_scalability_law),
          T(a_stall_keeps_all_waiting_that_arrive_in_it), T(limits_are_exact),
          T(a_rate_beyond_the_cliff_fails_whole_and_below_it_not_at_all),
          T(the_same_seed_gives_the_same_schedule))
