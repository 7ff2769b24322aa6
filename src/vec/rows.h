/* rows.h - one vector against many: cosines of a query with every row of a table.
 *
 * Rows are kept whole (float) or as int8 (dot_quantise), with 1/|row| of each: a cosine is then
 * one dot product. int8 rows need a quarter of the memory traffic, which is what a scan costs.
 * Every kernel of dot.h gives the same bits. */
#ifndef VEC_ROWS_H
#define VEC_ROWS_H

#include "base/arena.h"
#include "vec/dot.h"

struct rows {
    size_t count;
    size_t dimensions;
    bool is_packed;
    float *whole;          /* count x dimensions; NULL where packed */
    int8_t *packed;        /* the same; NULL where whole */
    float *scales;         /* of packed rows: row ~ packed * scale */
    float *inverse_length; /* of what is kept, in its own units; 0 for a row without length */
};

struct rows rows_new(size_t count, size_t dimensions, bool is_packed, struct arena *out);
void rows_set(struct rows *r, const struct dot_kernels *k, size_t row, const float *values);

/* out[i] = cosine of the query with row i. `query` has r->dimensions values; where rows are
 * packed it is quantised into `scratch`. */
void rows_cosines(const struct rows *r, const struct dot_kernels *k, const float *query,
                  float *out, struct arena scratch);

size_t rows_bytes(const struct rows *r); /* values and scales: what is needed to read it back */

#endif
