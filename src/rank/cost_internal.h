/* cost_internal.h - the evidence of cost.c, from which cost_choice.c draws what to choose. */
#ifndef RANK_COST_INTERNAL_H
#define RANK_COST_INTERNAL_H

#include "judge/versus.h"
#include "rank/cost.h"

/* What is decided by verdicts. */
enum { ACCURACY, COST, SIDES };

/* One benchmark of a configuration. */
struct part {
    const char *benchmark_id;
    size_t count;              /* of cases, which follow those of the part before */
    struct score accuracy;     /* as `show` has it */
    struct units units[SIDES]; /* that `versus` compares */
};

/* The cases of all benchmarks of one configuration, one after the other, by hash within
 * each; the same in all that did the same `work`. */
struct evidence {
    const char *work;
    double *cost; /* of all attempts at the case; NaN = not told */
    double *successes;
    double *attempts;
    double *accuracy;
    size_t count;
    size_t untold;      /* cases whose cost is taken from the others */
    size_t hidden;      /* cases with a success that does not report its cost, others do */
    struct part *parts; /* one a task */
    size_t part_count;
};

struct maker {
    struct arena *out;
    struct cost_analysis *analysis;
    struct evidence *evidence; /* one per configuration */
    struct agent_record *agents;
    size_t agent_count;
    const struct execution_record *executions; /* of the run */
    size_t execution_count;
};

/* They did the same work. */
bool cost_is_peer(const struct maker *m, size_t a, size_t b);

/* Fills units of the part. */
MUST_USE bool cost_load_units(struct store *store, const struct execution_record *execution,
                              struct arena *out, struct part *part, struct error *err);

/* Who is dominated and who is optimal, what would save money, and the best value. */
MUST_USE bool cost_choose(struct maker *m, struct error *err);

#endif
