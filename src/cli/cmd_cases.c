#include "cli/asked.h"
#include "question/question_cases.h"

static const struct param options[] = {CASES_ROWS};

extern const struct command command_cases;

static int run(struct context *c)
{
    if (c->arg_count > 1)
        return command_misused(&command_cases, "takes one run, got %zu", c->arg_count);
    struct cases_params params = *(const struct cases_params *)c->options;
    params.run = c->arg_count ? c->args[0] : "latest";
    return asked_run(c, &question_cases, &params);
}

const struct command command_cases = {
    .name = "cases",
    .summary = "shows what was asked, expected and answered",
    .usage = "[RUN] [--failed] [--flipped A B] [--slow] [--tag T] [--case ID]",
    .takes_runs = true,
    .examples = "assay cases --failed\n"
                "assay cases latest --case fraction --json",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct cases_params),
    .run = run,
};
