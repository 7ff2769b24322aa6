/* What a claim states, in the numbers of the engine: a reduction, a gain, a speed-up
 * and a difference are views of one effect with one interval. */
#include "judge/claims_internal.h"

#include <math.h>

static const struct claim_effect nothing = {
    .value = (double)NAN, .low = (double)NAN, .high = (double)NAN};

static struct claim_effect effect(double value, double low, double high)
{
    return (struct claim_effect){.value = value, .low = low, .high = high};
}

static struct claim_effect lacks(struct claim_reason reason)
{
    struct claim_effect e = nothing;
    e.reason = reason;
    return e;
}

struct claim_effect claim_level(const struct claim_subject *s, double alpha, struct arena *out)
{
    /* Of two cells, the contender's. */
    struct units_level l = s->cell ? units_bound(s->cell, s->of, alpha, *out)
                                   : units_reach(&s->ask.units[1], s->kind, alpha, *out);
    struct claim_effect e = effect(l.centre, l.low, l.high);
    e.confidence = l.confidence;
    if (l.n == 0) e.reason.code = CLAIM_ALL_LEFT_OUT;
    return e;
}

static struct claim_reason reason_of(const struct verdict_answer *a)
{
    for (size_t i = 0; i < a->reason_count; i++) {
        const struct verdict_reason *r = &a->reasons[i];
        if (r->code == REASON_EMPTY) {
            return (struct claim_reason){
                .code = a->is_paired ? CLAIM_NO_PAIRS : CLAIM_SIDE_EMPTY, .n = (size_t)r->arm};
        }
        if (r->code == REASON_TOO_FEW && r->value > (double)a->arm[0].n) {
            return (struct claim_reason){
                .code = CLAIM_FEW, .n = a->arm[0].n, .of = (size_t)r->value};
        }
    }
    return (struct claim_reason){.code = CLAIM_NO_INTERVAL};
}

/* B over A and its ends, or B less A. */
static struct claim_effect plain_effect(const struct verdict_answer *a, bool is_difference,
                                        bool is_narrow)
{
    const struct verdict_effect *e = &a->effect;
    double value = is_difference ? e->shift : e->ratio;
    if (is_narrow) return effect(value, a->narrow_low, a->narrow_high);
    return effect(value, is_difference ? e->shift_low : e->low,
                  is_difference ? e->shift_high : e->high);
}

/* B over A as the kind states it. */
static struct claim_effect turned(enum claim_kind kind, struct claim_effect e)
{
    switch (kind) {
    case CLAIM_REDUCTION: return effect(1 - e.value, 1 - e.high, 1 - e.low);
    case CLAIM_GAIN: return effect(e.value - 1, e.low - 1, e.high - 1);
    case CLAIM_SPEEDUP: return effect(1 / e.value, 1 / e.high, 1 / e.low);
    default: return e;
    }
}

struct claim_effect claim_effect_of(enum claim_kind kind, const struct verdict_answer *a,
                                    bool is_narrow)
{
    if (!verdict_is_measured(a)) return lacks(reason_of(a));
    bool is_difference =
        kind == CLAIM_DIFFERENCE || (kind == CLAIM_EQUAL_WITHIN && a->kind != KIND_RATIO);
    struct claim_effect e = turned(kind, plain_effect(a, is_difference, is_narrow));
    if (isnan(e.value)) return lacks((struct claim_reason){.code = CLAIM_NO_RATIO});
    e.confidence = 1 - (is_narrow ? 2 * a->alpha : a->alpha);
    return e;
}
