/* load.h - loads a server for a while and reports what came back.
 *
 * Each worker is a thread with its own connections, its own epoll set and its own
 * histograms; nothing is shared but the plan and a stop flag, and nothing is allocated
 * while it runs.
 *
 * Open load follows a schedule: a request is due whether or not the server has answered the
 * ones before, and its *response* time counts from the moment it was due, so that a stalled
 * server is charged for the requests it kept waiting. Its *service* time counts from the
 * send. Where all connections are busy, requests wait and keep their moment; no queue is
 * needed, since the schedule can be drawn at any pace. Closed load keeps a number of
 * requests in flight; there both times are the same.
 *
 *     scheduled = sent + unsent      sent = ok + failed + timed_out + cancelled
 *
 * The generator judges itself: `saturated` where it could not send on time (the 99th
 * percentile of its lag is beyond 1 ms and 5 % of the gap, or a worker used more than 90 %
 * of a processor), `skewed` where what it sent is not what was drawn. Such results say more
 * about the generator than about the server. */
#ifndef LOAD_LOAD_H
#define LOAD_LOAD_H

#include "load/schedule.h"
#include "load/target.h"
#include "stats/hdr.h"

#include <stdatomic.h>

enum {
    LOAD_BLOCKS_MAX = 100,
    LOAD_CONNECTIONS_MAX = 100000,
    LOAD_THREADS_MAX = 64,
    LOAD_HEADER_MAX = 64 << 10,
    LOAD_LATENCY_MAX_S = 3600,
};

enum load_failure {
    LOAD_NO_CONNECTION, /* refused, unreachable, out of ports */
    LOAD_RESET,         /* the connection broke before the reply was whole */
    LOAD_BAD_REPLY,     /* not HTTP, or headers without end */
    LOAD_BAD_STATUS,    /* 400 and above, but for 429 */
    LOAD_TOO_MANY,      /* 429 */
    LOAD_FAILURES,
};
const char *load_failure_name(enum load_failure f);

enum generator_verdict { GENERATOR_OK, GENERATOR_SATURATED, GENERATOR_SKEWED };
const char *generator_verdict_name(enum generator_verdict v);

struct load_plan {
    const struct target *target;
    const struct str *requests; /* bytes as sent; sent in turn */
    size_t request_count;
    const struct schedule_plan *schedule; /* NULL: closed load */
    double length_s;
    size_t connections; /* closed: in flight; open: at most */
    size_t threads;     /* 0: 1 */
    double timeout_s;
    size_t blocks; /* the time is cut into so many; 0: 1 */
};

struct load_counts {
    int64_t scheduled, unsent, sent;
    int64_t ok, failed, timed_out, cancelled;
    int64_t by_failure[LOAD_FAILURES];
    int64_t connects; /* connections opened */
    int64_t bytes;    /* received */
};

/* Requests that were due in it (closed: sent in it). */
struct load_block {
    struct load_counts counts;
    int64_t finished;    /* answers that came within its time, whenever they were due */
    struct hdr response; /* ns, of good answers */
    struct hdr service;
};

struct load_result {
    struct load_counts counts;
    struct load_block *blocks;
    size_t block_count;
    struct hdr response; /* all blocks together */
    struct hdr service;
    struct hdr lag; /* ns between the moment a send was possible and due, and the send */
    double length_s;
    double rate; /* good answers per second, within the time */
    double cpu_s;
    double busiest;       /* share of a processor that the busiest worker used */
    double retry_after_s; /* largest that a 429 or 503 asked for; NaN: none did */
    enum generator_verdict verdict;
    const char *reason; /* of a verdict that is not ok, for people */
    char error[160];    /* the first failure's, "" without one */
};

/* Counters that others may read while it runs. */
struct load_live {
    _Atomic int64_t sent, ok, failed, in_flight;
    _Atomic bool stop; /* set it to end early: what is in flight is cancelled */
};

/* Runs to the end of the plan. `live` may be NULL. Fails where it cannot start: no
 * descriptors, no memory. */
MUST_USE bool load_run(const struct load_plan *plan, struct load_live *live, struct arena *out,
                       struct load_result *result, struct error *err);

#endif
