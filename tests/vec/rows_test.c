#include "base/os.h"
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

TEST(rows_and_queries_may_be_very_long_or_very_short)
{
    static const float lengths[] = {1e38F, 1e20F, 1, 1e-25F, 1e-38F};
    struct arena a = arena_open();
    struct heap heap = {0};
    struct dot_kernels k = dot_kernels_best();
    for (int is_packed = 0; is_packed < 2; is_packed++) {
        struct rows r = rows_new(COUNT(lengths), DIMENSIONS, is_packed, &heap);
        float v[DIMENSIONS];
        for (size_t i = 0; i < COUNT(lengths); i++) {
            for (size_t d = 0; d < DIMENSIONS; d++) v[d] = lengths[i] * (d % 3 ? 1 : -0.5F);
            rows_set(&r, &k, i, v);
        }
        for (size_t q = 0; q < COUNT(lengths); q++) {
            for (size_t d = 0; d < DIMENSIONS; d++) v[d] = lengths[q] * (d % 3 ? 1 : -0.5F);
            float out[COUNT(lengths)];
            rows_cosines(&r, &k, v, out, a);
            for (size_t i = 0; i < COUNT(lengths); i++)
                assert_close((double)out[i], 1, is_packed ? 1e-4 : 1e-5);
        }
        rows_release(&r, &heap);
    }
    arena_close(&a);
}

/* Word vectors are not random ones: some dimensions are large in all of them. */
TEST(the_worst_of_10000_pairs_of_real_embeddings_is_below_two_hundredths)
{
    enum { WORDS = 20000, REAL_DIMENSIONS = 100, QUERIES = 10, PAIRS_EACH = 1000 };
    struct arena a = arena_open();
    struct str file;
    struct error err = {0};
    if (!os_read_file("build/release/embeddings.f32", 16 << 20, &a, &file, &err)) {
        print_message("# skip: no real embeddings, which `make embeddings` fetches: %s\n",
                      err.text);
        arena_close(&a);
        skip();
    }
    assert_int_equal(file.n, WORDS * REAL_DIMENSIONS * sizeof(float));
    float *vectors = arena_new(&a, float, (size_t)WORDS *REAL_DIMENSIONS);
    memcpy(vectors, file.p, file.n);
    struct heap heap = {0};
    struct dot_kernels k = dot_kernels_best();
    struct rows rows[2];
    for (int is_packed = 0; is_packed < 2; is_packed++) {
        rows[is_packed] = rows_new(PAIRS_EACH, REAL_DIMENSIONS, is_packed, &heap);
    }
    double worst = 0;
    for (size_t q = 0; q < QUERIES; q++) {
        float out[2][PAIRS_EACH];
        for (int is_packed = 0; is_packed < 2; is_packed++) {
            for (size_t i = 0; i < PAIRS_EACH; i++) {
                size_t word = 1 + q * PAIRS_EACH + i;
                rows_set(&rows[is_packed], &k, i, vectors + word * REAL_DIMENSIONS);
            }
            rows_cosines(&rows[is_packed], &k, vectors + q * 7 * REAL_DIMENSIONS,
                         out[is_packed], a);
        }
        for (size_t i = 0; i < PAIRS_EACH; i++) {
            double off = fabs((double)out[0][i] - (double)out[1][i]);
            assert_true(off < 0.02);
            if (off > worst) worst = off;
        }
    }
    print_message("# worst %.5f\n", worst);
    for (int i = 0; i < 2; i++) rows_release(&rows[i], &heap);
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
          T(rows_and_queries_may_be_very_long_or_very_short),
          T(the_worst_of_10000_pairs_of_real_embeddings_is_below_two_hundredths),
          T(packed_rows_take_74_7_percent_less))
