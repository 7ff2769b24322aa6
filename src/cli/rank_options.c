#include "cli/rank_options.h"

#include "base/clock.h"
#include "cli/stored.h"
#include "model/vocabulary.h"

#include <math.h>

#define ROW(field) .offset = offsetof(struct rank_options, field)

static const char *const orders[] = {"rank", "best_ranking", NULL};
static const char *const groups[] = {"nothing", "category", "complexity", "test_type", NULL};

/* They differ in the time that counts. */
#define ROWS_OF_BOTH(since)                                                                    \
    {"category",                                                                               \
     PARAM_CHOICE,                                                                             \
     ROW(category),                                                                            \
     .choices = vocabulary_categories,                                                         \
     .argument = "NAME",                                                                       \
     .fallback = "\"overall\"",                                                                \
     .help = "only suites of this category; overall: all together"},                           \
        {"metric",                                                                             \
         PARAM_CHOICE,                                                                         \
         ROW(metric),                                                                          \
         .choices = vocabulary_scores,                                                         \
         .argument = "NAME",                                                                   \
         .fallback = "\"overall\"",                                                            \
         .help = "rank by accuracy, speed, efficiency, cost, reliability or overall"},         \
        {"suite", PARAM_TEXT, ROW(suite), .argument = "NAME", .help = "only this suite"},      \
        {"benchmark", PARAM_TEXT, ROW(benchmark), .argument = "NAME",                          \
         .help = "only this benchmark"},                                                       \
        {"merge-versions", PARAM_BOOL, ROW(merge_versions),                                    \
         .help = "one row an agent: all of its versions together"},                            \
        {"limit",                                                                              \
         PARAM_INT,                                                                            \
         ROW(limit),                                                                           \
         .letter = 'n',                                                                        \
         .fallback = "20",                                                                     \
         .max = INFINITY,                                                                      \
         .help = "at most N rows of each group; 0 = all"},                                     \
        {"since", PARAM_MOMENT, ROW(since_ns), .fallback = (since),                            \
         .help = "executions since that UTC day: 30d, 2026-11-15, or all"},                    \
        {"min-coverage",                                                                       \
         PARAM_SHARE,                                                                          \
         ROW(min_coverage),                                                                    \
         .fallback = "0",                                                                      \
         .max = 1,                                                                             \
         .help = "rank only agents with a success on this share of the benchmarks"},           \
        {"weights", PARAM_TEXT, ROW(weights), .argument = "LIST",                              \
         .help = "of the overall score: accuracy=0.5,speed=0.5 (default 0.3, 0.2, 0.2, 0.15, " \
                 "0.15)"},                                                                     \
    {                                                                                          \
        "order", PARAM_CHOICE, ROW(order),                                                     \
            .choices = orders, .fallback = "\"rank\"",                                         \
            .help = "by the rank, or by the best rank in any score"                            \
    }

const struct param rank_options_matrix[RANK_OPTIONS_MATRIX] = {
    ROWS_OF_BOTH("\"all\""),
    STORED_PLOT(struct rank_options),
};

const struct param rank_options_leaderboard[RANK_OPTIONS_ALL] = {
    ROWS_OF_BOTH("\"30d\""),
    STORED_PLOT(struct rank_options),
    {"by", PARAM_CHOICE, ROW(by), .choices = groups, .fallback = "\"nothing\"",
     .help = "one ranking for each of these"},
    {"stale", PARAM_MOMENT, ROW(stale_ns),
     .help = "also list agents with no result since then (30d), and the share that has one"},
};

/* Whole days: the day that lies so long ago counts from its beginning. */
static const char *day_of(int64_t at_ns, struct arena *out)
{
    char stamp[CLOCK_STAMP_SIZE];
    return arena_printf(out, "%.10s", clock_stamp(at_ns, stamp));
}

static bool read_question(const struct context *c, bool is_matrix, struct ranking_question *q,
                          struct error *err)
{
    const struct rank_options *o = c->options;
    *q = (struct ranking_question){
        .is_matrix = is_matrix,
        .metric = o->metric < VOCABULARY_SCORES ? o->metric : RANKING_OVERALL,
        .min_coverage = o->min_coverage,
        .limit = (size_t)o->limit,
        .order = (enum ranking_order)o->order,
        .filter = {.category = o->category ? vocabulary_categories[o->category] : NULL,
                   .suite = o->suite,
                   .benchmark = o->benchmark,
                   .merges_versions = o->merge_versions,
                   .since = o->since_ns ? day_of(o->since_ns, c->arena) : NULL,
                   .by = (enum rank_by)o->by},
        .seed = 42};
    if (o->stale_ns) q->stale_since = day_of(o->stale_ns, c->arena);
    return !o->weights || ranking_read_weights(o->weights, q->weights, err);
}

int rank_options_run(const struct command *command, struct context *c, bool is_matrix)
{
    if (c->arg_count > 0) {
        return command_misused(command, "takes no argument, got '%s'", c->args[0]);
    }
    struct error err = {0};
    struct store *store = NULL;
    struct ranking_question question;
    struct ranking *ranking = NULL;
    bool done = read_question(c, is_matrix, &question, &err) &&
                stored_open(c, true, &store, &err) &&
                ranking_ask(store, &question, c->arena, &ranking, &err);
    const struct answer *row = is_matrix ? &answer_matrix : &answer_leaderboard;
    int code = done ? stored_answer(c, row, ranking) : command_fail(&err);
    store_close(store);
    return code;
}
