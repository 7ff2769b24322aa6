/* rows.h - one vector against many: cosines of a query with every row of a table.
 *
 * What is kept of a row is its direction: floats of length 1, or int8 (dot_quantise) and one
 * scale, 1 / their length. A cosine is then one dot product. int8 rows need a quarter of the
 * memory traffic, which is what a scan costs. Every kernel of dot.h gives the same bits.
 *
 * All of it is one block of a heap that counts it: 4 bytes a dimension, or 1 and 4 a row. */
#ifndef VEC_ROWS_H
#define VEC_ROWS_H

#include "base/arena.h"
#include "base/heap.h"
#include "vec/dot.h"

struct rows {
    size_t count;
    size_t dimensions;
    bool is_packed;
    float *whole;   /* count x dimensions; NULL where packed */
    int8_t *packed; /* the same; NULL where whole */
    float *scales;  /* of packed rows: direction ~ packed * scale; 0 for a row without length */
};

/* Rows without length, until they are set. */
struct rows rows_new(size_t count, size_t dimensions, bool is_packed, struct heap *heap);
void rows_release(struct rows *r, struct heap *heap);
void rows_set(struct rows *r, const struct dot_kernels *k, size_t row, const float *values);

/* out[i] = cosine of the query with row i. `query` has r->dimensions values; `scratch`
 * takes a copy of it, quantised where rows are packed. */
void rows_cosines(const struct rows *r, const struct dot_kernels *k, const float *query,
                  float *out, struct arena scratch);

#endif
