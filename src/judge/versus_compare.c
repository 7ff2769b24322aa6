/* The five metrics and the overall score of paired cases. Each is a family over the
 * benchmarks (stats/family.h): cases are paired within their benchmark, benchmarks
 * weigh the same, as in the leaderboard. */
#include "judge/versus_internal.h"
#include "stats/family.h"

#include <math.h>

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

/* The pairs of one benchmark where both sides have a value. */
static size_t collect(const struct versus *v, size_t metric, const char *benchmark, double *a,
                      double *b)
{
    size_t n = 0;
    for (size_t i = 0; i < v->case_count; i++) {
        const struct versus_case *c = &v->cases[i];
        if (c->benchmark != benchmark) continue;
        double one = metric == OVERALL ? overall_of(v, c, 0) : value_of(c->row[0], metric);
        double two = metric == OVERALL ? overall_of(v, c, 1) : value_of(c->row[1], metric);
        if (isnan(one) || isnan(two)) continue;
        a[n] = one;
        b[n++] = two;
    }
    return n;
}

static enum kind kind_of(size_t metric)
{
    if (metric == SCORE_COST) return KIND_SUM;
    return metric == SCORE_SPEED ? KIND_RATIO : KIND_SHARE;
}

/* One set of pairs of 0 and 1: the exact test has a name then. */
static bool are_flags(const struct family *f)
{
    const struct verdict_question *q = &f->cells[0].question;
    bool all = f->count == 1;
    for (size_t i = 0; all && i < q->a_count; i++) {
        all = (q->a[i] == 0 || q->a[i] == 1) && (q->b[i] == 0 || q->b[i] == 1);
    }
    return all;
}

static bool ask(const struct versus *v, size_t metric, struct arena *out,
                struct versus_metric *m, struct error *err)
{
    struct family_stratum *strata =
        arena_new(out, struct family_stratum, v->benchmark_count + 1);
    for (size_t i = 0; i < v->benchmark_count; i++) {
        double *a = arena_new(out, double, v->benchmarks[i].cases + 1);
        double *b = arena_new(out, double, v->benchmarks[i].cases + 1);
        size_t n = collect(v, metric, v->benchmarks[i].name, a, b);
        strata[i] = (struct family_stratum){a, b, n};
    }
    const struct verdict_question how = {.kind = kind_of(metric),
                                         .higher_is_better = kind_of(metric) == KIND_SHARE,
                                         .alpha = v->question.alpha,
                                         .margin = v->question.margin};
    struct family f;
    if (!family_ask_strata(strata, v->benchmark_count, &how, out, &f, err)) return false;
    m->is_measured = f.count > 0;
    m->kind = kind_of(metric) != KIND_SHARE ? VERSUS_RATIO : VERSUS_DIFFERENCE;
    m->effect = m->low = m->high = m->p = m->p_adjusted = m->mde = (double)NAN;
    m->verdict = VERDICT_UNDECIDED;
    if (f.count == 0) return true;
    m->answer = f.whole;
    if (f.whole.kind != KIND_RATIO) m->kind = VERSUS_DIFFERENCE;
    const struct verdict_effect *e = &f.whole.effect;
    bool is_ratio = m->kind == VERSUS_RATIO;
    m->verdict = f.whole.verdict;
    m->n = f.whole.arm[0].n;
    m->effect = is_ratio ? e->ratio : e->shift;
    m->low = is_ratio ? e->low : e->shift_low;
    m->high = is_ratio ? e->high : e->shift_high;
    m->p = m->p_adjusted = f.whole.p;
    m->mde = f.whole.mde;
    m->test = !is_ratio && are_flags(&f) ? "McNemar" : "sign flips";
    return true;
}

bool versus_compare(struct versus *v, struct arena *out, struct error *err)
{
    static const char *const compared[SCORE_COUNT] = {[SCORE_ACCURACY] = "score",
                                                      [SCORE_SPEED] = "duration_s",
                                                      [SCORE_EFFICIENCY] = "score",
                                                      [SCORE_COST] = "cost_usd",
                                                      [SCORE_RELIABILITY] = "score"};
    for (size_t i = 0; i < SCORE_COUNT; i++) {
        v->metrics[i].compared = compared[i];
        if (!ask(v, i, out, &v->metrics[i], err)) return false;
    }
    v->overall.name = "overall";
    v->overall.compared = "score";
    if (!ask(v, OVERALL, out, &v->overall, err)) return false;
    for (int k = 0; k < 2; k++) v->overall.score[k] = v->overall.answer.arm[k].mean;
    return true;
}
