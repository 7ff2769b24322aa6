#include "cli/asked.h"
#include "cli/catalog.h"
#include "question/question_runs.h"

#include <math.h>

static const struct param options[] = {RUNS_ROWS};

extern const struct command command_describe;

/* `list experiments` is `describe experiments`. */
static int list_kind(const struct context *c)
{
    struct context asked = *c;
    asked.options =
        arena_alloc(c->arena, 1, command_describe.config_size, _Alignof(max_align_t));
    return command_describe.run(&asked);
}

static int run(struct context *c)
{
    if (c->arg_count == 0) return asked_run(c, &question_runs, NULL);
    for (size_t k = 0; c->arg_count == 1 && catalog_at(k); k++) {
        if (strcmp(c->args[0], catalog_at(k)->plural) == 0) return list_kind(c);
    }
    return command_misused(c->command,
                           "lists runs, or what there is of a kind, such as 'experiments'; "
                           "got '%s'",
                           c->args[0]);
}

const struct command command_list = {
    .name = "list",
    .summary = "lists stored runs, newest first, or what there is of a kind",
    .usage = "[--limit N] [--tag TAG] [--suite SUITE] [--since WHEN] | KIND",
    .examples = "assay list\n"
                "assay list --since 7d --tag nightly\n"
                "assay list experiments",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct runs_params),
    .run = run,
};
