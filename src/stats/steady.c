#include "stats/steady.h"

#include "stats/drift.h"
#include "stats/moments.h"

#include <math.h>

#define TREND_P        0.005
#define TREND_RELATIVE 0.01

/* The batch from which the mean of the rest has the smallest standard error.
 * Goes backwards, so that each step adds one batch. The second half is no
 * candidate: there a few values that chance to agree would win. */
static size_t mser_cut(const double *batches, size_t count)
{
    struct moments rest = {0};
    long double best = (long double)INFINITY;
    size_t cut = 0;
    for (size_t i = count; i-- > 0;) {
        moments_add(&rest, batches[i]);
        double size = (double)rest.count;
        long double error = rest.m2 / (size * size);
        if (i <= count / 2 && error <= best) {
            best = error;
            cut = i;
        }
    }
    return cut;
}

static bool has_trend(struct arena scratch, const double *series, size_t n)
{
    struct drift drift = drift_of(scratch, series, n);
    return drift.p < TREND_P && fabs(drift.relative) >= TREND_RELATIVE;
}

struct steady steady_find(struct arena scratch, const double *series, size_t n)
{
    struct steady never = {false, n};
    if (n < STEADY_MIN_N) return never;
    double *values = arena_new(&scratch, double, n);
    for (size_t i = 0; i < n; i++) {
        bool is_number = isfinite(series[i]);
        values[i] = is_number ? series[i] : (i > 0 ? values[i - 1] : 0);
    }
    /* Short series have smaller batches, or there would be too few to choose from. */
    size_t batch = n >= 50 ? 5 : n / 10;
    size_t count = n / batch;
    size_t offset = n - count * batch; /* the odd values in front go with the first batch */
    double *batches = arena_new(&scratch, double, count);
    for (size_t i = 0; i < count; i++) {
        batches[i] = moments_of(values + offset + i * batch, batch).mean;
    }
    size_t cut = mser_cut(batches, count);
    size_t at = cut == 0 ? 0 : offset + cut * batch;
    size_t step = n / 20 ? n / 20 : 1;
    while (at <= n / 2 && has_trend(scratch, values + at, n - at)) at += step;
    return at <= n / 2 ? (struct steady){true, at} : never;
}
