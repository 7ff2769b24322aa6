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
    {"all", PARAM_BOOL, .offset = offsetof(struct registered_options, all), .letter = 'a',
     .help = "also list every content that is known from runs only"},
};

static const struct registered suites;

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

static int show(struct context *c)
{
    struct error err = {0};
    struct store *store = NULL;
    struct answer_suite a = {0};
    if (c->arg_count != 2) return command_misused(&command_suites, "show needs one name");
    bool done =
        stored_open(c, true, &store, &err) &&
        store_find_suite(store, c->args[1], c->arena, &a.suite, &err) &&
        store_list_benchmarks(store, a.suite.id, c->arena, &a.benchmarks, &a.count, &err);
    store_close(store);
    return done ? stored_answer(c, &answer_suite, &a) : command_fail(&err);
}

static const struct registered suites = {
    .command = &command_suites,
    .one = "suite",
    .answer = &answer_suites,
    .add = add,
    .show = show,
    .list = list,
    .remove = store_remove_suite,
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
