/* What a claim states, in the numbers of the engine: a reduction, a gain, a speed-up
 * and a difference are views of one effect with one interval. */
#include "judge/claims_internal.h"

#include "stats/bootstrap.h"

#include <math.h>

enum { MEANS_LEAST = 6 }; /* below, a bootstrap of means knows nothing */

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
    struct units_level l = units_level(&s->ask.units[1], s->kind, alpha, *out);
    struct claim_effect e = effect(l.centre, l.low, l.high);
    if (l.n == 0) e.reason.code = CLAIM_ALL_LEFT_OUT;
    if (l.n > 0 && isnan(l.low)) {
        e.reason = (struct claim_reason){.code = CLAIM_FEW_VALUES, .n = l.n};
    }
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
        if (r->code == REASON_TOO_FEW) {
            return (struct claim_reason){
                .code = CLAIM_FEW, .n = a->arm[0].n, .of = (size_t)r->value};
        }
    }
    return (struct claim_reason){.code = CLAIM_NO_INTERVAL};
}

/* ---- magnitudes with zeros: the ratio of means ---- */

static size_t finite_of(const struct verdict_question *q, int side, double *values)
{
    const double *own = side ? q->b : q->a;
    const double *other = side ? q->a : q->b;
    size_t count = side ? q->b_count : q->a_count;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) { /* of a pair, both or none */
        bool keep = isfinite(own[i]) && (!q->is_paired || isfinite(other[i]));
        if (keep) values[n++] = own[i];
    }
    return n;
}

struct claim_effect claim_ratio_of_means(const struct verdict_question *q, double alpha,
                                         struct arena *out)
{
    double *values[2] = {arena_new(out, double, q->a_count + 1),
                         arena_new(out, double, q->b_count + 1)};
    size_t n[2];
    double sum = 0;
    for (int i = 0; i < 2; i++) n[i] = finite_of(q, i, values[i]);
    for (size_t i = 0; i < n[0]; i++) sum += values[0][i];
    if (n[0] < MEANS_LEAST || n[1] < MEANS_LEAST) {
        return lacks((struct claim_reason){.code = CLAIM_FEW_FOR_MEANS});
    }
    if (!(sum > 0)) return lacks((struct claim_reason){.code = CLAIM_NO_RATIO});
    bool can_bca = n[0] >= BOOTSTRAP_BCA_LEAST && n[1] >= BOOTSTRAP_BCA_LEAST;
    struct bootstrap_plan plan = {
        .samples = {{.values = values[0], .n = n[0]}, {.values = values[1], .n = n[1]}},
        .contrast = BOOTSTRAP_RATIO,
        .is_paired = q->is_paired,
        .statistic = BOOTSTRAP_MEAN,
        .method = can_bca ? BOOTSTRAP_BCA : BOOTSTRAP_PERCENTILE,
        .confidence = 1 - alpha,
        .seed = 42,
    };
    struct bootstrap_interval interval;
    struct error why = {0};
    if (!bootstrap_interval(&plan, *out, &interval, &why)) {
        const char *text = arena_printf(out, "%s", why.text);
        return lacks((struct claim_reason){.code = CLAIM_OTHER, .text = text});
    }
    return effect(interval.estimate, interval.low, interval.high);
}

/* ---- the engine's effect ---- */

/* B over A and its ends, or B less A. */
static struct claim_effect plain_effect(const struct verdict_answer *a, bool is_difference,
                                        bool is_narrow)
{
    const struct verdict_effect *e = &a->effect;
    if (is_difference) {
        bool has_narrow = is_narrow && a->kind != KIND_RATIO;
        return effect(e->shift, has_narrow ? a->narrow_low : e->shift_low,
                      has_narrow ? a->narrow_high : e->shift_high);
    }
    if (!is_narrow) return effect(e->ratio, e->low, e->high);
    if (a->kind == KIND_RATIO) return effect(e->ratio, a->narrow_low, a->narrow_high);
    double mean = a->arm[0].mean;
    return effect(e->ratio, 1 + a->narrow_low / mean, 1 + a->narrow_high / mean);
}

struct claim_effect claim_turned(enum claim_kind kind, struct claim_effect e)
{
    struct claim_effect t = e;
    switch (kind) {
    case CLAIM_REDUCTION: t = effect(1 - e.value, 1 - e.high, 1 - e.low); break;
    case CLAIM_GAIN: t = effect(e.value - 1, e.low - 1, e.high - 1); break;
    case CLAIM_SPEEDUP: t = effect(1 / e.value, 1 / e.high, 1 / e.low); break;
    default: break;
    }
    t.reason = e.reason;
    return t;
}

struct claim_effect claim_effect_of(enum claim_kind kind, const struct verdict_answer *a,
                                    bool is_narrow)
{
    if (!verdict_is_measured(a)) return lacks(reason_of(a));
    bool is_difference =
        kind == CLAIM_DIFFERENCE || (kind == CLAIM_EQUAL_WITHIN && a->kind == KIND_SHARE);
    return claim_turned(kind, plain_effect(a, is_difference, is_narrow));
}
