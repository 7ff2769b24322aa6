/* assay cost: what a success costs, and whether a cheaper agent would do. */
#include "cli/stored.h"
#include "rank/cost.h"
#include "report/answers.h"

struct cost_options {
    const char *agent;
    const char *plot;
};

static const struct param options[] = {
    {"agent", PARAM_TEXT, .offset = offsetof(struct cost_options, agent), .letter = 'a',
     .argument = "NAME", .help = "only this agent (name or name@version)"},
    STORED_PLOT(struct cost_options),
};

extern const struct command command_cost;

static int run(struct context *c)
{
    struct error err = {0};
    struct store *store = NULL;
    if (c->arg_count > 1) {
        return command_misused(&command_cost, "takes one run, got %zu", c->arg_count);
    }
    if (!stored_open(c, true, &store, &err)) return command_fail(&err);
    struct cost_analysis a;
    bool done = cost_load(store, c->arg_count ? c->args[0] : "latest", c->arena, &a, &err);
    store_close(store);
    if (!done) return command_fail(&err);
    const struct cost_options *o = c->options;
    if (o->agent && !cost_keep(&a, o->agent, &err)) return command_fail(&err);
    return stored_answer(c, &answer_cost, &a);
}

const struct command command_cost = {
    .name = "cost",
    .summary = "cost per success with interval, Pareto front, cheaper configurations",
    .usage = "[RUN]",
    .examples = "assay cost\nassay cost latest --agent bc --json",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct cost_options),
    .run = run,
};
