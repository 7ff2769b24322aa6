/* experiment.h - what can be benchmarked: the contract.
 *
 * An experiment is a table of parameters, a table of the metrics it gives and
 * five hooks. They run in a process of their own (the arm), so a crash, a hang
 * or a memory limit is a failed trial, never a dead run.
 *
 *     setup                               once
 *     prepare                             before each trial, not timed
 *     clock; execute_once; clock          the trial: duration_s
 *     conclude                            after each executed trial, not timed
 *     teardown                            once, always
 *
 * Between the two clock reads there must be no allocation, lock, log or system
 * call but the measured one. Everything that is not the measured work (making
 * input, checking output, formatting) belongs in prepare or conclude.
 *
 * To add one: write src/experiment/experiment_<name>.c ending in `const struct experiment
 * experiment_<name>`, and name it in the list in experiment_registry.c. */
#ifndef EXPERIMENT_EXPERIMENT_H
#define EXPERIMENT_EXPERIMENT_H

#include "base/registry.h"
#include "base/rng.h"
#include "model/metric.h"
#include "model/trial.h"

#include <stdatomic.h>

struct names;

/* What an arm knows; lives as long as the arm. */
struct experiment_env {
    struct arena *arena;         /* lives as long as the arm */
    const char *work_dir;        /* a fresh folder of this arm's own, removed after */
    const void *config;          /* the parameters, read by the table */
    const struct value *agent;   /* the agent's map where takes_agent, else NULL */
    uint64_t workload_seed;      /* the same for every arm of a group */
    uint64_t private_seed;       /* this cell's own */
    int64_t time_limit_ns;       /* per trial; 0 = none */
    struct str cases;            /* of a benchmark (suite/case_pack.h); else empty */
    const struct value *secrets; /* names of variables that must not come back; or NULL */
    const char *base_dir;        /* where relative file names of the spec begin; NULL = here */
    const char *const *hidden;   /* absolute paths that no agent is to see; NULL = none */
    const char *const *fixed;    /* that it is not to change (run/protection.h); NULL = none */
    const char *const *folders;  /* pairs: a work folder as written, what it was; NULL = none */
    struct names *names;         /* resolved once in a command (load/names.h); may be NULL */
    bool (*is_over)(const void *arm); /* see experiment_is_over; NULL = never */
    const void *arm;                  /* for is_over */
    int64_t *memory_floor; /* setup sets the least peak that it can tell, bytes; or NULL */
    struct buf *remarks;   /* setup and teardown may add sentences that the result should
                                  state; each ends in a line feed */
};

/* Whether the run has been interrupted. A trial of minutes that leaves something outside asks now
 * and then and fails: its arm is killed 3 s after an interrupt, without teardown. */
static inline bool experiment_is_over(const struct experiment_env *env)
{
    return env->is_over && env->is_over(env->arm);
}

/* What one trial knows and gives. */
struct trial {
    const struct experiment_env *env;
    int64_t iteration;  /* 0-based within its phase */
    int64_t case_index; /* 0 without cases */
    enum trial_phase phase;
    uint64_t workload_seed; /* of this iteration and case; equal in every arm */
    uint64_t private_seed;
    int64_t start_ns;   /* the reading, where whoever did the work has taken it: set by */
    int64_t end_ns;     /* execute_once or conclude; 0 = the clock reads around execute_once */
    struct usage usage; /* set by experiments that run processes */
    bool is_simulated;  /* set by one that found its subject to be a stand-in */
    bool is_untimed;    /* set where nothing was done that took time of its own */
    const char *case_hash;  /* set in prepare by experiments with cases; else NULL */
    double *values;         /* one slot per declared metric; NaN = none */
    struct buf *detail;     /* nested results (model/detail.h), or empty */
    struct buf *output;     /* bytes to keep: an answer, what a command printed */
    struct buf *histograms; /* trial_put_histogram fills it */
    struct error error;     /* the reason when the status is not TRIAL_OK */
};

/* A picture of its cells in the reports (report/experiment_plots.h). Values are levels
 * (medians; of shares and sums means), with their 95 % intervals as band. */
enum experiment_plot_kind {
    EXPERIMENT_LINES,  /* over `x`; one line for each combination of all else that differs */
    EXPERIMENT_BARS,   /* a bar for each metric of `y`, in every cell */
    EXPERIMENT_CURVES, /* over `x`, of each arm: the mean of the curves that trials have in their
                          detail, `curve` with a value every `curve_step`, in the unit of y[0] */
};

struct experiment_plot {
    const char *title;
    enum experiment_plot_kind kind;
    const char *x;     /* of lines: a numeric parameter; where it does not vary, bars instead */
    const char *y[17]; /* metrics of one unit, up to the first NULL */
};

/* What a trial and its check take at most, roughly. */
struct experiment_demand {
    double memory_bytes, disk_bytes;
    const char *by; /* the parameters that decide, for a message: "num_agents or radius" */
};

struct experiment {
    REGISTRY_ENTRY;          /* metrics: besides duration_s, which every experiment has */
    size_t state_size;       /* zeroed state that the hooks share */
    const char *label_param; /* parameter whose value names a cell: a command; may be NULL */
    const char *primary;     /* metric that `until` looks at; NULL = duration_s */
    bool takes_agent;
    const char *agent_or;   /* takes_agent: a parameter that may be given instead; or NULL */
    bool exclusive;         /* arms cannot be up at once: interleave in blocks */
    bool spawns;            /* the work is other processes, not the arm itself */
    const char *provenance; /* NULL = "measured" */
    const struct experiment_plot *plots;
    size_t plot_count;

    /* A check of parameters that no single row can express; NULL = none. Runs
     * when a spec is checked, before any work. */
    bool (*check)(const void *config, struct error *err);

    /* Where parameters can ask for more than a machine has; NULL = they cannot. An arm is not
     * set up where there is less. */
    struct experiment_demand (*demand)(const void *config);

    bool (*setup)(const struct experiment_env *env, void *state,
                  struct error *err);                                /* may be NULL */
    enum trial_status (*prepare)(struct trial *t, void *state);      /* may be NULL */
    enum trial_status (*execute_once)(struct trial *t, void *state); /* required */
    enum trial_status (*conclude)(struct trial *t, void *state,
                                  enum trial_status status); /* may be NULL */
    bool (*teardown)(void *state, struct error *err);        /* may be NULL */
};

REGISTRY(struct experiment, experiment)

#endif
