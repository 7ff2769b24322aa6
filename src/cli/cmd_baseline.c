/* assay baseline: which run others are held against. */
#include "base/json.h"
#include "cli/stored.h"
#include "view/source.h"

extern const struct command command_baseline;

static bool is_name(struct str name)
{
    for (size_t i = 0; i < name.n; i++) {
        if (strchr(":/@~ \t\n", name.p[i])) return false;
    }
    return name.n > 0 && name.n <= 100 && str_is_utf8(name);
}

static int finish(struct context *c, struct json *j, bool done, const struct error *err)
{
    json_end(j);
    json_close(j);
    int code = done ? EXIT_DONE : command_fail(err);
    if (done && c->json) code = stored_print(c, j->out);
    buf_release(j->out);
    return code;
}

static void begin(struct json *j, struct buf *b, const char *schema)
{
    buf_init(b, 16 << 20);
    json_open(j, b, schema);
    json_key(j, "baselines");
    json_list(j);
}

static void put(struct context *c, const struct baseline_record *b, struct json *j)
{
    if (c->json) {
        json_object(j);
        json_put_text(j, "name", b->name);
        json_put_text(j, "agent", b->agent);
        json_put_text(j, "agent_version", b->version);
        json_put_text(j, "benchmark", b->benchmark);
        json_put_text(j, "cell", b->label);
        json_put_text(j, "run", b->run_id);
        json_put_text(j, "execution_id", b->execution_id);
        json_put_text(j, "created_at", b->created_at);
        json_end(j);
        return;
    }
    const char *run = b->run_id ? id_short(b->run_id) : "(forgotten)";
    struct buf line;
    buf_init(&line, 1 << 20);
    buf_printf(&line, "%-16s  %-12s  %.10s  %s on %s%s%s\n", b->name, run, b->created_at,
               b->agent, b->benchmark, b->label ? ": " : "", b->label ? b->label : "");
    (void)!stored_print(c, &line);
    buf_release(&line);
}

static int list(struct context *c)
{
    struct error err = {0};
    struct store *store = NULL;
    struct baseline_record *rows = NULL;
    size_t count = 0;
    struct buf b;
    struct json j;
    begin(&j, &b, "assay.baselines/1");
    bool done = stored_open(c, true, &store, &err) &&
                store_list_baselines(store, NULL, c->arena, &rows, &count, &err);
    for (size_t i = 0; i < count; i++) put(c, &rows[i], &j);
    if (done && count == 0 && !c->json && !c->quiet) {
        fputs("no baseline is pinned; `assay baseline set NAME RUN` pins one\n", c->out);
    }
    store_close(store);
    return finish(c, &j, done, &err);
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
    if (!is_name(str_of(name))) {
        return command_misused(&command_baseline,
                               "'%s' is no name: up to 100 characters, no space, : / @ or ~",
                               name);
    }
    bool done = stored_open(c, false, &store, &err) &&
                source_load(store, selector, c->arena, &source, &err);
    if (done && source.is_file) {
        done = error_set(&err, ERROR_INVALID,
                         "'%s' is a file; import it first: baselines are runs of the store",
                         selector);
    }
    done = done && pin(store, name, source.view, &pinned, &err);
    if (done && pinned == 0) {
        done = error_set(&err, ERROR_INVALID,
                         "run %s has no trial that went well: nothing "
                         "to hold others against",
                         id_short(source.view->run.id));
    }
    struct baseline_record *rows = NULL;
    size_t count = 0;
    struct buf b;
    struct json j;
    begin(&j, &b, "assay.baselines/1");
    done = done && store_list_baselines(store, name, c->arena, &rows, &count, &err);
    for (size_t i = 0; i < count && c->json; i++) put(c, &rows[i], &j);
    store_close(store);
    if (done && !c->json && !c->quiet) {
        size_t cells = source.view->cell_count;
        fprintf(c->out, "'%s' is run %s now, for %zu cell%s", name,
                id_short(source.view->run.id), pinned, pinned == 1 ? "" : "s");
        if (pinned < cells) {
            fprintf(c->out, " of %zu: in the rest no trial went well", cells);
        }
        fputc('\n', c->out);
    }
    return finish(c, &j, done, &err);
}

static int clear(struct context *c)
{
    struct error err = {0};
    struct store *store = NULL;
    struct buf b;
    struct json j;
    begin(&j, &b, "assay.baselines/1");
    bool done =
        stored_open(c, false, &store, &err) && store_clear_baseline(store, c->args[1], &err);
    store_close(store);
    if (done && !c->json && !c->quiet) fprintf(c->out, "'%s' is no baseline now\n", c->args[1]);
    return finish(c, &j, done, &err);
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
    return command_misused(&command_baseline, "takes set NAME [RUN], list or clear NAME");
}

const struct command command_baseline = {
    .name = "baseline",
    .summary = "pins a run under a name, for others to be held against",
    .usage = "set NAME [RUN] | list | clear NAME",
    .examples = "assay baseline set main latest\n"
                "assay baseline list\n"
                "assay baseline clear main",
    .run = run,
};
