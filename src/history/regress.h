/* regress.h - what got worse since the baseline, how much, where, and how sure.
 *
 * Each metric is a family over the cells that have a baseline (stats/family.h): asked
 * as a whole, then cell by cell, adjusted among themselves; each pattern is a family
 * of its own. How many metrics and patterns are looked at changes no verdict. Rules:
 *
 *   beyond_threshold  the whole interval lies beyond the threshold: a regression.
 *                     Wholly inside: none. Otherwise undecided.
 *   whole             the same of the metric over all its cells together, though none
 *                     of them alone need show it
 *   systemic          the metric over at least 6 benchmarks is beyond a quarter of the
 *                     threshold
 *   slow_drift        over at least 8 executions Mann-Kendall sees a drift, the last third
 *                     is beyond the threshold, and no step between neighbours is
 *   tail              the median is not beyond the threshold, but more values are beyond
 *                     the baseline's p95 plus the threshold (at least 40 values a side)
 *   variance          likewise, but distances from the median grew by half or more
 *                     (at least 20 values a side)
 *   new_failure       a kind of failure that the baseline did not have
 *   trade             accuracy fell, beyond chance, while the duration or cost of the same
 *                     cell fell, beyond chance
 *
 * Health is that of the worst regression that is not quiet; unknown where none was found but the
 * primary metric, the accuracy, the cost or the failures of a cell are undecided or cannot
 * be compared, or where a cell of the baseline is missing or was interrupted.
 * docs/regressions.md has the reasons. */
#ifndef HISTORY_REGRESS_H
#define HISTORY_REGRESS_H

#include "base/registry.h"
#include "judge/compare.h"
#include "judge/worsening.h"
#include "view/baseline.h"

#define REGRESS_THRESHOLD 0.1

enum regress_rule {
    REGRESS_BEYOND,
    REGRESS_WHOLE,
    REGRESS_SYSTEMIC,
    REGRESS_DRIFT,
    REGRESS_TAIL,
    REGRESS_VARIANCE,
    REGRESS_NEW_FAILURE,
    REGRESS_TRADE,
    REGRESS_RULE_COUNT
};

enum regress_state { REGRESS_UNDECIDED, REGRESS_FOUND, REGRESS_NONE, REGRESS_IMPROVED };

/* By what is sure, the near end of the interval, over the threshold: low from 1,
 * medium from 2, high from 3, critical from 5; for accuracy and failures one step
 * higher. Patterns: see docs/regressions.md. */
enum severity {
    SEVERITY_NONE,
    SEVERITY_LOW,
    SEVERITY_MEDIUM,
    SEVERITY_HIGH,
    SEVERITY_CRITICAL
};

struct regress_case {
    const char *name;
    double baseline;
    double current;
};

struct regress_phase {
    const char *name;
    double baseline_ms; /* of one trial, mean; NaN: not there */
    double current_ms;
};

enum { REGRESS_CASES_MAX = 5, REGRESS_PHASES_MAX = 16 };

struct regress_impact {
    const char *unit;   /* of the values of cases */
    size_t case_count;  /* compared; 0: no cases */
    size_t cases_worse; /* beyond the threshold */
    struct regress_case worst[REGRESS_CASES_MAX];
    size_t worst_count;
    struct regress_phase phases[REGRESS_PHASES_MAX]; /* largest growth first */
    size_t phase_count;
    double growth_ms; /* of one trial, mean */
    double
        cost_baseline_usd; /* of one trial; NaN unknown, or whether it changed is undecided */
    double cost_current_usd;
};

/* Of what a trial takes longer: a phase that grew less is not why. */
#define REGRESS_PHASE_PART 0.1
double regress_phase_growth_ms(const struct regress_phase *x);

/* What measuring both versions again said of an alarm: study/confirm.h. */
enum regress_outcome { REGRESS_CONFIRMED, REGRESS_NOT_CONFIRMED, REGRESS_NO_RERUN };

enum regress_no_rerun {
    NO_RERUN_SCOPE,       /* the rule is about more than two versions of one cell */
    NO_RERUN_INTERRUPTED, /* by a signal */
    NO_RERUN_ARM,         /* `arm` of the new run gave nothing */
    NO_RERUN_ERROR,       /* `error` */
};

struct regress_again {
    enum regress_outcome outcome;
    const char *run_id;            /* NULL without one */
    struct worsening w;            /* of the new trials alone */
    const struct regress *in;      /* the judgement of the new trials; NULL without one */
    const struct regress_row *row; /* the alarm's row there; NULL: it did not happen again */
    enum regress_no_rerun why;     /* of REGRESS_NO_RERUN */
    const struct execution_record *arm;
    const char *error;
};

struct regress_row {
    enum regress_rule rule;
    size_t pair; /* index; of a pattern over several: the first */
    const char *metric;
    const char *unit;
    double threshold; /* of the rule */
    bool is_primary;  /* of its cell */
    bool is_dropped;  /* the baseline's metrics_measured names it, the current one does not */
    struct ask ask;   /* what was asked; of whole, systemic and slow_drift nothing */
    struct family *family; /* of systemic: what was asked of all together; else NULL */
    struct worsening w;
    double p_adjusted; /* NaN: nothing to test */
    double gained;     /* of the rule trade: by how much `by` is better; of slow_drift:
                        * the largest step; else NaN */
    const char *by;    /* of the rule trade: the metric that was gained */
    size_t cells;      /* that it is about */
    enum regress_state state;
    enum severity severity;
    const struct regress_impact *impact; /* of found ones */
    const struct regress_again *again;   /* of alarms, where it was asked for */
    const struct alarm_record *alarm;    /* what people said of it (history/alarm.h), or NULL */
    bool is_quiet;                       /* muted, or judged false: it fails nothing */
};

struct regress_limit {
    const char *metric;
    double threshold;
};

/* A metric that could not be compared. */
struct regress_refusal {
    size_t pair;
    const char *metric;
    struct compare_gap gap;
};

/* What to do next. */
enum regress_action {
    REGRESS_DO_NOTHING,
    REGRESS_DO_MEND,     /* `about` is the worst regression */
    REGRESS_DO_PIN,      /* a baseline: nothing has one */
    REGRESS_DO_COMPLETE, /* the cells that are `incomplete`, or the rows if `is_cut` */
    REGRESS_DO_MEASURE,  /* `about` is undecided, and must be known */
};

struct regress_question {
    struct baseline_question which;
    double threshold;                   /* 0: REGRESS_THRESHOLD */
    const struct regress_limit *limits; /* of single metrics */
    size_t limit_count;
    double alpha; /* 0: 0.05 */
};

struct regress {
    struct baseline_set set;
    struct regress_row *rows; /* metrics cell by cell, then patterns */
    size_t row_count;
    size_t found, undecided, improved; /* of those that are listed */
    size_t listed;                     /* rows: regress_is_listed */
    size_t quiet;                      /* of the found ones */
    const struct regress_row **open;   /* undecided metrics of cells, the worst news first */
    size_t open_count;
    size_t compared; /* cells with a baseline */
    size_t
        incomplete; /* cells of the baseline that are missing, or of which trials are, or what
                        * must be known */
    size_t unfinished; /* current cells of which trials are missing */
    size_t tests;      /* that were made */
    size_t asked;      /* comparisons of a metric in a cell */
    size_t single;     /* cells with one run on each side: how much runs differ is unknown */
    bool is_confirmed; /* alarms were asked again */
    bool is_cut;       /* there was no room for more rows: what was not asked is not healthy */
    struct regress_refusal *refusals;
    size_t refusal_count;
    const char *overall_health;
    enum regress_action action;
    const struct regress_row *about;
};

MUST_USE bool regress_ask(struct store *store, const struct regress_question *q,
                          struct arena *out, struct regress *r, struct error *err);

/* Keeps the found ones in the store, in place of what it had of these executions, and as
 * alarms (history/alarm.h), which the rows then have; `analysis` writes what is kept of each
 * besides its numbers. */
typedef const char *regress_analysis_fn(const struct regress *r, const struct regress_row *row,
                                        struct arena *out);
MUST_USE bool regress_keep(struct store *store, struct regress *r,
                           regress_analysis_fn *analysis, struct arena *out, struct error *err);

/* The rules, in the order of the enum: rows of regress_patterns.c. A finder adds
 * candidates, which are judged together (regress_internal.h). */
struct regress_work;

struct regression_rule {
    REGISTRY_ENTRY;
    double threshold;       /* a worsening beyond it is a regression */
    bool is_part;           /* the threshold is in those of the metric: 0.25 of 10 % */
    size_t least;           /* values a side, benchmarks or executions; 0: no rule of its own */
    enum severity severity; /* SEVERITY_NONE: by how far beyond the threshold */
    /* Called once for each metric of a cell, or for each cell; NULL: not at all. */
    bool (*of_metric)(struct regress_work *w, size_t row, struct error *err);
    bool (*of_pair)(struct regress_work *w, size_t pair, struct error *err);
};

REGISTRY(struct regression_rule, regression_rule)

const char *regress_rule_name(enum regress_rule rule);
const char *regress_state_name(enum regress_state state);       /* "regression", "none", ... */
const char *regress_outcome_name(enum regress_outcome outcome); /* "confirmed", ... */
const char *severity_name(enum severity s);

/* Each metric of a cell, and whatever else was found: what is listed is what is counted. */
bool regress_is_listed(const struct regress_row *row);

/* Whether the rule has a finder of its own. */
bool regress_is_pattern(enum regress_rule rule);

#endif
