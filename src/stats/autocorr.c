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

/* Sum of products at a distance, each series about its own mean. */
static double pooled_products(const struct autocorr_series *series, const double *means,
                              size_t count, size_t lag)
{
    double sum = 0;
    for (size_t s = 0; s < count; s++) {
        const double *x = series[s].values;
        for (size_t i = 0; i + lag < series[s].n; i++) {
            sum += (x[i] - means[s]) * (x[i + lag] - means[s]);
        }
    }
    return sum;
}

enum { SERIES_MAX = 2, LAG_MAX = 64 };

/* 1 + 2 sum rho_k over pairs of lags while their sums stay positive, none larger
 * than the one before. `raw` are the plain autocorrelations; the mean of n values
 * took `inflation` / n of their variance with it. */
static double monotone_sum(const double *raw, size_t lags, double n, double inflation)
{
    double taken = fmin(0.5, inflation / n);
    double before = (double)INFINITY;
    double sum = 0;
    for (size_t k = 0; k + 1 <= lags; k += 2) {
        double pair = 0;
        for (size_t lag = k; lag <= k + 1; lag++) {
            double rho = (raw[lag] * (1 - taken) + taken) / (1 - (double)lag / n);
            pair += lag == 0 ? 1 : rho;
        }
        if (pair <= 0) break;
        before = fmin(before, pair);
        sum += before;
    }
    return fmax(1, 2 * sum - 1);
}

double autocorr_inflation(const struct autocorr_series *series, size_t count)
{
    CHECK(count >= 1 && count <= SERIES_MAX);
    double means[SERIES_MAX] = {0};
    double total = 0;
    size_t shortest = series[0].n;
    for (size_t s = 0; s < count; s++) {
        means[s] = moments_of(series[s].values, series[s].n).mean;
        total += (double)series[s].n;
        shortest = series[s].n < shortest ? series[s].n : shortest;
    }
    double raw[LAG_MAX + 1] = {1};
    size_t lags = shortest / 2 < LAG_MAX ? shortest / 2 : LAG_MAX;
    double variance = pooled_products(series, means, count, 0);
    if (lags < 1 || !(variance > 0)) return 1;
    for (size_t k = 1; k <= lags; k++) {
        raw[k] = pooled_products(series, means, count, k) / variance;
    }
    /* The bias depends on the answer: three rounds settle it. */
    double each = total / (double)count;
    double inflation = 1;
    for (int round = 0; round < 3; round++) {
        inflation = fmin(total / 2, monotone_sum(raw, lags, each, inflation));
        inflation = fmax(1, inflation);
    }
    return inflation;
}
