/* vec.c - cosines of one query with every row: our int8 rows against OpenBLAS' sgemv over the
 * same rows as floats, one thread; 256 MB of floats, and 16 MB, which stay in the third-level
 * cache. The largest difference between the two answers is checked, so that neither can be fast
 * by not doing it. OpenBLAS is loaded when it is there. */
#include "base/clock.h"
#include "base/library.h"
#include "base/rng.h"
#include "ratio.h"
#include "vec/rows.h"

enum { DIMENSIONS = 384 };

typedef void sgemv_function(int order, int transpose, int m, int n, float alpha, const float *a,
                            int lda, const float *x, int stride_x, float beta, float *y,
                            int stride_y);
typedef void threads_function(int count);

static void compare(const char *what, size_t count, double limit, sgemv_function *sgemv)
{
    struct arena arena = arena_open();
    struct dot_kernels k = dot_kernels_best();
    struct heap heap = {0};
    struct rows whole = rows_new(count, DIMENSIONS, false, &heap);
    struct rows packed = rows_new(count, DIMENSIONS, true, &heap);
    struct rng rng = rng_seeded(1);
    float v[DIMENSIONS];
    for (size_t i = 0; i <= count; i++) {
        for (size_t d = 0; d < DIMENSIONS; d++)
            v[d] = (float)(rng_real(&rng) + rng_real(&rng)) - 1;
        if (i == count) break; /* the last one is the query */
        rows_set(&whole, &k, i, v);
        rows_set(&packed, &k, i, v);
    }
    float *ours = arena_new(&arena, float, count);
    float *theirs = arena_new(&arena, float, count);
    double length = sqrt((double)k.f32(v, v, DIMENSIONS));
    for (size_t d = 0; d < DIMENSIONS; d++) v[d] = (float)((double)v[d] / length);
    double ours_ns[BLOCKS];
    double theirs_ns[BLOCKS];
    int repeats = (int)(200000 / count) + 1;
    for (int b = 0; b < BLOCKS; b++) {
        for (int side = 0; side < 2; side++) {
            int64_t start = clock_ns();
            for (int i = 0; i < repeats; i++) {
                if ((side + b) % 2) {
                    rows_cosines(&packed, &k, v, ours, arena);
                } else {
                    sgemv(101, 111, (int)count, DIMENSIONS, 1, whole.whole, DIMENSIONS, v, 1, 0,
                          theirs, 1);
                }
            }
            ((side + b) % 2 ? ours_ns : theirs_ns)[b] = (double)(clock_ns() - start);
        }
    }
    double worst = 0;
    for (size_t i = 0; i < count; i++) worst = fmax(worst, fabs((double)(ours[i] - theirs[i])));
    CHECK(worst < 0.02);
    struct ratio r = ratio_of(theirs_ns, ours_ns);
    char target[32];
    snprintf(target, sizeof target, ">= %.1f", limit);
    ratio_line(what, r, target, r.median >= limit);
    rows_release(&whole, &heap);
    rows_release(&packed, &heap);
    arena_close(&arena);
}

int main(void)
{
    sgemv_function *sgemv;
    threads_function *threads;
    const struct library_symbol symbols[] = {{"cblas_sgemv", &sgemv},
                                             {"openblas_set_num_threads", &threads}};
    void *handle;
    struct error err = {0};
    if (!library_load("libopenblas.so.0", "libopenblas is not installed", symbols,
                      COUNT(symbols), &handle, &err)) {
        printf("vec: skipped: %s\n", err.text);
        return 0;
    }
    threads(1);
    printf("vec: kernels %s\n", dot_kernels_best().name);
    compare("int8 cosines / sgemv, 256 MB of floats", 256000000 / (4 * DIMENSIONS), 2.5, sgemv);
    compare("int8 cosines / sgemv, 16 MB of floats", 16000000 / (4 * DIMENSIONS), 1.5, sgemv);
    return 0;
}
