#include "vec/dot.h"

#include "base/arena.h"
#include "base/rng.h"
#include "tests/test.h"

enum { LONGEST = 300, ALIGNMENTS = 64 };

/* Extremes come often: -128 * -128 is what overflows first. */
static int8_t random_i8(struct rng *r)
{
    uint64_t word = rng_next(r);
    if (word % 4 == 0) return -128;
    if (word % 4 == 1) return 127;
    return (int8_t)(word >> 56);
}

TEST(every_kernel_equals_generic_for_int8)
{
    static int8_t a[LONGEST + ALIGNMENTS];
    static int8_t b[LONGEST + ALIGNMENTS];
    struct rng r = rng_seeded(1);
    for (size_t i = 0; i < sizeof a; i++) {
        a[i] = random_i8(&r);
        b[i] = random_i8(&r);
    }
    struct dot_kernels generic;
    assert_true(dot_kernels_at(0, &generic));
    assert_string_equal(generic.name, "generic");
    struct dot_kernels k;
    size_t count = 0;
    for (; dot_kernels_at(count, &k); count++) {
        for (size_t n = 0; n <= LONGEST; n++) {
            for (size_t at = 0; at < ALIGNMENTS; at++) {
                int64_t wanted = generic.i8(a + at, b + (at * 7) % ALIGNMENTS, n);
                int64_t given = k.i8(a + at, b + (at * 7) % ALIGNMENTS, n);
                if (given != wanted)
                    fail_msg("%s: n %zu, at %zu: %lld, not %lld", k.name, n, at,
                             (long long)given, (long long)wanted);
            }
        }
    }
    print_message("# %zu kernels, best: %s\n", count, dot_kernels_best().name);
}

TEST(int8_sums_do_not_overflow)
{
    /* 2^18 products of 2^14 are 2^32. */
    size_t n = ((size_t)1 << 18) + 17;
    struct arena arena = arena_open();
    int8_t *a = arena_new(&arena, int8_t, n);
    int8_t *b = arena_new(&arena, int8_t, n);
    memset(a, -128, n);
    memset(b, -128, n);
    struct dot_kernels k;
    for (size_t i = 0; dot_kernels_at(i, &k); i++) {
        assert_int_equal(k.i8(a, b, n), (int64_t)n << 14);
    }
    memset(b, 127, n);
    for (size_t i = 0; dot_kernels_at(i, &k); i++) {
        assert_int_equal(k.i8(a, b, n), -128 * 127 * (int64_t)n);
    }
    arena_close(&arena);
}

TEST(every_kernel_equals_generic_for_floats)
{
    static float a[LONGEST + 8];
    static float b[LONGEST + 8];
    struct rng r = rng_seeded(2);
    for (size_t i = 0; i < COUNT(a); i++) {
        a[i] = (float)rng_normal(&r);
        b[i] = (float)(rng_normal(&r) * 1e3);
    }
    struct dot_kernels generic;
    assert_true(dot_kernels_at(0, &generic));
    struct dot_kernels k;
    for (size_t i = 1; dot_kernels_at(i, &k); i++) {
        for (size_t n = 0; n <= LONGEST; n++) {
            for (size_t at = 0; at < 8; at++) {
                float wanted = generic.f32(a + at, b + (at * 3) % 8, n);
                float given = k.f32(a + at, b + (at * 3) % 8, n);
                if (memcmp(&given, &wanted, sizeof given) != 0)
                    fail_msg("%s: n %zu: %.9g, not %.9g", k.name, n, (double)given,
                             (double)wanted);
            }
        }
    }
    double exact = 0;
    for (size_t i = 0; i < LONGEST; i++) exact += (double)a[i] * (double)b[i];
    assert_close((double)generic.f32(a, b, LONGEST), exact, 1e-5);
}

TEST(cosines)
{
    struct dot_kernels k = dot_kernels_best();
    const float x[] = {1, 0, 0}, y[] = {0, 2, 0}, z[] = {3, 3, 0}, none[] = {0, 0, 0};
    assert_close(dot_cosine_f32(&k, x, x, 3), 1, 1e-12);
    assert_close(dot_cosine_f32(&k, x, y, 3), 0, 0);
    assert_close(dot_cosine_f32(&k, x, z, 3), sqrt(0.5), 1e-7);
    assert_close(dot_cosine_f32(&k, x, none, 3), 0, 0);
    const int8_t p[] = {127, 0}, q[] = {-1, 0};
    assert_close(dot_cosine_i8(&k, p, q, 2), -1, 1e-12);
    assert_close(dot_cosine_i8(&k, p, q, 0), 0, 0);
}

/* Each is finite, and their squares are not, or are nothing. */
TEST(cosines_of_very_long_and_very_short_vectors)
{
    struct dot_kernels k;
    static const float lengths[] = {3e38F, 1e20F, 1e15F, 1, 1e-15F, 1e-25F, 1e-38F, 1e-44F};
    for (size_t i = 0; dot_kernels_at(i, &k); i++) {
        for (size_t m = 0; m < COUNT(lengths); m++) {
            float v[40], w[40], across[40];
            for (size_t d = 0; d < COUNT(v); d++) {
                v[d] = d % 2 ? lengths[m] : -lengths[m];
                w[d] = d % 2 ? 1 : -1;
                across[d] = 1;
            }
            assert_close(dot_cosine_f32(&k, v, v, COUNT(v)), 1, 1e-6);
            assert_close(dot_cosine_f32(&k, v, w, COUNT(v)), 1, 1e-6);
            assert_close(dot_cosine_f32(&k, across, v, COUNT(v)), 0, 1e-6);
        }
    }
}

TEST(quantised_vectors_point_the_same_way)
{
    struct rng r = rng_seeded(3);
    struct dot_kernels k = dot_kernels_best();
    for (int round = 0; round < 50; round++) {
        float a[256], b[256];
        int8_t qa[256], qb[256];
        for (size_t i = 0; i < 256; i++) {
            a[i] = (float)rng_normal(&r);
            b[i] = a[i] * 0.5f + (float)rng_normal(&r);
        }
        float scale = dot_quantise(a, qa, 256);
        dot_quantise(b, qb, 256);
        for (size_t i = 0; i < 256; i++) {
            assert_true(fabsf((float)qa[i] * scale - a[i]) <= scale * 0.5001f);
        }
        double exact = dot_cosine_f32(&k, a, b, 256);
        assert_true(fabs(dot_cosine_i8(&k, qa, qb, 256) - exact) < 0.01);
    }
    float tiny[] = {1e-45f, -1e-45f}, none[] = {0, 0};
    int8_t q[2];
    assert_true(dot_quantise(none, q, 2) == 0 && q[0] == 0 && q[1] == 0);
    dot_quantise(tiny, q, 2); /* must not divide by nothing */
    const float known[] = {-2, 1, 0.5f};
    int8_t made[3];
    assert_close((double)dot_quantise(known, made, 3), 2.0 / 127, 1e-7);
    assert_int_equal(made[0], -127);
    assert_int_equal(made[1], 64); /* 63.5, to even */
    assert_int_equal(made[2], 32); /* 31.75 */
}

/* A skip, with the names: a kernel that the tests above could not run has not passed them. */
TEST(every_kernel_that_is_compiled_in_was_run)
{
    struct dot_kernels k;
    bool has_all = true;
    for (size_t i = 0; dot_kernels_name(i); i++) {
        if (dot_kernels_at(i, &k)) {
            assert_string_equal(k.name, dot_kernels_name(i));
            continue;
        }
        print_message("# skip: this machine cannot run the kernel %s\n", dot_kernels_name(i));
        has_all = false;
    }
    if (!has_all) skip();
}

TEST_MAIN(T(every_kernel_equals_generic_for_int8), T(int8_sums_do_not_overflow),
          T(every_kernel_equals_generic_for_floats), T(cosines),
          T(cosines_of_very_long_and_very_short_vectors),
          T(quantised_vectors_point_the_same_way), T(every_kernel_that_is_compiled_in_was_run))
