/* Drawing resamples: the hot part of the bootstrap. */
#include "base/rng.h"
#include "stats/bootstrap_internal.h"

#include <pthread.h>
#include <string.h>

enum {
    BLOCK = 64, /* resamples per random stream */
    THREADS_MAX = 64,
    WORDS = 256,  /* random words taken at once: they stay in the cache */
    SMALL = 2048, /* values that 16 bits index with few rejections */
};

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

/* The mean of plain values needs no counts: it is most of the use, and what our
 * speed target is about. */
static double drawn_mean(const double *values, const struct draw *d, struct rng *r)
{
    size_t quads = d->n / 4;
    double sum =
        d->n <= SMALL ? small_sum(values, d, r, quads) : large_sum(values, d, r, quads);
    for (size_t i = 0; i < d->n % 4; i++)
        sum += values[draw_from(d, (uint32_t)(rng_next(r) >> 32), r)];
    return sum / (double)d->n;
}

static inline void count_unit(uint32_t *counts, const size_t *ends, size_t u)
{
    if (!ends) {
        counts[u]++;
        return;
    }
    for (size_t i = u > 0 ? ends[u - 1] : 0; i < ends[u]; i++) counts[i]++;
}

/* Draws `n` units from [first, first + n) of a sample. */
static void draw_units(const struct bootstrap_state *state, size_t sample, size_t first,
                       size_t n, struct rng *r)
{
    const struct bootstrap_plan *plan = state->plan;
    const size_t *ends =
        plan->grouping == BOOTSTRAP_CLUSTERS ? plan->samples[sample].ends : NULL;
    uint32_t *counts = state->samples[sample].counts;
    uint64_t words[WORDS];
    struct draw d = draw_below(n);
    for (size_t left = n; left > 0;) {
        size_t count = (left + 1) / 2 < WORDS ? (left + 1) / 2 : WORDS;
        rng_fill(r, words, count);
        for (size_t i = 0; i < count; i++) {
            count_unit(counts, ends, first + draw_from(&d, (uint32_t)(words[i] >> 32), r));
            if (--left == 0) break;
            count_unit(counts, ends, first + draw_from(&d, (uint32_t)words[i], r));
            left--;
        }
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
    size_t n = bootstrap_resamples(w->state.plan);
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
