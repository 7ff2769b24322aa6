#include "stats/hodges.h"

#include "stats/dist.h"
#include "stats/quantile.h"
#include "stats/rank.h"

#include <float.h>
#include <math.h>

/* Two ascending samples and the number of their pairs; one-sample problems have
 * y = NULL and take pairs i <= j of x. */
struct pairs {
    const double *x;
    size_t m;
    const double *y;
    size_t n;
    size_t count;
};

static double pair_value(const struct pairs *p, size_t i, size_t j)
{
    return p->y ? p->x[i] - p->y[j] : p->x[i] / 2 + p->x[j] / 2;
}

static size_t count_differences(const struct pairs *p, double limit)
{
    size_t count = 0;
    size_t j = 0;
    for (size_t i = 0; i < p->m; i++) {
        while (j < p->n && p->x[i] - p->y[j] > limit) j++;
        count += p->n - j;
    }
    return count;
}

static size_t count_averages(const struct pairs *p, double limit)
{
    size_t count = 0;
    size_t end = p->m; /* averages of i with j < end are within the limit */
    for (size_t i = 0; i < p->m && end > i; i++) {
        while (end > i && p->x[i] / 2 + p->x[end - 1] / 2 > limit) end--;
        count += end > i ? end - i : 0;
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

/* The rank-th smallest pair value, 1-based: the smallest double that at least
 * `rank` pairs do not exceed. */
static double select_pair(const struct pairs *p, size_t rank)
{
    uint64_t low = key_of(pair_value(p, 0, p->y ? p->n - 1 : 0));
    uint64_t high = key_of(pair_value(p, p->m - 1, p->y ? 0 : p->m - 1));
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        double limit = value_of(middle);
        size_t count = p->y ? count_differences(p, limit) : count_averages(p, limit);
        if (count >= rank) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return value_of(low) + 0.0; /* -0 reads as 0 */
}

static double median_pair(const struct pairs *p)
{
    double low = select_pair(p, (p->count + 1) / 2);
    if (p->count % 2 == 1) return low;
    double high = select_pair(p, p->count / 2 + 1);
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

static bool is_independent(struct hodges_noise noise)
{
    return noise.spread_x <= 1 && noise.spread_y <= 1;
}

/* Which order statistics make the interval. */
struct choice {
    size_t rank; /* 0: none */
    bool is_exact;
    bool is_short;
};

/* `extreme_p` is P(U = 0), the least that any pair can miss by. */
static struct choice widened_choice(const struct outline *o, double extreme_p, double tail)
{
    size_t rank = outline_rank(o, tail);
    bool exists = extreme_p < tail - 10 * DBL_EPSILON;
    return (struct choice){exists && rank == 0 ? 1 : rank, false, exists && rank == 0};
}

static struct choice choose_for_shift(struct arena scratch, const struct pairs *p, double tail,
                                      struct hodges_noise noise)
{
    double m = (double)p->m;
    double n = (double)p->n;
    struct outline o = {m * n / 2, m * n / 12 * (m + n + 1), 0};
    if (!is_independent(noise)) {
        o.variance =
            m * n / 12 * (n * fmax(1, noise.spread_x) + m * fmax(1, noise.spread_y) + 1);
        double extreme_p = exp(lgamma(m + 1) + lgamma(n + 1) - lgamma(m + n + 1));
        return widened_choice(&o, extreme_p, tail);
    }
    if (m * n * fmin(m, n) <= HODGES_EXACT_COST) {
        const double *cdf = rank_u_cdf(&scratch, p->m, p->n);
        return (struct choice){exact_rank(cdf, p->count, tail), true, false};
    }
    o.edgeworth = (m * m + n * n + m * n + m + n) / (20 * m * n * (m + n + 1));
    return (struct choice){outline_rank(&o, tail), false, false};
}

static struct choice choose_for_centre(struct arena scratch, const struct pairs *p, double tail,
                                       struct hodges_noise noise)
{
    double n = (double)p->m;
    double sum_of_squares = n * (n + 1) * (2 * n + 1);
    struct outline o = {n * (n + 1) / 4, sum_of_squares / 24, 0};
    if (!is_independent(noise)) {
        o.variance *= noise.spread_x;
        return widened_choice(&o, exp2(-n), tail);
    }
    if (n * n * n / 2 <= HODGES_EXACT_COST) {
        const double *cdf = rank_v_cdf(&scratch, p->m);
        return (struct choice){exact_rank(cdf, p->count, tail), true, false};
    }
    o.edgeworth = (3 * n * n + 3 * n - 1) / (10 * sum_of_squares);
    return (struct choice){outline_rank(&o, tail), false, false};
}

static struct hodges answer(const struct pairs *p, struct choice c)
{
    struct hodges h = {median_pair(p), (double)NAN, (double)NAN,
                       c.rank > 0,     c.is_exact,  c.is_short};
    if (c.rank > 0) {
        h.low = select_pair(p, c.rank);
        h.high = select_pair(p, p->count + 1 - c.rank);
    }
    return h;
}

static const struct hodges nothing = {(double)NAN, (double)NAN, (double)NAN,
                                      false,       false,       false};

struct hodges hodges_shift(struct arena scratch, const double *x, size_t m, const double *y,
                           size_t n, double alpha, struct hodges_noise noise)
{
    struct pairs p = {0};
    p.x = stats_sort(&scratch, x, m, &p.m);
    p.y = stats_sort(&scratch, y, n, &p.n);
    p.count = p.m * p.n;
    if (p.count == 0) return nothing;
    return answer(&p, choose_for_shift(scratch, &p, alpha / 2, noise));
}

static double *logarithms(struct arena *out, const double *values, size_t n)
{
    double *logs = arena_new(out, double, n ? n : 1);
    for (size_t i = 0; i < n; i++) {
        CHECK(!(values[i] <= 0));
        logs[i] = log(values[i]);
    }
    return logs;
}

struct hodges hodges_ratio(struct arena scratch, const double *x, size_t m, const double *y,
                           size_t n, double alpha, struct hodges_noise noise)
{
    const double *log_x = logarithms(&scratch, x, m);
    const double *log_y = logarithms(&scratch, y, n);
    struct hodges h = hodges_shift(scratch, log_x, m, log_y, n, alpha, noise);
    h.estimate = exp(h.estimate);
    h.low = exp(h.low);
    h.high = exp(h.high);
    return h;
}

struct hodges hodges_centre(struct arena scratch, const double *x, size_t n, double alpha,
                            struct hodges_noise noise)
{
    struct pairs p = {0};
    p.x = stats_sort(&scratch, x, n, &p.m);
    p.count = p.m * (p.m + 1) / 2;
    if (p.count == 0) return nothing;
    return answer(&p, choose_for_centre(scratch, &p, alpha / 2, noise));
}
