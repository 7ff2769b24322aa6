/* A split is known by the sum over its smaller group, once the values are centred: so
 * one addition per value decides whether it counts as a hit. All splits are walked in
 * lexicographic order, all signs in the order of a Gray code (one sign changes from
 * one pattern to the next), where there are at most PERMUTATION_EXACT_MAX of them;
 * else they are dealt. Sums of the same values in another order differ in their last
 * digits: what is within 1e-12 of the observed one counts as reaching it. */
#include "stats/permutation.h"

#include "base/rng.h"

#include <math.h>

/* Splits are compared by the sum over the first group, which fixes both means. */
struct splits {
    const double *values; /* centred on their mean */
    size_t total;
    size_t m;
    double least; /* |sum| from which a split counts as a hit */
};

/* C(n, k), or a number above the limit. */
static double choose_up_to(size_t n, size_t k, double limit)
{
    double ways = 1;
    for (size_t i = 1; i <= k && ways <= limit; i++) {
        ways = ways * (double)(n - k + i) / (double)i;
    }
    return ways;
}

static double sum_of(const struct splits *s, const size_t *chosen)
{
    double sum = 0;
    for (size_t i = 0; i < s->m; i++) sum += s->values[chosen[i]];
    return sum;
}

/* To the next choice in lexicographic order; false after the last. */
static bool next_choice(size_t *chosen, size_t m, size_t total)
{
    size_t i = m;
    while (i > 0 && chosen[i - 1] == total - m + i - 1) i--;
    if (i == 0) return false;
    chosen[i - 1]++;
    for (; i < m; i++) chosen[i] = chosen[i - 1] + 1;
    return true;
}

static struct permutation enumerate(struct arena scratch, const struct splits *s)
{
    size_t *chosen = arena_new(&scratch, size_t, s->m);
    for (size_t i = 0; i < s->m; i++) chosen[i] = i;
    int64_t hits = 0;
    int64_t splits = 0;
    do {
        hits += fabs(sum_of(s, chosen)) >= s->least;
        splits++;
    } while (next_choice(chosen, s->m, s->total));
    return (struct permutation){(double)hits / (double)splits, splits, true};
}

static struct permutation sample(struct arena scratch, const struct splits *s, int64_t draws,
                                 uint64_t seed)
{
    struct rng rng = rng_seeded(seed);
    double *deck = arena_new(&scratch, double, s->total);
    memcpy(deck, s->values, s->total * sizeof *deck);
    int64_t hits = 0;
    for (int64_t d = 0; d < draws; d++) {
        double sum = 0;
        for (size_t i = 0; i < s->m; i++) {
            size_t j = i + (size_t)rng_below(&rng, s->total - i);
            double card = deck[j];
            deck[j] = deck[i];
            deck[i] = card;
            sum += card;
        }
        hits += fabs(sum) >= s->least;
    }
    return (struct permutation){(double)(1 + hits) / (double)(1 + draws), draws, false};
}

struct permutation permutation_test(struct arena scratch, const double *x, size_t m,
                                    const double *y, size_t n, int64_t draws, uint64_t seed)
{
    if (m == 0 || n == 0) return (struct permutation){1, 0, false};
    /* The smaller group is dealt: the sums of both are each other's negatives. */
    if (m > n) return permutation_test(scratch, y, n, x, m, draws, seed);
    size_t total = m + n;
    double *values = arena_new(&scratch, double, total);
    memcpy(values, x, m * sizeof *x);
    memcpy(values + m, y, n * sizeof *y);
    double mean = 0;
    for (size_t i = 0; i < total; i++) mean += values[i] / (double)total;
    double scale = 0;
    double observed = 0;
    for (size_t i = 0; i < total; i++) {
        values[i] -= mean;
        scale += fabs(values[i]);
        if (i < m) observed += values[i];
    }
    /* Sums of the same values in another order differ in their last digits. */
    struct splits s = {values, total, m, fabs(observed) - 1e-12 * scale};
    if (choose_up_to(total, m, PERMUTATION_EXACT_MAX) <= PERMUTATION_EXACT_MAX) {
        return enumerate(scratch, &s);
    }
    return sample(scratch, &s, draws, seed);
}

/* ---- paired: signs ---- */

/* Pattern k + 1 of the Gray code differs from pattern k in one sign, that of the
 * lowest bit set in k + 1. */
static struct permutation all_signs(const double *d, size_t n, size_t used, double least)
{
    double sums[64] = {0};
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (d[i] != 0) sums[k++] = d[i];
    }
    double sum = 0;
    for (size_t i = 0; i < used; i++) sum += sums[i];
    int64_t patterns = (int64_t)1 << used;
    int64_t hits = fabs(sum) >= least;
    for (int64_t p = 1; p < patterns; p++) {
        int which = __builtin_ctzll((unsigned long long)p);
        sum -= 2 * sums[which];
        sums[which] = -sums[which];
        hits += fabs(sum) >= least;
    }
    return (struct permutation){(double)hits / (double)patterns, patterns, true};
}

static double sum_with_signs(const double *d, size_t n, struct rng *rng)
{
    double sum = 0;
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++, bits >>= 1) {
        if (i % 64 == 0) bits = rng_next(rng);
        sum += bits & 1 ? d[i] : -d[i];
    }
    return sum;
}

struct permutation permutation_signs(const double *d, size_t n, int64_t draws, uint64_t seed)
{
    double observed = 0;
    double scale = 0;
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        observed += d[i];
        scale += fabs(d[i]);
        used += d[i] != 0;
    }
    if (used == 0) return (struct permutation){1, 0, false};
    double least = fabs(observed) - 1e-12 * scale;
    if (used < 63 && ((int64_t)1 << used) <= PERMUTATION_EXACT_MAX) {
        return all_signs(d, n, used, least);
    }
    struct rng rng = rng_seeded(seed);
    int64_t hits = 0;
    for (int64_t k = 0; k < draws; k++) hits += fabs(sum_with_signs(d, n, &rng)) >= least;
    return (struct permutation){(double)(1 + hits) / (double)(1 + draws), draws, false};
}
