#include "cli/asked.h"
#include "question/question_ranking.h"

#include <math.h>

struct matrix_options {
    struct ranking_params asked;
    const char *plot;
};

static const struct param options[] = {
    MATRIX_ROWS,
    STORED_PLOT(struct matrix_options),
};

const struct command command_matrix = {
    .name = "matrix",
    .summary = "compares all agents by their latest success on each benchmark",
    .usage = "[--category NAME] [--metric NAME] [--since WHEN]",
    .takes = "no arguments",
    .examples = "assay matrix\n"
                "assay matrix --category accuracy --min-coverage 1",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct matrix_options),
    .asks = &question_matrix,
    .run = asked_plain,
};
