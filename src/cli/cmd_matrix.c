#include "cli/rank_options.h"

extern const struct command command_matrix;

static int run(struct context *c)
{
    return rank_options_run(&command_matrix, c, true);
}

const struct command command_matrix = {
    .name = "matrix",
    .summary = "compares all agents by their latest success on each benchmark",
    .usage = "[--category NAME] [--metric NAME] [--since WHEN]",
    .examples = "assay matrix\n"
                "assay matrix --category accuracy --min-coverage 1",
    .params = {rank_options_matrix, RANK_OPTIONS_MATRIX},
    .config_size = sizeof(struct rank_options),
    .run = run,
};
