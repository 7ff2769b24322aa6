#include "suite/suite.h"

#define LIMIT(field)  .offset = offsetof(struct suite_constraints, field)
#define TARGET(field) .offset = offsetof(struct suite_targets, field)
#define ENV(field)    .offset = offsetof(struct suite_environment, field)
#define PRICE(field)  .offset = offsetof(struct suite_prices, field)
#define WEIGHT(field) .offset = offsetof(struct suite_weights, field)
#define AGENT(field)  .offset = offsetof(struct suite_agent_keys, field)

static const struct param constraints[] = {
    {"time_limit_ms", PARAM_REAL, LIMIT(time_limit_ms), .fallback = "0", .min = 0, .max = 1e9,
     .unit = "ms", .help = "longest time of one answer; 0 = none"},
    {"memory_limit_mb", PARAM_REAL, LIMIT(memory_limit_mb), .fallback = "0", .min = 0,
     .max = 1e9, .unit = "MB", .help = "most memory of the agent's processes; 0 = none"},
    {"token_limit", PARAM_INT, LIMIT(token_limit), .fallback = "0", .min = 0, .max = 1e12,
     .help = "most tokens of one case, in and out; 0 = none"},
    {"cost_limit_usd", PARAM_REAL, LIMIT(cost_limit_usd), .fallback = "0", .min = 0, .max = 1e9,
     .unit = "USD", .help = "most that one case may cost; 0 = none"},
    {"output_limit_bytes", PARAM_INT, LIMIT(output_limit_bytes), .fallback = "16777216",
     .min = 1, .max = AGENT_OUTPUT_MOST, .unit = "B",
     .help = "longest answer, of its text; a longer one is a breach"},
    {"process_limit", PARAM_INT, LIMIT(process_limit), .fallback = "0", .min = 0, .max = 1e6,
     .help = "most processes of the agent at once, threads too; 0 = 512, or none with contain: "
             "off"},
};

static const struct param targets[] = {
    {"duration_s", PARAM_REAL, TARGET(duration_s), .fallback = "0", .min = 0, .max = 1e9,
     .unit = "s", .help = "median time that gives a speed score of 0.5"},
    {"tokens", PARAM_REAL, TARGET(tokens), .fallback = "0", .min = 0, .max = 1e12,
     .help = "tokens of one case, for efficiency"},
    {"cpu_s", PARAM_REAL, TARGET(cpu_s), .fallback = "0", .min = 0, .max = 1e9, .unit = "s",
     .help = "processor time of one case, for efficiency"},
    {"memory_mb", PARAM_REAL, TARGET(memory_mb), .fallback = "0", .min = 0, .max = 1e9,
     .unit = "MB", .help = "peak memory of one case, for efficiency"},
    {"cost_usd", PARAM_REAL, TARGET(cost_usd), .fallback = "0", .min = 0, .max = 1e9,
     .unit = "USD", .help = "cost of one case that gives a cost score of 0.5"},
};

static const struct param environment[] = {
    {"files", PARAM_MAP, ENV(files),
     .help = "files in the agent's work folder: name: text, or name: {from: path}"},
    {"env", PARAM_MAP, ENV(env),
     .help = "environment variables of the agent: NAME: value, or NAME: {from: OURS}"},
    {"setup", PARAM_COMMAND, ENV(setup),
     .help = "command before the agent starts, in its work folder"},
    {"cleanup", PARAM_COMMAND, ENV(cleanup),
     .help = "command after the agent has ended, even if it was killed"},
    {"workdir", PARAM_TEXT, ENV(workdir),
     .help = "an existing folder instead of a fresh one for each agent"},
};

static const struct param prices[] = {
    {"input", PARAM_REAL, PRICE(input), .fallback = "-1", .min = -1, .max = 1e9, .unit = "USD",
     .help = "of 1M input tokens"},
    {"output", PARAM_REAL, PRICE(output), .fallback = "-1", .min = -1, .max = 1e9,
     .unit = "USD", .help = "of 1M output tokens"},
    {"cache_read", PARAM_REAL, PRICE(cache_read), .fallback = "-1", .min = -1, .max = 1e9,
     .unit = "USD", .help = "of 1M input tokens read from a cache"},
    {"date", PARAM_TEXT, PRICE(date), .help = "as of when"},
};

static const struct param weights[] = {
    {"accuracy", PARAM_REAL, WEIGHT(accuracy), .fallback = "0", .min = 0, .max = 1e6},
    {"speed", PARAM_REAL, WEIGHT(speed), .fallback = "0", .min = 0, .max = 1e6},
    {"efficiency", PARAM_REAL, WEIGHT(efficiency), .fallback = "0", .min = 0, .max = 1e6},
    {"cost", PARAM_REAL, WEIGHT(cost), .fallback = "0", .min = 0, .max = 1e6},
    {"reliability", PARAM_REAL, WEIGHT(reliability), .fallback = "0", .min = 0, .max = 1e6},
};

static const struct param agent_rows[] = {
    {"id", PARAM_TEXT, AGENT(id), .required = true, .help = "the name people use"},
    {"name", PARAM_TEXT, AGENT(name), .help = "a longer name"},
    {"description", PARAM_TEXT, AGENT(description), .help = "what it is"},
    {"version", PARAM_TEXT, AGENT(version), .help = "which version of it this is"},
    {"prices", PARAM_MAP, AGENT(prices),
     .help = "USD per 1M tokens: {input, output, cache_read, date}"},
    {"config", PARAM_MAP, AGENT(config), .help = "its settings: model_configuration"},
    {"simulated", PARAM_BOOL, AGENT(simulated), .fallback = "false",
     .help = "its numbers do not measure a real agent"},
    {"tags", PARAM_TEXT_LIST, AGENT(tags), .fallback = "[]", .help = "words to find it by"},
};

const struct param_table suite_constraints_table = {constraints, COUNT(constraints)};
const struct param_table suite_targets_table = {targets, COUNT(targets)};
const struct param_table suite_environment_table = {environment, COUNT(environment)};
const struct param_table suite_prices_table = {prices, COUNT(prices)};
const struct param_table suite_weights_table = {weights, COUNT(weights)};

struct param_table suite_agent_table(struct arena *out)
{
    size_t kinds = 0;
    while (agent_kind_at(kinds)) kinds++;
    CHECK(kinds <= SUITE_AGENT_KINDS_MAX);
    struct param *rows = arena_new(out, struct param, COUNT(agent_rows) + kinds);
    memcpy(rows, agent_rows, sizeof agent_rows);
    for (size_t i = 0; i < kinds; i++) {
        rows[COUNT(agent_rows) + i] = (struct param){
            .name = agent_kind_at(i)->name,
            .type = PARAM_MAP,
            .offset = offsetof(struct suite_agent_keys, kinds) + i * sizeof(struct value *),
            .help = agent_kind_at(i)->summary,
        };
    }
    return (struct param_table){rows, COUNT(agent_rows) + kinds};
}
