/* spike_load: ten times the normal load for a moment.
 *
 * A spike of S seconds at F times the normal rate r leaves a queue of S (F r - C) requests in a
 * server that answers C a second, and a sound one works it off in D = S (F r - C) / (C - r): one
 * server at half of its rate takes 8 S for a spike of 10 times the load. More than twice that is
 * slow, as in high_load. The first phase watches for 2 S and measures C; where that is less than
 * 2 D a second one watches as long as it takes, or 20 S at most. */
#include "judge/stress_internal.h"

#include <math.h>

#define SPIKE_SHARE 0.2 /* of a block, at first */
#define SLOW_DRAIN  2.0 /* times as long as its queue takes: slow (breaking.c) */
#define STALL_SHARE 0.8 /* of the normal rate: in a spike it does less than at rest */

enum {
    SPIKE_TAIL_MAX = 20, /* times the spike: no longer is it watched */
    TAIL_SLOTS = 5,      /* after the time allowed: a recovery shows in three */
    RECOVERY_STEADY = 3,
};

struct spike {
    double length_s; /* S */
    double tail_s;   /* watched after it */
    double slot_s;   /* so finely recoveries are known */
};

static struct spike spike_of(const struct stress_phase *p)
{
    double share = p->ask.spike_share > 0 ? p->ask.spike_share : SPIKE_SHARE;
    return (struct spike){share * p->ask.seconds, (1 - 3 * share) * p->ask.seconds,
                          p->ask.seconds / STRESS_GRAINS};
}

/* D; NaN: it is not known, infinite: it has no rate left to work the queue off. */
static double drain_s(const struct stress_phase *p)
{
    double rate = STRESS_MEDIAN(p, spike_rate);
    double queue = fmax(0, p->ask.factor * p->ask.rate - rate) * spike_of(p).length_s;
    if (queue > 0 && rate <= p->ask.rate) return INFINITY;
    return queue / (rate - p->ask.rate);
}

/* The longest recovery of its blocks; infinite: one was not back. NaN: none tells. */
static double slowest_recovery_s(const struct stress_phase *p)
{
    double slowest = NAN;
    for (size_t i = 0; i < p->count; i++) {
        double s = p->blocks[i].recovery_s;
        if (stress_tells_recovery(&p->blocks[i]))
            slowest = fmax(slowest, isnan(s) ? (double)INFINITY : s);
    }
    return slowest;
}

static double allowed_recovery_s(double drain, const struct spike *s)
{
    return isnan(drain) ? drain : fmax(SLOW_DRAIN * drain, RECOVERY_STEADY * s->slot_s);
}

static bool ask_longer_tail(const struct stress_case *c, struct stress_ask *ask)
{
    const struct stress_phase *p = &c->phases[0];
    struct spike s = spike_of(p);
    double allowed = allowed_recovery_s(drain_s(p), &s);
    if (stress_is_spoiled(p) || stress_errors(p) > c->error_share) return false;
    if (!isinf(slowest_recovery_s(p)) || !isfinite(allowed) || s.tail_s >= allowed)
        return false;
    double block_s = 3 * s.length_s + allowed;
    block_s *= 1 + TAIL_SLOTS / (double)(STRESS_GRAINS - TAIL_SLOTS); /* for the last to show */
    *ask = p->ask;
    ask->seconds = fmin(block_s, (3 + SPIKE_TAIL_MAX) * s.length_s);
    ask->spike_share = s.length_s / ask->seconds;
    return true;
}

bool stress_spike_next(const struct stress_case *c, struct stress_ask *ask)
{
    if (c->count == 1) return ask_longer_tail(c, ask);
    if (c->count > 0) return false;
    *ask = stress_ask_of(c, "spike");
    ask->rate = c->normal_rate;
    ask->shape = "spike";
    ask->factor = c->terms->factor;
    ask->spike_share = SPIKE_SHARE;
    ask->seconds = stress_disturbed_s(c->block_s / SPIKE_SHARE, ask->rate, 2 * SPIKE_SHARE);
    ask->blocks = STRESS_SPIKE_BLOCKS;
    return true;
}

static void decide_spike(const struct stress_case *c, const struct stress_phase *p,
                         struct stress_result *r)
{
    struct spike s = spike_of(p);
    double drain = drain_s(&c->phases[0]), allowed = allowed_recovery_s(drain, &s);
    double recovery = slowest_recovery_s(p);
    double rate = STRESS_MEDIAN(&c->phases[0], spike_rate) / c->normal_rate;
    double least = isinf(recovery) ? s.tail_s : recovery;
    if (isnan(recovery))
        stress_leave_open(r, STRESS_FEW_BEFORE);
    else if (isfinite(recovery) && !(recovery > allowed))
        stress_decide(r, STRESS_HELD, "recovered", recovery, fmin(allowed, s.tail_s), "s");
    else if (least >= allowed)
        stress_decide(r, STRESS_BROKE, "spike_lingers", least / fmax(drain, s.slot_s),
                      SLOW_DRAIN, "1");
    else if (rate < STALL_SHARE)
        stress_decide(r, STRESS_BROKE, "spike_stalls", rate, STALL_SHARE, "1");
    else
        stress_leave_open(r, STRESS_TOO_SHORT);
    bool is_timed = r->rule.name && strcmp(r->rule.name, "spike_stalls") != 0;
    if (is_timed) stress_add_figure(r, "slowest_recovery_s", "s", least);
}

void stress_spike_conclude(const struct stress_case *c, struct arena *out,
                           struct stress_result *r)
{
    (void)out;
    const struct stress_phase *p = &c->phases[c->count - 1];
    double errors = 0;
    struct stress_recovered recovered = {0};
    for (size_t i = 0; i < c->count; i++) errors = fmax(errors, stress_errors(&c->phases[i]));
    stress_count_recovered(p, &recovered);
    stress_add_figure(r, "error_share", "1", errors);
    stress_add_figure(r, "p95_s", "s", STRESS_MEDIAN(p, p95_s));
    stress_add_figure(r, "recovery_s", "s", STRESS_MEDIAN(p, recovery_s));
    stress_add_figure(r, "recovered", "1", (double)recovered.blocks);
    stress_add_figure(r, "spike_rate", "1/s", STRESS_MEDIAN(&c->phases[0], spike_rate));
    if (isfinite(drain_s(&c->phases[0])))
        stress_add_figure(r, "drain_s", "s", drain_s(&c->phases[0]));
    stress_add_figure(r, "watched_s", "s", spike_of(p).tail_s);
    if (errors > c->error_share)
        stress_decide(r, STRESS_BROKE, "spike_lost", errors, c->error_share, "1");
    else
        decide_spike(c, p, r);
    if (r->outcome != STRESS_SPOILED) r->score = r->outcome == STRESS_HELD ? 1 : 0;
}
