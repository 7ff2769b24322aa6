/* What a success costs in one run. */
#include "question/question_cost.h"

#include "question/question.h"
#include "rank/cost.h"
#include "view/select.h"

static const struct param rows[] = {
    COST_ROWS,
    QUESTION_RUN(struct cost_params),
};

static bool ask(struct store *store, const void *params, struct arena *out, const void **answer,
                struct error *err)
{
    const struct cost_params *p = params;
    struct cost_analysis *a = arena_new(out, struct cost_analysis, 1);
    struct agent_ref agent;
    *answer = a;
    return (!p->agent || select_agent_ref(store, p->agent, out, &agent, err)) &&
           cost_load(store, p->run, out, a, err) && (!p->agent || cost_keep(a, &agent, err));
}

const struct question question_cost = {
    .name = "cost",
    .summary = "cost per success with interval, Pareto front, cheaper configurations",
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct cost_params),
    .answer = &answer_cost,
    .ask = ask,
};
