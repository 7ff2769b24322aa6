/* question_ranking.h - what leaderboard and matrix ask: the same, of another window. */
#ifndef QUESTION_QUESTION_RANKING_H
#define QUESTION_QUESTION_RANKING_H

#include "base/param.h"
#include "model/vocabulary.h"
#include "rank/ranking.h"

struct ranking_params {
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
    struct param_texts agents;
};

extern const char *const question_ranking_orders[];
extern const char *const question_ranking_groups[];

#define RANKING_AT(field) .offset = offsetof(struct ranking_params, field)

/* They differ in the time that counts. */
#define RANKING_ROWS(since)                                                                    \
    {"category",                                                                               \
     PARAM_CHOICE,                                                                             \
     RANKING_AT(category),                                                                     \
     .choices = vocabulary_categories,                                                         \
     .argument = "NAME",                                                                       \
     .fallback = "\"overall\"",                                                                \
     .help = "only suites of this category; overall: all together"},                           \
        {"metric",                                                                             \
         PARAM_CHOICE,                                                                         \
         RANKING_AT(metric),                                                                   \
         .choices = vocabulary_scores,                                                         \
         .argument = "NAME",                                                                   \
         .fallback = "\"overall\"",                                                            \
         .help = "rank by accuracy, speed, efficiency, cost, reliability or overall"},         \
        {"agent", PARAM_TEXT_LIST, RANKING_AT(agents), .argument = "NAME",                     \
         .help = "only this agent (name, id or name@version); may be repeated"},               \
        {"suite", PARAM_TEXT, RANKING_AT(suite), .argument = "NAME",                           \
         .help = "only this suite"},                                                           \
        {"benchmark", PARAM_TEXT, RANKING_AT(benchmark), .argument = "NAME",                   \
         .help = "only this benchmark"},                                                       \
        {"merge-versions", PARAM_BOOL, RANKING_AT(merge_versions),                             \
         .help = "one row per agent: all of its versions and prompts together"},               \
        {"limit",                                                                              \
         PARAM_INT,                                                                            \
         RANKING_AT(limit),                                                                    \
         .letter = 'n',                                                                        \
         .fallback = "20",                                                                     \
         .max = INFINITY,                                                                      \
         .help = "at most N rows of each group; 0 = all"},                                     \
        {"since", PARAM_MOMENT, RANKING_AT(since_ns), .fallback = (since),                     \
         .help = "executions since that UTC day: 30d, 2026-11-15, or all"},                    \
        {"min-coverage",                                                                       \
         PARAM_SHARE,                                                                          \
         RANKING_AT(min_coverage),                                                             \
         .fallback = "0",                                                                      \
         .max = 1,                                                                             \
         .help = "rank only agents with a success on this share of the benchmarks"},           \
        {"weights", PARAM_TEXT, RANKING_AT(weights), .argument = "LIST",                       \
         .help = "of the overall score: accuracy=0.5,speed=0.5 (default 0.3, 0.2, 0.2, 0.15, " \
                 "0.15)"},                                                                     \
    {                                                                                          \
        "order", PARAM_CHOICE, RANKING_AT(order),                                              \
            .choices = question_ranking_orders, .fallback = "\"rank\"",                        \
            .help = "by the rank, or by the best rank in any score"                            \
    }

#define MATRIX_ROWS RANKING_ROWS("\"all\"")
#define LEADERBOARD_ROWS                                                                    \
    RANKING_ROWS("\"30d\""),                                                                \
        {"by",                                                                              \
         PARAM_CHOICE,                                                                      \
         RANKING_AT(by),                                                                    \
         .choices = question_ranking_groups,                                                \
         .fallback = "\"nothing\"",                                                         \
         .help = "one ranking for each of these"},                                          \
    {                                                                                       \
        "stale", PARAM_MOMENT, RANKING_AT(stale_ns),                                        \
            .help = "also list agents with no such result since then (30d), and the share " \
                    "that has one"                                                          \
    }

#endif
