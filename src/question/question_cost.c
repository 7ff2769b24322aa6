/* What a success costs in one run. */
#include "question/question_cost.h"

#include "question/question.h"
#include "rank/cost.h"
#include "view/select.h"

static const struct param rows[] = {
    COST_ROWS,
    {"run", PARAM_SELECTOR, .offset = offsetof(struct cost_params, run),
     .help = "a run by its id, latest, an agent, or branch:NAME (default: the newest run that "
             "cost something, else the newest of a suite)"},
};

/* How far back a run that cost something is looked for. */
enum { RUNS_LOOKED_AT = 200 };

struct looked_at {
    bool is_suite;
    bool has_cost;
};

static bool look_at(struct store *store, const char *run_id, struct looked_at *seen,
                    struct error *err)
{
    struct arena scratch = arena_open();
    struct execution_record *list = NULL;
    size_t count = 0;
    bool done = store_list_executions(store, run_id, &scratch, &list, &count, err);
    *seen = (struct looked_at){0};
    for (size_t i = 0; done && i < count; i++) {
        bool is_suite = strcmp(list[i].experiment, "suite") == 0;
        seen->is_suite |= is_suite;
        seen->has_cost |=
            is_suite && strcmp(list[i].provenance, "measured") == 0 && list[i].cost_usd > 0;
    }
    arena_close(&scratch);
    return done;
}

static bool choose_run(struct store *store, struct arena *out, const char **run,
                       struct error *err)
{
    struct run_record *runs = NULL;
    size_t count = 0;
    const char *newest = NULL; /* of a suite */
    *run = NULL;
    if (!store_list_runs(store, &(struct run_filter){.limit = RUNS_LOOKED_AT}, out, &runs,
                         &count, err))
        return false;
    for (size_t i = 0; i < count && !*run; i++) {
        struct looked_at seen;
        if (!look_at(store, runs[i].id, &seen, err)) return false;
        if (seen.has_cost) *run = runs[i].id;
        if (seen.is_suite && !newest) newest = runs[i].id;
    }
    if (!*run) *run = newest ? newest : "latest";
    return true;
}

static bool ask(struct store *store, const void *params, struct arena *out, const void **answer,
                struct error *err)
{
    const struct cost_params *p = params;
    struct cost_analysis *a = arena_new(out, struct cost_analysis, 1);
    struct agent_ref agent;
    const char *run = p->run;
    *answer = a;
    return (!p->agent || select_agent_ref(store, p->agent, out, &agent, err)) &&
           (run || choose_run(store, out, &run, err)) && cost_load(store, run, out, a, err) &&
           (!p->agent || cost_keep(a, &agent, err));
}

const struct question question_cost = {
    .name = "cost",
    .summary = "cost per success with interval, Pareto front, cheaper configurations",
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct cost_params),
    .answer = &answer_cost,
    .ask = ask,
};
