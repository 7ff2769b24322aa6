#include "cli/stored.h"
#include "report/answer_runs.h"

#include <math.h>

struct list_options {
    int64_t limit;
    const char *tag;
    int64_t since_ns;
};

static const struct param options[] = {
    {"limit", PARAM_INT, .offset = offsetof(struct list_options, limit), .letter = 'n',
     .fallback = "20", .max = INFINITY, .help = "at most N runs, newest first; 0 = all"},
    {"tag", PARAM_TEXT, .offset = offsetof(struct list_options, tag), .argument = "TAG",
     .help = "only runs with this tag"},
    {"since", PARAM_MOMENT, .offset = offsetof(struct list_options, since_ns),
     .help = "only runs since then: 7d, 12h, or 2026-11-15"},
};

extern const struct command command_list;

static int run(struct context *c)
{
    const struct list_options *o = c->options;
    if (c->arg_count > 0) {
        return command_misused(&command_list, "takes no argument, got '%s'", c->args[0]);
    }
    struct error err = {0};
    struct store *store = NULL;
    struct run_filter filter = {
        .tag = o->tag, .limit = (size_t)o->limit, .since_ns = o->since_ns};
    struct run_record *runs = NULL;
    size_t count = 0;
    bool done = stored_open(c, true, &store, &err) &&
                store_list_runs(store, &filter, c->arena, &runs, &count, &err);
    struct answer_runs a = {.runs = arena_new(c->arena, struct listed_run, count + 1)};
    for (; a.count < count; a.count++)
        a.runs[a.count] = listed_run(&runs[a.count], store, c->arena);
    store_close(store);
    return done ? stored_answer(c, &answer_list, &a) : command_fail(&err);
}

const struct command command_list = {
    .name = "list",
    .summary = "lists stored runs, newest first",
    .usage = "[--limit N] [--tag TAG] [--since WHEN]",
    .examples = "assay list\n"
                "assay list --since 7d --tag nightly",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct list_options),
    .run = run,
};
