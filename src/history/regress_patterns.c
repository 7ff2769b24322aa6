/* The rules: a row each, in one table. beyond_threshold and whole are asked by the
 * engine itself (regress.c); the others are patterns, which no single median shows.
 * Those over several metrics, benchmarks or runs are found here, those of single
 * values and failures in regress_shape.c. A finder adds candidates with p and effect;
 * they are adjusted and judged together, so that no rule decides on its own. */
#include "history/regress_internal.h"
#include "history/trend.h"

#include "stats/drift.h"
#include "stats/quantile.h"

#include <math.h>

enum { HISTORY_MAX = 100 };

static const struct baseline_pair *pair_of(const struct regress_work *w,
                                           const struct regress_row *row)
{
    return &w->r->set.pairs[row->pair];
}

/* ---- systemic: the same metric over many benchmarks ---- */

static bool is_first_of_metric(const struct regress_work *w, size_t i)
{
    const struct regress_row *row = &w->r->rows[i];
    for (size_t k = 0; k < i; k++) {
        const struct regress_row *o = &w->r->rows[k];
        if (ask_is_alike(&o->ask, &row->ask) &&
            strcmp(pair_of(w, o)->agent, pair_of(w, row)->agent) == 0)
            return false;
    }
    return true;
}

static bool find_systemic(struct regress_work *w, size_t at, struct error *err)
{
    const struct regress_row *first = &w->r->rows[at];
    double threshold = regress_rule_threshold(REGRESS_SYSTEMIC, first->threshold);
    if (!is_first_of_metric(w, at)) return true;
    struct family f = {.cells = arena_new(w->out, struct family_cell, w->metric_rows + 1)};
    for (size_t i = 0; i < w->metric_rows; i++) {
        const struct regress_row *row = &w->r->rows[i];
        bool fits = ask_is_alike(&row->ask, &first->ask) && !row->w.is_points &&
                    strcmp(pair_of(w, row)->agent, pair_of(w, first)->agent) == 0 &&
                    !row->w.has_no_interval;
        if (!fits) continue;
        struct family_cell *cell = &f.cells[f.count++];
        cell->question = row->ask.question;
        cell->question.limit = threshold;
    }
    if (f.count < regression_rule_at(REGRESS_SYSTEMIC)->least) return true;
    struct regress_row *row = regress_add_row(w, REGRESS_SYSTEMIC, first->pair, first->metric,
                                              first->unit, threshold);
    if (!row) return true;
    if (!family_ask(&f, *w->out, err)) return false;
    row->w = worsening_of(&f.whole, first->ask.by_case);
    row->ask.by_case = first->ask.by_case;
    row->cells = f.count;
    row->family = arena_new(w->out, struct family, 1);
    *row->family = f;
    return true;
}

/* ---- slow drift ---- */

struct past {
    double values[HISTORY_MAX];
    size_t n;
};

/* The cell's points up to the current one, as `trend` has them: in the order of commits, on
 * one host, measured, finished. None if the current one is not a point itself. */
static bool history_of(struct regress_work *w, const struct baseline_pair *p,
                       const struct view_metric *metric, struct past *past, struct error *err)
{
    const struct execution_record *now = &p->current->record;
    const struct execution_record *chosen[HISTORY_MAX] = {now};
    struct trend_series s;
    size_t count = 1;
    past->n = 0;
    if (!execution_stands(now)) return true;
    for (size_t i = 0; i < p->history_count && count < HISTORY_MAX; i++) {
        const struct execution_record *e = &p->history[i];
        bool fits =
            execution_stands(e) && strcmp(e->id, now->id) != 0 && e->start_ns <= now->start_ns;
        if (fits) chosen[count++] = e;
    }
    const struct trend_cell cell = {chosen, count, metric->name};
    if (!trend_of(w->store, &cell, w->out, &s, err)) return false;
    for (size_t i = 0; i < s.count; i++) {
        if (isfinite(s.points[i].value)) past->values[past->n++] = s.points[i].value;
        if (strcmp(s.points[i].run_id, now->run_id) == 0) break;
    }
    return true;
}

static bool find_drift(struct regress_work *w, size_t at, struct error *err)
{
    const struct regress_row *of = &w->r->rows[at];
    const struct baseline_pair *p = pair_of(w, of);
    const struct view_metric *metric = view_find_metric(p->current, of->metric);
    const size_t least = regression_rule_at(REGRESS_DRIFT)->least;
    struct past past;
    double logs[HISTORY_MAX];
    if (!metric || p->history_count < least || of->w.is_points) return true;
    if (!history_of(w, p, metric, &past, err)) return false;
    const double *values = past.values;
    size_t n = past.n;
    for (size_t i = 0; i < n; i++) {
        if (!(values[i] > 0)) return true;
    }
    if (n < least) return true;
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
    if (!row) return true;
    row->w.baseline = values[0];
    row->w.current = values[n - 1];
    row->w.amount = sign * relative;
    row->w.n[0] = row->w.n[1] = n;
    row->gained = step;
    bool fits = row->w.amount > of->threshold && step <= of->threshold && sign * d.tau > 0;
    row->w.p = fits ? d.p : 1; /* Mann-Kendall has no interval */
    row->w.is_tested = true;
    return true;
}

/* ---- accuracy for speed ---- */

const struct regress_row *regress_row_of(const struct regress_work *w, size_t pair,
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
    const struct regress_row *cheaper = regress_row_of(w, pair, gain);
    const struct regress_row *accuracy = regress_row_of(w, pair, "accuracy");
    /* What the survivors gain is no gain while nobody knows what the others would have taken. */
    bool is_cheaper = cheaper && !cheaper->w.has_no_interval && cheaper->w.high < 0 &&
                      !ask_is_short(&cheaper->ask);
    if (!is_cheaper || !accuracy || accuracy->w.has_no_interval) return true;
    const struct baseline_pair *p = &w->r->set.pairs[pair];
    const struct ask_terms terms = {.alpha = w->alpha};
    struct ask ask = worsening_ask(p, view_find_metric(p->baseline, "accuracy"),
                                   view_find_metric(p->current, "accuracy"), &terms, w->out);
    struct regress_row *row = regress_add_row(w, REGRESS_TRADE, pair, "accuracy", "1", 0);
    struct verdict_answer answer;
    if (!row) return true;
    if (!verdict_compare(&ask.question, *w->out, &answer, err)) return false;
    row->w = worsening_of(&answer, ask.by_case);
    row->ask = ask;
    row->gained = -cheaper->w.amount;
    row->by = gain;
    return true;
}

static bool find_trade(struct regress_work *w, size_t pair, struct error *err)
{
    return trade(w, pair, "duration_s", err) && trade(w, pair, "cost_usd", err);
}

/* ---- all ---- */

static const struct regression_rule rules[REGRESS_RULE_COUNT] = {
    [REGRESS_BEYOND] = {.name = "beyond_threshold",
                        .summary = "all of a metric's interval is beyond its threshold",
                        .threshold = 1,
                        .is_part = true},
    [REGRESS_WHOLE] = {.name = ALARM_WHOLE,
                       .summary = "the same over all cells of the metric together",
                       .threshold = 1,
                       .is_part = true},
    [REGRESS_SYSTEMIC] = {.name = ALARM_SYSTEMIC,
                          .summary = "a metric is worse by a little over many benchmarks",
                          .threshold = 0.25,
                          .is_part = true,
                          .least = 6,
                          .severity = SEVERITY_HIGH,
                          .of_metric = find_systemic},
    [REGRESS_DRIFT] = {.name = "slow_drift",
                       .summary = "a metric has become worse in steps too small to see",
                       .threshold = 1,
                       .is_part = true,
                       .least = DRIFT_MIN_N,
                       .severity = SEVERITY_MEDIUM,
                       .of_metric = find_drift},
    [REGRESS_TAIL] = {.name = "tail",
                      .summary = "the median is steady, but more values are far beyond it",
                      .threshold = 0,
                      .least = 40,
                      .severity = SEVERITY_MEDIUM,
                      .of_metric = regress_find_tail},
    [REGRESS_VARIANCE] = {.name = "variance",
                          .summary = "the median is steady, but values scatter more",
                          .threshold = 0.5,
                          .least = 20,
                          .severity = SEVERITY_LOW,
                          .of_metric = regress_find_variance},
    [REGRESS_NEW_FAILURE] = {.name = "new_failure",
                             .summary = "a kind of failure that the baseline did not have",
                             .threshold = 0,
                             .least = 1,
                             .severity = SEVERITY_HIGH,
                             .of_pair = regress_find_failures},
    [REGRESS_TRADE] = {.name = "trade",
                       .summary = "accuracy fell while the same cell became faster or cheaper",
                       .threshold = 0,
                       .least = 1,
                       .severity = SEVERITY_MEDIUM,
                       .of_pair = find_trade},
};

REGISTRY_TABLE(struct regression_rule, regression_rule, rules)

const char *regress_rule_name(enum regress_rule rule)
{
    return rules[rule].name;
}

bool regress_is_pattern(enum regress_rule rule)
{
    return rules[rule].of_metric || rules[rule].of_pair;
}

double regress_rule_threshold(enum regress_rule rule, double of_metric)
{
    return rules[rule].is_part ? rules[rule].threshold * of_metric : rules[rule].threshold;
}

bool regress_is_steady(const struct regress_work *w, const struct regress_row *of,
                       const struct view_metric *m[2])
{
    const struct baseline_pair *p = pair_of(w, of);
    m[0] = view_find_metric(p->baseline, of->metric);
    m[1] = view_find_metric(p->current, of->metric);
    return m[0] && m[1] && !of->w.is_points && !of->w.has_no_interval &&
           !(of->w.low > of->threshold) && m[0]->median > 0 && !of->w.by_case;
}

bool regress_find_patterns(struct regress_work *w, struct error *err)
{
    for (size_t i = 0; i < w->metric_rows; i++) {
        for (size_t k = 0; k < COUNT(rules); k++) {
            if (rules[k].of_metric && !rules[k].of_metric(w, i, err)) return false;
        }
    }
    for (size_t i = 0; i < w->r->set.count; i++) {
        if (!w->r->set.pairs[i].baseline) continue;
        for (size_t k = 0; k < COUNT(rules); k++) {
            if (rules[k].of_pair && !rules[k].of_pair(w, i, err)) return false;
        }
    }
    return true;
}
