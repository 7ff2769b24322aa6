/* load_internal.h - what connections (worker.h) and places of agents (pool.h) share: how a
 * block is summed up, and how the generator judges itself. */
#ifndef LOAD_LOAD_INTERNAL_H
#define LOAD_LOAD_INTERNAL_H

#include "load/load.h"

enum { LOAD_HEAD_START_NS = 2000000, LOAD_GAPS_MAX = 4000 };

MUST_USE bool load_init_hdr(struct hdr *h, struct arena *out, struct error *err);
void load_record(struct hdr *h, int64_t ns); /* what is too much goes into the last bucket */

/* When it begins: as it was asked for, or a little after now. */
int64_t load_begin_ns(const struct load_block *block);

/* How long after the end of the block's time a request has ended. */
static inline int64_t load_over_ns(int64_t at_ns, int64_t end_ns)
{
    return at_ns > end_ns ? at_ns - end_ns : 0;
}

/* A request has ended on a connection whose last one of this block ended at *ended_ns; 0: it
 * is the first. */
void load_note_again(struct load_counts *c, int64_t *ended_ns, int64_t now_ns, bool is_good);

/* Of the calling thread. */
double load_thread_cpu_s(void);

struct load_timing {
    const struct schedule_plan *schedule; /* NULL: closed load */
    size_t in_flight;                     /* of closed load */
    double first_s;   /* from the block's begin to the first good answer; NaN: none came */
    double elapsed_s; /* to the last one */
};

/* Good answers per second. Closed load begins, for each connection, with its first answer and is
 * over with its last: by Wald's identity the answers after the first over the time from it to the
 * last, of all connections together, is the rate of one, however long answers take. (The first
 * one waits in no queue yet: 100 connections to 2 servers of 10 ms would get 239 a second in a
 * block of 1 s, not 200. To the last answer of all, connections that have ended idle; only answers
 * within the time would miss those that take as long as a block.) Summed before it is divided,
 * not connection by connection: who got a single answer would else count by that one, and 1 / x
 * is convex. Where too few connections got a second answer, all answers count, over the time of
 * all connections until their last. Of open load those count
 * that came within the time, from the first of them on: before it the answers to what was
 * asked earlier are missing, which would make a slow server look weak. Where the first takes
 * more than half of the time, too few are left of it: all answers then, up to the last. Never
 * more than are asked for in a second: who answers all that wait at one moment is not fast. */
double load_rate(const struct load_result *r, const struct load_timing *t);

struct load_sends {
    const double *gaps; /* between them, in units of the mean gap */
    size_t gap_count;   /* 0: they are not the generator's own */
    bool have_waited;   /* for whoever answers: not all need be sent */
};

/* Into verdict and reason. Closed load has no schedule to miss: its workers can be too busy. */
void load_judge(struct load_result *r, const struct schedule_plan *schedule,
                const struct load_sends *sends);

/* After the block. */
void load_note_fault(struct load_result *r, const struct load_live *live, int64_t begin_ns);

/* The identities of load.h. */
void load_check_counts(const struct load_counts *c);

#endif
