/* The claims of one run, decided. */
#include "question/question_claims.h"

#include "judge/claims.h"
#include "question/question.h"
#include "view/select.h"

static const struct param rows[] = {
    CLAIMS_ROWS,
    QUESTION_RUN(struct claims_params),
};

static bool ask(struct store *store, const void *params, struct arena *out, const void **answer,
                struct error *err)
{
    const struct claims_params *p = params;
    struct run_record run;
    struct view *view = NULL;
    struct claims *claims = arena_new(out, struct claims, 1);
    *answer = claims;
    return select_run(store, p->run, out, &run, err) &&
           view_load_run(store, &run, out, &view, err) &&
           claims_decide(store, view, p->alpha, out, claims, err);
}

const struct question question_claims = {
    .name = "claims",
    .summary = "whether what a spec claims holds in the samples of its run",
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct claims_params),
    .answer = &answer_claims,
    .ask = ask,
};
