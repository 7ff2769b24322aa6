/* suite_view.h - the cells of a suite as scores: per benchmark and agent, with
 * intervals, and which cases are right, wrong and unjudged.
 *
 * Worked out from the stored samples by the same code that filled the columns
 * of the execution. */
#ifndef VIEW_SUITE_VIEW_H
#define VIEW_SUITE_VIEW_H

#include "score/scores.h"
#include "store/store.h"
#include "suite/scoring.h"
#include "view/case_notes.h"

struct view;

/* One case. Whoever shows whether it is right, or why not, takes it from here. */
struct suite_case {
    const char *hash;
    const char *name; /* what people call it */
    struct score_case values;
    enum case_state state;
    struct case_notes notes; /* its attempts, in their order */
    size_t telling;          /* of them: the first that makes it what it is */
    const char *why;         /* it is not right: one line; NULL: it is, or nobody knows */
};

struct suite_view {
    size_t cell; /* index into view.cells */
    const char *suite;
    const char *benchmark;
    const char *agent;
    const char *version;           /* or NULL */
    const char *prompt;            /* its name; "" without one */
    const char *provenance;        /* "measured", "simulated" */
    int64_t concurrency;           /* cases in flight at once */
    const struct scoring *scoring; /* what the rest is from */
    struct scores scores;
    double weights[SCORE_COUNT]; /* that the suite asks for, or the default ones */
    struct score_pass pass_1;    /* one attempt: pass@1 */
    struct score_pass pass_k;    /* as many attempts as there were passes */
    struct score_pass asked[SCORING_PASS_MAX]; /* by `pass_k` of the benchmark */
    size_t asked_count;
    const struct suite_case *cases; /* by hash, ascending */
    const char *case_list;          /* JSON: hashes in the order of the benchmark; or NULL */
    double pass_at;                 /* what an answer must reach */
    size_t case_count;
    size_t untried;           /* further cases that it was stopped before (scoring_untried) */
    struct suite_case *wrong; /* of the cases, in the order of their names */
    struct suite_case *unjudged; /* likewise */
    size_t wrong_count, unjudged_count;
};

/* The case of that hash; NULL if it was not tried. */
const struct suite_case *suite_view_find(const struct suite_view *s, const char *hash);

/* Fills view->suites from its cells. */
MUST_USE bool suite_view_load(struct store *store, struct view *view, struct arena *out,
                              struct error *err);

/* "sums, bc 1.07, prompt short (4 at once)"; version and prompt where they are known, the
 * number of cases in flight where there were several. In `out`. */
const char *suite_view_name(const struct suite_view *s, struct arena *out);

#endif
