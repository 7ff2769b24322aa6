/* proportion.h - shares: how many passed, and what that tells.
 *
 * Wilson's interval (1927) for one share, Newcombe's hybrid (1998, method 10)
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

/* p1 - p2 of independent samples. */
struct proportion proportion_newcombe(int64_t hits1, int64_t n1, int64_t hits2, int64_t n2,
                                      double confidence);

/* Two-sided exact p of b pairs flipped one way and c the other; 1 for none. */
double proportion_mcnemar(int64_t b, int64_t c);

/* P(at least one of k attempts passes) = 1 - C(n-c, k) / C(n, k), and P(all k
 * pass) = C(c, k) / C(n, k), for k <= n; NaN otherwise. (c/n)^k is biased. */
double proportion_pass_at_k(int64_t n, int64_t c, int64_t k);
double proportion_pass_all_k(int64_t n, int64_t c, int64_t k);

/* With no success in n attempts the rate is below this: 1 - alpha^(1/n). */
double proportion_upper_if_none(int64_t n, double confidence);

#endif
