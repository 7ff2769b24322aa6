/* change_internal.h - what the detectors share. Values are finite, n >= 2, and
 * options have their defaults filled in. Each detector writes its points in
 * ascending order (there is room for n) and their number. */
#ifndef STATS_CHANGE_INTERNAL_H
#define STATS_CHANGE_INTERNAL_H

#include "stats/change.h"

struct change_series {
    const double *values;
    size_t n;
    bool is_ratio; /* all values are positive: changes are ratios */
    struct change_options options;
};

void change_find_assay(const struct change_series *series, struct arena scratch,
                       struct change_found *found);
void change_find_otava(const struct change_series *series, struct arena scratch,
                       struct change_found *found);
void change_find_potts(const struct change_series *series, struct arena scratch,
                       struct change_found *found);

double change_relative(double before, double after);

#endif
