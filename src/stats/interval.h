/* interval.h - where a quantile of the population lies, whatever its shape.
 *
 * The number of sample values below the q-quantile is Binomial(n, q), so two
 * order statistics enclose it with a known probability and no assumption but
 * independence (Thompson 1936; Conover 1999, 3.2). Steps of the binomial make
 * the real confidence at least the one asked for; it is given too. */
#ifndef STATS_INTERVAL_H
#define STATS_INTERVAL_H

#include "base/error.h"

struct interval {
    double low;
    double high;
    double confidence; /* what the pair really has: at least what was asked */
};

/* `sorted` ascending without NaN, 0 < q < 1, 0 < confidence < 1. Fails with
 * ERROR_INVALID and the n that would do when the sample is too small for any
 * pair (the median at 95 % needs 6 values). */
MUST_USE bool interval_quantile(const double *sorted, size_t n, double q, double confidence,
                                struct interval *out, struct error *err);
MUST_USE bool interval_median(const double *sorted, size_t n, double confidence,
                              struct interval *out);

#endif
