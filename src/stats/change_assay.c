/* Our own detector. Benchmarks on shared machines have noise with memory, fat
 * tails and two modes; a t test that takes their points for independent and
 * normal finds a change in every second unchanged series.
 *
 *  1. Work on logarithms (if all values are positive): changes are ratios.
 *  2. Propose: cut each segment at the place of the smallest p among those of
 *     the largest energy distance, of the largest energy distance of midranks,
 *     and of the fewest runs (change_search.h), and go on with the parts.
 *  3. Confirm, backwards: put each split at its best place between its two
 *     neighbours and test it (change_evidence.c); drop the weakest and begin
 *     again, until all pass. What the points are worth is measured again each
 *     time, from what the remaining segments leave over. p is multiplied by 2
 *     ln((n - m) / m), the length of the search: the normalised statistic of the
 *     split at t is nearly an Ornstein-Uhlenbeck process in the time ln(t / (n -
 *     t)) (Darling and Erdos 1956; Miller and Siegmund 1982).
 *  4. Drift or steps? A line is a shorter description of a drift than a
 *     staircase of splits is. Both are tried, and compared by Schwarz's
 *     criterion; if the line wins, steps are those of what it leaves over.
 *  5. Tell. A split that holds divides the series for all that is measured, yet
 *     is reported only if it is relevant: medians that are 3 % apart (quantiles
 *     matched: where there are two modes, a median jumps from one to the other
 *     by chance), between levels of SETTLED points; a tenth of the series (at
 *     most 10 points) must come before it, because first runs start cold; and a
 *     level of fewer than BURST points that then goes back was a disturbance.
 *
 * Invariants. (a) A split is never moved or removed for a reason of telling: a 2
 * % step that holds keeps the 8 % step before it visible, since without it the
 * rest would look like memory. (b) A split is searched SETTLED points away from
 * the ends of its stretch; if it then stands at that border, it is moved on to
 * where the energy distance is largest, and stays untold if that leaves fewer
 * points than a level needs: the place is right, or nothing is said. (c) When a
 * weak split goes, what it divided turns into memory and drags the others down. A
 * split's p is therefore the geometric mean of its p now and of its best p among
 * splits that were all plausible. */
#include "stats/change_evidence.h"
#include "stats/change_internal.h"
#include "stats/change_slope.h"
#include "stats/kendall.h"
#include "stats/quantile.h"

#include <math.h>
#include <string.h>

enum {
    SETTLED = CHANGE_SETTLED,
    BURST = 8,    /* fewer points that then go back were a disturbance */
    HISTORY = 10, /* points the first level of a long series needs */
    REACH = 500,  /* points a search looks at */
};
static const double least_magnitude = 0.03;
static const double loose_p = 0.01;     /* of a proposal, before the length of the search */
static const double plausible_p = 0.01; /* of a split that may be there */

struct scan {
    const struct change_series *series;
    double *values; /* without the drift */
    double *y;      /* their logarithms, or the values if one is not positive */
    double *rank;
    size_t *order; /* of y, ascending */
    size_t n;
    size_t first;                /* no split before this point */
    double positions;            /* independent splits searched */
    struct change_memory memory; /* of what the splits leave over */
};

struct range {
    size_t start;
    size_t end;
};

struct split {
    size_t at;
    double p;
    double best_p;        /* among splits that were all plausible */
    struct range stretch; /* in which `at` is the best place; empty: not searched yet */
};

struct splits {
    struct split *list; /* ascending */
    size_t count;
};

/* ---- one split ---- */

/* The points of a range in the order of the whole series. */
static struct change_stretch stretch_of(const struct scan *s, struct range w, struct arena *out)
{
    struct change_stretch stretch = {.y = s->y + w.start, .n = w.end - w.start};
    size_t *order = arena_new(out, size_t, stretch.n);
    size_t count = 0;
    for (size_t k = 0; k < s->n; k++) {
        size_t i = s->order[k];
        if (i >= w.start && i < w.end) order[count++] = i - w.start;
    }
    stretch.order = order;
    return stretch;
}

static double split_p(const struct scan *s, struct range w, size_t at, struct arena scratch)
{
    struct change_stretch stretch = stretch_of(s, w, &scratch);
    return fmin(1,
                change_evidence_p(&stretch, at - w.start, s->memory, scratch) * s->positions);
}

/* The same for two ranges that do not touch. */
static double ranges_p(const struct scan *s, struct range a, struct range b,
                       struct arena scratch)
{
    size_t m = a.end - a.start;
    size_t n = b.end - b.start;
    double *both = arena_new(&scratch, double, m + n);
    memcpy(both, s->y + a.start, m * sizeof *both);
    memcpy(both + m, s->y + b.start, n * sizeof *both);
    struct change_stretch stretch = {
        .y = both, .order = change_search_order(both, m + n, &scratch), .n = m + n};
    return fmin(1, change_evidence_p(&stretch, m, s->memory, scratch) * s->positions);
}

static size_t lowest_in(const struct scan *s, struct range w)
{
    return w.start + SETTLED > s->first ? w.start + SETTLED : s->first;
}

/* The place of the smallest p; .at is 0 if the stretch is too short. */
static struct split best_split(const struct scan *s, struct range w, struct arena scratch)
{
    struct split best = {.p = 1};
    size_t lowest = lowest_in(s, w);
    if (lowest + SETTLED > w.end) return best;
    struct change_stretch of_values = stretch_of(s, w, &scratch);
    of_values.first = lowest - w.start;
    of_values.last = of_values.n - SETTLED;
    struct change_stretch of_ranks = of_values;
    of_ranks.y = s->rank + w.start;
    const struct change_place places[] = {
        change_search_energy(&of_values, scratch),
        change_search_runs(&of_values, scratch),
        change_search_energy(&of_ranks, scratch),
    };
    for (size_t i = 0; i < COUNT(places); i++) {
        size_t at = w.start + places[i].at;
        if (at == best.at) continue;
        double p = change_evidence_p(&of_values, places[i].at, s->memory, scratch);
        p = fmin(1, p * s->positions);
        if (best.at == 0 || p < best.p) best = (struct split){.at = at, .p = p};
    }
    return best;
}

static double energy_at(const struct change_stretch *stretch, size_t at, struct arena scratch)
{
    struct change_stretch one = *stretch;
    one.first = one.last = at;
    return change_search_energy(&one, scratch).statistic;
}

/* A split at the border of where splits are searched moves on while that makes
 * the parts differ more. */
static size_t settle(const struct scan *s, struct range w, size_t at, struct arena scratch)
{
    bool is_last = at + SETTLED == w.end;
    if (!is_last && at != lowest_in(s, w)) return at;
    struct change_stretch stretch = stretch_of(s, w, &scratch);
    double here = energy_at(&stretch, at - w.start, scratch);
    while (is_last ? at + 1 < w.end : at > w.start + 1) {
        size_t next = is_last ? at + 1 : at - 1;
        double energy = energy_at(&stretch, next - w.start, scratch);
        if (energy <= here) break;
        here = energy;
        at = next;
    }
    return at;
}

/* ---- all splits ---- */

/* Marks the proposals inside a range. The longer part goes on in this loop, so
 * that the depth of recursion is logarithmic. */
static void propose(const struct scan *s, struct range w, bool *is_split, struct arena scratch)
{
    while (w.end - w.start >= (size_t)2 * SETTLED) {
        struct split best = best_split(s, w, scratch);
        if (best.at == 0 || best.p > loose_p * s->positions) return;
        is_split[best.at] = true;
        struct range left = {w.start, best.at};
        struct range right = {best.at, w.end};
        bool is_left_shorter = best.at - w.start < w.end - best.at;
        propose(s, is_left_shorter ? left : right, is_split, scratch);
        w = is_left_shorter ? right : left;
    }
}

/* All proposals, at least SETTLED apart, in windows that overlap by half. */
static struct splits propose_all(const struct scan *s, struct arena *out)
{
    struct splits splits = {arena_new(out, struct split, s->n), 0};
    struct arena scratch = *out;
    bool *is_split = arena_new(&scratch, bool, s->n);
    for (size_t start = 0;; start += REACH / 2) {
        size_t end = s->n - start < REACH ? s->n : start + REACH;
        propose(s, (struct range){start, end}, is_split, scratch);
        if (end == s->n) break;
    }
    for (size_t i = 0; i < s->n; i++) {
        bool is_near = splits.count > 0 && i - splits.list[splits.count - 1].at < SETTLED;
        if (is_split[i] && !is_near)
            splits.list[splits.count++] = (struct split){.at = i, .p = 1, .best_p = 1};
    }
    return splits;
}

static struct range segment(const struct scan *s, const struct splits *splits, size_t i)
{
    return (struct range){i > 0 ? splits->list[i - 1].at : 0,
                          i < splits->count ? splits->list[i].at : s->n};
}

/* Both segments next to the split i. */
static struct range around(const struct scan *s, const struct splits *splits, size_t i)
{
    return (struct range){segment(s, splits, i).start, segment(s, splits, i + 1).end};
}

static void relocate(const struct scan *s, struct splits *splits, struct arena scratch)
{
    for (size_t i = 0; i < splits->count; i++) {
        struct split *split = &splits->list[i];
        struct range w = around(s, splits, i);
        if (split->at - w.start > REACH) w.start = split->at - REACH;
        if (w.end - split->at > REACH) w.end = split->at + REACH;
        if (split->stretch.start == w.start && split->stretch.end == w.end) continue;
        split->stretch = w;
        struct split better = best_split(s, w, scratch);
        if (better.at > 0) split->at = settle(s, w, better.at, scratch);
    }
}

static size_t *places_of(const struct splits *splits, struct arena *out)
{
    size_t *at = arena_new(out, size_t, splits->count + 1);
    for (size_t i = 0; i < splits->count; i++) at[i] = splits->list[i].at;
    return at;
}

/* Tests all splits with one measure of memory. */
static void examine(struct scan *s, struct splits *splits, struct arena scratch)
{
    s->memory =
        change_memory_of(s->y, s->n, places_of(splits, &scratch), splits->count, scratch);
    double worst = 0;
    for (size_t i = 0; i < splits->count; i++) {
        struct split *split = &splits->list[i];
        split->p = split_p(s, around(s, splits, i), split->at, scratch);
        worst = fmax(worst, split->p);
    }
    for (size_t i = 0; i < splits->count; i++) {
        struct split *split = &splits->list[i];
        double now = split->p;
        split->p = sqrt(now) * sqrt(fmin(now, split->best_p));
        if (worst <= plausible_p) split->best_p = fmin(split->best_p, now);
    }
}

/* The splits that hold. */
static struct splits find_splits(struct scan *s, struct arena *out)
{
    s->memory = (struct change_memory){1, 1};
    struct splits splits = propose_all(s, out);
    for (;;) {
        relocate(s, &splits, *out);
        examine(s, &splits, *out);
        size_t weakest = 0;
        for (size_t i = 1; i < splits.count; i++) {
            if (splits.list[i].p > splits.list[weakest].p) weakest = i;
        }
        if (splits.count == 0 || splits.list[weakest].p <= s->series->options.p) return splits;
        struct split *gone = &splits.list[weakest];
        memmove(gone, gone + 1, (--splits.count - weakest) * sizeof *gone);
    }
}

/* ---- telling ---- */

static double least_change(const struct scan *s)
{
    double asked = s->series->options.magnitude;
    return asked > 0 ? asked : least_magnitude;
}

static double level_of(const struct scan *s, struct range r, struct arena scratch)
{
    return stats_median(scratch, s->values + r.start, r.end - r.start);
}

/* Median over the quantiles of the change from one side's to the other's. */
static double matched_change(const struct scan *s, struct range a, struct range b,
                             struct arena scratch)
{
    size_t m;
    size_t n;
    const double *x = stats_sort(&scratch, s->values + a.start, a.end - a.start, &m);
    const double *y = stats_sort(&scratch, s->values + b.start, b.end - b.start, &n);
    enum { QUANTILES = 19 };
    double changes[QUANTILES];
    for (int i = 0; i < QUANTILES; i++) {
        double q = (double)(i + 1) / (QUANTILES + 1);
        changes[i] = change_relative(quantile_of(x, m, q), quantile_of(y, n, q));
    }
    return stats_median(scratch, changes, QUANTILES);
}

/* Is the segment i, which begins after the level `before`, a disturbance? */
static bool goes_back(const struct scan *s, const struct splits *splits, size_t i,
                      struct range before, struct arena scratch)
{
    struct range r = segment(s, splits, i);
    if (i == splits->count || r.end - r.start >= BURST) return false;
    double level = level_of(s, before, scratch);
    double off = fabs(change_relative(level, level_of(s, r, scratch)));
    double next = level_of(s, segment(s, splits, i + 1), scratch);
    double back = fabs(change_relative(level, next));
    return back < least_change(s) || back < off / 4;
}

/* The segments that are levels. */
static size_t levels_of(const struct scan *s, const struct splits *splits, struct range *levels,
                        struct arena scratch)
{
    size_t count = 0;
    for (size_t i = 0; i <= splits->count; i++) {
        struct range r = segment(s, splits, i);
        bool is_settled = r.end - r.start >= SETTLED && (i > 0 || r.end >= s->first);
        if (!is_settled) continue;
        if (count > 0 && goes_back(s, splits, i, levels[count - 1], scratch)) continue;
        levels[count++] = r;
    }
    return count;
}

/* The change between two levels that follow each other, with at most
 * disturbances between them. These belong to the level that is nearer. */
static struct change_point point_between(const struct scan *s, struct range a, struct range b,
                                         struct arena scratch)
{
    struct change_point point = {.index = b.start};
    point.before = level_of(s, a, scratch);
    point.after = level_of(s, b, scratch);
    point.change = change_relative(point.before, point.after);
    point.p = ranges_p(s, a, b, scratch);
    if (a.end == b.start) return point;
    double between = level_of(s, (struct range){a.end, b.start}, scratch);
    if (fabs(between - point.after) < fabs(between - point.before)) point.index = a.end;
    return point;
}

static size_t tell(const struct scan *s, const struct splits *splits,
                   struct change_point *points, struct arena scratch)
{
    struct range *levels = arena_new(&scratch, struct range, splits->count + 1);
    size_t level_count = levels_of(s, splits, levels, scratch);
    size_t told = 0;
    for (size_t i = 1; i < level_count; i++) {
        struct range a = levels[i - 1];
        struct range b = levels[i];
        struct change_point point = point_between(s, a, b, scratch);
        for (size_t k = 0; k < splits->count && a.end == b.start; k++) {
            if (splits->list[k].at == b.start) point.p = splits->list[k].p;
        }
        bool is_worth_it = fabs(matched_change(s, a, b, scratch)) >= least_change(s);
        if (is_worth_it && point.p <= s->series->options.p) points[told++] = point;
    }
    return told;
}

/* ---- drift ---- */

static struct scan scan_of(const struct change_series *series, double slope, struct arena *out)
{
    size_t n = series->n;
    struct scan s = {.series = series, .n = n};
    s.values = arena_new(out, double, n);
    s.y = arena_new(out, double, n);
    for (size_t i = 0; i < n; i++) {
        double value = series->values[i];
        double risen = slope * (double)i;
        s.values[i] = series->is_ratio ? value * exp(-risen) : value - risen;
        s.y[i] = series->is_ratio ? log(value) - risen : s.values[i];
    }
    s.rank = change_midranks(s.y, n, out);
    s.order = change_search_order(s.y, n, out);
    s.first = n / 10 < HISTORY ? n / 10 : HISTORY;
    s.positions = fmax(1, 2 * log((double)(n - SETTLED) / SETTLED));
    return s;
}

/* Distances of all points from the levels of their segments. */
static double *distances(const struct scan *s, const struct splits *splits, struct arena *out)
{
    double *rest = arena_new(out, double, s->n);
    for (size_t i = 0; i <= splits->count; i++) {
        struct range r = segment(s, splits, i);
        double level = stats_median(*out, s->y + r.start, r.end - r.start);
        for (size_t j = r.start; j < r.end; j++) rest[j] = fabs(s->y[j] - level);
    }
    return rest;
}

/* Schwarz's criterion (1978), of distances cut at `limit`. A split is a place and
 * a level; a line is one parameter more. */
static double description(const double *rest, size_t n, double limit, double parameters)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += fmin(rest[i], limit) * fmin(rest[i], limit);
    return (double)n * log(fmax(sum / (double)n, 1e-300)) + parameters * log((double)n);
}

/* With the steps found on what the drift leaves over. */
struct drifting {
    struct scan scan;
    struct splits splits;
    struct change_slope slope;
};

/* The line that best follows the series, then again the one that does so between
 * the steps found besides it. Series that are flat, as a whole or between their steps,
 * cost no second search. */
static struct drifting find_drift(const struct change_series *series, const struct scan *plain,
                                  const struct splits *steps, struct arena *out)
{
    struct drifting d = {0};
    struct kendall whole = kendall_trend(*out, plain->y, plain->n, 1);
    double between = 0; /* what goes on between the steps */
    for (size_t i = 0; i <= steps->count; i++) {
        struct range r = segment(plain, steps, i);
        between += kendall_trend(*out, plain->y + r.start, r.end - r.start, 1).s;
    }
    d.slope.p = 1;
    if (whole.p > series->options.p || whole.s * between <= 0) return d;
    d.slope = change_slope_of(plain->y, plain->n, NULL, 0, 1, *out);
    for (int round = 0; round < 2; round++) {
        d.scan = scan_of(series, d.slope.estimate, out);
        d.splits = find_splits(&d.scan, out);
        struct arena scratch = *out;
        const size_t *at = places_of(&d.splits, &scratch);
        d.slope = change_slope_of(plain->y, plain->n, at, d.splits.count, d.scan.memory.share,
                                  scratch);
        if (d.splits.count == 0) break;
    }
    return d;
}

static double over(const struct change_series *series, double slope, double points)
{
    if (series->is_ratio) return expm1(slope * points);
    double level = fabs(series->values[0]);
    return slope * points / (level > 0 ? level : 1);
}

/* In doubt it is a step, which has a place and perhaps a cause: against steps that
 * would be reported the line needs a description shorter by one parameter, and a p
 * that is a thousand times smaller, unless it leaves less than half as much over.
 * `told`: the smallest p of those steps, or 1. */
static bool is_drift(const struct drifting *d, const struct scan *plain,
                     const struct splits *steps, double told, struct arena scratch)
{
    size_t n = plain->n;
    double total = over(plain->series, d->slope.estimate, (double)(n - 1));
    if (d->slope.p > plain->series->options.p || fabs(total) < least_change(plain))
        return false;
    const double *off_line = distances(&d->scan, &d->splits, &scratch);
    const double *off_steps = distances(plain, steps, &scratch);
    double limit =
        3 * MAD_TO_SIGMA *
        fmax(stats_median(scratch, off_line, n), stats_median(scratch, off_steps, n));
    double doubt = told < 1 ? 1 : 0;
    double line = description(off_line, n, limit, 2 * (double)d->splits.count + 1 + doubt);
    double stairs = description(off_steps, n, limit, 2 * (double)steps->count);
    bool is_clear = d->slope.p <= told / 1000 || line < stairs - (double)n * log(4);
    return is_clear && line < stairs;
}

static void tell_drift(const struct change_series *series, const struct drifting *d,
                       struct change_found *found)
{
    found->drift = (struct change_drift){
        .is_found = true,
        .slope = over(series, d->slope.estimate, 1),
        .low = over(series, d->slope.low, 1),
        .high = over(series, d->slope.high, 1),
        .total = over(series, d->slope.estimate, (double)(series->n - 1)),
        .p = d->slope.p,
    };
    for (size_t i = 0; i < found->count; i++) { /* back onto the line */
        struct change_point *p = &found->points[i];
        double risen = d->slope.estimate * (double)p->index;
        p->before = series->is_ratio ? p->before * exp(risen) : p->before + risen;
        p->after = series->is_ratio ? p->after * exp(risen) : p->after + risen;
        p->change = change_relative(p->before, p->after);
    }
}

void change_find_assay(const struct change_series *series, struct arena scratch,
                       struct change_found *found)
{
    if (series->n < CHANGE_FEWEST) {
        found->too_few = CHANGE_FEWEST;
        return;
    }
    struct scan plain = scan_of(series, 0, &scratch);
    struct splits steps = find_splits(&plain, &scratch);
    found->count = tell(&plain, &steps, found->points, scratch);
    double told = 1;
    for (size_t i = 0; i < found->count; i++) told = fmin(told, found->points[i].p);
    struct drifting drifting = find_drift(series, &plain, &steps, &scratch);
    if (!is_drift(&drifting, &plain, &steps, told, scratch)) return;
    found->count = tell(&drifting.scan, &drifting.splits, found->points, scratch);
    tell_drift(series, &drifting, found);
}
