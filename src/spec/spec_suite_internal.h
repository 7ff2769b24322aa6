/* spec_suite_internal.h - what the files of the suite reader share.
 *
 *   suite.c            the file: suite, defaults, includes
 *   suite_agents.c     who is asked
 *   suite_benchmark.c  one benchmark, checked
 *   suite_entry.c      the same as an entry of an experiment spec
 *   suite_settings.c   what may be set from outside
 *   suite_hash.c       what its content is */
#ifndef SPEC_SPEC_SUITE_INTERNAL_H
#define SPEC_SPEC_SUITE_INTERNAL_H

#include "spec/spec_internal.h"
#include "spec/spec_suite.h"
#include "suite/suite.h"

enum { SUITE_FILE_MAX = 64 << 20 }; /* of the environment; it is read for the content hash */

struct suite_reader {
    struct spec_reader *r;
    const struct spec_override *o;
    const char *base_dir;
    struct suite *suite;
    const struct value *root;   /* cleaned */
    const struct value *agents; /* list of maps: the agents to benchmark */
    struct suite_secret_names secrets;
    const struct value *pool; /* list of maps: every agent that the file knows */
};

/* A copy of `map` in which the keys of `names` (old, new, old, new, ...) have
 * their new names; both of one is a problem. */
const struct value *suite_rename(struct spec_reader *r, const struct value *map,
                                 const char *const *names, size_t count);

/* Checks one agent's map; true if it is right. */
bool suite_check_agent(struct spec_reader *r, const struct value *agent);

/* spec_suite_settings.c: what may be set from outside, and what is set (override.settings). */
void suite_check_overridable(struct spec_reader *r, const struct value *list);
void suite_apply_settings(struct spec_reader *r, const struct value *root,
                          struct spec_override *o);
const struct value *suite_set_agent(struct spec_reader *r, const struct value *settings,
                                    const struct value *agent);

/* suite_agents.c: fills pool and agents. */
void suite_read_agents(struct suite_reader *s, const struct value *agents,
                       const struct value *judges, const struct value *include);

/* The map of an agent by id, from the pool or registered; NULL with a problem. */
const struct value *suite_find_agent(struct suite_reader *s, struct str name,
                                     const struct value *at);

/* The agent, or the stand-in that takes its place under --stub. */
const struct value *suite_stubbed(const struct suite_reader *s, const struct value *agent);

/* spec_suite.c. The root's table: its own keys, and those that benchmarks share. */
extern const struct param_table suite_head_table;
extern const struct param_table suite_stub_table;
extern const struct param_table suite_baseline_table;
/* Each name is a scenario's; else a problem at `at`. */
void suite_check_scenarios(struct spec_reader *r, const struct param_texts *names,
                           const struct value *at);
struct param_table suite_root_table(struct arena *out);

/* suite_benchmark.c. An entry without agents is one that none of the chosen is asked. */
extern const struct param_table suite_benchmark_table;
void suite_read_benchmark(struct suite_reader *s, const struct value *map,
                          struct spec_entry *entry);

/* What a benchmark's map says, by suite_benchmark_table. */
struct suite_keys {
    const char *id;
    const char *name;
    const char *description;
    int test_type;
    struct param_texts scenario;
    struct param_texts metrics_measured;
    const struct value *dataset;
    const struct value *cases;
    const struct value *constraints;
    const struct value *targets;
    const struct value *expected_outputs;
    const struct value *rubric;
    const struct value *iterations;
    int64_t num_runs;
    const struct value *stop_early;
    const struct value *environment;
    struct param_texts tags;
    struct param_texts agents;
    const struct value *claims;
    const struct value *instrumentation;
    const struct value *prompts;
    int64_t seed;
    const struct value *until;
    const struct value *weights;
    double pass_at;
    struct param_ints pass_k;
    int reducer;
};

/* A benchmark on its way from the map to the entry. */
struct suite_making {
    struct suite_reader *s;
    struct suite_keys keys;
    const struct value *map; /* cleaned */
    struct suite_benchmark *b;
    const char *remarks[8];
    size_t remark_count;
};

/* suite_entry.c. The suite's agents that the benchmark asks; NULL if there is none
 * among those chosen with --agent. Names that it does not know are problems. */
const struct value *suite_choose_agents(struct suite_making *m);
/* environment, judges, weights, pass_at, reducer: what belongs to the benchmark's
 * content; and pass_k, which does not. */
const struct value *suite_make_settings(struct suite_making *m, const struct value *judges);
/* The map that spec_read_entry reads. */
const struct value *suite_make_entry(struct suite_making *m, const struct value *judges,
                                     const struct value *agents);

/* spec_suite_metrics.c. What metrics_measured names, in our names; NULL = everything.
 * Names that the entry's trials do not give are problems. */
const struct value *suite_read_metrics(struct suite_making *m, const struct spec_entry *entry);

/* suite_hash.c: fills content_hash. */
void suite_hash_benchmark(struct suite_benchmark *b, struct arena *out);
void suite_hash(struct spec *spec, struct suite *suite, struct arena *out);

#endif
