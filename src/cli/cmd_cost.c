/* assay cost: what a success costs, and whether a cheaper agent would do. */
#include "cli/asked.h"
#include "question/question_cost.h"

struct cost_options {
    struct cost_params asked;
    const char *plot;
};

static const struct param options[] = {
    COST_ROWS,
    STORED_PLOT(struct cost_options),
};

extern const struct command command_cost;

static int run(struct context *c)
{
    if (c->arg_count > 1) {
        return command_misused(&command_cost, "takes one run, got %zu", c->arg_count);
    }
    struct cost_params params = ((const struct cost_options *)c->options)->asked;
    params.run = c->arg_count ? c->args[0] : "latest";
    return asked_run(c, &question_cost, &params);
}

const struct command command_cost = {
    .name = "cost",
    .summary = "cost per success with interval, Pareto front, cheaper configurations",
    .usage = "[RUN]",
    .takes_runs = true,
    .examples = "assay cost\nassay cost latest --agent bc --json",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct cost_options),
    .run = run,
};
