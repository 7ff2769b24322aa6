/* rng.h - seeded, independent streams of random numbers.
 *
 * xoshiro256++ (Blackman and Vigna, 2019), state filled by SplitMix64. Streams
 * that are named by different words (rng_derive) are independent for every
 * practical purpose: the words go through a 64-bit mix, so that stream 1 of
 * seed 0 is not stream 0 of seed 1.
 *
 * A value type; one per worker. Never draw inside an initialiser list: the
 * order of evaluation there is unspecified. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include "base/invariant.h"

struct rng {
    uint64_t s[4];
};

struct rng rng_seeded(uint64_t seed);

/* A seed for the stream that `a` and `b` name below `seed`. */
uint64_t rng_derive(uint64_t seed, uint64_t a, uint64_t b);

/* A seed for the n-th stream below `seed`: cheaper, for one stream per trial. */
uint64_t rng_nth(uint64_t seed, uint64_t n);

uint64_t rng_next(struct rng *r);
void rng_fill(struct rng *r, uint64_t *words, size_t n); /* the next n, faster */
uint64_t rng_below(struct rng *r, uint64_t n);           /* 0..n-1, unbiased; n > 0 */
double rng_real(struct rng *r);                          /* [0, 1), 53 bits */
double rng_normal(struct rng *r);                        /* mean 0, sd 1 */
double rng_exponential(struct rng *r);                   /* mean 1 */

/* Fisher-Yates over 0..n-1 written into order. */
void rng_permutation(struct rng *r, uint32_t *order, size_t n);

#endif
