#include "stats/proportion.h"

#include "stats/dist.h"

#include <float.h>
#include <math.h>

struct proportion proportion_wilson(int64_t hits, int64_t n, double confidence)
{
    CHECK(hits >= 0 && hits <= n);
    if (n == 0) return (struct proportion){(double)NAN, (double)NAN, (double)NAN};
    double size = (double)n;
    double p = (double)hits / size;
    double z = dist_normal_quantile(0.5 + confidence / 2);
    double scale = 1 + z * z / size;
    double centre = (p + z * z / (2 * size)) / scale;
    double half = z * sqrt(p * (1 - p) / size + z * z / (4 * size * size)) / scale;
    /* At the ends the formula is exact but for rounding. */
    double low = hits == 0 ? 0 : fmax(0, centre - half);
    double high = hits == n ? 1 : fmin(1, centre + half);
    return (struct proportion){p, low, high};
}

struct proportion proportion_exact(double hits, double n, double confidence)
{
    CHECK(hits >= 0 && hits <= n);
    if (n <= 0) return (struct proportion){(double)NAN, (double)NAN, (double)NAN};
    double tail = (1 - confidence) / 2;
    double low = hits <= 0 ? 0 : dist_beta_quantile(tail, hits, n - hits + 1);
    double high = hits >= n ? 1 : dist_beta_quantile(1 - tail, hits + 1, n - hits);
    return (struct proportion){hits / n, low, high};
}

struct proportion proportion_of_shares(const double *values, size_t n, double confidence)
{
    double mean = 0;
    double squares = 0;
    bool is_binary = true;
    for (size_t i = 0; i < n; i++) {
        double step = values[i] - mean;
        mean += step / (double)(i + 1);
        squares += step * (values[i] - mean);
        is_binary = is_binary && (values[i] == 0 || values[i] == 1);
    }
    double size = (double)n;
    if (is_binary) return proportion_exact(round(mean * size), size, confidence);
    mean = fmin(fmax(mean, 0), 1);
    double variance = n > 1 ? squares / (size - 1) / size : 0; /* of the mean */
    if (variance > DBL_EPSILON * mean * (1 - mean)) {
        double t = dist_t_quantile(0.5 + confidence / 2, size - 1);
        double z = dist_normal_quantile(0.5 + confidence / 2);
        size = mean * (1 - mean) / variance * (z / t) * (z / t);
    }
    struct proportion p = proportion_exact(mean * size, size, confidence);
    p.estimate = mean;
    return p;
}

double proportion_mcnemar(int64_t b, int64_t c)
{
    double fewer = (double)(b < c ? b : c);
    return fmin(1, 2 * dist_binomial_cdf(fewer, (double)(b + c), 0.5));
}

/* C(a, k) / C(n, k) = prod (a - i) / (n - i), i < k. */
static double choose_ratio(int64_t a, int64_t n, int64_t k)
{
    double ratio = 1;
    for (int64_t i = 0; i < k && ratio > 0; i++) ratio *= (double)(a - i) / (double)(n - i);
    return fmax(0, ratio);
}

static bool is_sane(int64_t n, int64_t c, int64_t k)
{
    return k >= 1 && k <= n && c >= 0 && c <= n;
}

double proportion_pass_at_k(int64_t n, int64_t c, int64_t k)
{
    return is_sane(n, c, k) ? 1 - choose_ratio(n - c, n, k) : (double)NAN;
}

double proportion_pass_all_k(int64_t n, int64_t c, int64_t k)
{
    return is_sane(n, c, k) ? choose_ratio(c, n, k) : (double)NAN;
}

double proportion_upper_if_none(int64_t n, double confidence)
{
    return n > 0 ? 1 - pow(1 - confidence, 1 / (double)n) : 1;
}
