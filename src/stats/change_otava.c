/* Apache Otava (Hunter; Fleming et al., "Hunter: Using Change Point Detection
 * to Hunt for Performance Regressions", ICPE 2023), step by step, so that its
 * users see the indices they know. What looks odd here is Otava's: the t test
 * on population variances, the looser first pass (p * 10), the merge that does
 * not refresh the point before the one it deletes.
 *
 * The proposals are E-divisive (Matteson and James, 2014) with exponent 1: the
 * split (tau, kappa) of a segment with the largest weighted energy distance
 * between [start, tau) and [tau, kappa). Sums over pairs are carried along, so
 * that all O(W^2) splits of a window cost O(W^2). */
#include "stats/change_internal.h"
#include "stats/dist.h"

#include <math.h>
#include <string.h>

struct split {
    size_t index;
    double q; /* weighted energy distance; below 0: none */
};

struct level {
    double mean;
    double variance; /* population: divisor n */
    size_t n;
};

static struct level level_of(const double *x, size_t n)
{
    struct level l = {.n = n};
    for (size_t i = 0; i < n; i++) l.mean += x[i];
    l.mean /= (double)n;
    for (size_t i = 0; i < n; i++) l.variance += (x[i] - l.mean) * (x[i] - l.mean);
    l.variance /= (double)n;
    return l;
}

static double level_p(struct level a, struct level b)
{
    double df = (double)(a.n + b.n) - 2;
    if (df <= 0) return 1;
    double pooled = ((double)(a.n - 1) * a.variance + (double)(b.n - 1) * b.variance) / df;
    double se = sqrt(pooled * (1 / (double)a.n + 1 / (double)b.n));
    if (se <= 0) return a.mean == b.mean ? 1 : 0;
    return dist_t_two_sided((a.mean - b.mean) / se, df);
}

static double level_magnitude(struct level a, struct level b)
{
    double up = a.mean != 0 ? fabs(b.mean / a.mean - 1) : 0;
    double down = b.mean != 0 ? fabs(a.mean / b.mean - 1) : 0;
    return fmax(up, down);
}

static double energy(double cross, double left, double right, double n, double m)
{
    double q = 2 / (m + n) * cross;
    if (n > 1) q -= 2 * m / ((m + n) * (n - 1)) * left;
    if (m > 1) q -= 2 * n / ((m + n) * (m - 1)) * right;
    return q;
}

/* The best (tau, kappa) of z[0..n), the first one among equals. to_left[k] is
 * the sum of |z_k - z_i| over i < tau, to_all[k] the same over i < k. */
static struct split best_split(const double *z, size_t n, struct arena scratch)
{
    double *to_left = arena_new(&scratch, double, n);
    double *to_all = arena_new(&scratch, double, n);
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < k; i++) to_all[k] += fabs(z[k] - z[i]);
    }
    struct split best = {0, -INFINITY};
    double left = 0;
    for (size_t tau = 1; tau < n; tau++) {
        left += to_all[tau - 1];
        double cross = 0;
        double right = 0;
        for (size_t k = tau; k < n; k++) {
            to_left[k] += fabs(z[k] - z[tau - 1]);
            cross += to_left[k];
            right += to_all[k] - to_left[k];
            double q = energy(cross, left, right, (double)tau, (double)(k + 1 - tau));
            if (q > best.q) best = (struct split){tau, q};
        }
    }
    return best;
}

/* ends[0..count] are the borders of the segments of z, ends[0] = 0. */
struct segments {
    size_t *ends;
    struct split *candidates; /* of the segment that begins at ends[i] */
    size_t count;
};

static struct split candidate(const double *z, size_t start, size_t end, struct arena scratch)
{
    if (end - start < 2) return (struct split){start, -INFINITY};
    struct split s = best_split(z + start, end - start, scratch);
    s.index += start;
    return s;
}

static bool split_once(const double *z, struct segments *s, double p, struct arena scratch)
{
    size_t at = 0;
    for (size_t i = 1; i < s->count; i++) {
        if (s->candidates[i].q > s->candidates[at].q) at = i;
    }
    if (isinf(s->candidates[at].q)) return false;
    size_t start = s->ends[at];
    size_t middle = s->candidates[at].index;
    size_t end = s->ends[at + 1];
    if (!(level_p(level_of(z + start, middle - start), level_of(z + middle, end - middle)) <=
          p))
        return false;

    memmove(s->ends + at + 2, s->ends + at + 1, (s->count - at) * sizeof *s->ends);
    memmove(s->candidates + at + 2, s->candidates + at + 1,
            (s->count - at - 1) * sizeof *s->candidates);
    s->ends[at + 1] = middle;
    s->count++;
    s->candidates[at] = candidate(z, start, middle, scratch);
    s->candidates[at + 1] = candidate(z, middle, end, scratch);
    return true;
}

/* Marks the change points of z[0..n) in is_weak; returns the last one, 0 if
 * there is none. */
static size_t detect(const double *z, size_t n, double p, bool *is_weak, struct arena scratch)
{
    struct segments s = {arena_new(&scratch, size_t, n + 2),
                         arena_new(&scratch, struct split, n + 1), 1};
    s.ends[1] = n;
    s.candidates[0] = candidate(z, 0, n, scratch);
    while (split_once(z, &s, p, scratch)) {
    }
    for (size_t i = 1; i < s.count; i++) is_weak[s.ends[i]] = true;
    return s.ends[s.count - 1];
}

struct weak {
    size_t index;
    double p;
    double magnitude;
    struct level before;
    struct level after;
};

static void refresh(const struct change_series *s, struct weak *w, size_t count, size_t i)
{
    size_t start = i > 0 ? w[i - 1].index : 0;
    size_t end = i + 1 < count ? w[i + 1].index : s->n;
    w[i].before = level_of(s->values + start, w[i].index - start);
    w[i].after = level_of(s->values + w[i].index, end - w[i].index);
    w[i].p = level_p(w[i].before, w[i].after);
    w[i].magnitude = level_magnitude(w[i].before, w[i].after);
}

static size_t propose(const struct change_series *s, struct weak *weak, struct arena scratch)
{
    double p = s->options.p;
    double loose = p < 0.05 ? p * 10 : p < 0.5 ? p * 2 : p;
    size_t window = s->options.window;
    bool *is_weak = arena_new(&scratch, bool, s->n + 1);
    for (size_t start = 0; start < s->n;) {
        size_t length = s->n - start < window ? s->n - start : window;
        size_t last = detect(s->values + start, length, loose, is_weak + start, scratch);
        start += last > window / 2 ? last : window / 2;
    }
    size_t count = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (is_weak[i]) weak[count++].index = i;
    }
    for (size_t i = 0; i < count; i++) refresh(s, weak, count, i);
    return count;
}

/* The point to delete next, or `count` if all may stay. */
static size_t weakest(const struct change_options *o, const struct weak *w, size_t count)
{
    size_t at = 0;
    for (size_t i = 1; i < count; i++) {
        if (w[i].p > w[at].p) at = i;
    }
    if (w[at].p >= o->p) return at;
    at = 0;
    for (size_t i = 1; i < count; i++) {
        if (w[i].magnitude < w[at].magnitude) at = i;
    }
    return w[at].magnitude > o->magnitude ? count : at;
}

void change_find_otava(const struct change_series *series, struct arena scratch,
                       struct change_found *found)
{
    struct weak *w = arena_new(&scratch, struct weak, series->n);
    size_t count = propose(series, w, scratch);
    while (count > 0) {
        size_t at = weakest(&series->options, w, count);
        if (at == count) break;
        count--;
        memmove(w + at, w + at + 1, (count - at) * sizeof *w);
        for (size_t i = at; i < count && i <= at + 1; i++) refresh(series, w, count, i);
    }
    for (size_t i = 0; i < count; i++) {
        found->points[i] =
            (struct change_point){w[i].index, w[i].before.mean, w[i].after.mean,
                                  change_relative(w[i].before.mean, w[i].after.mean), w[i].p};
    }
    found->count = count;
}
