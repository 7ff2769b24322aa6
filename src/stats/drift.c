#include "stats/drift.h"

#include "stats/autocorr.h"
#include "stats/kendall.h"
#include "stats/moments.h"
#include "stats/quantile.h"

#include <math.h>

static double residual_lag1(struct arena scratch, const double *series, size_t n)
{
    struct moments m = moments_of(series, n);
    double centre = (double)(n - 1) / 2;
    double slope = 0;
    double weight = 0;
    for (size_t i = 0; i < n; i++) {
        double t = (double)i - centre;
        slope += t * (series[i] - m.mean);
        weight += t * t;
    }
    slope /= weight;
    double *rest = arena_new(&scratch, double, n);
    for (size_t i = 0; i < n; i++) rest[i] = series[i] - slope * ((double)i - centre);
    return autocorr_lag1(rest, n);
}

struct drift drift_of(struct arena scratch, const double *series, size_t n)
{
    struct drift drift = {0, 1, 0};
    if (n < DRIFT_MIN_N) return drift;
    double lag1 = residual_lag1(scratch, series, n);
    double rho = fmin(0.9, fmax(0, autocorr_unbiased(lag1, n)));
    struct kendall k = kendall_trend(scratch, series, n, (1 + rho) / (1 - rho));
    drift.tau = k.tau;
    drift.p = k.p;

    size_t third = n / 3;
    double before = stats_median(scratch, series, third);
    double after = stats_median(scratch, series + n - third, third);
    drift.relative = before == after ? 0 : (after - before) / fabs(before);
    return drift;
}
