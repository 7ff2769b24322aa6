/* A resample is a count of each case: how often it is drawn. One form serves the ratio of
 * paired totals, functions, and leaving one case out (the jackknife, which bias and skew
 * are corrected by). Only the mean is drawn without counts: it is the hot part. */
#include "stats/bootstrap.h"

#include "base/rng.h"
#include "stats/dist.h"
#include "stats/moments.h"
#include "stats/quantile.h"

#include <math.h>
#include <string.h>

enum {
    JACKKNIFE_ALL = 2000,
    JACKKNIFE_SOME = 1000,
    BLOCK = 64,   /* resamples per random stream */
    WORDS = 256,  /* random words taken at once: they stay in the cache */
    SMALL = 2048, /* values that 16 bits index with few rejections */
};

static double counted_mean(const double *values, const uint32_t *counts, size_t n)
{
    double sum = 0;
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        sum += counts[i] * values[i];
        total += counts[i];
    }
    return sum / total;
}

static double counted_value(const struct bootstrap_plan *plan, const uint32_t *counts)
{
    if (plan->function) return plan->function(counts, plan->context);
    double mean = counted_mean(plan->values, counts, plan->n);
    return plan->over ? mean / counted_mean(plan->over, counts, plan->n) : mean;
}

static uint32_t *each_once(const struct bootstrap_plan *plan, struct arena *out)
{
    uint32_t *counts = arena_new(out, uint32_t, plan->n);
    for (size_t i = 0; i < plan->n; i++) counts[i] = 1;
    return counts;
}

static double estimate_of(const struct bootstrap_plan *plan, struct arena scratch)
{
    return counted_value(plan, each_once(plan, &scratch));
}

/* ---- drawing ---- */

/* Unbiased indices below n < 2^32 from half a random word: Lemire (2019).
 * `reject` is 2^32 mod n. */
struct draw {
    uint64_t n;
    uint32_t reject;
};

static struct draw draw_below(size_t n)
{
    CHECK(n > 0 && n <= UINT32_MAX);
    return (struct draw){n, (uint32_t)(((uint64_t)1 << 32) % n)};
}

static inline size_t draw_from(const struct draw *d, uint32_t half, struct rng *r)
{
    uint64_t product = half * d->n;
    while (__builtin_expect((uint32_t)product < d->reject, 0))
        product = (rng_next(r) >> 32) * d->n;
    return (size_t)(product >> 32);
}

/* Sum of 4 * quads values, four indices from each word; for n up to SMALL. A
 * quarter is rejected as in draw_from, and its whole word with it. */
static double small_sum(const double *values, const struct draw *d, struct rng *r, size_t quads)
{
    uint64_t words[WORDS];
    double sum[4] = {0};
    uint32_t n = (uint32_t)d->n;
    uint32_t reject = 65536 % n;
    size_t at = 0;
    size_t filled = 0;
    while (quads > 0) {
        if (at == filled) {
            filled = quads < WORDS ? quads : WORDS;
            rng_fill(r, words, filled);
            at = 0;
        }
        uint64_t word = words[at++];
        uint32_t a = (uint32_t)(word & 0xffff) * n;
        uint32_t b = (uint32_t)(word >> 16 & 0xffff) * n;
        uint32_t c = (uint32_t)(word >> 32 & 0xffff) * n;
        uint32_t e = (uint32_t)(word >> 48) * n;
        bool rejected = ((a & 0xffff) < reject) | ((b & 0xffff) < reject) |
                        ((c & 0xffff) < reject) | ((e & 0xffff) < reject);
        if (__builtin_expect(rejected, 0)) continue;
        sum[0] += values[a >> 16];
        sum[1] += values[b >> 16];
        sum[2] += values[c >> 16];
        sum[3] += values[e >> 16];
        quads--;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static double large_sum(const double *values, const struct draw *d, struct rng *r, size_t quads)
{
    uint64_t words[WORDS];
    double a = 0;
    double b = 0;
    for (size_t left = 2 * quads; left > 0;) {
        size_t count = left < WORDS ? left : WORDS;
        rng_fill(r, words, count);
        for (size_t i = 0; i < count; i++) {
            a += values[draw_from(d, (uint32_t)(words[i] >> 32), r)];
            b += values[draw_from(d, (uint32_t)words[i], r)];
        }
        left -= count;
    }
    return a + b;
}

/* The mean needs no counts: our speed target is about it. */
static double drawn_mean(const double *values, const struct draw *d, struct rng *r)
{
    size_t quads = d->n / 4;
    double sum =
        d->n <= SMALL ? small_sum(values, d, r, quads) : large_sum(values, d, r, quads);
    for (size_t i = 0; i < d->n % 4; i++)
        sum += values[draw_from(d, (uint32_t)(rng_next(r) >> 32), r)];
    return sum / (double)d->n;
}

static void draw_counts(uint32_t *counts, size_t n, struct rng *r)
{
    memset(counts, 0, n * sizeof *counts);
    uint64_t words[WORDS];
    struct draw d = draw_below(n);
    for (size_t left = n; left > 0;) {
        size_t count = (left + 1) / 2 < WORDS ? (left + 1) / 2 : WORDS;
        rng_fill(r, words, count);
        for (size_t i = 0; i < count; i++) {
            counts[draw_from(&d, (uint32_t)(words[i] >> 32), r)]++;
            if (--left == 0) break;
            counts[draw_from(&d, (uint32_t)words[i], r)]++;
            left--;
        }
    }
}

static size_t resamples_of(const struct bootstrap_plan *plan)
{
    return plan->resamples ? plan->resamples : BOOTSTRAP_RESAMPLES;
}

static void resample(const struct bootstrap_plan *plan, struct arena scratch,
                     double *statistics)
{
    uint32_t *counts = arena_new(&scratch, uint32_t, plan->n);
    struct draw d = draw_below(plan->n);
    struct rng r = {0};
    for (size_t i = 0; i < resamples_of(plan); i++) {
        if (i % BLOCK == 0) r = rng_seeded(rng_derive(plan->seed, 0, i / BLOCK));
        if (!plan->function && !plan->over) {
            statistics[i] = drawn_mean(plan->values, &d, &r);
            continue;
        }
        draw_counts(counts, plan->n, &r);
        statistics[i] = counted_value(plan, counts);
    }
}

/* ---- the jackknife ---- */

/* With w_i = u_i / n, u_i = (n - 1) (mean of the values without one case - value without
 * case i): */
struct influence {
    double squares; /* sum of w^2: the variance of the estimate */
    double cubes;   /* sum of w^3 */
    double noise;   /* the variance of `squares` */
};

/* Above JACKKNIFE_ALL cases a random JACKKNIFE_SOME stand for all: the jackknife is
 * quadratic, and the corrections of that many are next to 0. */
static struct influence influence_of(const struct bootstrap_plan *plan, struct arena scratch)
{
    size_t n = plan->n;
    uint32_t *counts = each_once(plan, &scratch);
    size_t looked = n > JACKKNIFE_ALL ? JACKKNIFE_SOME : n;
    struct rng r = rng_seeded(rng_derive(plan->seed, 1, 0));
    double *without = arena_new(&scratch, double, looked);
    double mean = 0;
    for (size_t i = 0; i < looked; i++) {
        size_t u = looked < n ? rng_below(&r, n) : i;
        counts[u] = 0;
        without[i] = counted_value(plan, counts);
        counts[u] = 1;
        mean += without[i];
    }
    mean /= (double)looked;
    double each = (double)n / (double)looked;
    struct influence sum = {0};
    double fourths = 0;
    for (size_t i = 0; i < looked; i++) {
        if (fabs(mean - without[i]) <= 1e-14 * fabs(mean)) continue; /* rounding */
        double w = (double)(n - 1) * (mean - without[i]) / (double)n;
        sum.squares += each * w * w;
        fourths += each * w * w * w * w;
        sum.cubes += each * w * w * w;
    }
    double m = (double)n; /* the exact variance of a variance has (n - 3)/(n - 1) here */
    sum.noise = fourths - sum.squares * sum.squares / m * (m - 3) / fmax(1, m - 1);
    return sum;
}

static double acceleration_of(const struct influence *sum)
{
    if (!(sum->squares > 0)) return 0;
    return sum->cubes / (6 * pow(sum->squares, 1.5));
}

/* ---- intervals, of ascending statistics ---- */

static void take(const double *sorted, size_t n, double low, double high,
                 struct bootstrap_interval *out)
{
    out->low = quantile_of(sorted, n, low);
    out->high = quantile_of(sorted, n, high);
}

static void take_percentile(const double *sorted, size_t n, double confidence,
                            struct bootstrap_interval *out)
{
    struct moments m = moments_of(sorted, n);
    out->method = BOOTSTRAP_PERCENTILE;
    out->se = moments_sd(&m);
    out->z0 = NAN;
    take(sorted, n, (1 - confidence) / 2, (1 + confidence) / 2, out);
}

/* out->estimate and out->acceleration must be set. */
static void take_bca(const double *sorted, size_t n, double confidence,
                     struct bootstrap_interval *out)
{
    take_percentile(sorted, n, confidence, out);
    /* A resample that is a permutation of the sample ties with it, whatever the
     * order of summation made of the last digit. */
    double tie = 1e-12 * fabs(out->estimate);
    double below = 0;
    for (size_t i = 0; i < n; i++) {
        double away = sorted[i] - out->estimate;
        below += fabs(away) <= tie ? 0.5 : away < 0 ? 1 : 0;
    }
    double z0 = dist_normal_quantile(below / (double)n);
    double low = z0 + dist_normal_quantile((1 - confidence) / 2);
    double high = z0 + dist_normal_quantile((1 + confidence) / 2);
    double a = out->acceleration;
    if (sorted[0] == sorted[n - 1] || !isfinite(z0) || 1 - a * low <= 0 || 1 - a * high <= 0)
        return; /* they do not vary around the estimate */
    out->method = BOOTSTRAP_BCA;
    out->z0 = z0;
    take(sorted, n, dist_normal_cdf(z0 + low / (1 - a * low)),
         dist_normal_cdf(z0 + high / (1 - a * high)), out);
}

/* Resamples of n values vary by (n - 1)/n too little, and their quantiles are
 * a normal's where Student's are due: Hesterberg (2015) takes the quantile
 * Phi(sqrt(n/(n-1)) t_{n-1}) instead. The degrees of freedom are those of the
 * variance itself, 2 V^2 / Var(V) (Satterthwaite 1946): a few large values carry
 * most of it in a skewed sample. For the mean of a lognormal with sigma 1, n = 30,
 * coverage goes from 89 to 92.5 %; for normal values from 93.5 to 95. */
static double expanded(double n, const struct influence *sum, double confidence)
{
    double df = n - 1;
    if (sum->noise > 0) df = fmin(df, fmax(1, 2 * sum->squares * sum->squares / sum->noise));
    double t = dist_t_quantile((1 + confidence) / 2, df);
    return 1 - 2 * dist_normal_upper(sqrt(n / (n - 1)) * t);
}

static bool check_plan(const struct bootstrap_plan *plan, struct error *err)
{
    if (plan->n < 2)
        return error_set(err, ERROR_INVALID,
                         "resampling needs at least 2 values or clusters per sample (has %zu)",
                         plan->n);
    if (plan->method == BOOTSTRAP_BCA && plan->n < BOOTSTRAP_BCA_LEAST)
        return error_set(err, ERROR_INVALID,
                         "a BCa interval needs at least %d values or clusters per sample (has "
                         "%zu): measure more, or use the exact interval of the median",
                         (int)BOOTSTRAP_BCA_LEAST, plan->n);
    return true;
}

bool bootstrap_interval(const struct bootstrap_plan *plan, struct arena scratch,
                        struct bootstrap_interval *out, struct error *err)
{
    *out = (struct bootstrap_interval){0};
    if (!check_plan(plan, err)) return false;
    out->estimate = estimate_of(plan, scratch);
    if (!isfinite(out->estimate))
        return error_set(err, ERROR_INVALID, "the statistic of the whole sample is not finite");

    size_t n = resamples_of(plan);
    double *statistics = arena_new(&scratch, double, n);
    resample(plan, scratch, statistics);
    size_t kept = 0;
    double *sorted = stats_sort(&scratch, statistics, n, &kept);
    while (plan->counts_undefined && kept > 0 && isinf(sorted[kept - 1])) kept--;
    if (kept < n && !plan->counts_undefined)
        return error_set(err, ERROR_INVALID,
                         "the statistic does not exist for %zu of %zu resamples", n - kept, n);
    out->undefined = n - kept;
    for (size_t i = kept; i < n; i++) sorted[i] = INFINITY;
    struct influence sum = influence_of(plan, scratch);
    double confidence =
        expanded((double)plan->n, &sum, plan->confidence > 0 ? plan->confidence : 0.95);
    if (plan->method == BOOTSTRAP_PERCENTILE || out->undefined) {
        take_percentile(sorted, n, confidence, out);
        return true;
    }
    out->acceleration = acceleration_of(&sum);
    take_bca(sorted, n, confidence, out);
    return true;
}
