#include "base/rng.h"

#include <math.h>

static uint64_t rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

/* SplitMix64's finaliser (Steele, Lea and Flood, 2014). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static const uint64_t golden = 0x9E3779B97F4A7C15u;

struct rng rng_seeded(uint64_t seed)
{
    struct rng r;
    for (int i = 0; i < 4; i++) {
        seed += golden;
        r.s[i] = mix(seed);
    }
    return r;
}

uint64_t rng_derive(uint64_t seed, uint64_t a, uint64_t b)
{
    uint64_t h = mix(seed + golden);
    h = mix(h ^ mix(a + 2 * golden));
    return mix(h ^ mix(b + 3 * golden));
}

static inline uint64_t step(uint64_t s[4])
{
    uint64_t result = rotate(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

/* SplitMix64's own n-th number from `seed`. */
uint64_t rng_nth(uint64_t seed, uint64_t n)
{
    return mix(seed + (n + 1) * golden);
}

uint64_t rng_next(struct rng *r)
{
    return step(r->s);
}

/* The state stays in registers. */
void rng_fill(struct rng *r, uint64_t *words, size_t n)
{
    struct rng local = *r;
    for (size_t i = 0; i < n; i++) words[i] = step(local.s);
    *r = local;
}

/* Lemire (2019): a multiplication, and a division only when it might be biased. */
uint64_t rng_below(struct rng *r, uint64_t n)
{
    CHECK(n > 0);
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)rng_next(r) * n;
    if ((uint64_t)product < n) {
        uint64_t floor = (0 - n) % n;
        while ((uint64_t)product < floor) product = (wide)rng_next(r) * n;
    }
    return (uint64_t)(product >> 64);
}

double rng_real(struct rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53;
}

/* Marsaglia's polar method; the second value is thrown away so that the state
 * is the stream alone. */
double rng_normal(struct rng *r)
{
    for (;;) {
        double u = 2 * rng_real(r) - 1;
        double v = 2 * rng_real(r) - 1;
        double q = u * u + v * v;
        if (q > 0 && q < 1) return u * sqrt(-2 * log(q) / q);
    }
}

double rng_exponential(struct rng *r)
{
    return -log1p(-rng_real(r));
}

void rng_permutation(struct rng *r, uint32_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t j = rng_below(r, i + 1);
        order[i] = order[j];
        order[j] = (uint32_t)i;
    }
}
