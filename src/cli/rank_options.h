/* rank_options.h - what leaderboard and matrix share: their options and printing. */
#ifndef CLI_RANK_OPTIONS_H
#define CLI_RANK_OPTIONS_H

#include "cli/command.h"
#include "rank/ranking.h"

struct rank_options {
    const char *category;
    const char *metric;
    const char *since;
    const char *weights;
    const char *order;
    const char *stale;
    const char *by;
    double min_coverage;
    int64_t limit;
};

extern const struct option rank_options_table[];
enum { RANK_OPTIONS_MATRIX = 7, RANK_OPTIONS_ALL = 9 }; /* rows: the first serve both */

/* Runs the command: reads the options, asks, prints. */
int rank_options_run(const struct command *command, struct context *c, bool is_matrix);

#endif
