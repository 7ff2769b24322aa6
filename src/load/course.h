/* course.h - how a block of load went from its begin to its end: requests by the moment they
 * were due, the block cut into equal slots. A queue that grows, and the way back after a spike
 * or a fault, show here. */
#ifndef LOAD_COURSE_H
#define LOAD_COURSE_H

#include "base/invariant.h"

enum { COURSE_SLOTS = 60, COURSE_TIMES = 128 };

struct course_slot {
    double sum_s; /* response times of good answers */
    int64_t ok;
    int64_t bad;
    uint32_t by_time[COURSE_TIMES]; /* good answers; four buckets for each doubling from 1 us */
};

struct course {
    struct course_slot slots[COURSE_SLOTS];
    int64_t lost;     /* requests that ended without a good answer after the fault */
    int64_t first_ns; /* first good answer to a request that was sent after it; 0: none */
};

/* A request that has ended. */
struct course_end {
    double share; /* of the block, when it was due */
    int64_t due_ns, sent_ns, end_ns;
    int64_t fault_ns; /* when there was a fault; 0: none yet */
    bool is_good;
};
void course_note(struct course *c, const struct course_end *e);
void course_add(struct course *to, const struct course *c);

/* Mean response time of slots [from, to); NaN without a good answer. */
double course_mean_s(const struct course *c, size_t from, size_t to);

/* How long after the moment `end` (share of the block) it takes until all is as it was before
 * `begin`: the first slot that with the two after it has no bad answer and no more answers
 * slower than the earlier 95th percentile (by a bucket, and 1 ms) than the usual 5 %, by a test
 * at 1 %. Slots without a request are passed over. To a slot; NaN: not within the block. */
double course_recovery_s(const struct course *c, double length_s, double begin, double end);

#endif
