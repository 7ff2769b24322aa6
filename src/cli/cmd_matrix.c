#include "cli/rank_options.h"

extern const struct command command_matrix;

static int run(struct context *c)
{
    return rank_options_run(&command_matrix, c, true);
}

static const struct rank_options defaults = {.limit = 20};

const struct command command_matrix = {
    .name = "matrix",
    .summary = "compares all agents by their latest success on each benchmark",
    .usage = "[--category NAME] [--metric NAME] [--since WHEN]",
    .examples = "assay matrix\n"
                "assay matrix --category accuracy --min-coverage 1",
    .options = rank_options_table,
    .option_count = RANK_OPTIONS_MATRIX,
    .options_size = sizeof(struct rank_options),
    .defaults = &defaults,
    .run = run,
};
