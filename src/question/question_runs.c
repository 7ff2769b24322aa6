/* The runs of a store, and one of them with all its samples. */
#include "question/question_runs.h"

#include "judge/summary.h"
#include "question/question.h"
#include "report/answer_runs.h"
#include "view/select.h"
#include "view/source.h"

#include <math.h>

static const struct param runs_rows[] = {RUNS_ROWS};

static bool ask_runs(struct store *store, const void *params, struct arena *out,
                     const void **answer, struct error *err)
{
    const struct runs_params *p = params;
    size_t skipped = (size_t)p->offset;
    struct run_filter filter = {.tag = p->tag,
                                .limit = p->limit ? skipped + (size_t)p->limit : 0,
                                .since_ns = p->since_ns};
    struct run_record *runs = NULL;
    size_t count = 0;
    if (!select_suite(store, p->suite, out, &filter.suite, err) ||
        !store_list_runs(store, &filter, out, &runs, &count, err))
        return false;
    struct answer_runs *a = arena_new(out, struct answer_runs, 1);
    a->runs = arena_new(out, struct listed_run, count + 1);
    for (size_t i = skipped; i < count; i++)
        a->runs[a->count++] = listed_run(&runs[i], store, out);
    *answer = a;
    return true;
}

const struct question question_runs = {
    .name = "runs",
    .summary = "stored runs, newest first",
    .params = {runs_rows, COUNT(runs_rows)},
    .config_size = sizeof(struct runs_params),
    .answer = &answer_list,
    .is_live = true, /* its process tells whether a run was killed */
    .ask = ask_runs,
};

static const struct param run_rows[] = {QUESTION_RUN(struct run_params)};

/* Of a whole run its claims are attached. */
static bool ask_run(struct store *store, const void *params, struct arena *out,
                    const void **answer, struct error *err)
{
    const struct run_params *p = params;
    struct source source;
    if (!source_load(store, p->run, out, &source, err)) return false;
    *answer = source.view;
    if (!source.is_run) return true;
    struct view *with_claims = arena_new(out, struct view, 1);
    *with_claims = *source.view;
    *answer = with_claims;
    return summary_complete(store, with_claims, out, err);
}

const struct question question_run = {
    .name = "run",
    .summary = "a run with all its samples, comparisons and claims",
    .params = {run_rows, COUNT(run_rows)},
    .config_size = sizeof(struct run_params),
    .answer = &answer_report,
    .is_live = true,
    .ask = ask_run,
};
