#include "base/clock.h"
#include "base/human.h"
#include "base/json.h"
#include "base/plain.h"
#include "cli/stored.h"
#include "model/cell.h"

#include <inttypes.h>
#include <math.h>

struct list_options {
    int64_t limit;
    const char *tag;
    int64_t since_ns;
};

static const struct param options[] = {
    {.name = "limit",
     .letter = 'n',
     .type = PARAM_INT,
     .offset = offsetof(struct list_options, limit),
     .fallback = "20",
     .max = INFINITY,
     .help = "at most N runs, newest first; 0 = all"},
    {.name = "tag",
     .type = PARAM_TEXT,
     .offset = offsetof(struct list_options, tag),
     .argument = "TAG",
     .help = "only runs with this tag"},
    {.name = "since",
     .type = PARAM_MOMENT,
     .offset = offsetof(struct list_options, since_ns),
     .help = "only runs since then: 7d, 12h, or 2026-11-15"},
};

static const struct value *read_tags(const char *json, struct arena *arena)
{
    static const struct value_limits limits = {1 << 20, 4, 10000};
    const struct value *v = NULL;
    if (!json || !value_read_json(str_of(json), &limits, arena, &v, NULL)) return NULL;
    return v->kind == VALUE_LIST ? v : NULL;
}

static void put_row(struct buf *out, const struct run_record *run, struct store *store,
                    struct arena *arena)
{
    struct execution_record first;
    size_t count = 0;
    char stamp[CLOCK_STAMP_SIZE];
    clock_stamp(run->started_ns, stamp);
    if (!store_peek_executions(store, run->id, arena, &first, &count, NULL)) count = 0;
    buf_printf(out, "%-*s  %.10s %.5s  %-9s %5zu  %s", STORED_ID_COLUMNS, id_short(run->id),
               stamp, stamp + 11, run->status == RUN_SUCCESS ? "finished" : stored_status(run),
               count, stored_subject(run, store, arena));
    const char *commit = cell_commit(run, arena);
    if (commit) buf_printf(out, "  commit %s", commit);
    const struct value *tags = read_tags(run->tags, arena);
    for (size_t i = 0; tags && i < tags->list.count; i++) {
        if (tags->list.items[i]->kind != VALUE_TEXT) continue;
        buf_text(out, i ? ", " : "  [");
        plain_escape(out, tags->list.items[i]->source);
        if (i + 1 == tags->list.count) buf_add_char(out, ']');
    }
    buf_add_char(out, '\n');
}

static void put_json(struct json *j, const struct run_record *run, struct store *store,
                     struct arena *arena)
{
    struct execution_record first;
    size_t count = 0;
    char stamp[CLOCK_STAMP_SIZE];
    if (!store_peek_executions(store, run->id, arena, &first, &count, NULL)) count = 0;
    json_object(j);
    json_put_text(j, "id", run->id);
    json_put_text(j, "status", stored_status(run));
    json_put_text(j, "started", clock_stamp(run->started_ns, stamp));
    json_put_text(j, "ended", run->ended_ns ? clock_stamp(run->ended_ns, stamp) : NULL);
    json_put_text(j, "spec_path", run->spec_path);
    json_put_text(j, "experiment", count ? first.experiment : NULL);
    json_put_int(j, "cells", (int64_t)count);
    json_put_int(j, "seed", run->seed);
    json_put_text(j, "commit", cell_full_commit(run, arena));
    json_put_text(j, "version", cell_commit(run, arena));
    const struct value *tags = read_tags(run->tags, arena);
    json_key(j, "tags");
    if (tags) {
        json_value(j, tags);
    } else {
        json_null(j);
    }
    json_put_text(j, "notes", run->notes);
    json_end(j);
}

static int print_runs(const struct context *c, struct store *store,
                      const struct run_record *runs, size_t count)
{
    struct buf out;
    buf_init(&out, 64 << 20);
    if (c->json) {
        struct json j;
        json_open(&j, &out, "assay.list/1");
        json_key(&j, "runs");
        json_list(&j);
        for (size_t i = 0; i < count; i++) put_json(&j, &runs[i], store, c->arena);
        json_end(&j);
        json_close(&j);
    } else {
        if (!c->quiet && count > 0) {
            buf_printf(&out, "%-*s  %-16s  %-9s %5s  %s\n", STORED_ID_COLUMNS, "run",
                       "started (UTC)", "status", "cells", "spec");
        }
        for (size_t i = 0; i < count; i++) put_row(&out, &runs[i], store, c->arena);
        if (count == 0 && !c->quiet) buf_text(&out, "no runs\n");
    }
    int code = stored_print(c, &out);
    buf_release(&out);
    return code;
}

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
    int code = done ? print_runs(c, store, runs, count) : command_fail(&err);
    store_close(store);
    return code;
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
