/* assay prune: removes old runs. Runs are taken newest first; the first N are kept, and of
 * the rest those that are younger than the age, pinned as a baseline, or still running. */
#include "base/clock.h"
#include "cli/options.h"
#include "cli/stored.h"
#include "report/answer_runs.h"

#include <math.h>

struct prune_options {
    int64_t keep;
    double older_than_s;
    bool dry_run;
    bool compact;
};

static const struct param options[] = {
    {"keep", PARAM_INT, .offset = offsetof(struct prune_options, keep), .max = INFINITY,
     .help = "keep the N newest runs"},
    {"older-than", PARAM_SPAN, .offset = offsetof(struct prune_options, older_than_s),
     .argument = "AGE", .max = 9e9, .help = "remove only runs older than this: 30d, 12h, 2w"},
    {"dry-run", PARAM_BOOL, .offset = offsetof(struct prune_options, dry_run), .letter = 'n',
     .help = "say what would be removed, remove nothing"},
    {"compact", PARAM_BOOL, .offset = offsetof(struct prune_options, compact),
     .help = "give the freed space back to the file system"},
};

struct pruning {
    const struct context *c;
    struct store *store;
    struct run_record *runs; /* newest first */
    size_t count;
    int64_t before_ns; /* only older ones go */
    size_t keep;
    struct baseline_record *baselines;
    size_t baseline_count;
    struct answer_prune answer;
};

/* What others are compared with goes only when it is named: `assay forget RUN`. */
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
    struct answer_prune *a = &p->answer;
    a->runs = arena_new(p->c->arena, struct listed_run, p->count + 1);
    for (size_t i = p->keep; i < p->count; i++) {
        const struct run_record *run = &p->runs[i];
        if (run->started_ns >= p->before_ns) continue;
        if (is_pinned(p, run)) {
            a->pinned++;
            continue;
        }
        if (run->status == RUN_RUNNING && !view_was_killed(run)) {
            a->alive++;
            continue;
        }
        a->runs[a->count] = listed_run(run, p->store, p->c->arena);
        if (!a->is_dry_run && !store_forget(p->store, run->id, err)) return false;
        a->count++;
    }
    a->kept = p->count - a->count;
    return true;
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

static int run(struct context *c)
{
    const struct prune_options *o = c->options;
    bool has_keep = options_has(c, "keep");
    bool has_age = options_has(c, "older-than");
    if (!has_keep && !has_age && !o->compact) {
        return command_misused(c->command, "say what to keep: --keep N or --older-than AGE");
    }
    struct pruning p = {.c = c,
                        .keep = (size_t)o->keep,
                        .before_ns = INT64_MAX,
                        .answer.is_dry_run = o->dry_run};
    if (has_age) p.before_ns = clock_unix_ns() - (int64_t)(o->older_than_s * 1e9);
    if (!has_keep && !has_age) p.before_ns = INT64_MIN; /* --compact alone */

    struct error err = {0};
    bool done = prune(&p, &err);
    store_close(p.store);
    return done ? stored_answer(c, &answer_prune, &p.answer) : command_fail(&err);
}

const struct command command_prune = {
    .name = "prune",
    .summary = "removes old runs from the store, but no baselines",
    .usage = "--keep N | --older-than AGE [--dry-run] [--compact]",
    .takes = "no arguments",
    .examples = "assay prune --keep 100\n"
                "assay prune --older-than 30d --dry-run\n"
                "assay prune --older-than 30d --compact",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct prune_options),
    .run = run,
};
