/* rank_options.h - what leaderboard and matrix share: their options and printing. */
#ifndef CLI_RANK_OPTIONS_H
#define CLI_RANK_OPTIONS_H

#include "cli/command.h"
#include "rank/ranking.h"

struct rank_options {
    int category; /* of vocabulary_categories */
    int metric;   /* of vocabulary_scores */
    const char *suite;
    const char *benchmark;
    bool merge_versions;
    int64_t since_ns;
    const char *weights;
    int order; /* enum ranking_order */
    int64_t stale_ns;
    int by; /* enum rank_by */
    double min_coverage;
    int64_t limit;
    const char *plot;
};

enum { RANK_OPTIONS_MATRIX = 11, RANK_OPTIONS_ALL = 13 }; /* rows: the first serve both */
extern const struct param rank_options_leaderboard[RANK_OPTIONS_ALL];
extern const struct param rank_options_matrix[RANK_OPTIONS_MATRIX];

/* Runs the command: reads the options, asks, prints. */
int rank_options_run(const struct command *command, struct context *c, bool is_matrix);

#endif
