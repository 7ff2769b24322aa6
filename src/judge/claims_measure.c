#include "judge/claims_internal.h"

#include "stats/bootstrap.h"
#include "stats/interval.h"
#include "stats/moments.h"
#include "stats/proportion.h"
#include "stats/quantile.h"

#include <math.h>

enum { MEAN_MIN_N = 6 }; /* below, a bootstrap of means knows nothing */

static const struct claim_effect nothing = {(double)NAN, (double)NAN, (double)NAN, NULL};

static size_t finite_of(const struct units *u, struct arena *out, double **values)
{
    size_t n = 0;
    *values = arena_new(out, double, u->count + 1);
    for (size_t i = 0; i < u->count; i++) {
        if (isfinite(u->values[i])) (*values)[n++] = u->values[i];
    }
    return n;
}

/* Scores from 0 to 1 are stated as their mean, as accuracy is. */
static struct claim_effect measure_mean(const double *values, size_t n, bool by_case,
                                        double alpha, struct arena *out)
{
    struct claim_effect e = nothing;
    struct bootstrap_plan plan = {
        .samples = {{.values = values, .n = n}},
        .statistic = BOOTSTRAP_MEAN,
        .method = n >= BOOTSTRAP_BCA_LEAST ? BOOTSTRAP_BCA : BOOTSTRAP_PERCENTILE,
        .confidence = 1 - alpha,
        .seed = 42,
    };
    struct bootstrap_interval interval;
    struct error why = {0};
    if (n >= MEAN_MIN_N && bootstrap_interval(&plan, *out, &interval, &why)) {
        e = (struct claim_effect){interval.estimate, interval.low, interval.high, NULL};
        if (e.low < e.high || !by_case) return e;
        /* Cases that are alike have no spread to go by. Others, whose scores may be 0 or 1,
         * are at most this share. */
        double share = proportion_upper_if_none((int64_t)n, 1 - alpha);
        e.low = e.value - share * e.value;
        e.high = e.value + share * (1 - e.value);
        return e;
    }
    e.value = moments_of(values, n).mean;
    e.reason = n < MEAN_MIN_N ? "fewer than 6 values" : arena_printf(out, "%s", why.text);
    return e;
}

/* The metric itself: a share where it is yes or no, the mean of scores, else the
 * median. */
static struct claim_effect measure_level(const struct claim_subject *s, double alpha,
                                         struct arena *out)
{
    struct claim_effect e = nothing;
    double *values = NULL;
    size_t n = finite_of(&s->values.units[1], out, &values);
    size_t ones = 0;
    size_t zeros = 0;
    bool is_score = strcmp(s->unit, "1") == 0 && n > 0;
    for (size_t i = 0; i < n; i++) {
        ones += values[i] == 1;
        zeros += values[i] == 0;
        is_score = is_score && values[i] >= 0 && values[i] <= 1;
    }
    if (n > 0 && ones + zeros == n) {
        struct proportion p = proportion_wilson((int64_t)ones, (int64_t)n, 1 - alpha);
        return (struct claim_effect){p.estimate, p.low, p.high, NULL};
    }
    if (is_score) {
        return measure_mean(values, n, s->values.units[1].keys != NULL, alpha, out);
    }
    struct interval interval;
    struct error why = {0};
    stats_sort_inplace(values, n);
    e.value = quantile_median(values, n);
    if (interval_median(values, n, 1 - alpha, &interval, &why)) {
        e.low = interval.low;
        e.high = interval.high;
    } else {
        e.reason = n ? arena_printf(out, "%s", why.text) : "no trial gave a value";
    }
    return e;
}

/* B/A by means, for values that have no logarithm: failures, counts with 0. */
static struct claim_effect measure_means(const struct compare_values *v, double alpha,
                                         struct arena *out)
{
    struct claim_effect e = nothing;
    double *values[2];
    size_t n[2];
    double sum = 0;
    struct units both[2] = {v->units[0], v->units[1]};
    for (size_t i = 0; v->is_paired && i < both[0].count; i++) { /* of a pair, both or none */
        if (isfinite(both[0].values[i]) && isfinite(both[1].values[i])) continue;
        both[0].values[i] = both[1].values[i] = NAN;
    }
    for (int i = 0; i < 2; i++) n[i] = finite_of(&both[i], out, &values[i]);
    for (size_t i = 0; i < n[0]; i++) sum += values[0][i];
    if (n[0] < MEAN_MIN_N || n[1] < MEAN_MIN_N) {
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
        .is_paired = v->is_paired,
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

static struct claim_effect measure_ratio(const struct claim_subject *s,
                                         const struct verdict_answer *a, double alpha,
                                         struct arena *out)
{
    if (isnan(a->effect.ratio)) return measure_means(&s->values, alpha, out);
    return (struct claim_effect){a->effect.ratio, a->effect.low, a->effect.high, NULL};
}

static struct claim_effect measure_effect(enum claim_kind kind, const struct claim_subject *s,
                                          double alpha, struct arena *out)
{
    struct verdict_question q = compare_question(&s->values, alpha);
    struct verdict_answer a;
    struct error why = {0};
    struct claim_effect e = nothing;
    if (!verdict_compare(&q, out, &a, &why)) {
        e.reason = arena_printf(out, "%s", why.text);
        return e;
    }
    if (a.arm[0].n == 0 || a.arm[1].n == 0) {
        const char *side = a.arm[0].n ? "contender" : "baseline";
        e.reason = s->values.is_paired
                       ? "there is no pair of which both gave a value"
                       : arena_printf(out, "no trial of the %s gave a value", side);
        return e;
    }
    if (kind == CLAIM_DIFFERENCE) {
        e = (struct claim_effect){a.effect.shift, a.effect.shift_low, a.effect.shift_high,
                                  NULL};
    } else {
        e = measure_ratio(s, &a, alpha, out);
    }
    if (isnan(e.low) && !e.reason) {
        e.reason = a.note_count ? a.notes[a.note_count - 1] : "no interval exists";
    }
    return e;
}

struct claim_effect claim_measure(enum claim_kind kind, const struct claim_subject *s,
                                  double alpha, struct arena *out)
{
    if (kind == CLAIM_AT_LEAST || kind == CLAIM_AT_MOST) return measure_level(s, alpha, out);
    struct claim_effect e = measure_effect(kind, s, alpha, out);
    struct claim_effect turned = e;
    if (kind == CLAIM_REDUCTION) {
        turned = (struct claim_effect){1 - e.value, 1 - e.high, 1 - e.low, e.reason};
    } else if (kind == CLAIM_GAIN) {
        turned = (struct claim_effect){e.value - 1, e.low - 1, e.high - 1, e.reason};
    } else if (kind == CLAIM_SPEEDUP) {
        turned = (struct claim_effect){1 / e.value, 1 / e.high, 1 / e.low, e.reason};
    }
    return turned;
}
