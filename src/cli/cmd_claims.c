/* assay claims: does what the spec claims hold in the samples of a run? */
#include "cli/asked.h"
#include "judge/claims.h"
#include "question/question_claims.h"

struct claims_options {
    struct claims_params asked;
    bool decide;
    const char *plot;
};

static const struct param options[] = {
    CLAIMS_ROWS,
    {"decide", PARAM_BOOL, .offset = offsetof(struct claims_options, decide),
     .help = "exit 4 if a claim is undecided"},
    STORED_PLOT(struct claims_options),
};

static int write_claims(const struct context *c, const struct claims *claims)
{
    const struct claims_options *o = c->options;
    int code = stored_answer(c, &answer_claims, claims);
    if (code != EXIT_DONE) return code;
    if (claims->failing > 0) return EXIT_FAILED;
    bool is_open = claims->holding < claims->count;
    return is_open && o->decide ? EXIT_UNDECIDED : EXIT_DONE;
}

static int run(struct context *c)
{
    struct error err = {0};
    const void *claims = NULL;
    bool done = asked(c, &question_claims, NULL, &claims, &err);
    return done ? write_claims(c, claims) : command_fail(&err);
}

const struct command command_claims = {
    .name = "claims",
    .summary = "decides from the samples of a run whether the claims of its spec hold",
    .usage = "[RUN] [options]",
    .takes_runs = true,
    STORED_RUN(struct claims_options, asked.run),
    .examples = "assay claims\n"
                "assay claims latest --decide --json",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct claims_options),
    .run = run,
};
