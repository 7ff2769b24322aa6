/* view.h - one run as people want to see it, computed from stored samples.
 *
 * view_load asks the store for a run and works out everything that reports
 * show: summaries, intervals, shape warnings, effects of swept parameters. No
 * reporter computes anything; each number here can be recomputed from the
 * other samples. */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "base/value.h"
#include "model/record.h"
#include "stats/verdict.h"
#include "store/store.h"
#include "view/suite_view.h"

struct claims;
struct units_order;

struct view_metric {
    const char *name;
    const char *unit;
    enum direction direction;
    const char *definition;
    const double *samples; /* in trial order, NaN where a trial gave none */
    size_t count;          /* slots */
    size_t n;              /* values */
    double mean, sd, cv;   /* NaN where n is too small; cv = sd / mean */
    const char *cv_label;  /* "excellent" < 5 %, "good" < 10 %, "moderate" < 15 %, "poor" */
    double min, max;
    double median, median_low, median_high; /* distribution-free 95 %; NaN below 6 values */
    double p5, p25, p75, p95, p99, mad;
    size_t outliers;   /* MAD rule, 3.5 */
    bool is_of_trials; /* each value is evidence of its own, whatever its case */
    enum kind kind;
    /* What heads it, and what is compared (units.h): the median, of a share or of money the
     * mean, with its 95 % interval. Where the cell has cases (`is_by_case`) it is over these,
     * each by its passes; `units` are the cases, else the trials. All above is of trials. */
    double centre, centre_low, centre_high;
    size_t units;
    bool is_by_case;
    bool is_hidden;        /* the benchmark's metrics_measured does not name it */
    const char **warnings; /* sentences: drift, bimodal, clipped, zero variance, ... */
    size_t warning_count;
};

/* Quantiles of values that were counted in a histogram, by a trial or over the whole
 * execution: a median over trials of their p99.9 is not the p99.9. */
struct view_quantiles {
    const char *metric;
    const char *unit; /* values are in it */
    int64_t trial;    /* whose they are; -1 = all of the execution's */
    int64_t total;
    double p50, p90, p99, p999, max;
    struct str data; /* of a trial: the histogram, as stored (stats/hdr.h) */
};

struct view_cell {
    struct execution_record record;
    const char *agent; /* its name; NULL: it has none of its own, or is of a file */
    const struct value_pair *settings; /* parameters with nested maps as dotted names */
    size_t setting_count;
    struct view_metric *metrics; /* primary first */
    size_t metric_count;
    const double *warmup; /* durations of warm-up trials */
    size_t warmup_count;
    size_t trial_count;                 /* measured trials stored */
    const double *starts_s;             /* of each, since the run's start; NaN unknown */
    const uint8_t *statuses;            /* enum trial_status of each */
    const uint32_t *segments;           /* 0, then one more for each resume, and for each
                                 arm of its group that was stopped early */
    const struct series_record *series; /* as the store has them; NULL: not from a store */
    size_t series_count;
    struct trial_note *notes;
    size_t note_count;
    const struct units_order *order; /* trials by case (units.h); NULL: not found yet */
    struct artifact_record *artifacts;
    size_t artifact_count;
    struct view_quantiles *merged; /* of all values, one a metric */
    size_t merged_count;
    struct view_quantiles *histograms; /* of each trial that gave one, by metric */
    size_t histogram_count;
};

/* Marginal effect of one value of a swept parameter on the primary metric:
 * geometric mean of the ratios of levels to the matched cells (equal in all
 * else) that have the parameter's first value. */
struct view_effect {
    const char *experiment;
    const char *metric;
    const char *unit;
    const char *param;
    const char *value;
    size_t matched;
    double ratio;  /* 1 for the first value; NaN where levels are not positive */
    double median; /* geometric mean of the cells' levels */
};

struct view_comparison {          /* an arm of a group against its first, as `compare` has it */
    size_t cell;                  /* index into cells: B of the answer */
    size_t reference;             /* A */
    bool is_asked;                /* else the two have no metric that could be compared */
    struct verdict_answer answer; /* of the primary metric, at the level that decided */
};

struct view {
    struct run_record run;
    bool was_killed;                    /* stored as running, but its process is gone */
    const char **machine_warnings;      /* from the environment: governor, load, turbo, ... */
    const char **machine_warning_kinds; /* of each: "load", "virtual", ...; NULL: not known */
    size_t machine_warning_count;
    struct view_cell *cells;
    size_t cell_count;
    struct view_effect *effects;
    size_t effect_count;
    struct view_comparison *comparisons;
    size_t comparison_count;
    struct suite_view *suites; /* of the cells that belong to a suite */
    size_t suite_count;
    const struct claims *claims; /* NULL until claims_attach, or if its spec claims nothing */
};

/* What to call a cell among those of several runs: "sums, bc 1.07" in a suite, else its
 * label. */
const char *view_cell_name(const struct view *view, const struct view_cell *cell,
                           struct arena *out);

bool view_was_killed(const struct run_record *run);

/* The execution, if fewer trials were made than planned; else NULL. Whoever judges such a cell
 * judges what is not there: the trials that were left out may be the bad ones. */
const struct execution_record *view_unfinished(const struct execution_record *e);

/* NULL, or why an execution does not represent its agent (execution_represents): "run on some
 * of the cases only (26 of 40 trials)", "simulated", "failed: no such command". */
const char *view_left_out(const struct execution_record *e, struct arena *out);

/* What to call the state of the run or of one of its cells: as stored, or "killed". */
const char *view_status(const struct view *view, enum run_status stored);

/* Executions of one cell, oldest first, as if they were one: trials one after the
 * other, numbers computed again; names, settings and metrics are the newest's. */
const struct view_cell *view_merge(const struct view_cell *const *cells, size_t count,
                                   struct arena *out);

/* What its numbers mean, for metric_unlike. */
struct metric view_metric_of(const struct view_metric *m);

/* The value of that setting; NULL if the cell has none. */
const struct value *view_find_setting(const struct view_cell *cell, struct str key);

/* The settings in which two cells differ, those of the first cell first; NULL: it has none.
 * Returns how many. */
struct view_change {
    struct str key;
    const struct value *of[2];
};
size_t view_changes(const struct view_cell *a, const struct view_cell *b, struct arena *out,
                    struct view_change **changes);

/* What the trial gave; NaN for none, and where there is no metric. */
double view_sample(const struct view_metric *m, int64_t trial);

/* The cell's metric of that name; the one comparable with `like`. NULL if it has none. */
const struct view_metric *view_find_metric(const struct view_cell *cell, const char *name);
const struct view_metric *view_find_alike(const struct view_cell *cell,
                                          const struct view_metric *like);

/* One metric of an execution, with its trials and their notes: enough for view/units.h, with
 * nothing computed of it. Without such a metric: metric_count 0. */
MUST_USE bool view_load_metric(struct store *store, const struct execution_record *execution,
                               const char *metric, struct arena *out, struct view_cell *cell,
                               struct error *err);

/* A run that was found, or the run of this id (as store_find_run takes it). What people write
 * may mean a file or part of a run: source_load (view/source.h) reads that. */
MUST_USE bool view_load_run(struct store *store, const struct run_record *run,
                            struct arena *out, struct view **view, struct error *err);
MUST_USE bool view_load(struct store *store, const char *run_id, struct arena *out,
                        struct view **view, struct error *err);

#endif
