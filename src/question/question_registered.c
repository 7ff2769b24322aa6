/* What the store keeps by name: agents and suites. */
#include "question/question_registered.h"

#include "question/question.h"
#include "report/answer_registered.h"

static const struct param rows[] = {
    {"all", PARAM_BOOL, .offset = offsetof(struct registered_params, all), .letter = 'a',
     .help = "also those that are known from runs only"},
};

static bool ask_agents(struct store *store, const void *params, struct arena *out,
                       const void **answer, struct error *err)
{
    const struct registered_params *p = params;
    struct agent_record *found = NULL;
    struct answer_registered *a = arena_new(out, struct answer_registered, 1);
    bool done = store_list_agents(store, p->all, out, &found, &a->count, err);
    a->rows = found;
    *answer = a;
    return done;
}

static bool ask_suites(struct store *store, const void *params, struct arena *out,
                       const void **answer, struct error *err)
{
    const struct registered_params *p = params;
    struct suite_record *found = NULL;
    struct answer_registered *a = arena_new(out, struct answer_registered, 1);
    bool done = store_list_suites(store, p->all, out, &found, &a->count, err);
    a->rows = found;
    *answer = a;
    return done;
}

static const struct param suite_rows[] = {
    {"suite", PARAM_TEXT, .offset = offsetof(struct suite_params, suite), .required = true,
     .help = "its name"},
};

static bool ask_suite(struct store *store, const void *params, struct arena *out,
                      const void **answer, struct error *err)
{
    const struct suite_params *p = params;
    struct answer_suite *a = arena_new(out, struct answer_suite, 1);
    *answer = a;
    return store_find_suite(store, p->suite, out, &a->suite, err) &&
           store_list_benchmarks(store, a->suite.id, out, &a->benchmarks, &a->count, err);
}

const struct question question_agents = {
    .name = "agents",
    .summary = "agents that the store keeps by name",
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct registered_params),
    .answer = &answer_agents,
    .ask = ask_agents,
};

const struct question question_suites = {
    .name = "suites",
    .summary = "suites that the store keeps by name",
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct registered_params),
    .answer = &answer_suites,
    .ask = ask_suites,
};

const struct question question_suite = {
    .name = "suite",
    .summary = "one suite with its benchmarks",
    .params = {suite_rows, COUNT(suite_rows)},
    .config_size = sizeof(struct suite_params),
    .answer = &answer_suite,
    .ask = ask_suite,
};
