/* Scores come from suite/scoring.c, never from the stored columns: what is shown has its
 * interval. Why a case is not right is the first thing that the first of its attempts lacked. */
#include "view/suite_view.h"

#include "base/near.h"
#include "model/detail.h"
#include "suite/scoring.h"
#include "view/view.h"

#include <math.h>
#include <stdlib.h>

static const char *setting(const struct view_cell *cell, const char *key, struct arena *out)
{
    const struct value *v = value_get(cell->record.parameters, key);
    return v && v->kind == VALUE_TEXT ? str_cstr(out, v->source) : "";
}

/* The agent's name, from its row; an id where there is none. */
static const char *agent_name(const struct agent_record *agents, size_t count,
                              const struct execution_record *e, struct arena *out)
{
    const char *name = agent_record_name(agents, count, e->agent_id);
    return name ? name : arena_printf(out, "%.8s", e->agent_id);
}

/* ---- why a case is not right ---- */

/* The first check below `list` that took something off. */
static const struct value *first_lack(const struct value *list)
{
    for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->list.count; i++) {
        const struct value *check = list->list.items[i];
        const struct value *score = value_get(check, "score");
        const struct value *inner = first_lack(value_get(check, "checks"));
        if (inner) return inner;
        if (score && value_is_number(score) && value_number(score) < 1) return check;
    }
    return NULL;
}

static const char *why_of(const struct trial_note *note, struct arena *out)
{
    struct detail detail;
    const struct value *lack = NULL;
    if (note->error) {
        return arena_printf(out, "%s: %s", trial_status_name(note->status), note->error);
    }
    if (note->status != TRIAL_OK) return trial_status_name(note->status);
    if (!detail_read(note->detail, out, &detail)) return NULL;
    for (size_t i = 0; !lack && i < detail.judged_count; i++) {
        lack = first_lack(value_get(detail.turns[i].rubric.value, "checks"));
    }
    const struct value *name = value_get(lack, "check");
    const struct value *why = value_get(lack, "why");
    if (!why || why->kind != VALUE_TEXT) return NULL;
    return arena_printf(out, "%.*s: %.*s", name ? (int)name->source.n : 0,
                        name ? name->source.p : "", STR_ARG(why->source));
}

/* Whether the attempt makes the case what it is. Ours never does. */
static bool is_telling(enum case_state state, const struct trial_note *note, double score,
                       double pass_at)
{
    bool is_ok = note->status == TRIAL_OK;
    bool has_passed = is_ok && near_reaches(score, pass_at);
    if (note->status == TRIAL_HARNESS_ERROR) return false;
    if (state == CASE_RIGHT) return has_passed;
    return state == CASE_UNJUDGED || !is_ok || (!isnan(score) && !has_passed);
}

static void explain_case(struct suite_case *c, const struct view_metric *accuracy,
                         double pass_at, struct arena *out)
{
    const struct case_notes *n = &c->notes;
    while (c->telling < n->count) {
        const struct trial_note *note = n->items[c->telling];
        if (is_telling(c->state, note, view_sample(accuracy, note->trial), pass_at)) break;
        c->telling++;
    }
    if (c->telling == n->count) c->telling = 0; /* all of them are ours */
    const struct trial_note *note = n->items[c->telling];
    if (c->state == CASE_UNJUDGED && note->status == TRIAL_OK) {
        c->why = "nothing to judge it by";
    } else if (c->state != CASE_RIGHT) {
        c->why = why_of(note, out);
    }
}

static void take_cases(struct suite_view *s, const struct scoring *scoring,
                       const struct view_cell *cell, struct arena *out)
{
    struct suite_case *cases = arena_new(out, struct suite_case, scoring->case_count + 1);
    const struct view_metric *accuracy = view_find_metric(cell, "accuracy");
    struct case_notes notes = case_notes_sort(cell->notes, cell->note_count, out);
    for (size_t i = 0; i < scoring->case_count; i++) { /* both ascend by hash */
        cases[i] = (struct suite_case){.hash = scoring->hashes[i],
                                       .name = scoring->names[i],
                                       .values = scoring->cases[i],
                                       .state = score_case_state(&scoring->cases[i]),
                                       .notes = case_notes_next(&notes, scoring->hashes[i])};
        if (cases[i].notes.count) explain_case(&cases[i], accuracy, s->pass_at, out);
    }
    s->cases = cases;
    s->case_count = scoring->case_count;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct suite_case *)a)->name, ((const struct suite_case *)b)->name);
}

static struct suite_case *list_cases(const struct suite_view *s, enum case_state state,
                                     size_t *count, struct arena *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s->case_count; i++) n += s->cases[i].state == state;
    struct suite_case *list = arena_new(out, struct suite_case, n + 1);
    for (size_t i = 0; i < s->case_count; i++) {
        if (s->cases[i].state == state) list[(*count)++] = s->cases[i];
    }
    if (n) qsort(list, n, sizeof *list, by_name);
    return list;
}

static int by_hash(const void *key, const void *item)
{
    return strcmp(key, ((const struct suite_case *)item)->hash);
}

const struct suite_case *suite_view_find(const struct suite_view *s, const char *hash)
{
    return s->case_count ? bsearch(hash, s->cases, s->case_count, sizeof *s->cases, by_hash)
                         : NULL;
}

/* ---- loading ---- */

/* What metrics_measured leaves out is kept, and not shown. */
static void hide_metrics(struct view_cell *cell, const struct benchmark_record *b,
                         struct arena *out)
{
    const struct value *list = value_stored(b->metrics_measured, out);
    bool is_chosen = list && list->kind == VALUE_LIST && list->list.count > 0;
    for (size_t m = 0; is_chosen && m < cell->metric_count; m++) {
        bool is_named = false;
        for (size_t i = 0; i < list->list.count; i++) {
            is_named |= str_is(list->list.items[i]->source, cell->metrics[m].name);
        }
        cell->metrics[m].is_hidden = !is_named;
    }
}

/* As scoring_load, of what the cell has loaded. */
static bool score_cell(struct store *store, const struct view_cell *cell, struct arena *out,
                       struct scoring *scoring, struct error *err)
{
    struct benchmark_record *benchmark = arena_new(out, struct benchmark_record, 1);
    const struct scoring_input in = {.benchmark = benchmark,
                                     .series = cell->series,
                                     .series_count = cell->series_count,
                                     .notes = cell->notes,
                                     .note_count = cell->note_count};
    return store_find_benchmark(store, cell->record.benchmark_id, out, benchmark, err) &&
           scoring_compute(&in, out, scoring, err);
}

static bool load_one(struct store *store, struct view_cell *cell, struct suite_view *s,
                     struct arena *out, struct error *err)
{
    struct scoring *scoring = arena_new(out, struct scoring, 1);
    if (!score_cell(store, cell, out, scoring, err))
        return error_wrap(err, "scoring execution %s", cell->record.id);
    s->scoring = scoring;
    hide_metrics(cell, scoring->benchmark, out);
    s->scores = scoring->scores;
    memcpy(s->weights, score_plan_weights(&scoring->plan), sizeof s->weights);
    s->untried = scoring_untried(scoring, &cell->record, out);
    s->case_list = scoring->benchmark->cases;
    s->pass_at = scoring->rules.pass_at;
    int64_t attempts = 0;
    for (size_t i = 0; i < scoring->case_count; i++) {
        if (scoring->cases[i].judged > attempts) attempts = scoring->cases[i].judged;
    }
    score_pass_k(scoring->cases, scoring->case_count, 1, &scoring->plan, out, &s->pass_1);
    score_pass_k(scoring->cases, scoring->case_count, attempts > 1 ? attempts : 1,
                 &scoring->plan, out, &s->pass_k);
    for (; s->asked_count < SCORING_PASS_MAX && scoring->pass_k[s->asked_count] > 0;
         s->asked_count++) {
        score_pass_k(scoring->cases, scoring->case_count, scoring->pass_k[s->asked_count],
                     &scoring->plan, out, &s->asked[s->asked_count]);
    }
    take_cases(s, scoring, cell, out);
    s->wrong = list_cases(s, CASE_WRONG, &s->wrong_count, out);
    s->unjudged = list_cases(s, CASE_UNJUDGED, &s->unjudged_count, out);
    return true;
}

bool suite_view_load(struct store *store, struct view *view, struct arena *out,
                     struct error *err)
{
    struct agent_record *agents = NULL;
    size_t agent_count = 0;
    struct execution_record ours = {.experiment = ""};
    store_builtin_ids(store, &ours);
    view->suites = arena_new(out, struct suite_view, view->cell_count + 1);
    for (size_t i = 0; i < view->cell_count; i++) {
        struct view_cell *cell = &view->cells[i];
        if (strcmp(cell->record.agent_id, ours.agent_id) == 0) continue;
        if (!agents && !store_list_agents(store, true, out, &agents, &agent_count, err))
            return false;
        cell->agent = agent_name(agents, agent_count, &cell->record, out);
        if (strcmp(cell->record.experiment, "suite") != 0 || cell->trial_count == 0) continue;
        struct suite_view *s = &view->suites[view->suite_count++];
        *s = (struct suite_view){
            .cell = i,
            .suite = setting(cell, "suite", out),
            .benchmark = setting(cell, "benchmark", out),
            .agent = cell->agent,
            .version = cell->record.agent_version,
            .prompt = setting(cell, "prompt", out),
            .provenance = cell->record.provenance ? cell->record.provenance : "measured",
            .concurrency = execution_lanes(&cell->record),
        };
        if (!load_one(store, cell, s, out, err)) return false;
    }
    return true;
}

const char *suite_view_name(const struct suite_view *s, struct arena *out)
{
    const char *name =
        arena_printf(out, "%s, %s%s%s%s%s", s->benchmark, s->agent, s->version ? " " : "",
                     s->version ? s->version : "", s->prompt[0] ? ", prompt " : "", s->prompt);
    if (s->concurrency <= 1) return name;
    return arena_printf(out, "%s (%lld at once)", name, (long long)s->concurrency);
}
