/* reduce.h - several passes of one case into the case's value.
 *
 * Repeats of a case are not new evidence, so that a case counts once. What it
 * counts as is decided here and nowhere else: scores, the units of comparisons
 * and the cases of a head-to-head all call reduce_passes, and agree. */
#ifndef STATS_REDUCE_H
#define STATS_REDUCE_H

#include "base/invariant.h"

enum reducer {
    REDUCER_MEAN,   /* right in 3 of 5 passes is 0.6 */
    REDUCER_MEDIAN, /* right in 3 of 5 passes is 1 */
    REDUCER_ALL,    /* the worst pass: right in 4 of 5 is 0 */
    REDUCER_COUNT
};

extern const char *const reducer_names[]; /* by enum, then NULL */

/* By name; REDUCER_MEAN where it is unknown or NULL. */
enum reducer reducer_find(const char *name);

/* Of those among `values` that are not NaN, which are put in order; NaN without any.
 * `reducer` is what the benchmark says of shares (accuracy and the like, 0 to 1,
 * more is better). Other quantities (times, tokens) have the median. */
double reduce_passes(enum reducer reducer, bool is_share, double *values, size_t n);

#endif
