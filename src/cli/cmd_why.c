#include "cli/asked.h"
#include "question/question_why.h"

struct why_options {
    struct why_params asked;
    bool all;
};

static const struct param options[] = {
    WHY_ROWS,
    {"all", PARAM_BOOL, .offset = offsetof(struct why_options, all), .letter = 'a',
     .help = "every case, not only those that make most of it"},
};

static const struct command_argument arguments[] = {
    {.offset = offsetof(struct why_options, asked.a)},
    {.offset = offsetof(struct why_options, asked.b)},
    {.offset = offsetof(struct why_options, asked.name), .is_optional = true},
};

const struct command command_why = {
    .name = "why",
    .summary = "takes the difference of two agents apart: by score, phase, use and case",
    .usage = "A B [CASE] [--suite NAME]",
    .takes = "two agents and perhaps a case",
    .arguments = arguments,
    .argument_count = COUNT(arguments),
    .examples = "assay why bc awk --suite arithmetic\n"
                "assay why bc awk fraction --suite arithmetic",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct why_options),
    .asks = &question_why,
    .run = asked_plain,
};
