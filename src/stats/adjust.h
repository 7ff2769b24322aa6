/* adjust.h - p values of several questions asked at once, as R's p.adjust.
 *
 * Holm (1979) keeps the chance of any false finding at alpha; Benjamini and
 * Hochberg (1995) keeps the share of false findings at alpha, Benjamini and
 * Yekutieli (2001) even under any dependence. Gates use Holm, reports BH. NaN
 * (a question without answer) stays NaN and is not counted. */
#ifndef STATS_ADJUST_H
#define STATS_ADJUST_H

#include "base/arena.h"

enum adjust_method { ADJUST_HOLM, ADJUST_BH, ADJUST_BY };

/* `adjusted` may be `p` itself; the order is kept. */
void adjust_p(struct arena scratch, enum adjust_method method, const double *p, size_t n,
              double *adjusted);

#endif
