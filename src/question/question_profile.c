/* Phases, bottlenecks and sampled stacks of one run. */
#include "question/question_profile.h"

#include "judge/profile.h"
#include "question/question.h"
#include "view/select.h"

#include <math.h>

static const struct param rows[] = {
    PROFILE_ROWS,
    QUESTION_RUN(struct profile_params),
};

static bool ask(struct store *store, const void *params, struct arena *out, const void **answer,
                struct error *err)
{
    const struct profile_params *p = params;
    struct profile_list *list = arena_new(out, struct profile_list, 1);
    struct agent_ref agent;
    *answer = list;
    return (!p->agent || select_agent_ref(store, p->agent, out, &agent, err)) &&
           profile_load(store, p->run, out, list, err) &&
           profile_keep(list, p->agent ? &agent : NULL, (size_t)p->top, err);
}

const struct question question_profile = {
    .name = "profile",
    .summary = "phases, bottlenecks, tokens, sampled stacks and what would help",
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct profile_params),
    .answer = &answer_profile,
    .ask = ask,
};
