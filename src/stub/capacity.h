/* capacity.h - a server of known capacity, in virtual time.
 *
 * Requests queue for `servers`, first come, first served. Which server is free first is
 * known when a request arrives, and so is the moment at which its service will be over:
 * capacity_arrive works it out at once, without a thread or a timer, and the caller answers
 * at that moment. The schedule is the truth: an answer may leave later than it says, where
 * the machine is busy, but never earlier.
 *
 * The service time is drawn (stub/draw.h) in the order of arrival and grows with the number
 * n in flight, the request itself counted, by 1 + contention (n - 1) + coherence n (n - 1).
 * N clients in a closed loop then get the throughput of the Universal Scalability Law
 * (Gunther 1993),
 *
 *     X(N) = min(N, servers) / (service (1 + contention (N - 1) + coherence N (N - 1)))
 *
 * Nothing is worked on during a stall: every `stall_every_ns`, counted from the start, for
 * `stall_ns`; the first begins after one period.
 *
 * A client that hangs up does not give back its place. */
#ifndef STUB_CAPACITY_H
#define STUB_CAPACITY_H

#include "base/arena.h"
#include "stub/draw.h"

enum {
    CAPACITY_SERVERS_MAX = 1 << 16,
    CAPACITY_IN_FLIGHT_MAX = 1 << 17,
    CAPACITY_RATE_MAX = 1 << 20
};

struct capacity_plan {
    int64_t servers; /* 0 = as many as are needed */
    struct draw service_ms;
    double contention;
    double coherence;
    int64_t queue_limit;     /* requests that may wait for a server; -1 = any number */
    int64_t cliff_in_flight; /* with so many in flight another one fails; 0 = none */
    int64_t cliff_rate;      /* all fail that follow so many within a second; 0 = none */
    int64_t stall_every_ns;  /* 0 = never */
    int64_t stall_ns;        /* less than every */
    uint64_t seed;
};

enum capacity_outcome {
    CAPACITY_SERVED,
    CAPACITY_QUEUE_FULL,
    CAPACITY_CLIFF,
    CAPACITY_OUTCOMES
};

struct capacity_heap { /* the least is first */
    int64_t *items;
    size_t count;
};

struct capacity {
    struct capacity_plan plan;
    int64_t start_ns;
    struct rng rng;
    struct capacity_heap free_at; /* of each server */
    struct capacity_heap ends;    /* of all in flight */
    int64_t *recent;              /* the last cliff_rate arrivals, a ring */
    int64_t arrived;
    int64_t outcomes[CAPACITY_OUTCOMES];
    size_t most_in_flight;
};

void capacity_init(struct capacity *c, const struct capacity_plan *plan, int64_t start_ns,
                   struct arena *out);

/* A request that arrives at `at_ns`, not before the one before it. The answer, good or not,
 * is due at *due_ns. */
enum capacity_outcome capacity_arrive(struct capacity *c, int64_t at_ns, int64_t *due_ns);

/* How many are waiting or served at `at_ns`. */
size_t capacity_in_flight(struct capacity *c, int64_t at_ns);

/* at_ns, or the end of the stall that it falls into. */
int64_t capacity_after_stall(const struct capacity *c, int64_t at_ns);

/* Requests a second that it can serve when it is not slowed down by their number, stalls
 * counted; NaN = no limit. */
double capacity_per_s(const struct capacity_plan *plan);

#endif
