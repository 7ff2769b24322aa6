/* What one run shows: who is best, by how much, how sure, and what to do next. */
#include "question/question_outcome.h"

#include "base/id.h"
#include "judge/summary.h"
#include "question/question.h"
#include "report/answer_outcome.h"
#include "view/source.h"

static const struct param rows[] = {QUESTION_RUN(struct outcome_params)};

static bool ask_outcome(struct store *store, const void *params, struct arena *out,
                        const void **answer, struct error *err)
{
    const struct outcome_params *p = params;
    struct source source;
    if (!source_load(store, p->run, out, &source, err)) return false;
    struct view *view = arena_new(out, struct view, 1);
    *view = *source.view;
    if (source.is_run && !summary_complete(store, view, out, err)) return false;
    bool is_latest = strcmp(p->run, "latest") == 0;
    struct answer_outcome *a = arena_new(out, struct answer_outcome, 1);
    a->run = is_latest ? "latest" : arena_printf(out, "%s", id_short(view->run.id));
    *answer = a;
    return outcome_make(store, view, out, &a->outcome, err);
}

const struct question question_outcome = {
    .name = "outcome",
    .summary = "what a run shows: who is best, by how much, how sure, what to do next",
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct outcome_params),
    .answer = &answer_outcome,
    .is_live = true, /* its process tells whether a run was killed */
    .ask = ask_outcome,
};
