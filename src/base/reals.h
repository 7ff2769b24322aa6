/* reals.h - a growing array of numbers, for series that are still coming in. */
#ifndef BASE_REALS_H
#define BASE_REALS_H

#include "base/invariant.h"

struct reals {
    double *items;
    size_t count;
    size_t capacity;
};

void reals_push(struct reals *r, double value);
void reals_release(struct reals *r);

#endif
