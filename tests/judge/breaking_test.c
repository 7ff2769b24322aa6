/* The search for the breaking point against servers whose breaking point is known: it is
 * computed from what a model of a server is made of (queueing theory, below), never from
 * what the search sees. A model is simulated request by request; as with the generator, a
 * block begins with an empty server and ends when the last of its requests is answered. */
#include "base/rng.h"
#include "judge/breaking.h"
#include "tests/test.h"

enum {
    DRAWS = 200,
    RIGHT_MIN = 180,
    CONNECTIONS = 1000,
    BLOCKS_MAX = 600,
    REQUESTS_MAX = 1 << 16
};

static const double timeout_s = 10;

struct model {
    enum breaking_mode mode;
    double capacity;  /* answers per second */
    double servers;   /* in flight from which on all are busy */
    double variation; /* of service times: sd / mean; 1 is exponential */
    bool is_even;     /* arrivals without chance */
    double p95_s;     /* the objective */
    double queue_max; /* in the server; more are refused */
    double rate_max;  /* admitted per second, by a bucket of `bucket` tokens */
    double bucket, tokens;
    double peak, sigma, kappa; /* of the law of throughput by requests in flight */
    double base_mb, request_mb, limit_mb;
    double memory_max; /* in the server: one more and it dies */
    bool has_died;
};

/* Answers per second with n in flight. */
static double completions(const struct model *m, double n)
{
    if (!(m->kappa > 0)) return m->capacity * fmin(n, m->servers) / m->servers;
    n = fmin(n, CONNECTIONS);
    double law = n / (1 + m->sigma * (n - 1) + m->kappa * n * (n - 1));
    double top = m->peak / (1 + m->sigma * (m->peak - 1) + m->kappa * m->peak * (m->peak - 1));
    return m->capacity * law / top;
}

/* ---- the truth ---- */

/* Erlang's C: the share that waits, at `load` of the capacity. */
static double share_that_waits(double servers, double load)
{
    double offered = servers * load, b = 1;
    for (double n = 1; n <= servers; n++) b = offered * b / (n + offered * b);
    return b / (1 - load * (1 - b));
}

/* The load at which 5 % of responses take longer than the objective. Waiting times of those
 * who wait are exponential with mean V / (capacity (1 - rho)): exact for exponential
 * service, Kingman's heavy-traffic limit otherwise. */
static double where_p95_breaks(const struct model *m)
{
    double v = ((m->is_even ? 0 : 1) + m->variation * m->variation) / 2;
    double low = 0, high = 1;
    double service_s = m->servers / m->capacity;
    for (int i = 0; i < 50; i++) {
        double rho = (low + high) / 2;
        double wait_s = v / (m->capacity * (1 - rho));
        double p95 = service_s + wait_s * log(20 * share_that_waits(m->servers, rho));
        *(p95 > m->p95_s ? &high : &low) = rho;
    }
    return m->capacity * low;
}

/* A block: 1000 requests, and 5 times the p95 of a server that is not busy. */
static double block_s(const struct model *m, double load)
{
    return fmin(timeout_s, fmax(1000 / load, 5 * log(20) / completions(m, 1)));
}

/* Where Poisson arrivals take an empty server to `top` in flight once in `blocks` blocks, by
 * an even chance, less 3 service times until it is filled. The mean time from n to n + 1 is m(n) = (1 + completions(n) m(n - 1)) / load. */
static double where_it_reaches(const struct model *m, double top, double blocks)
{
    double low = 0, high = 4 * m->capacity;
    for (int i = 0; i < 50; i++) {
        double load = (low + high) / 2, step = 0, sum = 0;
        for (double n = 0; n < top; n++) {
            step = (1 + (n > 0 ? completions(m, n) * step : 0)) / load;
            sum += step;
        }
        *(sum * log(2) < blocks * (block_s(m, load) - 3 / completions(m, 1)) ? &high : &low) =
            load;
    }
    return low;
}

/* The load of which a bucket of tokens refuses 1 %: one that is full of b tokens is an empty
 * queue of constant service with b places, which loses x / (e^(2 x b) - 1) of its load, x =
 * 1 - rho, in heavy traffic. */
static double where_the_bucket_is_empty(const struct model *m)
{
    double low = -0.5, high = 0.5;
    for (int i = 0; i < 50; i++) {
        double x = (low + high) / 2;
        *(x / expm1(2 * x * (m->bucket - 1)) > 0.01 ? &low : &high) = x;
    }
    return m->rate_max * (1 - low);
}

/* The load of which a server with room for `queue_max` refuses 1 % (birth and death). */
static double where_it_refuses(const struct model *m)
{
    double low = 0, high = 4 * m->capacity;
    if (isfinite(m->rate_max)) return where_the_bucket_is_empty(m);
    for (int i = 0; i < 50; i++) {
        double load = (low + high) / 2, p = 1, sum = 1;
        for (double n = 1; n <= m->queue_max; n++) {
            p *= load / completions(m, n);
            sum += p;
        }
        *(p / sum > 0.01 ? &high : &low) = load;
    }
    return low;
}

/* Where a burst takes a server that slows down under load to where a request takes longer
 * than the objective; from there it does not come back. A block in which it does grows at 8
 * times the threshold and more: the mean over blocks is beyond it when one block in 8 does,
 * which is an even chance in 5. */
static double where_it_falls_back(const struct model *m)
{
    double top = m->peak;
    while (top < CONNECTIONS && top < m->p95_s * completions(m, top)) top++;
    return fmin(m->capacity, where_it_reaches(m, top, 5));
}

static double truth(const struct model *m)
{
    switch (m->mode) {
    case BREAKING_ERROR_CLIFF: return fmin(where_p95_breaks(m), where_it_refuses(m));
    case BREAKING_THROUGHPUT_FALLS: return where_it_falls_back(m);
    case BREAKING_MEMORY:
        return fmin(where_p95_breaks(m), where_it_reaches(m, m->memory_max, BREAKING_BLOCKS));
    default: return where_p95_breaks(m);
    }
}

/* ---- the simulation ---- */

static struct tally {
    double block_s;
    size_t scheduled, ok, finished, refused;
    double response[REQUESTS_MAX];
    double sum[3];
    size_t n[3];
} tally;

static void answered(double due_s, double now_s)
{
    double response = now_s - due_s;
    if (response > timeout_s) return;
    tally.response[tally.ok++] = response;
    tally.finished += now_s <= tally.block_s;
    size_t third = (size_t)fmin(2, 3 * due_s / tally.block_s);
    tally.sum[third] += response;
    tally.n[third]++;
}

/* The k-th smallest (Hoare's, as in Wirth 1976). */
static double select_kth(double *x, size_t n, size_t k)
{
    for (ptrdiff_t low = 0, high = (ptrdiff_t)n - 1, at = (ptrdiff_t)k; low < high;) {
        double pivot = x[at];
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            while (x[i] < pivot) i++;
            while (x[j] > pivot) j--;
            if (i > j) break;
            double swap = x[i];
            x[i++] = x[j];
            x[j--] = swap;
        }
        if (j < at) low = i;
        if (at < i) high = j;
    }
    return x[k];
}

static double gap(const struct model *m, double load, struct rng *r)
{
    return (m->is_even ? 1 : rng_exponential(r)) / load;
}

/* Mean 1 and the variation: Erlang's below 1, a mixture of two exponentials above. */
static double service(double variation, struct rng *r)
{
    if (variation == 0) return 1;
    if (variation < 1) {
        int k = (int)lround(1 / (variation * variation));
        double sum = 0;
        for (int i = 0; i < k; i++) sum += rng_exponential(r);
        return sum / k;
    }
    double square = variation * variation;
    double p = (1 + sqrt((square - 1) / (square + 1))) / 2;
    double mean = rng_real(r) < p ? 1 / (2 * p) : 1 / (2 * (1 - p));
    return mean * rng_exponential(r);
}

/* Whoever comes first is served first by the server that is free first. */
static void serve_in_line(const struct model *m, double load, struct rng *r)
{
    static double finish[REQUESTS_MAX];
    double free_at[64] = {0};
    double mean_s = m->servers / m->capacity;
    size_t servers = (size_t)m->servers, n = 0;
    for (double now = gap(m, load, r); now < tally.block_s; now += gap(m, load, r)) {
        size_t first = 0;
        for (size_t i = 1; i < servers; i++) {
            if (free_at[i] < free_at[first]) first = i;
        }
        free_at[first] = fmax(now, free_at[first]) + mean_s * service(m->variation, r);
        finish[n] = free_at[first];
        bool is_unsent = n >= CONNECTIONS && finish[n - CONNECTIONS] > tally.block_s;
        if (!is_unsent) answered(now, finish[n]);
        n++;
    }
    tally.scheduled = n;
}

struct line { /* those in the server and those who wait for a connection */
    double due[REQUESTS_MAX];
    size_t head, tail;
    double tokens_at;
};

static bool is_refused(struct model *m, struct line *l, double now)
{
    double n = (double)(l->tail - l->head);
    m->tokens = fmin(m->bucket, m->tokens + (now - l->tokens_at) * m->rate_max);
    l->tokens_at = now;
    if (n + 1 > m->memory_max) {
        m->has_died = true;
        l->head = l->tail; /* and with it what it had in hand */
    }
    if (m->has_died || n >= m->queue_max) return true;
    if (!isfinite(m->rate_max)) return false;
    if (m->tokens < 1) return true;
    m->tokens--;
    return false;
}

/* By rates: completions(n) a second, each of those in service as likely as the others. */
static double serve_by_rate(struct model *m, double load, struct rng *r)
{
    static struct line l;
    double now = 0, next = gap(m, load, r), most = 0;
    double in_service = m->kappa > 0 ? CONNECTIONS : m->servers;
    l.head = l.tail = 0;
    l.tokens_at = 0;
    while (next < tally.block_s || l.head < l.tail) {
        double n = (double)(l.tail - l.head);
        double done = n > 0 ? now + rng_exponential(r) / completions(m, n) : (double)INFINITY;
        if (next < tally.block_s && next <= done) {
            now = next;
            next += gap(m, load, r);
            tally.scheduled++;
            if (is_refused(m, &l, now))
                tally.refused++;
            else
                l.due[l.tail++] = now;
            most = fmax(most, (double)(l.tail - l.head));
            if (next >= tally.block_s && l.tail > l.head + CONNECTIONS)
                l.tail = l.head + CONNECTIONS; /* the others are never sent */
            continue;
        }
        now = done;
        size_t which = l.head + rng_below(r, (uint64_t)fmin(n, in_service));
        answered(l.due[which], now);
        l.due[which] = l.due[l.head++];
    }
    return m->base_mb + m->request_mb * most;
}

static struct breaking_block simulate(struct model *m, double load, double seconds,
                                      struct rng *r)
{
    bool by_rate = m->mode != BREAKING_QUEUE_GROWTH;
    double memory_mb = NAN;
    tally.block_s = seconds;
    tally.scheduled = tally.ok = tally.finished = tally.refused = 0;
    for (int i = 0; i < 3; i++) tally.sum[i] = 0, tally.n[i] = 0;
    assert_true(2 * load * seconds < REQUESTS_MAX);
    if (by_rate)
        memory_mb = serve_by_rate(m, load, r);
    else
        serve_in_line(m, load, r);
    double scheduled = fmax(1, (double)tally.scheduled);
    bool any = tally.ok > 0;
    return (struct breaking_block){
        .seconds = seconds,
        .scheduled = scheduled,
        .rate = (double)tally.finished / seconds,
        .p50_s = any ? select_kth(tally.response, tally.ok, tally.ok / 2) : (double)NAN,
        .p95_s = any ? select_kth(tally.response, tally.ok, tally.ok * 95 / 100) : (double)NAN,
        .growth_s = tally.n[0] && tally.n[2]
                        ? tally.sum[2] / (double)tally.n[2] - tally.sum[0] / (double)tally.n[0]
                        : (double)NAN,
        .error_share = 1 - (double)tally.ok / scheduled,
        .refused_share = (double)tally.refused / scheduled,
        .memory_mb = m->request_mb > 0 ? memory_mb : (double)NAN,
        .has_died = m->has_died,
    };
}

static double between(double low, double high, struct rng *r)
{
    return low * pow(high / low, rng_real(r));
}

static void draw_memory(struct model *m, struct rng *r)
{
    m->memory_max = floor(between(40, 400, r));
    if (rng_below(r, 2)) { /* each is served at once */
        m->servers = CONNECTIONS;
        m->capacity = m->servers / between(0.01, 0.5, r);
        m->memory_max = floor(m->memory_max / 2) + 20;
    }
    m->base_mb = between(20, 200, r);
    m->request_mb = m->base_mb * between(3, 10, r) / m->memory_max;
    m->limit_mb = m->base_mb + m->request_mb * m->memory_max;
}

static struct model draw(enum breaking_mode mode, struct rng *r)
{
    static const double variations[] = {0, 0.5, 1, 1.5};
    struct model m = {.mode = mode,
                      .variation = 1,
                      .queue_max = INFINITY,
                      .rate_max = INFINITY,
                      .memory_max = INFINITY};
    m.capacity = between(20, 2000, r);
    m.servers = fmin(floor(between(1, 33, r)), ceil(m.capacity / 2)); /* half a second each */
    if (mode == BREAKING_QUEUE_GROWTH) {
        m.variation = variations[rng_below(r, COUNT(variations))];
        m.is_even = rng_below(r, 4) == 0;
    }
    if (mode == BREAKING_ERROR_CLIFF) {
        if (rng_below(r, 3) > 0) {
            m.queue_max = m.servers + floor(between(5, 300, r));
        } else {
            m.rate_max = m.capacity * (0.3 + 0.5 * rng_real(r));
            m.bucket = between(15, 60, r);
        }
    }
    if (mode == BREAKING_MEMORY) draw_memory(&m, r);
    if (mode == BREAKING_THROUGHPUT_FALLS) {
        m.peak = floor(between(8, 80, r));
        m.sigma = 0.1 * rng_real(r);
        m.kappa = (1 - m.sigma) / (m.peak * m.peak);
    }
    m.p95_s = between(10, 50, r) / completions(&m, 1);
    return m;
}

/* The search as the program does it: measures what it asks for until it is done. */
static struct breaking_answer search(struct model *m, double normal, double max, struct rng *r)
{
    static struct breaking_block blocks[BLOCKS_MAX];
    struct breaking_level levels[2 * BREAKING_LEVELS_MAX];
    size_t count = 0, used = 0;
    struct breaking_terms terms = {.error_share = 0.01,
                                   .normal = normal,
                                   .max = max,
                                   .p95_s = m->p95_s,
                                   .seconds_min = 0.01,
                                   .seconds_max = timeout_s,
                                   .memory_limit_mb = m->limit_mb};
    for (;;) {
        struct breaking_answer a;
        breaking_ask(levels, count, &terms, &a);
        if (a.step != BREAKING_MEASURE) return a;
        assert_true(count < COUNT(levels) && used + a.next_blocks <= BLOCKS_MAX);
        assert_true(a.next_load <= max);
        levels[count] = (struct breaking_level){.load = a.next_load, .blocks = &blocks[used]};
        for (size_t i = 0; i < a.next_blocks; i++) {
            m->has_died = false; /* it is started again */
            blocks[used++] = simulate(m, a.next_load, a.next_seconds, r);
            levels[count].count++;
        }
        count++;
    }
}

static void is_found(enum breaking_mode mode)
{
    int right = 0, placed = 0, named = 0, between = 0;
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        struct rng r = rng_seeded(rng_derive(77, (uint64_t)mode, seed));
        struct model m = draw(mode, &r);
        double is = truth(&m);
        double normal = is * (0.05 + 0.25 * rng_real(&r));
        struct breaking_answer a = search(&m, normal, 50 * is, &r);
        bool is_near = a.has_broken && fabs(a.point / is - 1) <= 0.1;
        placed += is_near;
        named += a.mode == mode;
        right += is_near && a.mode == mode;
        between += is >= a.holds / a.precision && is <= a.breaks * a.precision;
        assert_true(a.holds <= a.highest_rate);
        assert_int_equal(a.step, BREAKING_DONE);
        assert_true(a.why.value > a.why.threshold && a.limit.value > a.limit.threshold);
    }
    printf("# %s: %d of %d right (%d placed, %d named, %d between)\n", breaking_mode_name(mode),
           right, DRAWS, placed, named, between);
    assert_true(right >= RIGHT_MIN && between >= RIGHT_MIN);
}

TEST(queue_growth_is_found_and_named)
{
    is_found(BREAKING_QUEUE_GROWTH);
}

TEST(an_error_cliff_is_found_and_named)
{
    is_found(BREAKING_ERROR_CLIFF);
}

TEST(falling_throughput_is_found_and_named)
{
    is_found(BREAKING_THROUGHPUT_FALLS);
}

TEST(running_out_of_memory_is_found_and_named)
{
    is_found(BREAKING_MEMORY);
}

TEST(what_does_not_break_within_the_limits_is_never_said_to)
{
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        struct rng r = rng_seeded(rng_derive(78, 0, seed));
        struct model m = draw(BREAKING_QUEUE_GROWTH + (enum breaking_mode)(seed % 4), &r);
        double is = truth(&m);
        struct breaking_answer a = search(&m, 0.2 * is, 0.8 * is, &r);
        if (a.has_broken)
            fail_msg("draw %d: said to break at %g of %g", (int)seed, a.point, is);
        assert_int_equal(a.mode, BREAKING_NONE);
        assert_close(a.holds / is, 0.8, 1e-12);
        assert_close(a.safe / is, 0.64, 1e-12);
        assert_close(a.headroom, 3, 1e-12);
        assert_true(isnan(a.point) && isinf(a.breaks));
    }
}

/* Without a limit on response times it finds the capacity. */
TEST(the_usual_objective_is_near_the_capacity)
{
    int placed = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct rng r = rng_seeded(rng_derive(79, 0, seed));
        struct model m = draw(BREAKING_QUEUE_GROWTH, &r);
        double normal = m.capacity * (0.05 + 0.25 * rng_real(&r));
        m.p95_s = 0;
        struct breaking_answer a = search(&m, normal, 20 * m.capacity, &r);
        placed += fabs(a.point / m.capacity - 1) <= 0.1;
    }
    assert_true(placed >= 45);
}

/* ---- single answers ---- */

static const struct breaking_block good = {.seconds = 2,
                                           .scheduled = 1000,
                                           .rate = 500,
                                           .p50_s = 0.005,
                                           .p95_s = 0.01,
                                           .memory_mb = NAN};

struct phase {
    struct breaking_block blocks[BREAKING_BLOCKS_MAX];
    struct breaking_level level;
};

/* Blocks that are alike, but for a little noise. */
static struct breaking_level phase(struct phase *p, double load, size_t count,
                                   struct breaking_block like)
{
    for (size_t i = 0; i < count; i++) {
        p->blocks[i] = like;
        p->blocks[i].p95_s *= 1 + 0.001 * (double)(i % 2);
    }
    return (struct breaking_level){.load = load, .blocks = p->blocks, .count = count};
}

/* What the generator could not do is not the server's. */
TEST(spoiled_blocks_do_not_count)
{
    struct breaking_block bad = good;
    bad.p95_s = 9;
    bad.error_share = 1;
    bad.is_spoiled = true;
    struct phase p[2];
    struct breaking_level levels[] = {phase(&p[0], 100, 5, good), phase(&p[1], 200, 5, bad)};
    struct breaking_terms terms = {.error_share = 0.01, .normal = 100, .max = 1000};
    struct breaking_answer a;
    breaking_ask(levels, 2, &terms, &a);
    assert_int_equal(a.step, BREAKING_MEASURE);
    assert_close(a.next_load, 200, 1e-12);
    levels[1] = phase(&p[1], 200, 10, bad);
    breaking_ask(levels, 2, &terms, &a);
    assert_int_equal(a.step, BREAKING_SPOILED);
    assert_close(a.next_load, 200, 1e-12);
    assert_false(a.has_broken);
    assert_close(a.holds, 100, 1e-12);
}

/* Nobody means 1 % who allows none. */
TEST(an_objective_of_no_errors_allows_none)
{
    struct breaking_block few = good;
    few.error_share = 0.005;
    struct phase p[2];
    struct breaking_level levels[] = {phase(&p[0], 100, 5, good), phase(&p[1], 200, 5, few)};
    struct breaking_terms terms = {.error_share = 0.01, .normal = 100, .max = 200};
    struct breaking_answer a;
    breaking_ask(levels, 2, &terms, &a);
    assert_false(a.has_broken);
    assert_close(a.holds, 200, 1e-12);
    terms.error_share = 0;
    breaking_ask(levels, 2, &terms, &a);
    assert_true(a.has_broken);
    assert_close(a.holds, 100, 1e-12);
}

/* A flood that the generator cannot send leaves the break as it is. */
TEST(a_break_stands_without_the_flood)
{
    struct breaking_block bad = good, spoiled = good;
    bad.p95_s = 1;
    spoiled.is_spoiled = true;
    struct phase p[3];
    struct breaking_level levels[] = {phase(&p[0], 100, 5, good), phase(&p[1], 104, 5, bad),
                                      phase(&p[2], 208, 10, spoiled)};
    struct breaking_terms terms = {.error_share = 0.01, .normal = 100, .max = 1000};
    struct breaking_answer a;
    breaking_ask(levels, 2, &terms, &a);
    assert_int_equal(a.step, BREAKING_MEASURE);
    assert_close(a.next_load, 208, 0);
    levels[1].load = 110; /* not near enough yet */
    breaking_ask(levels, 2, &terms, &a);
    assert_close(a.next_load, sqrt(100 * 110), 1e-12);
    levels[1].load = 104;
    breaking_ask(levels, 3, &terms, &a);
    assert_int_equal(a.step, BREAKING_DONE);
    assert_true(a.has_broken);
    assert_int_equal(a.mode, BREAKING_SLOW_ANSWERS); /* it keeps up: nothing piles up */
    assert_string_equal(a.why.rule, "p95");
    assert_true(a.why.value > a.why.threshold);
    /* and one between what holds and what breaks ends the search where it is */
    struct breaking_level wide[] = {phase(&p[0], 100, 5, good), phase(&p[2], 141, 10, spoiled),
                                    phase(&p[1], 200, 5, bad)};
    terms.max = 200;
    breaking_ask(wide, 3, &terms, &a);
    assert_int_equal(a.step, BREAKING_DONE);
    assert_close(a.holds, 100, 0);
    assert_close(a.breaks, 200, 0);
}

/* A search that was killed goes on with what is stored, in whatever order and pieces. */
TEST(a_search_is_a_function_of_its_blocks)
{
    struct breaking_block bad = good;
    bad.p95_s = 1;
    struct phase p[4];
    struct breaking_level levels[] = {phase(&p[0], 400, 5, bad), phase(&p[1], 200, 2, good),
                                      phase(&p[2], 100, 5, good), phase(&p[3], 200, 3, good)};
    struct breaking_terms terms = {.error_share = 0.01, .normal = 100, .max = 1000};
    struct breaking_answer a;
    breaking_ask(NULL, 0, &terms, &a);
    assert_int_equal(a.step, BREAKING_MEASURE);
    assert_close(a.next_load, 100, 0);
    assert_close(a.next_seconds, 10, 0);
    assert_int_equal(a.next_blocks, BREAKING_BLOCKS);
    breaking_ask(levels, 2, &terms, &a);
    assert_close(a.next_load, 100, 0); /* the objective comes from there */
    breaking_ask(levels, 3, &terms, &a);
    assert_close(a.next_load, 200, 0); /* three blocks are missing there */
    assert_close(a.next_seconds, 2, 0);
    breaking_ask(levels, 4, &terms, &a);
    assert_int_equal(a.step, BREAKING_MEASURE);
    assert_close(a.next_load, sqrt(200 * 400), 1e-12);
    assert_close(a.objective_s, 0.1, 1e-3);
    assert_close(a.next_seconds, 1000 / sqrt(200 * 400), 1e-12);
}

/* Blocks that do not tell are measured on, up to a limit. */
TEST(near_the_limit_more_blocks_are_asked_for)
{
    struct phase p;
    struct breaking_level level = phase(&p, 100, 5, good);
    struct breaking_terms terms = {
        .error_share = 0.01, .normal = 100, .max = 100, .p95_s = 0.011};
    struct breaking_answer a;
    for (size_t i = 0; i < BREAKING_BLOCKS_MAX; i++) {
        p.blocks[i] = good;
        if (i % 3 == 0) p.blocks[i].p95_s = 0.0125; /* mean 0.0109 */
    }
    for (level.count = 5; level.count < BREAKING_BLOCKS_MAX; level.count += 5) {
        breaking_ask(&level, 1, &terms, &a);
        assert_int_equal(a.step, BREAKING_MEASURE);
        assert_close(a.next_load, 100, 0);
    }
    breaking_ask(&level, 1, &terms, &a);
    assert_int_equal(a.step, BREAKING_DONE);
    assert_true(a.is_near && !a.has_broken);
    terms.p95_s = 0.02;
    breaking_ask(&level, 1, &terms, &a);
    assert_false(a.is_near || a.has_broken);
}

/* Who has no time for more gets the side of the mean, and is told so. */
TEST(a_short_search_looks_once_and_marks_what_is_near)
{
    struct phase p[2];
    struct breaking_level levels[] = {phase(&p[0], 100, 5, good), phase(&p[1], 200, 5, good)};
    struct breaking_terms terms = {.error_share = 0.01, .normal = 100, .max = 200};
    struct breaking_answer a;
    for (size_t i = 0; i < 5; i++) p[1].blocks[i].p95_s = i % 2 ? 0.001 : 0.25; /* limit 0.1 */
    breaking_ask(levels, 2, &terms, &a);
    assert_int_equal(a.step, BREAKING_MEASURE);
    assert_close(a.next_load, 200, 1e-12);
    terms.blocks_max = BREAKING_BLOCKS;
    terms.precision = 2.5;
    breaking_ask(levels, 2, &terms, &a);
    assert_int_equal(a.step, BREAKING_DONE);
    assert_true(a.has_broken && a.is_near);
    assert_close(a.breaks, 200, 1e-12);
    assert_close(a.precision, 2.5, 1e-12);
}

/* The rules, their values and their thresholds. */
TEST(the_mode_has_its_evidence)
{
    static const struct {
        struct breaking_block flood;
        enum breaking_mode mode;
        const char *why, *limit;
        double value;
    } rows[] = {
        {{.rate = 500, .p95_s = 1, .memory_mb = 50},
         BREAKING_QUEUE_GROWTH,
         "load_of_rate",
         "p95",
         2},
        {{.rate = 500, .p95_s = 0.01, .growth_s = 1, .memory_mb = 50},
         BREAKING_QUEUE_GROWTH,
         "load_of_rate",
         "growth",
         2},
        /* All but 1 % is answered in time: it keeps up, though late. */
        {{.rate = 990, .p95_s = 1, .memory_mb = 50},
         BREAKING_SLOW_ANSWERS,
         "p95",
         "p95",
         1.0004}, /* blocks vary */
        {{.rate = 250, .p95_s = 1, .memory_mb = 50},
         BREAKING_THROUGHPUT_FALLS,
         "fall_from_highest_rate",
         "p95",
         0.5},
        {{.rate = 250,
          .p95_s = 0.01,
          .error_share = 0.5,
          .refused_share = 0.4,
          .memory_mb = 50},
         BREAKING_ERROR_CLIFF,
         "refused_share",
         "errors",
         0.4},
        {{.rate = 250, .p95_s = 1, .refused_share = 0.4, .error_share = 0.4, .memory_mb = 95},
         BREAKING_MEMORY,
         "memory_of_limit",
         "errors",
         0.95},
        {{.rate = 250, .p95_s = 1, .memory_mb = 80, .has_died = true},
         BREAKING_MEMORY,
         "memory_growth_when_it_died",
         "died",
         4},
    };
    struct breaking_terms terms = {.error_share = 0.01,
                                   .normal = 490,
                                   .max = 1000,
                                   .p95_s = 0.1,
                                   .memory_limit_mb = 100,
                                   .precision = 3};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct breaking_block calm = good, flood = rows[i].flood;
        calm.memory_mb = 20;
        flood.seconds = 2;
        flood.p50_s = 0.01;
        flood.scheduled = 2000;
        struct phase p[2];
        struct breaking_level levels[] = {phase(&p[0], 490, 5, calm),
                                          phase(&p[1], 1000, 5, flood)};
        struct breaking_answer a;
        breaking_ask(levels, 2, &terms, &a);
        assert_int_equal(a.step, BREAKING_DONE);
        assert_string_equal(breaking_mode_name(a.mode), breaking_mode_name(rows[i].mode));
        assert_string_equal(a.why.rule, rows[i].why);
        assert_close(a.why.value, rows[i].value, 1e-12);
        assert_string_equal(a.limit.rule, rows[i].limit);
        /* It answered no more than this, whatever lies between 490 and 1000. */
        double most = fmax(500, rows[i].flood.rate);
        assert_close(a.point, rows[i].flood.has_died ? 700 : fmin(most, 700), 1e-12);
        assert_close(a.knee, 490, 0);
    }
}

TEST(a_normal_load_that_breaks_is_halved)
{
    struct breaking_block bad = good;
    bad.error_share = 0.5;
    bad.refused_share = 0.5;
    struct phase p[8];
    struct breaking_level levels[8];
    struct breaking_terms terms = {.error_share = 0.01, .normal = 640, .max = 640};
    struct breaking_answer a;
    for (size_t i = 0; i < 7; i++) {
        levels[i] = phase(&p[i], 640 / (double)(1 << i), 5, bad);
        breaking_ask(levels, i + 1, &terms, &a);
        if (i == 6) break;
        assert_int_equal(a.step, BREAKING_MEASURE);
        assert_close(a.next_load, 320 / (double)(1 << i), 1e-12);
    }
    assert_int_equal(a.step, BREAKING_DONE);
    assert_true(a.has_broken);
    assert_close(a.holds, 0, 0);
    assert_close(a.point, 10, 0);
    assert_close(a.headroom, -1, 0);
}

/* 1000 more than it answers for a second are a queue of 2 s at 500 to spare. */
TEST(a_way_back_longer_than_its_queue_is_the_failure)
{
    static const struct {
        enum breaking_mode before, after;
        double recovery_s, left_s;
    } rows[] = {{BREAKING_QUEUE_GROWTH, BREAKING_QUEUE_GROWTH, 3.9, 10},
                {BREAKING_QUEUE_GROWTH, BREAKING_SLOW_RECOVERY, 4.1, 10},
                {BREAKING_QUEUE_GROWTH, BREAKING_SLOW_RECOVERY, INFINITY, 10},
                {BREAKING_QUEUE_GROWTH, BREAKING_QUEUE_GROWTH, INFINITY, 3}, /* not known */
                {BREAKING_ERROR_CLIFF, BREAKING_ERROR_CLIFF, INFINITY, 10},
                {BREAKING_QUEUE_GROWTH, BREAKING_QUEUE_GROWTH, NAN, 10}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct breaking_answer a = {.mode = rows[i].before, .highest_rate = 1000};
        struct breaking_recovery r = {.rest = 500,
                                      .load = 2000,
                                      .flood_s = 1,
                                      .recovery_s = rows[i].recovery_s,
                                      .left_s = rows[i].left_s,
                                      .grain_s = 0.01};
        breaking_note_recovery(&a, &r);
        assert_string_equal(breaking_mode_name(a.mode), breaking_mode_name(rows[i].after));
        r.grain_s = 1; /* too coarse to tell 2 s from 4.1 s */
        a.mode = BREAKING_QUEUE_GROWTH;
        r.recovery_s = 4.1;
        breaking_note_recovery(&a, &r);
        assert_int_equal(a.mode, BREAKING_QUEUE_GROWTH);
    }
}

TEST_MAIN(T(a_way_back_longer_than_its_queue_is_the_failure), T(spoiled_blocks_do_not_count),
          T(an_objective_of_no_errors_allows_none), T(a_break_stands_without_the_flood),
          T(a_search_is_a_function_of_its_blocks), T(near_the_limit_more_blocks_are_asked_for),
          T(a_short_search_looks_once_and_marks_what_is_near), T(the_mode_has_its_evidence),
          T(a_normal_load_that_breaks_is_halved),
          T(what_does_not_break_within_the_limits_is_never_said_to),
          T(the_usual_objective_is_near_the_capacity), T(queue_growth_is_found_and_named),
          T(an_error_cliff_is_found_and_named), T(falling_throughput_is_found_and_named),
          T(running_out_of_memory_is_found_and_named))
