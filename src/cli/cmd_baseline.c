/* assay baseline: which run others are compared with. */
#include "base/human.h"
#include "base/plain.h"
#include "cli/stored.h"
#include "report/answer_registered.h"
#include "report/words.h"
#include "view/source.h"

static bool is_name(struct str name)
{
    for (size_t i = 0; i < name.n; i++) {
        if (strchr(":/@~ \t\n", name.p[i])) return false;
    }
    return name.n > 0 && name.n <= 100 && plain_is(name);
}

/* Those that are there now, or of one name. */
static int print(const struct context *c, const struct baseline_record *rows, size_t count)
{
    const struct answer_registered a = {.rows = rows, .count = count};
    return stored_answer(c, &answer_baselines, &a);
}

static int list(struct context *c)
{
    struct error err = {0};
    struct store *store = NULL;
    struct baseline_record *rows = NULL;
    size_t count = 0;
    bool done = stored_open(c, true, &store, &err) &&
                store_list_baselines(store, NULL, c->arena, &rows, &count, &err);
    store_close(store);
    return done ? print(c, rows, count) : command_fail(&err);
}

/* The cases that an interrupted run did not reach would be compared with nothing. */
static bool is_complete(const struct view *view, struct arena *scratch, struct error *err)
{
    for (size_t i = 0; i < view->cell_count; i++) {
        const struct execution_record *e = &view->cells[i].record;
        if (!view_unfinished(e) || e->counts.by_status[TRIAL_OK] == 0) continue;
        return error_set(
            err, ERROR_INVALID,
            "%s of run %s cannot be a baseline, %s: `assay run SPEC --resume %s` makes "
            "the rest",
            view_cell_name(view, &view->cells[i], scratch), id_short(view->run.id),
            words_unfinished(e, scratch), id_short(view->run.id));
    }
    return true;
}

/* Cells that measured nothing are no baseline. */
static bool pin(struct store *store, const char *name, const struct view *view, size_t *pinned,
                struct error *err)
{
    *pinned = 0;
    if (!store_begin(store, err)) return false;
    for (size_t i = 0; i < view->cell_count; i++) {
        const struct execution_record *e = &view->cells[i].record;
        if (e->counts.by_status[TRIAL_OK] == 0) continue;
        if (!store_put_baseline(store, name, e, err)) return store_rollback(store);
        (*pinned)++;
    }
    return store_commit(store, err);
}

static int set(struct context *c)
{
    struct error err = {0};
    struct store *store = NULL;
    struct source source;
    const char *name = c->args[1];
    const char *selector = c->arg_count > 2 ? c->args[2] : "latest";
    size_t pinned = 0;
    if (!is_name(str_of(name)) || store_is_latest(name)) {
        return command_misused(
            c->command,
            "'%s' cannot be a name: up to 100 characters, no space, : / @ or ~, and not latest",
            name);
    }
    bool done = stored_open(c, false, &store, &err) &&
                source_load(store, selector, c->arena, &source, &err);
    if (done && source.is_file) {
        done = error_set(&err, ERROR_INVALID,
                         "'%s' is a file; import it first: baselines are runs of the store",
                         selector);
    }
    done = done && is_complete(source.view, c->arena, &err) &&
           pin(store, name, source.view, &pinned, &err);
    if (done && pinned == 0) {
        done = error_set(&err, ERROR_INVALID,
                         "run %s has no trial that was ok: nothing "
                         "to compare others with",
                         id_short(source.view->run.id));
    }
    struct baseline_record *rows = NULL;
    size_t count = 0;
    done = done && store_list_baselines(store, name, c->arena, &rows, &count, &err);
    store_close(store);
    if (!done) return command_fail(&err);
    if (c->json) return print(c, rows, count);
    if (!c->quiet) {
        size_t cells = source.view->cell_count;
        fprintf(c->out, "'%s' is run %s now, for %zu cell%s", name,
                id_short(source.view->run.id), pinned, PLURAL(pinned));
        if (pinned < cells) {
            fprintf(c->out, " of %zu: in the rest no trial was ok", cells);
        }
        fputc('\n', c->out);
    }
    return EXIT_DONE;
}

static int clear(struct context *c)
{
    struct error err = {0};
    struct store *store = NULL;
    struct baseline_record *rest = NULL;
    size_t count = 0;
    bool done = stored_open(c, false, &store, &err) &&
                store_clear_baseline(store, c->args[1], &err) &&
                store_list_baselines(store, NULL, c->arena, &rest, &count, &err);
    store_close(store);
    if (!done) return command_fail(&err);
    if (c->json) return print(c, rest, count);
    if (!c->quiet) fprintf(c->out, "removed baseline '%s'\n", plain_line(c->args[1], c->arena));
    return EXIT_DONE;
}

static int run(struct context *c)
{
    static const struct {
        const char *name;
        size_t least, most;
        int (*run)(struct context *c);
    } verbs[] = {{"set", 2, 3, set}, {"list", 1, 1, list}, {"clear", 2, 2, clear}};
    const char *verb = c->arg_count ? c->args[0] : "list";
    for (size_t i = 0; i < COUNT(verbs); i++) {
        if (strcmp(verb, verbs[i].name) != 0) continue;
        bool fits = c->arg_count <= verbs[i].most &&
                    (c->arg_count >= verbs[i].least || c->arg_count == 0);
        if (fits) return verbs[i].run(c);
    }
    return command_misused(c->command, "takes set NAME [RUN], list or clear NAME");
}

static const char *const words[] = {"set", "list", "clear", NULL};

const struct command command_baseline = {
    .name = "baseline",
    .summary = "pins a run under a name, as baseline for others",
    .usage = "set NAME [RUN] | list | clear NAME",
    .words = words,
    .takes_runs = true,
    .examples = "assay baseline set main latest\n"
                "assay baseline list\n"
                "assay baseline clear main",
    .run = run,
};
