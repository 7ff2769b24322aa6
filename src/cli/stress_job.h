/* stress_job.h - one agent, loaded as `assay stress` and `assay run` of a benchmark with
 * `test_type: stress` do: carried out, concluded, stored, said. */
#ifndef CLI_STRESS_JOB_H
#define CLI_STRESS_JOB_H

#include "cli/command.h"
#include "cli/stress_source.h"
#include "judge/load_summary.h"
#include "study/stress_run.h"

/* The options of `assay stress`. */
struct stress_options {
    const char *url;
    const char *serve;
    const char *method;
    const char *body;
    struct param_texts agents;
    struct param_texts only;
    const char *cases;
    struct param_texts headers;
    int64_t connections;
    int64_t threads;
    double rate;
    int arrivals;
    double duration_s;
    double timeout_s;
    struct param_texts scenarios;
    bool quick;
    double factor;
    double p95_s;
    double error_share;
    struct param_texts allow_hosts;
    struct param_texts fail_if;
    const char *resume;
    int64_t seed;
    const char *report;
    const char *plot;
};
extern const struct param_table stress_options_table;
extern const char *const stress_arrivals[];

enum { STRESS_SCENARIOS_MAX = 16 };

/* What a whole command shares. */
struct stress_desk {
    struct nursery *nursery;
    struct store *store;
    const struct run_record *resume; /* or NULL */
    const struct load_limit *limits; /* of --fail-if, without `broke` */
    size_t limit_count;
    bool is_silent;   /* the answer is stored, not printed */
    bool has_several; /* jobs: files get the agent's name */
};

/* The rows of these names ("all": every one), at most STRESS_SCENARIOS_MAX. */
MUST_USE bool stress_find_scenarios(const struct param_texts *names,
                                    const struct stress_scenario **list, size_t *count,
                                    struct error *err);

/* What the job's suite says, where the command line does not. `c` NULL: it says nothing. */
struct stress_options stress_job_options(const struct context *c,
                                         const struct stress_options *options,
                                         const struct stress_job *job);

/* Scenarios, or without any one load; the exit code. `job` NULL: options->url. */
int stress_job_run(struct context *c, const struct stress_desk *desk,
                   const struct stress_options *options, const struct stress_job *job);

#endif
