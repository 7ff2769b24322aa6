/* noise.h - kinds of noise that tests of statistics are run on. */
#ifndef TESTS_STATS_NOISE_H
#define TESTS_STATS_NOISE_H

#include "base/rng.h"

#include <math.h>

enum noise_kind {
    NOISE_NORMAL,
    NOISE_LOGNORMAL,
    NOISE_UNIFORM,
    NOISE_EXPONENTIAL,
    NOISE_ROUNDED, /* normal, to one digit: heavy ties */
    NOISE_KIND_COUNT,
};

static const char *const noise_names[] = {"normal", "lognormal", "uniform", "exponential",
                                          "rounded"};

/* Mean near 0, standard deviation near 1. */
static inline double noise_draw(struct rng *r, enum noise_kind kind)
{
    switch (kind) {
    case NOISE_NORMAL: return rng_normal(r);
    case NOISE_LOGNORMAL: return (exp(0.7 * rng_normal(r)) - 1.28) / 1.02;
    case NOISE_UNIFORM: return (rng_real(r) - 0.5) * 3.46;
    case NOISE_EXPONENTIAL: return rng_exponential(r) - 1;
    case NOISE_ROUNDED: return round(rng_normal(r) * 4) / 4;
    case NOISE_KIND_COUNT: break;
    }
    return 0;
}

#endif
