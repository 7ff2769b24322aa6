/* Suites kept in the store, for use by name. */
#include "base/json.h"
#include "cli/spec_file.h"
#include "cli/stored.h"
#include "cli/suite_store.h"
#include "run/run.h"

#include <limits.h>
#include <stdlib.h>

extern const struct command command_suites;

struct suites_options {
    bool all;
};

static const struct option options[] = {
    {.name = "all",
     .letter = 'a',
     .kind = OPTION_FLAG,
     .offset = offsetof(struct suites_options, all),
     .help = "list also every content that runs have met"},
};

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
    for (size_t i = 0; i < COUNT(parts); i++) {
        json_key(j, parts[i].key);
        if (parts[i].json) {
            json_raw(j, str_of(parts[i].json));
        } else {
            json_null(j);
        }
    }
    json_end(j);
}

static void put_suite(struct json *j, const struct suite_record *s)
{
    json_put_text(j, "id", s->id);
    json_put_text(j, "name", s->name);
    json_put_text(j, "title", s->title);
    json_put_text(j, "category", s->category);
    json_put_text(j, "version", s->version);
    json_put_text(j, "content_hash", s->content_hash);
    json_put_bool(j, "registered", s->is_registered);
    json_put_text(j, "source", s->source);
}

static int print_suites(const struct context *c, const struct suite_record *list, size_t count)
{
    struct buf b;
    struct json j;
    buf_init(&b, (size_t)16 << 20);
    json_init(&j, &b, 0);
    if (c->json) {
        json_object(&j);
        json_put_text(&j, "schema", "assay.suites/1");
        json_key(&j, "suites");
        json_list(&j);
        for (size_t i = 0; i < count; i++) {
            json_object(&j);
            put_suite(&j, &list[i]);
            json_end(&j);
        }
        json_end(&j);
        json_end(&j);
        buf_add_char(&b, '\n');
    } else {
        if (count == 0) buf_text(&b, "no suite is registered; `assay suites add FILE`\n");
        for (size_t i = 0; i < count; i++) {
            const struct suite_record *s = &list[i];
            buf_printf(&b, "%-20s %-8s %-14s %.12s%s\n", s->name, s->version ? s->version : "-",
                       s->category, s->content_hash ? s->content_hash : "-",
                       s->is_registered ? "" : "  met in runs");
        }
    }
    int code = stored_print(c, &b);
    buf_release(&b);
    return code;
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

static int list(struct context *c)
{
    const struct suites_options *o = c->options;
    struct error err = {0};
    struct store *store = NULL;
    struct suite_record *rows = NULL;
    size_t count = 0;
    bool done = stored_open(c, true, &store, &err) &&
                store_list_suites(store, o->all, c->arena, &rows, &count, &err);
    store_close(store);
    return done ? print_suites(c, rows, count) : command_fail(&err);
}

static int add(struct context *c)
{
    if (c->arg_count < 2) return command_misused(&command_suites, "add needs a file");
    for (size_t i = 1; i < c->arg_count; i++) {
        int code = add_file(c, c->args[i]);
        if (code != EXIT_DONE) return code;
    }
    return c->json ? list(c) : EXIT_DONE;
}

static void put_one_json(const struct suite_record *s, const struct benchmark_record *rows,
                         size_t count, struct buf *out)
{
    struct json j;
    json_init(&j, out, 0);
    json_object(&j);
    json_put_text(&j, "schema", "assay.suite/1");
    put_suite(&j, s);
    json_key(&j, "benchmarks");
    json_list(&j);
    for (size_t i = 0; i < count; i++) put_benchmark(&j, &rows[i]);
    json_end(&j);
    json_end(&j);
    buf_add_char(out, '\n');
}

static const char *or_else(const char *text, const char *other)
{
    return text ? text : other;
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

static int remove_names(struct context *c)
{
    struct error err = {0};
    struct store *store = NULL;
    if (c->arg_count < 2) return command_misused(&command_suites, "remove needs a name");
    bool done = stored_open(c, false, &store, &err);
    for (size_t i = 1; done && i < c->arg_count; i++) {
        done = store_remove_suite(store, c->args[i], &err);
        if (done && !c->quiet && !c->json) {
            fprintf(c->out, "suite %s is no longer registered; its results stay\n", c->args[i]);
        }
    }
    store_close(store);
    if (done && c->json) fputs("{\"schema\":\"assay.suites/1\",\"suites\":[]}\n", c->out);
    return done ? EXIT_DONE : command_fail(&err);
}

static int run(struct context *c)
{
    static const struct {
        const char *name;
        int (*run)(struct context *c);
    } actions[] = {{"add", add}, {"list", list}, {"show", show}, {"remove", remove_names}};
    const char *word = c->arg_count ? c->args[0] : "list";
    for (size_t i = 0; i < COUNT(actions); i++) {
        if (strcmp(word, actions[i].name) == 0) return actions[i].run(c);
    }
    return command_misused(&command_suites, "no action '%s': add, list, show, remove", word);
}

const struct command command_suites = {
    .name = "suites",
    .summary = "keeps suites in the store, for use by name",
    .usage = "add FILE... | list | show NAME | remove NAME...",
    .examples = "assay suites add suite.yaml\n"
                "assay suites show arithmetic\n"
                "assay run arithmetic --agent bc",
    .options = options,
    .option_count = COUNT(options),
    .options_size = sizeof(struct suites_options),
    .run = run,
};
