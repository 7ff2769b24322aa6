/* drift.h - does the level of a series move, and by how much?
 *
 * Significance by Mann-Kendall with its variance widened by (1 + rho) /
 * (1 - rho), rho being the lag-1 autocorrelation of what a straight line leaves
 * over: independent noise costs nothing, AR(1) noise does not pass for drift,
 * and a pure drift cannot excuse itself as autocorrelation. The effect is the
 * median of the last third against that of the first. Whoever warns should ask
 * for both: in a long series 0.1 % is significant too. */
#ifndef STATS_DRIFT_H
#define STATS_DRIFT_H

#include "base/arena.h"

enum { DRIFT_MIN_N = 8 }; /* below, the answer is {0, 1, 0} */

struct drift {
    double tau;
    double p;
    double relative; /* last third over first third, less 1; infinite from 0 */
};

/* Finite values in time order. */
struct drift drift_of(struct arena scratch, const double *series, size_t n);

#endif
