#include "stats/verdict.h"

#include "stats/autocorr.h"
#include "stats/cliff.h"
#include "stats/dist.h"
#include "stats/quantile.h"
#include "stats/verdict_internal.h"

#include <float.h>
#include <math.h>

#define ALTERNATING_SPREAD 1.21

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {"undecided", "better", "worse", "equivalent"};
    return names[verdict];
}

/* Finite values only; of a pair, both or none. */
static void take_values(struct verdict_work *w, struct arena *out,
                        struct verdict_answer *answer)
{
    const struct verdict_question *q = w->q;
    w->a = arena_new(out, double, q->a_count + 1);
    w->b = arena_new(out, double, q->b_count + 1);
    size_t *na = &answer->arm[0].n;
    size_t *nb = &answer->arm[1].n;
    for (size_t i = 0; i < q->a_count; i++) {
        bool keep = isfinite(q->a[i]) && (!q->is_paired || isfinite(q->b[i]));
        if (keep) w->a[(*na)++] = q->a[i];
    }
    for (size_t i = 0; i < q->b_count; i++) {
        bool keep = isfinite(q->b[i]) && (!q->is_paired || isfinite(q->a[i]));
        if (keep) w->b[(*nb)++] = q->b[i];
    }
    w->dropped = q->a_count - *na + q->b_count - *nb;
}

static bool all_positive(const double *values, size_t n)
{
    bool all = true;
    for (size_t i = 0; i < n; i++) all &= values[i] > 0;
    return all;
}

static double *logarithms(struct arena *out, const double *values, size_t n)
{
    double *logs = arena_new(out, double, n + 1);
    for (size_t i = 0; i < n; i++) logs[i] = log(values[i]);
    return logs;
}

/* Midranks over n + 1: one outlier neither makes nor hides memory. */
static struct autocorr_series ranks_of(struct arena *out, const double *series, size_t n)
{
    double *ranks = arena_new(out, double, n + 1);
    (void)rank_midranks(*out, series, n, ranks);
    for (size_t i = 0; i < n; i++) ranks[i] /= (double)(n + 1);
    return (struct autocorr_series){ranks, n};
}

static void describe_arm(struct arena scratch, const double *values, struct verdict_arm *arm)
{
    size_t n = arm->n;
    struct moments m = moments_of(values, n);
    const double *sorted = stats_sort(&scratch, values, n, &n);
    arm->mean = n ? m.mean : (double)NAN;
    arm->sd = moments_sd(&m);
    arm->median = quantile_median(sorted, n);
    arm->mad = quantile_mad(scratch, sorted, n);
    arm->p95 = quantile_of(sorted, n, 0.95);
    arm->p99 = quantile_of(sorted, n, 0.99);
    arm->lag1 = autocorr_lag1(values, n);
    arm->effective_n = (double)n;
}

struct memory {
    double inflation; /* of the variance of a mean; 1: independent */
    double df;        /* of the effective n; 0: independent */
};

static const struct memory no_memory = {1, 0};

/* Lag 1 above the limit in values, or in ranks beyond chance (5 %). */
static bool remembers(const struct verdict_arm *arm, struct autocorr_series ranks)
{
    if (arm->n < VERDICT_LAG1_MIN_N) return false;
    double chance = 1.645 / sqrt((double)arm->n);
    return arm->lag1 > VERDICT_LAG1 ||
           autocorr_lag1(ranks.values, ranks.n) > fmax(VERDICT_LAG1, chance);
}

/* Both arms run the same way on the same machine, so the memory is estimated
 * from both together: half the variance of either estimate. */
static struct memory memory_of_arms(struct arena scratch, const struct verdict_work *w,
                                    struct verdict_answer *answer)
{
    struct verdict_arm *a = &answer->arm[0];
    struct verdict_arm *b = &answer->arm[1];
    const struct autocorr_series ranks[2] = {ranks_of(&scratch, w->a, a->n),
                                             ranks_of(&scratch, w->b, b->n)};
    if (!remembers(a, ranks[0]) && !remembers(b, ranks[1])) return no_memory;
    double inflation = autocorr_inflation(ranks, 2);
    a->effective_n = fmax(1, (double)a->n / inflation);
    b->effective_n = fmax(1, (double)b->n / inflation);
    return (struct memory){inflation, fmax(1, a->effective_n + b->effective_n - 2)};
}

/* Interleaving makes pairs of neighbours, whose differences forget. Only memory
 * beyond chance (2.6 standard errors) gives up the exact interval. */
static struct memory memory_of_pairs(struct arena scratch, const double *d,
                                     struct verdict_answer *answer)
{
    size_t n = answer->arm[0].n;
    double lag1 = autocorr_lag1(d, n);
    bool is_chance = lag1 <= fmax(VERDICT_LAG1, 2.6 / sqrt((double)n));
    if (n < VERDICT_LAG1_MIN_N || is_chance) return no_memory;
    const struct autocorr_series ranks = ranks_of(&scratch, d, n);
    double inflation = autocorr_inflation(&ranks, 1);
    double effective = fmax(1, (double)n / inflation);
    answer->arm[0].effective_n = answer->arm[1].effective_n = effective;
    return (struct memory){inflation, fmax(1, effective - 1)};
}

/* How much wider than under independence, at a tail: effective n, and a t
 * quantile in place of the normal one because the variance is now estimated. */
static double spread_at(struct memory memory, double tail)
{
    double wider = dist_t_quantile(tail, memory.df) / dist_normal_quantile(tail);
    return memory.inflation * wider * wider;
}

static struct hodges_noise noise_at(struct memory memory, double alpha)
{
    if (memory.df == 0) return (struct hodges_noise){0, 0};
    double spread = spread_at(memory, alpha / 2);
    return (struct hodges_noise){spread, spread};
}

/* The p that goes with a widened interval: the normal one of the rank test with
 * its standard deviation stretched as the interval was. */
static double widened_p(double p, struct memory memory)
{
    if (memory.df == 0 || !(p < 1)) return p;
    double z = -dist_normal_quantile(p / 2) / sqrt(memory.inflation);
    return dist_t_two_sided(z, memory.df);
}

/* Interval of B - A on the scale that decides (logarithms for ratios), and of
 * the plain shift. */
static void measure_unpaired(struct verdict_work *w, struct arena scratch,
                             struct verdict_answer *answer)
{
    size_t m = answer->arm[0].n;
    size_t n = answer->arm[1].n;
    struct memory memory = memory_of_arms(scratch, w, answer);
    w->is_widened = memory.df > 0;
    const double *a = w->is_ratio ? logarithms(&scratch, w->a, m) : w->a;
    const double *b = w->is_ratio ? logarithms(&scratch, w->b, n) : w->b;
    struct hodges_noise noise = noise_at(memory, w->alpha);
    w->wide = hodges_shift(scratch, b, n, a, m, w->alpha, noise);
    w->narrow = hodges_shift(scratch, b, n, a, m, 2 * w->alpha, noise_at(memory, 2 * w->alpha));
    struct hodges shift = hodges_shift(scratch, w->b, n, w->a, m, w->alpha, noise);
    answer->effect.shift = shift.estimate;
    answer->effect.shift_low = shift.low;
    answer->effect.shift_high = shift.high;
    answer->p = widened_p(answer->mann_whitney.p, memory);
}

/* Finite, even where the true difference is beyond the doubles. */
static double *differences(struct arena *out, const double *a, const double *b, size_t n)
{
    double *d = arena_new(out, double, n + 1);
    for (size_t i = 0; i < n; i++) d[i] = fmin(DBL_MAX, fmax(-DBL_MAX, b[i] - a[i]));
    return d;
}

static void measure_pairs(struct verdict_work *w, struct arena scratch,
                          struct verdict_answer *answer)
{
    size_t n = answer->arm[0].n;
    const double *plain = differences(&scratch, w->a, w->b, n);
    const double *d = plain;
    if (w->is_ratio) {
        const double *log_a = logarithms(&scratch, w->a, n);
        const double *log_b = logarithms(&scratch, w->b, n);
        d = differences(&scratch, log_a, log_b, n);
    }
    struct memory memory = memory_of_pairs(scratch, d, answer);
    w->is_widened = memory.df > 0;
    struct hodges_noise noise = noise_at(memory, w->alpha);
    struct hodges_noise noise_2 = noise_at(memory, 2 * w->alpha);
    if (w->q->is_alternating) {
        noise.spread_x = fmax(noise.spread_x, ALTERNATING_SPREAD);
        noise_2.spread_x = fmax(noise_2.spread_x, ALTERNATING_SPREAD);
    }
    w->wide = hodges_centre(scratch, d, n, w->alpha, noise);
    w->narrow = hodges_centre(scratch, d, n, 2 * w->alpha, noise_2);
    struct hodges shift = hodges_centre(scratch, plain, n, w->alpha, noise);
    answer->effect.shift = shift.estimate;
    answer->effect.shift_low = shift.low;
    answer->effect.shift_high = shift.high;
    answer->signed_rank = rank_signed(scratch, d, n, RANK_TWO_SIDED, RANK_AUTO);
    answer->p = widened_p(answer->signed_rank.p, memory);
}

static enum verdict decide(const struct verdict_work *w)
{
    if (!w->wide.has_interval || w->wide.is_short) return VERDICT_UNDECIDED;
    bool is_inside =
        !w->narrow.is_short && w->narrow.low >= -w->limit && w->narrow.high <= w->limit;
    if (is_inside && w->q->margin > 0) return VERDICT_EQUIVALENT;
    bool is_higher = w->wide.low > 0;
    bool is_lower = w->wide.high < 0;
    if (!is_higher && !is_lower) return VERDICT_UNDECIDED;
    return is_higher == w->q->higher_is_better ? VERDICT_BETTER : VERDICT_WORSE;
}

/* From the interval itself, so that shape, ties, memory and small n are in it:
 * its width stands for 2 z standard errors. */
static double detectable(const struct verdict_work *w, const struct verdict_answer *answer)
{
    double width = w->wide.high - w->wide.low;
    if (!w->wide.has_interval || !(width > 0)) return (double)NAN;
    double z = dist_normal_quantile(1 - w->alpha / 2);
    double effect = width / (2 * z) * (z + dist_normal_quantile(VERDICT_POWER));
    if (w->is_ratio) return exp(effect) - 1;
    double median = fabs(answer->arm[0].median);
    return median > 0 ? effect / median : (double)NAN;
}

static bool is_sound(const struct verdict_question *q, struct error *err)
{
    if (q->is_paired && q->a_count != q->b_count) {
        return error_set(err, ERROR_INVALID,
                         "paired samples need as many values on both sides; A has %zu, B has "
                         "%zu: leave out --paired, or the trials that have no partner",
                         q->a_count, q->b_count);
    }
    if (!(q->alpha >= 0 && q->alpha < 0.5)) {
        return error_set(err, ERROR_INVALID, "alpha must be above 0 and below 0.5 (is %g)",
                         q->alpha);
    }
    if (!(q->margin >= 0 && isfinite(q->margin))) {
        return error_set(err, ERROR_INVALID, "the equivalence margin must be 0 or more (is %g)",
                         q->margin);
    }
    return true;
}

static void inform(struct arena scratch, const struct verdict_work *w,
                   struct verdict_answer *answer)
{
    size_t m = answer->arm[0].n;
    size_t n = answer->arm[1].n;
    describe_arm(scratch, w->a, &answer->arm[0]);
    describe_arm(scratch, w->b, &answer->arm[1]);
    answer->mann_whitney =
        rank_mann_whitney(scratch, w->a, m, w->b, n, RANK_TWO_SIDED, RANK_AUTO);
    struct moments of_a = moments_of(w->a, m);
    struct moments of_b = moments_of(w->b, n);
    answer->welch = welch_test(&of_a, &of_b);
    answer->ks = ks_test(scratch, w->a, m, w->b, n);
    struct cliff cliff = cliff_delta(scratch, w->b, n, w->a, m, w->alpha);
    answer->effect.cliffs_delta = cliff.delta;
    answer->effect.cliffs_label = cliff.label;
}

static void judge(struct arena scratch, struct verdict_work *w, struct verdict_answer *answer)
{
    take_values(w, &scratch, answer);
    inform(scratch, w, answer);
    size_t m = answer->arm[0].n;
    size_t n = answer->arm[1].n;
    w->is_ratio = m > 0 && n > 0 && all_positive(w->a, m) && all_positive(w->b, n);
    if (w->q->is_paired) {
        measure_pairs(w, scratch, answer);
    } else {
        measure_unpaired(w, scratch, answer);
    }
    double margin = w->q->margin;
    w->limit = w->is_ratio ? log1p(margin) : margin * fabs(answer->arm[0].median);
    answer->verdict = decide(w);
    answer->effect.ratio = w->is_ratio ? exp(w->wide.estimate) : (double)NAN;
    answer->effect.low = w->is_ratio ? exp(w->wide.low) : (double)NAN;
    answer->effect.high = w->is_ratio ? exp(w->wide.high) : (double)NAN;
    answer->mde = detectable(w, answer);
    answer->is_short = w->wide.is_short;
    w->a = w->b = NULL; /* scratch, free on return */
}

bool verdict_compare(const struct verdict_question *question, struct arena *out,
                     struct verdict_answer *answer, struct error *err)
{
    if (!is_sound(question, err)) return false;
    *answer = (struct verdict_answer){.p = 1, .signed_rank.p = (double)NAN};
    struct verdict_work w = {.q = question, .alpha = question->alpha};
    if (w.alpha == 0) w.alpha = VERDICT_ALPHA;
    judge(*out, &w, answer);
    verdict_say(&w, out, answer);
    return true;
}
