#include "cli/rank_options.h"

#include "base/clock.h"
#include "base/human.h"
#include "cli/stored.h"
#include "report/answer_ranking.h"

#include <math.h>

#define ROW(field) .offset = offsetof(struct rank_options, field)

const struct option rank_options_table[] = {
    {.name = "category",
     .kind = OPTION_TEXT,
     ROW(category),
     .argument = "NAME",
     .help = "only suites of this category (default overall: all together)"},
    {.name = "metric",
     .kind = OPTION_TEXT,
     ROW(metric),
     .argument = "NAME",
     .help = "rank by accuracy, speed, efficiency, cost or reliability (default all: overall)"},
    {.name = "limit",
     .letter = 'n',
     .kind = OPTION_INT,
     ROW(limit),
     .argument = "N",
     .help = "at most N rows of each group; 0 = all (default 20)"},
    {.name = "since",
     .kind = OPTION_TEXT,
     ROW(since),
     .argument = "WHEN",
     .help = "executions since that UTC day: 30d, 2026-11-15, or all (leaderboard 30d, matrix "
             "all)"},
    {.name = "min-coverage",
     .kind = OPTION_REAL,
     ROW(min_coverage),
     .argument = "SHARE",
     .help = "rank only agents with a success on this share of the benchmarks (default 0)"},
    {.name = "weights",
     .kind = OPTION_TEXT,
     ROW(weights),
     .argument = "LIST",
     .help =
         "of the overall score: accuracy=0.5,speed=0.5 (default 0.3, 0.2, 0.2, 0.15, 0.15)"},
    {.name = "order",
     .kind = OPTION_TEXT,
     ROW(order),
     .argument = "ORDER",
     .help = "rank, or best_ranking: by the best rank in any score"},
    {.name = "by",
     .kind = OPTION_TEXT,
     ROW(by),
     .argument = "WHAT",
     .help = "one ranking for each category, complexity or test_type"},
    {.name = "stale",
     .kind = OPTION_TEXT,
     ROW(stale),
     .argument = "SPAN",
     .help = "also agents not benchmarked for that long (30d), and the share that was"},
};
_Static_assert(COUNT(rank_options_table) == RANK_OPTIONS_ALL, "rows of the table");

/* Whole days: the day that lay so long ago counts from its beginning. */
static bool read_day(const char *option, const char *text, struct arena *out, const char **day,
                     struct error *err)
{
    double seconds = 0;
    int64_t at_ns = 0;
    char stamp[CLOCK_STAMP_SIZE];
    if (strcmp(text, "all") == 0) {
        *day = NULL;
        return true;
    }
    snprintf(stamp, sizeof stamp, "%.10sT00:00:00Z", text);
    bool is_day = strlen(text) >= 10 && clock_parse_stamp(stamp, &at_ns);
    if (!is_day) {
        if (!human_parse_span(str_of(text), &seconds) || seconds < 0 || seconds >= 1e9) {
            return error_set(err, ERROR_INVALID,
                             "--%s '%s' is no time; write 30d, 2w, 2026-11-15 or all", option,
                             text);
        }
        clock_stamp(clock_unix_ns() - (int64_t)(seconds * 1e9), stamp);
    }
    *day = arena_printf(out, "%.10s", stamp);
    return true;
}

static bool read_word(const char *option, const char *text, const char *const *words,
                      size_t count, size_t *which, struct error *err)
{
    char list[200];
    struct buf b;
    buf_over(&b, list, sizeof list);
    for (*which = 0; *which < count; (*which)++) {
        if (strcmp(text, words[*which]) == 0) return true;
        buf_printf(&b, "%s%s", *which ? ", " : "", words[*which]);
    }
    return error_set(err, ERROR_INVALID, "--%s '%s' is not one of %s", option, text, list);
}

static bool read_question(const struct rank_options *o, bool is_matrix, struct arena *out,
                          struct ranking_question *q, struct error *err)
{
    static const char *const orders[] = {"rank", "best_ranking"};
    static const char *const groups[] = {"nothing", "category", "complexity", "test_type"};
    size_t which = 0;
    *q = (struct ranking_question){.is_matrix = is_matrix,
                                   .metric = RANKING_OVERALL,
                                   .min_coverage = o->min_coverage,
                                   .limit = (size_t)o->limit,
                                   .seed = 42};
    static const char *const categories[] = {
        "overall", "speed", "accuracy", "cost", "reliability", "scalability", "comprehensive"};
    bool is_any = !o->category || strcmp(o->category, "overall") == 0;
    if (o->category &&
        !read_word("category", o->category, categories, COUNT(categories), &which, err)) {
        return false;
    }
    q->filter.category = is_any ? NULL : o->category;
    const char *since = o->since ? o->since : is_matrix ? "all" : "30d";
    if (!read_day("since", since, out, &q->filter.since, err)) return false;
    if (o->stale && !read_day("stale", o->stale, out, &q->stale_since, err)) return false;
    if (o->metric && !ranking_read_metric(o->metric, &q->metric, err)) return false;
    if (o->weights && !ranking_read_weights(o->weights, q->weights, err)) return false;
    if (o->order) {
        if (!read_word("order", o->order, orders, COUNT(orders), &which, err)) return false;
        q->order = (enum ranking_order)which;
    }
    if (o->by) {
        if (!read_word("by", o->by, groups, COUNT(groups), &which, err)) return false;
        q->filter.by = (enum rank_by)which;
    }
    return true;
}

static int print_ranking(const struct context *c, const struct ranking *r)
{
    struct buf out;
    buf_init(&out, 64 << 20);
    if (c->json) {
        struct json j;
        json_init(&j, &out, 0);
        ranks_json(&j, r);
        buf_add_char(&out, '\n');
    } else {
        ranks_text(&out, r, c->quiet);
    }
    int code = stored_print(c, &out);
    buf_release(&out);
    return code;
}

int rank_options_run(const struct command *command, struct context *c, bool is_matrix)
{
    const struct rank_options *o = c->options;
    if (c->arg_count > 0) {
        return command_misused(command, "takes no argument, got '%s'", c->args[0]);
    }
    if (o->limit < 0) return command_misused(command, "--limit must be at least 0");
    if (!(o->min_coverage >= 0 && o->min_coverage <= 1)) {
        return command_misused(command, "--min-coverage must be from 0 to 1");
    }
    struct error err = {0};
    struct store *store = NULL;
    struct ranking_question question;
    struct ranking *ranking = NULL;
    bool done = read_question(o, is_matrix, c->arena, &question, &err) &&
                stored_open(c, true, &store, &err) &&
                ranking_ask(store, &question, c->arena, &ranking, &err);
    int code = done ? print_ranking(c, ranking) : command_fail(&err);
    store_close(store);
    return code;
}
