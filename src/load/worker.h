/* worker.h - one thread of a load: its connections, its epoll set, its counts. */
#ifndef LOAD_WORKER_H
#define LOAD_WORKER_H

#include "load/load.h"
#include "load/tls.h"

struct worker {
    const struct load_plan *plan;
    struct tls *tls;    /* shared; NULL: http */
    size_t index, of;   /* it sends every of-th moment of the schedule */
    size_t connections; /* its share */
    struct kept *kept;
    struct worker_state *state;

    /* Of the block to come. */
    const struct schedule_plan *schedule;
    struct load_live *live; /* never NULL */
    int64_t begin_ns;       /* the same for all workers */
    int64_t end_ns;
    int64_t objective_ns;

    /* Of the block that was. */
    struct load_counts counts;
    struct hdr response, service, lag, first_token, token_gap;
    struct course course;
    int64_t most_in_flight;
    int64_t first_ns; /* when the first good answer had come; 0: none came */
    double cpu_s;
    double elapsed_s;
    double retry_after_s;
    double *gaps; /* of the first sends, in units of the mean gap; for the gap test */
    size_t gap_count;
    bool has_waited; /* a request that was due for a connection: gaps are the server's then */
    char error[160];
};

/* Everything it needs while it runs. */
MUST_USE bool worker_open(struct worker *w, struct arena *out, struct error *err);
void worker_run(struct worker *w); /* one block, on its own thread */
void worker_close(struct worker *w);

#endif
