/* kendall.h - does a series rise or fall? Mann (1945) and Kendall.
 *
 * S counts the pairs that rise minus those that fall; its normal approximation
 * has Kendall's correction for ties. It needs no shape of noise, only
 * independence: `inflation` widens the variance where that fails (Bayley and
 * Hammersley's (1 + rho) / (1 - rho) serves for AR(1) noise; 1 for none).
 * O(n log n). */
#ifndef STATS_KENDALL_H
#define STATS_KENDALL_H

#include "base/arena.h"

struct kendall {
    double s;
    double tau; /* S over the pairs that are not tied: -1 falls, 1 rises; 0 if all tied */
    double p;   /* two-sided, with continuity correction; 1 below 4 values */
};

struct kendall kendall_trend(struct arena scratch, const double *series, size_t n,
                             double inflation);

#endif
