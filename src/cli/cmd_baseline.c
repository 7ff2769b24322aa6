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

/* What is to be pinned: a run, or where none is named those of the last command. */
struct pinned {
    const struct view **views;
    size_t count;
    size_t cells;
    size_t used; /* of the cells; those that measured nothing are no baseline */
};

static bool load(const struct context *c, struct store *store, struct pinned *p,
                 struct error *err)
{
    struct run_record *last = NULL;
    const char *named = c->arg_count > 2 ? c->args[2] : NULL;
    *p = (struct pinned){.count = 1};
    if (!named && !select_last(store, c->arena, &last, &p->count, err)) return false;
    p->views = arena_new(c->arena, const struct view *, p->count);
    for (size_t i = 0; i < p->count; i++) {
        struct source source;
        if (!source_load(store, named ? named : last[i].id, c->arena, &source, err))
            return false;
        if (source.is_file) {
            return error_set(err, ERROR_INVALID,
                             "'%s' is a file; import it first: baselines are runs of the store",
                             named);
        }
        if (!is_complete(source.view, c->arena, err)) return false;
        p->views[i] = source.view;
        p->cells += source.view->cell_count;
    }
    return true;
}

static bool put(struct store *store, const char *name, struct pinned *p, struct error *err)
{
    for (size_t i = p->count; i-- > 0;) { /* of what was run twice the newest stays */
        for (size_t k = 0; k < p->views[i]->cell_count; k++) {
            const struct execution_record *e = &p->views[i]->cells[k].record;
            if (e->counts.by_status[TRIAL_OK] == 0) continue;
            if (!store_put_baseline(store, name, e, err)) return false;
            p->used++;
        }
    }
    if (p->used > 0) return true;
    return error_set(err, ERROR_INVALID,
                     "run %s has no trial that was ok: nothing to compare others with",
                     id_short(p->views[0]->run.id));
}

static bool pin(struct store *store, const char *name, struct pinned *p, struct error *err)
{
    if (!store_begin(store, err)) return false;
    return put(store, name, p, err) ? store_commit(store, err) : store_rollback(store);
}

static void say_pinned(const struct context *c, const char *name, const struct pinned *p)
{
    fprintf(c->out, "'%s' is run", name);
    for (size_t i = p->count; i-- > 0;) {
        fprintf(c->out, " %s%s", id_short(p->views[i]->run.id),
                i > 1    ? ","
                : i == 1 ? " and"
                         : " now");
    }
    fprintf(c->out, ", for %zu cell%s", p->used, PLURAL(p->used));
    if (p->used < p->cells) fprintf(c->out, " of %zu: in the rest no trial was ok", p->cells);
    fputc('\n', c->out);
}

static int set(struct context *c)
{
    struct error err = {0};
    struct store *store = NULL;
    const char *name = c->args[1];
    struct pinned p;
    struct baseline_record *rows = NULL;
    size_t count = 0;
    if (!is_name(str_of(name)) || store_is_latest(name)) {
        return command_misused(
            c->command,
            "'%s' cannot be a name: up to 100 characters, no space, : / @ or ~, and not latest",
            name);
    }
    bool done = stored_open(c, false, &store, &err) && load(c, store, &p, &err) &&
                pin(store, name, &p, &err) &&
                store_list_baselines(store, name, c->arena, &rows, &count, &err);
    store_close(store);
    if (!done) return command_fail(&err);
    if (c->json) return print(c, rows, count);
    if (!c->quiet) say_pinned(c, name, &p);
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
