/* Regressions that no single metric of a single benchmark shows. */
#include "base/human.h"
#include "history/regress_internal.h"

#include "judge/compare.h"
#include "stats/drift.h"
#include "stats/quantile.h"

#include <math.h>

enum { SYSTEMIC_LEAST = 6, HISTORY_MAX = 100 };

#define SYSTEMIC_PART 4 /* of the threshold */

static const struct baseline_pair *pair_of(const struct regress_work *w,
                                           const struct regress_row *row)
{
    return &w->r->set.pairs[row->pair];
}

/* ---- systemic: the same metric over many benchmarks ---- */

static bool systemic(struct regress_work *w, const struct regress_row *first, struct error *err)
{
    double threshold = first->threshold / SYSTEMIC_PART;
    struct family f = {.cells = arena_new(w->out, struct family_cell, w->metric_rows + 1)};
    for (size_t i = 0; i < w->metric_rows; i++) {
        const struct regress_row *row = &w->r->rows[i];
        bool fits = strcmp(row->metric, first->metric) == 0 && !row->w.is_points &&
                    strcmp(pair_of(w, row)->agent, pair_of(w, first)->agent) == 0 &&
                    !row->w.why;
        if (!fits) continue;
        struct family_cell *cell = &f.cells[f.count++];
        cell->question = row->ask.question;
        cell->question.limit = threshold;
    }
    if (f.count < SYSTEMIC_LEAST) return true;
    struct regress_row *row = regress_add_row(w, REGRESS_SYSTEMIC, first->pair, first->metric,
                                              first->unit, threshold);
    if (!row) return true;
    if (!family_ask(&f, *w->out, err)) return false;
    row->w = worsening_of(&f.whole, first->ask.by_case, w->out);
    row->cells = f.count;
    return true;
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

/* ---- slow drift ---- */

static double median_in(struct regress_work *w, const struct execution_record *e,
                        const struct view_metric *like)
{
    struct series_record *series = NULL;
    size_t count = 0;
    struct arena scratch = arena_open();
    double median = NAN;
    struct series_filter filter = {e->id, &like->name, 1};
    bool is_read = store_read_series(w->store, &filter, &scratch, &series, &count, NULL);
    for (size_t i = 0; is_read && i < count; i++) {
        const struct series_record *s = &series[i];
        struct metric has = series_metric(s);
        struct metric wanted = view_metric_of(like);
        if (s->phase != PHASE_MEASURED || !metric_is_comparable(&has, &wanted)) continue;
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
        bool fits = e->status == RUN_SUCCESS && e->start_ns <= p->current->record.start_ns;
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
    row->w.baseline = values[0];
    row->w.current = values[n - 1];
    row->w.amount = sign * relative;
    row->w.n[0] = row->w.n[1] = n;
    row->gained = step;
    bool fits = row->w.amount > of->threshold && step <= of->threshold && sign * d.tau > 0;
    row->w.p = fits ? d.p : 1;
    row->w.low = fits ? row->w.amount : 0; /* Mann-Kendall has no interval of its own */
    row->w.high = row->w.amount;
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
    const struct ask_terms terms = {.alpha = w->alpha};
    struct ask ask = worsening_ask(p, view_find_metric(p->baseline, "accuracy"),
                                   view_find_metric(p->current, "accuracy"), &terms, w->out);
    struct regress_row *row = regress_add_row(w, REGRESS_TRADE, pair, "accuracy", "1", 0);
    struct verdict_answer answer;
    if (!row) return true;
    if (!verdict_compare(&ask.question, *w->out, &answer, err)) return false;
    row->w = worsening_of(&answer, ask.by_case, w->out);
    row->gained = -cheaper->w.amount;
    row->by = gain;
    return true;
}

/* ---- all ---- */

static void of_metric(struct regress_work *w, size_t i)
{
    const struct regress_row of = w->r->rows[i];
    const struct baseline_pair *p = pair_of(w, &of);
    const struct view_metric *m[2] = {view_find_metric(p->baseline, of.metric),
                                      view_find_metric(p->current, of.metric)};
    if (!m[0] || !m[1] || of.w.is_points) return;
    slow_drift(w, &of, m[1]);
    bool is_steady = !of.w.why && !(of.w.low > of.threshold) && m[0]->median > 0;
    if (!is_steady || of.w.by_case) return; /* cases differ by nature, not by noise */
    regress_find_tail(w, &of, m);
    regress_find_variance(w, &of, m);
}

bool regress_find_patterns(struct regress_work *w, struct error *err)
{
    for (size_t i = 0; i < w->metric_rows; i++) {
        if (is_first_of_metric(w, i) && !systemic(w, &w->r->rows[i], err)) return false;
        of_metric(w, i);
    }
    for (size_t i = 0; i < w->r->set.count; i++) {
        if (!w->r->set.pairs[i].baseline) continue;
        regress_find_failures(w, i);
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
                            "beyond a quarter of the threshold, %s (rule systemic, adjusted "
                            "%s)",
                            row->metric, row->cells, amount, low, high, limit,
                            HUMAN_P(row->p_adjusted));
    case REGRESS_DRIFT:
        return arena_printf(out,
                            "%s, %s: %.4g -> %.4g %s over %zu executions, worse by %s from the "
                            "first third to the last, beyond the threshold of %s; no step is: "
                            "the largest is %.1f %% (rule slow_drift, adjusted %s)",
                            name, row->metric, x->baseline, x->current, row->unit, x->n[0],
                            amount, limit, 100 * row->gained, HUMAN_P(row->p_adjusted));
    case REGRESS_TAIL:
        return arena_printf(
            out,
            "%s, %s: the median is steady, but %.1f %% -> %.1f %% of the values "
            "are beyond the baseline's p95 plus the threshold, %s more [%s, "
            "%s] (rule tail, adjusted %s)",
            name, row->metric, 100 * x->baseline, 100 * x->current, amount, low, high,
            HUMAN_P(row->p_adjusted));
    case REGRESS_VARIANCE:
        return arena_printf(out,
                            "%s, %s: the median is steady, but values lie %.1f %% -> %.1f %% "
                            "from it, %s more [%s, %s], all of it beyond %s (rule variance, "
                            "adjusted %s)",
                            name, row->metric, 100 * x->baseline, 100 * x->current, amount, low,
                            high, limit, HUMAN_P(row->p_adjusted));
    case REGRESS_NEW_FAILURE:
        return arena_printf(out,
                            "%s: a kind of failure that the baseline did not have in %zu "
                            "trials, '%s', in %.1f %% of %zu (rule new_failure, adjusted "
                            "%s)",
                            name, x->n[0], row->metric, 100 * x->current, x->n[1],
                            HUMAN_P(row->p_adjusted));
    case REGRESS_TRADE:
        return arena_printf(out,
                            "%s: accuracy %.1f %% -> %.1f %%, worse by %s [%s, %s], while %s "
                            "is better by %.0f %% (rule trade, threshold 0, adjusted %s)",
                            name, 100 * x->baseline, 100 * x->current, amount, low, high,
                            row->by, 100 * row->gained, HUMAN_P(row->p_adjusted));
    case REGRESS_BEYOND:
    case REGRESS_WHOLE:
    case REGRESS_RULE_COUNT: break;
    }
    return "";
}
