/* What was asked, expected and answered in one run. */
#include "question/question_cases.h"

#include "question/question.h"
#include "report/answer_cases.h"
#include "view/source.h"

static const struct param rows[] = {
    CASES_ROWS,
    QUESTION_RUN(struct cases_params),
};

static bool has_tag(const struct casebook_case *c, const char *tag)
{
    for (size_t i = 0; c->tags && c->tags->kind == VALUE_LIST && i < c->tags->list.count; i++) {
        if (str_is(c->tags->list.items[i]->source, tag)) return true;
    }
    return false;
}

static bool is_named(const struct casebook_case *c, const char *name, struct arena scratch)
{
    const char *whole = arena_printf(&scratch, "%s/%s", c->benchmark, c->name);
    return strcmp(c->name, name) == 0 || strcmp(whole, name) == 0 ||
           (strlen(name) >= 6 && str_starts(str_of(c->hash), str_of(name)));
}

struct choice {
    const struct cases_params *o;
    struct store *store;
    const struct outcome *run;
    bool *agents; /* of the run: those that are asked for */
    size_t pair[2];
    struct arena *out;
    struct arena scratch;
};

/* Marks all that are called that: one as the run's own lists name it ("gpt prompt short"), or
 * an agent, as every command takes it, in all its versions and prompts. `last` is one of them.
 * Returns how many; 0: none, with the reason. */
static size_t find_agents(struct choice *how, const char *name, size_t *last, struct error *err)
{
    const struct outcome *o = how->run;
    struct agent_ref ref = {0};
    size_t found = 0;
    bool is_full = false;
    for (size_t i = 0; i < o->agent_count; i++) is_full |= strcmp(o->agents[i].name, name) == 0;
    if (!is_full && !select_agent_ref(how->store, name, how->out, &ref, err)) return 0;
    for (size_t i = 0; i < o->agent_count; i++) {
        const struct outcome_agent *a = &o->agents[i];
        const struct execution_record *e = &o->view->cells[a->first->cell].record;
        bool is_it = is_full ? strcmp(a->name, name) == 0
                             : agent_ref_fits(&ref, e->agent_id, e->agent_version);
        if (!is_it) continue;
        how->agents[i] = true;
        *last = i;
        found++;
    }
    if (found == 0)
        error_set(err, ERROR_NOT_FOUND, "the run has no agent '%s'; it has '%s'%s", name,
                  o->agents[0].name, o->agent_count > 1 ? ", ..." : "");
    return found;
}

static bool any_answer(const struct answer_cases *a, const struct casebook_case *c, bool slow)
{
    for (size_t i = 0; i < a->book->outcome->agent_count; i++) {
        const struct casebook_answer *answer = &c->answers[i];
        if (answer->try_count == 0 || (a->agents && !a->agents[i])) continue;
        if (slow ? answer->is_slow : answer->of->state == CASE_WRONG) return true;
    }
    return false;
}

static bool is_flipped(const struct casebook_case *c, const size_t pair[2])
{
    const struct suite_case *a = c->answers[pair[0]].of;
    const struct suite_case *b = c->answers[pair[1]].of;
    return a && b && a->values.judged > 0 && b->values.judged > 0 &&
           a->values.is_passed != b->values.is_passed;
}

static bool is_chosen(const struct answer_cases *a, const struct casebook_case *c,
                      const struct choice *how)
{
    const struct cases_params *o = how->o;
    return (!o->failed || any_answer(a, c, false)) && (!o->slow || any_answer(a, c, true)) &&
           (!o->flipped.count || is_flipped(c, how->pair)) && (!o->tag || has_tag(c, o->tag)) &&
           (!o->name || is_named(c, o->name, how->scratch));
}

static bool choose(struct store *store, const struct cases_params *o, struct answer_cases *a,
                   struct arena *out, struct error *err)
{
    const struct outcome *run = a->book->outcome;
    struct choice how = {.o = o,
                         .store = store,
                         .run = run,
                         .agents = arena_new(out, bool, run->agent_count + 1),
                         .out = out};
    size_t last = 0;
    for (size_t i = 0; i < o->agents.count; i++) {
        if (find_agents(&how, o->agents.items[i], &last, err) == 0)
            return error_blame(err, "agent");
    }
    for (size_t i = 0; i < o->flipped.count && i < 2; i++) {
        const char *name = o->flipped.items[i];
        size_t found = find_agents(&how, name, &how.pair[i], err);
        if (found > 1)
            error_set(err, ERROR_INVALID, "the run has %zu of '%s': name one, such as '%s'",
                      found, name, run->agents[how.pair[i]].name);
        if (found != 1) return error_blame(err, "flipped");
    }
    a->agents = o->agents.count || o->flipped.count ? how.agents : NULL;
    a->filter = (struct cases_filter){
        .failed = o->failed, .slow = o->slow, .tag = o->tag, .name = o->name};
    for (size_t i = 0; i < o->flipped.count && i < 2; i++)
        a->filter.flipped[i] = o->flipped.items[i];
    a->cases = arena_new(out, const struct casebook_case *, a->book->count + 1);
    how.scratch = *out;
    for (size_t i = 0; i < a->book->count; i++) {
        if (is_chosen(a, &a->book->cases[i], &how)) a->cases[a->count++] = &a->book->cases[i];
    }
    if (a->count > 0 || !o->name) return true;
    error_set(err, ERROR_NOT_FOUND, "the run has no case '%s'; `assay cases %s` lists all",
              o->name, a->run);
    return error_blame(err, "case");
}

static bool ask(struct store *store, const void *params, struct arena *out, const void **answer,
                struct error *err)
{
    const struct cases_params *p = params;
    struct source source;
    struct outcome *outcome = arena_new(out, struct outcome, 1);
    struct casebook *book = arena_new(out, struct casebook, 1);
    struct answer_cases *a = arena_new(out, struct answer_cases, 1);
    *answer = a;
    a->book = book;
    if (p->flipped.count != 0 && p->flipped.count != 2) {
        error_set(err, ERROR_INVALID, "flipped takes two agents (are %zu)", p->flipped.count);
        return error_blame(err, "flipped");
    }
    if (!source_load(store, p->run, out, &source, err)) return false;
    if (source.is_file) return select_refuse_file(p->run, err);
    const struct view *view = source.view;
    if (view->suite_count == 0) {
        return error_set(err, ERROR_INVALID, "run %s is not of a suite: it has no cases",
                         id_short(view->run.id));
    }
    a->run = id_short(view->run.id);
    return outcome_make(store, view, out, outcome, err) &&
           casebook_make(store, outcome, out, book, err) && choose(store, p, a, out, err);
}

const struct question question_cases = {
    .name = "cases",
    .summary = "what was asked, expected and answered in a run",
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct cases_params),
    .answer = &answer_cases,
    .ask = ask,
};
