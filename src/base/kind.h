/* kind.h - what kind of number a metric gives, and so how two sets of it compare.
 *
 *   ratio   positive magnitudes (times, sizes): B is 1.08 times A
 *   share   0 to 1 for each unit (right or wrong, failed or not, a score): B is 3
 *           points above A, by the means
 *   sum     amounts that add up (money): B costs 1.08 times what A does, by the means,
 *           however few values make up most of it
 *   shift   any other number: B is 3 above A
 *
 * The kind is part of a metric's definition. Only values that nobody defined (a
 * file of numbers, another tool's column) have theirs guessed from what they are. */
#ifndef BASE_KIND_H
#define BASE_KIND_H

#include "base/invariant.h"

enum kind { KIND_RATIO, KIND_SHARE, KIND_SHIFT, KIND_SUM, KIND_COUNT };

const char *kind_name(enum kind kind); /* "ratio", "share", "shift", "sum" */

/* Of two sets of values nobody defined: shares if all are 0 or 1, ratios if all are
 * above 0, else shifts. NaN is passed over. Either may be empty. */
enum kind kind_guess(const double *a, size_t a_count, const double *b, size_t b_count);

#endif
