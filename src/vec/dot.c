/* The generic kernels are the truth; the others must equal them for every
 * length and alignment (tests/vec/dot_test.c).
 *
 * int8: products are at most 2^14, so that 32-bit lanes hold the sums of
 * BLOCK values, whatever they are; beyond, 64 bits take over. */
#include "vec/dot.h"

#include <math.h>

enum { BLOCK = 65536 };

static float add_lanes(const float *lanes)
{
    float sum = 0;
    for (size_t i = 0; i < DOT_LANES; i++) sum += lanes[i];
    return sum;
}

static float f32_generic(const float *a, const float *b, size_t n)
{
    float lanes[DOT_LANES] = {0};
    for (size_t i = 0; i < n; i++) lanes[i % DOT_LANES] += a[i] * b[i];
    return add_lanes(lanes);
}

static int64_t i8_generic(const int8_t *a, const int8_t *b, size_t n)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += (int64_t)(a[i] * b[i]);
    return sum;
}

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx2"))) static float f32_avx2(const float *a, const float *b, size_t n)
{
    __m256 low = _mm256_setzero_ps();
    __m256 high = _mm256_setzero_ps();
    size_t i = 0;
    for (; i + DOT_LANES <= n; i += DOT_LANES) {
        low = _mm256_add_ps(low, _mm256_mul_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i)));
        high = _mm256_add_ps(
            high, _mm256_mul_ps(_mm256_loadu_ps(a + i + 8), _mm256_loadu_ps(b + i + 8)));
    }
    float lanes[DOT_LANES];
    _mm256_storeu_ps(lanes, low);
    _mm256_storeu_ps(lanes + 8, high);
    for (; i < n; i++) lanes[i % DOT_LANES] += a[i] * b[i];
    return add_lanes(lanes);
}

__attribute__((target("avx2"))) static __m256i widened(const int8_t *p)
{
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i_u *)p));
}

__attribute__((target("avx2"))) static int64_t i8_avx2(const int8_t *a, const int8_t *b,
                                                       size_t n)
{
    int64_t sum = 0;
    size_t i = 0;
    while (i + 32 <= n) {
        size_t end = n - i > BLOCK ? i + BLOCK : n;
        __m256i even = _mm256_setzero_si256();
        __m256i odd = _mm256_setzero_si256();
        for (; i + 32 <= end; i += 32) {
            even = _mm256_add_epi32(even, _mm256_madd_epi16(widened(a + i), widened(b + i)));
            odd = _mm256_add_epi32(odd,
                                   _mm256_madd_epi16(widened(a + i + 16), widened(b + i + 16)));
        }
        int32_t lanes[8];
        _mm256_storeu_si256((__m256i_u *)lanes, _mm256_add_epi32(even, odd));
        for (size_t k = 0; k < COUNT(lanes); k++) sum += lanes[k];
    }
    return sum + i8_generic(a + i, b + i, n - i);
}

/* vpdpbusd multiplies unsigned by signed bytes: a + 128 is unsigned, and
 * sum((a + 128) b) - 128 sum(b) is what we want. */
__attribute__((target("avx512f,avx512bw,avx512vnni"))) static int64_t
i8_avx512vnni(const int8_t *a, const int8_t *b, size_t n)
{
    const __m512i shift = _mm512_set1_epi8((char)-128);
    const __m512i ones = _mm512_set1_epi8(1);
    int64_t sum = 0;
    for (size_t i = 0; i < n;) {
        size_t end = n - i > BLOCK ? i + BLOCK : n;
        __m512i products = _mm512_setzero_si512();
        __m512i plain = _mm512_setzero_si512();
        for (; i < end; i += 64) {
            /* Behind the end both are 0, and 128 * 0 adds nothing. */
            __mmask64 mask = end - i >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << (end - i)) - 1;
            __m512i x = _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, a + i), shift);
            __m512i y = _mm512_maskz_loadu_epi8(mask, b + i);
            products = _mm512_dpbusd_epi32(products, x, y);
            plain = _mm512_dpbusd_epi32(plain, ones, y);
        }
        i = end;
        sum += _mm512_reduce_add_epi32(products);
        sum -= 128 * (int64_t)_mm512_reduce_add_epi32(plain);
    }
    return sum;
}

static size_t count_supported(void)
{
    if (!__builtin_cpu_supports("avx2")) return 1;
    bool has_vnni = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512vnni");
    return has_vnni ? 3 : 2;
}

static const struct dot_kernels kernels[] = {
    {"generic", f32_generic, i8_generic},
    {"avx2", f32_avx2, i8_avx2},
    {"avx512vnni", f32_avx2, i8_avx512vnni},
};
#elif defined(__aarch64__)
#include <arm_neon.h>

static float f32_neon(const float *a, const float *b, size_t n)
{
    float32x4_t sums[DOT_LANES / 4] = {0};
    size_t i = 0;
    for (; i + DOT_LANES <= n; i += DOT_LANES) {
        for (size_t k = 0; k < COUNT(sums); k++)
            sums[k] = vaddq_f32(sums[k],
                                vmulq_f32(vld1q_f32(a + i + 4 * k), vld1q_f32(b + i + 4 * k)));
    }
    float lanes[DOT_LANES];
    for (size_t k = 0; k < COUNT(sums); k++) vst1q_f32(lanes + 4 * k, sums[k]);
    for (; i < n; i++) lanes[i % DOT_LANES] += a[i] * b[i];
    return add_lanes(lanes);
}

/* Two products of 2^14 overflow 16 bits, so they are added in pairs into 32. */
static int64_t i8_neon(const int8_t *a, const int8_t *b, size_t n)
{
    int64_t sum = 0;
    size_t i = 0;
    while (i + 16 <= n) {
        size_t end = n - i > BLOCK ? i + BLOCK : n;
        int32x4_t low = vdupq_n_s32(0);
        int32x4_t high = vdupq_n_s32(0);
        for (; i + 16 <= end; i += 16) {
            int8x16_t x = vld1q_s8(a + i);
            int8x16_t y = vld1q_s8(b + i);
            low = vpadalq_s16(low, vmull_s8(vget_low_s8(x), vget_low_s8(y)));
            high = vpadalq_s16(high, vmull_high_s8(x, y));
        }
        sum += vaddlvq_s32(low) + vaddlvq_s32(high);
    }
    return sum + i8_generic(a + i, b + i, n - i);
}

static size_t count_supported(void)
{
    return 2; /* every 64-bit ARM has NEON */
}

static const struct dot_kernels kernels[] = {
    {"generic", f32_generic, i8_generic},
    {"neon", f32_neon, i8_neon},
};
#else
static size_t count_supported(void)
{
    return 1;
}

static const struct dot_kernels kernels[] = {{"generic", f32_generic, i8_generic}};
#endif

struct dot_kernels dot_kernels_best(void)
{
    return kernels[count_supported() - 1];
}

bool dot_kernels_at(size_t i, struct dot_kernels *out)
{
    if (i >= count_supported()) return false;
    *out = kernels[i];
    return true;
}

const char *dot_kernels_name(size_t i)
{
    return i < COUNT(kernels) ? kernels[i].name : NULL;
}

static double cosine(double ab, double aa, double bb)
{
    return aa > 0 && bb > 0 ? ab / (sqrt(aa) * sqrt(bb)) : 0;
}

/* In double precision, which holds the square of any float. */
static double f64_plain(const float *a, const float *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

double dot_cosine_f32(const struct dot_kernels *k, const float *a, const float *b, size_t n)
{
    double aa = (double)k->f32(a, a, n);
    double bb = (double)k->f32(b, b, n);
    if (dot_is_in_range(aa) && dot_is_in_range(bb))
        return cosine((double)k->f32(a, b, n), aa, bb);
    return cosine(f64_plain(a, b, n), f64_plain(a, a, n), f64_plain(b, b, n));
}

double dot_cosine_i8(const struct dot_kernels *k, const int8_t *a, const int8_t *b, size_t n)
{
    return cosine((double)k->i8(a, b, n), (double)k->i8(a, a, n), (double)k->i8(b, b, n));
}

static float largest(const float *from, size_t n)
{
    float most = 0;
    for (size_t i = 0; i < n; i++) most = fmaxf(most, fabsf(from[i]));
    return most;
}

void dot_rescale(const float *from, float *to, size_t n)
{
    float most = largest(from, n);
    for (size_t i = 0; i < n; i++) to[i] = most > 0 ? from[i] / most : 0;
}

float dot_quantise(const float *from, int8_t *to, size_t n)
{
    float most = largest(from, n);
    /* By division, not by a reciprocal: 127 / a denormal would be infinite. */
    float scale = most / 127;
    for (size_t i = 0; i < n; i++) {
        long q = scale > 0 ? lrintf(from[i] / scale) : 0;
        to[i] = (int8_t)(q > 127 ? 127 : q < -127 ? -127 : q);
    }
    return scale;
}
