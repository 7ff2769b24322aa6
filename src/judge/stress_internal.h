/* stress_internal.h - what the scenarios share. */
#ifndef JUDGE_STRESS_INTERNAL_H
#define JUDGE_STRESS_INTERNAL_H

#include "judge/stress.h"

#include <stddef.h>

enum {
    STRESS_BLOCKS_MAX = 1000,
    STRESS_REQUESTS_MIN = 5, /* of a block: fewer tell nothing of it */
};

/* Median over the good blocks of the member at `offset`; NaN without one. */
double stress_median(const struct stress_phase *p, size_t offset);

/* Share of requests without a good answer, over all blocks that count; NaN without one. */
double stress_errors(const struct stress_phase *p);

/* More than half of its blocks were spoiled by the generator. */
bool stress_is_spoiled(const struct stress_phase *p);

/* It neither held nor broke. */
void stress_leave_open(struct stress_result *r, enum stress_reason why);

#endif
