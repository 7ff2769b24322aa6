/* The AVX-512-VNNI kernel on machines without it: its own source, with each instruction it uses
 * done by plain C as Intel's manual defines it (Software Developer's Manual, volume 2, VPDPBUSD:
 * four products of an unsigned and a signed byte are added to a 32-bit lane, which wraps). What
 * this cannot tell is what dot_test.c says on a processor that has them. */
#include "base/arena.h"
#include "base/rng.h"
#include "tests/test.h"

#if defined(__x86_64__)
#include <immintrin.h>

struct wide {
    uint8_t bytes[64];
};

static struct wide wide_of(char v)
{
    struct wide w;
    memset(w.bytes, v, sizeof w.bytes);
    return w;
}

static struct wide wide_load(uint64_t mask, const int8_t *from)
{
    struct wide w = wide_of(0);
    for (size_t i = 0; i < sizeof w.bytes; i++) {
        if (mask >> i & 1) w.bytes[i] = (uint8_t)from[i]; /* others are not touched */
    }
    return w;
}

static struct wide wide_xor(struct wide a, struct wide b)
{
    for (size_t i = 0; i < sizeof a.bytes; i++) a.bytes[i] ^= b.bytes[i];
    return a;
}

static struct wide wide_dot(struct wide sums, struct wide a, struct wide b)
{
    for (size_t lane = 0; lane < 16; lane++) {
        uint32_t sum;
        memcpy(&sum, &sums.bytes[4 * lane], sizeof sum);
        for (size_t i = 4 * lane; i < 4 * lane + 4; i++)
            sum += (uint32_t)((int32_t)a.bytes[i] * (int8_t)b.bytes[i]);
        memcpy(&sums.bytes[4 * lane], &sum, sizeof sum);
    }
    return sums;
}

static int32_t wide_sum(struct wide w)
{
    uint32_t sum = 0;
    for (size_t lane = 0; lane < 16; lane++) {
        uint32_t one;
        memcpy(&one, &w.bytes[4 * lane], sizeof one);
        sum += one;
    }
    return (int32_t)sum;
}

#define __m512i                 struct wide
#define _mm512_set1_epi8        wide_of
#define _mm512_setzero_si512()  wide_of(0)
#define _mm512_maskz_loadu_epi8 wide_load
#define _mm512_xor_si512        wide_xor
#define _mm512_dpbusd_epi32     wide_dot
#define _mm512_reduce_add_epi32 wide_sum
#define target(features)        __target__("avx2")
#include "../../src/vec/dot.c" /* NOLINT: with the instructions above */
#undef target

enum { LONGEST = 200 };

TEST(the_kernel_equals_generic)
{
    int8_t a[LONGEST], b[LONGEST];
    struct rng r = rng_seeded(3);
    for (size_t i = 0; i < LONGEST; i++) {
        a[i] = (int8_t)(rng_below(&r, 3) ? rng_next(&r) >> 56 : 128);
        b[i] = (int8_t)(rng_below(&r, 3) ? rng_next(&r) >> 56 : 128);
    }
    for (size_t from = 0; from < 8; from++) {
        for (size_t n = 0; from + n <= LONGEST; n++)
            assert_int_equal(i8_avx512vnni(a + from, b, n), i8_generic(a + from, b, n));
    }
}

/* Of extremes over more than a block: a lane, and the sum of all lanes, must not wrap. */
TEST(its_sums_do_not_overflow)
{
    static const int8_t extremes[] = {-128, -1, 1, 127};
    size_t n = 2 * (size_t)BLOCK + 33;
    struct arena arena = arena_open();
    int8_t *a = arena_new(&arena, int8_t, n);
    int8_t *b = arena_new(&arena, int8_t, n);
    for (size_t i = 0; i < COUNT(extremes); i++) {
        for (size_t k = 0; k < COUNT(extremes); k++) {
            memset(a, extremes[i], n);
            memset(b, extremes[k], n);
            assert_int_equal(i8_avx512vnni(a, b, n),
                             (int64_t)extremes[i] * extremes[k] * (int64_t)n);
        }
    }
    arena_close(&arena);
}

TEST_MAIN(T(the_kernel_equals_generic), T(its_sums_do_not_overflow))
#else
TEST(another_machine)
{
    skip();
}

TEST_MAIN(T(another_machine))
#endif
