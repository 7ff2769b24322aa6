/* worsening.h - by how much is one metric worse than it was? Held against a limit.
 *
 * One sign for all metrics: above 0 is worse, whichever direction is better.
 *
 *   relative   values of any kind: the effect of stats/verdict.h, 0.1 = 10 % of
 *              the baseline worse. Cases are paired, each by its median over
 *              passes; trials without cases are two independent samples.
 *   points     shares (accuracy, failure rate, any score in 0..1): the difference
 *              of means over cases. A median of right and wrong answers does not
 *              move until half of them are wrong. Newcombe's interval where each
 *              is 0 or 1, else Student's on pairs or Welch's.
 *
 * A trial that gave no answer counts as accuracy 0: an agent that fails on the
 * hard cases does not become more accurate by it.
 *
 * A version that ran several times: values within a run share what that run met,
 * so they are not independent of each other. The interval is widened to hold also
 * the one that counts each run once (stats/runs.h), and p is the larger of both:
 * a worsening must exceed the variation over values or cases and that between
 * runs of one version. With one run on each side the latter is not known.
 *
 * p is that of the worsening being exactly `limit`, two-sided, and 1 where the
 * estimate is not beyond it: the test that belongs to "the interval lies beyond
 * the limit". It comes from the same rank test on values moved by the limit. */
#ifndef JUDGE_WORSENING_H
#define JUDGE_WORSENING_H

#include "view/baseline.h"

#define WORSENING_FAILURES "failure_rate" /* the metric that every cell has */

struct worsening_question {
    const struct view_cell *cell[2];     /* baseline, current */
    const struct view_metric *metric[2]; /* both NULL: the failure rate */
    double limit;
    double alpha;                           /* 0: 0.05 */
    const struct view_cell *const *runs[2]; /* what each cell was merged from */
    size_t run_count[2];
};

/* One number for each run: its median (of a share: its mean), of cases their
 * distance from the case's mean over all runs. */
struct worsening_runs {
    const double *values[2];
    size_t count[2];
    bool is_log;    /* differences are logarithms of ratios */
    bool is_paired; /* both versions took turns in the same runs: values[0][i], values[1][i] */
    double sign;    /* 1: more is worse */
};

struct worsening {
    double baseline; /* median, or mean of a share */
    double current;
    double amount;
    double low; /* NaN without interval, see why */
    double high;
    double p;
    double mde; /* smallest worsening that these data would probably have shown */
    bool is_points;
    bool is_paired;
    bool by_case; /* n counts cases */
    size_t n[2];
    struct worsening_runs by_run;
    bool needs_runs; /* what hides a change is that runs differ: more trials would not help */
    double run_sd;   /* between runs of one version, on that scale; NaN: not known */
    const char *method;
    const char *why; /* NULL, or why there is no interval */
};
extern const struct worsening worsening_none; /* nothing is known */

/* The metrics must be alike (compare_unlike). Data never make it fail. */
MUST_USE bool worsening_measure(const struct worsening_question *q, struct arena *out,
                                struct worsening *w, struct error *err);

/* The two-sided p at which Newcombe's interval of hits1/n1 - hits2/n2 begins to
 * hold `limit`; 1 where the estimate is not above it. */
double worsening_shares_p(int64_t hits1, int64_t n1, int64_t hits2, int64_t n2, double limit);

/* Are run i of the one and run i of the other the same run, for all of them? */
bool worsening_runs_are_shared(const struct view_cell *const *const runs[2],
                               const size_t count[2]);

/* Widens interval, p and mde for the variation between runs. */
void worsening_widen(struct worsening *w, const struct worsening_runs *runs, double limit,
                     double alpha);

/* "23 %", "-1.5 %", "12 points"; "-" for NaN. Above 0 is worse. */
const char *worsening_text(const struct worsening *w, double amount, struct arena *out);

/* "worse by 23 % [12 %, 35 %]", "better by 3.0 % [1.0 %, 5.0 %]". */
const char *worsening_effect(const struct worsening *w, struct arena *out);

/* By how much a metric of the pair is worse; both NULL: the failure rate. */
struct worsening_question worsening_question_of(const struct baseline_pair *p,
                                                const struct view_metric *then,
                                                const struct view_metric *now, double limit,
                                                double alpha);

#endif
