/* kind.h - what kind of number a metric gives, and so how two sets of it compare.
 *
 *   ratio   positive magnitudes (times, sizes): B is 1.08 times A
 *   share   0 to 1 for each unit (right or wrong, failed or not, a score): B is 3
 *           points above A, by the means
 *   sum     amounts that add up (money): B costs 1.08 times what A does, by the means,
 *           however few values make up most of it
 *   shift   any other number: B is 3 above A
 *
 * The kind is part of a metric's definition, and is stored with its values. Only values that
 * nobody defined (a file of numbers, another tool's column) have theirs guessed, once. */
#ifndef BASE_KIND_H
#define BASE_KIND_H

#include "base/invariant.h"

enum kind {
    KIND_RATIO,
    KIND_SHARE,
    KIND_SHIFT,
    KIND_SUM,
    KIND_UNSAID, /* nobody said: a row that is older than its column, a foreign column */
    KIND_COUNT = KIND_UNSAID
};

const char *kind_name(enum kind kind);  /* "ratio", "share", "shift", "sum"; NULL = unsaid */
enum kind kind_parse(const char *name); /* unsaid if there is no such kind; NULL may be given */

/* Of a setting: "auto", then by enum kind. NULL-terminated. */
extern const char *const kind_choices[];

/* Of two sets of values nobody defined: shares if all are 0 or 1, ratios if all are
 * above 0, else shifts. NaN is passed over. Either may be empty. */
enum kind kind_guess(const double *a, size_t a_count, const double *b, size_t b_count);

/* Of values of both kinds together. Where they differ, one was guessed from too few: a shift if
 * either is one, else a ratio, of which the engine takes the shift where there is a 0. */
enum kind kind_common(enum kind a, enum kind b);

#endif
