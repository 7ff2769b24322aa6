/* Stored conclusions of a stress test. */
#include "question/question_stress.h"

#include "base/value.h"
#include "question/question.h"
#include "report/answer_stress_results.h"
#include "view/select.h"

/* How far back the newest test is looked for. */
enum { RUNS_LOOKED_AT = 500 };

static const struct param rows[] = {
    {"run", PARAM_SELECTOR, .offset = offsetof(struct stress_params, run),
     .help = "a run, or an agent (default: the newest run that has some)"},
};

/* As the command calls it: by its URL, or by its name. */
static bool name_agent(struct store *store, const char *execution_id, struct arena *out,
                       struct answer_stress_results *a, struct error *err)
{
    struct execution_record e;
    struct agent_record agent;
    if (!store_find_execution(store, execution_id, out, &e, err)) return false;
    struct str url = value_text(e.parameters, "url");
    if (store_find_agent(store, e.agent_id, out, &agent, NULL) &&
        strcmp(agent.kind, "builtin") != 0) {
        a->agent = agent.name;
    } else {
        a->agent = url.n ? str_cstr(out, url) : e.label;
    }
    return true;
}

static bool read_run(struct store *store, const struct run_record *run, struct arena *out,
                     struct answer_stress_results *a, struct error *err)
{
    struct stress_record *found = NULL;
    if (!store_list_stress(store, run->id, out, &found, &a->count, err)) return false;
    a->rows = found;
    a->conclusions = answer_stress_conclusions(found, a->count, out);
    if (a->count == 0) return true;
    a->run = *run;
    return name_agent(store, found[0].execution_id, out, a, err);
}

static bool ask(struct store *store, const void *params, struct arena *out, const void **answer,
                struct error *err)
{
    const struct stress_params *p = params;
    struct answer_stress_results *a = arena_new(out, struct answer_stress_results, 1);
    struct run_record *runs = NULL;
    size_t count = 0;
    *answer = a;
    bool done = true;
    if (p->run) {
        struct selection selection = {0};
        done = select_find(store, p->run, out, &selection, err) &&
               select_is_whole(&selection, p->run, err);
        runs = selection.runs;
        count = selection.run_count;
    } else {
        done = store_list_runs(store, &(struct run_filter){.limit = RUNS_LOOKED_AT}, out, &runs,
                               &count, err);
    }
    for (size_t i = 0; done && i < count && a->count == 0; i++)
        done = read_run(store, &runs[i], out, a, err);
    if (done && p->run && a->count == 0) {
        error_set(
            err, ERROR_NOT_FOUND,
            "'%s' has no stress test: `assay stress` makes one, `assay list` shows the runs",
            p->run);
        return error_blame(err, "run");
    }
    return done;
}

const struct question question_stress = {
    .name = "stress",
    .summary = "stored conclusions of a stress test",
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct stress_params),
    .answer = &answer_stress_results,
    .ask = ask,
};
