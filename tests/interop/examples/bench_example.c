/* A program that benchmarks its own functions. */
#include <assay/bench.h>

ASSAY_BENCH(sum)
{
    long total = 0;
    for (int i = 0; i < 100; i++) {
        total += i;
        ASSAY_KEEP(total);
    }
}

ASSAY_BENCH(copy)
{
    static char from[4096];
    static char to[4096];
    memcpy(to, from, sizeof to);
    ASSAY_KEEP(to);
}

ASSAY_BENCH(fails)
{
    ASSAY_BENCH_FAIL("it always does");
}

ASSAY_BENCH_MAIN()
