/* The moment at which work begun at t is over, with stalls: let W(t) be the working time
 * that has passed by t. Work of w that begins at t ends where W reaches W(t) + w, or just
 * after the stall if it reaches it there: both directions are closed formulas in whole
 * nanoseconds, so that a test can compute the same. */
#include "stub/capacity.h"

#include <math.h>

/* ---- heap ---- */

static void heap_push(struct capacity_heap *h, int64_t value)
{
    size_t at = h->count++;
    for (; at > 0 && h->items[(at - 1) / 2] > value; at = (at - 1) / 2) {
        h->items[at] = h->items[(at - 1) / 2];
    }
    h->items[at] = value;
}

static int64_t heap_pop(struct capacity_heap *h)
{
    int64_t least = h->items[0];
    int64_t last = h->items[--h->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= h->count) break;
        if (child + 1 < h->count && h->items[child + 1] < h->items[child]) child++;
        if (h->items[child] >= last) break;
        h->items[at] = h->items[child];
        at = child;
    }
    h->items[at] = last;
    return least;
}

/* ---- stalls ---- */

static int64_t working_time(const struct capacity_plan *p, int64_t t)
{
    int64_t stalls = t / p->stall_every_ns; /* begun by t */
    if (stalls == 0) return t;
    int64_t into = t - stalls * p->stall_every_ns;
    return t - (stalls - 1) * p->stall_ns - (into < p->stall_ns ? into : p->stall_ns);
}

/* The last moment at which the working time is w. */
static int64_t moment(const struct capacity_plan *p, int64_t w)
{
    if (w < p->stall_every_ns) return w;
    int64_t more = w - p->stall_every_ns;
    int64_t stalls = 1 + more / (p->stall_every_ns - p->stall_ns);
    return w + stalls * p->stall_ns;
}

static int64_t finish(const struct capacity *c, int64_t at_ns, int64_t work_ns)
{
    const struct capacity_plan *p = &c->plan;
    if (p->stall_ns == 0) return at_ns + work_ns;
    return c->start_ns + moment(p, working_time(p, at_ns - c->start_ns) + work_ns);
}

int64_t capacity_after_stall(const struct capacity *c, int64_t at_ns)
{
    return finish(c, at_ns, 0);
}

/* ---- requests ---- */

void capacity_init(struct capacity *c, const struct capacity_plan *plan, int64_t start_ns,
                   struct arena *out)
{
    CHECK(plan->servers >= 0 && plan->servers <= CAPACITY_SERVERS_MAX);
    CHECK(plan->cliff_rate >= 0 && plan->cliff_rate <= CAPACITY_RATE_MAX);
    CHECK(plan->stall_ns == 0 || plan->stall_ns < plan->stall_every_ns);
    *c = (struct capacity){.plan = *plan, .start_ns = start_ns, .rng = rng_seeded(plan->seed)};
    c->free_at.items = arena_new(out, int64_t, (size_t)plan->servers + 1);
    for (int64_t i = 0; i < plan->servers; i++) heap_push(&c->free_at, start_ns);
    c->ends.items = arena_new(out, int64_t, CAPACITY_IN_FLIGHT_MAX);
    c->recent = arena_new(out, int64_t, (size_t)plan->cliff_rate + 1);
}

size_t capacity_in_flight(struct capacity *c, int64_t at_ns)
{
    while (c->ends.count > 0 && c->ends.items[0] <= at_ns) (void)heap_pop(&c->ends);
    return c->ends.count;
}

/* Did cliff_rate requests arrive within the second before this one? Those that failed
 * count: a cliff ends when the load goes back, not when the server refuses enough of it. */
static bool is_beyond_rate(struct capacity *c, int64_t at_ns)
{
    int64_t rate = c->plan.cliff_rate;
    if (rate == 0) return false;
    int64_t *slot = &c->recent[c->arrived % rate];
    bool is_beyond = c->arrived >= rate && at_ns - *slot < 1000000000;
    *slot = at_ns;
    return is_beyond;
}

static enum capacity_outcome outcome_of(struct capacity *c, size_t in_flight, int64_t at_ns)
{
    const struct capacity_plan *p = &c->plan;
    if (is_beyond_rate(c, at_ns)) return CAPACITY_CLIFF;
    if (p->cliff_in_flight > 0 && in_flight >= (size_t)p->cliff_in_flight)
        return CAPACITY_CLIFF;
    bool is_full = p->servers > 0 && p->queue_limit >= 0 &&
                   in_flight >= (size_t)(p->servers + p->queue_limit);
    return is_full || in_flight == CAPACITY_IN_FLIGHT_MAX ? CAPACITY_QUEUE_FULL
                                                          : CAPACITY_SERVED;
}

enum capacity_outcome capacity_arrive(struct capacity *c, int64_t at_ns, int64_t *due_ns)
{
    const struct capacity_plan *p = &c->plan;
    size_t in_flight = capacity_in_flight(c, at_ns);
    enum capacity_outcome outcome = outcome_of(c, in_flight, at_ns);
    c->arrived++;
    c->outcomes[outcome]++;
    *due_ns = capacity_after_stall(c, at_ns);
    if (outcome != CAPACITY_SERVED) return outcome;
    double n = (double)in_flight + 1;
    double slower = 1 + p->contention * (n - 1) + p->coherence * n * (n - 1);
    double work_ns = fmin(draw_next(&p->service_ms, &c->rng) * 1e6 * slower, 1e17);
    int64_t begin_ns = at_ns;
    if (p->servers > 0) {
        int64_t free_ns = heap_pop(&c->free_at);
        if (free_ns > begin_ns) begin_ns = free_ns;
    }
    *due_ns = finish(c, begin_ns, (int64_t)work_ns);
    if (p->servers > 0) heap_push(&c->free_at, *due_ns);
    heap_push(&c->ends, *due_ns);
    if (c->ends.count > c->most_in_flight) c->most_in_flight = c->ends.count;
    return CAPACITY_SERVED;
}

double capacity_per_s(const struct capacity_plan *plan)
{
    double mean_s = draw_mean(&plan->service_ms) / 1e3;
    if (plan->servers == 0 || !(mean_s > 0)) return NAN;
    double works = 1;
    if (plan->stall_ns > 0) works -= (double)plan->stall_ns / (double)plan->stall_every_ns;
    return works * (double)plan->servers / mean_s;
}
