/* Two estimates for two uses. autocorr_inflation sums autocorrelations over all lags
 * while their pairs stay positive and fall (Geyer's initial monotone sequence), for long
 * series. autocorr_arms and autocorr_pairs estimate AR(1) by ranks, for the short
 * series of a comparison, and correct only as far as so few values can know. */
#include "stats/autocorr.h"

#include "stats/moments.h"
#include "stats/rank.h"

#include <math.h>

double autocorr_lag1(const double *series, size_t n)
{
    struct moments m = moments_of(series, n);
    if (n < 3 || !(m.m2 > 0)) return 0;
    long double sum = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        sum += (long double)(series[i] - m.mean) * (series[i + 1] - m.mean);
    }
    double lag1 = (double)(sum / m.m2);
    return isfinite(lag1) ? lag1 : 0;
}

double autocorr_unbiased(double lag1, size_t n)
{
    if (n < 5) return lag1;
    double size = (double)n;
    double rho = (size * lag1 + 1) / (size - 3);
    return fmin(0.99, fmax(-0.99, rho));
}

/* Sum of products at a distance, each series about its own mean. */
static long double pooled_products(const struct autocorr_series *series, const double *means,
                                   size_t count, size_t lag)
{
    long double sum = 0;
    for (size_t s = 0; s < count; s++) {
        const double *x = series[s].values;
        for (size_t i = 0; i + lag < series[s].n; i++) {
            sum += (long double)(x[i] - means[s]) * (x[i + lag] - means[s]);
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
    long double variance = pooled_products(series, means, count, 0);
    if (lags < 1 || !(variance > 0)) return 1;
    for (size_t k = 1; k <= lags; k++) {
        raw[k] = (double)(pooled_products(series, means, count, k) / variance);
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

/* ---- what a comparison makes of it ---- */

/* Midranks over n + 1: one outlier neither makes nor hides memory. */
static struct autocorr_series ranks_of(struct arena *scratch,
                                       const struct autocorr_series *series)
{
    double *ranks = arena_new(scratch, double, series->n + 1);
    (void)rank_midranks(*scratch, series->values, series->n, ranks);
    for (size_t i = 0; i < series->n; i++) ranks[i] /= (double)(series->n + 1);
    return (struct autocorr_series){ranks, series->n};
}

static double pooled_lag1(const struct autocorr_series arms[2])
{
    const double means[2] = {moments_of(arms[0].values, arms[0].n).mean,
                             moments_of(arms[1].values, arms[1].n).mean};
    long double variance = pooled_products(arms, means, 2, 0);
    return variance > 0 ? (double)(pooled_products(arms, means, 2, 1) / variance) : 0;
}

static double between(double x, double low, double high)
{
    return fmin(high, fmax(low, x));
}

/* Where the correction begins, where it is whole, and how far above the estimate the
 * correlation is taken, in standard errors. Found by simulation for the least false
 * verdicts under AR(1) .5 at a price of at most 6 points of power for independent
 * values (tests/slow/calibration_test.c): five values can pay for less than fifteen. */
struct ramp {
    double begin;
    double whole;
    double above;
};

static struct ramp ramp_of(double n)
{
    double begin = between(0.3 + (n - 6.5) * 0.15, 0.3, 1);
    return (struct ramp){begin, begin + 0.85, between(-0.6 + (n - 6.5) * 0.26, -0.6, 1)};
}

double autocorr_arms(struct arena scratch, const struct autocorr_series arms[2])
{
    double total = (double)(arms[0].n + arms[1].n);
    double each = total / 2;
    if (arms[0].n < 4 || arms[1].n < 4) return 1;
    double se = 1 / sqrt(total);
    double lag1 = pooled_lag1(arms);
    struct ramp ramp = ramp_of(each);
    double weight =
        between(((lag1 + 1 / each) / se - ramp.begin) / (ramp.whole - ramp.begin), 0, 1);
    double rho = lag1 + (1 + 3 * fmax(0, lag1)) / each + ramp.above * se;
    rho = between(rho, 0, 0.97);
    double inflation = 1 + weight * ((1 + rho) / (1 - rho) - 1);
    inflation = fmin(inflation, 0.8 * each); /* an arm knows at least what one value does */
    if (arms[0].n < AUTOCORR_LONG_LEAST || arms[1].n < AUTOCORR_LONG_LEAST) return inflation;
    const struct autocorr_series ranks[2] = {ranks_of(&scratch, &arms[0]),
                                             ranks_of(&scratch, &arms[1])};
    bool is_chance = (pooled_lag1(ranks) + 1 / each) / se < 2;
    return is_chance ? inflation : fmax(inflation, autocorr_inflation(ranks, 2));
}

double autocorr_pairs(struct arena scratch, const struct autocorr_series *differences)
{
    size_t n = differences->n;
    double lag1 = autocorr_lag1(differences->values, n);
    bool is_chance = lag1 <= fmax(0.2, 2.6 / sqrt((double)n));
    if (n < AUTOCORR_PAIRS_LEAST || is_chance) return 1;
    const struct autocorr_series ranks = ranks_of(&scratch, differences);
    return autocorr_inflation(&ranks, 1);
}
