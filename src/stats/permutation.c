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
