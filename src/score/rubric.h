/* rubric.h - which checks judge an answer, and how much each counts.
 *
 * Written as a list of entries, as a mapping of checks to weights, or as the
 * name of one check:
 *
 *     - {check: numeric, weight: 0.7, tolerance: 1e-9}
 *     - {check: max_length, weight: 0.2, chars: 40, dimension: relevance}
 *     - {group: form, weight: 0.1, threshold: 0.5, rubric: [{check: regex, weight: 1, ...}]}
 *
 *     {exact: 0.7, contains: 0.3}      {exact: {weight: 1, ignore_case: true}}
 *
 * The weights of each level add up to 1 (1e-9); where no entry of a level has
 * one, all count the same. The total is the weighted mean: exactly 1 for a
 * perfect answer, whatever the weights (base/near.h). A group that does not
 * reach its `threshold` counts as 0. The total is NaN, with the reason, when a
 * check with a weight cannot judge the case (there is no expected answer).
 * Without a rubric the answer must be exactly the expected one.
 *
 * rubric_read     value tree -> struct rubric, problems with places
 * rubric_open     opens the checks: once per execution or rescoring
 * rubric_evaluate one answer -> total, dimensions, detail */
#ifndef SCORE_RUBRIC_H
#define SCORE_RUBRIC_H

#include "check/check.h"

enum rubric_dimension {
    RUBRIC_CORRECTNESS,  /* output_correctness, and so on */
    RUBRIC_COMPLETENESS, /* */
    RUBRIC_RELEVANCE,
    RUBRIC_DIMENSIONS
};

const char *rubric_dimension_name(enum rubric_dimension d); /* "output_correctness" */

struct rubric; /* read-only after rubric_read */

/* `v` may be NULL, null or {}: the default rubric. The tree must outlive the
 * rubric. True if there was no problem. */
MUST_USE bool rubric_read(const struct value *v, struct arena *out,
                          const struct rubric **rubric, struct problems *problems);

bool rubric_runs_program(const struct rubric *r); /* a check starts what others wrote */

/* Whether a case with this expected answer (NULL = none) can be judged: false
 * if a check with a weight needs an expected answer. */
bool rubric_judges(const struct rubric *r, const struct value *expected);

/* Whether a check of this rubric names the dimension. */
bool rubric_has_dimension(const struct rubric *r, enum rubric_dimension d);

/* Calls `each` with the id of every agent that a check asks. */
void rubric_each_agent(const struct rubric *r, void (*each)(void *context, const char *id),
                       void *context);

struct rubric_session; /* the checks, open */

/* Fails with the first check that cannot be opened here, by its name. */
MUST_USE bool rubric_open(const struct rubric *r, const struct check_env *env,
                          struct rubric_session **session, struct error *err);
void rubric_close(struct rubric_session *session); /* NULL too */

struct rubric_result {
    double score;                         /* 0..1; NaN = not judged, see `why` */
    double dimensions[RUBRIC_DIMENSIONS]; /* NaN where no check names it */
    double cost_usd;                      /* of judges and embedders: not the agent's */
    int64_t calls;                        /* made to them */
    const char *why;                      /* NULL, or why the score is NaN */
    struct str detail; /* JSON: {"score":..,"checks":[{"check","weight","score","why"},..]} */
};

/* False = a check with a weight could not be made: a harness error, never the agent's fault;
 * `result` then has the score NaN and the detail of all checks. */
MUST_USE bool rubric_evaluate(struct rubric_session *session, const struct check_input *input,
                              struct arena *out, struct rubric_result *result,
                              struct error *err);

#endif
