/* suite.h - the tables of what a suite says, shared by the spec, which checks
 * them, and the experiment `suite`, which obeys them. */
#ifndef SUITE_SUITE_H
#define SUITE_SUITE_H

#include "agent/agent.h"

struct suite_constraints { /* of one trial; 0 = none */
    double time_limit_ms;
    double memory_limit_mb;
    int64_t token_limit;
    double cost_limit_usd;
    int64_t output_limit_bytes;
    int64_t process_limit;
};

struct suite_targets { /* 0 = none */
    double duration_s;
    double tokens;
    double cpu_s;
    double memory_mb;
    double cost_usd;
};

struct suite_environment {
    const struct value *files;    /* name: text, or name: {from: path} */
    const struct value *env;      /* variables of the agent */
    struct param_command setup;   /* before the agent starts, in the work folder */
    struct param_command cleanup; /* after it has ended, however it ended */
    const char *workdir;          /* a folder that is there, instead of a fresh one */
};

struct suite_prices { /* USD per 1M tokens; below 0 = not stated */
    double input;
    double output;
    double cache_read;
    const char *date;
};

struct suite_weights {
    double accuracy;
    double speed;
    double efficiency;
    double cost;
    double reliability;
};

enum { SUITE_AGENT_KINDS_MAX = 16 };

/* The keys of an agent's map: these, and one of the registered adapters'. */
struct suite_agent_keys {
    const char *id;
    const char *name;
    const char *description;
    const char *version;
    const struct value *prices;
    const struct value *config;
    bool simulated;
    struct param_texts tags;
    const struct value *kinds[SUITE_AGENT_KINDS_MAX]; /* in registry order */
};

/* Names of the environment variables that hold secrets: `api_key_env` of agents, `from` of
 * variables. What they hold must not come back in any cell of the suite. */
struct suite_secret_names {
    const struct value *items[SECRETS_MAX];
    size_t count;
};

void suite_add_agent_secrets(struct suite_secret_names *names, const struct value *agent);
void suite_add_variable_secrets(struct suite_secret_names *names, const struct value *env);
const struct value *suite_secret_list(const struct suite_secret_names *names,
                                      struct arena *out);

extern const struct param_table suite_constraints_table;
extern const struct param_table suite_targets_table;
extern const struct param_table suite_environment_table;
extern const struct param_table suite_prices_table;
extern const struct param_table suite_weights_table;

/* The rows of struct suite_agent_keys, with those of the registry; in `out`. */
struct param_table suite_agent_table(struct arena *out);

#endif
