/* Agents by benchmarks, drawn again with replacement: the same drawing for all agents,
 * since they met the same benchmarks. Rank intervals are quantiles of an agent's rank
 * over the drawings. Tie groups go down the list: an agent that the paired test tells
 * from the best of the group before it opens the next. Weightings are drawn uniformly
 * from the simplex. Everything is seeded: the same input gives the same ranks. */
#include "stats/rankset.h"

#include "base/rng.h"
#include "stats/adjust.h"
#include "stats/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Means over the cases named by `drawn` (NULL: all of them). */
static void means_of(const struct rankset_input *in, const size_t *drawn, double *means)
{
    for (size_t a = 0; a < in->agents; a++) {
        const double *row = in->scores + a * in->cases;
        double sum = 0;
        size_t count = 0;
        for (size_t i = 0; i < in->cases; i++) {
            double score = row[drawn ? drawn[i] : i];
            if (isnan(score)) continue;
            sum += score;
            count++;
        }
        means[a] = count > 0 ? sum / (double)count : (double)NAN;
    }
}

static bool is_better(double a, double b)
{
    return a > b || (isnan(b) && !isnan(a));
}

static size_t rank_of(const double *means, size_t agents, size_t a)
{
    size_t rank = 1;
    for (size_t b = 0; b < agents; b++) rank += is_better(means[b], means[a]);
    return rank;
}

/* Ranks are small whole numbers: counting them gives their quantiles. */
static size_t rank_quantile(const size_t *counts, size_t agents, double wanted)
{
    size_t seen = 0;
    for (size_t rank = 1; rank < agents; rank++) {
        seen += counts[rank];
        if ((double)seen >= wanted) return rank;
    }
    return agents;
}

static void rank_intervals(const struct rankset_input *in, struct rankset_row *rows,
                           struct arena scratch)
{
    size_t resamples = in->resamples ? in->resamples : 2000;
    size_t width = in->agents + 1;
    size_t *counts = arena_new(&scratch, size_t, in->agents * width);
    size_t *drawn = arena_new(&scratch, size_t, in->cases);
    double *means = arena_new(&scratch, double, in->agents);
    struct rng r = rng_seeded(rng_derive(in->seed, 0, 0));
    for (size_t k = 0; k < resamples; k++) {
        for (size_t i = 0; i < in->cases; i++) drawn[i] = rng_below(&r, in->cases);
        means_of(in, drawn, means);
        for (size_t a = 0; a < in->agents; a++)
            counts[a * width + rank_of(means, in->agents, a)]++;
    }
    double n = (double)resamples;
    for (size_t a = 0; a < in->agents; a++) {
        rows[a].rank_low = rank_quantile(counts + a * width, in->agents, fmax(1, 0.05 * n));
        rows[a].rank_high = rank_quantile(counts + a * width, in->agents, 0.95 * n);
    }
}

static double pair_p(const struct rankset_input *in, size_t a, size_t b, struct arena scratch)
{
    double *differences = arena_new(&scratch, double, in->cases + 1);
    size_t n = 0;
    for (size_t i = 0; i < in->cases; i++) {
        double d = in->scores[a * in->cases + i] - in->scores[b * in->cases + i];
        if (!isnan(d)) differences[n++] = d;
    }
    return rank_signed(scratch, differences, n, RANK_TWO_SIDED, RANK_AUTO).p;
}

/* Adjusted p of all pairs; p of (a, b) at a * agents + b for a < b. */
static const double *pair_ps(const struct rankset_input *in, struct arena *out)
{
    size_t pairs = in->agents * (in->agents - 1) / 2;
    double *table = arena_new(out, double, in->agents * in->agents);
    struct arena scratch = *out;
    double *p = arena_new(&scratch, double, pairs + 1);
    size_t at = 0;
    for (size_t a = 0; a < in->agents; a++) {
        for (size_t b = a + 1; b < in->agents; b++) p[at++] = pair_p(in, a, b, scratch);
    }
    adjust_p(scratch, ADJUST_HOLM, p, pairs, p);
    at = 0;
    for (size_t a = 0; a < in->agents; a++) {
        for (size_t b = a + 1; b < in->agents; b++)
            table[a * in->agents + b] = table[b * in->agents + a] = p[at++];
    }
    return table;
}

static int by_rank(const void *a, const void *b, void *rows)
{
    const struct rankset_row *r = rows;
    size_t i = *(const size_t *)a;
    size_t j = *(const size_t *)b;
    if (r[i].rank != r[j].rank) return r[i].rank < r[j].rank ? -1 : 1;
    return (i > j) - (i < j);
}

static void tie_groups(const struct rankset_input *in, struct rankset_row *rows,
                       struct arena scratch)
{
    double alpha = in->alpha > 0 ? in->alpha : 0.05;
    const double *p = pair_ps(in, &scratch);
    size_t *order = arena_new(&scratch, size_t, in->agents);
    for (size_t a = 0; a < in->agents; a++) order[a] = a;
    qsort_r(order, in->agents, sizeof *order, by_rank, rows);
    size_t best = order[0];
    size_t group = 1;
    for (size_t i = 0; i < in->agents; i++) {
        size_t a = order[i];
        if (a != best && p[best * in->agents + a] < alpha) {
            best = a;
            group++;
        }
        rows[a].tie_group = group;
    }
}

struct rankset_row *rankset_of(const struct rankset_input *input, struct arena *out)
{
    struct rankset_row *rows = arena_new(out, struct rankset_row, input->agents + 1);
    if (input->agents == 0) return rows;
    struct arena scratch = *out;
    double *means = arena_new(&scratch, double, input->agents);
    means_of(input, NULL, means);
    for (size_t a = 0; a < input->agents; a++) {
        rows[a].mean = means[a];
        rows[a].rank = rank_of(means, input->agents, a);
    }
    rank_intervals(input, rows, scratch);
    tie_groups(input, rows, scratch);
    return rows;
}

static double weighted(const double *scores, const double *weights, size_t parts)
{
    double sum = 0;
    double total = 0;
    for (size_t i = 0; i < parts; i++) {
        if (isnan(scores[i])) continue;
        sum += weights[i] * scores[i];
        total += weights[i];
    }
    return total > 0 ? sum / total : (double)NAN;
}

void rankset_weights(const double *scores, size_t agents, size_t parts, size_t draws,
                     uint64_t seed, struct arena scratch, double *first_share)
{
    double *weights = arena_new(&scratch, double, parts);
    double *overall = arena_new(&scratch, double, agents);
    struct rng r = rng_seeded(rng_derive(seed, 1, 0));
    memset(first_share, 0, agents * sizeof *first_share);
    for (size_t k = 0; k < draws; k++) {
        /* Exponentials over their sum are uniform on the simplex. */
        for (size_t i = 0; i < parts; i++) weights[i] = rng_exponential(&r);
        double best = -(double)INFINITY;
        size_t winners = 0;
        for (size_t a = 0; a < agents; a++) {
            overall[a] = weighted(scores + a * parts, weights, parts);
            if (overall[a] > best) {
                best = overall[a];
                winners = 0;
            }
            winners += overall[a] == best;
        }
        for (size_t a = 0; a < agents; a++) {
            if (overall[a] == best) first_share[a] += 1 / (double)winners;
        }
    }
    for (size_t a = 0; a < agents; a++) first_share[a] /= (double)draws;
}
