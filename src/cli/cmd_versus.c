#include "cli/asked.h"
#include "question/question_versus.h"

struct versus_options {
    struct versus_params asked;
    const char *plot;
};

static const struct param options[] = {
    VERSUS_ROWS,
    STORED_PLOT(struct versus_options),
};

static const struct command_argument arguments[] = {
    {.offset = offsetof(struct versus_options, asked.a)},
    {.offset = offsetof(struct versus_options, asked.b)},
};

const struct command command_versus = {
    .name = "versus",
    .summary = "two agents head to head on a suite, case by case",
    .usage = "A B [--suite NAME]",
    .takes = "two agents",
    .arguments = arguments,
    .argument_count = COUNT(arguments),
    .examples = "assay versus bc awk --suite arithmetic\n"
                "assay versus gpt@1.0 gpt@1.1 --suite support --json",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct versus_options),
    .asks = &question_versus,
    .run = asked_plain,
};
