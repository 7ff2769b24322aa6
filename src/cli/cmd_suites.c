/* Suites kept in the store, for use by name. */
#include "base/human.h"
#include "cli/asked.h"
#include "cli/registered.h"
#include "cli/spec_file.h"
#include "cli/suite_store.h"
#include "question/question_registered.h"
#include "run/run.h"

#include <limits.h>
#include <stdlib.h>

static const struct param options[] = {
    {"all", PARAM_BOOL, .offset = offsetof(struct registered_params, all), .letter = 'a',
     .help = "also list contents that are known from runs only"},
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
    bool done = store_open(c->store_url,
                           &(struct store_options){.create = true, .workspace = c->workspace},
                           &store, &err) &&
                run_put_suite(store, spec, &as, rows, c->arena, &err);
    store_close(store);
    if (!done) return command_fail(&err);
    if (!c->quiet && !c->json) {
        fprintf(c->out, "registered suite %s (%zu benchmark%s)\n", spec->suite,
                spec->entry_count, PLURAL(spec->entry_count));
    }
    return EXIT_DONE;
}

static int add(struct context *c)
{
    if (c->arg_count < 2) return command_misused(c->command, "add needs a file");
    for (size_t i = 1; i < c->arg_count; i++) {
        int code = add_file(c, c->args[i]);
        if (code != EXIT_DONE) return code;
    }
    return c->json ? registered_list(c, &suites) : EXIT_DONE;
}

static int show(struct context *c)
{
    if (c->arg_count != 2) return command_misused(c->command, "show needs one name");
    return asked_run(c, &question_suite, &(struct suite_params){c->args[1]});
}

static const struct registered suites = {
    .one = "suite",
    .question = &question_suites,
    .add = add,
    .show = show,
    .remove = store_remove_suite,
};

static int run(struct context *c)
{
    return registered_run(c, &suites);
}

static const char *const words[] = {"add", "list", "show", "remove", NULL};

const struct command command_suites = {
    .name = "suites",
    .summary = "keeps suites in the store, for use by name",
    .usage = "add FILE... | list | show NAME | remove NAME...",
    .words = words,
    .examples = "assay suites add suite.yaml\n"
                "assay suites show arithmetic\n"
                "assay run arithmetic --agent bc",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct registered_params),
    .run = run,
};
