/* stress_internal.h - what the scenarios share. */
#ifndef JUDGE_STRESS_INTERNAL_H
#define JUDGE_STRESS_INTERNAL_H

#include "judge/stress.h"

#include <stddef.h>

enum {
    STRESS_BLOCKS_MAX = 1000,
    STRESS_REQUESTS_MIN = 5, /* of a block: fewer tell nothing of it */
    STRESS_PHASE_BLOCKS = 5,
    STRESS_SPIKE_BLOCKS = 3,
    STRESS_GRAINS = 60, /* of a block: so finely recoveries are known (load/course.h) */
    STRESS_DISTURBED_MAX_S = 20,
    STRESS_BASELINE_MIN = 20, /* answers: below, no recovery is judged (load/course.h) */
};

/* Median over the good blocks of the member at `offset`; NaN without one. */
double stress_median(const struct stress_phase *p, size_t offset);

#define STRESS_MEDIAN(phase, member) \
    stress_median((phase), offsetof(struct stress_block, member))

/* Share of requests without a good answer, over all blocks that count; NaN without one. */
double stress_errors(const struct stress_phase *p);

/* More than half of its blocks were spoiled by the generator. */
bool stress_is_spoiled(const struct stress_phase *p);

/* A phase at no load in particular, of usual blocks. */
struct stress_ask stress_ask_of(const struct stress_case *c, const char *role);

/* Long enough that half as many answers again as it takes come in `share` of it at the rate, so
 * that what is usual is known; agents that would take minutes for that stay undecided. */
double stress_disturbed_s(double least_s, double rate, double share);

/* Into the result; NaN is left out. */
void stress_add_figure(struct stress_result *r, const char *name, const char *unit,
                       double value);
void stress_decide(struct stress_result *r, enum stress_outcome outcome, const char *rule,
                   double value, double threshold, const char *unit);

/* Of the blocks that the generator did not spoil, and in which enough was answered before the
 * spike or the fault to tell what is usual. */
struct stress_recovered {
    size_t blocks, all;
};

bool stress_tells_recovery(const struct stress_block *b);
void stress_count_recovered(const struct stress_phase *p, struct stress_recovered *to);

/* The scenario of stress_spike.c. */
bool stress_spike_next(const struct stress_case *c, struct stress_ask *ask);
void stress_spike_conclude(const struct stress_case *c, struct arena *out,
                           struct stress_result *r);

/* It neither held nor broke. */
void stress_leave_open(struct stress_result *r, enum stress_reason why);

#endif
