#include "vec/rows.h"

#include <math.h>
#include <string.h>

struct rows rows_new(size_t count, size_t dimensions, bool is_packed, struct arena *out)
{
    struct rows r = {.count = count, .dimensions = dimensions, .is_packed = is_packed};
    if (is_packed) {
        r.packed = arena_new(out, int8_t, count * dimensions);
        r.scales = arena_new(out, float, count);
    } else {
        r.whole = arena_new(out, float, count *dimensions);
    }
    r.inverse_length = arena_new(out, float, count);
    return r;
}

static float inverse(double squared)
{
    return squared > 0 ? (float)(1 / sqrt(squared)) : 0;
}

void rows_set(struct rows *r, const struct dot_kernels *k, size_t row, const float *values)
{
    size_t n = r->dimensions;
    if (r->is_packed) {
        int8_t *to = r->packed + row * n;
        r->scales[row] = dot_quantise(values, to, n);
        r->inverse_length[row] = inverse((double)k->i8(to, to, n));
    } else {
        float *to = r->whole + row * n;
        memcpy(to, values, n * sizeof *to);
        r->inverse_length[row] = inverse((double)k->f32(to, to, n));
    }
}

void rows_cosines(const struct rows *r, const struct dot_kernels *k, const float *query,
                  float *out, struct arena scratch)
{
    size_t n = r->dimensions;
    if (!r->is_packed) {
        float scale = inverse((double)k->f32(query, query, n));
        for (size_t i = 0; i < r->count; i++) {
            out[i] = k->f32(r->whole + i * n, query, n) * scale * r->inverse_length[i];
        }
        return;
    }
    int8_t *q = arena_new(&scratch, int8_t, n);
    dot_quantise(query, q, n);
    float scale = inverse((double)k->i8(q, q, n));
    for (size_t i = 0; i < r->count; i++) {
        out[i] = (float)k->i8(r->packed + i * n, q, n) * scale * r->inverse_length[i];
    }
}

size_t rows_bytes(const struct rows *r)
{
    size_t row =
        r->is_packed ? r->dimensions + sizeof *r->scales : r->dimensions * sizeof *r->whole;
    return r->count * row;
}
