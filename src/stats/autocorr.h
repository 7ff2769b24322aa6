/* autocorr.h - how much a series repeats itself, and what that costs.
 *
 * Values that follow each other closely carry the same information twice. Under AR(1)
 * with coefficient rho the mean of n values knows as much as n (1 - rho) /
 * (1 + rho) independent ones (Bayley and Hammersley 1946). */
#ifndef STATS_AUTOCORR_H
#define STATS_AUTOCORR_H

#include "base/arena.h"

/* Lag-1 autocorrelation: sum (x_t - mean)(x_t+1 - mean) / sum (x_t - mean)^2.
 * 0 for fewer than 3 values or a constant series. Biased towards 0 by about
 * (1 + 3 rho) / n, see autocorr_unbiased. */
double autocorr_lag1(const double *series, size_t n);

/* lag1 with that bias added back (Kendall 1954), limited to [-0.99, 0.99]. */
double autocorr_unbiased(double lag1, size_t n);

/* How many times more a mean varies than independence would have it: 1 + 2 sum
 * rho_k, at least 1. The autocorrelations are pooled over `count` series of the
 * same process (two arms of one experiment), freed of the bias that subtracting
 * the mean brings, and summed while Geyer's (1992) initial monotone sequence
 * lasts, so memory longer than lag 1 counts: AR(1) under white noise, states
 * that last, AR(2). Limited to half of all values. */
struct autocorr_series {
    const double *values;
    size_t n;
};
double autocorr_inflation(const struct autocorr_series *series, size_t count);

/* How many times more the mean of an arm varies than independence would have it, for
 * two unpaired arms in order of time, on the scale that is compared. Few values
 * cannot distinguish memory from chance: the correction begins where the pooled lag-1
 * correlation is some standard errors above 0, and grows with it. From
 * AUTOCORR_LONG_LEAST values on, memory of longer reach counts as well, where ranks
 * show it beyond chance. */
enum { AUTOCORR_LONG_LEAST = 16, AUTOCORR_PAIRS_LEAST = 10 };
double autocorr_arms(struct arena scratch, const struct autocorr_series arms[2]);

/* The same of paired differences, which interleaving has freed of most memory: only
 * what is beyond chance (2.6 standard errors) counts. */
double autocorr_pairs(struct arena scratch, const struct autocorr_series *differences);

#endif
