/* The same question with each run counted once. */
#include "judge/worsening_internal.h"

#include "stats/dist.h"
#include "stats/moments.h"
#include "stats/quantile.h"
#include "stats/runs.h"
#include "stats/verdict.h"

#include <math.h>
#include <stdlib.h>

/* ---- widening ---- */

static double amount_of(const struct worsening_runs *r, double d)
{
    double change = r->is_log ? expm1(d) : d;
    return r->sign * change;
}

static double p_of_limit(const struct worsening_runs *r, const struct runs_difference *x,
                         double limit)
{
    double moved = r->sign * limit;
    if (r->is_log && !(moved > -1)) return 1;
    double beyond = r->sign * (x->d - (r->is_log ? log1p(moved) : moved));
    if (!(beyond > 0)) return 1;
    return x->se > 0 ? dist_t_two_sided(beyond / x->se, x->df) : 0;
}

void worsening_widen(struct worsening *w, const struct worsening_runs *r, double limit,
                     double alpha)
{
    w->by_run = *r;
    struct runs_difference x =
        r->is_paired ? runs_compare_pairs(r->values[0], r->values[1], r->count[0])
                     : runs_compare(r->values[0], r->count[0], r->values[1], r->count[1]);
    w->run_sd = x.sd;
    if (isnan(x.se) || isnan(w->low) || w->why) return;
    double t = dist_t_quantile(1 - alpha / 2, x.df);
    double ends[2] = {amount_of(r, x.d - t * x.se), amount_of(r, x.d + t * x.se)};
    w->low = fmin(w->low, fmin(ends[0], ends[1]));
    w->high = fmax(w->high, fmax(ends[0], ends[1]));
    w->p = fmax(w->p, p_of_limit(r, &x, limit));
    double shown = (t + dist_t_quantile(VERDICT_POWER, x.df)) * x.se;
    shown = fabs(amount_of(r, r->sign * shown));
    w->needs_runs = !(w->mde >= shown);
    w->mde = fmax(w->mde, shown);
}

bool worsening_runs_are_shared(const struct view_cell *const *const runs[2],
                               const size_t count[2])
{
    if (count[0] != count[1] || count[0] < 2) return false;
    for (size_t i = 0; i < count[0]; i++) {
        const char *id = runs[0][i]->record.run_id;
        if (!id[0] || strcmp(id, runs[1][i]->record.run_id) != 0) return false;
    }
    return true;
}

/* ---- one number a run ---- */

static double summary_of(const double *values, size_t count, bool is_points,
                         struct arena scratch)
{
    size_t n = 0;
    double *sorted = stats_sort(&scratch, values, count, &n);
    if (n == 0) return NAN;
    return is_points ? moments_of(sorted, n).mean : quantile_median(sorted, n);
}

static int by_text(const void *key, const void *item)
{
    return strcmp(key, *(const char *const *)item);
}

static double value_at(const struct units *u, const char *key)
{
    const char **at = bsearch(key, u->keys, u->count, sizeof *u->keys, by_text);
    return at ? u->values[at - u->keys] : (double)NAN;
}

/* Cases differ from each other, and a run may lack some: each is taken as its
 * distance from its own mean over all runs, where all of them have it. */
static void centre_cases(struct units *runs, size_t count, struct arena *out)
{
    struct units first = runs[0];
    double *row = arena_new(out, double, count + 1);
    size_t kept = 0;
    double **centred = arena_new(out, double *, count + 1);
    for (size_t r = 0; r < count; r++) centred[r] = arena_new(out, double, first.count + 1);
    for (size_t i = 0; i < first.count; i++) {
        bool is_whole = true;
        for (size_t r = 0; r < count; r++) {
            row[r] = value_at(&runs[r], first.keys[i]);
            is_whole &= isfinite(row[r]) != 0;
        }
        if (!is_whole) continue;
        double centre = moments_of(row, count).mean;
        for (size_t r = 0; r < count; r++) centred[r][kept] = row[r] - centre;
        kept++;
    }
    for (size_t r = 0; r < count; r++) {
        runs[r] = (struct units){.values = centred[r], .count = kept};
    }
}

static bool are_positive(const struct units *runs, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        for (size_t i = 0; i < runs[r].count; i++) {
            if (isfinite(runs[r].values[i]) && !(runs[r].values[i] > 0)) return false;
        }
    }
    return true;
}

static bool have_cases(const struct units *runs, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        if (!runs[r].keys) return false;
    }
    return true;
}

static void level_side(const struct units *runs, size_t count, bool is_log, struct units *all,
                       struct arena *out)
{
    double *medians = arena_new(out, double, count + 1);
    struct moments of_runs = {0};
    size_t total = 0;
    for (size_t r = 0; r < count; r++) {
        double median = summary_of(runs[r].values, runs[r].count, false, *out);
        medians[r] = is_log ? log(median) : median;
        moments_add(&of_runs, medians[r]);
        total += runs[r].count;
    }
    *all = (struct units){.values = arena_new(out, double, total + 1)};
    for (size_t r = 0; r < count; r++) {
        double shift = of_runs.mean - medians[r];
        for (size_t i = 0; i < runs[r].count; i++) {
            double v = runs[r].values[i];
            all->values[all->count++] = is_log ? v * exp(shift) : v + shift;
        }
    }
}

void worsening_level_runs(const struct units *runs, const size_t count[2], struct units all[2],
                          struct arena *out)
{
    bool is_log = are_positive(runs, count[0] + count[1]);
    level_side(runs, count[0], is_log, &all[0], out);
    level_side(runs + count[0], count[1], is_log, &all[1], out);
}

void worsening_widen_by_units(struct worsening *w, struct units *runs, const size_t count[2],
                              bool are_shared, double sign, double limit, double alpha,
                              struct arena *out)
{
    size_t all = count[0] + count[1];
    struct worsening_runs r = {.sign = sign,
                               .is_paired = are_shared,
                               .is_log = !w->is_points && are_positive(runs, all)};
    double scale = w->is_points || r.is_log ? 1 : fabs(w->baseline);
    for (size_t k = 0; k < all; k++) {
        for (size_t i = 0; i < runs[k].count; i++) {
            double v = runs[k].values[i];
            runs[k].values[i] = r.is_log ? log(v) : v / scale;
        }
    }
    if (w->by_case && have_cases(runs, all)) centre_cases(runs, all, out);
    for (int side = 0; side < 2; side++) {
        double *values = arena_new(out, double, count[side] + 1);
        for (size_t k = 0; k < count[side]; k++) {
            const struct units *u = &runs[side * count[0] + k];
            double v = summary_of(u->values, u->count, w->is_points, *out);
            if (isfinite(v)) values[r.count[side]++] = v;
            r.is_paired &= isfinite(v) != 0;
        }
        r.values[side] = values;
    }
    worsening_widen(w, &r, limit, alpha);
}
