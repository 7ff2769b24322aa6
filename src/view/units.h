/* units.h - what counts as one piece of evidence.
 *
 * Without cases each trial is one. With cases (suites) repeats of a case are
 * not new evidence: a unit is a case, and stats/reduce.h makes its value of the
 * passes: of shares (accuracy, trials that failed or passed) by the benchmark's
 * `reducer`, the mean unless it says otherwise; of all else the median. */
#ifndef VIEW_UNITS_H
#define VIEW_UNITS_H

#include "view/view.h"

struct units {
    double *values;    /* NaN where a trial gave none */
    const char **keys; /* hash of each case; NULL: units are trials */
    size_t count;
};

struct units units_of(const struct view_cell *cell, const struct view_metric *metric,
                      struct arena *out);

/* The values of both that belong together, a[i] with b[i]: the same case, or the
 * same trial. False if one has cases and the other has none. */
bool units_pair(const struct units *a, const struct units *b, struct arena *out,
                struct units paired[2]);

#endif
