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

const struct command command_cost = {
    .name = "cost",
    .summary = "cost per success with interval, Pareto front, cheaper configurations",
    .usage = "[RUN]",
    .takes_runs = true,
    STORED_RUN_OR(struct cost_options, asked.run, NULL), /* it chooses one, as the route */
    .examples = "assay cost\nassay cost latest --agent bc --json",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct cost_options),
    .asks = &question_cost,
    .run = asked_plain,
};
