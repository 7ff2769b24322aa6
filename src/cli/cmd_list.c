#include "cli/asked.h"
#include "question/question_runs.h"

#include <math.h>

static const struct param options[] = {RUNS_ROWS};

extern const struct command command_list;

static int run(struct context *c)
{
    if (c->arg_count > 0) {
        return command_misused(&command_list, "takes no argument, got '%s'", c->args[0]);
    }
    return asked_run(c, &question_runs, NULL);
}

const struct command command_list = {
    .name = "list",
    .summary = "lists stored runs, newest first",
    .usage = "[--limit N] [--tag TAG] [--since WHEN]",
    .examples = "assay list\n"
                "assay list --since 7d --tag nightly",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct runs_params),
    .run = run,
};
