/* cost.h - what an answer costs, and whether a cheaper one would do.
 *
 * Asked of one run. Its configurations (an agent and its version) are compared with
 * those that did the same work: the same cases of the same benchmarks, and all
 * measured or all simulated. An execution that did not finish (execution_stands) is left out,
 * as in `versus`, and counted. What is simulated is never recommended. A task is a case, a success an answer that
 * passes; what failed attempts cost is part of the price of a success, and an
 * attempt that failed and does not report its cost is taken to cost what the others at the
 * case do (their median); a case none of whose attempts does, what an attempt costs in the
 * other cases (their median), and it is counted. An agent that succeeds without reporting the
 * cost, where it reports others, chooses what is seen of its costs: they are unknown.
 *
 *   cost per success     total cost / successes; interval by resampling cases
 *                        (BCa from 30 cases); a resampling without a
 *                        success counts as infinite cost. With no success in n cases only a
 *                        bound: mean cost of an attempt / (1 - 0.05^(1/n)).
 *   performance per $    accuracy x speed score / total cost
 *   accuracy             mean over benchmarks, with the leaderboard's interval
 *   efficiency/2         geometric mean of accuracy against the best
 *                        configuration's and of cost per success against the
 *                        cheapest one's that costs anything; 1 = best in both, or
 *                        free. Above 0.8: optimal, unless it is dominated.
 *   Pareto front         by these points: nobody is both cheaper per task and more
 *                        accurate; the share of resamplings of the cases in which it is.
 *
 * Points say where a configuration lies; that one would do for another, or is dominated by it,
 * is decided by what `versus` answers about accuracy and cost of the two. "No worse" is
 * better, equivalent, or an interval that ends before it is worse by more than VERDICT_MARGIN.
 *
 *   cheaper-and-no-worse  cost better, accuracy no worse: it is recommended. Where the points
 *                         say so and a verdict is still open, it is listed as undecided.
 *   dominated             one of the two better, the other no worse */
#ifndef RANK_COST_H
#define RANK_COST_H

#include "stats/verdict.h"
#include "store/store.h"

#define COST_OPTIMAL 0.8 /* efficiency above this is called optimal */

/* What is missing of the cost of a success, or odd about it. */
enum cost_lack {
    COST_LACKS_NOTHING,
    COST_FREE,          /* all was */
    COST_NO_PRICE,      /* the agent reports neither its cost nor tokens that have a price */
    COST_HIDDEN,        /* `hidden` cases succeeded without reporting their cost, others do */
    COST_NO_SUCCESS,    /* only a lower bound */
    COST_FEW_SUCCESSES, /* no_success_share of the resamplings had none */
    COST_NO_WIDTH,      /* each case cost the same per success */
    COST_NO_INTERVAL,   /* `error` says why */
};

struct cost_task { /* one configuration on one benchmark */
    const char *benchmark;
    size_t cases;
    int64_t attempts;
    int64_t successes;
    size_t untold;          /* cases whose cost is taken from the others */
    size_t hidden;          /* cases with a success that does not report its cost */
    double total_usd;       /* NaN = the agent does not tell */
    double per_success_usd; /* NaN without a success */
    double low, high;       /* its 95 % interval; low alone is the bound without a success */
    bool is_bound;
    double no_success_share; /* of the resamplings that made the interval */
    double per_dollar;       /* performance per dollar; NaN = no cost, or free */
    enum cost_lack lack;
    const char *error;
    const char *part; /* view_left_out of what is of some of the cases only; else NULL */
};

struct cost_configuration {
    const char *agent_id;
    const char *agent;   /* its name */
    const char *version; /* may be NULL */
    const char *name;    /* "agent@version" */
    bool is_simulated;
    size_t peers; /* other configurations that did the same work; 0 = compared with none */
    struct cost_task *tasks;
    size_t task_count;
    double total_usd;
    double per_success_usd;
    struct cost_task whole; /* the same of all its benchmarks together, with the interval */
    double accuracy;        /* mean over its benchmarks */
    double accuracy_low, accuracy_high; /* its 95 % interval; NaN: nothing was judged */
    double efficiency;                  /* NaN without peers, a success or a cost */
    bool is_optimal;
    bool is_pareto;           /* by points */
    const char *dominated_by; /* by verdicts; NULL: by none */
    double pareto_share;
    double
        savings_share; /* of cost per success, against the most expensive configuration; NaN */
};

struct cost_opportunity { /* `to` would do what `from` does, for the least */
    const char *from;
    const char *to;
    double saving_usd; /* per success */
    double saving_share;
    double usd[2]; /* per success, of `from` and `to` */
    double accuracy[2];
    struct verdict_answer answer[2]; /* accuracy and cost of `to` (B) against `from` (A) */
};

/* From one configuration of the front to the next more expensive one: what the money buys. */
struct cost_step {
    const char *from;
    const char *to;
    struct verdict_answer accuracy; /* of `to` (B) against `from` (A) */
    double usd;                     /* more per success */
    double usd_per_point;           /* of accuracy; NaN: no point is gained */
};

/* The most efficient configuration, and the most accurate one. */
struct cost_value {
    bool is_there; /* two or more are compared */
    struct cost_configuration best, most;
    struct verdict_answer accuracy; /* of `most` (B) against `best` (A); the same: none */
};

struct cost_analysis {
    char run_id[UUID_SIZE];
    struct cost_configuration *configurations; /* in the order of the plan */
    size_t count;
    size_t unfinished;                      /* executions that are left out */
    struct cost_opportunity *opportunities; /* at most one a configuration, most saved first */
    size_t opportunity_count;
    struct cost_opportunity *open; /* the same by points; a verdict is undecided */
    size_t open_count;
    struct cost_value value;
    struct cost_step *steps; /* by front, from the cheapest on */
    size_t step_count;
};

/* Of an agent: all of its newest run are compared, and its own configurations are kept; of a
 * pinned name what is pinned. Fails with ERROR_INVALID for a run without suites or of which
 * nothing finished, one cell, and pins in several runs. */
MUST_USE bool cost_load(struct store *store, const char *selector, struct arena *out,
                        struct cost_analysis *analysis, struct error *err);

/* Keeps the configurations of one agent; ERROR_NOT_FOUND if it has none. */
MUST_USE bool cost_keep(struct cost_analysis *analysis, const struct agent_ref *agent,
                        struct error *err);

#endif
