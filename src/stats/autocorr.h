/* autocorr.h - how much a series repeats itself, and what that costs.
 *
 * Values that follow each other closely tell the same thing twice. Under AR(1)
 * with coefficient rho the mean of n values knows as much as n (1 - rho) /
 * (1 + rho) independent ones (Bayley and Hammersley 1946). */
#ifndef STATS_AUTOCORR_H
#define STATS_AUTOCORR_H

#include "base/check.h"

/* Lag-1 autocorrelation: sum (x_t - mean)(x_t+1 - mean) / sum (x_t - mean)^2.
 * 0 for fewer than 3 values or a constant series. Biased towards 0 by about
 * (1 + 3 rho) / n, see autocorr_unbiased. */
double autocorr_lag1(const double *series, size_t n);

/* lag1 with that bias added back (Kendall 1954), limited to [-0.99, 0.99]. */
double autocorr_unbiased(double lag1, size_t n);

/* n (1 - rho) / (1 + rho), rho limited to [0, 0.99]: never more than n, never
 * less than 1 (0 for none). Negative correlation earns no bonus. */
double autocorr_effective_n(double rho, size_t n);

#endif
