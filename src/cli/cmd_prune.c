#include "base/clock.h"
#include "base/json.h"
#include "cli/options.h"
#include "cli/stored.h"

#include <math.h>

struct prune_options {
    int64_t keep;
    double older_than_s;
    bool dry_run;
    bool compact;
};

static const struct param options[] = {
    {.name = "keep",
     .type = PARAM_INT,
     .offset = offsetof(struct prune_options, keep),
     .max = INFINITY,
     .help = "keep the N newest runs"},
    {.name = "older-than",
     .type = PARAM_SPAN,
     .offset = offsetof(struct prune_options, older_than_s),
     .argument = "AGE",
     .max = 9e9,
     .help = "remove only runs older than this: 30d, 12h, 2w"},
    {.name = "dry-run",
     .letter = 'n',
     .type = PARAM_BOOL,
     .offset = offsetof(struct prune_options, dry_run),
     .help = "say what would be removed, remove nothing"},
    {.name = "compact",
     .type = PARAM_BOOL,
     .offset = offsetof(struct prune_options, compact),
     .help = "give the freed space back to the file system"},
};

struct pruning {
    const struct context *c;
    struct store *store;
    struct run_record *runs; /* newest first */
    size_t count;
    int64_t before_ns; /* only older ones go */
    size_t keep;
    size_t removed;
    struct baseline_record *baselines;
    size_t baseline_count;
    size_t pinned; /* spared because they are a baseline */
    size_t alive;  /* spared because they are being carried out */
    struct json j;
};

/* What others are held against goes only when it is named: `assay forget RUN`. */
static bool is_pinned(const struct pruning *p, const struct run_record *run)
{
    for (size_t i = 0; i < p->baseline_count; i++) {
        const char *id = p->baselines[i].run_id;
        if (id && strcmp(id, run->id) == 0) return true;
    }
    return false;
}

static bool remove_runs(struct pruning *p, struct error *err)
{
    const struct prune_options *o = p->c->options;
    struct buf line;
    buf_init(&line, 65536);
    bool done = true;
    for (size_t i = p->keep; i < p->count && done; i++) {
        if (p->runs[i].started_ns >= p->before_ns) continue;
        if (is_pinned(p, &p->runs[i])) {
            p->pinned++;
            continue;
        }
        if (p->runs[i].status == RUN_RUNNING && !view_was_killed(&p->runs[i])) {
            p->alive++;
            continue;
        }
        buf_clear(&line);
        stored_put_run(&line, &p->runs[i], p->store, p->c->arena);
        done = o->dry_run || store_forget(p->store, p->runs[i].id, err);
        if (!done) break;
        p->removed++;
        json_text(&p->j, p->runs[i].id);
        if (p->c->json || p->c->quiet) continue;
        fprintf(p->c->out, "%s %.*s\n", o->dry_run ? "would forget" : "forgot",
                STR_ARG(buf_str(&line)));
    }
    buf_release(&line);
    return done;
}

static bool prune(struct pruning *p, struct error *err)
{
    const struct prune_options *o = p->c->options;
    struct run_filter all = {0};
    if (!stored_open(p->c, o->dry_run && !o->compact, &p->store, err) ||
        !store_list_runs(p->store, &all, p->c->arena, &p->runs, &p->count, err) ||
        !store_list_baselines(p->store, NULL, p->c->arena, &p->baselines, &p->baseline_count,
                              err) ||
        !remove_runs(p, err)) {
        return false;
    }
    return !o->compact || o->dry_run || store_compact(p->store, err);
}

static int print_end(struct pruning *p, struct buf *text)
{
    const struct prune_options *o = p->c->options;
    json_end(&p->j);
    json_put_int(&p->j, "kept", (int64_t)(p->count - p->removed));
    json_put_bool(&p->j, "dry_run", o->dry_run);
    json_close(&p->j);
    if (p->c->json) return stored_print(p->c, text);
    if (!p->c->quiet) {
        fprintf(p->c->out, "%zu %s, %zu kept", p->removed,
                o->dry_run ? "would be forgotten" : "forgotten", p->count - p->removed);
        if (p->pinned > 0) fprintf(p->c->out, ", %zu of them as baselines", p->pinned);
        if (p->alive > 0) {
            fprintf(p->c->out, ", %zu of them because they are still being carried out",
                    p->alive);
        }
        fputc('\n', p->c->out);
    }
    return EXIT_DONE;
}

extern const struct command command_prune;

static int run(struct context *c)
{
    const struct prune_options *o = c->options;
    if (c->arg_count > 0) {
        return command_misused(&command_prune, "takes no argument, got '%s'", c->args[0]);
    }
    bool has_keep = options_has(c, "keep");
    bool has_age = options_has(c, "older-than");
    if (!has_keep && !has_age && !o->compact) {
        return command_misused(&command_prune,
                               "say what to keep: --keep N or --older-than AGE");
    }
    struct pruning p = {.c = c, .keep = (size_t)o->keep, .before_ns = INT64_MAX};
    if (has_age) p.before_ns = clock_unix_ns() - (int64_t)(o->older_than_s * 1e9);
    if (!has_keep && !has_age) p.before_ns = INT64_MIN; /* --compact alone */

    struct buf text;
    buf_init(&text, 16 << 20);
    json_open(&p.j, &text, "assay.prune/1");
    json_key(&p.j, "forgotten");
    json_list(&p.j);
    struct error err = {0};
    bool done = prune(&p, &err);
    int code = done ? print_end(&p, &text) : command_fail(&err);
    store_close(p.store);
    buf_release(&text);
    return code;
}

const struct command command_prune = {
    .name = "prune",
    .summary = "removes old runs from the store, but no baselines",
    .usage = "--keep N | --older-than AGE [--dry-run] [--compact]",
    .examples = "assay prune --keep 100\n"
                "assay prune --older-than 30d --dry-run\n"
                "assay prune --older-than 30d --compact",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct prune_options),
    .run = run,
};
