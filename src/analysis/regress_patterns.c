/* Regressions that no single metric of a single benchmark shows. */
#include "analysis/regress_internal.h"

#include "analysis/compare.h"
#include "stats/dist.h"
#include "stats/drift.h"
#include "stats/hodges.h"
#include "stats/moments.h"
#include "stats/proportion.h"
#include "stats/quantile.h"
#include "stats/rank.h"

#include <ctype.h>
#include <math.h>

enum {
    SYSTEMIC_LEAST = 6,
    TAIL_LEAST = 40,
    SPREAD_LEAST = 20,
    HISTORY_MAX = 100,
    KINDS_MAX = 32
};

#define SYSTEMIC_PART 4   /* of the threshold */
#define SPREAD_GROWTH 0.5 /* half as much again */

static const struct worsening nothing = {.baseline = NAN,
                                         .current = NAN,
                                         .amount = NAN,
                                         .low = NAN,
                                         .high = NAN,
                                         .p = 1,
                                         .mde = NAN,
                                         .method = "pattern"};

static const struct baseline_pair *pair_of(const struct regress_work *w,
                                           const struct regress_row *row)
{
    return &w->r->set.pairs[row->pair];
}

/* ---- systemic: the same metric over many benchmarks ---- */

static void systemic(struct regress_work *w, const struct regress_row *first)
{
    double *logs = arena_new(w->out, double, w->metric_rows);
    size_t n = 0;
    double limit = log1p(first->threshold / SYSTEMIC_PART);
    for (size_t i = 0; i < w->metric_rows; i++) {
        const struct regress_row *row = &w->r->rows[i];
        bool fits = strcmp(row->metric, first->metric) == 0 && !row->w.is_points &&
                    strcmp(pair_of(w, row)->agent, pair_of(w, first)->agent) == 0 &&
                    row->w.amount > -1 && isfinite(row->w.amount);
        if (fits) logs[n++] = log1p(row->w.amount);
    }
    if (n < SYSTEMIC_LEAST) return;
    struct regress_row *row = regress_add_row(w, REGRESS_SYSTEMIC, first->pair, first->metric,
                                              first->unit, first->threshold / SYSTEMIC_PART);
    if (!row) return;
    /* Each is a median effect of many values, so that Student's interval will do;
     * the rank test's p of so few is never small enough among many questions. */
    struct moments m = moments_of(logs, n);
    double se = moments_sd(&m) / sqrt((double)n);
    double half = dist_t_quantile(1 - w->alpha / 2, (double)n - 1) * se;
    row->w = nothing;
    row->w.amount = expm1(m.mean);
    row->w.low = expm1(m.mean - half);
    row->w.high = expm1(m.mean + half);
    row->w.n[0] = row->w.n[1] = n;
    if (m.mean > limit && se > 0)
        row->w.p = dist_t_two_sided((m.mean - limit) / se, (double)n - 1);
}

static bool is_first_of_metric(const struct regress_work *w, size_t i)
{
    const struct regress_row *row = &w->r->rows[i];
    for (size_t k = 0; k < i; k++) {
        const struct regress_row *o = &w->r->rows[k];
        if (strcmp(o->metric, row->metric) == 0 &&
            strcmp(pair_of(w, o)->agent, pair_of(w, row)->agent) == 0)
            return false;
    }
    return true;
}

/* ---- tail and variance: what a median does not show ---- */

static double *sorted_of(const struct view_metric *m, struct arena *out, size_t *n)
{
    return stats_sort(out, m->samples, m->count, n);
}

/* Shares of values beyond the baseline's p95 and the threshold on top. */
static void tail(struct regress_work *w, const struct regress_row *of,
                 const struct view_metric *const m[2])
{
    size_t n[2];
    const double *v[2];
    for (int i = 0; i < 2; i++) v[i] = sorted_of(m[i], w->out, &n[i]);
    if (n[0] < TAIL_LEAST || n[1] < TAIL_LEAST) return;
    bool is_lower = m[0]->direction == DIRECTION_LOWER;
    double edge = quantile_of(v[0], n[0], is_lower ? 0.95 : 0.05);
    edge *= is_lower ? 1 + of->threshold : 1 - of->threshold;
    int64_t beyond[2] = {0, 0};
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < n[s]; i++)
            beyond[s] += is_lower ? v[s][i] > edge : v[s][i] < edge;
    }
    struct regress_row *row =
        regress_add_row(w, REGRESS_TAIL, of->pair, of->metric, of->unit, 0);
    if (!row) return;
    int64_t of_n[2] = {(int64_t)n[0], (int64_t)n[1]};
    struct proportion d =
        proportion_newcombe(beyond[1], of_n[1], beyond[0], of_n[0], 1 - w->alpha);
    row->w = nothing;
    row->w.is_points = true;
    row->w.baseline = (double)beyond[0] / (double)n[0];
    row->w.current = (double)beyond[1] / (double)n[1];
    row->w.amount = d.estimate;
    row->w.low = d.low;
    row->w.high = d.high;
    row->w.n[0] = n[0];
    row->w.n[1] = n[1];
    row->w.p = worsening_shares_p(beyond[1], of_n[1], beyond[0], of_n[0], 0);
}

/* Distances from each side's own median, as Brown and Forsythe take them, over
 * that median; by ranks. */
static void variance(struct regress_work *w, const struct regress_row *of,
                     const struct view_metric *const m[2])
{
    double *d[2];
    size_t n[2];
    for (int s = 0; s < 2; s++) {
        const double *v = sorted_of(m[s], w->out, &n[s]);
        double median = quantile_median(v, n[s]);
        d[s] = arena_new(w->out, double, n[s] + 1);
        for (size_t i = 0; i < n[s]; i++) d[s][i] = fabs(v[i] - median) / fabs(median);
    }
    if (n[0] < SPREAD_LEAST || n[1] < SPREAD_LEAST) return;
    double *moved = arena_new(w->out, double, n[1] + 1);
    size_t zeros[2] = {0, 0};
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < n[s]; i++) zeros[s] += d[s][i] == 0;
        stats_sort_inplace(d[s], n[s]);
    }
    for (size_t i = 0; i < n[1]; i++) moved[i] = d[1][i] / (1 + SPREAD_GROWTH);
    const double *y = d[0] + zeros[0]; /* the median itself has distance 0 */
    const double *x = d[1] + zeros[1];
    size_t ny = n[0] - zeros[0];
    size_t nx = n[1] - zeros[1];
    if (ny < SPREAD_LEAST / 2 || nx < SPREAD_LEAST / 2) return;
    struct hodges ratio =
        hodges_ratio(*w->out, x, nx, y, ny, w->alpha, (struct hodges_noise){0, 0});
    if (!ratio.has_interval) return;
    struct regress_row *row =
        regress_add_row(w, REGRESS_VARIANCE, of->pair, of->metric, of->unit, SPREAD_GROWTH);
    if (!row) return;
    row->w = nothing;
    row->w.baseline = quantile_median(y, ny);
    row->w.current = quantile_median(x, nx);
    row->w.amount = ratio.estimate - 1;
    row->w.low = ratio.low - 1;
    row->w.high = ratio.high - 1;
    row->w.n[0] = n[0];
    row->w.n[1] = n[1];
    if (row->w.amount > SPREAD_GROWTH) {
        row->w.p =
            rank_mann_whitney(*w->out, moved + zeros[1], nx, y, ny, RANK_TWO_SIDED, RANK_AUTO)
                .p;
    }
}

/* ---- slow drift ---- */

static double median_in(struct regress_work *w, const struct execution_record *e,
                        const struct view_metric *like)
{
    struct series_record *series = NULL;
    size_t count = 0;
    struct arena scratch = arena_open();
    double median = NAN;
    bool is_read = store_list_series(w->store, e->id, &scratch, &series, &count, NULL);
    for (size_t i = 0; is_read && i < count; i++) {
        const struct series_record *s = &series[i];
        bool fits = s->phase == PHASE_MEASURED && strcmp(s->metric, like->name) == 0 &&
                    strcmp(s->unit, like->unit) == 0 &&
                    strcmp(s->definition, like->definition) == 0;
        if (!fits) continue;
        size_t n = 0;
        const double *sorted = stats_sort(&scratch, s->samples, s->count, &n);
        median = quantile_median(sorted, n);
    }
    arena_close(&scratch);
    return median;
}

/* Medians of the cell's executions up to the current one, oldest first. */
static size_t history_of(struct regress_work *w, const struct baseline_pair *p,
                         const struct view_metric *metric, double *values)
{
    const struct execution_record *chosen[HISTORY_MAX];
    size_t n = 0;
    for (size_t i = 0; i < p->history_count && n < HISTORY_MAX; i++) {
        const struct execution_record *e = &p->history[i];
        bool fits = e->status == RUN_SUCCESS && e->start_ns <= p->current->record.start_ns &&
                    baseline_is_same_cell(e, &p->current->record);
        if (fits) chosen[n++] = e;
    }
    size_t kept = 0;
    for (size_t i = n; i-- > 0;) {
        double median = median_in(w, chosen[i], metric);
        if (isfinite(median)) values[kept++] = median;
    }
    return kept;
}

static void slow_drift(struct regress_work *w, const struct regress_row *of,
                       const struct view_metric *metric)
{
    const struct baseline_pair *p = pair_of(w, of);
    double values[HISTORY_MAX];
    double logs[HISTORY_MAX];
    if (p->history_count < DRIFT_MIN_N || of->w.is_points) return;
    size_t n = history_of(w, p, metric, values);
    for (size_t i = 0; i < n; i++) {
        if (!(values[i] > 0)) return;
    }
    if (n < DRIFT_MIN_N) return;
    double sign = metric->direction == DIRECTION_HIGHER ? -1 : 1;
    double step = 0;
    for (size_t i = 1; i < n; i++) {
        step = fmax(step, sign * (values[i] - values[i - 1]) / fabs(values[i - 1]));
    }
    double relative = drift_of(*w->out, values, n).relative;
    for (size_t i = 0; i < n; i++) logs[i] = log(values[i]); /* steady growth is straight */
    struct drift d = drift_of(*w->out, logs, n);
    struct regress_row *row =
        regress_add_row(w, REGRESS_DRIFT, of->pair, of->metric, of->unit, of->threshold);
    if (!row) return;
    row->w = nothing;
    row->w.baseline = values[0];
    row->w.current = values[n - 1];
    row->w.amount = sign * relative;
    row->w.n[0] = row->w.n[1] = n;
    row->w.mde = step; /* the largest step */
    bool fits = row->w.amount > of->threshold && step <= of->threshold && sign * d.tau > 0;
    row->w.p = fits ? d.p : 1;
    row->w.low = fits ? row->w.amount : 0; /* Mann-Kendall has no interval of its own */
    row->w.high = row->w.amount;
}

/* ---- new kinds of failure ---- */

/* Status and reason, with numbers taken out: "timed_out: longer than # s". */
static const char *kind_of(const struct trial_note *n, struct arena *out)
{
    char text[100];
    struct buf b;
    buf_over(&b, text, sizeof text);
    bool is_digit = false;
    for (const char *c = n->error ? n->error : ""; *c && *c != '\n' && b.n < 60; c++) {
        bool was_digit = is_digit;
        is_digit = isdigit((unsigned char)*c) || (was_digit && *c == '.');
        if (!is_digit) buf_add_char(&b, *c);
        if (is_digit && !was_digit) buf_add_char(&b, '#');
    }
    return arena_printf(out, "%s%s%.*s", trial_status_name(n->status), b.n ? ": " : "",
                        STR_ARG(buf_str(&b)));
}

struct kinds {
    const char *names[KINDS_MAX];
    int64_t counts[KINDS_MAX];
    size_t count;
};

static struct kinds kinds_of(const struct view_cell *cell, struct arena *out)
{
    struct kinds k = {0};
    for (size_t i = 0; i < cell->note_count; i++) {
        const struct trial_note *n = &cell->notes[i];
        bool is_failure = n->phase == PHASE_MEASURED && n->status != TRIAL_OK &&
                          n->status != TRIAL_HARNESS_ERROR;
        if (!is_failure) continue;
        const char *name = kind_of(n, out);
        size_t at = 0;
        while (at < k.count && strcmp(k.names[at], name) != 0) at++;
        if (at == KINDS_MAX) continue;
        if (at == k.count) k.names[k.count++] = name;
        k.counts[at]++;
    }
    return k;
}

static int64_t attempted(const struct view_cell *cell)
{
    const struct trial_counts *c = &cell->record.counts;
    return c->attempted - c->by_status[TRIAL_HARNESS_ERROR];
}

static void new_failures(struct regress_work *w, size_t pair)
{
    const struct baseline_pair *p = &w->r->set.pairs[pair];
    struct kinds then = kinds_of(p->baseline, w->out);
    struct kinds now = kinds_of(p->current, w->out);
    int64_t n[2] = {attempted(p->baseline), attempted(p->current)};
    for (size_t i = 0; i < now.count; i++) {
        bool is_known = false;
        for (size_t k = 0; k < then.count; k++) {
            is_known |= strcmp(then.names[k], now.names[i]) == 0;
        }
        if (is_known || n[0] == 0 || n[1] == 0 || now.counts[i] > n[1]) continue;
        struct regress_row *row =
            regress_add_row(w, REGRESS_NEW_FAILURE, pair, now.names[i], "1", 0);
        if (!row) return;
        struct proportion d = proportion_newcombe(now.counts[i], n[1], 0, n[0], 1 - w->alpha);
        row->w = nothing;
        row->w.is_points = true;
        row->w.baseline = 0;
        row->w.current = (double)now.counts[i] / (double)n[1];
        row->w.amount = d.estimate;
        row->w.low = d.low;
        row->w.high = d.high;
        row->w.n[0] = (size_t)n[0];
        row->w.n[1] = (size_t)n[1];
        row->w.p = worsening_shares_p(now.counts[i], n[1], 0, n[0], 0);
    }
}

/* ---- accuracy for speed ---- */

static const struct regress_row *row_of(const struct regress_work *w, size_t pair,
                                        const char *metric)
{
    for (size_t i = 0; i < w->metric_rows; i++) {
        const struct regress_row *row = &w->r->rows[i];
        if (row->pair == pair && strcmp(row->metric, metric) == 0) return row;
    }
    return NULL;
}

static bool trade(struct regress_work *w, size_t pair, const char *gain, struct error *err)
{
    const struct regress_row *cheaper = row_of(w, pair, gain);
    const struct regress_row *accuracy = row_of(w, pair, "accuracy");
    bool is_cheaper = cheaper && !cheaper->w.why && cheaper->w.high < 0;
    if (!is_cheaper || !accuracy || accuracy->w.why) return true;
    const struct baseline_pair *p = &w->r->set.pairs[pair];
    struct worsening_question q = {.cell = {p->baseline, p->current},
                                   .metric = {compare_find_metric(p->baseline, "accuracy"),
                                              compare_find_metric(p->current, "accuracy")},
                                   .alpha = w->alpha};
    struct regress_row *row = regress_add_row(w, REGRESS_TRADE, pair, "accuracy", gain, 0);
    if (!row || !worsening_measure(&q, w->out, &row->w, err)) return row == NULL;
    row->w.mde = cheaper->w.amount; /* what was gained */
    return true;
}

/* ---- all ---- */

static void of_metric(struct regress_work *w, size_t i)
{
    const struct regress_row of = w->r->rows[i];
    const struct baseline_pair *p = pair_of(w, &of);
    const struct view_metric *m[2] = {compare_find_metric(p->baseline, of.metric),
                                      compare_find_metric(p->current, of.metric)};
    if (!m[0] || !m[1] || of.w.is_points) return;
    slow_drift(w, &of, m[1]);
    bool is_steady = !of.w.why && !(of.w.low > of.threshold) && m[0]->median > 0;
    if (!is_steady || of.w.by_case) return; /* cases differ by nature, not by noise */
    tail(w, &of, m);
    variance(w, &of, m);
}

bool regress_find_patterns(struct regress_work *w, struct error *err)
{
    for (size_t i = 0; i < w->metric_rows; i++) {
        if (is_first_of_metric(w, i)) systemic(w, &w->r->rows[i]);
        of_metric(w, i);
    }
    for (size_t i = 0; i < w->r->set.count; i++) {
        if (!w->r->set.pairs[i].baseline) continue;
        new_failures(w, i);
        if (!trade(w, i, "duration_s", err) || !trade(w, i, "cost_usd", err)) return false;
    }
    return true;
}

enum severity regress_pattern_severity(const struct regress_row *row)
{
    static const enum severity plain[REGRESS_RULE_COUNT] = {
        [REGRESS_SYSTEMIC] = SEVERITY_HIGH,    [REGRESS_DRIFT] = SEVERITY_MEDIUM,
        [REGRESS_TAIL] = SEVERITY_MEDIUM,      [REGRESS_VARIANCE] = SEVERITY_LOW,
        [REGRESS_NEW_FAILURE] = SEVERITY_HIGH, [REGRESS_TRADE] = SEVERITY_MEDIUM};
    return plain[row->rule];
}

const char *regress_pattern_sentence(const struct regress_work *w,
                                     const struct regress_row *row)
{
    const struct worsening *x = &row->w;
    struct arena *out = w->out;
    const char *name = pair_of(w, row)->name;
    const char *amount = worsening_text(x, x->amount, out);
    const char *low = worsening_text(x, x->low, out);
    const char *high = worsening_text(x, x->high, out);
    const char *limit = worsening_text(x, row->threshold, out);
    switch (row->rule) {
    case REGRESS_SYSTEMIC:
        return arena_printf(out,
                            "%s over %zu benchmarks: typically worse by %s [%s, %s], all of it "
                            "beyond a quarter of the threshold, %s (rule systemic, adjusted p "
                            "= %.2g)",
                            row->metric, x->n[0], amount, low, high, limit, row->p_adjusted);
    case REGRESS_DRIFT:
        return arena_printf(out,
                            "%s, %s: %.4g -> %.4g %s over %zu executions, worse by %s from the "
                            "first third to the last, beyond the threshold of %s; no step is: "
                            "the largest is %.1f %% (rule slow_drift, adjusted p = %.2g)",
                            name, row->metric, x->baseline, x->current, row->unit, x->n[0],
                            amount, limit, 100 * x->mde, row->p_adjusted);
    case REGRESS_TAIL:
        return arena_printf(
            out,
            "%s, %s: the median is steady, but %.1f %% -> %.1f %% of the values "
            "are beyond the baseline's p95 plus the threshold, %s more [%s, "
            "%s] (rule tail, adjusted p = %.2g)",
            name, row->metric, 100 * x->baseline, 100 * x->current, amount, low, high,
            row->p_adjusted);
    case REGRESS_VARIANCE:
        return arena_printf(out,
                            "%s, %s: the median is steady, but values lie %.1f %% -> %.1f %% "
                            "from it, %s more [%s, %s], all of it beyond %s (rule variance, "
                            "adjusted p = %.2g)",
                            name, row->metric, 100 * x->baseline, 100 * x->current, amount, low,
                            high, limit, row->p_adjusted);
    case REGRESS_NEW_FAILURE:
        return arena_printf(out,
                            "%s: a kind of failure that the baseline did not have in %zu "
                            "trials, '%s', in %.1f %% of %zu (rule new_failure, adjusted p = "
                            "%.2g)",
                            name, x->n[0], row->metric, 100 * x->current, x->n[1],
                            row->p_adjusted);
    case REGRESS_TRADE:
        return arena_printf(out,
                            "%s: accuracy %.1f %% -> %.1f %%, worse by %s [%s, %s], while %s "
                            "is better by %.0f %% (rule trade, threshold 0, adjusted p = %.2g)",
                            name, 100 * x->baseline, 100 * x->current, amount, low, high,
                            row->unit, -100 * x->mde, row->p_adjusted);
    case REGRESS_BEYOND:
    case REGRESS_RULE_COUNT: break;
    }
    return "";
}
