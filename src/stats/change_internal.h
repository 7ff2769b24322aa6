/* change_internal.h - what the detectors share. Values are finite, n >= 2, and
 * options have their defaults filled in. Each detector writes its points in
 * ascending order (there is room for n) and returns their number. */
#ifndef STATS_CHANGE_INTERNAL_H
#define STATS_CHANGE_INTERNAL_H

#include "stats/change.h"

struct change_series {
    const double *values;
    size_t n;
    struct change_options options;
};

size_t change_find_assay(const struct change_series *series, struct arena scratch,
                         struct change_point *points);
size_t change_find_otava(const struct change_series *series, struct arena scratch,
                         struct change_point *points);
size_t change_find_potts(const struct change_series *series, struct arena scratch,
                         struct change_point *points);

double change_relative(double before, double after);

#endif
