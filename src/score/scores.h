/* scores.h - the five scores of an execution, and how often it passes.
 *
 * Scores are views of raw metrics: pure functions of the trials and the
 * benchmark's targets, never of which other agents exist. Each lies in 0..1,
 * has an interval, the id of its formula, and where it is NaN the reason.
 *
 *     accuracy      mean over cases of the case's score                accuracy/2
 *     speed         1 / (1 + median duration / target); a case that    speed/2
 *                   gave no answer took for ever
 *     efficiency    geometric mean of 1 / (1 + median used / target)   efficiency/1
 *                   over tokens, CPU time, peak memory with a target
 *     cost          1 / (1 + mean cost / target); 1 when free          cost/2
 *
 * Cost, or tokens with a target, that some answered cases report and others do not leave the
 * score NaN: who hides what is dear must not look cheap.
 *
 *     reliability   ok / attempted                                     reliability/1
 *     overall       weighted mean, renormalised over those that are there  overall/1
 *
 * Repeats of one case are not new evidence: a case has one value, which
 * stats/reduce.h makes of its passes, and intervals are over cases. Accuracy has
 * the exact interval of a mean of shares (a bootstrap of ten right answers would
 * claim [1, 1]), reliability Wilson's, the others the percentile bootstrap's. The
 * overall's is put together from its parts' (scores.c). Formulas and reasons:
 * docs/scoring.md. */
#ifndef SCORE_SCORES_H
#define SCORE_SCORES_H

#include "base/arena.h"
#include "model/score_id.h"
#include "model/trial.h"
#include "score/rubric.h"
#include "stats/reduce.h"

const char *score_name(enum score_id id); /* "accuracy" */

/* One measured trial; NaN where a value is unknown. An answer that never came
 * (failed, timed out, ...) has accuracy and dimensions 0 where the case can be
 * judged, whatever is said here; harness errors are left out everywhere.
 * A trial without an answer has an infinite duration, if any other was timed; tokens,
 * CPU, memory and cost count for all that tell them. */
struct score_trial {
    size_t case_index;
    enum trial_status status;
    bool is_unjudged; /* nothing to judge by: rubric_judges said no; no answer is then no 0 */
    double accuracy;  /* the rubric's total; NaN = not judged */
    double dimensions[RUBRIC_DIMENSIONS];
    double duration_s;
    double tokens;
    double cpu_s;
    double memory_mb;
    double cost_usd;
};

void score_trial_init(struct score_trial *t); /* everything unknown, status ok */

/* One case over its passes: what reduce_passes makes of them, and counts. */
struct score_case {
    double accuracy;
    double dimensions[RUBRIC_DIMENSIONS];
    double duration_s;
    double tokens;
    double cpu_s;
    double memory_mb;
    double cost_usd;
    double cost_total_usd; /* of all attempts; one that reports none counts as the median */
    int64_t attempted;     /* without harness errors */
    int64_t ok;
    int64_t unpriced;        /* of ok: that do not report their cost */
    int64_t uncounted;       /* of ok: that do not report their tokens */
    int64_t judged;          /* of attempted: an accuracy, or no answer at all */
    int64_t passed;          /* of judged: ok with an accuracy that reaches pass_at */
    bool is_passed;          /* what the reducer makes of passed and not: in most, or in all */
    int64_t missing;         /* harness errors: tried, and never judged */
    double accuracy_ends[2]; /* if all that is missing was wrong, and right */
};

/* Whether an agent has a case right: one answer for every list, table and filter. A harness
 * error is never the agent's fault and says nothing; where there is nothing to judge by, no
 * answer at all is wrong, and any other is unjudged. (is_passed is another question: what the
 * reducer makes of several attempts.) */
enum case_state {
    CASE_RIGHT,    /* every attempt that was judged passed */
    CASE_WRONG,    /* one did not, or gave no answer */
    CASE_UNJUDGED, /* no attempt could be judged */
};
enum case_state score_case_state(const struct score_case *c);

/* What a benchmark says of its cases. */
struct score_rules {
    double pass_at; /* 0 = 1.0 */
    enum reducer reducer;
};

/* One row per case_index below case_count. rules: NULL = those above. */
struct score_case *score_cases(const struct score_trial *trials, size_t n, size_t case_count,
                               const struct score_rules *rules, struct arena *out);

struct score_targets { /* per case; NaN or 0 = none */
    double duration_s;
    double tokens;
    double cpu_s;
    double memory_mb;
    double cost_usd;
};

extern const struct score_targets score_targets_none;
extern const double score_weights_default[SCORE_COUNT]; /* 0.30 0.20 0.20 0.15 0.15 */

struct score_plan {
    struct score_targets targets;
    double weights[SCORE_COUNT]; /* all 0 = the default ones; need not add up to 1 */
    double confidence;           /* 0 = 0.95 */
    size_t resamples; /* 0 = SCORE_RESAMPLES; fewer of more than 5000 cases, at least 400 */
    uint64_t seed;
};

/* The plan's weights, or the default ones. */
const double *score_plan_weights(const struct score_plan *plan);

/* Both weigh the scores in the same proportions. */
bool score_weights_are_equal(const double a[SCORE_COUNT], const double b[SCORE_COUNT]);

enum { SCORE_RESAMPLES = 2000 };

struct score {
    double value; /* NaN = NULL, see reason */
    double low;   /* NaN where there is no interval, see reason */
    double high;
    size_t n;            /* cases it rests on; attempts for reliability */
    const char *formula; /* "speed/2" */
    const char *method;  /* of the interval: "exact", "wilson", "bootstrap", "mover"; NULL */
    const char *reason;  /* NULL, or why a value or an interval is missing */
    bool is_hidden;      /* missing because answered cases do not report what it is of */
};

struct scores {
    struct score by[SCORE_COUNT];
    struct score overall;
    bool is_partial;             /* lacks a score or a judgement; never ranked with full ones */
    size_t judged;               /* cases of whose trials none lacks its judgement */
    size_t total;                /* cases that can be judged at all */
    double weights[SCORE_COUNT]; /* as used in overall: add up to 1, 0 where missing */
    double hidden; /* what scores that are hidden weigh besides: 0.5 = half of these */
    double dimensions[RUBRIC_DIMENSIONS]; /* means over cases; NaN = none named it */
};

/* Texts are constants or in `out`. */
void scores_compute(const struct score_case *cases, size_t n, const struct score_plan *plan,
                    struct arena *out, struct scores *scores);

/* The lowest and the highest that the overall score may be, whatever the trials that were
 * not judged (harness errors) would have been, and whatever is hidden; both `overall` where
 * nothing is open. A case with such a trial counts as wrong, and as right. */
void scores_ends(const struct scores *scores, const struct score_case *cases, size_t n,
                 double ends[2]);

/* The same formulas for single values. */
double score_of_use(double used, double target); /* 1 / (1 + used / target); NaN without */

/* Whether one of k attempts passes (pass@k), whether all k do (pass^k): the
 * unbiased estimates, averaged over the cases with at least k judged attempts,
 * with the exact interval of a mean of shares. */
struct score_pass {
    int64_t k;
    double at_k;
    double at_k_low;
    double at_k_high;
    double all_k;
    double all_k_low;
    double all_k_high;
    size_t cases;       /* with at least k attempts */
    size_t left_out;    /* with fewer */
    const char *reason; /* NULL, or why there is no number or no interval */
};

void score_pass_k(const struct score_case *cases, size_t n, int64_t k,
                  const struct score_plan *plan, struct arena *out, struct score_pass *pass);

#endif
