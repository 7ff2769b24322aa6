#include "vec/rows.h"

#include <math.h>
#include <string.h>

static size_t block_bytes(const struct rows *r)
{
    size_t row =
        r->is_packed ? r->dimensions + sizeof *r->scales : r->dimensions * sizeof *r->whole;
    return r->count * row;
}

struct rows rows_new(size_t count, size_t dimensions, bool is_packed, struct heap *heap)
{
    struct rows r = {.count = count, .dimensions = dimensions, .is_packed = is_packed};
    float *block = heap_resize(heap, NULL, 0, block_bytes(&r));
    memset(block, 0, block_bytes(&r));
    if (is_packed) {
        r.scales = block;
        r.packed = (int8_t *)(block + count);
    } else {
        r.whole = block;
    }
    return r;
}

void rows_release(struct rows *r, struct heap *heap)
{
    heap_free(heap, r->is_packed ? r->scales : r->whole, block_bytes(r));
    *r = (struct rows){0};
}

static float inverse(double squared)
{
    return squared > 0 ? (float)(1 / sqrt(squared)) : 0;
}

/* 1 / the length of v, which is brought into range where its square is not. */
static float inverse_length(const struct dot_kernels *k, float *v, size_t n)
{
    double squared = (double)k->f32(v, v, n);
    if (dot_is_in_range(squared)) return inverse(squared);
    dot_rescale(v, v, n);
    return inverse((double)k->f32(v, v, n));
}

void rows_set(struct rows *r, const struct dot_kernels *k, size_t row, const float *values)
{
    size_t n = r->dimensions;
    if (r->is_packed) {
        int8_t *to = r->packed + row * n;
        (void)dot_quantise(values, to, n);
        r->scales[row] = inverse((double)k->i8(to, to, n));
    } else {
        float *to = r->whole + row * n;
        memcpy(to, values, n * sizeof *to);
        float scale = inverse_length(k, to, n);
        for (size_t i = 0; i < n; i++) to[i] *= scale;
    }
}

void rows_cosines(const struct rows *r, const struct dot_kernels *k, const float *query,
                  float *out, struct arena scratch)
{
    size_t n = r->dimensions;
    if (!r->is_packed) {
        float *q = arena_new(&scratch, float, n);
        memcpy(q, query, n * sizeof *q);
        float scale = inverse_length(k, q, n);
        for (size_t i = 0; i < r->count; i++) out[i] = k->f32(r->whole + i * n, q, n) * scale;
        return;
    }
    int8_t *q = arena_new(&scratch, int8_t, n);
    dot_quantise(query, q, n);
    float scale = inverse((double)k->i8(q, q, n));
    for (size_t i = 0; i < r->count; i++) {
        out[i] = (float)k->i8(r->packed + i * n, q, n) * scale * r->scales[i];
    }
}
