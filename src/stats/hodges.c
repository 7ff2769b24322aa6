/* Selection without making the pairs. Of two ascending samples the pairs that do not
 * exceed a limit form a staircase, which one walk of m + n steps counts
 * (count_upto). The k-th smallest pair is bracketed by counts: bisection over the
 * doubles as ordered integers ends whatever the range, and by turns half-way in value,
 * which is quicker for most samples. Once few pairs are left inside the bracket they
 * are written out and sorted. Invariant: `below` pairs are <= low, `inside` of them in
 * (low, high], and the rank wanted is among those. Which ranks make the interval is
 * read from the null distribution of U or V (stats/rank.h), or its Edgeworth outline. */
#include "stats/hodges.h"

#include "stats/dist.h"
#include "stats/quantile.h"
#include "stats/rank.h"

#include <float.h>
#include <math.h>

/* Two ascending samples, halved so that neither sums nor differences overflow,
 * and the number of their pairs. One-sample problems have y = NULL and take pairs
 * i <= j of x. */
struct pairs {
    const double *x;
    size_t m;
    const double *y;
    size_t n;
    size_t count;
};

static double *sorted_halves(struct arena *out, const double *values, size_t n, size_t *kept)
{
    double *sorted = stats_sort(out, values, n, kept);
    for (size_t i = 0; i < *kept; i++) sorted[i] /= 2;
    return sorted;
}

static double least_value(const struct pairs *p)
{
    return p->y ? p->x[0] - p->y[p->n - 1] : p->x[0] + p->x[0];
}

static double largest_value(const struct pairs *p)
{
    return p->y ? p->x[p->m - 1] - p->y[0] : p->x[p->m - 1] + p->x[p->m - 1];
}

/* How many pairs do not exceed the limit. Sorted input makes the pairs of one x a
 * range that moves one way as x grows; one step moves one of its ends, without a
 * branch to guess. */
static size_t count_upto(const struct pairs *p, double limit)
{
    size_t count = 0;
    size_t i = 0;
    if (!p->y) {
        for (size_t end = p->m; i < end;) {
            size_t is_over = p->x[i] + p->x[end - 1] > limit;
            count += (1 - is_over) * (end - i);
            end -= is_over;
            i += 1 - is_over;
        }
        return count;
    }
    for (size_t j = 0; i < p->m && j < p->n;) {
        size_t is_over = p->x[i] - p->y[j] > limit;
        count += (1 - is_over) * (p->n - j);
        j += is_over;
        i += 1 - is_over;
    }
    return count;
}

/* Writes the pairs with low < value <= high to `found`; how many. */
static size_t collect(const struct pairs *p, double low, double high, double *found)
{
    size_t count = 0;
    if (!p->y) {
        size_t start = p->m; /* averages with j < start are <= low */
        for (size_t i = 0; i < p->m; i++) {
            while (start > 0 && p->x[i] + p->x[start - 1] > low) start--;
            for (size_t j = start > i ? start : i; j < p->m && p->x[i] + p->x[j] <= high; j++) {
                found[count++] = p->x[i] + p->x[j];
            }
        }
        return count;
    }
    size_t start = 0; /* x_i - y_j <= high from here on */
    for (size_t i = 0; i < p->m; i++) {
        while (start < p->n && p->x[i] - p->y[start] > high) start++;
        for (size_t j = start; j < p->n && p->x[i] - p->y[j] > low; j++) {
            found[count++] = p->x[i] - p->y[j];
        }
    }
    return count;
}

/* The doubles in ascending order as integers, and back. */
static uint64_t key_of(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double value_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Half-way between two keys: in value, which suits most samples, and by turns in
 * the order of the doubles, which needs at most 64 steps whatever their range. */
static uint64_t middle_key(uint64_t low, uint64_t high, bool by_value)
{
    uint64_t middle = key_of(value_of(low) / 2 + value_of(high) / 2);
    bool is_between = middle > low && middle < high;
    return by_value && is_between ? middle : low + (high - low) / 2;
}

/* The rank-th smallest pair value, 1-based. The bracket (low, high] shrinks until
 * it holds one double or so few pairs that they can be sorted. */
static double select_pair(struct arena scratch, const struct pairs *p, size_t rank)
{
    uint64_t low = key_of(nextafter(least_value(p), -(double)INFINITY));
    uint64_t high = key_of(largest_value(p));
    size_t below = 0;
    size_t inside = p->count;
    size_t few = (p->m + p->n) / 16 + 64;
    for (bool by_value = true; high - low > 1 && inside > few; by_value = !by_value) {
        uint64_t middle = middle_key(low, high, by_value);
        size_t upto = count_upto(p, value_of(middle));
        if (upto >= rank) {
            high = middle;
            inside = upto - below;
        } else {
            low = middle;
            inside -= upto - below;
            below = upto;
        }
    }
    double whole = p->y ? 2 : 1; /* differences of halves are half of them */
    if (high - low <= 1) return value_of(high) * whole + 0.0; /* -0 reads as 0 */
    double *found = arena_new(&scratch, double, inside);
    size_t count = collect(p, value_of(low), value_of(high), found);
    CHECK(count == inside && rank > below && rank - below <= count);
    stats_sort_inplace(found, count);
    return found[rank - below - 1] * whole + 0.0;
}

static double median_pair(struct arena scratch, const struct pairs *p)
{
    double low = select_pair(scratch, p, (p->count + 1) / 2);
    if (p->count % 2 == 1) return low;
    double high = select_pair(scratch, p, p->count / 2 + 1);
    return low == high ? low : low / 2 + high / 2;
}

/* #{u : P(U <= u) < tail}. The slack is R's: a probability that equals the tail
 * but for rounding does not count as below. */
static size_t exact_rank(const double *cdf, size_t top, double tail)
{
    size_t rank = 0;
    while (rank <= top && cdf[rank] < tail - 10 * DBL_EPSILON) rank++;
    return rank;
}

/* The null distribution of U or V in outline. */
struct outline {
    double centre;
    double variance;
    double edgeworth; /* excess kurtosis / 24, without sign */
};

static double outline_cdf(const struct outline *o, double u)
{
    double z = (u + 0.5 - o->centre) / sqrt(o->variance);
    double density = exp(-z * z / 2) / sqrt(2 * M_PI);
    return dist_normal_cdf(z) + o->edgeworth * (z * z * z - 3 * z) * density;
}

/* #{u : P(U <= u) < tail}: from the normal guess the last few steps are walked. */
static size_t outline_rank(const struct outline *o, double tail)
{
    double guess = o->centre + 0.5 + dist_normal_quantile(tail) * sqrt(o->variance);
    if (guess < 0) return 0;
    double rank = floor(guess);
    while (rank > 0 && outline_cdf(o, rank - 1) >= tail) rank--;
    while (rank < o->centre && outline_cdf(o, rank) < tail) rank++;
    return (size_t)rank;
}

/* Which order statistics make the interval. */
struct choice {
    size_t rank; /* 0: none */
    bool is_exact;
};

static struct choice choose_for_shift(struct arena scratch, const struct pairs *p, double tail)
{
    double m = (double)p->m;
    double n = (double)p->n;
    struct outline o = {m * n / 2, m * n / 12 * (m + n + 1), 0};
    if (m * n * fmin(m, n) <= HODGES_EXACT_COST) {
        const double *cdf = rank_u_cdf(&scratch, p->m, p->n);
        return (struct choice){exact_rank(cdf, p->count, tail), true};
    }
    o.edgeworth = (m * m + n * n + m * n + m + n) / (20 * m * n * (m + n + 1));
    return (struct choice){outline_rank(&o, tail), false};
}

static struct choice choose_for_centre(struct arena scratch, const struct pairs *p, double tail)
{
    double n = (double)p->m;
    double sum_of_squares = n * (n + 1) * (2 * n + 1);
    struct outline o = {n * (n + 1) / 4, sum_of_squares / 24, 0};
    if (n * n * n / 2 <= HODGES_EXACT_COST) {
        const double *cdf = rank_v_cdf(&scratch, p->m);
        return (struct choice){exact_rank(cdf, p->count, tail), true};
    }
    o.edgeworth = (3 * n * n + 3 * n - 1) / (10 * sum_of_squares);
    return (struct choice){outline_rank(&o, tail), false};
}

static struct hodges answer(struct arena scratch, const struct pairs *p, struct choice c)
{
    struct hodges h = {median_pair(scratch, p), (double)NAN, (double)NAN, c.rank > 0,
                       c.is_exact};
    if (c.rank > 0) {
        h.low = select_pair(scratch, p, c.rank);
        h.high = select_pair(scratch, p, p->count + 1 - c.rank);
    }
    return h;
}

static const struct hodges nothing = {(double)NAN, (double)NAN, (double)NAN, false, false};

struct hodges hodges_shift(struct arena scratch, const double *x, size_t m, const double *y,
                           size_t n, double alpha)
{
    struct pairs p = {0};
    p.x = sorted_halves(&scratch, x, m, &p.m);
    p.y = sorted_halves(&scratch, y, n, &p.n);
    p.count = p.m * p.n;
    if (p.count == 0) return nothing;
    return answer(scratch, &p, choose_for_shift(scratch, &p, alpha / 2));
}

struct hodges hodges_centre(struct arena scratch, const double *x, size_t n, double alpha)
{
    struct pairs p = {0};
    p.x = sorted_halves(&scratch, x, n, &p.m);
    p.count = p.m * (p.m + 1) / 2;
    if (p.count == 0) return nothing;
    return answer(scratch, &p, choose_for_centre(scratch, &p, alpha / 2));
}
