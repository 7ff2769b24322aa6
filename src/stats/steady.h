/* steady.h - where warm-up ends.
 *
 * MSER-5 (White 1997; White, Cobb and Spratt 2000): the series is cut where the
 * standard error of the mean of the rest is smallest, on means of 5 values so
 * that single spikes do not decide. MSER alone calls a slow drift steady, so
 * the rest is then tested for a trend (Mann-Kendall, widened for autocorrelated
 * noise) and the cut moves on while there is one. If more than half of the
 * series would have to go, it never became steady.
 *
 * On noise alone at least 95 % of series are steady (measured in the test). It
 * needs independent or AR(1)-like noise and, to see a ramp, a rise over the
 * series of at least 1 % of the level that also shows above the noise. */
#ifndef STATS_STEADY_H
#define STATS_STEADY_H

#include "base/arena.h"

enum { STEADY_MIN_N = 10 };

struct steady {
    bool is_steady; /* false too below STEADY_MIN_N values */
    size_t at;      /* first value of the steady part; n if not steady */
};

/* In time order. A NaN counts as the value before it. */
struct steady steady_find(struct arena scratch, const double *series, size_t n);

#endif
