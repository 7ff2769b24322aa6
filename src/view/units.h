/* units.h - what counts as one piece of evidence.
 *
 * Without cases each trial is one. With cases (suites) repeats of a case are
 * not new evidence: a unit is a case, and stats/reduce.h makes its value of the
 * passes: of shares (accuracy, trials that failed or passed) by the benchmark's
 * `reducer`, the mean unless it says otherwise; of all else the median.
 *
 * A trial that gave no answer counts as accuracy 0: an agent that fails on the hard
 * cases does not become more accurate by it. A trial that was timed out has a
 * duration beyond all that were seen: infinity. What we failed at counts for nobody. */
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

#define UNITS_FAILURES  "failure_rate" /* metrics that every cell has */
#define UNITS_SUCCESSES "success_rate"

/* 1 for each trial that failed (or did not), NaN where we did: a share. */
struct view_metric units_failures(const struct view_cell *cell, struct arena *out);
struct view_metric units_successes(const struct view_cell *cell, struct arena *out);

/* The level of units at 1 - alpha: the mean of shares (stats/share.h), else the median.
 * NaN ends where so few values have no interval. */
struct units_level {
    double centre;
    double low;
    double high;
    size_t n;
};
struct units_level units_level(const struct units *u, enum kind kind, double alpha,
                               struct arena scratch);

/* The values of both that belong together, a[i] with b[i]: the same case, or the
 * same trial. False if one has cases and the other has none. */
bool units_pair(const struct units *a, const struct units *b, struct arena *out,
                struct units paired[2]);

#endif
