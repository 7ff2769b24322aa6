#include "stats/interval.h"

#include "stats/dist.h"

#include <math.h>

/* The smallest n with q^n and (1 - q)^n both at most tail: below it even the
 * extremes do not enclose the quantile often enough. */
static double smallest_n(double q, double tail)
{
    double worse = q > 0.5 ? q : 1 - q;
    return ceil(log(tail) / log(worse));
}

/* The largest k >= 0 with P(Binomial(n, q) < k) <= tail. R's quantile is the
 * smallest x with P(X <= x) >= p, so it is at most one off when P meets the
 * tail exactly. */
static double largest_rank_below(double n, double q, double tail)
{
    double k = dist_binomial_quantile(tail, n, q);
    while (k > 0 && dist_binomial_cdf(k - 1, n, q) > tail) k--;
    while (k < n && dist_binomial_cdf(k, n, q) <= tail) k++;
    return k;
}

bool interval_quantile(const double *sorted, size_t n, double q, double confidence,
                       struct interval *out, struct error *err)
{
    CHECK(q > 0 && q < 1 && confidence > 0 && confidence < 1);
    double tail = (1 - confidence) / 2;
    double size = (double)n;
    double low = largest_rank_below(size, q, tail);
    /* The upper rank is the lower rank of the mirrored sample. */
    double high = size + 1 - largest_rank_below(size, 1 - q, tail);
    if (low < 1 || high > size) {
        return error_set(
            err, ERROR_INVALID,
            "no %g %% interval of the %g quantile exists for %zu values; it needs at least %g",
            confidence * 100, q, n, smallest_n(q, tail));
    }
    out->low = sorted[(size_t)low - 1];
    out->high = sorted[(size_t)high - 1];
    out->confidence =
        dist_binomial_cdf(high - 1, size, q) - dist_binomial_cdf(low - 1, size, q);
    return true;
}

bool interval_median(const double *sorted, size_t n, double confidence, struct interval *out)
{
    return interval_quantile(sorted, n, 0.5, confidence, out, NULL);
}
