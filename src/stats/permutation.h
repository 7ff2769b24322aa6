/* permutation.h - is the difference of two means more than chance dealt?
 *
 * Under the null hypothesis every split of the pooled values into m and n is as
 * likely. p is the share of splits whose difference of means is at least as far
 * from 0 as the one observed (Fisher 1935; Pitman 1937): all C(N, m) of them up
 * to PERMUTATION_EXACT_MAX, else a seeded random sample, where p = (1 + hits) /
 * (1 + draws) can never be 0 (Phipson and Smyth 2010). On midranks it is the
 * rank-sum test with ties done right. It supposes exchangeable values: not for
 * autocorrelated series. */
#ifndef STATS_PERMUTATION_H
#define STATS_PERMUTATION_H

#include "base/arena.h"

enum { PERMUTATION_EXACT_MAX = 200000 };

struct permutation {
    double p;       /* two-sided; 1 when a side is empty */
    int64_t splits; /* looked at */
    bool is_exact;
};

/* Finite input. `draws` and `seed` serve the random sample. */
struct permutation permutation_test(struct arena scratch, const double *x, size_t m,
                                    const double *y, size_t n, int64_t draws, uint64_t seed);

/* Of paired differences: under the null hypothesis the sign of each is as likely
 * the other one. All 2^k sign patterns of the k that are not 0 up to
 * PERMUTATION_EXACT_MAX, else a sample. It tests the mean, as the signed rank
 * test does not; for differences of one size it is McNemar's test. */
struct permutation permutation_signs(const double *differences, size_t n, int64_t draws,
                                     uint64_t seed);

#endif
