/* change_evidence.h - can two stretches of a series be told apart, when its
 * points resemble their neighbours? */
#ifndef STATS_CHANGE_EVIDENCE_H
#define STATS_CHANGE_EVIDENCE_H

#include "stats/change_search.h"

/* What a point is worth, at most 1: of the sample size for a mean, and of the
 * degrees of freedom for a variance. */
struct change_memory {
    double share;
    double df_share;
};

/* Memory of what is left of y when each segment's median is taken out; the
 * segments begin at 0 and at each of the splits. */
struct change_memory change_memory_of(const double *y, size_t n, const size_t *splits,
                                      size_t count, struct arena scratch);

/* p of "both parts of the stretch are equal", the right one beginning at `at`: the
 * smallest of four tests, twice. */
double change_evidence_p(const struct change_stretch *stretch, size_t at,
                         struct change_memory memory, struct arena scratch);

/* Midranks of y[0..n) among themselves. */
double *change_midranks(const double *y, size_t n, struct arena *out);

#endif
