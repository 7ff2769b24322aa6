/* What a median does not show: tails, spread, new kinds of failure. */
#include "history/regress_internal.h"

#include "judge/compare.h"
#include "stats/quantile.h"

#include <math.h>

typedef double number_fn(const struct view_cell *run, const void *context,
                         struct arena scratch);

/* One number for each run of the row's pair, on the scale that decides; NaN where a run
 * has none. */
static struct verdict_runs runs_of(const struct regress_work *w, size_t pair, number_fn *number,
                                   const void *context)
{
    const struct baseline_pair *p = &w->r->set.pairs[pair];
    struct verdict_runs runs = {0};
    for (int side = 0; side < 2; side++) {
        double *values = arena_new(w->out, double, p->run_count[side] + 1);
        for (size_t i = 0; i < p->run_count[side]; i++) {
            double v = number(p->runs[side][i], context, *w->out);
            if (isfinite(v)) values[runs.count[side]++] = v;
        }
        runs.values[side] = values;
    }
    return runs;
}

/* Adds a row that the engine decides: `q` without level and limit. */
static bool ask_pattern(struct regress_work *w, enum regress_rule rule,
                        const struct regress_row *of, struct verdict_question *q,
                        struct error *err)
{
    struct verdict_answer answer;
    q->alpha = w->alpha;
    q->limit = regress_rule_threshold(rule, of->threshold);
    q->has_no_order = true; /* sorted, or of single trials */
    struct regress_row *row =
        regress_add_row(w, rule, of->pair, of->metric, of->unit, q->limit);
    if (!row) return true;
    if (!verdict_compare(q, *w->out, &answer, err)) return false;
    row->w = worsening_of(&answer, of->ask.by_case);
    row->ask.question = *q;
    row->ask.by_case = of->ask.by_case;
    return true;
}

/* ---- tail and variance ---- */

static double *sorted_of(const struct view_metric *m, struct arena *out, size_t *n)
{
    return stats_sort(out, m->samples, m->count, n);
}

struct edge {
    const struct view_metric *metric;
    double at;
};

static bool is_beyond(const struct edge *edge, double v)
{
    return edge->metric->direction == DIRECTION_LOWER ? v > edge->at : v < edge->at;
}

static double share_beyond(const struct view_cell *run, const void *context,
                           struct arena scratch)
{
    (void)scratch;
    const struct edge *edge = context;
    const struct view_metric *m = view_find_metric(run, edge->metric->name);
    double beyond = 0;
    for (size_t i = 0; m && i < m->count; i++) {
        beyond += isfinite(m->samples[i]) && is_beyond(edge, m->samples[i]);
    }
    return m && m->n ? beyond / (double)m->n : (double)NAN;
}

/* Shares of values beyond the baseline's p95 and the threshold on top. */
bool regress_find_tail(struct regress_work *w, size_t at, struct error *err)
{
    const struct regress_row *of = &w->r->rows[at];
    const size_t least = regression_rule_at(REGRESS_TAIL)->least;
    const struct view_metric *m[2];
    size_t n[2];
    const double *v[2];
    if (!regress_is_steady(w, of, m)) return true;
    for (int i = 0; i < 2; i++) v[i] = sorted_of(m[i], w->out, &n[i]);
    if (n[0] < least || n[1] < least) return true;
    bool is_lower = m[0]->direction == DIRECTION_LOWER;
    struct edge edge = {m[0], quantile_of(v[0], n[0], is_lower ? 0.95 : 0.05)};
    edge.at *= is_lower ? 1 + of->threshold : 1 - of->threshold;
    double *flags[2];
    for (int s = 0; s < 2; s++) {
        flags[s] = arena_new(w->out, double, n[s] + 1);
        for (size_t i = 0; i < n[s]; i++) flags[s][i] = is_beyond(&edge, v[s][i]);
    }
    struct verdict_question q = {.a = flags[0],
                                 .a_count = n[0],
                                 .b = flags[1],
                                 .b_count = n[1],
                                 .kind = KIND_SHARE,
                                 .runs = runs_of(w, of->pair, share_beyond, &edge)};
    return ask_pattern(w, REGRESS_TAIL, of, &q, err);
}

struct middle {
    const struct view_metric *metric;
    double at; /* the median of both sides together */
};

static double *distances_from(const double *v, size_t n, double at, struct arena *out)
{
    double *d = arena_new(out, double, n + 1);
    for (size_t i = 0; i < n; i++) d[i] = fabs(v[i] - at);
    stats_sort_inplace(d, n);
    return d;
}

/* Of one run: the logarithm of the typical distance from the middle. */
static double spread_of(const struct view_cell *run, const void *context, struct arena scratch)
{
    const struct middle *middle = context;
    const struct view_metric *m = view_find_metric(run, middle->metric->name);
    if (!m || m->n < 2) return (double)NAN;
    size_t n = 0;
    const double *v = sorted_of(m, &scratch, &n);
    return log(quantile_median(distances_from(v, n, middle->at, &scratch), n));
}

/* Distances from a median as Brown and Forsythe (1974) take them, by ranks; but from one
 * median, of both sides together. Of values with two modes, or of which half are 0, a side's
 * own median jumps from one mode to the other by chance, and all distances with it: every
 * third unchanged pair would be an alarm. Distances from a common middle can be exchanged
 * between two unchanged sides, whatever their shape, so the test keeps its level.
 *
 * A shift would count as spread there, so the rule is asked only where the two medians are no
 * further apart than values typically are from the median of the wider side: "the median is
 * steady". A shift by that much makes distances 1.3 times as large at most, which is below the
 * rule's threshold. */
bool regress_find_variance(struct regress_work *w, size_t at, struct error *err)
{
    const struct regress_row *of = &w->r->rows[at];
    const size_t least = regression_rule_at(REGRESS_VARIANCE)->least;
    const struct view_metric *m[2];
    const double *v[2];
    size_t n[2];
    if (!regress_is_steady(w, of, m)) return true;
    for (int s = 0; s < 2; s++) v[s] = sorted_of(m[s], w->out, &n[s]);
    if (n[0] < least || n[1] < least) return true;
    size_t total = n[0] + n[1];
    double *all = arena_new(w->out, double, total + 1);
    for (size_t i = 0; i < total; i++) all[i] = i < n[0] ? v[0][i] : v[1][i - n[0]];
    stats_sort_inplace(all, total);
    const struct middle middle = {m[0], quantile_median(all, total)};
    double apart = fabs(quantile_median(v[1], n[1]) - quantile_median(v[0], n[0]));
    double typical = fmax(quantile_mad(*w->out, v[0], n[0]), quantile_mad(*w->out, v[1], n[1]));
    if (!(middle.at > 0) || apart > typical) return true;
    double *d[2];
    size_t zeros[2] = {0, 0}; /* what is the middle has no ratio to anything */
    for (int s = 0; s < 2; s++) {
        d[s] = distances_from(v[s], n[s], middle.at, w->out);
        while (zeros[s] < n[s] && d[s][zeros[s]] == 0) zeros[s]++;
        for (size_t i = 0; i < n[s]; i++) d[s][i] /= middle.at;
    }
    struct verdict_question q = {.a = d[0] + zeros[0],
                                 .a_count = n[0] - zeros[0],
                                 .b = d[1] + zeros[1],
                                 .b_count = n[1] - zeros[1],
                                 .kind = KIND_RATIO,
                                 .runs = runs_of(w, of->pair, spread_of, &middle)};
    if (q.a_count < least / 2 || q.b_count < least / 2) return true;
    return ask_pattern(w, REGRESS_VARIANCE, of, &q, err);
}

/* ---- new kinds of failure ----
 *
 * The kind is the status. The sentence that tells why is for people: it may name a folder, a
 * port or a time, which are others in every run. */

static bool has_status(const struct view_cell *cell, enum trial_status status)
{
    for (size_t i = 0; i < cell->trial_count; i++) {
        if (cell->statuses[i] == status) return true;
    }
    return false;
}

static double share_of_status(const struct view_cell *run, const void *context,
                              struct arena scratch)
{
    (void)scratch;
    const enum trial_status *status = context;
    double judged = 0;
    double found = 0;
    for (size_t i = 0; i < run->trial_count; i++) {
        judged += run->statuses[i] != TRIAL_HARNESS_ERROR;
        found += run->statuses[i] == *status;
    }
    return judged > 0 ? found / judged : (double)NAN;
}

/* Whether each trial failed in that way: as the failure rate, of one kind. */
static struct view_metric rate_of_status(const struct view_cell *cell, enum trial_status status,
                                         struct arena *out)
{
    struct view_metric m = units_failures(cell, out);
    double *samples = arena_new(out, double, m.count + 1);
    for (size_t i = 0; i < m.count; i++)
        samples[i] = isnan(m.samples[i]) ? m.samples[i] : cell->statuses[i] == status;
    m.samples = samples;
    return m;
}

/* The question is that of the failure rate: by case where there are cases, so that passes
 * of five cases are no more evidence here than there. */
bool regress_find_failures(struct regress_work *w, size_t pair, struct error *err)
{
    const struct baseline_pair *p = &w->r->set.pairs[pair];
    if (compare_failures_gap(p->baseline, p->current).code != COMPARE_FITS) return true;
    for (int i = TRIAL_OK + 1; i < TRIAL_STATUS_COUNT; i++) {
        const enum trial_status status = (enum trial_status)i;
        bool is_new = status != TRIAL_HARNESS_ERROR && has_status(p->current, status) &&
                      !has_status(p->baseline, status);
        if (!is_new) continue;
        const struct view_metric m[2] = {rate_of_status(p->baseline, status, w->out),
                                         rate_of_status(p->current, status, w->out)};
        const struct ask_subject subject = {.cell = {p->baseline, p->current},
                                            .metric = {&m[0], &m[1]}};
        struct regress_row of = {
            .pair = pair, .metric = trial_status_name(status), .unit = "1"};
        of.ask = ask_about(&subject, &(struct ask_terms){0}, w->out);
        struct verdict_question *q = &of.ask.question;
        q->runs = runs_of(w, pair, share_of_status, &status);
        if (!ask_pattern(w, REGRESS_NEW_FAILURE, &of, q, err)) return false;
    }
    return true;
}
