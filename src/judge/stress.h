/* stress.h - scenarios under which an agent is loaded, and what is concluded from them.
 *
 * A scenario is a function of what was measured: given the phases so far it asks for the next
 * one, or has seen enough and concludes. It starts nothing and reads no clock, so a model of
 * an agent and a real one are judged by the same code, and a test that was interrupted goes
 * on from the phases that are stored.
 *
 * A phase is one cell of `experiment: load`, its blocks are the cell's trials. Before any
 * scenario two phases find out what is usual:
 *
 *     calibration   `in_flight` requests at a time, one after the other: what a client gets
 *     normal        half of that rate, arriving at random: loads are multiples of it
 *
 * Where the user says what the normal rate is, the first is left out. The second is repeated
 * where the generator spoiled most of it, twice at most.
 *
 * An objective says what is still an answer: at most `error_share` of the requests without a
 * good one, and the 95th percentile of response times at most `p95_s`, by default ten times
 * the usual one.
 *
 * To add a scenario: write its row in stress_scenarios.c. */
#ifndef JUDGE_STRESS_H
#define JUDGE_STRESS_H

#include "base/registry.h"
#include "judge/breaking.h"
#include "stats/usl.h"

/* What is to be measured; as parameters of `experiment: load`. */
struct stress_ask {
    const char *role;    /* "normal", "level", "spike", "size" */
    double rate;         /* requests due per second; 0: closed load */
    int64_t connections; /* in flight, or with a rate at most; 0: as it comes */
    double seconds;      /* of a block */
    int64_t blocks;
    const char *shape;      /* "constant", "spike" */
    double factor;          /* of a spike */
    double spike_share;     /* of the block, after twice that; 0: a fifth */
    int64_t body_bytes;     /* 0: the request as it is; else padded to so many */
    const char *fault;      /* "none", "kill", "stop": to the agent's process, in each block */
    double memory_limit_mb; /* of the agent's processes; 0: none */
    double timeout_s;       /* limit of a request; 0: the target's own */
    bool can_be_old;        /* a phase of the same load that was measured before will do */
};

struct stress_block {
    bool is_answered; /* false: not one good answer */
    bool is_spoiled;  /* by the generator: its verdict is not ok */
    double rate, scheduled_rate;
    double p50_s, p95_s, p99_s, mean_s, growth_s;
    double error_share, limited_share, refused_share;
    double retry_after_s;   /* NaN: no refusal said when to come back */
    double recovery_s;      /* after a spike or a fault; NaN: not within the block, or */
    double baseline;        /* too few answers before it to compare with (load/course.h) */
    double spike_rate;      /* answers per second in a spike: what it can do; NaN */
    double lost;            /* requests without an answer after a fault */
    double first_success_s; /* after a fault; NaN: none */
    double memory_mb, cpu_s, threads, files; /* of the agent's processes; NaN: not ours */
    double group_mb;     /* by their cgroups; NaN: there are none, limits are kept by looking */
    double memory_kills; /* by the kernel, for a limit; NaN: the same */
    double deaths;       /* times that it ended without a fault of ours */
    double accuracy;     /* mean score of answers that were checked; NaN: none was */
    double in_flight;    /* most at once */
};

struct stress_phase {
    struct stress_ask ask;
    const char *execution_id;
    const char *error; /* why the phase has no blocks; NULL */
    const struct stress_block *blocks;
    size_t count;
};

/* What the user has chosen. */
struct stress_terms {
    double normal_rate;    /* 0: to be measured */
    int64_t in_flight;     /* at least 1 */
    double factor;         /* high load is so many times the normal one */
    double block_s;        /* shortest block */
    double block_max_s;    /* longest: slow agents get longer blocks */
    double search_max_s;   /* the same of high_load, which needs many requests in a block */
    int64_t search_blocks; /* of a level of high_load at most; 0: 20 */
    bool cuts_off;     /* rate_limiting does not wait for answers far beyond the objective */
    int64_t sustained; /* blocks of the sustained load */
    int64_t fault_blocks, size_blocks; /* of failure_recovery and large_inputs; 0: 3 */
    double fault_s;                    /* shortest block of failure_recovery */
    int64_t concurrency;               /* highest number in flight */
    int64_t input_bytes;               /* largest input */
    double p95_s;                      /* 0: ten times the usual one */
    double error_share;                /* at most; 0: none may fail */
    bool has_process; /* the agent's process is ours to squeeze, stop and kill */
    bool has_input;   /* requests have a body that can be made larger */
};

/* What a scenario looks at. */
struct stress_case {
    const struct stress_terms *terms;
    double normal_rate;
    double usual_p95_s;
    double usual_memory_mb; /* by the cgroups where there are, else resident */
    bool has_groups;
    double usual_accuracy; /* NaN: not judged */
    double objective_s;
    double error_share;
    double block_s;
    const struct stress_phase *normal;
    const struct stress_phase *phases; /* this scenario's, in order */
    size_t count;
};

enum stress_reason {
    STRESS_NO_REASON,
    STRESS_GENERATOR,  /* it was saturated or skewed */
    STRESS_NO_PROCESS, /* assay did not start the agent */
    STRESS_NO_INPUT,   /* requests without a body */
    STRESS_NO_MEMORY,  /* the memory of the process is not known */
    STRESS_NO_LIMIT,   /* the agent does not limit its rate */
    STRESS_UNMEASURED, /* a phase has no blocks: `error` says why */
    STRESS_UNFINISHED, /* the search used up its phases before it had an answer */
    STRESS_TOO_FEW,    /* blocks to see a slope */
    STRESS_NO_LEAK,    /* of what held: nobody could look for a leak of memory */
    STRESS_LAW_OFF,    /* the knee of the fitted law is not the measured one */
    STRESS_FEW_BEFORE, /* answers before a spike or a fault: nobody knows what was usual */
    STRESS_TOO_SHORT,  /* it was watched for less than twice the time that its queue takes */
    STRESS_WATCHED,    /* memory was looked at, not limited by the kernel */
};
const char *stress_reason_name(enum stress_reason r); /* NULL of none */

enum stress_outcome {
    STRESS_HELD,
    STRESS_BROKE,
    STRESS_NOT_APPLICABLE, /* what it needs is missing: `reason` */
    STRESS_SPOILED,        /* undecided: what was measured does not tell; `reason` */
};
const char *stress_outcome_name(enum stress_outcome o);

/* A named number of a result, with its interval where it has one. */
struct stress_figure {
    const char *name;
    const char *unit;
    double value;
    double low, high; /* NaN: none */
};

/* The rule that decided, with the value it saw and what it is compared with. */
struct stress_rule {
    const char *name; /* "p95_beyond_objective" */
    double value;
    double threshold;
    const char *unit;
};

/* What the law of scaling says of a number in flight. */
struct stress_prediction {
    double load;
    struct usl_prediction of;
    double measured_rate, measured_p95_s; /* of a level that was held back; NaN: not measured */
};

enum { STRESS_FIGURES_MAX = 12, STRESS_PREDICTIONS_MAX = 2 };

struct stress_scenario;

struct stress_result {
    const struct stress_scenario *scenario;
    enum stress_outcome outcome;
    enum stress_reason reason; /* why it is neither held nor broke; what it leaves open */
    const char *error;         /* of the phase that has no blocks; NULL */
    struct stress_rule rule;
    struct stress_figure figures[STRESS_FIGURES_MAX];
    size_t figure_count;
    double score;                           /* 0..1, docs/stress.md; NaN: not applicable */
    const struct breaking_answer *breaking; /* of a search; NULL */
    const struct usl *usl;                  /* of a fit; NULL */
    const struct usl_interval *usl_interval;
    struct stress_prediction predictions[STRESS_PREDICTIONS_MAX];
    size_t prediction_count;
    const struct stress_phase *phases;
    size_t phase_count;
};

struct stress_scenario {
    REGISTRY_ENTRY; /* summary: the description */
    const char *const *monitored;
    size_t monitored_count;
    enum stress_reason needs; /* STRESS_NO_PROCESS: does not apply where that is so */
    bool takes_spoiled;       /* it looks at blocks that the generator spoiled by itself */

    /* True: `ask` is to be measured next. False: it has seen enough. */
    bool (*next)(const struct stress_case *c, struct stress_ask *ask);
    /* From at least one phase, or none where it asked for none. */
    void (*conclude)(const struct stress_case *c, struct arena *out, struct stress_result *r);
};

REGISTRY(struct stress_scenario, stress_scenario)

/* ---- before the scenarios ---- */

/* The phases before any scenario: what one client gets, and the normal load, which is tried again
 * and then halved as long as this machine cannot send it steadily. True while one is still to be
 * measured. */
bool stress_next_usual(const struct stress_terms *terms, const struct stress_phase *phases,
                       size_t count, struct stress_ask *ask);

/* From them; fails (ERROR_FAILED) where the agent does not even answer those. */
MUST_USE bool stress_usual(const struct stress_terms *terms, const struct stress_phase *phases,
                           size_t count, struct stress_case *c, struct error *err);

/* ---- a scenario ---- */

/* What it wants next; false: it has seen enough, or its last phase has no blocks. */
bool stress_next(const struct stress_scenario *s, const struct stress_case *c,
                 struct stress_ask *ask);

/* What `r->scenario` concludes from the phases that were measured and that the generator did
 * not spoil. Where there are others it may have broken, but has not held. With what is known
 * of any scenario: the lowest accuracy of a phase. */
void stress_judge(const struct stress_case *c, struct arena *out, struct stress_result *r);

/* ---- after them ---- */

enum stress_advice {
    STRESS_ADVISE_LOAD,      /* keep the load below the safe one */
    STRESS_ADVISE_LIMIT,     /* refuse early: queues grow without bound */
    STRESS_ADVISE_WAIT,      /* say when to come back */
    STRESS_ADVISE_CONTENT,   /* work that waits in line: contention */
    STRESS_ADVISE_COHERENCE, /* more in flight, less done */
    STRESS_ADVISE_LEAK,
    STRESS_ADVISE_INPUT, /* refuse inputs beyond a size */
    STRESS_ADVISE_RESTART,
    STRESS_ADVISE_SPIKE,
    STRESS_ADVISE_MEMORY,
};

struct stress_recommendation {
    enum stress_advice advice;
    const char *scenario;
    struct stress_rule rule;
};

struct stress_limits { /* NaN: not known */
    double safe_rate;
    double highest_rate;
    double peak_in_flight;
    double allowed_rate;
    double largest_input_bytes;
};

struct stress {
    const char *agent; /* its URL or name */
    const char *run_id;
    struct stress_case usual;
    struct stress_result *results;
    size_t count;
    double resilience; /* NaN: no scenario applies */
    bool is_partial;   /* some do not apply, or were not asked for */
    struct stress_limits limits;
    struct stress_recommendation *recommendations;
    size_t recommendation_count;
    bool is_interrupted;
};

/* Broke before spoiled before held: what is undecided has not held. */
enum stress_outcome stress_worst(const struct stress *s);

/* Score, limits and recommendations from the results. */
void stress_conclude(struct stress *s, struct arena *out);

#endif
