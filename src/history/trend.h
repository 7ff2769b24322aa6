/* trend.h - a history of one metric: where its level changed, and how far the
 * detector can be trusted on this very history.
 *
 * Rates. What the found levels leave over is the noise of the series. Its
 * blocks are dealt out again (a random rotation, then blocks of about twice the
 * cube root of n in random order, so that memory within a block stays), which
 * gives series without any change: the share in which the detector sees one is
 * its false-alarm rate. With a step put into them, at a place between a fifth
 * and four fifths, the share in which no change within 3 points of it is found
 * is its miss rate for that size of step. Memory longer than a block is lost: of a level
 * that wanders by itself the false alarms are understated. */
#ifndef HISTORY_TREND_H
#define HISTORY_TREND_H

#include "base/error.h"
#include "model/metric.h"
#include "stats/change.h"
#include "stats/verdict.h"
#include "store/store.h"

enum { TREND_STEPS = 3, TREND_DEALS = 100, TREND_RATES_MIN_N = 20, TREND_RATES_MAX_N = 2000 };

struct trend_rates {
    size_t deals; /* series made for each rate; 0: not asked for, or n is out of bounds */
    size_t block;
    double false_alarms; /* share */
    double steps[TREND_STEPS];
    double missed[TREND_STEPS]; /* share, for a step of that size */
};

/* Rates of the detector that `options` describe on this series. The same seed
 * gives the same rates. */
struct trend_rates trend_rates(const double *values, size_t n,
                               const struct change_options *options, uint64_t seed,
                               struct arena scratch);

/* ---- the store's history ---- */

/* Called now and then while the history is read ("execution", `at` of `total`), then before
 * each series is analysed ("series"; how many there are is not known yet: total 0). */
typedef void trend_progress(void *context, const char *what, size_t at, size_t total);

enum trend_by { TREND_BY_RUN, TREND_BY_DAY, TREND_BY_WEEK };

struct trend_question {
    const char *metric;     /* NULL: each execution's primary metric */
    const char *experiment; /* NULL: all */
    const char *agent;      /* names */
    const char *benchmark;
    const char *label; /* a part of the cell's label */
    enum trend_by by;
    int64_t since_ns;
    struct change_options change;
    bool wants_rates;
    bool any_host;            /* runs of all hosts in one series */
    trend_progress *progress; /* may be NULL */
    void *progress_context;
};

struct trend_point {
    int64_t at_ns;      /* start of the run, the day or the week */
    double value;       /* the level of the units (view/units.h): of shares and sums the mean,
                           else the median; infinite where most were timed out */
    double low, high;   /* its 95 % interval; NaN: too few */
    size_t n;           /* units: cases, or trials where there are none */
    const char *run_id; /* of the newest run in it */
    const char *commit; /* NULL unknown */
};

/* Neither one step nor a straight line was found, yet values follow each other far more than
 * noise does: von Neumann's ratio (1941), the mean squared difference of neighbours over the
 * variance, is below TREND_MOVES_RATIO. It is near 2 of white noise and 1 of AR(1) .5 (none of
 * 4000 series of 20, 60 and 100 points were below), 0.4 of AR(1) .8 (0.3 to 1.4 %). */
#define TREND_MOVES_RATIO 0.2
enum { TREND_MOVES_MIN_N = 20 };
struct trend_moves {
    bool is_found;
    double from, to;  /* medians of the first and the last five points */
    double low, high; /* of all medians of five */
};

struct trend_series {
    const char *label;
    const char *experiment;
    const char *metric;
    const char *unit;
    enum direction direction;
    enum kind kind;             /* of the metric */
    const char *host;           /* NULL unknown, or all */
    struct trend_point *points; /* in order of commits, oldest first */
    size_t count;
    struct change_point *changes;
    size_t change_count;
    struct verdict_answer *verdicts; /* of each: the level after it against the one before */
    struct change_drift drift;
    struct trend_moves moves;
    size_t too_few; /* points that a change would take, if there are fewer; else 0 */
    struct trend_rates rates;
    /* What the points since the last change predict of the newest: 99 %. */
    double expected_low, expected_high;
    size_t unlike; /* older executions that measured it by another unit or definition */
};

struct trend {
    struct trend_question question;
    const struct trend_series *file; /* of plain values: the one series; else NULL */
    struct trend_series *series;     /* one for each cell that fits */
    size_t count;
    size_t left_out;   /* further cells that fit, beyond TREND_SERIES_MAX */
    size_t executions; /* of the agent and benchmark asked for */
    size_t fitting;    /* of these, by experiment and label too */
    size_t
        unfinished; /* of these, left out: what did not finish (execution_stands) is no point */
};
enum { TREND_SERIES_MAX = 20 };

MUST_USE bool trend_load(struct store *store, const struct trend_question *question,
                         struct arena *out, struct trend *trend, struct error *err);

/* The points of one cell in these executions, the newest of them first, of which nothing is
 * worked out: those on its host, from its source and of its definition that finished. */
struct trend_cell {
    const struct execution_record *const *executions;
    size_t count;
    const char *metric;
};
MUST_USE bool trend_of(struct store *store, const struct trend_cell *cell, struct arena *out,
                       struct trend_series *series, struct error *err);

/* Fills in all that follows from the points: changes, drift, rates where wanted, and
 * what is expected of the newest. */
void trend_analyse(struct trend_series *series, const struct trend_question *question,
                   struct arena *out);

/* What change i is, by the engine's verdict on the points of the two levels: "improvement"
 * (better), "degradation" (worse), or "change" where neither is better, or too few points
 * or too much memory leave the order open. */
const char *trend_kind(const struct trend_series *series, size_t i);

#endif
