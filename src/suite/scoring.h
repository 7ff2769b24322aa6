/* scoring.h - the scores of an execution, worked out from what the store holds.
 *
 * Used when a cell of a suite ends, when answers are scored again, and by
 * whoever shows scores with their intervals: all get the same numbers from the
 * same samples. */
#ifndef SUITE_SCORING_H
#define SUITE_SCORING_H

#include "score/scores.h"
#include "store/store.h"

enum { SCORING_PASS_MAX = 8 };

struct scoring {
    struct scores scores;
    struct score_case *cases;  /* one per content */
    const char *const *hashes; /* of each, in order */
    const char *const *names;  /* what people call each; never NULL */
    size_t case_count;
    const struct benchmark_record *benchmark;
    struct score_plan plan;
    struct score_rules rules;
    int64_t pass_k[SCORING_PASS_MAX]; /* that were asked for; 0 ends them */
    size_t trials;                    /* measured */

    /* Totals over measured trials, failed ones included where they report it; NaN =
     * the agent does not report it. */
    double tokens;
    double api_calls;
    double cost_usd;
    double judge_cost_usd;
    double memory_peak_mb;
    double cpu_percent; /* processor time over wall time, of ok trials */
};

/* The series and notes of one execution, where they are at hand. */
struct scoring_input {
    const struct benchmark_record *benchmark;
    const struct series_record *series;
    size_t series_count;
    const struct trial_note *notes;
    size_t note_count;
};

/* False (ERROR_INVALID) if nothing was measured. */
MUST_USE bool scoring_compute(const struct scoring_input *input, struct arena *out,
                              struct scoring *scoring, struct error *err);

/* The same for a stored execution. */
MUST_USE bool scoring_load(struct store *store, const struct execution_record *e,
                           struct arena *out, struct scoring *scoring, struct error *err);

/* Cases that no trial of an execution was about, because it was stopped or interrupted
 * before them. */
size_t scoring_untried(const struct scoring *s, const struct execution_record *e,
                       struct arena *out);

/* scores_ends, where trials that were planned and not made count as not judged: else an agent
 * that makes a run stop chooses which of its answers count. */
void scoring_ends(const struct scoring *s, const struct execution_record *e, struct arena *out,
                  double ends[2]);

/* Into the columns of the execution, but for the comparative ones. */
void scoring_fill(const struct scoring *s, struct execution_record *e);

/* percentile_rank and deviation_from_baseline, which depend on what else is
 * stored. `agent` is the agent's name. */
MUST_USE bool scoring_compare(struct store *store, const struct scoring *s, const char *agent,
                              struct execution_record *e, struct arena *scratch,
                              struct error *err);

/* The same for all executions of a run that has ended, which then take the rank of what
 * they were made from and of older contents (store_settle_rank). */
MUST_USE bool scoring_settle_run(struct store *store, const char *run_id, struct error *err);

/* Why columns of `e` are NULL: notes of kind NOTE_MISSING. `notes` may be its own. */
void scoring_explain(const struct scoring *s, const struct execution_record *e,
                     struct note_list *notes, struct arena *out);

#endif
