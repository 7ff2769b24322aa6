/* spec_suite.h - suites as a spec holds them: what is asked, of whom, and how it is
 * judged.
 *
 * A suite file becomes one spec_entry per benchmark, with the experiment
 * `suite`; the entry points to its suite_benchmark. Everything is read and
 * checked by spec_load: agents, includes, datasets, rubrics, files of the
 * environment.
 *
 * Content. A benchmark's content_hash covers whatever decides what is asked and
 * how it is judged: cases with their expected answers, rubric, constraints,
 * targets, environment, judges. Results under different hashes are results of
 * different benchmarks. */
#ifndef SPEC_SPEC_SUITE_H
#define SPEC_SPEC_SUITE_H

#include "score/dataset.h"
#include "score/scores.h"
#include "spec/spec.h"

/* The `stress` section: how `assay stress FILE` loads the suite's agents. 0 or none: as the
 * command's own options. */
struct suite_stress {
    struct param_texts scenarios;
    struct param_texts agents; /* none: all */
    const char *benchmark;     /* whose cases are the requests; NULL: the only one's */
    double rate;
    int64_t connections;
    double factor;
    double p95_ms;
    double max_errors;
    double timeout_ms;
    const char *serve; /* command of the server to start first, or NULL */
    bool quick;
    struct param_texts
        allow_hosts; /* holds in a file that the user names on the command line */
};

struct suite {
    const char *id; /* the name people use */
    const char *title;
    const char *category;
    const char *version;                 /* or NULL */
    const char *description;             /* or NULL */
    const char *created_at;              /* as written, or NULL */
    const char *content_hash;            /* of id, category and the benchmarks' hashes */
    const struct value *baseline_scores; /* list of {agent_id, scores}, or NULL */
    const struct value *secrets;         /* list of names: suite_secret_names */
    const struct suite_stress *stress;   /* or NULL */
};

struct suite_benchmark {
    const struct suite *suite;
    const char *id;
    const char *title;
    const char *description;         /* or NULL */
    const char *test_type;           /* or NULL */
    struct param_texts scenarios;    /* of test_type stress; none: the usual one */
    const char *complexity;          /* or NULL */
    const struct value *metrics;     /* metrics_measured: list of text, or NULL */
    const struct value *dataset;     /* as written, or NULL */
    const struct value *constraints; /* map, or NULL */
    const struct value *targets;     /* map, or NULL */
    const struct value *rubric;      /* as written, or NULL: the default one */
    const struct value *settings;    /* environment, judges, weights, pass_at */
    struct case_set cases;
    bool is_subset; /* of the cases that the file has: does not rank */
    const char *content_hash;
    const char *base_dir;       /* where relative file names begin */
    const char *const *remarks; /* sentences for the result */
    size_t remark_count;
};

/* Keeps only the cases that `keep` says true to; the benchmark's content hash
 * follows. False if none is left. After the last one suite_rehash makes the
 * suite's hash fit its entries. */
MUST_USE bool suite_keep_cases(struct spec_entry *entry,
                               bool (*keep)(void *context, const struct case_item *item),
                               void *context, struct arena *out);
void suite_rehash(struct spec *spec, struct arena *out);

/* Whether metrics_measured, as written or as stored, names the metric. NULL or empty: it names
 * all. */
bool suite_names_metric(const struct value *list, const char *metric);

/* What a suite's text gives the benchmark for metrics_measured, by whatever names of the keys
 * and whether its own or shared (NULL: nothing); false if the text does not describe it. For
 * runs that were stored with their text. */
MUST_USE bool suite_metrics_in(const char *text, const char *benchmark, struct arena *out,
                               const struct value **metrics);

/* The agents of a file: `agents:` (with includes), a list, or one agent. Each
 * checked against its adapter's table. */
MUST_USE bool suite_load_agents(const char *path, struct str bytes, struct arena *out,
                                const struct value **list, struct problems *problems);

/* The key of the adapter that an agent's map names, or NULL. */
const char *suite_agent_kind(const struct value *agent);
struct str suite_agent_id(const struct value *agent);
/* As stated; of a model (openai, http) without one 8 digits of the hash of its configuration;
 * else NULL. */
const char *suite_agent_version(const struct value *agent, struct arena *out);
bool suite_agent_has_version(const struct value *agent); /* stated */

/* What its answers depend on: its `config`, and of a model its settings, without where it is
 * and how it is reached. NULL if there is none of that. */
const struct value *suite_agent_configuration(const struct value *agent, struct arena *out);

/* Stated to be a simulation (`simulated: true`, or the model `stub`). */
bool suite_agent_is_simulated(const struct value *agent);

/* The folder of a file: where its relative names begin. "." for a bare name. */
const char *suite_dir_of(struct arena *out, const char *path);

#endif
