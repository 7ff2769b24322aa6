#include "cli/asked.h"
#include "question/question_cases.h"

static const struct param options[] = {CASES_ROWS};

const struct command command_cases = {
    .name = "cases",
    .summary = "shows what was asked, expected and answered",
    .usage = "[RUN] [--failed] [--flipped A B] [--slow] [--tag T] [--case ID]",
    .takes_runs = true,
    STORED_RUN(struct cases_params, run),
    .examples = "assay cases --failed\n"
                "assay cases latest --case fraction --json",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct cases_params),
    .asks = &question_cases,
    .run = asked_plain,
};
