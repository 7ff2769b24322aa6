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

extern const struct command command_why;

static int run(struct context *c)
{
    if (c->arg_count != 2 && c->arg_count != 3) {
        return command_misused(
            &command_why, "takes two agents and perhaps a case, got %zu words", c->arg_count);
    }
    struct why_params params = ((const struct why_options *)c->options)->asked;
    params.a = c->args[0];
    params.b = c->args[1];
    params.name = c->arg_count == 3 ? c->args[2] : NULL;
    return asked_run(c, &question_why, &params);
}

const struct command command_why = {
    .name = "why",
    .summary = "takes the difference of two agents apart: by score, phase, use and case",
    .usage = "A B [CASE] [--suite NAME]",
    .examples = "assay why bc awk --suite arithmetic\n"
                "assay why bc awk fraction --suite arithmetic",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct why_options),
    .run = run,
};
