/* The first two steps of a comparison: the values that count, and the scale that decides; and
 * what is known of each arm. A value that was cut off has a place on the scale: of trials,
 * which go by ranks, beyond all others; of cases, which go by their mean, the least that it
 * can be. */
#include "stats/verdict_internal.h"

#include "stats/autocorr.h"
#include "stats/cliff.h"
#include "stats/quantile.h"

#include <float.h>
#include <math.h>

#define TAIL_P     0.01
#define TAIL_SHARE 0.05
enum { SUM_SEED = 42, TAIL_LEAST = 20 };

void verdict_give_reason(struct verdict_answer *answer, struct verdict_reason reason)
{
    if (answer->reason_count < VERDICT_REASONS_MAX)
        answer->reasons[answer->reason_count++] = reason;
}

/* ---- values ---- */

static bool is_value(double v)
{
    return !isnan(v) && v > -(double)INFINITY;
}

/* Of a pair, both or none. */
void verdict_take_values(struct verdict_work *w, struct arena *scratch,
                         struct verdict_answer *answer)
{
    const struct verdict_question *q = w->q;
    const double *from[2] = {q->a, q->b};
    const size_t count[2] = {q->a_count, q->b_count};
    double censored = 0;
    for (int s = 0; s < 2; s++) {
        w->raw[s] = arena_new(scratch, double, count[s] + 1);
        for (size_t i = 0; i < count[s]; i++) {
            bool keep = is_value(from[s][i]) && (!q->is_paired || is_value(from[1 - s][i]));
            if (!keep) continue;
            w->raw[s][w->n[s]++] = from[s][i];
            censored += isinf(from[s][i]) != 0;
        }
    }
    double dropped = (double)(count[0] - w->n[0] + count[1] - w->n[1]);
    if (dropped > 0) {
        verdict_give_reason(answer,
                            (struct verdict_reason){.code = REASON_LEFT_OUT, .value = dropped});
    }
    if (censored > 0) {
        verdict_give_reason(
            answer, (struct verdict_reason){.code = REASON_CENSORED, .value = censored});
    }
}

bool verdict_all_positive(const double *values, size_t n)
{
    bool all = true;
    for (size_t i = 0; i < n; i++) all &= values[i] > 0;
    return all;
}

static double beyond_all(bool is_log)
{
    return is_log ? VERDICT_BEYOND_LOG : VERDICT_BEYOND_PLAIN;
}

const double *verdict_onto_scale(struct arena *scratch, const double *raw, size_t n,
                                 bool is_log, double cut)
{
    double *scaled = arena_new(scratch, double, n + 1);
    for (size_t i = 0; i < n; i++) {
        bool is_censored = isinf(raw[i]) != 0;
        scaled[i] = is_log ? log(raw[i]) : raw[i];
        if (is_censored) scaled[i] = cut;
    }
    return scaled;
}

/* Where the censored values of an arm are put. Ranks need no more than that they are beyond
 * all others. A mean of cases counts them as the time after which they were cut off, or as
 * the largest value that was seen: the least that they can be. */
static double cut_of(const struct verdict_work *w, int s, bool is_log)
{
    if (!w->is_of_cases) return beyond_all(is_log);
    double cut = w->q->cut_at[s];
    for (int side = 0; side < 2 && !(w->q->cut_at[s] > 0); side++) {
        for (size_t i = 0; i < w->n[side]; i++) {
            if (isfinite(w->raw[side][i])) cut = fmax(cut, w->raw[side][i]);
        }
    }
    if (!is_log) return cut;
    return cut > 0 ? log(cut) : 0; /* both arms were cut off everywhere */
}

/* Of cases, one arm without an end where the other has one. */
static bool are_cut_apart(const struct verdict_work *w)
{
    for (size_t i = 0; w->is_of_cases && i < w->n[0]; i++) {
        if (isinf(w->raw[1][i]) != isinf(w->raw[0][i])) return true;
    }
    return false;
}

const double *verdict_differences(struct arena *scratch, const double *a, const double *b,
                                  size_t n)
{
    double *d = arena_new(scratch, double, n + 1);
    for (size_t i = 0; i < n; i++) d[i] = fmin(DBL_MAX, fmax(-DBL_MAX, b[i] - a[i]));
    return d;
}

/* Amounts from 0 on, of which something is there on both sides. */
static bool can_be_sums(const struct verdict_work *w)
{
    bool can = true;
    for (int s = 0; s < 2; s++) {
        double sum = 0;
        for (size_t i = 0; i < w->n[s]; i++) {
            can &= w->raw[s][i] >= 0 && isfinite(w->raw[s][i]);
            sum += w->raw[s][i];
        }
        can &= sum > 0;
    }
    return can;
}

/* Ranks take the few for noise, and of cases the few are part of what is asked about: of 20
 * cases of which 5 took 20 times as long, the centre by ranks does not move. */
static bool are_cases(const struct verdict_work *w)
{
    return w->q->has_no_order && w->q->is_paired && w->n[0] > 0 && !w->is_sum &&
           w->kind != KIND_SHARE;
}

void verdict_choose_scale(struct verdict_work *w, struct arena *scratch,
                          struct verdict_answer *answer)
{
    w->kind = w->q->kind == KIND_SUM ? KIND_RATIO : w->q->kind;
    w->is_sum = w->q->kind == KIND_SUM && can_be_sums(w);
    bool is_positive = w->is_sum || (verdict_all_positive(w->raw[0], w->n[0]) &&
                                     verdict_all_positive(w->raw[1], w->n[1]));
    if (w->kind == KIND_RATIO && !is_positive) {
        w->kind = KIND_SHIFT;
        verdict_give_reason(answer, (struct verdict_reason){.code = REASON_NOT_POSITIVE});
    }
    w->is_of_cases = are_cases(w);
    w->is_cut_apart = are_cut_apart(w);
    for (int s = 0; s < 2; s++) {
        bool is_log = w->kind == KIND_RATIO;
        w->scaled[s] =
            verdict_onto_scale(scratch, w->raw[s], w->n[s], is_log, cut_of(w, s, is_log));
    }
    if (w->q->is_paired)
        w->d = verdict_differences(scratch, w->scaled[0], w->scaled[1], w->n[0]);
    if (w->is_sum) {
        w->typical =
            w->q->is_paired
                ? typical_pairs(w->raw[0], w->raw[1], w->n[0], SUM_SEED, scratch)
                : typical_arms(w->raw[0], w->n[0], w->raw[1], w->n[1], SUM_SEED, scratch);
    }
    if (w->is_of_cases) w->typical = typical_mean(w->d, w->n[0], SUM_SEED, scratch);
    w->stratum = (struct share_stratum){w->raw[0], w->n[0], w->raw[1],
                                        w->n[1],   1,       {w->q->worth[0], w->q->worth[1]}};
    w->share = (struct share_question){&w->stratum, 1, w->q->is_paired, {0}};
    if (w->kind == KIND_SHARE) share_prepare(&w->share, scratch);
    if (w->kind == KIND_SHARE) w->exact_p = share_exact_p(&w->share, *scratch);
}

/* ---- what is known of each arm ---- */

void verdict_describe_arm(struct arena scratch, const struct verdict_work *w, int s,
                          struct verdict_answer *answer)
{
    struct verdict_arm *arm = &answer->arm[s];
    double *finite = arena_new(&scratch, double, w->n[s] + 1);
    size_t finite_count = 0;
    for (size_t i = 0; i < w->n[s]; i++) {
        if (isfinite(w->raw[s][i])) finite[finite_count++] = w->raw[s][i];
    }
    struct moments m = moments_of(finite, finite_count);
    size_t n = w->n[s];
    double *sorted = arena_new(&scratch, double, n + 1);
    memcpy(sorted, w->raw[s], n * sizeof *sorted);
    stats_sort_inplace(sorted, n);
    arm->n = n;
    arm->effective_n = (double)n;
    arm->mean = finite_count ? m.mean : (double)NAN;
    arm->sd = moments_sd(&m);
    arm->median = quantile_median(sorted, n);
    bool is_mean = w->kind == KIND_SHARE || w->is_sum || w->is_of_cases;
    arm->centre = is_mean ? arm->mean : arm->median;
    if (w->is_of_cases) { /* of all, as the effect is */
        double mean = moments_of(w->scaled[s], n).mean;
        arm->centre = w->kind == KIND_RATIO ? exp(mean) : mean;
    }
    arm->mad = quantile_mad(scratch, sorted, n);
    arm->p95 = quantile_of(sorted, n, 0.95);
    arm->p99 = quantile_of(sorted, n, 0.99);
    arm->lag1 = autocorr_lag1(finite, finite_count);
    bool is_said = w->q->is_paired && s == 1; /* of pairs both are empty */
    if (n == 0 && !is_said)
        verdict_give_reason(answer, (struct verdict_reason){.code = REASON_EMPTY, .arm = s});
    if (n == 1)
        verdict_give_reason(answer,
                            (struct verdict_reason){.code = REASON_ONE_VALUE, .arm = s});
    if (n > 1 && sorted[0] == sorted[n - 1]) {
        verdict_give_reason(answer, (struct verdict_reason){
                                        .code = REASON_CONSTANT, .arm = s, .value = sorted[0]});
    }
}

/* For information only. */
void verdict_inform(struct arena scratch, const struct verdict_work *w,
                    struct verdict_answer *answer)
{
    const double *a = w->raw[0];
    const double *b = w->raw[1];
    answer->mann_whitney =
        rank_mann_whitney(scratch, a, w->n[0], b, w->n[1], RANK_TWO_SIDED, RANK_AUTO);
    struct moments m[2] = {{0}};
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < w->n[s]; i++) {
            if (isfinite(w->raw[s][i])) moments_add(&m[s], w->raw[s][i]);
        }
    }
    answer->welch = welch_test(&m[0], &m[1]);
    answer->ks = ks_test(scratch, a, w->n[0], b, w->n[1]);
    struct cliff cliff = cliff_delta(scratch, b, w->n[1], a, w->n[0], w->alpha);
    answer->effect.cliffs_delta = cliff.delta;
    answer->effect.cliffs_label = cliff.label;
    if (w->d)
        answer->signed_rank = rank_signed(scratch, w->d, w->n[0], RANK_TWO_SIDED, RANK_AUTO);
}

/* Fisher's exact test of the values beyond A's 95th percentile (the 5th where higher is
 * better). The percentile is A's own, so that a twentieth of A is beyond it at most; A/A pairs
 * of 60 values are noted in tests/stats/verdict_grades_test.c. */
void verdict_note_tail(struct arena scratch, const struct verdict_work *w,
                       struct verdict_answer *answer)
{
    if (w->kind == KIND_SHARE || w->q->is_paired || w->n[0] < TAIL_LEAST ||
        w->n[1] < TAIL_LEAST)
        return;
    double sign = w->q->higher_is_better ? -1 : 1;
    double *turned = arena_new(&scratch, double, w->n[0] + 1);
    for (size_t i = 0; i < w->n[0]; i++) turned[i] = sign * w->raw[0][i];
    stats_sort_inplace(turned, w->n[0]);
    double edge = quantile_of(turned, w->n[0], 0.95);
    int64_t beyond[2] = {0, 0};
    const int64_t n[2] = {(int64_t)w->n[0], (int64_t)w->n[1]};
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < w->n[s]; i++) beyond[s] += sign * w->raw[s][i] > edge;
    }
    double share[2];
    for (int s = 0; s < 2; s++) share[s] = (double)beyond[s] / (double)n[s];
    if (share[1] > TAIL_SHARE && share[1] > share[0] && share_fisher(beyond, n) < TAIL_P) {
        verdict_give_reason(
            answer, (struct verdict_reason){
                        .code = REASON_TAIL, .arm = 1, .value = share[1], .other = share[0]});
    }
}
