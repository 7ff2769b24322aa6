/* What the difference of two agents is made of. */
#include "question/question_why.h"

#include "judge/why.h"
#include "question/question.h"
#include "question/question_versus.h"

static const struct param rows[] = {
    WHY_ROWS,
    {"a", PARAM_TEXT, WHY_AT(a), .required = true, .help = "an agent, or agent@version"},
    {"b", PARAM_TEXT, WHY_AT(b), .required = true, .help = "the other one"},
    {"case", PARAM_TEXT, WHY_AT(name), .help = "one case: its name, or benchmark/name"},
};

static bool ask(struct store *store, const void *params, struct arena *out, const void **answer,
                struct error *err)
{
    const struct why_params *p = params;
    struct why *why = NULL;
    struct versus_question q = {.agent = {p->a, p->b}, .suite = p->suite};
    bool done = (p->suite || question_only_suite(store, out, &q.suite, err)) &&
                why_ask(store, &q, out, &why, err) &&
                (!p->name || why_choose(why, p->name, err));
    *answer = why;
    return done;
}

const struct question question_why = {
    .name = "why",
    .summary = "why one agent is ahead: the effect in parts that add up to it",
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct why_params),
    .answer = &answer_why,
    .ask = ask,
};
