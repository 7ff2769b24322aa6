#include "cli/asked.h"
#include "cli/options.h"
#include "question/question_ranking.h"
#include "rank/ranking.h"

#include <math.h>

struct leaderboard_options {
    struct ranking_params asked;
    bool fail;
    const char *plot;
};

static const struct param options[] = {
    LEADERBOARD_ROWS,
    {"fail", PARAM_BOOL, .offset = offsetof(struct leaderboard_options, fail),
     .help = "with --stale: exit 1 if an agent has no result since then"},
    STORED_PLOT(struct leaderboard_options),
};

static int run(struct context *c)
{
    const struct leaderboard_options *o = c->options;
    if (!o->fail) return asked_run(c, &question_leaderboard, NULL);
    struct error err = {0};
    const void *answer = NULL;
    if (!options_has(c, "stale")) {
        return command_misused(c->command, "--fail goes with --stale 30d");
    }
    if (!asked(c, &question_leaderboard, NULL, &answer, &err)) return command_fail(&err);
    int code = stored_answer(c, &answer_leaderboard, answer);
    const struct ranking *r = answer;
    return code == EXIT_DONE && r->stale_count > 0 ? EXIT_FAILED : code;
}

const struct command command_leaderboard = {
    .name = "leaderboard",
    .summary = "ranks agents by their scores of the last 30 days, and says how sure that is",
    .usage = "[--category NAME] [--metric NAME] [--since WHEN] [--by WHAT]",
    .takes = "no arguments",
    .examples = "assay leaderboard\n"
                "assay leaderboard --by category --order best_ranking\n"
                "assay leaderboard --metric speed --since 7d --min-coverage 0.8\n"
                "assay leaderboard --weights accuracy=0.7,cost=0.3\n"
                "assay leaderboard --stale 30d --fail",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct leaderboard_options),
    .run = run,
};
