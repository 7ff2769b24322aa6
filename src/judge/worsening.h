/* worsening.h - an answer of the engine as "by how much is it worse?".
 *
 * One sign for all metrics: above 0 is worse, whichever direction is better.
 * Relative for ratios and shifts (0.1 = 10 % of the baseline worse), points for
 * shares. Nothing is computed here: interval, p and mde are those of
 * stats/verdict.h, at the level that decided. */
#ifndef JUDGE_WORSENING_H
#define JUDGE_WORSENING_H

#include "judge/compare.h"
#include "view/baseline.h"

struct worsening {
    enum verdict verdict;
    bool is_within;   /* the interval ends before "worse by more than the limit" begins */
    bool is_no_worse; /* a share that did not fall, whatever the outcomes that are not known */
    double baseline;  /* what was compared: medians, means of a share */
    double current;
    double amount;
    double low; /* NaN without interval */
    double high;
    double alpha; /* 1 - alpha is the confidence of that interval */
    double p;
    double mde; /* smallest worsening that these data would probably have shown */
    bool is_points;
    bool is_paired;
    bool by_case; /* n counts cases */
    bool is_tested;
    bool is_deterministic;
    size_t n[2];
    size_t unknown[2], asked[2]; /* outcomes that are not known, of so many */
    bool needs_runs; /* what hides a change is that runs differ: more trials would not help */
    size_t least;    /* as many as could decide at all, where these cannot; else 0 */
    struct verdict_need need; /* what would settle it */
    double run_sd;        /* between runs of one version, relative or points; NaN: not known */
    bool has_no_interval; /* low and high are NaN: `why` says the reason, */
    struct verdict_reason why; /* REASON_COUNT if none is known */
};
extern const struct worsening worsening_none; /* nothing is known */

/* Why the metric of a pair must not be compared; besides what compare_gap_of says, that what
 * depends on the machine was measured on another one. */
struct compare_gap worsening_gap(const struct baseline_pair *p, const struct view_metric *then,
                                 const struct view_metric *now);

/* The question about a metric of a pair; `then` and `now` NULL: the failure rate. */
struct ask worsening_ask(const struct baseline_pair *p, const struct view_metric *then,
                         const struct view_metric *now, const struct ask_terms *terms,
                         struct arena *out);

struct worsening worsening_of(const struct verdict_answer *answer, bool by_case);

#endif
