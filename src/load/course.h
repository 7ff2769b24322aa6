/* course.h - how a block of load went from its begin to its end: requests by the moment they
 * were due, the block cut into equal slots. A queue that grows, and the way back after a spike
 * or a fault, show here. */
#ifndef LOAD_COURSE_H
#define LOAD_COURSE_H

#include "base/invariant.h"

enum { COURSE_SLOTS = 60, COURSE_TIMES = 128 };
enum { COURSE_BASELINE_MIN = 20 }; /* good answers: fewer do not tell what is usual */

struct course_slot {
    double sum_s; /* response times of good answers */
    int64_t ok;
    int64_t bad;
    uint32_t by_time[COURSE_TIMES]; /* good answers; four buckets for each doubling from 1 us */
};

struct course {
    struct course_slot slots[COURSE_SLOTS];
    uint32_t ended[COURSE_SLOTS]
                  [COURSE_TIMES]; /* good answers by the slot in which they came */
    int64_t lost;     /* requests that ended without a good answer after the fault */
    int64_t first_ns; /* first good answer to a request that was sent after it; 0: none */
};

/* A request that has ended. */
struct course_end {
    double share;     /* of the block, when it was due */
    double end_share; /* when it ended; 1 and more: after the block */
    int64_t due_ns, sent_ns, end_ns;
    int64_t fault_ns; /* when there was a fault; 0: none yet */
    bool is_good;
};
void course_note(struct course *c, const struct course_end *e);
void course_add(struct course *to, const struct course *c);

/* Mean response time of slots [from, to); NaN without a good answer. */
double course_mean_s(const struct course *c, size_t from, size_t to);

/* Good answers per second where they were most, in so wide a part of the block from the moment
 * on: what it can do, if it was asked for more. */
double course_peak_rate(const struct course *c, double length_s, double begin, double width);

/* A disturbance, in shares of the block. */
struct course_span {
    double begin;
    double end;  /* recovery counts from here */
    double back; /* no recovery before it: whoever is stopped cannot have recovered */
};

/* Good answers that came before `begin`: what is usual. One that was due before it and came after
 * it is already disturbed. */
int64_t course_baseline(const struct course *c, double begin);

/* How long after `end` it takes until all is as it was before `begin`: the first slot, not before
 * `back`, that with the two after it has no bad answer and no more answers slower than the earlier
 * 95th percentile (by a bucket, and 1 ms) than the usual 5 %, by a test at 1 %. Slots without a
 * request are passed over. To a slot; NaN: not within the block, or fewer than
 * COURSE_BASELINE_MIN answers say what was usual. */
double course_recovery_s(const struct course *c, double length_s, struct course_span span);

#endif
