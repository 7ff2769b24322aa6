/* dot.h - dot products of float and int8 vectors, by the best instructions that
 * this machine has.
 *
 * Every kernel gives the same bits: int8 sums are exact, and float sums are
 * made in DOT_LANES lanes that are added up in one order, with no fused
 * multiply-add. So a score that rests on them is the same on every machine.
 *
 *     struct dot_kernels k = dot_kernels_best();       once, then pass it on
 *     double c = dot_cosine_i8(&k, a, b, n);                                  */
#ifndef VEC_DOT_H
#define VEC_DOT_H

#include "base/invariant.h"

enum { DOT_LANES = 16 };

struct dot_kernels {
    const char *name; /* "generic"; "avx2", "avx512vnni"; "neon" */
    float (*f32)(const float *a, const float *b, size_t n);
    int64_t (*i8)(const int8_t *a, const int8_t *b, size_t n);
};

struct dot_kernels dot_kernels_best(void);

/* The i-th that this machine can run, the plainest first; false past the end.
 * For tests and benches. */
MUST_USE bool dot_kernels_at(size_t i, struct dot_kernels *kernels);
/* The name of the i-th that is compiled in, whether this machine can run it or not; NULL past
 * the end. */
const char *dot_kernels_name(size_t i);

/* a.b / (|a| |b|); 0 if either has no length. Floats are finite; their squares may be too large
 * or too small for a float. */
double dot_cosine_f32(const struct dot_kernels *k, const float *a, const float *b, size_t n);
double dot_cosine_i8(const struct dot_kernels *k, const int8_t *a, const int8_t *b, size_t n);

/* Whether this square of a length was neither lost nor infinite on the way. */
static inline bool dot_is_in_range(double squared)
{
    return squared >= 1e-30 && squared <= 1e30;
}

/* to[i] = from[i] / largest |from|: in the same direction, and in range. 0 for a zero vector.
 * `to` may be `from`. */
void dot_rescale(const float *from, float *to, size_t n);

/* to[i] = from[i] / scale rounded to the nearest (ties to even), where scale =
 * largest |from| / 127 is returned: from[i] ~ to[i] * scale. 0 for a zero vector.
 * `from` is finite. */
float dot_quantise(const float *from, int8_t *to, size_t n);

#endif
