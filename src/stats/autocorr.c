#include "stats/autocorr.h"

#include "stats/moments.h"

#include <math.h>

double autocorr_lag1(const double *series, size_t n)
{
    struct moments m = moments_of(series, n);
    if (n < 3 || !(m.m2 > 0)) return 0;
    double sum = 0;
    for (size_t i = 0; i + 1 < n; i++) sum += (series[i] - m.mean) * (series[i + 1] - m.mean);
    double lag1 = sum / m.m2;
    return isfinite(lag1) ? lag1 : 0;
}

double autocorr_unbiased(double lag1, size_t n)
{
    if (n < 5) return lag1;
    double size = (double)n;
    double rho = (size * lag1 + 1) / (size - 3);
    return fmin(0.99, fmax(-0.99, rho));
}

double autocorr_effective_n(double rho, size_t n)
{
    double limited = fmin(0.99, fmax(0, rho));
    double effective = (double)n * (1 - limited) / (1 + limited);
    return n == 0 ? 0 : fmax(1, effective);
}
