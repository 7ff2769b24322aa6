#include "base/rng.h"
#include "tests/test.h"
#include "vec/rows.h"

enum { ROWS = 50, DIMENSIONS = 384 };

static void fill(struct rows *r, const struct dot_kernels *k, float *first)
{
    struct rng rng = rng_seeded(9);
    float v[DIMENSIONS];
    for (size_t i = 0; i < r->count; i++) {
        for (size_t d = 0; d < DIMENSIONS; d++) v[d] = i == 3 ? 0 : (float)rng_normal(&rng);
        if (i == 0) memcpy(first, v, sizeof v);
        rows_set(r, k, i, v);
    }
}

TEST(every_kernel_gives_the_same_cosines_and_packed_ones_are_near)
{
    struct arena a = arena_open();
    struct heap heap = {0};
    float expected[2][ROWS];
    struct dot_kernels k;
    for (size_t i = 0; dot_kernels_at(i, &k); i++) {
        float out[2][ROWS];
        for (int is_packed = 0; is_packed < 2; is_packed++) {
            struct rows r = rows_new(ROWS, DIMENSIONS, is_packed, &heap);
            float query[DIMENSIONS];
            fill(&r, &k, query);
            rows_cosines(&r, &k, query, out[is_packed], a);
            rows_release(&r, &heap);
        }
        if (i == 0) memcpy(expected, out, sizeof out);
        assert_memory_equal(expected, out, sizeof out);
    }
    assert_close((double)expected[0][0], 1, 1e-6); /* the query itself */
    assert_true(expected[0][3] == 0.0F && expected[1][3] == 0.0F);
    for (size_t i = 0; i < ROWS; i++)
        assert_true(fabsf(expected[0][i] - expected[1][i]) < 0.004F);
    arena_close(&a);
}

TEST(packed_rows_take_74_7_percent_less)
{
    struct heap whole_heap = {0};
    struct heap packed_heap = {0};
    struct rows whole = rows_new(10, DIMENSIONS, false, &whole_heap);
    struct rows packed = rows_new(10, DIMENSIONS, true, &packed_heap);
    assert_int_equal(whole_heap.live_bytes, 15360);
    assert_int_equal(packed_heap.live_bytes, 3880);
    assert_int_equal(packed_heap.request_count, 1); /* nothing that was not counted */
    rows_release(&whole, &whole_heap);
    rows_release(&packed, &packed_heap);
    assert_int_equal(whole_heap.live_bytes + packed_heap.live_bytes, 0);
}

TEST_MAIN(T(every_kernel_gives_the_same_cosines_and_packed_ones_are_near),
          T(packed_rows_take_74_7_percent_less))
