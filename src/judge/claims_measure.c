/* What a claim states, in the numbers of the engine: a reduction, a gain, a speed-up
 * and a difference are views of one effect with one interval. */
#include "judge/claims_internal.h"

#include "stats/bootstrap.h"

#include <math.h>

enum { MEANS_LEAST = 6 }; /* below, a bootstrap of means knows nothing */

static const struct claim_effect nothing = {(double)NAN, (double)NAN, (double)NAN, NULL};

struct claim_effect claim_level(const struct claim_subject *s, double alpha, struct arena *out)
{
    struct units_level l = units_level(&s->ask.units[1], s->kind, alpha, *out);
    struct claim_effect e = {l.centre, l.low, l.high, NULL};
    if (l.n == 0) e.reason = "no trial gave a value";
    if (l.n > 0 && isnan(l.low)) {
        e.reason =
            arena_printf(out, "%zu values are too few for an interval of their median", l.n);
    }
    return e;
}

static const char *reason_of(const struct verdict_answer *a, struct arena *out)
{
    for (size_t i = 0; i < a->reason_count; i++) {
        const struct verdict_reason *r = &a->reasons[i];
        if (r->code == REASON_EMPTY) {
            return a->is_paired ? "there is no pair of which both gave a value"
                                : arena_printf(out, "no trial of the %s gave a value",
                                               r->arm ? "contender" : "baseline");
        }
        if (r->code == REASON_TOO_FEW) {
            return arena_printf(out, "%zu %s are too few for any verdict: %.0f could",
                                a->arm[0].n, a->is_paired ? "pairs" : "values", r->value);
        }
    }
    return "no interval exists";
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
    struct claim_effect e = nothing;
    double *values[2] = {arena_new(out, double, q->a_count + 1),
                         arena_new(out, double, q->b_count + 1)};
    size_t n[2];
    double sum = 0;
    for (int i = 0; i < 2; i++) n[i] = finite_of(q, i, values[i]);
    for (size_t i = 0; i < n[0]; i++) sum += values[0][i];
    if (n[0] < MEANS_LEAST || n[1] < MEANS_LEAST) {
        e.reason = "too few values for a ratio of means";
        return e;
    }
    if (!(sum > 0)) {
        e.reason = "the baseline's mean is not above 0: there is no ratio";
        return e;
    }
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
        e.reason = arena_printf(out, "%s", why.text);
        return e;
    }
    return (struct claim_effect){interval.estimate, interval.low, interval.high, NULL};
}

/* ---- the engine's effect ---- */

/* B over A and its ends, or B less A. */
static struct claim_effect plain_effect(const struct verdict_answer *a, bool is_difference,
                                        bool is_narrow)
{
    const struct verdict_effect *e = &a->effect;
    if (is_difference) {
        bool has_narrow = is_narrow && a->kind != KIND_RATIO;
        return (struct claim_effect){e->shift, has_narrow ? a->narrow_low : e->shift_low,
                                     has_narrow ? a->narrow_high : e->shift_high, NULL};
    }
    if (!is_narrow) return (struct claim_effect){e->ratio, e->low, e->high, NULL};
    if (a->kind == KIND_RATIO)
        return (struct claim_effect){e->ratio, a->narrow_low, a->narrow_high, NULL};
    double mean = a->arm[0].mean;
    return (struct claim_effect){e->ratio, 1 + a->narrow_low / mean, 1 + a->narrow_high / mean,
                                 NULL};
}

struct claim_effect claim_turned(enum claim_kind kind, struct claim_effect e)
{
    switch (kind) {
    case CLAIM_REDUCTION:
        return (struct claim_effect){1 - e.value, 1 - e.high, 1 - e.low, e.reason};
    case CLAIM_GAIN: return (struct claim_effect){e.value - 1, e.low - 1, e.high - 1, e.reason};
    case CLAIM_SPEEDUP:
        return (struct claim_effect){1 / e.value, 1 / e.high, 1 / e.low, e.reason};
    default: return e;
    }
}

struct claim_effect claim_effect_of(enum claim_kind kind, const struct verdict_answer *a,
                                    bool is_narrow, struct arena *out)
{
    bool is_difference =
        kind == CLAIM_DIFFERENCE || (kind == CLAIM_EQUAL_WITHIN && a->kind == KIND_SHARE);
    struct claim_effect e = plain_effect(a, is_difference, is_narrow);
    if (!verdict_is_measured(a)) {
        e = nothing;
        e.reason = reason_of(a, out);
        return e;
    }
    return claim_turned(kind, e);
}
