/* Weightings are drawn uniformly from the simplex, seeded: the same input gives the same
 * shares. */
#include "stats/rankset.h"

#include "base/rng.h"

#include <math.h>
#include <string.h>

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
