/* load.h - loads a server, block by block, and reports what came back.
 *
 * Each worker is a thread with its own connections, its own epoll set and its own
 * histograms; nothing is shared but the plan and a stop flag, and nothing is allocated
 * while it runs. Connections live from block to block; a block ends when the last request
 * that was due in it has been answered, has failed or has timed out.
 *
 * Open load follows a schedule: a request is due whether or not the server has answered the
 * ones before, and its *response* time counts from the moment it was due, so that a stalled
 * server is charged for the requests it kept waiting. Its *service* time counts from the
 * send. Where all connections are busy, requests wait and keep their moment; no queue is
 * needed, since the schedule can be drawn at any pace. Closed load keeps a number of
 * requests in flight; there both times are the same. A request that is given up has taken
 * until then at least, and counts in both times with that: else a server that begins to hang
 * would look faster. What failed otherwise has no time.
 *
 *     scheduled = sent + unsent      sent = ok + failed + timed_out + cancelled
 *
 * The generator judges itself: `saturated` where it could not send on time (the 99th
 * percentile of its lag, of fewer than 100 sends the second largest, is beyond 1 ms and 5 % of
 * the gap, or a worker used more than 90 % of a processor), `skewed` where what it sent is not what was drawn, in number (unless requests
 * had to wait for the server) or in the gaps. Such results say more
 * about the generator than about the server. */
#ifndef LOAD_LOAD_H
#define LOAD_LOAD_H

#include "load/course.h"
#include "load/kept.h"
#include "load/schedule.h"
#include "load/target.h"
#include "stats/hdr.h"

#include <stdatomic.h>

enum {
    LOAD_CONNECTIONS_MAX = 100000,
    LOAD_THREADS_MAX = 64,
    LOAD_LATENCY_MAX_S = 3600,
};

enum load_failure {
    LOAD_NO_CONNECTION, /* refused, unreachable, out of ports; TLS without agreement */
    LOAD_RESET,         /* the connection broke before the reply was whole */
    LOAD_BAD_REPLY,     /* not HTTP, or headers without end */
    LOAD_BAD_STATUS,    /* 400 and above, but for 429 */
    LOAD_TOO_MANY,      /* 429 */
    LOAD_FAILURES,
};
const char *load_failure_name(enum load_failure f);

enum generator_verdict { GENERATOR_OK, GENERATOR_SATURATED, GENERATOR_SKEWED };

struct load_plan {
    const struct target *target;
    const struct str *requests; /* bytes as sent; sent in turn */
    size_t request_count;
    size_t connections; /* closed: in flight; open: at most */
    size_t threads;     /* 0: 1; never more than connections */
    size_t kept_max;    /* answers of a block that are kept (kept.h) */
    double timeout_s;
    const char *ca_file; /* of https: load/tls.h */
    bool trusts_everybody;
};

struct load_counts {
    int64_t scheduled, unsent, sent;
    int64_t ok, failed, timed_out, cancelled;
    int64_t by_failure[LOAD_FAILURES];
    int64_t finished; /* of ok: answered before the block's time was over */
    int64_t within;   /* of ok: within the objective */
    int64_t over_ns;  /* from the end of the block's time to the ends of requests, summed */
    int64_t again;    /* requests that ended on a connection after its first, */
    int64_t again_ok; /* good ones of these, */
    int64_t again_ns; /* and from the first end to the last of each connection, summed */
    int64_t connects; /* connections opened */
    int64_t bytes;    /* received */
    int64_t tokens;   /* of good answers that were streams (load/token_scan.h) */
    int64_t turns;    /* of good answers: a conversation has several; of requests: as ok */
};

struct load_result {
    double length_s; /* as asked for */
    struct load_counts counts;
    struct hdr response; /* ns, of good answers and time-outs; until the load's next block */
    struct hdr service;
    struct hdr lag; /* ns between the moment a send was possible and due, and the send */
    struct hdr first_token; /* ns from due to the first token, of good answers */
    struct hdr token_gap;   /* ns between tokens, of all streams */
    struct course course;
    int64_t fault_ns;        /* that `live` was told of; 0: none */
    double fault_s;          /* from the begin to it; NaN */
    int64_t most_in_flight;  /* at once; of several threads the sum of each one's */
    const struct kept *kept; /* of each thread; of the load, until its next block */
    size_t kept_count;
    double rate;          /* good answers per second (load_internal.h) */
    double cpu_s;         /* of the workers; NaN: not known (load/pool.h) */
    double busiest;       /* share of a processor that the busiest worker used; NaN */
    double retry_after_s; /* largest that a 429 or 503 asked for; NaN: none did */
    enum generator_verdict verdict;
    char reason[120]; /* of a verdict that is not ok */
    char error[160];  /* of the first failure; "" without one */
};

/* Counters that others may read while it runs. */
struct load_live {
    _Atomic int64_t sent, ok, failed, in_flight;
    _Atomic bool stop;        /* set it to end early: what is in flight is cancelled */
    _Atomic int64_t fault_ns; /* set it at the moment of a fault (clock_ns); 0: none yet */
};

struct load;

/* Without changing anything: would the limit of open files allow so many connections?
 * ERROR_UNAVAILABLE, saying what is needed. */
MUST_USE bool load_has_room(size_t connections, struct error *err);

/* The plan and what it points to must stay. Fails where it cannot start: too few
 * descriptors, no library for https. */
MUST_USE bool load_open(struct load **load, const struct load_plan *plan, struct arena *out,
                        struct error *err);
void load_close(struct load *load); /* NULL is closed already */

struct load_block {
    const struct schedule_plan *schedule; /* NULL: closed load */
    double length_s;
    int64_t begin_ns;       /* clock_ns; 0, or over already: as soon as all threads are ready */
    int64_t objective_ns;   /* of response times */
    uint64_t seed;          /* draws the answers that are kept */
    struct load_live *live; /* may be NULL */
};
MUST_USE bool load_block(struct load *load, const struct load_block *block,
                         struct load_result *result, struct error *err);

#endif
