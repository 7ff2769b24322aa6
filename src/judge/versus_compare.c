/* The five metrics and the overall score of paired cases. */
#include "judge/versus_internal.h"
#include "stats/adjust.h"
#include "stats/bootstrap.h"
#include "stats/moments.h"
#include "stats/permutation.h"
#include "stats/power.h"
#include "stats/proportion.h"

#include <math.h>

enum { RESAMPLES = 4000, SIGN_DRAWS = 9999, MEANS_LEAST = 2 };

/* ---- differences of means ---- */

/* Of differences d between a and b, for which McNemar's test has a name. */
static double p_of(const struct versus_question *q, const double *a, const double *b,
                   const double *d, size_t n, const char **test)
{
    bool is_binary = true;
    for (size_t i = 0; i < n; i++) {
        is_binary = is_binary && (a[i] == 0 || a[i] == 1) && (b[i] == 0 || b[i] == 1);
    }
    int64_t up = 0;
    int64_t down = 0;
    for (size_t i = 0; i < n; i++) {
        up += d[i] > 0;
        down += d[i] < 0;
    }
    *test = is_binary ? "McNemar" : "sign flips";
    return is_binary ? proportion_mcnemar(down, up)
                     : permutation_signs(d, n, SIGN_DRAWS, q->seed).p;
}

static bool interval_of(const double *d, size_t n, double confidence, uint64_t seed,
                        struct arena scratch, struct bootstrap_interval *out)
{
    struct bootstrap_plan plan = {
        .samples = {{.values = d, .n = n}},
        .contrast = BOOTSTRAP_ONE,
        .statistic = BOOTSTRAP_MEAN,
        .method = BOOTSTRAP_PERCENTILE,
        .confidence = confidence,
        .resamples = RESAMPLES,
        .seed = seed,
    };
    struct error err = {0};
    return n >= MEANS_LEAST && bootstrap_interval(&plan, scratch, out, &err);
}

/* No difference among few cases is no proof that there is none. */
static bool is_equivalent(const struct versus_question *q, const double *d, size_t n,
                          struct arena scratch)
{
    struct bootstrap_interval narrow;
    double confidence = 1 - q->alpha;
    if (proportion_upper_if_none((int64_t)n, confidence) > q->margin) return false;
    return interval_of(d, n, 1 - 2 * q->alpha, q->seed, scratch, &narrow) &&
           narrow.low >= -q->margin && narrow.high <= q->margin;
}

void versus_means(const struct versus_question *q, const double *a, const double *b, size_t n,
                  struct arena scratch, struct versus_metric *m)
{
    struct bootstrap_interval wide = {.low = NAN, .high = NAN};
    double *d = arena_new(&scratch, double, n + 1);
    m->kind = VERSUS_DIFFERENCE;
    m->n = n;
    m->is_measured = n > 0;
    m->effect = m->low = m->high = m->p = m->mde = NAN;
    m->verdict = VERDICT_UNDECIDED;
    if (n == 0) return;
    for (size_t i = 0; i < n; i++) d[i] = b[i] - a[i];
    struct moments moments = moments_of(d, n);
    m->effect = moments.mean;
    m->p = p_of(q, a, b, d, n, &m->test);
    /* sd of one of two uncorrelated arms whose difference has the sd of d */
    struct power power = {
        .alpha = q->alpha, .sigma = moments_sd(&moments) / sqrt(2), .is_paired = true};
    m->mde = power_effect(&power, (double)n);
    if (!interval_of(d, n, 1 - q->alpha, q->seed, scratch, &wide)) return;
    if (!(moments_sd(&moments) > 0)) {
        /* Cases that are alike have no spread to go by. Others, whose scores may differ by 1
         * the other way, are at most this share: what n alike ones rule out. */
        m->mde = proportion_upper_if_none((int64_t)n, 1 - q->alpha);
        double reach = m->mde * (1 + fabs(m->effect));
        wide.low = fmax(m->effect - reach, -1);
        wide.high = fmin(m->effect + reach, 1);
    }
    m->low = wide.low;
    m->high = wide.high;
    if (is_equivalent(q, d, n, scratch)) {
        m->verdict = VERDICT_EQUIVALENT;
    } else if (m->p < q->alpha && (wide.low > 0 || wide.high < 0)) {
        m->verdict = wide.low > 0 ? VERDICT_BETTER : VERDICT_WORSE;
    }
}

/* ---- what verdict.h decides ---- */

static bool by_verdict(const struct versus_question *q, const double *a, const double *b,
                       size_t n, bool higher_is_better, struct arena *out,
                       struct versus_metric *m, struct error *err)
{
    struct verdict_answer answer = {0};
    struct verdict_question question = {.a = a,
                                        .a_count = n,
                                        .b = b,
                                        .b_count = n,
                                        .is_paired = true,
                                        .higher_is_better = higher_is_better,
                                        .alpha = q->alpha,
                                        .margin = q->margin};
    m->n = n;
    m->is_measured = n > 0;
    m->effect = m->low = m->high = m->p = m->mde = NAN;
    if (n == 0) return true;
    if (!verdict_compare(&question, out, &answer, err)) return false;
    bool is_ratio = !isnan(answer.effect.ratio);
    m->kind = is_ratio ? VERSUS_RATIO : VERSUS_DIFFERENCE;
    m->effect = is_ratio ? answer.effect.ratio : answer.effect.shift;
    m->low = is_ratio ? answer.effect.low : answer.effect.shift_low;
    m->high = is_ratio ? answer.effect.high : answer.effect.shift_high;
    m->verdict = answer.verdict;
    m->p = answer.p;
    m->mde = answer.mde;
    m->test = "signed rank";
    return true;
}

/* ---- the five, and overall ---- */

static double value_of(const struct case_row *row, size_t metric)
{
    if (metric == SCORE_SPEED) return row->values.duration_s;
    if (metric == SCORE_COST) return row->values.cost_usd;
    return row->score[metric];
}

static double overall_of(const struct versus *v, const struct versus_case *c, int side)
{
    unsigned shared = scores_present(c->row[0]->score) & scores_present(c->row[1]->score);
    return scores_overall(c->row[side]->score, v->weights, shared);
}

enum { OVERALL = SCORE_COUNT };

/* Pairs where both sides have a value. */
static size_t collect(const struct versus *v, size_t metric, double *a, double *b)
{
    size_t n = 0;
    for (size_t i = 0; i < v->case_count; i++) {
        const struct versus_case *c = &v->cases[i];
        double one = metric == OVERALL ? overall_of(v, c, 0) : value_of(c->row[0], metric);
        double two = metric == OVERALL ? overall_of(v, c, 1) : value_of(c->row[1], metric);
        if (isnan(one) || isnan(two)) continue;
        a[n] = one;
        b[n++] = two;
    }
    return n;
}

static const char *sentence_of(const struct versus *v, const struct versus_metric *m,
                               struct arena *out)
{
    const char *a = v->agent[0].name;
    const char *b = v->agent[1].name;
    int winner = versus_winner(m);
    char interval[120] = "";
    if (!isnan(m->low)) {
        snprintf(interval, sizeof interval, " [%.3g, %.3g]", m->low, m->high);
    }
    if (!m->is_measured) {
        return arena_printf(out, "%s: nothing to compare, no case has a value for both",
                            m->name);
    }
    const char *what = m->kind == VERSUS_RATIO ? "ratio" : "difference";
    if (winner >= 0) {
        return arena_printf(
            out, "%s: %s wins, %s of %s (%s to %s) %.3g%s over %zu cases, p = %.2g", m->name,
            winner ? b : a, what, m->compared, b, a, m->effect, interval, m->n, m->p_adjusted);
    }
    if (m->verdict == VERDICT_EQUIVALENT) {
        return arena_printf(out, "%s: equivalent, %s of %s %.3g%s over %zu cases", m->name,
                            what, m->compared, m->effect, interval, m->n);
    }
    const char *unseen =
        isnan(m->mde)
            ? "too few for an interval"
            : arena_printf(out, "a %s below %.2g could hardly have been seen",
                           m->kind == VERSUS_RATIO ? "relative change" : "difference", m->mde);
    return arena_printf(out, "%s: undecided, %s of %s %.3g%s over %zu cases; %s", m->name, what,
                        m->compared, m->effect, interval, m->n, unseen);
}

/* A difference that is not significant among five is not one. */
static void adjust(struct versus *v, struct arena scratch)
{
    double p[SCORE_COUNT];
    for (size_t m = 0; m < SCORE_COUNT; m++) p[m] = v->metrics[m].p;
    adjust_p(scratch, ADJUST_HOLM, p, SCORE_COUNT, p);
    for (size_t m = 0; m < SCORE_COUNT; m++) {
        struct versus_metric *metric = &v->metrics[m];
        metric->p_adjusted = p[m];
        if (versus_winner(metric) >= 0 && !(p[m] < v->question.alpha)) {
            metric->verdict = VERDICT_UNDECIDED;
        }
    }
}

static void compare_overall(struct versus *v, double *a, double *b, struct arena scratch)
{
    struct versus_metric *m = &v->overall;
    size_t n = collect(v, OVERALL, a, b);
    m->name = "overall";
    m->compared = "score";
    versus_means(&v->question, a, b, n, scratch, m);
    m->p_adjusted = m->p;
    for (int k = 0; k < 2; k++) {
        struct moments moments = moments_of(k ? b : a, n);
        m->score[k] = n ? moments.mean : (double)NAN;
    }
}

bool versus_compare(struct versus *v, struct arena *out, struct error *err)
{
    static const char *const compared[SCORE_COUNT] = {[SCORE_ACCURACY] = "score",
                                                      [SCORE_SPEED] = "duration_s",
                                                      [SCORE_EFFICIENCY] = "score",
                                                      [SCORE_COST] = "cost_usd",
                                                      [SCORE_RELIABILITY] = "score"};
    double *a = arena_new(out, double, v->case_count + 1);
    double *b = arena_new(out, double, v->case_count + 1);
    for (size_t i = 0; i < SCORE_COUNT; i++) {
        struct versus_metric *m = &v->metrics[i];
        size_t n = collect(v, i, a, b);
        m->compared = compared[i];
        if (i == SCORE_ACCURACY || i == SCORE_RELIABILITY) {
            versus_means(&v->question, a, b, n, *out, m);
        } else if (!by_verdict(&v->question, a, b, n, i == SCORE_EFFICIENCY, out, m, err)) {
            return false;
        }
    }
    adjust(v, *out);
    compare_overall(v, a, b, *out);
    for (size_t i = 0; i < SCORE_COUNT; i++) {
        v->metrics[i].sentence = sentence_of(v, &v->metrics[i], out);
    }
    v->overall.sentence = sentence_of(v, &v->overall, out);
    return true;
}
