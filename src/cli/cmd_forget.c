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

extern const struct command command_forget;

static int run(struct context *c)
{
    if (c->arg_count == 0) return command_misused(&command_forget, "name the runs to remove");
    struct error err = {0};
    struct store *store = NULL;
    struct run_record *runs = arena_new(c->arena, struct run_record, c->arg_count);
    struct answer_runs gone = {.runs = arena_new(c->arena, struct listed_run, c->arg_count)};
    bool done = stored_open(c, false, &store, &err) && find_all(c, store, runs, &err) &&
                forget_all(c, store, runs, &gone, &err);
    store_close(store);
    int code = done || !c->json ? stored_answer(c, &answer_forget, &gone) : EXIT_DONE;
    return done ? code : command_fail(&err);
}

const struct command command_forget = {
    .name = "forget",
    .summary = "removes runs from the store, with all that belongs to them",
    .usage = "RUN...",
    .examples = "assay forget 0193f3c2-1a2b\n"
                "assay forget latest",
    .run = run,
};
