#include "stats/bootstrap.h"

#include "base/rng.h"
#include "stats/bootstrap_internal.h"
#include "stats/dist.h"
#include "stats/moments.h"
#include "stats/quantile.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum { BLOCK = 64, THREADS_MAX = 64, JACKKNIFE_ALL = 2000, JACKKNIFE_SOME = 1000 };

/* Two unbiased indices below n < 2^32 from one random word: Lemire's method
 * (2019) on its halves. `reject` is 2^32 mod n. */
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

/* Random words are taken in blocks that stay in the cache. */
enum { WORDS = 256 };

/* Sum of 4 * quads drawn values. The loop carries no branch: a word with a half
 * to be rejected is only noticed, and the whole block, once in 10 000 at
 * n = 1000, is then drawn again from new words. Four sums hide the latency of
 * the addition. */
static double drawn_sum(const double *values, const struct draw *d, struct rng *r, size_t quads)
{
    uint64_t words[WORDS];
    double sum[4];
    uint32_t rejected = 1;
    while (rejected) {
        rng_fill(r, words, 2 * quads);
        memset(sum, 0, sizeof sum);
        rejected = 0;
        for (size_t i = 0; i < 2 * quads; i += 2) {
            uint64_t a = (words[i] >> 32) * d->n;
            uint64_t b = (words[i] & UINT32_MAX) * d->n;
            uint64_t c = (words[i + 1] >> 32) * d->n;
            uint64_t e = (words[i + 1] & UINT32_MAX) * d->n;
            rejected |= ((uint32_t)a < d->reject) | ((uint32_t)b < d->reject) |
                        ((uint32_t)c < d->reject) | ((uint32_t)e < d->reject);
            sum[0] += values[a >> 32];
            sum[1] += values[b >> 32];
            sum[2] += values[c >> 32];
            sum[3] += values[e >> 32];
        }
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* The mean of plain values needs no counts: it is most of the use, and what our
 * speed target is about. */
static double drawn_mean(const double *values, const struct draw *d, struct rng *r)
{
    size_t most = d->n < (size_t)1 << 20 ? WORDS / 2 : 1; /* beyond, rejections abound */
    double sum = 0;
    for (size_t left = d->n / 4; left > 0;) {
        size_t quads = left < most ? left : most;
        sum += drawn_sum(values, d, r, quads);
        left -= quads;
    }
    for (size_t i = 0; i < d->n % 4; i++)
        sum += values[draw_from(d, (uint32_t)(rng_next(r) >> 32), r)];
    return sum / (double)d->n;
}

/* Draws `n` units from [first, first + n) of a sample. */
static void draw_units(const struct bootstrap_state *state, size_t sample, size_t first,
                       size_t n, struct rng *r)
{
    uint32_t *counts = state->samples[sample].counts;
    uint64_t words[WORDS];
    struct draw d = draw_below(n);
    for (size_t i = 0; i < n; i++) {
        size_t at = i % ((size_t)2 * WORDS);
        if (at == 0) rng_fill(r, words, n - i < (size_t)2 * WORDS ? (n - i + 1) / 2 : WORDS);
        size_t u = draw_from(&d, (uint32_t)(words[at / 2] >> (at % 2 ? 0 : 32)), r);
        size_t end;
        size_t start = bootstrap_unit(state->plan, sample, first + u, &end);
        for (size_t j = start; j < end; j++) counts[j]++;
    }
}

static void draw_sample(const struct bootstrap_state *state, size_t sample, struct rng *r)
{
    const struct bootstrap_plan *plan = state->plan;
    const struct bootstrap_sample *s = &plan->samples[sample];
    memset(state->samples[sample].counts, 0, s->n * sizeof(uint32_t));
    if (plan->grouping != BOOTSTRAP_STRATA) {
        draw_units(state, sample, 0, bootstrap_units(plan, sample), r);
        return;
    }
    for (size_t g = 0, start = 0; g < s->groups; start = s->ends[g++])
        draw_units(state, sample, start, s->ends[g] - start, r);
}

static double draw_value(const struct bootstrap_state *state, struct rng *r)
{
    const struct bootstrap_plan *plan = state->plan;
    if (plan->statistic == BOOTSTRAP_MEAN && plan->grouping == BOOTSTRAP_VALUES &&
        !plan->is_paired) {
        double mean[2] = {0};
        for (size_t k = 0; k < bootstrap_sample_count(plan); k++) {
            struct draw d = draw_below(plan->samples[k].n);
            mean[k] = drawn_mean(plan->samples[k].values, &d, r);
        }
        if (plan->contrast == BOOTSTRAP_ONE) return mean[0];
        return plan->contrast == BOOTSTRAP_DIFFERENCE ? mean[1] - mean[0] : mean[1] / mean[0];
    }
    draw_sample(state, 0, r);
    if (bootstrap_sample_count(plan) == 2 && !plan->is_paired) draw_sample(state, 1, r);
    return bootstrap_state_value(state);
}

static size_t resamples_of(const struct bootstrap_plan *plan)
{
    return plan->resamples ? plan->resamples : BOOTSTRAP_RESAMPLES;
}

struct worker {
    struct bootstrap_state state;
    double *statistics;
    size_t first_block;
    size_t step;
    pthread_t thread;
    bool started;
};

static void *work(void *context)
{
    struct worker *w = context;
    size_t n = resamples_of(w->state.plan);
    for (size_t block = w->first_block; block * BLOCK < n; block += w->step) {
        struct rng r = rng_seeded(rng_derive(w->state.plan->seed, 0, block));
        size_t end = (block + 1) * BLOCK < n ? (block + 1) * BLOCK : n;
        for (size_t i = block * BLOCK; i < end; i++)
            w->statistics[i] = draw_value(&w->state, &r);
    }
    return NULL;
}

void bootstrap_resample(const struct bootstrap_plan *plan, struct arena scratch,
                        double *statistics)
{
    size_t threads = plan->threads ? plan->threads : 1;
    if (threads > THREADS_MAX) threads = THREADS_MAX;
    struct worker *workers = arena_new(&scratch, struct worker, threads);
    for (size_t t = 0; t < threads; t++) {
        struct worker *w = &workers[t];
        w->state = bootstrap_state_new(plan, &scratch);
        w->statistics = statistics;
        w->first_block = t;
        w->step = threads;
        w->started = t > 0 && pthread_create(&w->thread, NULL, work, w) == 0;
    }
    for (size_t t = 0; t < threads; t++) {
        if (workers[t].started)
            pthread_join(workers[t].thread, NULL);
        else
            work(&workers[t]);
    }
}

static struct bootstrap_state whole(const struct bootstrap_plan *plan, struct arena *out)
{
    struct bootstrap_state state = bootstrap_state_new(plan, out);
    for (size_t k = 0; k < bootstrap_sample_count(plan); k++) {
        for (size_t i = 0; i < plan->samples[k].n; i++) state.samples[k].counts[i] = 1;
    }
    return state;
}

double bootstrap_estimate(const struct bootstrap_plan *plan, struct arena scratch)
{
    struct bootstrap_state state = whole(plan, &scratch);
    return bootstrap_state_value(&state);
}

/* The statistic without unit u of a sample. */
static double value_without(const struct bootstrap_state *state, size_t sample, size_t u)
{
    size_t end;
    size_t start = bootstrap_unit(state->plan, sample, u, &end);
    uint32_t *counts = state->samples[sample].counts;
    for (size_t i = start; i < end; i++) counts[i] = 0;
    double value = bootstrap_state_value(state);
    for (size_t i = start; i < end; i++) counts[i] = 1;
    return value;
}

/* Sums of u_i^2 / n^2 and u_i^3 / n^3 over the units [first, first + n), where
 * u_i = (n - 1) (mean of the values without one - value without i). Above
 * JACKKNIFE_ALL units a random JACKKNIFE_SOME of them stand for all: the
 * jackknife is quadratic, and the acceleration of that many is next to 0. */
struct influence {
    double squares;
    double cubes;
};

static void add_influence(const struct bootstrap_state *state, size_t sample, size_t first,
                          size_t n, struct influence *sum, struct arena scratch)
{
    size_t looked = n > JACKKNIFE_ALL ? JACKKNIFE_SOME : n;
    struct rng r = rng_seeded(rng_derive(state->plan->seed, 1, first));
    double *without = arena_new(&scratch, double, looked);
    double mean = 0;
    for (size_t i = 0; i < looked; i++) {
        size_t u = looked < n ? rng_below(&r, n) : i;
        without[i] = value_without(state, sample, first + u);
        mean += without[i];
    }
    mean /= (double)looked;
    double each = (double)n / (double)looked;
    for (size_t i = 0; i < looked; i++) {
        if (fabs(mean - without[i]) <= 1e-14 * fabs(mean)) continue; /* rounding */
        double u = (double)(n - 1) * (mean - without[i]) / (double)n;
        sum->squares += each * u * u;
        sum->cubes += each * u * u * u;
    }
}

double bootstrap_acceleration(const struct bootstrap_plan *plan, struct arena scratch)
{
    struct bootstrap_state state = whole(plan, &scratch);
    struct influence sum = {0};
    size_t samples = plan->is_paired ? 1 : bootstrap_sample_count(plan);
    for (size_t k = 0; k < samples; k++) {
        const struct bootstrap_sample *s = &plan->samples[k];
        if (plan->grouping != BOOTSTRAP_STRATA) {
            add_influence(&state, k, 0, bootstrap_units(plan, k), &sum, scratch);
            continue;
        }
        for (size_t g = 0, start = 0; g < s->groups; start = s->ends[g++])
            add_influence(&state, k, start, s->ends[g] - start, &sum, scratch);
    }
    if (!(sum.squares > 0)) return 0;
    return sum.cubes / (6 * pow(sum.squares, 1.5));
}

static void take(const double *sorted, size_t n, double low, double high,
                 struct bootstrap_interval *out)
{
    out->quantile_low = low;
    out->quantile_high = high;
    out->low = quantile_of(sorted, n, low);
    out->high = quantile_of(sorted, n, high);
}

void bootstrap_percentile(const double *sorted, size_t n, double confidence,
                          struct bootstrap_interval *out)
{
    struct moments m = moments_of(sorted, n);
    out->method = BOOTSTRAP_PERCENTILE;
    out->se = moments_sd(&m);
    out->z0 = NAN;
    take(sorted, n, (1 - confidence) / 2, (1 + confidence) / 2, out);
}

void bootstrap_bca(const double *sorted, size_t n, double confidence,
                   struct bootstrap_interval *out)
{
    bootstrap_percentile(sorted, n, confidence, out);
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
    if (sorted[0] == sorted[n - 1] || !isfinite(z0) || 1 - a * low <= 0 || 1 - a * high <= 0) {
        out->note = "percentile interval: the resampled statistics do not vary around the "
                    "estimate, so that BCa has nothing to correct";
        return;
    }
    out->method = BOOTSTRAP_BCA;
    out->z0 = z0;
    take(sorted, n, dist_normal_cdf(z0 + low / (1 - a * low)),
         dist_normal_cdf(z0 + high / (1 - a * high)), out);
}

static size_t smallest_stratum(const struct bootstrap_plan *plan)
{
    size_t least = SIZE_MAX;
    for (size_t k = 0; k < bootstrap_sample_count(plan); k++) {
        const struct bootstrap_sample *s = &plan->samples[k];
        for (size_t g = 0, start = 0; g < s->groups; start = s->ends[g++]) {
            if (s->ends[g] - start < least) least = s->ends[g] - start;
        }
    }
    return least;
}

static size_t fewest_units(const struct bootstrap_plan *plan)
{
    size_t first = bootstrap_units(plan, 0);
    size_t second = bootstrap_sample_count(plan) == 2 ? bootstrap_units(plan, 1) : first;
    return first < second ? first : second;
}

/* Resamples of n values vary by (n - 1)/n too little, and their quantiles are
 * a normal's where Student's are due. Hesterberg (2015) asks for the quantile
 * Phi(sqrt(n/(n-1)) t) instead: coverage of the mean of a lognormal at n = 30
 * (sigma 1) goes from 88 to 90 %. In strata, n is their mean size. */
static double expanded(const struct bootstrap_plan *plan, double confidence)
{
    double n = (double)fewest_units(plan);
    double groups = plan->grouping == BOOTSTRAP_STRATA ? (double)plan->samples[0].groups : 1;
    double each = n / groups;
    double t = dist_t_quantile((1 + confidence) / 2, n - groups);
    return 1 - 2 * dist_normal_upper(sqrt(each / (each - 1)) * t);
}

static bool check_plan(const struct bootstrap_plan *plan, struct error *err)
{
    size_t least = fewest_units(plan);
    if (least < 2)
        return error_set(err, ERROR_INVALID,
                         "resampling needs at least 2 values or clusters a sample, has %zu",
                         least);
    if (plan->method == BOOTSTRAP_BCA && least < BOOTSTRAP_BCA_LEAST)
        return error_set(err, ERROR_INVALID,
                         "a BCa interval needs at least %d values or clusters a sample, has "
                         "%zu: measure more, or take the exact interval of the median",
                         (int)BOOTSTRAP_BCA_LEAST, least);
    if (plan->grouping == BOOTSTRAP_STRATA && smallest_stratum(plan) < 2)
        return error_set(err, ERROR_INVALID,
                         "resampling within strata needs at least 2 values in each");
    if (plan->is_paired &&
        (plan->samples[0].n != plan->samples[1].n || bootstrap_sample_count(plan) != 2))
        return error_set(err, ERROR_INVALID,
                         "pairs need as many values on both sides, not %zu "
                         "and %zu",
                         plan->samples[0].n, plan->samples[1].n);
    return true;
}

bool bootstrap_interval(const struct bootstrap_plan *plan, struct arena scratch,
                        struct bootstrap_interval *out, struct error *err)
{
    *out = (struct bootstrap_interval){0};
    if (!check_plan(plan, err)) return false;
    double confidence = expanded(plan, plan->confidence > 0 ? plan->confidence : 0.95);
    out->estimate = bootstrap_estimate(plan, scratch);
    if (!isfinite(out->estimate))
        return error_set(err, ERROR_INVALID, "the statistic of the whole sample is not finite");

    size_t n = resamples_of(plan);
    double *statistics = arena_new(&scratch, double, n);
    bootstrap_resample(plan, scratch, statistics);
    size_t kept = 0;
    const double *sorted = stats_sort(&scratch, statistics, n, &kept);
    if (kept < n)
        return error_set(err, ERROR_INVALID,
                         "the statistic does not exist for %zu of %zu resamples", n - kept, n);
    if (plan->method == BOOTSTRAP_PERCENTILE) {
        bootstrap_percentile(sorted, n, confidence, out);
        return true;
    }
    out->acceleration = bootstrap_acceleration(plan, scratch);
    bootstrap_bca(sorted, n, confidence, out);
    return true;
}
