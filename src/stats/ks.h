/* ks.h - do two samples come from one distribution? Kolmogorov and Smirnov.
 *
 * D is the largest distance between the two empirical distribution functions:
 * it sees changes of spread and shape that rank sums miss. As R 4.2's ks.test:
 * for m n < 10000 the exact probability given the pooled ties (Schroeer and
 * Trenkler 1995), by counting lattice paths in O(m n); else Kolmogorov's limit,
 * with R's truncation of the series (off by up to 3e-5 where D sqrt(mn/(m+n))
 * is between 0.7 and 1). Two-sided. Input without NaN. */
#ifndef STATS_KS_H
#define STATS_KS_H

#include "base/arena.h"

enum { KS_EXACT_BELOW = 10000 };

struct ks {
    double d;
    double p; /* 1 when a side is empty */
    bool is_exact;
};

struct ks ks_test(struct arena scratch, const double *x, size_t m, const double *y, size_t n);

#endif
