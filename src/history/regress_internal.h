/* regress_internal.h - what the regress*.c files share.
 *
 *   regress.c           metrics, adjustment, verdict, health
 *   regress_patterns.c  the rules; those over several metrics, benchmarks or runs
 *   regress_shape.c     rules over single values and failures
 *   regress_impact.c    which cases, phases, cost */
#ifndef HISTORY_REGRESS_INTERNAL_H
#define HISTORY_REGRESS_INTERNAL_H

#include "history/regress.h"

struct regress_work {
    struct store *store;
    const struct regress_question *q;
    struct arena *out;
    struct regress *r;
    double alpha;
    size_t capacity;     /* of rows */
    size_t metric_rows;  /* those before the patterns */
    struct error broken; /* the store cannot be read: the answer is this */
};

/* A new row, or NULL when there are as many as anybody would read. */
struct regress_row *regress_add_row(struct regress_work *w, enum regress_rule rule, size_t pair,
                                    const char *metric, const char *unit, double threshold);

/* All of regress_ask but finding r->set; count and conclude, once rows are judged. */
MUST_USE bool regress_judge(struct store *store, const struct regress_question *q,
                            struct arena *out, struct regress *r, struct error *err);
void regress_count(struct arena *out, struct regress *r);

/* Candidates: rows with p and effect, not yet judged. */
MUST_USE bool regress_find_patterns(struct regress_work *w, struct error *err);

/* The metric of the pair, or NULL: it was not asked about. */
const struct regress_row *regress_row_of(const struct regress_work *w, size_t pair,
                                         const char *metric);

/* The rule's threshold for a metric. */
double regress_rule_threshold(enum regress_rule rule, double of_metric);

/* The metric on both sides, if its median is steady and its values are repeats of one
 * another: cases differ by nature, not by noise. */
bool regress_is_steady(const struct regress_work *w, const struct regress_row *of,
                       const struct view_metric *m[2]);

/* Finders (struct regression_rule). */
bool regress_find_tail(struct regress_work *w, size_t row, struct error *err);
bool regress_find_variance(struct regress_work *w, size_t row, struct error *err);
bool regress_find_failures(struct regress_work *w, size_t pair, struct error *err);

const struct regress_impact *regress_impact_of(struct regress_work *w,
                                               const struct regress_row *row);

#endif
