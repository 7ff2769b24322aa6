#include "base/json.h"
#include "cli/stored.h"

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
                       const struct run_record *runs, struct json *j, struct error *err)
{
    struct buf line;
    buf_init(&line, 65536);
    bool done = true;
    for (size_t i = 0; i < c->arg_count && done; i++) {
        if (is_repeated(runs, i)) continue;
        buf_clear(&line);
        stored_put_run(&line, &runs[i], store, c->arena);
        done = store_forget(store, runs[i].id, err);
        if (!done) break;
        if (c->json) {
            json_text(j, runs[i].id);
        } else if (!c->quiet) {
            fprintf(c->out, "forgot %.*s\n", STR_ARG(buf_str(&line)));
        }
    }
    buf_release(&line);
    return done;
}

extern const struct command command_forget;

static int run(struct context *c)
{
    if (c->arg_count == 0) return command_misused(&command_forget, "name the runs to remove");
    struct error err = {0};
    struct store *store = NULL;
    struct run_record *runs = arena_new(c->arena, struct run_record, c->arg_count);
    struct buf text;
    struct json j;
    buf_init(&text, 1 << 20);
    json_open(&j, &text, "assay.forget/1");
    json_key(&j, "forgotten");
    json_list(&j);
    bool done = stored_open(c, false, &store, &err) && find_all(c, store, runs, &err) &&
                forget_all(c, store, runs, &j, &err);
    store_close(store);
    json_end(&j);
    json_close(&j);
    int code = done ? EXIT_DONE : command_fail(&err);
    if (done && c->json) code = stored_print(c, &text);
    buf_release(&text);
    return code;
}

const struct command command_forget = {
    .name = "forget",
    .summary = "removes runs from the store, with all that belongs to them",
    .usage = "RUN...",
    .examples = "assay forget 0193f3c2-1a2b\n"
                "assay forget latest",
    .run = run,
};
