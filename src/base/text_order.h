/* text_order.h - the order of many texts.
 *
 * qsort calls strcmp through a pointer for every comparison; most pairs of texts
 * (hashes, names) differ in their first eight bytes, which fit in a number. */
#ifndef BASE_TEXT_ORDER_H
#define BASE_TEXT_ORDER_H

#include "base/arena.h"

/* Indices into `texts`, ascending as strcmp has it; equal texts stay in the order in which
 * they were given. The result is in `out`. */
size_t *text_order(const char *const *texts, size_t count, struct arena *out);

#endif
