/* proportion.h - shares: how many passed, and what that shows.
 *
 * Wilson's interval (1927) and the exact one (Clopper and Pearson 1934) for one
 * share, Newcombe's hybrid (1998, method 10)
 * for the difference of two, McNemar's exact test for pairs, and the unbiased
 * pass@k and pass^k of n attempts with c successes. Means of pass@k over tasks
 * get their interval by resampling tasks. */
#ifndef STATS_PROPORTION_H
#define STATS_PROPORTION_H

#include "base/invariant.h"

struct proportion {
    double estimate; /* NaN for no attempts; low and high too */
    double low;
    double high;
};

/* 0 <= hits <= n. */
struct proportion proportion_wilson(int64_t hits, int64_t n, double confidence);

/* Covers at least as often as it says, at any rate and n; Wilson's misses a rate
 * of 0.99 in one of ten samples of 10. `hits` of `n` may be fractions: the mean of
 * shares by case, over as many cases as its spread is worth (Korn and Graubard
 * 1998). */
struct proportion proportion_exact(double hits, double n, double confidence);

/* Of the mean of `n` values from 0 to 1, one per case. Where all are 0 or 1, or
 * equal, the exact interval of n; else n is replaced by p (1 - p) / se^2, less for
 * the degrees of freedom of se. */
struct proportion proportion_of_shares(const double *values, size_t n, double confidence);

/* Two-sided exact p of b pairs flipped one way and c the other; 1 for none. */
double proportion_mcnemar(int64_t b, int64_t c);

/* P(at least one of k attempts passes) = 1 - C(n-c, k) / C(n, k), and P(all k
 * pass) = C(c, k) / C(n, k), for k <= n; NaN otherwise. (c/n)^k is biased. */
double proportion_pass_at_k(int64_t n, int64_t c, int64_t k);
double proportion_pass_all_k(int64_t n, int64_t c, int64_t k);

/* With no success in n attempts the rate is below this: 1 - alpha^(1/n). */
double proportion_upper_if_none(int64_t n, double confidence);

#endif
