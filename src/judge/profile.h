/* profile.h - where an execution's time and tokens went.
 *
 * From what is stored of its trials: phases that the agent reported (or that
 * its stream showed), usage, and the stacks of the `profile` instrument. Each
 * bottleneck and opportunity names its rule, the values and the threshold; the
 * rules are in profile_rules.c. */
#ifndef JUDGE_PROFILE_H
#define JUDGE_PROFILE_H

#include "base/registry.h"
#include "store/store.h"

struct profile_phase {
    struct str name;
    int64_t count;    /* over all ok trials */
    double total_s;   /* sum of their durations */
    double mean_s;    /* the same per ok trial */
    double share;     /* of the trials' whole duration */
    double cpu_s;     /* sums; NaN = not told */
    double memory_mb; /* largest */
    double io_operations;
    double avoidable_s; /* same-named ones in a row: all but the longest of each row */
};

/* The rules, in the order of their rows (profile_rules.c). */
enum profile_rule_id {
    PROFILE_SLOW_PHASE,
    PROFILE_SERIAL_PHASES,
    PROFILE_WASTED_TOKENS,
    PROFILE_CACHE_MISSES,
    PROFILE_ONE_PROCESSOR,
    PROFILE_HOT_FUNCTION,
    PROFILE_RULE_COUNT
};

/* What a finding rests on. */
struct profile_finding {
    enum profile_rule_id rule;
    const char *location; /* the phase or function; "tokens", "prompt cache", "processors" */
    const char *before;   /* the phase that takes longer; NULL: none does */
    double share;         /* that was compared with the threshold */
    double threshold;
    double part;  /* ms of a phase; phases a trial; tokens; samples */
    double whole; /* ms a trial; tokens; processors; samples */
};

struct profile_bottleneck {
    struct profile_finding found;
    double impact_ms; /* per trial */
};

struct profile_opportunity {
    struct profile_finding found;
    const char *category;
    double impact;      /* share of the time, or of the tokens, that it would save */
    const char *effort; /* "low", "medium", "high" */
};

enum {
    PROFILE_FINDINGS_MAX = 32,
    PROFILE_HOT_LEAST = 50 /* samples: a share of 0.4 is then known to +-0.14 */
};

struct profile_function { /* from sampled stacks */
    struct str name;
    int64_t self;
    int64_t total;
};

struct profile {
    struct execution_record execution;
    const char *agent;            /* NULL for built-in experiments */
    const char *benchmark;        /* its name, or the experiment's */
    size_t trials;                /* ok ones */
    size_t failed;                /* a trial that we spoiled is in no number here */
    double duration_s;            /* sum over ok trials */
    struct profile_phase *phases; /* longest first */
    size_t phase_count;
    bool phases_are_seen;     /* from the stream, not told by the agent */
    bool phases_are_measured; /* none were: one for the whole answer, as the kernel saw it */

    double input_tokens, output_tokens, cache_read_tokens; /* sums; NaN = not told */
    double all_tokens;    /* input, output, and of attempts that were made again */
    double wasted_tokens; /* the part of them that went to those and to failed trials */
    double token_efficiency;

    double cpu_efficiency;    /* processor time / wall time, at most 1 */
    double memory_efficiency; /* mean / peak resident set */
    double io_efficiency;     /* bytes per read or write call / 4096, at most 1 */
    double cpu_s;             /* sum over ok trials; NaN = not known, as below */
    double memory_peak_mb;
    double io_operations;
    double io_bytes;
    double parallelization_score; /* processor time / (wall time x processors) */
    int64_t cpus;

    struct profile_bottleneck bottlenecks[PROFILE_FINDINGS_MAX];
    size_t bottleneck_count;
    struct profile_opportunity opportunities[PROFILE_FINDINGS_MAX];
    size_t opportunity_count;

    struct str folded;                  /* all sampled stacks, or empty */
    struct profile_function *functions; /* most samples of their own first */
    size_t function_count;
    int64_t samples;
};

struct profile_list {
    struct profile *items;
    size_t count;
};

/* Of every execution that a selector (view/select.h) means, in plan order. */
MUST_USE bool profile_load(struct store *store, const char *selector, struct arena *out,
                           struct profile_list *list, struct error *err);

/* Keeps those of one agent, or of all where it is NULL, and of each its `top` functions. */
MUST_USE bool profile_keep(struct profile_list *list, const struct agent_ref *agent, size_t top,
                           struct error *err);

/* A rule adds bottlenecks and opportunities where its share passes the threshold. */
struct profile_rule {
    REGISTRY_ENTRY;
    double threshold;
    void (*find)(struct profile *p, const struct profile_rule *rule, struct arena *out);
};

REGISTRY(struct profile_rule, profile_rule)

/* All rules: fills bottlenecks and opportunities from the rest. */
void profile_judge(struct profile *p, struct arena *out);

#endif
