/* The five metrics and the overall score of paired cases. Each is a family over the
 * benchmarks (stats/family.h): cases are paired within their benchmark, benchmarks
 * weigh the same, as in the leaderboard. */
#include "judge/versus_internal.h"
#include "stats/family.h"

#include <math.h>

/* ---- the five, and overall ---- */

enum { OVERALL = SCORE_COUNT };

/* What is known of a case, and the ends of what is not. */
enum way { KNOWN, LOWEST, HIGHEST, WAYS };

static const double *scores_at(const struct case_row *row, enum way way)
{
    return way == KNOWN ? row->score : row->ends[way - LOWEST];
}

static double value_of(const struct versus *v, const struct versus_case *c, size_t metric,
                       int side, enum way way)
{
    const struct case_row *row = c->row[side];
    if (metric != OVERALL) return scores_at(row, way)[metric];
    unsigned shared =
        scores_present(scores_at(c->row[0], way)) & scores_present(scores_at(c->row[1], way));
    return scores_overall(scores_at(row, way), v->weights, shared);
}

/* The pairs of units where both sides have a value, or may have one. */
static struct family_stratum collect_units(const struct units *paired, struct arena *out)
{
    const double *from[2][WAYS];
    double *to[2][WAYS];
    for (int k = 0; k < 2 * WAYS; k++) {
        const struct units *u = &paired[k / WAYS];
        int way = k % WAYS;
        from[k / WAYS][way] = way == KNOWN || !u->ends[0] ? u->values : u->ends[way - LOWEST];
        to[k / WAYS][way] = arena_new(out, double, u->count + 1);
    }
    struct family_stratum s = {.a = to[0][KNOWN],
                               .b = to[1][KNOWN],
                               .cut_at = {paired[0].cut_at, paired[1].cut_at},
                               .is_graded = {paired[0].is_graded, paired[1].is_graded}};
    for (size_t i = 0; i < paired[0].count; i++) {
        if (isnan(from[0][LOWEST][i]) || isnan(from[1][LOWEST][i])) continue;
        for (int k = 0; k < 2 * WAYS; k++)
            to[k / WAYS][k % WAYS][s.count] = from[k / WAYS][k % WAYS][i];
        s.count++;
    }
    bool is_open = paired[0].unknown > 0 || paired[1].unknown > 0;
    for (int k = 0; k < 2 && is_open; k++) {
        s.a_ends[k] = to[0][LOWEST + k];
        s.b_ends[k] = to[1][LOWEST + k];
    }
    return s;
}

/* The mean over the prompts by which both were asked the case; NaN where one has none. */
static double mean_of(const struct versus *v, const struct versus_case *c, size_t metric,
                      int side, enum way way)
{
    const struct versus_benchmark *b = &v->benchmarks[c->of];
    double sum = value_of(v, c, metric, side, way);
    size_t n = 1;
    for (size_t i = 0; b->prompts > 0 && i < v->case_count; i++) {
        const struct versus_case *other = &v->cases[i];
        bool is_it = other != c && v->benchmarks[other->of].of == c->of &&
                     strcmp(other->hash, c->hash) == 0;
        if (!is_it) continue;
        sum += value_of(v, other, metric, side, way);
        n++;
    }
    return sum / (double)n;
}

/* Efficiency and the overall: pairs of the cases' scores. */
static struct family_stratum collect_scores(const struct versus *v, size_t metric,
                                            const struct versus_benchmark *b, struct arena *out)
{
    if (&v->benchmarks[b->of] != b) return (struct family_stratum){0};
    double *values[2][WAYS];
    for (int i = 0; i < 2 * WAYS; i++)
        values[i / WAYS][i % WAYS] = arena_new(out, double, b->cases + 1);
    size_t n = 0;
    size_t open = 0;
    for (size_t i = 0; i < v->case_count; i++) {
        const struct versus_case *c = &v->cases[i];
        if (c->benchmark != b->name) continue;
        double at[2][WAYS];
        bool is_there = true;
        for (int k = 0; k < 2 * WAYS; k++) {
            double x = mean_of(v, c, metric, k / WAYS, (enum way)(k % WAYS));
            at[k / WAYS][k % WAYS] = x;
            is_there &= k % WAYS == KNOWN || !isnan(x);
        }
        if (!is_there) continue;
        for (int k = 0; k < 2 * WAYS; k++)
            values[k / WAYS][k % WAYS][n] = at[k / WAYS][k % WAYS];
        open += at[0][LOWEST] < at[0][HIGHEST] || at[1][LOWEST] < at[1][HIGHEST];
        n++;
    }
    struct family_stratum s = {.a = values[0][KNOWN], .b = values[1][KNOWN], .count = n};
    for (int k = 0; k < 2 && open > 0; k++) {
        s.a_ends[k] = values[0][LOWEST + k];
        s.b_ends[k] = values[1][LOWEST + k];
    }
    return s;
}

static enum kind kind_of(size_t metric)
{
    return metric == OVERALL ? KIND_SHARE : score_kind((enum score_id)metric);
}

/* One set of pairs of 0 and 1: the exact test has a name then. */
static bool are_flags(const struct family *f)
{
    const struct verdict_question *q = &f->cells[0].question;
    bool all = f->count == 1;
    for (size_t i = 0; all && i < q->a_count; i++) {
        all = (isnan(q->a[i]) || q->a[i] == 0 || q->a[i] == 1) &&
              (isnan(q->b[i]) || q->b[i] == 0 || q->b[i] == 1);
    }
    return all;
}

static bool ask_strata(const struct family_stratum *strata, size_t count, size_t metric,
                       struct verdict_question how, struct arena *out, struct family *f,
                       struct error *err)
{
    how.kind = kind_of(metric);
    how.higher_is_better = how.kind == KIND_SHARE;
    return family_ask_strata(strata, count, &how, out, f, err);
}

/* ---- what one side lacks ---- */

/* Values of a side that the other has: it failed there, or does not report them. */
struct lacks {
    size_t of[2];
    size_t cases;
};

static bool is_lacking(const struct units *u, size_t i)
{
    bool is_silent = u->is_silent && u->is_silent[i]; /* the others do not say what it cost */
    return is_silent || (isnan(u->values[i]) && !u->ends[0]);
}

static void count_lacks(const struct units *paired, struct lacks *l)
{
    l->cases += paired[0].count;
    for (size_t i = 0; i < paired[0].count; i++) {
        for (int k = 0; k < 2; k++)
            l->of[k] += is_lacking(&paired[k], i) && !is_lacking(&paired[!k], i);
    }
}

/* Whoever wins by what was seen must not owe it to what was not. Medians hardly move by a
 * twentieth; of money every case counts. */
static bool is_owed(const struct lacks *l, size_t metric, enum verdict v)
{
    double allowed = kind_of(metric) == KIND_SUM ? 0 : 0.05 * (double)l->cases;
    bool is_short[2] = {(double)l->of[0] > allowed, (double)l->of[1] > allowed};
    switch (v) {
    case VERDICT_BETTER: return is_short[1];
    case VERDICT_WORSE: return is_short[0];
    case VERDICT_EQUIVALENT: return is_short[0] || is_short[1];
    case VERDICT_UNDECIDED: break;
    }
    return false;
}

/* Cases that side k answered without saying what they cost, though the other did. */
static bool hides_cost(const struct versus *v, int k)
{
    for (size_t i = 0; i < v->case_count; i++) {
        const struct score_case *own = &v->cases[i].row[k]->values;
        const struct score_case *other = &v->cases[i].row[!k]->values;
        if (own->unpriced > 0 && !isnan(other->cost_usd)) return true;
    }
    return false;
}

bool versus_ask_units(const struct units (*paired)[2], size_t count, enum score_id score,
                      const struct verdict_question *how, struct arena *out,
                      struct verdict_answer *answer, struct error *err)
{
    struct family_stratum *strata = arena_new(out, struct family_stratum, count + 1);
    struct family f;
    struct lacks lacks = {0};
    for (size_t i = 0; i < count; i++) {
        strata[i] = collect_units(paired[i], out);
        count_lacks(paired[i], &lacks);
    }
    if (!ask_strata(strata, count, score, *how, out, &f, err)) return false;
    *answer = f.whole;
    if (!is_owed(&lacks, score, answer->verdict)) return true;
    answer->verdict = VERDICT_UNDECIDED;
    answer->is_tested = false; /* it tells nobody apart */
    return true;
}

static bool ask(const struct versus *v, size_t metric, struct arena *out,
                struct versus_metric *m, struct error *err)
{
    struct family_stratum *strata =
        arena_new(out, struct family_stratum, v->benchmark_count + 1);
    struct lacks lacks = {0};
    for (size_t i = 0; i < v->benchmark_count; i++) {
        const struct versus_benchmark *b = &v->benchmarks[i];
        bool is_measured = metric != OVERALL && versus_metric_of((enum score_id)metric);
        strata[i] = is_measured ? collect_units(b->paired[metric], out)
                                : collect_scores(v, metric, b, out);
        if (is_measured) count_lacks(b->paired[metric], &lacks);
    }
    const struct verdict_question how = {.alpha = v->question.alpha,
                                         .margin = v->question.margin};
    struct family f;
    if (!ask_strata(strata, v->benchmark_count, metric, how, out, &f, err)) return false;
    m->is_measured = f.count > 0;
    m->kind = kind_of(metric) != KIND_SHARE ? VERSUS_RATIO : VERSUS_DIFFERENCE;
    m->effect = m->low = m->high = m->p = m->mde = (double)NAN;
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
    m->p = f.whole.is_tested ? f.whole.p : (double)NAN;
    m->mde = f.whole.mde;
    m->test = !is_ratio && are_flags(&f) ? "McNemar" : "sign flips";
    memcpy(m->lacking, lacks.of, sizeof m->lacking);
    int ahead = versus_winner(m);
    m->is_owed = metric == OVERALL ? ahead >= 0 && hides_cost(v, ahead)
                                   : is_owed(&lacks, metric, m->verdict);
    if (m->is_owed) m->verdict = m->answer.verdict = VERDICT_UNDECIDED;
    return true;
}

bool versus_compare(struct versus *v, struct arena *out, struct error *err)
{
    for (size_t i = 0; i < SCORE_COUNT; i++) {
        const char *metric = versus_metric_of((enum score_id)i);
        v->metrics[i].compared = metric ? metric : "score by case";
        if (!ask(v, i, out, &v->metrics[i], err)) return false;
    }
    v->overall.name = "overall";
    v->overall.compared = "score by case";
    if (!ask(v, OVERALL, out, &v->overall, err)) return false;
    for (int k = 0; k < 2; k++) { /* as everywhere: of the scores, not of the cases */
        double five[SCORE_COUNT];
        for (size_t i = 0; i < SCORE_COUNT; i++) five[i] = v->metrics[i].score[k];
        v->overall.score[k] = scores_overall(five, v->weights, SCORES_ALL);
    }
    return true;
}
