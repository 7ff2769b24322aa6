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

extern const struct command command_versus;

static int run(struct context *c)
{
    if (c->arg_count != 2) {
        return command_misused(&command_versus, "takes two agents, got %zu", c->arg_count);
    }
    struct versus_params params = ((const struct versus_options *)c->options)->asked;
    params.a = c->args[0];
    params.b = c->args[1];
    return asked_run(c, &question_versus, &params);
}

const struct command command_versus = {
    .name = "versus",
    .summary = "two agents head to head on a suite, case by case",
    .usage = "A B [--suite NAME]",
    .examples = "assay versus bc awk --suite arithmetic\n"
                "assay versus gpt@1.0 gpt@1.1 --suite support --json",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct versus_options),
    .run = run,
};
