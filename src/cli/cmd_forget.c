/* assay forget: removes runs; a pinned baseline only with --force. */
#include "cli/stored.h"
#include "report/answer_runs.h"

/* Every name is resolved before anything is removed: one that is wrong or
 * ambiguous leaves the store as it was. */
static bool find_all(const struct context *c, struct store *store, struct run_record *runs,
                     struct error *err)
{
    for (size_t i = 0; i < c->arg_count; i++) {
        if (!store_find_run(store, c->args[i], c->arena, &runs[i], err)) return false;
    }
    return true;
}

struct forget_options {
    bool force;
};

static const struct param options[] = {
    {"force", PARAM_BOOL, .offset = offsetof(struct forget_options, force),
     .help = "also runs that are pinned as a baseline"},
};

/* A gate against a baseline that is gone can only refuse: better to ask before. */
static bool check_pins(const struct context *c, struct store *store,
                       const struct run_record *runs, struct error *err)
{
    const struct forget_options *o = c->options;
    struct baseline_record *pins = NULL;
    size_t count = 0;
    if (o->force) return true;
    if (!store_list_baselines(store, NULL, c->arena, &pins, &count, err)) return false;
    for (size_t i = 0; i < c->arg_count; i++) {
        for (size_t k = 0; k < count; k++) {
            if (!pins[k].run_id || strcmp(pins[k].run_id, runs[i].id) != 0) continue;
            return error_set(err, ERROR_INVALID,
                             "run %s is pinned as baseline '%s': pin another run or `assay "
                             "baseline clear %s` first; --force removes it anyway",
                             id_short(runs[i].id), pins[k].name, pins[k].name);
        }
    }
    return true;
}

static bool is_repeated(const struct run_record *runs, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (strcmp(runs[k].id, runs[i].id) == 0) return true;
    }
    return false;
}

static bool forget_all(const struct context *c, struct store *store,
                       const struct run_record *runs, struct answer_runs *gone,
                       struct error *err)
{
    for (size_t i = 0; i < c->arg_count; i++) {
        if (is_repeated(runs, i)) continue;
        gone->runs[gone->count] = listed_run(&runs[i], store, c->arena);
        if (!store_forget(store, runs[i].id, err)) return false;
        gone->count++;
    }
    return true;
}

static int run(struct context *c)
{
    if (c->arg_count == 0) return command_misused(c->command, "name the runs to remove");
    struct error err = {0};
    struct store *store = NULL;
    struct run_record *runs = arena_new(c->arena, struct run_record, c->arg_count);
    struct answer_runs gone = {.runs = arena_new(c->arena, struct listed_run, c->arg_count)};
    bool done = stored_open(c, false, &store, &err) && find_all(c, store, runs, &err) &&
                check_pins(c, store, runs, &err) && forget_all(c, store, runs, &gone, &err);
    store_close(store);
    /* What is removed is said, also where a later one could not be. */
    bool is_told = done || gone.count > 0;
    int code = is_told ? stored_answer(c, &answer_forget, &gone) : EXIT_DONE;
    return done ? code : command_fail(&err);
}

const struct command command_forget = {
    .name = "forget",
    .summary = "removes runs from the store, with all that belongs to them",
    .usage = "RUN... [--force]",
    .takes_runs = true,
    .examples = "assay forget 0193f3c2-1a2b\n"
                "assay forget latest",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct forget_options),
    .run = run,
};
