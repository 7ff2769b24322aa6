/* units.h - what counts as one piece of evidence.
 *
 * Without cases each trial is one. With cases (suites) repeats of a case are
 * not new evidence: a unit is a case, and stats/reduce.h makes its value of the
 * passes: of shares (accuracy, trials that failed or passed) by the benchmark's
 * `reducer`, the mean unless it says otherwise; of all else the median.
 *
 * A trial that gave no answer counts as accuracy 0: an agent that fails on the hard
 * cases does not become more accurate by it. A trial that was timed out has a
 * duration that nobody knows, infinity, which is at least `cut_at`.
 *
 * What we failed at (a harness error: the check did not run) has an outcome that nobody
 * knows, and what it used says nothing of the agent. It has no value in any metric, and where
 * the metric is an outcome (accuracy, whether the trial failed) `ends` say what it may have
 * been: 0 to 1. Whoever judges asks both ways (stats/hull.h), so that an unjudged answer
 * passes nothing.
 *
 * A trial that succeeded without saying what it cost (or used of tokens or calls), where others
 * of its cell do, is silent: it may have cost anything. It has no value, and nothing that depends
 * on one passes.
 *
 * A block of load that the generator spoiled says nothing about the server's times and rates:
 * these have no value. */
#ifndef VIEW_UNITS_H
#define VIEW_UNITS_H

#include "view/view.h"

struct units {
    double *values;    /* NaN where a trial gave none */
    const char **keys; /* hash of each case; NULL: units are trials */
    size_t count;
    double *ends[2]; /* lowest and highest that each may be; NULL: all are known */
    size_t unknown;  /* units of which they differ */
    bool *is_silent; /* a trial of the unit is, so that its value is not all; NULL: none is */
    bool is_graded;  /* shares: a trial has a value between 0 and 1, more than right or wrong */
    double cut_at;   /* the shortest time after which one was timed out; 0: not known */
    struct metric of; /* what they are values of; without a name: nobody said */
};

/* The trials of a cell by case. All its metrics share it: view_centre leaves it in the cell. */
struct units_order {
    const struct trial_note *notes; /* that it was made of */
    size_t note_count;
    size_t trial_count;
    const char **keys;    /* each case once, ascending; NULL: not every trial has a case */
    size_t count;         /* of keys */
    const size_t *trials; /* case by case */
    const size_t *first;  /* of each case in `trials`; after the last one: trial_count */
};
const struct units_order *units_order(const struct view_cell *cell, size_t trial_count,
                                      struct arena *out);

struct units units_of(const struct view_cell *cell, const struct view_metric *metric,
                      struct arena *out);

/* Blocks of a load that its generator spoiled; of any other cell 0. */
size_t units_spoiled(const struct view_cell *cell);
/* The trial is one, and the metric a time or a rate. */
bool units_is_spoiled(const struct view_cell *cell, const struct view_metric *metric,
                      size_t trial);

/* The trial succeeded without a value of what an agent reports of each trial itself: its cost,
 * tokens and calls. What only some trials have by nature (the time to the first token of a
 * stream, the cost of a judge) is not owed. */
bool units_is_silent(const struct view_cell *cell, const struct view_metric *metric,
                     size_t trial);

/* Nothing is known of the metric: no trial gave a value, and none has one by failing. */
bool units_are_empty(const struct view_cell *cell, const struct view_metric *metric,
                     struct arena scratch);

#define UNITS_FAILURES  "failure_rate" /* metrics that every cell has */
#define UNITS_SUCCESSES "success_rate"

/* 1 for each trial that failed (or did not), NaN where we did: a share. */
struct view_metric units_failures(const struct view_cell *cell, struct arena *out);
struct view_metric units_successes(const struct view_cell *cell, struct arena *out);

/* The metric of that name: the cell's own, else one that every cell has, with its centre. NULL:
 * the cell does not have it. */
const struct view_metric *units_find_metric(const struct view_cell *cell, const char *name,
                                            struct arena *out);
/* units_find_metric gives one that every cell has. */
bool units_is_rate(const struct view_cell *cell, const char *name);

/* The level of units at 1 - alpha: the mean of shares (stats/share.h), else the median.
 * NaN ends where so few values have no interval. `n`, `centre`: of what is known; the
 * interval is that of all, whatever the unknown ones are. */
struct units_level {
    double centre;
    double low;
    double high;
    double confidence; /* of the interval */
    size_t n;
    size_t unknown, asked;
    size_t missing, trials; /* trials without a value, of all (units_bound) */
    size_t silent;          /* of the missing ones, those that succeeded */
    double ends[2]; /* the centre, had they given the least, or the most (units_bound) */
};
struct units_level units_level(const struct units *u, enum kind kind, double alpha,
                               struct arena scratch);

/* What decides whether a level is beyond a limit: the interval, and where so few values have
 * none, the smallest and the largest of them (a time-out is beyond all). NaN only without
 * values. */
struct units_level units_reach(const struct units *u, enum kind kind, double alpha,
                               struct arena scratch);

/* Trials that failed and of which the metric has no value, and silent ones. Of an outcome
 * (accuracy, whether the trial failed) there is none: what failed has one. */
struct units_missing {
    size_t failed;
    size_t silent;
};
struct units_missing units_missing(const struct view_cell *cell,
                                   const struct view_metric *metric);

/* As units_reach, whatever the missing trials would have given: anything, of a share 0 to 1,
 * of a ratio and of costs nothing below 0.
 * An agent or command that fails, or is silent, where it would be beyond the limit does not
 * pass it. */
struct units_level units_bound(const struct view_cell *cell, const struct view_metric *metric,
                               double alpha, struct arena scratch);

/* The mean of such levels of several cells, which weigh the same: of shares one stratified
 * sample, else by MOVER (stats/family.h). If all levels kept within a limit, so would their
 * mean: beyond it at 1 - alpha, it says that some cell is, where each has too few values to
 * say so itself. Left out are cells without values, without an interval of that confidence,
 * and of another definition than the first. n 0: fewer than two are left. */
struct units_level units_bound_mean(const struct view_cell *const *cells,
                                    const struct view_metric *const *metrics, size_t count,
                                    double alpha, struct arena scratch, size_t *used);

/* What makes the values of one another thing than those of the other: unit, definition or
 * direction. */
enum metric_unlike units_unlike(const struct units *a, const struct units *b);

/* The values of both that belong together, a[i] with b[i]: the same case, or the
 * same trial. False if one has cases and the other has none, or if they are unlike:
 * `paired` then has no values, and says of what it would have had them. */
bool units_pair(const struct units *a, const struct units *b, struct arena *out,
                struct units paired[2]);

#endif
