#include "judge/worsening_internal.h"

#include "stats/dist.h"
#include "stats/proportion.h"
#include "stats/quantile.h"
#include "stats/verdict.h"

#include <math.h>

enum { PAIRS_LEAST = 6 }; /* below, no arrangement of signs is rarer than 5 % */

/* ---- shares ---- */

double worsening_shares_p(int64_t hits1, int64_t n1, int64_t hits2, int64_t n2, double limit)
{
    if (n1 == 0 || n2 == 0) return 1;
    double estimate = (double)hits1 / (double)n1 - (double)hits2 / (double)n2;
    if (!(estimate > limit)) return 1;
    double low = 0; /* confidence: interval above the limit */
    double high = 1;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        struct proportion p = proportion_newcombe(hits1, n1, hits2, n2, middle);
        if (p.low > limit) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 1 - low;
}

static bool are_shares(const struct units *u)
{
    for (size_t i = 0; i < u->count; i++) {
        if (isfinite(u->values[i]) && !(u->values[i] >= 0 && u->values[i] <= 1)) return false;
    }
    return true;
}

static bool are_flags(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (values[i] != 0 && values[i] != 1) return false;
    }
    return true;
}

static int64_t count_ones(const double *values, size_t n)
{
    int64_t ones = 0;
    for (size_t i = 0; i < n; i++) ones += values[i] > 0;
    return ones;
}

/* `sign` 1: more is worse. */
static void measure_flags(const double *a, const double *b, double sign, double limit,
                          double alpha, struct worsening *w)
{
    int64_t n[2] = {(int64_t)w->n[0], (int64_t)w->n[1]};
    int64_t bad[2] = {count_ones(a, w->n[0]), count_ones(b, w->n[1])};
    if (sign < 0) {
        for (int i = 0; i < 2; i++) bad[i] = n[i] - bad[i];
    }
    struct proportion d = proportion_newcombe(bad[1], n[1], bad[0], n[0], 1 - alpha);
    w->method = "newcombe";
    w->low = d.low;
    w->high = d.high;
    w->p = worsening_shares_p(bad[1], n[1], bad[0], n[0], limit);
}

/* Student's interval; no p can be rarer than one arrangement of all signs. */
static void set_student(struct worsening *w, double se, double df, double limit, double alpha)
{
    double half = dist_t_quantile(1 - alpha / 2, df) * se;
    w->low = w->amount - half;
    w->high = w->amount + half;
    if (!(w->amount > limit)) return;
    w->p = se > 0 ? dist_t_two_sided((w->amount - limit) / se, df) : 0;
    w->p = fmax(w->p, exp2(1 - (double)w->n[0]));
}

static void measure_means(const double *a, const double *b, double sign, double limit,
                          double alpha, struct worsening *w)
{
    struct moments m[2] = {moments_of(a, w->n[0]), moments_of(b, w->n[1])};
    size_t least = w->n[0] < w->n[1] ? w->n[0] : w->n[1];
    if (least < PAIRS_LEAST) {
        w->why = "fewer than 6 values a side";
        return;
    }
    if (w->is_paired) {
        struct moments d = {0};
        for (size_t i = 0; i < w->n[0]; i++) moments_add(&d, sign * (b[i] - a[i]));
        w->method = "student, paired";
        set_student(w, moments_sd(&d) / sqrt((double)d.count), (double)d.count - 1, limit,
                    alpha);
        return;
    }
    struct welch t = welch_test(&m[1], &m[0]);
    double se = sqrt(moments_variance(&m[0]) / (double)m[0].count +
                     moments_variance(&m[1]) / (double)m[1].count);
    w->method = "welch";
    set_student(w, se, t.is_degenerate ? (double)least - 1 : t.df, limit, alpha);
}

/* Finite values only; of a pair, both or none. */
static void keep_finite(struct units u[2], bool is_paired)
{
    if (is_paired) {
        size_t n = 0;
        for (size_t i = 0; i < u[0].count; i++) {
            if (!isfinite(u[0].values[i]) || !isfinite(u[1].values[i])) continue;
            u[0].values[n] = u[0].values[i];
            u[1].values[n++] = u[1].values[i];
        }
        u[0].count = u[1].count = n;
        return;
    }
    for (int s = 0; s < 2; s++) {
        size_t n = 0;
        for (size_t i = 0; i < u[s].count; i++) {
            if (isfinite(u[s].values[i])) u[s].values[n++] = u[s].values[i];
        }
        u[s].count = n;
    }
}

static void measure_points(struct units u[2], double sign, double limit, double alpha,
                           struct worsening *w)
{
    keep_finite(u, w->is_paired);
    w->is_points = true;
    for (int i = 0; i < 2; i++) w->n[i] = u[i].count;
    if (w->n[0] == 0 || w->n[1] == 0) {
        w->why = w->n[0] == 0 ? "the baseline has no values" : "the current one has no values";
        return;
    }
    w->baseline = moments_of(u[0].values, w->n[0]).mean;
    w->current = moments_of(u[1].values, w->n[1]).mean;
    w->amount = sign * (w->current - w->baseline);
    bool is_binary = are_flags(u[0].values, w->n[0]) && are_flags(u[1].values, w->n[1]);
    if (is_binary) {
        measure_flags(u[0].values, u[1].values, sign, limit, alpha, w);
    } else {
        measure_means(u[0].values, u[1].values, sign, limit, alpha, w);
    }
    double z = dist_normal_quantile(1 - alpha / 2);
    if (w->high > w->low) {
        w->mde = (w->high - w->low) / (2 * z) * (z + dist_normal_quantile(VERDICT_POWER));
    }
}

/* ---- values of any kind ---- */

/* Baseline over a change by exactly the limit has no effect left. */
static bool test_limit(const struct verdict_question *q, const struct verdict_answer *plain,
                       double sign, double limit, struct arena *out, double *p,
                       struct error *err)
{
    struct verdict_question moved = *q;
    bool is_ratio = !isnan(plain->effect.ratio);
    double factor = 1 + sign * limit;
    double shift = sign * limit * fabs(plain->arm[0].median);
    double *b = arena_new(out, double, q->b_count + 1);
    *p = 1;
    if (is_ratio && !(factor > 0)) return true;
    for (size_t i = 0; i < q->b_count; i++) {
        b[i] = is_ratio ? q->b[i] / factor : q->b[i] - shift;
    }
    moved.b = b;
    struct verdict_answer answer;
    if (!verdict_compare(&moved, out, &answer, err)) return false;
    double beyond = is_ratio ? log(answer.effect.ratio) : answer.effect.shift;
    if (sign * beyond > 0) *p = answer.p;
    return true;
}

static double relative(double shift, double baseline)
{
    return shift == 0 ? 0 : shift / fabs(baseline);
}

static void take_effect(const struct verdict_answer *a, double sign, struct worsening *w)
{
    const struct verdict_effect *e = &a->effect;
    bool is_ratio = !isnan(e->ratio);
    double middle = is_ratio ? e->ratio - 1 : relative(e->shift, w->baseline);
    double low = is_ratio ? e->low - 1 : relative(e->shift_low, w->baseline);
    double high = is_ratio ? e->high - 1 : relative(e->shift_high, w->baseline);
    w->amount = sign * middle;
    w->low = sign > 0 ? low : -high;
    w->high = sign > 0 ? high : -low;
}

/* `is_level`: of several runs, which widen the interval by what they differ. */
static bool measure_values(struct units u[2], double sign, const struct worsening_question *q,
                           double alpha, bool is_level, struct arena *out, struct worsening *w,
                           struct error *err)
{
    struct verdict_question question = {
        .a = u[0].values,
        .a_count = u[0].count,
        .b = u[1].values,
        .b_count = u[1].count,
        .is_paired = w->is_paired,
        .higher_is_better = sign < 0,
        .alpha = alpha,
    };
    struct verdict_answer answer;
    if (!verdict_compare(&question, out, &answer, err)) return false;
    w->method = "hodges-lehmann";
    w->baseline = answer.arm[0].median;
    w->current = answer.arm[1].median;
    w->mde = answer.mde;
    for (int i = 0; i < 2; i++) w->n[i] = answer.arm[i].n;
    take_effect(&answer, sign, w);
    if (isnan(w->low)) {
        w->why = answer.note_count ? answer.notes[0] : "too few values for an interval";
        w->low = w->high = NAN;
        return true;
    }
    if (answer.is_short && !is_level) {
        w->why = "the values depend on each other so much that all of them together are too "
                 "few for an interval: measure longer, or run it again";
        return true;
    }
    return test_limit(&question, &answer, sign, q->limit, out, &w->p, err);
}

/* ---- what is held against what ---- */

/* 1 for each trial that failed; NaN where we did. */
static struct view_metric failures_of(const struct view_cell *cell, struct arena *out)
{
    double *samples = arena_new(out, double, cell->trial_count + 1);
    for (size_t i = 0; i < cell->trial_count; i++) {
        samples[i] = cell->statuses[i] != TRIAL_OK;
        if (cell->statuses[i] == TRIAL_HARNESS_ERROR) samples[i] = NAN;
    }
    return (struct view_metric){.name = WORSENING_FAILURES,
                                .unit = "1",
                                .direction = DIRECTION_LOWER,
                                .samples = samples,
                                .count = cell->trial_count,
                                .is_rate = true};
}

/* No answer is a wrong answer, where the cell has judged any. */
static struct view_metric answers_of(const struct view_cell *cell, const struct view_metric *m,
                                     struct arena *out)
{
    struct view_metric filled = *m;
    if (m->n == 0 || strcmp(m->name, "accuracy") != 0) return filled;
    double *samples = arena_new(out, double, m->count + 1);
    for (size_t i = 0; i < m->count; i++) {
        uint8_t status = i < cell->trial_count ? cell->statuses[i] : TRIAL_OK;
        bool is_missing = isnan(m->samples[i]) && status != TRIAL_OK;
        samples[i] = is_missing && status != TRIAL_HARNESS_ERROR ? 0 : m->samples[i];
    }
    filled.samples = samples;
    return filled;
}

static struct units take_units(const struct view_cell *cell, const struct view_metric *metric,
                               struct arena *out)
{
    struct view_metric m = metric ? answers_of(cell, metric, out) : failures_of(cell, out);
    return units_of(cell, &m, out);
}

/* Those of the baseline, then the current ones. */
static struct units *units_of_runs(const struct worsening_question *q, size_t count[2],
                                   struct arena *out)
{
    struct units *runs = arena_new(out, struct units, q->run_count[0] + q->run_count[1] + 1);
    count[0] = count[1] = 0;
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < q->run_count[side]; i++) {
            const struct view_cell *cell = q->runs[side][i];
            const struct view_metric *like = q->metric[side];
            const struct view_metric *m = like ? view_find_alike(cell, like) : NULL;
            if (like && (!m || m->n == 0)) continue;
            runs[count[0] + count[1]] = take_units(cell, m, out);
            count[side]++;
        }
    }
    return runs;
}

const struct worsening worsening_none = {.baseline = NAN,
                                         .current = NAN,
                                         .amount = NAN,
                                         .low = NAN,
                                         .high = NAN,
                                         .p = 1,
                                         .mde = NAN,
                                         .run_sd = NAN,
                                         .method = "none"};

bool worsening_measure(const struct worsening_question *q, struct arena *out,
                       struct worsening *w, struct error *err)
{
    double alpha = q->alpha > 0 ? q->alpha : VERDICT_ALPHA;
    struct units u[2];
    struct units paired[2];
    *w = worsening_none;
    double sign = 1;
    bool is_score = !q->metric[0];
    for (int i = 0; i < 2; i++) {
        const struct view_metric *m = q->metric[i];
        if (m && m->direction == DIRECTION_HIGHER) sign = -1;
        u[i] = take_units(q->cell[i], m, out);
        is_score |= sign < 0 && strcmp(m->unit, "1") == 0;
    }
    is_score = is_score && are_shares(&u[0]) && are_shares(&u[1]);
    w->by_case = u[0].keys && u[1].keys;
    w->is_paired = w->by_case && units_pair(&u[0], &u[1], out, paired);
    if (w->is_paired) memcpy(u, paired, sizeof u);
    size_t count[2];
    struct units *runs = units_of_runs(q, count, out);
    bool is_several = count[0] > 0 && count[1] > 0 && count[0] + count[1] > 2;
    if (is_score) {
        measure_points(u, sign, q->limit, alpha, w);
    } else {
        double median[2] = {stats_median(*out, u[0].values, u[0].count),
                            stats_median(*out, u[1].values, u[1].count)};
        bool is_level = is_several && !w->by_case;
        if (is_level) worsening_level_runs(runs, count, u, out);
        if (!measure_values(u, sign, q, alpha, is_level, out, w, err)) return false;
        if (is_level) {
            w->baseline = median[0];
            w->current = median[1];
        }
    }
    if (!is_several) return true;
    bool are_shared = count[0] == q->run_count[0] && count[1] == q->run_count[1] &&
                      worsening_runs_are_shared(q->runs, q->run_count);
    worsening_widen_by_units(w, runs, count, are_shared, sign, q->limit, alpha, out);
    return true;
}

const char *worsening_text(const struct worsening *w, double amount, struct arena *out)
{
    if (isnan(amount)) return "-";
    if (isinf(amount)) return amount > 0 ? "more than 0" : "less than 0";
    double shown = fabs(amount) < 0.0005 ? 0 : 100 * amount; /* not "-0.0" */
    int decimals = fabs(shown) < 9.95 ? 1 : 0;
    return arena_printf(out, "%.*f %s", decimals, shown, w->is_points ? "points" : "%");
}

const char *worsening_effect(const struct worsening *w, struct arena *out)
{
    bool is_worse = w->amount >= 0;
    return arena_printf(out, "%s by %s [%s, %s]", is_worse ? "worse" : "better",
                        worsening_text(w, fabs(w->amount), out),
                        worsening_text(w, is_worse ? w->low : -w->high, out),
                        worsening_text(w, is_worse ? w->high : -w->low, out));
}

struct worsening_question worsening_question_of(const struct baseline_pair *p,
                                                const struct view_metric *then,
                                                const struct view_metric *now, double limit,
                                                double alpha)
{
    return (struct worsening_question){
        .cell = {p->baseline, p->current},
        .metric = {then, now},
        .limit = limit,
        .alpha = alpha,
        .runs = {p->runs[0], p->runs[1]},
        .run_count = {p->run_count[0], p->run_count[1]},
    };
}
