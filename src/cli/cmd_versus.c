#include "cli/stored.h"
#include "judge/versus.h"

struct versus_options {
    const char *suite;
    double alpha;
    double margin;
    const char *plot;
};

#define ROW(field) .offset = offsetof(struct versus_options, field)

static const struct param options[] = {
    {"suite", PARAM_TEXT, ROW(suite), .argument = "NAME",
     .help = "the suite; may be left out where the store has only one"},
    {"alpha", PARAM_SHARE, ROW(alpha), .argument = "P", .fallback = "0.05", .max = 0.5,
     .open = true, .help = "chance of a false winner that is accepted"},
    {"equivalence", PARAM_SHARE, ROW(margin), .fallback = "0.03", .max = 1, .open = true,
     .help = "a difference that does not matter"},
    STORED_PLOT(struct versus_options),
};

static bool only_suite(struct store *store, struct arena *arena, const char **name,
                       struct error *err)
{
    struct suite_record *suites = NULL;
    size_t count = 0;
    if (!store_list_suites(store, true, arena, &suites, &count, err)) return false;
    for (size_t i = 1; i < count; i++) {
        if (strcmp(suites[i].name, suites[0].name) == 0) continue;
        return error_set(err, ERROR_INVALID, "which suite? write --suite '%s', or '%s', ...",
                         suites[0].name, suites[i].name);
    }
    if (count == 0) {
        return error_set(err, ERROR_NOT_FOUND, "no suite was run yet; `assay run SUITE` does");
    }
    *name = suites[0].name;
    return true;
}

extern const struct command command_versus;

static int run(struct context *c)
{
    const struct versus_options *o = c->options;
    if (c->arg_count != 2) {
        return command_misused(&command_versus, "takes two agents, got %zu", c->arg_count);
    }
    struct error err = {0};
    struct store *store = NULL;
    struct versus *versus = NULL;
    struct versus_question question = {.agent = {c->args[0], c->args[1]},
                                       .suite = o->suite,
                                       .alpha = o->alpha,
                                       .margin = o->margin,
                                       .seed = 42};
    bool done = stored_open(c, true, &store, &err) &&
                (o->suite || only_suite(store, c->arena, &question.suite, &err)) &&
                versus_ask(store, &question, c->arena, &versus, &err);
    int code = done ? stored_answer(c, &answer_versus, versus) : command_fail(&err);
    store_close(store);
    return code;
}

const struct command command_versus = {
    .name = "versus",
    .summary = "two agents head to head on a suite, case by case",
    .usage = "A B [--suite NAME]",
    .examples = "assay versus bc awk --suite arithmetic\n"
                "assay versus gpt@1.0 gpt@1.1 --suite support --json",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct versus_options),
    .run = run,
};
