/* pool.h - loads whatever answers one request at a time, by several places at once.
 *
 * A place is a thread with somebody of its own to ask: a process that it talks to, a
 * conversation. It takes the next moment of the schedule, waits for it, asks, and has the next
 * request made ready; requests that are due while all places are busy wait, and keep their
 * moment. Schedules, times, counts and verdicts are those of load.h; a block ends when the
 * last place has its answer.
 *
 * One lock guards schedule and counts: asking takes tens of microseconds at least, and
 * histograms of every place would take a megabyte each. */
#ifndef LOAD_POOL_H
#define LOAD_POOL_H

#include "load/load.h"
#include "model/trial.h"

enum { POOL_PLACES_MAX = 1024 };

struct pool_reply {
    enum trial_status status;
    int64_t end_ns;         /* when the last of the answer had come; 0: when ask returned */
    int64_t turns;          /* of a conversation; 1 of others */
    int64_t tokens;         /* that came as a stream */
    int64_t first_token_ns; /* clock_ns of the first one; 0: not a stream */
    const double *gaps_s;   /* between tokens; stay until the next prepare */
    size_t gap_count;
    const char *why; /* of a status that is not TRIAL_OK; stays as gaps do */
};

/* Each on the thread of its place; two places at once, never one place twice. */
struct pool_work {
    void *context;
    /* Makes a request ready; not timed. False: it cannot be asked, which is a failure of it. */
    bool (*prepare)(void *context, size_t place, size_t request, struct error *err);
    /* The timed call. The answer goes into `kept` too, unless that is NULL. */
    void (*ask)(void *context, size_t place, struct buf *kept, struct pool_reply *reply);
};

struct pool_plan {
    const struct pool_work *work;
    size_t places; /* closed: in flight; open: at most */
    size_t requests;
    size_t kept_max;
    double patience_s; /* what is still waiting at the block's end, and no longer than this, is
                          sent after it; 0: nothing is */
    bool works_itself; /* who answers does so on the thread of its place: how busy that is says
                          nothing about the generator, and is not known */
};

struct pool;

MUST_USE bool pool_open(struct pool **pool, const struct pool_plan *plan, struct arena *out,
                        struct error *err);
void pool_close(struct pool *pool); /* NULL is closed already */

/* Every place asks once, which is not counted, and has its first request ready: whatever has
 * to be started is up before any request is due. */
MUST_USE bool pool_warm(struct pool *pool, struct error *err);

/* As load_block; `live->stop` is looked at between requests. */
MUST_USE bool pool_block(struct pool *pool, const struct load_block *block,
                         struct load_result *result, struct error *err);

#endif
