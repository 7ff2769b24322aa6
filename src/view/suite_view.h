/* suite_view.h - the cells of a suite as scores: per benchmark and agent, with
 * intervals, and which cases were not passed.
 *
 * Worked out from the stored samples by the same code that filled the columns
 * of the execution. */
#ifndef VIEW_SUITE_VIEW_H
#define VIEW_SUITE_VIEW_H

#include "score/scores.h"
#include "store/store.h"
#include "suite/scoring.h"

struct view;

struct suite_failure { /* a case that was not passed in every attempt */
    const char *name;
    int64_t passed;
    int64_t attempted;
    const char *why; /* of its first attempt that did not; one line, or NULL */
};

struct suite_view {
    size_t cell; /* index into view.cells */
    const char *suite;
    const char *benchmark;
    const char *agent;
    const char *version;    /* or NULL */
    const char *prompt;     /* its name; "" without one */
    const char *provenance; /* "measured", "simulated" */
    int64_t concurrency;    /* cases in flight at once */
    struct scores scores;
    double weights[SCORE_COUNT]; /* that the suite asks for, or the default ones */
    struct score_pass pass_1;    /* one attempt: pass@1 */
    struct score_pass pass_k;    /* as many attempts as there were passes */
    struct score_pass asked[SCORING_PASS_MAX]; /* by `pass_k` of the benchmark */
    size_t asked_count;
    const char *const *hashes;      /* of each case, ascending, and */
    const char *const *names;       /* what people call it */
    const struct score_case *cases; /* of each */
    const char *case_list;          /* JSON: hashes in the order of the benchmark; or NULL */
    double pass_at;                 /* what an answer must reach */
    size_t case_count;
    size_t untried; /* further cases that it was stopped before (scoring_untried) */
    struct suite_failure *failures; /* in the order of their names */
    size_t failure_count;
};

/* Fills view->suites from its cells. */
MUST_USE bool suite_view_load(struct store *store, struct view *view, struct arena *out,
                              struct error *err);

/* "sums, bc 1.07, prompt short (4 at once)"; version and prompt where they are known, the
 * number of cases in flight where there were several. In `out`. */
const char *suite_view_name(const struct suite_view *s, struct arena *out);

#endif
