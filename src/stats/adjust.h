/* adjust.h - p values of several questions asked at once, as R's p.adjust.
 *
 * Holm (1979) keeps the chance of any false finding at alpha. NaN (a question without
 * answer) stays NaN and is not counted. */
#ifndef STATS_ADJUST_H
#define STATS_ADJUST_H

#include "base/arena.h"

/* `adjusted` may be `p` itself; the order is kept. */
void adjust_holm(struct arena scratch, const double *p, size_t n, double *adjusted);

#endif
