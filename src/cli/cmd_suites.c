/* Suites kept in the store, for use by name. */
#include "cli/registered.h"
#include "cli/spec_file.h"
#include "cli/stored.h"
#include "cli/suite_store.h"
#include "run/run.h"

#include <limits.h>
#include <stdlib.h>

extern const struct command command_suites;

static const struct param options[] = {
    {.name = "all",
     .letter = 'a',
     .type = PARAM_BOOL,
     .offset = offsetof(struct registered_options, all),
     .help = "list also every content that runs have met"},
};

static const struct registered suites;

static const char *or_else(const char *text, const char *other)
{
    return text ? text : other;
}

static void put_benchmark(struct json *j, const struct benchmark_record *b)
{
    const struct {
        const char *key;
        const char *json;
    } parts[] = {{"metrics_measured", b->metrics_measured}, {"dataset", b->dataset},
                 {"constraints", b->constraints},           {"targets", b->targets},
                 {"scoring_rubric", b->scoring_rubric},     {"cases", b->cases}};
    json_object(j);
    json_put_text(j, "id", b->id);
    json_put_text(j, "name", b->name);
    json_put_text(j, "description", b->description);
    json_put_text(j, "test_type", b->test_type);
    json_put_text(j, "content_hash", b->content_hash);
    for (size_t i = 0; i < COUNT(parts); i++) json_put_raw(j, parts[i].key, parts[i].json);
    json_end(j);
}

static void put_json(struct json *j, const void *row)
{
    const struct suite_record *s = row;
    json_put_text(j, "id", s->id);
    json_put_text(j, "name", s->name);
    json_put_text(j, "title", s->title);
    json_put_text(j, "category", s->category);
    json_put_text(j, "version", s->version);
    json_put_text(j, "content_hash", s->content_hash);
    json_put_bool(j, "registered", s->is_registered);
    json_put_text(j, "source", s->source);
}

static void put_text(struct buf *out, const void *row)
{
    const struct suite_record *s = row;
    buf_printf(out, "%-20s %-8s %-14s %.12s%s\n", s->name, or_else(s->version, "-"),
               s->category, or_else(s->content_hash, "-"),
               s->is_registered ? "" : "  met in runs");
}

static int add_file(struct context *c, const char *path)
{
    struct error err = {0};
    struct str bytes = {0};
    struct spec *spec = NULL;
    struct store *store = NULL;
    char source[PATH_MAX];
    struct spec_override override = SPEC_OVERRIDE_NONE;
    override.find_agent = suite_store_find_agent;
    override.context = c;
    override.agents_are_optional = true;
    if (!spec_file_read(path, c->arena, &bytes, &err)) return command_fail(&err);
    int code = spec_file_load(c, path, bytes, &override, &spec);
    if (code != EXIT_DONE) return code;
    if (!spec->suite) {
        error_set(&err, ERROR_INVALID, "'%s' holds no suite: it has no 'suite' or 'suite_id'",
                  path);
        return command_fail(&err);
    }
    struct suite_record as = {.spec = str_cstr(c->arena, bytes), .is_registered = true};
    if (realpath(path, source)) as.source = source;
    struct benchmark_record *rows =
        arena_new(c->arena, struct benchmark_record, spec->entry_count);
    bool done =
        store_open(c->store_url, &(struct store_options){.create = true}, &store, &err) &&
        run_put_suite(store, spec, &as, rows, c->arena, &err);
    store_close(store);
    if (!done) return command_fail(&err);
    if (!c->quiet && !c->json) {
        fprintf(c->out, "registered suite %s (%zu benchmark%s)\n", spec->suite,
                spec->entry_count, spec->entry_count == 1 ? "" : "s");
    }
    return EXIT_DONE;
}

static bool list(struct store *store, bool all, struct arena *out, const void **rows,
                 size_t *count, struct error *err)
{
    struct suite_record *found = NULL;
    bool done = store_list_suites(store, all, out, &found, count, err);
    *rows = found;
    return done;
}

static int add(struct context *c)
{
    if (c->arg_count < 2) return command_misused(&command_suites, "add needs a file");
    for (size_t i = 1; i < c->arg_count; i++) {
        int code = add_file(c, c->args[i]);
        if (code != EXIT_DONE) return code;
    }
    return c->json ? registered_list(c, &suites) : EXIT_DONE;
}

static void put_one_json(const struct suite_record *s, const struct benchmark_record *rows,
                         size_t count, struct buf *out)
{
    struct json j;
    json_open(&j, out, "assay.suite/1");
    put_json(&j, s);
    json_key(&j, "benchmarks");
    json_list(&j);
    for (size_t i = 0; i < count; i++) put_benchmark(&j, &rows[i]);
    json_end(&j);
    json_close(&j);
}

/* Hashes in a JSON list. */
static size_t count_cases(const char *list)
{
    size_t quotes = 0;
    for (const char *p = list; p && *p; p++) quotes += *p == '"';
    return quotes / 2;
}

static int print_one(const struct context *c, const struct suite_record *s,
                     const struct benchmark_record *rows, size_t count)
{
    struct buf b;
    buf_init(&b, (size_t)64 << 20);
    if (c->json) {
        put_one_json(s, rows, count, &b);
    } else {
        buf_printf(&b, "%s: %s, %s, version %s\ncontent %.12s, from %s\n", s->name,
                   or_else(s->title, s->name), s->category, or_else(s->version, "-"),
                   or_else(s->content_hash, "-"), or_else(s->source, "a run"));
    }
    for (size_t i = 0; i < count && !c->json; i++) {
        size_t cases = count_cases(rows[i].cases);
        buf_printf(&b, "  %-20s %-10s %zu case%s  %s\n", rows[i].name,
                   or_else(rows[i].test_type, "-"), cases, cases == 1 ? "" : "s",
                   or_else(rows[i].description, ""));
    }
    int code = stored_print(c, &b);
    buf_release(&b);
    return code;
}

static int show(struct context *c)
{
    struct error err = {0};
    struct store *store = NULL;
    struct suite_record suite;
    struct benchmark_record *rows = NULL;
    size_t count = 0;
    if (c->arg_count != 2) return command_misused(&command_suites, "show needs one name");
    bool done = stored_open(c, true, &store, &err) &&
                store_find_suite(store, c->args[1], c->arena, &suite, &err) &&
                store_list_benchmarks(store, suite.id, c->arena, &rows, &count, &err);
    store_close(store);
    return done ? print_one(c, &suite, rows, count) : command_fail(&err);
}

static const struct registered suites = {
    .command = &command_suites,
    .one = "suite",
    .many = "suites",
    .row_size = sizeof(struct suite_record),
    .add = add,
    .show = show,
    .list = list,
    .remove = store_remove_suite,
    .put_json = put_json,
    .put_text = put_text,
};

static int run(struct context *c)
{
    return registered_run(c, &suites);
}

const struct command command_suites = {
    .name = "suites",
    .summary = "keeps suites in the store, for use by name",
    .usage = "add FILE... | list | show NAME | remove NAME...",
    .examples = "assay suites add suite.yaml\n"
                "assay suites show arithmetic\n"
                "assay run arithmetic --agent bc",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct registered_options),
    .run = run,
};
