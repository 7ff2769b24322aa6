/* change_slope.h - how steeply does a series rise between its steps? */
#ifndef STATS_CHANGE_SLOPE_H
#define STATS_CHANGE_SLOPE_H

#include "base/arena.h"

struct change_slope {
    double estimate; /* per point */
    double low;      /* 95 % interval */
    double high;
    double p; /* of "it is flat" */
};

/* Of y[0..n), whose levels begin at 0 and at each of the splits. A point is worth
 * `share` independent ones. */
struct change_slope change_slope_of(const double *y, size_t n, const size_t *splits,
                                    size_t count, double share, struct arena scratch);

#endif
