/* All intervals are made of two parts (struct sides): what speaks for B and what speaks for A.
 * Of pairs these are the gains and the losses, which exclude each other; hence their
 * correlation. A part is reduced once to mean, variance and count (part_of), after which an end
 * at any level costs a few quantiles: share_p asks for several, to find the level at which the
 * interval reaches a limit (level_at). That relies on an end moving away from the estimate as
 * alpha falls. The methods and their sources are in the header. */
#include "stats/share.h"

#include "stats/dist.h"
#include "stats/moments.h"
#include "stats/permutation.h"
#include "stats/proportion.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWS = 9999, SEED = 42 };

#define ROUNDING 1e-12 /* weights or values that cancel but for their last bits */
#define STEP     0.001 /* beyond 0: a tenth of a point, the least that is shown */

/* ---- one mean ---- */

/* The weighted mean of some values of each stratum, and how sure it is. */
struct part {
    double mean;
    double variance; /* of the mean, within strata */
    double size;     /* as many trials as the weights make of them: 1 / sum w^2 / n */
    double df;
    bool is_binary; /* single trials, each 0 or 1 */
};

/* Of a pair. Means of the same values in another order end in other bits: no change. */
static double change_at(const struct share_stratum *s, size_t i)
{
    double change = s->b[i] - s->a[i];
    return fabs(change) > ROUNDING ? change : 0;
}

/* The whole of one arm, the gains of pairs, or their losses. */
enum take { TAKE_A, TAKE_B, TAKE_GAIN, TAKE_LOSS };

static double value_at(const struct share_stratum *s, enum take take, size_t i)
{
    switch (take) {
    case TAKE_A: return s->a[i];
    case TAKE_B: return s->b[i];
    case TAKE_GAIN: return fmax(0, change_at(s, i));
    case TAKE_LOSS: break;
    }
    return fmax(0, -change_at(s, i));
}

static double worth_of(const struct share_stratum *s, enum take take)
{
    return take == TAKE_A || take == TAKE_B ? fmax(1, s->worth[take == TAKE_B]) : 1;
}

/* Of values in units of `unit`, at least the largest of them. */
static struct part part_of(const struct share_question *q, enum take take, double unit)
{
    struct part p = {.is_binary = true};
    double inverse = 0;
    for (size_t k = 0; k < q->count; k++) {
        const struct share_stratum *s = &q->strata[k];
        size_t n = take == TAKE_B ? s->b_count : s->a_count;
        double worth = worth_of(s, take);
        struct moments m = {0};
        p.is_binary &= worth == 1;
        for (size_t i = 0; i < n; i++) {
            double v = value_at(s, take, i) / unit;
            if (v > 1 - ROUNDING) v = 1;
            p.is_binary &= v == 0 || v == 1;
            moments_add(&m, v);
        }
        double w = s->weight;
        p.mean += w * m.mean;
        p.variance += n > 1 ? w * w * (double)moments_variance(&m) / (double)n : 0;
        p.df += n > 1 ? (double)n - 1 : 0;
        inverse += w * w / ((double)n * worth);
    }
    p.mean = fmin(1, fmax(0, p.mean));
    p.size = 1 / inverse;
    return p;
}

/* n*: of 0 and 1 in one stratum the binomial itself holds. Elsewhere the variance
 * is estimated, which Student's quantile pays for. */
static double trials_of(const struct part *p, size_t strata, double alpha)
{
    bool is_plain = (p->is_binary && strata == 1) || !(p->variance > 0) || p->df < 1;
    if (is_plain) return p->size;
    double trials = p->mean * (1 - p->mean) / p->variance;
    double tail = 1 - fmin(alpha, 0.5) / 2; /* both quantiles are 0 at the middle */
    double price = dist_normal_quantile(tail) / dist_t_quantile(tail, p->df);
    return fmin(1e6, fmax(1, trials * price * price)); /* beyond, qbeta is not accurate */
}

/* Less than one hit, or one miss, leaves the end open. */
static double bound_of(const struct part *p, size_t strata, double alpha, bool is_high)
{
    double n = trials_of(p, strata, alpha);
    double hits = p->mean * n;
    if (is_high)
        return n - hits >= 1 ? dist_beta_quantile(1 - alpha / 2, hits + 1, n - hits) : 1;
    return hits >= 1 ? dist_beta_quantile(alpha / 2, hits, n - hits + 1) : 0;
}

struct share_interval share_mean_of(const struct share_stratum *strata, size_t count,
                                    double alpha)
{
    struct share_question q = {.strata = strata, .count = count};
    struct part p = part_of(&q, TAKE_A, 1);
    return (struct share_interval){p.mean, bound_of(&p, count, alpha, false),
                                   bound_of(&p, count, alpha, true)};
}

struct share_interval share_mean(const double *values, size_t n, double alpha)
{
    if (n == 0) return (struct share_interval){(double)NAN, (double)NAN, (double)NAN};
    struct share_stratum one = {.a = values, .a_count = n, .weight = 1};
    return share_mean_of(&one, 1, alpha);
}

/* ---- two ---- */

/* Gain and loss of one pair exclude each other: their covariance is the product of
 * their means, negative. Of the means at the ends in question, not of those seen: where
 * every pair lost, what the others may have done instead is to gain. */
static double correlation(double gain, double loss)
{
    double product = gain * loss;
    double spread = sqrt(gain * (1 - gain)) * sqrt(loss * (1 - loss));
    return spread > 0 ? fmax(-1, -product / spread) : 0;
}

static double reach_of(double plus, double minus, double r)
{
    return sqrt(plus * plus + minus * minus - 2 * r * plus * minus);
}

/* What gains and loses, where no unit may change by more than `unit`. */
struct sides {
    struct part to;
    struct part from;
    double unit;
};

static struct sides sides_of(const struct share_question *q, double unit)
{
    return (struct sides){part_of(q, q->is_paired ? TAKE_GAIN : TAKE_B, unit),
                          part_of(q, q->is_paired ? TAKE_LOSS : TAKE_A, unit), unit};
}

static double end_within(const struct share_question *q, const struct sides *s, double alpha,
                         bool is_high)
{
    double to = bound_of(&s->to, q->count, alpha, is_high);
    double from = bound_of(&s->from, q->count, alpha, !is_high);
    double r = q->is_paired ? correlation(to, from) : 0;
    double d = s->to.mean - s->from.mean;
    double reach = reach_of(fabs(to - s->to.mean), fabs(from - s->from.mean), r);
    return s->unit * (is_high ? fmin(1, d + reach) : fmax(-1, d - reach));
}

/* What the intervals of all levels have in common. */
struct spread {
    double estimate;
    struct sides any;  /* a unit may change by as much as shares can */
    struct sides seen; /* by no more than the largest change of a pair; unit 0: not asked */
};

static struct spread spread_of(const struct share_question *q)
{
    struct spread s = {.any = sides_of(q, 1)};
    if (q->largest > 0) s.seen = sides_of(q, q->largest);
    s.estimate = s.any.to.mean - s.any.from.mean;
    return s;
}

/* The far end allows for any change that no pair showed; the near one for changes no larger
 * than the largest seen: else a small loss that all pairs have could never be sure. */
static double end_at(const struct share_question *q, const struct spread *s, double alpha,
                     bool is_high)
{
    double far = end_within(q, &s->any, alpha, is_high);
    bool is_near = is_high ? s->estimate < 0 : s->estimate > 0;
    if (!is_near || !(s->seen.unit > 0)) return far;
    double near = end_within(q, &s->seen, alpha, is_high);
    return is_high ? fmin(far, near) : fmax(far, near);
}

static bool is_empty(const struct share_question *q)
{
    for (size_t i = 0; i < q->count; i++) {
        if (q->strata[i].a_count == 0 || q->strata[i].b_count == 0) return true;
    }
    return q->count == 0;
}

/* One pair: its weight, and its change times that. */
struct change {
    double weight;
    double by;
};

static int by_change(const void *a, const void *b)
{
    const struct change *x = a;
    const struct change *y = b;
    if (x->by != y->by) return x->by < y->by ? -1 : 1;
    return (x->weight > y->weight) - (x->weight < y->weight);
}

/* All pairs, in an order that follows from their values alone: what is drawn of them is the
 * same, whoever asks about the same strata in whatever order, and mirrored if A and B are
 * exchanged. */
static struct change *changes_of(const struct share_question *q, size_t *count,
                                 struct arena *out)
{
    size_t total = 0;
    for (size_t k = 0; k < q->count; k++) total += q->strata[k].a_count;
    struct change *all = arena_new(out, struct change, total + 1);
    double sum = 0;
    *count = 0;
    for (size_t k = 0; k < q->count; k++) {
        const struct share_stratum *s = &q->strata[k];
        CHECK(s->a_count == s->b_count);
        double weight = s->weight / (double)s->a_count;
        for (size_t i = 0; i < s->a_count; i++) {
            all[*count] = (struct change){weight, weight * change_at(s, i)};
            sum += all[(*count)++].by;
        }
    }
    double sign = sum < 0 ? -1 : 1;
    for (size_t i = 0; i < total; i++) all[i].by *= sign;
    if (total > 1) qsort(all, total, sizeof *all, by_change);
    for (size_t i = 0; i < total; i++) all[i].by *= sign;
    return all;
}

/* Weighted differences over weights: subsets of pairs. */
void share_prepare(struct share_question *q, struct arena *out)
{
    if (!q->is_paired) return;
    size_t n;
    const struct change *all = changes_of(q, &n, out);
    double *weights = arena_new(out, double, n + 1);
    double *changes = arena_new(out, double, n + 1);
    for (size_t i = 0; i < n; i++) {
        weights[i] = all[i].weight;
        changes[i] = all[i].by;
    }
    for (size_t k = 0; k < q->count; k++) {
        const struct share_stratum *s = &q->strata[k];
        for (size_t i = 0; i < s->a_count; i++)
            q->largest = fmax(q->largest, fabs(change_at(s, i)));
    }
    q->typical = typical_pairs(weights, changes, n, SEED, out);
    if (q->typical.count > 0) q->flips_p = typical_p(&q->typical, 0);
}

/* Where sign flips leave 0 out, so does the interval: by STEP, no more. Their own end says
 * how far all pairs can be moved together; that pairs differ, it does not know. */
static void leave_zero(const struct share_question *q, double alpha, struct share_interval *d)
{
    if (q->typical.count == 0) return;
    if (q->flips_p > alpha * (1 + 1e-9)) return; /* they do not */
    double low = 0, high = 0;
    typical_interval(&q->typical, alpha, &low, &high);
    if (low > ROUNDING && d->estimate > 0) d->low = fmax(d->low, fmin(low, STEP));
    if (high < -ROUNDING && d->estimate < 0) d->high = fmin(d->high, fmax(high, -STEP));
}

struct share_interval share_difference(const struct share_question *q, double alpha,
                                       double exact_p)
{
    if (is_empty(q)) return (struct share_interval){(double)NAN, (double)NAN, (double)NAN};
    const struct spread s = spread_of(q);
    struct share_interval d = {s.estimate, end_at(q, &s, alpha, false),
                               end_at(q, &s, alpha, true)};
    leave_zero(q, alpha, &d);
    bool leaves_none = d.low > 0 || d.high < 0;
    if (leaves_none && exact_p >= alpha) {
        d.low = fmin(d.low, 0);
        d.high = fmax(d.high, 0);
    }
    return d;
}

/* ---- exact tests ---- */

/* Tables as likely as the observed one but for rounding count as such: R's slack. */
double share_fisher(const int64_t hits[2], const int64_t n[2])
{
    int64_t all = hits[0] + hits[1];
    int64_t least = all > n[1] ? all - n[1] : 0;
    int64_t most = all < n[0] ? all : n[0];
    double base = lgamma((double)(n[0] + n[1]) + 1) - lgamma((double)all + 1) -
                  lgamma((double)(n[0] + n[1] - all) + 1);
    double seen = 0;
    double sum = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t x = pass ? least : hits[0]; x <= (pass ? most : hits[0]); x++) {
            int64_t y = all - x;
            double logs = lgamma((double)n[0] + 1) - lgamma((double)x + 1) -
                          lgamma((double)(n[0] - x) + 1) + lgamma((double)n[1] + 1) -
                          lgamma((double)y + 1) - lgamma((double)(n[1] - y) + 1) - base;
            if (pass == 0) seen = logs;
            if (pass == 1 && logs <= seen + 1e-7) sum += exp(logs);
        }
    }
    return fmin(1, sum);
}

static bool are_flags(const double *values, size_t n, int64_t *ones)
{
    *ones = 0;
    for (size_t i = 0; i < n; i++) {
        if (values[i] != 0 && values[i] != 1) return false;
        *ones += values[i] == 1;
    }
    return true;
}

/* Flipped signs of many changes, none of which outweighs the rest, have a sum that is near
 * normal, with tails below the normal's: its p is the safe one, and a hundred times
 * cheaper than drawing. NaN where they are few or unequal. */
static double normal_signs(const double *d, size_t n)
{
    enum { MANY = 40 };
    double sum = 0;
    double squares = 0;
    double fourths = 0;
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        double square = d[i] * d[i];
        sum += d[i];
        squares += square;
        fourths += square * square;
        used += d[i] != 0;
    }
    if (used < MANY || fourths > 0.05 * squares * squares) return (double)NAN;
    return fmin(1, 2 * dist_normal_upper(fabs(sum) / sqrt(squares)));
}

static double p_of_pairs(const struct share_question *q, struct arena scratch)
{
    bool are_whole = q->count == 1;
    int64_t up = 0;
    int64_t down = 0;
    for (size_t k = 0; k < q->count; k++) {
        const struct share_stratum *s = &q->strata[k];
        for (size_t i = 0; i < s->a_count; i++) {
            double change = change_at(s, i);
            are_whole &= change == 0 || fabs(change) == 1;
            up += change > 0;
            down += change < 0;
        }
    }
    if (are_whole) return proportion_mcnemar(down, up);
    size_t n;
    const struct change *all = changes_of(q, &n, &scratch);
    double *d = arena_new(&scratch, double, n + 1);
    for (size_t i = 0; i < n; i++) d[i] = all[i].by;
    double limit = normal_signs(d, n);
    return isnan(limit) ? permutation_signs(d, n, DRAWS, SEED).p : limit;
}

double share_exact_p(const struct share_question *q, struct arena scratch)
{
    if (is_empty(q)) return 1;
    if (q->is_paired) return p_of_pairs(q, scratch);
    if (q->count > 1) return 0; /* none for strata: the interval alone decides */
    const struct share_stratum *s = &q->strata[0];
    int64_t hits[2];
    const int64_t n[2] = {(int64_t)s->a_count, (int64_t)s->b_count};
    if (are_flags(s->a, s->a_count, &hits[0]) && are_flags(s->b, s->b_count, &hits[1])) {
        return share_fisher(hits, n);
    }
    return permutation_test(scratch, s->a, s->a_count, s->b, s->b_count, DRAWS, SEED).p;
}

/* How far beyond the limit the end that faces it is, at the logarithm of a level. */
static double beyond_at(const struct share_question *q, const struct spread *s, double limit,
                        double log_level)
{
    bool is_high = limit > s->estimate;
    double end = end_at(q, s, exp(log_level), is_high);
    return is_high ? limit - end : end - limit;
}

/* The level at which the interval reaches the limit: the larger the level, the further the
 * end is beyond. By the steps of Oliveira and Takahashi (2021), which are those of the
 * secant, but never more than halving would need and one. One above `most` need not be
 * known: it is `most`. */
static double level_at(const struct share_question *q, const struct spread *s, double limit,
                       double most)
{
    const double precision = 1e-11;
    if (most < 1 && beyond_at(q, s, limit, log(most) + 2 * precision) <= 0) return most;
    double holds = log(1e-12); /* nobody needs to know a smaller one */
    double leaves = 0;
    double at_holds = beyond_at(q, s, limit, holds);
    double at_leaves = beyond_at(q, s, limit, leaves);
    if (at_leaves <= 0) return 1;
    if (at_holds > 0) return exp(holds);
    const double first = leaves - holds;
    double allowed = 2 * first; /* half of it: the bracket that halving and one would leave */
    while (leaves - holds > precision) {
        double width = leaves - holds;
        double middle = holds + width / 2;
        double secant = (at_leaves * holds - at_holds * leaves) / (at_leaves - at_holds);
        double sign = middle < secant ? -1 : 1;
        double pulled = 0.2 / first * width * width; /* towards the middle */
        double x = pulled <= fabs(middle - secant) ? secant + sign * pulled : middle;
        double far = allowed / 2 - width / 2;
        if (fabs(x - middle) > far) x = middle - sign * far;
        allowed /= 2;
        double at_x = beyond_at(q, s, limit, x);
        if (at_x > 0) {
            leaves = x;
            at_leaves = at_x;
        } else {
            holds = x;
            at_holds = at_x;
        }
    }
    return exp(holds);
}

double share_p(const struct share_question *q, double limit, double exact_p)
{
    if (is_empty(q)) return 1;
    const struct spread s = spread_of(q);
    double towards = s.estimate > 0 ? limit : -limit; /* how far from 0 to the estimate */
    double most = 1;
    if (q->typical.count > 0 && s.estimate != 0 && towards < STEP)
        most = towards > 0 ? typical_p(&q->typical, limit) : q->flips_p;
    double p = fmin(most, level_at(q, &s, limit, most));
    return fmin(1, fmax(p, exact_p));
}
