/* worker.h - one thread of a load: its connections, its epoll set, its counts. */
#ifndef LOAD_WORKER_H
#define LOAD_WORKER_H

#include "load/load.h"

struct worker {
    const struct load_plan *plan;
    struct load_live *live; /* never NULL */
    size_t index, of;       /* it sends every of-th moment of the schedule */
    size_t connections;     /* its share */
    int64_t begin_ns;       /* of the load, the same for all */
    struct load_block *blocks;
    struct hdr lag;
    double cpu_s;
    double elapsed_s;
    double retry_after_s;
    int64_t drawn; /* moments it found in the schedule */
    double *gaps;  /* of the first sends, in units of the mean gap; for the gap test */
    size_t gap_count;
    char error[160];
    struct worker_state *state;
};

enum { WORKER_GAPS_MAX = 4000 };

/* Everything it needs while it runs. */
MUST_USE bool worker_open(struct worker *w, struct arena *out, struct error *err);
void worker_run(struct worker *w); /* on its own thread */
void worker_close(struct worker *w);

#endif
