/* Two agents head to head. */
#include "question/question_versus.h"

#include "judge/versus.h"
#include "question/question.h"

static const struct param rows[] = {
    VERSUS_ROWS,
    {"a", PARAM_TEXT, VERSUS_AT(a), .required = true, .help = "an agent, or agent@version"},
    {"b", PARAM_TEXT, VERSUS_AT(b), .required = true, .help = "the other one"},
};

bool question_only_suite(struct store *store, struct arena *arena, const char **name,
                         struct error *err)
{
    struct suite_record *suites = NULL;
    size_t count = 0;
    if (!store_list_suites(store, true, arena, &suites, &count, err)) return false;
    for (size_t i = 1; i < count; i++) {
        if (strcmp(suites[i].name, suites[0].name) == 0) continue;
        error_set(err, ERROR_INVALID, "which suite? Name one: '%s', '%s', ...", suites[0].name,
                  suites[i].name);
        return error_blame(err, "suite");
    }
    if (count == 0) {
        return error_set(err, ERROR_NOT_FOUND,
                         "no suite was run yet; `assay run SUITE` runs one");
    }
    *name = suites[0].name;
    return true;
}

static bool ask(struct store *store, const void *params, struct arena *out, const void **answer,
                struct error *err)
{
    const struct versus_params *p = params;
    struct versus *versus = NULL;
    struct versus_question q = {
        .agent = {p->a, p->b}, .suite = p->suite, .alpha = p->alpha, .margin = p->margin};
    bool done = (p->suite || question_only_suite(store, out, &q.suite, err)) &&
                versus_ask(store, &q, out, &versus, err);
    *answer = versus;
    return done;
}

const struct question question_versus = {
    .name = "versus",
    .summary = "two agents head to head on a suite, case by case",
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct versus_params),
    .answer = &answer_versus,
    .ask = ask,
};
