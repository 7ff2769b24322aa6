/* hodges.h - by how much one sample is larger: Hodges and Lehmann (1963).
 *
 * The shift is the median of all m n differences x_i - y_j; the centre of one
 * sample (or of paired differences) is the median of all (x_i + x_j) / 2, i <=
 * j. Their intervals are order statistics of the same differences or averages,
 * found from the null distribution of U or V, so they hold for any shape of
 * noise that both samples share, and err on the safe side with ties.
 *
 * The rank k is exact, as R's wilcox.test(exact = TRUE, conf.int = TRUE) has
 * it: k = #{u : P(U <= u) < alpha / 2}, the interval [d_(k), d_(mn+1-k)]; k = 0
 * means that no interval exists. Where counting would cost more than
 * HODGES_EXACT_COST steps (about 125 against 125), P is the normal one with
 * continuity correction and the Edgeworth term of the kurtosis (Fix and Hodges
 * 1955; Fellingham and Stoker 1964), within 1e-6 there.
 *
 * Differences are not all made: the k-th is found by bisection over the doubles,
 * each step counting pairs in one walk over both sorted samples, until so few are
 * left that they can be sorted. Some 20 walks of m + n steps, at most 128.
 * Input must be finite. */
#ifndef STATS_HODGES_H
#define STATS_HODGES_H

#include "base/arena.h"

enum { HODGES_EXACT_COST = 2000000 };

struct hodges {
    double estimate; /* NaN if there are no values */
    double low;      /* NaN without interval */
    double high;
    bool has_interval;
    bool is_exact;
};

struct hodges hodges_shift(struct arena scratch, const double *x, size_t m, const double *y,
                           size_t n, double alpha);

/* Of one sample. */
struct hodges hodges_centre(struct arena scratch, const double *x, size_t n, double alpha);

#endif
