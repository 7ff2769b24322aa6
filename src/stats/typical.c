/* The typical values of all subsets (the bits of a counter) or of seeded ones: p is twice the
 * smaller share beyond the value, and the interval is cut at the ranks that p counts to: they
 * cannot contradict each other. Only an interval needs them sorted.
 *
 * A subset is summed eight values at a time: the 256 sums of each eight are made once, and a
 * byte of the subset chooses one of them. Two sums grow side by side, so that the next need
 * not wait for the last. */
#include "stats/typical.h"

#include "base/rng.h"
#include "stats/quantile.h"

#include <math.h>

/* A zero over a zero says nothing. */
static inline void add(struct typical *t, double a, double b)
{
    t->total++;
    t->values[t->count] = a > 0 ? b / a : copysign((double)INFINITY, b);
    t->count += a > 0 || b != 0;
}

static struct typical begin(size_t most, struct arena *out)
{
    return (struct typical){.values = arena_new(out, double, most + 1)};
}

static bool is_in(const uint64_t *bits, size_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

/* Of a, and of b: one addition for both. */
typedef double sums __attribute__((vector_size(16)));

enum { EIGHT = 8, SUBSETS = 1 << EIGHT, WORD = 64, BATCH = 64 };
static const size_t sums_of_word = (size_t)(WORD / EIGHT) * SUBSETS;

/* For each eight pairs the sums of their subsets, up to a whole word of eights; what is not
 * there adds 0. */
static const sums *sums_of_eights(const double *a, const double *b, size_t n, struct arena *out)
{
    sums *all = arena_new(out, sums, (n / WORD + 1) * sums_of_word);
    for (size_t i = 0; i < n; i++) {
        sums *eight = &all[i / EIGHT * SUBSETS];
        size_t half = (size_t)1 << i % EIGHT; /* subsets of those before it in its eight */
        for (size_t k = 0; k < half; k++) eight[half + k] = eight[k] + (sums){a[i], b[i]};
    }
    return all;
}

static inline sums pick(const sums *eights, uint64_t bits, int i)
{
    return eights[i * SUBSETS + (int)(bits >> i * EIGHT & (SUBSETS - 1))];
}

static sums sum_subset(const sums *eights, size_t words, const uint64_t *bits)
{
    sums even = {0, 0};
    sums odd = {0, 0};
    for (size_t i = 0; i < words; i++, eights += sums_of_word) {
        even += pick(eights, bits[i], 0);
        odd += pick(eights, bits[i], 1);
        even += pick(eights, bits[i], 2);
        odd += pick(eights, bits[i], 3);
        even += pick(eights, bits[i], 4);
        odd += pick(eights, bits[i], 5);
        even += pick(eights, bits[i], 6);
        odd += pick(eights, bits[i], 7);
    }
    return even + odd;
}

static void add_drawn(struct typical *t, const sums *eights, size_t n, uint64_t seed,
                      struct arena *out)
{
    size_t words = n / WORD + 1;
    uint64_t *bits = arena_new(out, uint64_t, BATCH * words);
    uint64_t there = (UINT64_C(1) << n % WORD) - 1; /* of the last word */
    struct rng r = rng_seeded(seed);
    for (size_t s = 0; s < TYPICAL_DRAWS; s++) {
        size_t left = TYPICAL_DRAWS - s;
        if (s % BATCH == 0) rng_fill(&r, bits, words * (left < BATCH ? left : BATCH));
        uint64_t *subset = bits + s % BATCH * words;
        subset[words - 1] &= there;
        sums sum = sum_subset(eights, words, subset);
        add(t, sum[0], sum[1]);
    }
    t->total++; /* the sample itself, whose subset without flips is empty */
}

struct typical typical_pairs(const double *a, const double *b, size_t n, uint64_t seed,
                             struct arena *out)
{
    bool is_exact = n <= TYPICAL_EXACT_MAX;
    size_t subsets = is_exact ? (size_t)1 << n : TYPICAL_DRAWS;
    struct typical t = begin(subsets, out);
    const sums *eights = sums_of_eights(a, b, n, out);
    for (size_t s = 0; is_exact && s < subsets; s++) {
        sums sum = pick(eights, s, 0) + pick(eights, s, 1);
        add(&t, sum[0], sum[1]);
    }
    if (!is_exact) add_drawn(&t, eights, n, seed, out);
    return t;
}

struct typical typical_mean(const double *values, size_t n, uint64_t seed, struct arena *out)
{
    double *ones = arena_new(out, double, n + 1);
    for (size_t i = 0; i < n; i++) ones[i] = 1;
    return typical_pairs(ones, values, n, seed, out);
}

static double mean_of_some(const double *values, size_t n, uint64_t *bits, struct rng *r)
{
    double sum = 0, count = 0;
    rng_fill(r, bits, n / 64 + 1);
    for (size_t i = 0; i < n; i++) {
        double in = is_in(bits, i) ? 1 : 0;
        sum += in * values[i];
        count += in;
    }
    return count > 0 ? sum / count : (double)NAN;
}

struct typical typical_arms(const double *a, size_t a_count, const double *b, size_t b_count,
                            uint64_t seed, struct arena *out)
{
    struct typical t = begin(TYPICAL_DRAWS, out);
    uint64_t *bits = arena_new(out, uint64_t, (a_count > b_count ? a_count : b_count) / 64 + 1);
    struct rng r = rng_seeded(seed);
    for (size_t s = 0; s < TYPICAL_DRAWS; s++) {
        double x = mean_of_some(a, a_count, bits, &r);
        double y = mean_of_some(b, b_count, bits, &r);
        if (isnan(x) || isnan(y)) {
            t.total++;
        } else {
            add(&t, x, y);
        }
    }
    t.total++;
    return t;
}

/* How many are below `value`. */
static size_t below(const struct typical *t, double value)
{
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++) count += t->values[i] < value;
    return count;
}

static bool is_ascending(const struct typical *t)
{
    for (size_t i = 1; i < t->count; i++) {
        if (!(t->values[i - 1] <= t->values[i])) return false;
    }
    return true;
}

double typical_least(const struct typical *t)
{
    return 2 * (double)(t->total - t->count) / (double)t->total;
}

double typical_p(const struct typical *t, double value)
{
    double silent = (double)(t->total - t->count);
    double slack = 1e-12 * fmax(1, fabs(value)); /* sums in another order end in other bits */
    double left = (double)below(t, value + slack) + silent;
    double right = (double)(t->count - below(t, value - slack)) + silent;
    return fmin(1, 2 * fmin(left, right) / (double)t->total);
}

void typical_interval(const struct typical *t, double alpha, double *low, double *high)
{
    double silent = (double)(t->total - t->count);
    double need = alpha / 2 * (double)t->total - silent; /* as many beyond an end */
    *low = -(double)INFINITY;
    *high = (double)INFINITY;
    if (need <= 0 || t->count == 0) return;
    if (!is_ascending(t)) stats_sort_inplace(t->values, t->count);
    size_t k = (size_t)ceil(need);
    if (k > t->count) k = t->count;
    *low = t->values[k - 1];
    *high = t->values[t->count - k];
}
