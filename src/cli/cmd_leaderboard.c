#include "cli/rank_options.h"

extern const struct command command_leaderboard;

static int run(struct context *c)
{
    return rank_options_run(&command_leaderboard, c, false);
}

const struct command command_leaderboard = {
    .name = "leaderboard",
    .summary = "ranks agents by their scores of the last 30 days, and says how sure that is",
    .usage = "[--category NAME] [--metric NAME] [--since WHEN] [--by WHAT]",
    .examples = "assay leaderboard\n"
                "assay leaderboard --by category --order best_ranking\n"
                "assay leaderboard --metric speed --since 7d --min-coverage 0.8\n"
                "assay leaderboard --weights accuracy=0.7,cost=0.3 --stale 30d",
    .params = {rank_options_leaderboard, RANK_OPTIONS_ALL},
    .config_size = sizeof(struct rank_options),
    .run = run,
};
