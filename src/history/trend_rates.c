/* How far can the detector be trusted on this very series? Its own noise, what the found
 * levels leave over, is dealt again in blocks (so that memory within a block stays): as it
 * is, for the rate of false alarms, and with a step of known size put in, for the rate
 * of misses. The cost is that of so many detections; the number of dealings falls with
 * the length of the series. */
#include "history/trend.h"

#include "base/rng.h"
#include "base/str.h"

#include <math.h>

/* Points dealt for a rate: somebody waits. */
enum { FOUND_WITHIN = 3, DEALT_MAX = 20000 };

/* What the levels leave over, as factors around 1 (as differences around the
 * first level where not all values are positive). */
struct noise {
    double *rest;
    size_t n;
    bool is_ratio;
    double level;
};

static bool all_positive(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (isfinite(values[i]) && values[i] <= 0) return false;
    }
    return true;
}

static struct noise noise_of(const double *values, size_t n,
                             const struct change_options *options, struct arena *scratch)
{
    struct change_found found = change_find(values, n, options, scratch);
    const struct change_point *points = found.points;
    size_t count = found.count;
    struct noise noise = {
        .rest = arena_new(scratch, double, n), .n = n, .is_ratio = all_positive(values, n)};
    noise.level = count ? points[0].before : values[0];
    size_t next = 0;
    double level = noise.level;
    double last = noise.is_ratio ? 1 : 0;
    if (count == 0 && noise.is_ratio) level = 1; /* any scale will do */
    double slope = found.drift.is_found ? found.drift.slope : 0;
    for (size_t i = 0; i < n; i++) {
        if (next < count && points[next].index == i) level = points[next++].after;
        double risen = noise.is_ratio ? exp(log1p(slope) * (double)i) : slope * (double)i;
        double value = noise.is_ratio ? values[i] / level / risen : values[i] - level - risen;
        noise.rest[i] = isfinite(value) ? value : last;
        last = noise.rest[i];
    }
    return noise;
}

/* One dealing: rotated, cut into blocks, the blocks shuffled. */
static void deal(const struct noise *noise, size_t block, struct rng *rng, uint32_t *order,
                 double *out)
{
    size_t n = noise->n;
    size_t blocks = (n + block - 1) / block;
    size_t turn = (size_t)rng_below(rng, n);
    rng_permutation(rng, order, blocks);
    size_t k = 0;
    for (size_t b = 0; b < blocks; b++) {
        size_t begin = order[b] * block;
        size_t end = begin + block < n ? begin + block : n;
        for (size_t i = begin; i < end; i++) out[k++] = noise->rest[(i + turn) % n];
    }
}

static bool is_found(const double *values, size_t n, size_t at,
                     const struct change_options *options, struct arena scratch)
{
    struct change_found found = change_find(values, n, options, &scratch);
    for (size_t i = 0; i < found.count; i++) {
        size_t index = found.points[i].index;
        size_t distance = index > at ? index - at : at - index;
        if (distance <= FOUND_WITHIN) return true;
    }
    return at == SIZE_MAX && found.count > 0;
}

/* Up and down by turns, at a place that is not too near an end. */
static size_t put_step(const struct noise *noise, double step, bool is_up, struct rng *rng,
                       double *values)
{
    size_t n = noise->n;
    size_t first = n / 5;
    size_t at = first + (size_t)rng_below(rng, n - 2 * first);
    double factor = is_up ? 1 + step : 1 / (1 + step);
    double shift = (is_up ? step : -step) * fabs(noise->level);
    for (size_t i = at; i < n; i++) {
        values[i] = noise->is_ratio ? values[i] * factor : values[i] + shift;
    }
    return at;
}

struct trend_rates trend_rates(const double *values, size_t n,
                               const struct change_options *options, uint64_t seed,
                               struct arena scratch)
{
    struct trend_rates rates = {.steps = {0.03, 0.05, 0.1}};
    if (n < TREND_RATES_MIN_N || n > TREND_RATES_MAX_N) return rates;
    struct noise noise = noise_of(values, n, options, &scratch);
    rates.deals = n * TREND_DEALS > DEALT_MAX ? DEALT_MAX / n : TREND_DEALS;
    rates.block = (size_t)ceil(2 * cbrt((double)n));
    struct rng rng = rng_seeded(seed);
    uint32_t *order = arena_new(&scratch, uint32_t, n);
    double *dealt = arena_new(&scratch, double, n);
    double *stepped = arena_new(&scratch, double, n);
    size_t alarms = 0;
    size_t missed[TREND_STEPS] = {0};
    for (size_t k = 0; k < rates.deals; k++) {
        deal(&noise, rates.block, &rng, order, dealt);
        alarms += is_found(dealt, n, SIZE_MAX, options, scratch);
        for (size_t s = 0; s < TREND_STEPS; s++) {
            memcpy(stepped, dealt, n * sizeof *stepped);
            size_t at = put_step(&noise, rates.steps[s], k % 2 == 0, &rng, stepped);
            missed[s] += !is_found(stepped, n, at, options, scratch);
        }
    }
    rates.false_alarms = (double)alarms / (double)rates.deals;
    for (size_t s = 0; s < TREND_STEPS; s++) {
        rates.missed[s] = (double)missed[s] / (double)rates.deals;
    }
    return rates;
}
