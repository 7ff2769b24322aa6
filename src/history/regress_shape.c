/* What a median does not show: tails, spread, new kinds of failure. */
#include "history/regress_internal.h"

#include "judge/compare.h"
#include "stats/hodges.h"
#include "stats/proportion.h"
#include "stats/quantile.h"
#include "stats/rank.h"

#include <ctype.h>
#include <math.h>

enum { TAIL_LEAST = 40, SPREAD_LEAST = 20, KINDS_MAX = 32 };

#define SPREAD_GROWTH 0.5 /* half as much again */

/* One number for each run of a pair; NaN where a run has none. */
typedef double run_number_fn(const struct view_cell *run, const void *context,
                             struct arena scratch);

/* What is beyond chance within runs must also exceed what runs differ by. */
static void widen(struct regress_work *w, struct regress_row *row, bool is_log,
                  run_number_fn *number, const void *context)
{
    const struct baseline_pair *p = &w->r->set.pairs[row->pair];
    struct worsening_runs runs = {.is_log = is_log, .sign = 1};
    runs.is_paired = worsening_runs_are_shared(p->runs, p->run_count);
    for (int side = 0; side < 2; side++) {
        double *values = arena_new(w->out, double, p->run_count[side] + 1);
        for (size_t i = 0; i < p->run_count[side]; i++) {
            double v = number(p->runs[side][i], context, *w->out);
            if (isfinite(v)) values[runs.count[side]++] = v;
            runs.is_paired &= isfinite(v) != 0;
        }
        runs.values[side] = values;
    }
    worsening_widen(&row->w, &runs, row->threshold, w->alpha);
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
void regress_find_tail(struct regress_work *w, const struct regress_row *of,
                       const struct view_metric *const m[2])
{
    size_t n[2];
    const double *v[2];
    for (int i = 0; i < 2; i++) v[i] = sorted_of(m[i], w->out, &n[i]);
    if (n[0] < TAIL_LEAST || n[1] < TAIL_LEAST) return;
    bool is_lower = m[0]->direction == DIRECTION_LOWER;
    struct edge edge = {m[0], quantile_of(v[0], n[0], is_lower ? 0.95 : 0.05)};
    edge.at *= is_lower ? 1 + of->threshold : 1 - of->threshold;
    int64_t beyond[2] = {0, 0};
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < n[s]; i++) beyond[s] += is_beyond(&edge, v[s][i]);
    }
    struct regress_row *row =
        regress_add_row(w, REGRESS_TAIL, of->pair, of->metric, of->unit, 0);
    if (!row) return;
    int64_t of_n[2] = {(int64_t)n[0], (int64_t)n[1]};
    struct proportion d =
        proportion_newcombe(beyond[1], of_n[1], beyond[0], of_n[0], 1 - w->alpha);
    row->w = regress_no_worsening();
    row->w.is_points = true;
    row->w.baseline = (double)beyond[0] / (double)n[0];
    row->w.current = (double)beyond[1] / (double)n[1];
    row->w.amount = d.estimate;
    row->w.low = d.low;
    row->w.high = d.high;
    row->w.n[0] = n[0];
    row->w.n[1] = n[1];
    row->w.p = worsening_shares_p(beyond[1], of_n[1], beyond[0], of_n[0], 0);
    widen(w, row, false, share_beyond, &edge);
}

/* Of one run: the logarithm of the typical distance from its own median. */
static double spread_of(const struct view_cell *run, const void *context, struct arena scratch)
{
    const struct view_metric *like = context;
    const struct view_metric *m = view_find_metric(run, like->name);
    (void)scratch;
    return m && m->n >= 2 ? log(m->mad / fabs(m->median)) : (double)NAN;
}

/* Distances from each side's own median, as Brown and Forsythe take them, over
 * that median; by ranks. */
void regress_find_variance(struct regress_work *w, const struct regress_row *of,
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
    row->w = regress_no_worsening();
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
    widen(w, row, true, spread_of, m[0]);
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

static double share_of_kind(const struct view_cell *run, const void *context,
                            struct arena scratch)
{
    struct kinds k = kinds_of(run, &scratch);
    int64_t n = attempted(run);
    for (size_t i = 0; i < k.count; i++) {
        if (strcmp(k.names[i], context) == 0) return (double)k.counts[i] / (double)n;
    }
    return n > 0 ? 0 : (double)NAN;
}

void regress_find_failures(struct regress_work *w, size_t pair)
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
        row->w = regress_no_worsening();
        row->w.is_points = true;
        row->w.baseline = 0;
        row->w.current = (double)now.counts[i] / (double)n[1];
        row->w.amount = d.estimate;
        row->w.low = d.low;
        row->w.high = d.high;
        row->w.n[0] = (size_t)n[0];
        row->w.n[1] = (size_t)n[1];
        row->w.p = worsening_shares_p(now.counts[i], n[1], 0, n[0], 0);
        widen(w, row, false, share_of_kind, now.names[i]);
    }
}
