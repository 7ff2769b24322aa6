/* Our own detector. Benchmarks on shared machines have noise with memory, fat
 * tails and two modes; a t test that takes their points for independent and
 * normal finds a change in every second unchanged series.
 *
 *  1. Work on logarithms (if all values are positive): changes are ratios.
 *  2. Propose: cut each segment where the energy distance between its two
 *     parts, n1 n2 / n * (2 E|X-Y| - E|X-X'| - E|Y-Y'|) (Szekely and Rizzo
 *     2004), is largest, and go on with the parts, as long as the looser of
 *     the tests below gives p <= 0.01.
 *  3. Confirm, backwards: put each split at the best place between its two
 *     neighbours and test it; drop the weakest and begin again, until all
 *     pass. Everything is tested anew after each removal.
 *
 * The test of a split is the smaller p of
 *   - Student's t with pooled variance: strong when the noise is normal, and
 *     for short segments, and
 *   - Mann-Whitney's z: strong when there are outliers or modes,
 * both at the effective sample size f n. f is the smaller of (1 - rho) / (1 +
 * rho), with rho the lag-1 autocorrelation of what is left after the medians of
 * all segments, winsorised at 3 sigma, its bias added back; and of 1 / (1 + 2
 * sum w_k rho_k) over the first lags, w falling to 0 (Bartlett's window, as in
 * Newey and West 1987): memory under white noise hides from lag 1 alone. p is
 * multiplied by 2 ln((n - m) / m), the length of the search: the normalised
 * statistic of the split at t is nearly an Ornstein-Uhlenbeck process in the
 * time ln(t / (n - t)) (Darling and Erdos 1956; Miller and Siegmund 1982).
 *
 * A change must also be worth telling: 3 % between the medians unless the
 * caller says otherwise, because unchanged code on rented machines moves by
 * that much; a level of fewer than BURST points that then goes back is no
 * change; and it must have SETTLED points on both sides, and a tenth of
 * the series (at most 10 points) before it, because first runs start cold. */
#include "stats/autocorr.h"
#include "stats/change_internal.h"
#include "stats/dist.h"
#include "stats/moments.h"
#include "stats/quantile.h"

#include <math.h>
#include <string.h>

enum {
    SETTLED = 5,  /* points a level needs before it is one */
    BURST = 8,    /* fewer points that then go back were a disturbance */
    HISTORY = 10, /* points the first level of a long series needs */
    LAGS = 5,     /* of memory looked at: more cost power on white noise */
    REACH = 500,  /* points a search looks at: bounds its quadratic cost */
};
static const double least_magnitude = 0.03;
static const double loose_p = 0.01;

struct scan {
    const double *y; /* logarithms, or the values if one is not positive */
    size_t n;
    size_t first;       /* no split before this point */
    double positions;   /* independent splits searched */
    double independent; /* effective share of the sample size */
};

static double least_change(const struct change_series *series)
{
    return series->options.magnitude > 0 ? series->options.magnitude : least_magnitude;
}

/* n1 n2 / n (2 E|X-Y| - E|X-X'| - E|Y-Y'|) from sums over pairs: between the
 * parts, and within each, every pair once. */
static double energy_of(double between, double within1, double within2, double n1, double n2)
{
    double distance = 2 * (between / (n1 * n2) - within1 / (n1 * n1) - within2 / (n2 * n2));
    return distance * n1 * n2 / (n1 + n2);
}

/* The split of [start, end) with the largest energy distance; 0 if the segment
 * is too short to have one. Moving one point from right to left changes the
 * sums by its distances to both sides, so that all splits cost O(n^2). */
static size_t best_split(const struct scan *s, size_t start, size_t end)
{
    double within_right = 0;
    for (size_t i = start; i < end; i++) {
        for (size_t j = i + 1; j < end; j++) within_right += fabs(s->y[i] - s->y[j]);
    }
    double total = within_right;
    double within_left = 0;
    double best = -INFINITY;
    size_t at = 0;
    for (size_t t = start + 1; t < end; t++) {
        double moved = s->y[t - 1];
        for (size_t i = start; i < t - 1; i++) within_left += fabs(moved - s->y[i]);
        for (size_t i = t; i < end; i++) within_right -= fabs(moved - s->y[i]);
        if (t < s->first || t - start < SETTLED || end - t < SETTLED) continue;
        double energy = energy_of(total - within_left - within_right, within_left, within_right,
                                  (double)(t - start), (double)(end - t));
        if (energy > best) {
            best = energy;
            at = t;
        }
    }
    return at;
}

static double student_p(const double *x, size_t m, const double *y, size_t n, double share)
{
    struct moments a = moments_of(x, m);
    struct moments b = moments_of(y, n);
    double variance = (a.m2 + b.m2) / (double)(m + n - 2);
    double m_eff = fmax(2, share * (double)m);
    double n_eff = fmax(2, share * (double)n);
    double se = sqrt(variance * (1 / m_eff + 1 / n_eff));
    if (se <= 0) return a.mean == b.mean ? 1 : 0;
    return dist_t_two_sided((a.mean - b.mean) / se, m_eff + n_eff - 2);
}

/* How many of sorted[0..n) lie below x, those equal to it counting half. */
static double midcount(const double *sorted, size_t n, double x)
{
    size_t low = 0;
    for (size_t high = n; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    size_t equal = 0;
    while (low + equal < n && sorted[low + equal] == x) equal++;
    return (double)low + (double)equal / 2;
}

/* Normal approximation without tie correction (which would only widen z):
 * exact p do not exist at a fractional sample size. */
static double mann_whitney_p(const double *x, size_t m, const double *y, size_t n, double share,
                             struct arena scratch)
{
    size_t kept = 0;
    const double *sorted = stats_sort(&scratch, y, n, &kept);
    double u = 0;
    for (size_t i = 0; i < m; i++) u += midcount(sorted, kept, x[i]);
    double pairs = (double)m * (double)n;
    double sd = sqrt(pairs * (double)(m + n + 1) / 12);
    double z = (fabs(u - pairs / 2) - 0.5) / sd * sqrt(share);
    return fmin(1, 2 * dist_normal_upper(z));
}

static double split_p(const struct scan *s, size_t start, size_t at, size_t end,
                      struct arena scratch)
{
    const double *x = s->y + start;
    const double *y = s->y + at;
    double t = student_p(x, at - start, y, end - at, s->independent);
    double u = mann_whitney_p(x, at - start, y, end - at, s->independent, scratch);
    return fmin(1, fmin(t, u) * s->positions);
}

/* 1 + 2 sum w_k rho_k over the first lags. A mean per segment was taken out,
 * which lowers every rho by about 1 / n. */
static double bartlett_inflation(const double *rest, size_t n, size_t segments)
{
    struct moments m = moments_of(rest, n);
    double sum = 0;
    for (size_t k = 1; k <= LAGS && k < n && m.m2 > 0; k++) {
        double products = 0;
        for (size_t i = 0; i + k < n; i++)
            products += (rest[i] - m.mean) * (rest[i + k] - m.mean);
        double rho = products / m.m2 + (double)segments / (double)n;
        sum += rho * (1 - (double)k / (LAGS + 1));
    }
    return fmax(1, 1 + 2 * sum);
}

/* Effective share of the sample size, from the residuals of all segments. */
static double independence(const struct scan *s, const size_t *splits, size_t count,
                           struct arena scratch)
{
    double *rest = arena_new(&scratch, double, s->n);
    double *away = arena_new(&scratch, double, s->n);
    for (size_t i = 0, start = 0; i <= count; i++) {
        size_t end = i < count ? splits[i] : s->n;
        double level = stats_median(scratch, s->y + start, end - start);
        for (size_t j = start; j < end; j++) {
            rest[j] = s->y[j] - level;
            away[j] = fabs(rest[j]);
        }
        start = end;
    }
    double limit = 3 * MAD_TO_SIGMA * stats_median(scratch, away, s->n);
    for (size_t j = 0; limit > 0 && j < s->n; j++) rest[j] = fmax(-limit, fmin(limit, rest[j]));
    double rho = autocorr_lag1(rest, s->n);
    rho += (1 + 3 * rho) * (double)(count + 1) / (double)s->n; /* a mean per segment */
    rho = fmax(0, fmin(0.9, rho));
    return fmin((1 - rho) / (1 + rho), 1 / bartlett_inflation(rest, s->n, count + 1));
}

/* Marks the proposals inside [start, end). The longer part goes on in this
 * loop, so that the depth of recursion is logarithmic. */
static void propose(const struct scan *s, size_t start, size_t end, bool *is_split,
                    struct arena scratch)
{
    while (end - start >= (size_t)2 * SETTLED) {
        size_t at = best_split(s, start, end);
        if (at == 0 || split_p(s, start, at, end, scratch) > loose_p * s->positions) return;
        is_split[at] = true;
        if (at - start < end - at) {
            propose(s, start, at, is_split, scratch);
            start = at;
        } else {
            propose(s, at, end, is_split, scratch);
            end = at;
        }
    }
}

/* Puts each split at the best place between its neighbours. */
static void relocate(const struct scan *s, size_t *splits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t start = i > 0 ? splits[i - 1] : 0;
        size_t end = i + 1 < count ? splits[i + 1] : s->n;
        if (splits[i] - start > REACH) start = splits[i] - REACH;
        if (end - splits[i] > REACH) end = splits[i] + REACH;
        size_t better = best_split(s, start, end);
        if (better > 0) splits[i] = better;
    }
}

/* What the split i is. p above 1: too small to tell, the smaller the higher. */
static struct change_point examine(const struct change_series *series, const struct scan *s,
                                   const size_t *splits, size_t count, size_t i,
                                   struct arena scratch)
{
    size_t start = i > 0 ? splits[i - 1] : 0;
    size_t at = splits[i];
    size_t end = i + 1 < count ? splits[i + 1] : s->n;
    struct change_point point = {.index = at};
    point.before = stats_median(scratch, series->values + start, at - start);
    point.after = stats_median(scratch, series->values + at, end - at);
    point.change = change_relative(point.before, point.after);
    double least = least_change(series);
    if (fabs(point.change) < least)
        point.p = 2 - fabs(point.change) / least;
    else
        point.p = split_p(s, start, at, end, scratch);
    return point;
}

static void remove_splits(size_t *splits, size_t *count, size_t at, size_t n)
{
    *count -= n;
    memmove(splits + at, splits + at + n, (*count - at) * sizeof *splits);
}

/* Takes out the first pair of splits around a short segment on whose two sides
 * the level is the same: the machine was busy for a while. False if there is
 * none. */
static bool remove_burst(const struct change_series *series, const struct change_point *points,
                         size_t *splits, size_t *count)
{
    for (size_t i = 0; i + 1 < *count; i++) {
        if (splits[i + 1] - splits[i] >= BURST) continue;
        double before = points[i].before;
        double back = fabs(change_relative(before, points[i + 1].after));
        if (back >= least_change(series) && back >= fabs(points[i].change) / 4) continue;
        remove_splits(splits, count, i, 2);
        return true;
    }
    return false;
}

/* Fills `points` with the splits that hold; returns their number. */
static size_t confirm(const struct change_series *series, struct scan *s, size_t *splits,
                      size_t count, struct change_point *points, struct arena scratch)
{
    while (count > 0) {
        relocate(s, splits, count);
        s->independent = independence(s, splits, count, scratch);
        size_t weakest = 0;
        for (size_t i = 0; i < count; i++) {
            points[i] = examine(series, s, splits, count, i, scratch);
            if (points[i].p > points[weakest].p) weakest = i;
        }
        if (points[weakest].p > series->options.p)
            remove_splits(splits, &count, weakest, 1);
        else if (!remove_burst(series, points, splits, &count))
            return count;
    }
    return 0;
}

/* All proposals, at least SETTLED apart, in windows that overlap by half. */
static size_t propose_all(const struct scan *s, size_t *splits, struct arena scratch)
{
    bool *is_split = arena_new(&scratch, bool, s->n);
    for (size_t start = 0;; start += REACH / 2) {
        size_t end = s->n - start < REACH ? s->n : start + REACH;
        propose(s, start, end, is_split, scratch);
        if (end == s->n) break;
    }
    size_t count = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (is_split[i] && (count == 0 || i - splits[count - 1] >= SETTLED))
            splits[count++] = i;
    }
    return count;
}

size_t change_find_assay(const struct change_series *series, struct arena scratch,
                         struct change_point *points)
{
    if (series->n < (size_t)2 * SETTLED) return 0;
    double *y = arena_new(&scratch, double, series->n);
    bool positive = true;
    for (size_t i = 0; i < series->n; i++) positive = positive && series->values[i] > 0;
    for (size_t i = 0; i < series->n; i++)
        y[i] = positive ? log(series->values[i]) : series->values[i];

    struct scan s = {.y = y, .n = series->n, .independent = 1};
    s.first = series->n / 10 < HISTORY ? series->n / 10 : HISTORY;
    s.positions = fmax(1, 2 * log((double)(series->n - SETTLED) / SETTLED));
    size_t *splits = arena_new(&scratch, size_t, series->n);
    size_t count = propose_all(&s, splits, scratch);
    return confirm(series, &s, splits, count, points, scratch);
}
