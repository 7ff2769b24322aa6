/* Least absolute deviations with a price per jump (the L1-Potts functional of
 * Weinmann, Storath and Demaret, 2015), as airspeed velocity finds its steps:
 *
 *     minimise  gamma * jumps + sum |y - level of its segment|
 *
 * by dynamic programming over the left ends, the level being the median. The
 * price gamma is chosen by golden section on its logarithm, between 0.1/n and
 * 1 times the cost of no jump, to minimise
 *
 *     4 ln n / n * segments + ln(s0 + |E_0| + sum |E_j - rho E_{j-1}|)
 *
 * where E are the residuals and rho, chosen to minimise the sum, lets noise
 * with memory pass for noise. s0, a tenth of the smallest jump (or a thousandth
 * of the smallest level), keeps a perfect fit from an infinite reward.
 *
 * Costs of all segments take O(n^2) memory, hence segments are limited to
 * LONGEST points; neighbours that are cheaper together are joined afterwards. */
#include "stats/change_internal.h"
#include "stats/quantile.h"

#include <math.h>
#include <string.h>

enum { LONGEST = 500 };

/* cost[l * width + k]: sum of distances from the median of y[l .. l + k]. */
struct potts {
    const double *y;
    size_t n;
    size_t width;
    double *cost;
};

struct fit {
    size_t *ends; /* right ends, exclusive, ascending; the last is n */
    double *levels;
    size_t count;
};

/* Distances from the median of a growing sorted run: the sum of its upper half
 * less the sum of its lower half, both kept up to date at each insertion. */
static void fill_costs(struct potts *p, size_t left, double *sorted)
{
    double lower = 0;
    double upper = 0;
    for (size_t k = 0; k < p->width && left + k < p->n; k++) {
        double x = p->y[left + k];
        size_t at = k;
        while (at > 0 && sorted[at - 1] > x) at--;
        size_t half = k / 2;
        double middle = k % 2 == 1 ? sorted[half] : 0;
        memmove(sorted + at + 1, sorted + at, (k - at) * sizeof *sorted);
        sorted[at] = x;
        if (k % 2 == 1) { /* the old middle joins the half that x does not */
            lower += at <= half ? x : middle;
            upper += at <= half ? middle : x;
        } else if (at < half) {
            lower += x - sorted[half];
        } else if (at > half) {
            upper += x - sorted[half];
        }
        p->cost[left * p->width + k] = upper - lower;
    }
}

static double distance(const struct potts *p, size_t left, size_t right, struct arena scratch)
{
    if (right - left <= p->width) return p->cost[left * p->width + (right - left - 1)];
    double middle = stats_median(scratch, p->y + left, right - left);
    double sum = 0;
    for (size_t i = left; i < right; i++) sum += fabs(p->y[i] - middle);
    return sum;
}

static void join_neighbours(const struct potts *p, double gamma, struct fit *f,
                            struct arena scratch)
{
    for (size_t i = 0; i + 1 < f->count;) {
        size_t left = i > 0 ? f->ends[i - 1] : 0;
        double apart = distance(p, left, f->ends[i], scratch) +
                       distance(p, f->ends[i], f->ends[i + 1], scratch) + gamma;
        if (distance(p, left, f->ends[i + 1], scratch) > apart) {
            i++;
            continue;
        }
        memmove(f->ends + i, f->ends + i + 1, (f->count - i - 1) * sizeof *f->ends);
        f->count--;
        if (i > 0) i--;
    }
}

static void solve(const struct potts *p, double gamma, struct fit *f, struct arena scratch)
{
    double *best = arena_new(&scratch, double, p->n + 1);
    size_t *from = arena_new(&scratch, size_t, p->n + 1);
    best[0] = -gamma;
    for (size_t right = 1; right <= p->n; right++) {
        best[right] = INFINITY;
        size_t first = right > p->width ? right - p->width : 0;
        for (size_t left = first; left < right; left++) {
            double total = best[left] + gamma + p->cost[left * p->width + (right - left - 1)];
            if (total < best[right]) {
                best[right] = total;
                from[right] = left;
            }
        }
    }
    f->count = 0;
    for (size_t right = p->n; right > 0; right = from[right]) f->count++;
    size_t at = f->count;
    for (size_t right = p->n; right > 0; right = from[right]) f->ends[--at] = right;
    if (p->n > p->width) join_neighbours(p, gamma, f, scratch);
    for (size_t i = 0, left = 0; i < f->count; left = f->ends[i++]) {
        f->levels[i] = stats_median(scratch, p->y + left, f->ends[i] - left);
    }
}

/* Where a function with one valley is smallest, to `width`. The section begins
 * so that the first two looks fall on `low` and `high` themselves: a random
 * walk has rho = 1, and no jump at all is the price 1. */
struct section {
    double (*f)(void *context, double x);
    void *context;
    double low;
    double high;
    double width;
};

static double golden_section(const struct section *s)
{
    static const double ratio = 0.6180339887498949;
    double length = (s->high - s->low) / (2 * ratio - 1);
    double low = s->low - (1 - ratio) * length;
    double high = low + length;
    double a = s->low;
    double b = s->high;
    double fa = s->f(s->context, a);
    double fb = s->f(s->context, b);
    while (high - low >= s->width) {
        if (fb < fa) {
            low = a;
            a = b;
            fa = fb;
            b = low + ratio * (high - low);
            fb = s->f(s->context, b);
        } else {
            high = b;
            b = a;
            fb = fa;
            a = high - ratio * (high - low);
            fa = s->f(s->context, a);
        }
    }
    return fb < fa ? b : a;
}

struct choice {
    const struct potts *p;
    struct fit trial;
    struct fit best;
    double best_value;
    double scale; /* cost without a jump */
    struct arena scratch;
};

static double whitened_sum(void *context, double rho)
{
    const struct choice *c = context;
    double sum = 0;
    double before = 0;
    for (size_t i = 0, segment = 0; i < c->p->n; i++) {
        if (i == c->trial.ends[segment]) segment++;
        double e = c->p->y[i] - c->trial.levels[segment];
        sum += fabs(e - rho * before);
        before = e;
    }
    return sum;
}

static double smallest_noise(const struct fit *f)
{
    double least = INFINITY;
    if (f->count > 2) {
        for (size_t i = 1; i < f->count; i++)
            least = fmin(least, 0.1 * fabs(f->levels[i] - f->levels[i - 1]));
    } else {
        for (size_t i = 0; i < f->count; i++) least = fmin(least, 0.001 * fabs(f->levels[i]));
    }
    return fmax(least, 1e-300);
}

static double criterion(void *context, double log_gamma)
{
    struct choice *c = context;
    double n = (double)c->p->n;
    solve(c->p, c->scale * exp(log_gamma), &c->trial, c->scratch);
    double rho = golden_section(&(struct section){whitened_sum, c, -1, 1, 0.05});
    double value = 4 * log(n) / n * (double)c->trial.count +
                   log(smallest_noise(&c->trial) + whitened_sum(c, rho));
    if (value < c->best_value) {
        struct fit worse = c->best;
        c->best = c->trial;
        c->trial = worse;
        c->best_value = value;
    }
    return value;
}

static struct fit fit_new(struct arena *a, size_t n)
{
    return (struct fit){arena_new(a, size_t, n + 1), arena_new(a, double, n + 1), 0};
}

void change_find_potts(const struct change_series *series, struct arena scratch,
                       struct change_found *found)
{
    struct potts p = {.y = series->values,
                      .n = series->n,
                      .width = series->n < LONGEST ? series->n : LONGEST};
    p.cost = arena_new(&scratch, double, p.n *p.width);
    double *sorted = arena_new(&scratch, double, p.width + 1);
    for (size_t left = 0; left < p.n; left++) fill_costs(&p, left, sorted);

    struct choice c = {.p = &p, .best_value = INFINITY};
    c.trial = fit_new(&scratch, p.n);
    c.best = fit_new(&scratch, p.n);
    c.scratch = scratch;
    c.scale = distance(&p, 0, p.n, scratch);
    if (c.scale <= 0) return;
    double lowest = log(0.1 / (double)p.n);
    golden_section(&(struct section){criterion, &c, lowest, 0, -lowest * 0.1});

    for (size_t i = 0; i + 1 < c.best.count; i++) {
        double before = c.best.levels[i];
        double after = c.best.levels[i + 1];
        double change = change_relative(before, after);
        if (fabs(change) < series->options.magnitude) continue;
        found->points[found->count++] =
            (struct change_point){c.best.ends[i], before, after, change, NAN};
    }
}
