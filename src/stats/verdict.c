/* One comparison, in five steps: values onto the scale that decides, the interval
 * on it (exact ranks, stretched for memory; or shares), widened between runs,
 * then the verdict, p and mde from that interval alone. Whatever is printed next to
 * each other comes from the same interval, so it cannot contradict itself. */
#include "stats/verdict_internal.h"

#include "stats/autocorr.h"
#include "stats/dist.h"
#include "stats/hodges.h"
#include "stats/hull.h"

#include <float.h>
#include <math.h>

#define ALTERNATING_SPREAD 1.21
#define SHAPE_P            0.001
#define EDGE               1e-12 /* 1.1 is not beyond a limit of 10 %, whatever its last bit */
#define SUM_LEAST          4     /* values of each arm: fewer have no interval */
#define MEMORY_DF_LEAST    3     /* below, the price would hide a 20-fold change */

/* ---- the interval ---- */

/* On the scale that decides, from here on a value is one that nobody saw the end of. */
static double beyond(const struct verdict_work *w)
{
    return w->kind == KIND_RATIO ? VERDICT_BEYOND_LOG / 2 : VERDICT_BEYOND_PLAIN / 10;
}

/* Censored values as large as the largest that was seen: what memory is looked for in must
 * be a series of finite size. */
static const double *tamed(const struct verdict_work *w, const double *values, size_t n,
                           struct arena *scratch)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        if (fabs(values[i]) < beyond(w)) most = fmax(most, fabs(values[i]));
    }
    double *out = arena_new(scratch, double, n + 1);
    for (size_t i = 0; i < n; i++) {
        bool is_censored = fabs(values[i]) >= beyond(w);
        out[i] = is_censored ? copysign(most, values[i]) : values[i];
    }
    return out;
}

static void look_for_memory(struct verdict_work *w, struct arena scratch,
                            struct verdict_answer *answer)
{
    bool is_paired = w->q->is_paired;
    double total = is_paired ? (double)w->n[0] : (double)(w->n[0] + w->n[1]);
    double lost = is_paired ? 1 : 2;
    double memory = 1;
    if (!w->q->has_no_order && w->kind != KIND_SHARE && !w->is_sum) {
        const struct autocorr_series arms[2] = {
            {tamed(w, w->scaled[0], w->n[0], &scratch), w->n[0]},
            {tamed(w, w->scaled[1], w->n[1], &scratch), w->n[1]}};
        const struct autocorr_series pairs = {
            is_paired ? tamed(w, w->d, w->n[0], &scratch) : NULL, w->n[0]};
        memory = is_paired ? autocorr_pairs(scratch, &pairs) : autocorr_arms(scratch, arms);
    }
    w->spread = memory;
    if (is_paired && w->q->is_alternating) w->spread = fmax(w->spread, ALTERNATING_SPREAD);
    w->df[0] = fmax(1, total - lost);
    w->df[1] = fmin(w->df[0], fmax(MEMORY_DF_LEAST, total / w->spread - lost));
    if (w->spread == ALTERNATING_SPREAD) w->df[1] = w->df[0];
    for (int s = 0; s < 2; s++) answer->arm[s].effective_n = fmax(1, (double)w->n[s] / memory);
    if (memory > 1) {
        verdict_give_reason(answer,
                            (struct verdict_reason){.code = REASON_MEMORY,
                                                    .value = answer->arm[0].effective_n,
                                                    .other = answer->arm[1].effective_n});
    }
}

static struct hodges rank_interval(const struct verdict_work *w, double level,
                                   struct arena scratch)
{
    if (w->d) return hodges_centre(scratch, w->d, w->n[0], level);
    return hodges_shift(scratch, w->scaled[1], w->n[1], w->scaled[0], w->n[0], level);
}

/* The level of the widest rank interval: all differences. */
static double widest_level(const struct verdict_work *w)
{
    double m = (double)w->n[0];
    double n = (double)w->n[1];
    if (w->d) return exp2(1 - m);
    return 2 * exp(lgamma(m + 1) + lgamma(n + 1) - lgamma(m + n + 1));
}

static double stretch_at(const struct verdict_work *w, double level)
{
    double tail = 1 - level / 2;
    return sqrt(w->spread) * dist_t_quantile(tail, w->df[1]) / dist_t_quantile(tail, w->df[0]);
}

static bool sum_interval(const struct verdict_work *w, double level, double *low, double *high,
                         double *estimate)
{
    double sums[2] = {0, 0};
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < w->n[s]; i++) sums[s] += w->raw[s][i] / (double)w->n[s];
    }
    *estimate = log(sums[1] / sums[0]);
    typical_interval(&w->typical, level, low, high);
    bool has = *low > -(double)INFINITY && w->n[0] >= SUM_LEAST && w->n[1] >= SUM_LEAST;
    *low = has ? fmin(log(*low), *estimate) : (double)NAN;
    *high = has ? fmax(log(*high), *estimate) : (double)NAN;
    return has;
}

/* At a level below `nominal` that so few values have no interval for, it grows from their
 * widest one as Student's t does. */
static double grown_to(const struct verdict_work *w, double level, double widest)
{
    return dist_t_quantile(1 - level / 2, w->df[0]) / dist_t_quantile(1 - widest / 2, w->df[0]);
}

static bool case_interval(const struct verdict_work *w, double level, double *low, double *high,
                          double *estimate)
{
    double grown = 1;
    double widest = typical_least(&w->typical) * (1 + 1e-9);
    *estimate = moments_of(w->d, w->n[0]).mean;
    if (level < widest && level < w->nominal && widest < w->nominal) {
        grown = grown_to(w, level, widest);
        level = widest;
    }
    typical_interval(&w->typical, level, low, high);
    bool has = isfinite(*low) != 0;
    *low = has ? *estimate - grown * fmax(0, *estimate - *low) : (double)NAN;
    *high = has ? *estimate + grown * fmax(0, *high - *estimate) : (double)NAN;
    return has;
}

static bool interval_at(const struct verdict_work *w, double level, struct arena scratch,
                        double *low, double *high, double *estimate)
{
    if (w->kind == KIND_SHARE) {
        struct share_interval s = share_difference(&w->share, level, w->exact_p);
        *low = s.low;
        *high = s.high;
        *estimate = s.estimate;
        return !isnan(s.low);
    }
    if (w->is_sum) return sum_interval(w, level, low, high, estimate);
    if (w->is_of_cases) return case_interval(w, level, low, high, estimate);
    struct hodges h = rank_interval(w, level, scratch);
    double grown = 1;
    double widest = widest_level(w) * (1 + 1e-9) + 40 * DBL_EPSILON;
    if (!h.has_interval && level < w->nominal && widest < w->nominal) {
        h = rank_interval(w, widest, scratch);
        grown = grown_to(w, level, widest);
    }
    *estimate = h.estimate;
    *low = *high = (double)NAN;
    if (!h.has_interval) return false;
    double wider = w->spread > 1 ? grown * stretch_at(w, level) : grown;
    bool is_beyond = fabs(h.estimate) > beyond(w);
    if (is_beyond && wider > 1) { /* there is no middle to stretch from: a stricter level */
        double z = wider * dist_normal_quantile(1 - level / 2);
        double stricter = fmax(widest, 2 * dist_normal_upper(z));
        h = rank_interval(w, stricter, scratch);
        wider = 1;
    }
    *low = h.estimate - wider * (h.estimate - h.low);
    *high = h.estimate + wider * (h.high - h.estimate);
    return true;
}

/* ---- p ---- */

/* Which edge the estimate is beyond; NaN between them. */
static double edge_of(const struct verdict_work *w)
{
    double turned = w->sign * w->estimate;
    if (turned > w->sign * w->bad + EDGE) return w->bad;
    if (turned < w->sign * w->good - EDGE) return w->good;
    return (double)NAN;
}

/* Of an interval that reaches so far: at the edge p is alpha. */
static double p_of_reach(const struct verdict_work *w, double edge)
{
    double reach = w->estimate > edge ? w->estimate - w->low : w->high - w->estimate;
    double distance = fabs(w->estimate - edge);
    if (!(reach > 0)) return distance > 0 ? 0 : 1;
    double t = distance / reach * dist_t_quantile(1 - w->alpha / 2, w->df[1]);
    return dist_t_two_sided(t, w->df[1]);
}

/* Below what the draws can tell, as the interval says; never below what signs can. */
static double case_p(const struct verdict_work *w, double edge)
{
    double p = typical_p(&w->typical, edge);
    bool is_drawn = w->n[0] > TYPICAL_EXACT_MAX;
    if (!is_drawn || p > typical_least(&w->typical) * (1 + 1e-9)) return p;
    return fmax(exp2(1 - (double)w->n[0]), fmin(p, p_of_reach(w, edge)));
}

static double rank_p(const struct verdict_work *w, double edge, struct arena scratch)
{
    size_t n = w->n[1];
    double *moved = arena_new(&scratch, double, n + 1);
    const double *from = w->d ? w->d : w->scaled[1];
    for (size_t i = 0; i < n; i++) moved[i] = from[i] - edge;
    if (w->d) return rank_signed(scratch, moved, n, RANK_TWO_SIDED, RANK_AUTO).p;
    return rank_mann_whitney(scratch, moved, n, w->scaled[0], w->n[0], RANK_TWO_SIDED,
                             RANK_AUTO)
        .p;
}

/* The exact test where the interval is exact, unless ties make the two disagree. */
static double p_of(const struct verdict_work *w, struct arena scratch)
{
    double edge = edge_of(w);
    bool is_at_zero = w->bad == 0 && w->good == 0;
    if (w->kind == KIND_SHARE) {
        if (isnan(edge)) return is_at_zero ? w->exact_p : 1;
        return share_p(&w->share, edge, w->exact_p);
    }
    if (isnan(edge) && !is_at_zero) return 1;
    if (isnan(edge)) edge = 0;
    if (w->is_sum) return typical_p(&w->typical, exp(edge));
    bool is_beyond = w->low > edge + EDGE || w->high < edge - EDGE;
    double p = w->is_of_cases ? case_p(w, edge) : rank_p(w, edge, scratch);
    double reached = p_of_reach(w, edge);
    if ((p < w->alpha) != is_beyond) return reached;
    return w->spread > 1 ? fmax(p, reached) : p; /* memory never makes it surer */
}

/* ---- between runs ---- */

static void widen_between_runs(struct verdict_work *w, struct verdict_answer *answer)
{
    struct runs_difference x = verdict_between_runs(&w->q->runs);
    answer->run_sd = x.sd;
    if (isnan(x.se) || isnan(w->low)) return;
    double width = w->high - w->low;
    runs_widen(&x, w->alpha, &w->low, &w->high);
    runs_widen(&x, 2 * w->alpha, &w->narrow[0], &w->narrow[1]);
    double edge = edge_of(w);
    double beyond = fabs(x.d - (isnan(edge) ? 0 : edge));
    bool is_same_side = isnan(edge) || (x.d > edge) == (w->estimate > edge);
    double p = x.se > 0 ? dist_t_two_sided(beyond / x.se, x.df) : 0;
    if (!isnan(edge)) answer->p = fmax(answer->p, is_same_side ? p : 1);
    answer->needs_runs = w->high - w->low > 1.2 * width;
    if (answer->needs_runs) {
        verdict_give_reason(
            answer, (struct verdict_reason){.code = REASON_BETWEEN_RUNS, .value = x.sd});
    }
}

/* ---- verdict ---- */

static double onto_limit(const struct verdict_work *w, double share, double a_centre)
{
    if (w->kind == KIND_RATIO) return share > -1 ? log1p(share) : -(double)INFINITY;
    return w->kind == KIND_SHARE ? share : share * fabs(a_centre);
}

static void set_edges(struct verdict_work *w, double a_centre)
{
    double limit = w->q->limit;
    w->sign = w->q->higher_is_better ? -1 : 1;
    w->bad = onto_limit(w, w->sign * limit, a_centre);
    w->good = onto_limit(w, -w->sign * limit, a_centre);
    if (limit < 0) w->good = w->bad; /* "improves by at least": one edge */
}

static double margin_of(const struct verdict_work *w, double a_centre)
{
    if (w->kind == KIND_RATIO) return log1p(w->q->margin);
    return onto_limit(w, w->q->margin, a_centre);
}

static enum verdict decide(const struct verdict_work *w, double margin)
{
    if (isnan(w->low)) return VERDICT_UNDECIDED;
    bool is_inside = w->narrow[0] >= -margin && w->narrow[1] <= margin;
    if (is_inside && margin > 0 && !w->is_cut_apart) return VERDICT_EQUIVALENT;
    double near = w->sign > 0 ? w->low : -w->high;
    double far = w->sign > 0 ? w->high : -w->low;
    if (near > w->sign * w->bad + EDGE) return VERDICT_WORSE;
    return far < w->sign * w->good - EDGE ? VERDICT_BETTER : VERDICT_UNDECIDED;
}

/* From the interval itself, so that shape, ties, memory and small n are in it. Beyond
 * the limit, if there is one; never below an effect that was not shown. */
static double detectable(const struct verdict_work *w, struct verdict_answer *answer,
                         double a_centre)
{
    double half = (w->high - w->low) / 2;
    if (!(half > 0)) {
        if (!isnan(w->low))
            verdict_give_reason(answer, (struct verdict_reason){.code = REASON_NO_MDE_WIDTH});
        return (double)NAN;
    }
    double factor =
        (1 + dist_normal_quantile(VERDICT_POWER) / dist_normal_quantile(1 - w->alpha / 2)) *
        (1 + 0.8 / (double)w->n[0]); /* the width of few values is not sure itself */
    double limit = fabs(onto_limit(w, fmax(0, w->q->limit), a_centre));
    double effect = limit + factor * half;
    if (answer->verdict == VERDICT_UNDECIDED && effect < fabs(w->estimate)) {
        double side = w->estimate > 0 ? w->estimate - w->low : w->high - w->estimate;
        effect = fmax(limit + factor * side, fabs(w->estimate));
    }
    if (w->kind == KIND_RATIO) return expm1(effect);
    if (w->kind == KIND_SHARE) return fmin(1, effect);
    if (a_centre != 0) return effect / fabs(a_centre);
    verdict_give_reason(answer, (struct verdict_reason){.code = REASON_NO_MDE_ZERO});
    return (double)NAN;
}

/* The least n, of pairs or of each arm, that has an interval at the level. */
static double least_that_decides(const struct verdict_work *w)
{
    double n = 1;
    double level = 1;
    while (level >= w->alpha && n < 1000) {
        n++;
        level = w->d ? exp2(1 - n) : 2 * exp(2 * lgamma(n + 1) - lgamma(2 * n + 1));
    }
    return n;
}

static void note_few(const struct verdict_work *w, struct verdict_answer *answer)
{
    if (w->n[0] == 0 || w->n[1] == 0) return;
    double least = least_that_decides(w);
    double smaller = (double)(w->n[0] < w->n[1] ? w->n[0] : w->n[1]);
    bool is_hopeless =
        w->kind == KIND_SHARE ? w->d && smaller < least : !verdict_is_measured(answer);
    if (is_hopeless && answer->verdict == VERDICT_UNDECIDED) {
        verdict_give_reason(answer,
                            (struct verdict_reason){.code = REASON_TOO_FEW, .value = least});
    }
}

/* ---- values that do not vary ---- */

static bool is_constant(const double *values, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (fabs(values[i] - values[0]) > 1e-12 * fabs(values[0])) return false;
    }
    return n >= VERDICT_CONSTANT_LEAST;
}

/* Right or wrong may be constant by chance, and so may means of such (cases over passes, blocks
 * of requests): 3 of 3 and 0 of 3. A trial's own value between 0 and 1 is a grade, which
 * measures as any other value does: less noise must not make it say less. */
static bool are_grades(const struct verdict_work *w)
{
    bool are = false;
    for (int s = 0; s < 2 && w->n[s] > 0; s++) {
        bool is_between = w->raw[s][0] > 0 && w->raw[s][0] < 1;
        bool is_unsaid = (w->d || w->q->has_no_order) && !w->q->is_graded[s];
        bool is_mean = w->q->worth[s] > 1 || is_unsaid;
        if (is_between && is_mean) return false;
        are |= is_between;
    }
    return are;
}

/* True if the two are constants: then no chance is at work, and the difference is
 * what it is. */
static bool are_constants(struct verdict_work *w, struct verdict_answer *answer)
{
    if (w->is_cut_apart || (w->kind == KIND_SHARE && !are_grades(w))) return false;
    if (w->is_sum &&
        !(verdict_all_positive(w->raw[0], w->n[0]) && verdict_all_positive(w->raw[1], w->n[1])))
        return false;
    bool are = is_constant(w->scaled[0], w->n[0]) && is_constant(w->scaled[1], w->n[1]);
    if (w->d && !are &&
        w->kind != KIND_SHARE) { /* pairs that all differ by the same, or not at all */
        are = is_constant(w->d, w->n[0]) && fabs(w->d[0]) < beyond(w);
        if (are && w->d[0] == 0) return false; /* equal pairs that vary: ranks see it */
    }
    if (!are || verdict_between_runs(&w->q->runs).sd > 0) return false;
    double d = w->d ? w->d[0] : w->scaled[1][0] - w->scaled[0][0];
    if (isinf(w->raw[0][0]) && isinf(w->raw[1][0])) { /* both cut off: it may be anything */
        w->estimate = (double)NAN;
        w->low = w->narrow[0] = -(double)INFINITY;
        w->high = w->narrow[1] = (double)INFINITY;
        answer->p = 1;
        return true;
    }
    w->estimate = w->low = w->high = w->narrow[0] = w->narrow[1] = d;
    answer->is_tested = d != 0;
    answer->p = dist_told(d == 0);
    if (d != 0 && isnan(edge_of(w))) answer->p = 1;
    verdict_give_reason(
        answer, (struct verdict_reason){.code = d != 0 ? REASON_DETERMINISTIC : REASON_EQUAL});
    return true;
}

/* ---- the effect, for people ---- */

static double shown(double on_scale, bool is_log)
{
    if (is_log) return exp(on_scale);
    if (fabs(on_scale) > VERDICT_BEYOND_PLAIN / 10) return copysign((double)INFINITY, on_scale);
    return on_scale;
}

/* The shift of ratios is computed too, but decides nothing. */
static void fill_shift(const struct verdict_work *w, struct arena scratch,
                       struct verdict_answer *answer)
{
    struct verdict_effect *e = &answer->effect;
    if (w->kind != KIND_RATIO) {
        e->shift = shown(w->estimate, false);
        e->shift_low = shown(w->low, false);
        e->shift_high = shown(w->high, false);
        return;
    }
    if (w->is_sum || w->is_of_cases) { /* of the means, as the ratio is */
        double a = answer->arm[0].centre;
        e->shift = a * expm1(w->estimate);
        e->shift_low = a * expm1(w->low);
        e->shift_high = a * expm1(w->high);
        return;
    }
    const double *plain[2];
    for (int s = 0; s < 2; s++)
        plain[s] =
            verdict_onto_scale(&scratch, w->raw[s], w->n[s], false, VERDICT_BEYOND_PLAIN);
    const double *d = w->d ? verdict_differences(&scratch, plain[0], plain[1], w->n[0]) : NULL;
    struct hodges h = d ? hodges_centre(scratch, d, w->n[0], w->alpha)
                        : hodges_shift(scratch, plain[1], w->n[1], plain[0], w->n[0], w->alpha);
    double wider = w->spread > 1 && h.has_interval ? stretch_at(w, w->alpha) : 1;
    e->shift = shown(h.estimate, false);
    e->shift_low = shown(h.estimate - wider * (h.estimate - h.low), false);
    e->shift_high = shown(h.estimate + wider * (h.high - h.estimate), false);
}

static void fill_effect(const struct verdict_work *w, struct arena scratch,
                        struct verdict_answer *answer)
{
    struct verdict_effect *e = &answer->effect;
    fill_shift(w, scratch, answer);
    double a = answer->arm[0].mean;
    e->ratio = e->low = e->high = (double)NAN;
    if (w->kind == KIND_RATIO) {
        e->ratio = exp(w->estimate);
        e->low = exp(w->low);
        e->high = exp(w->high);
    } else if (w->kind == KIND_SHARE && a > 0) {
        e->ratio = 1 + w->estimate / a;
        e->low = 1 + w->low / a;
        e->high = 1 + w->high / a;
    }
    answer->narrow_low = shown(w->narrow[0], w->kind == KIND_RATIO);
    answer->narrow_high = shown(w->narrow[1], w->kind == KIND_RATIO);
}

static void note_verdict(const struct verdict_work *w, double margin,
                         struct verdict_answer *answer)
{
    if (isnan(w->low)) return;
    bool is_real = w->low > 0 || w->high < 0;
    if (answer->verdict == VERDICT_EQUIVALENT && is_real) {
        verdict_give_reason(answer, (struct verdict_reason){.code = REASON_REAL_BUT_SMALL});
    }
    if (w->q->margin > 0 && margin == 0 && !verdict_has(answer, REASON_EQUAL)) {
        verdict_give_reason(answer, (struct verdict_reason){.code = REASON_MARGIN_OF_ZERO});
    }
    bool is_level = answer->verdict != VERDICT_BETTER && answer->verdict != VERDICT_WORSE;
    if (is_level && w->spread <= ALTERNATING_SPREAD && answer->ks.p < SHAPE_P &&
        answer->p > 0.05) {
        verdict_give_reason(
            answer, (struct verdict_reason){.code = REASON_SHAPE, .value = answer->ks.p});
    }
}

static void judge(struct arena scratch, struct verdict_work *w, struct verdict_answer *answer)
{
    verdict_take_values(w, &scratch, answer);
    verdict_choose_scale(w, &scratch, answer);
    for (int s = 0; s < 2; s++) verdict_describe_arm(scratch, w, s, answer);
    if (!w->q->is_brief) verdict_inform(scratch, w, answer);
    double centre = answer->arm[0].centre;
    set_edges(w, centre);
    double ignored = 0;
    if (!are_constants(w, answer)) {
        look_for_memory(w, scratch, answer);
        answer->is_tested = interval_at(w, w->alpha, scratch, &w->low, &w->high, &w->estimate);
        (void)interval_at(w, 2 * w->alpha, scratch, &w->narrow[0], &w->narrow[1], &ignored);
        if (w->kind == KIND_SHARE)
            verdict_widen_shares(w->n[0] < w->n[1] ? w->n[0] : w->n[1], w->alpha, w->narrow);
        answer->p = answer->is_tested ? dist_told(p_of(w, scratch)) : 1;
        widen_between_runs(w, answer);
    }
    double margin = margin_of(w, centre);
    bool is_equal = verdict_has(answer, REASON_EQUAL);
    answer->kind = w->kind;
    answer->verdict = decide(w, margin);
    if (is_equal) answer->verdict = w->q->margin > 0 ? VERDICT_EQUIVALENT : VERDICT_UNDECIDED;
    double far = w->sign > 0 ? w->high : -w->low;
    answer->is_within = far <= w->sign * w->bad + EDGE;
    fill_effect(w, scratch, answer);
    answer->mde = detectable(w, answer, centre);
    note_verdict(w, margin, answer);
    bool is_level =
        answer->verdict == VERDICT_EQUIVALENT || answer->verdict == VERDICT_UNDECIDED;
    if (is_level && !w->q->is_brief) verdict_note_tail(scratch, w, answer);
    note_few(w, answer);
}

static bool is_sound(const struct verdict_question *q, struct error *err)
{
    if (q->is_paired && q->a_count != q->b_count) {
        return error_set(err, ERROR_INVALID,
                         "paired samples need as many values on both sides; A has %zu, B has "
                         "%zu: omit --paired, or the trials that have no partner",
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
    if (!isfinite(q->limit)) {
        return error_set(err, ERROR_INVALID, "the limit must be a finite number (is %g)",
                         q->limit);
    }
    for (size_t i = 0; q->kind == KIND_SHARE && i < q->a_count + q->b_count; i++) {
        double v = i < q->a_count ? q->a[i] : q->b[i - q->a_count];
        if (!isnan(v) && !(v >= 0 && v <= 1)) {
            return error_set(err, ERROR_INVALID,
                             "a share is 0 to 1 (is %g): compare as ratio or shift", v);
        }
    }
    return true;
}

static bool compare_closed(const struct verdict_question *question, struct arena scratch,
                           struct verdict_answer *answer, struct error *err)
{
    if (!is_sound(question, err)) return false;
    double alpha = question->alpha > 0 ? question->alpha : VERDICT_ALPHA;
    *answer = (struct verdict_answer){.p = 1,
                                      .mann_whitney = {(double)NAN, (double)NAN, false},
                                      .signed_rank.p = (double)NAN,
                                      .welch = {(double)NAN, (double)NAN, (double)NAN},
                                      .ks = {(double)NAN, (double)NAN},
                                      .effect.cliffs_delta = (double)NAN,
                                      .alpha = alpha,
                                      .margin = question->margin,
                                      .limit = question->limit,
                                      .is_paired = question->is_paired,
                                      .higher_is_better = question->higher_is_better,
                                      .is_of_cases = question->has_no_order,
                                      .run_sd = (double)NAN};
    struct verdict_work w = {.q = question, .alpha = alpha, .nominal = alpha, .spread = 1};
    if (question->nominal > alpha) w.nominal = question->nominal;
    w.low = w.high = w.estimate = w.narrow[0] = w.narrow[1] = (double)NAN;
    judge(scratch, &w, answer);
    hull_count(question, answer);
    answer->worst = answer->effect.shift;
    return true;
}

bool verdict_compare(const struct verdict_question *question, struct arena scratch,
                     struct verdict_answer *answer, struct error *err)
{
    if (!hull_is_open(question)) return compare_closed(question, scratch, answer, err);
    struct verdict_answer ways[HULL_WAYS];
    for (int i = 0; i < HULL_WAYS; i++) {
        struct verdict_question q = hull_close(question, (enum hull_way)i);
        if (!compare_closed(&q, scratch, &ways[i], err)) return false;
    }
    *answer = ways[HULL_KNOWN];
    hull_count(question, answer);
    hull_join(answer, &ways[HULL_AGAINST], &ways[HULL_FOR]);
    return true;
}

/* ---- intervals of others ---- */

static struct verdict_work work_of(const struct verdict_interval *v, struct verdict_question *q)
{
    *q = (struct verdict_question){.kind = v->kind,
                                   .higher_is_better = v->higher_is_better,
                                   .alpha = v->alpha,
                                   .margin = v->margin,
                                   .limit = v->limit};
    struct verdict_work w = {.q = q,
                             .alpha = v->alpha,
                             .nominal = v->alpha,
                             .kind = v->kind,
                             .n = {1000000, 1000000},
                             .spread = 1,
                             .df = {1e9, 1e9},
                             .low = v->low,
                             .high = v->high,
                             .narrow = {v->narrow[0], v->narrow[1]},
                             .estimate = v->estimate};
    set_edges(&w, v->a_centre);
    return w;
}

double verdict_edge(const struct verdict_interval *v, double estimate)
{
    struct verdict_question q;
    struct verdict_work w = work_of(v, &q);
    w.estimate = estimate;
    return edge_of(&w);
}

void verdict_settle(const struct verdict_interval *v, struct verdict_answer *answer)
{
    struct verdict_question q;
    struct verdict_work w = work_of(v, &q);
    double edge = edge_of(&w);
    answer->is_tested = !isnan(v->low);
    answer->p = isnan(edge) || isnan(v->low) ? 1 : p_of_reach(&w, edge);
    if (isnan(edge) && v->limit == 0 && !isnan(v->low)) answer->p = p_of_reach(&w, 0);
    answer->p = dist_told(answer->p);
    answer->verdict = decide(&w, margin_of(&w, v->a_centre));
    double far = w.sign > 0 ? w.high : -w.low;
    answer->is_within = far <= w.sign * w.bad + EDGE;
    answer->mde = detectable(&w, answer, v->a_centre);
}
