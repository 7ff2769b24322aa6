/* Scores come from suite/scoring.c, never from the stored columns: what is shown has its
 * interval. Why a case was not passed is the first thing that the first of its trials lacked;
 * the notes that lack something are sorted by case and trial once and found by halves, because
 * a suite may have as many failed cases as trials. */
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

/* ---- why a case was not passed ---- */

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

static bool is_lacking(const struct trial_note *note, const double *accuracy, size_t count,
                       double pass_at)
{
    if (note->status != TRIAL_OK) return note->status != TRIAL_HARNESS_ERROR;
    size_t i = (size_t)note->trial;
    return accuracy && i < count && !near_reaches(accuracy[i], pass_at);
}

static const double *accuracy_of(const struct view_cell *cell, size_t *count)
{
    for (size_t i = 0; i < cell->metric_count; i++) {
        if (strcmp(cell->metrics[i].name, "accuracy") != 0) continue;
        *count = cell->metrics[i].count;
        return cell->metrics[i].samples;
    }
    *count = 0;
    return NULL;
}

/* Notes of trials that lacked something, by case and trial: a suite may have as many failed
 * cases as trials, so each is found by halves. */
struct lacks {
    const struct trial_note **notes;
    size_t count;
};

static int by_case(const void *a, const void *b)
{
    const struct trial_note *x = *(const struct trial_note *const *)a;
    const struct trial_note *y = *(const struct trial_note *const *)b;
    int order = strcmp(x->case_hash, y->case_hash);
    return order ? order : (x > y) - (x < y); /* both are of one list */
}

static struct lacks find_lacks(const struct view_cell *cell, double pass_at, struct arena *out)
{
    size_t count = 0;
    const double *accuracy = accuracy_of(cell, &count);
    struct lacks lacks = {.notes =
                              arena_new(out, const struct trial_note *, cell->note_count + 1)};
    for (size_t i = 0; i < cell->note_count; i++) {
        const struct trial_note *note = &cell->notes[i];
        if (note->phase != PHASE_MEASURED || !note->case_hash) continue;
        if (is_lacking(note, accuracy, count, pass_at)) lacks.notes[lacks.count++] = note;
    }
    if (lacks.count) qsort(lacks.notes, lacks.count, sizeof *lacks.notes, by_case);
    return lacks;
}

/* What the first of the case's trials lacked. */
static const char *find_why(const struct lacks *lacks, const char *hash, struct arena *out)
{
    size_t low = 0;
    size_t high = lacks->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(lacks->notes[middle]->case_hash, hash) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == lacks->count || strcmp(lacks->notes[low]->case_hash, hash) != 0) return NULL;
    return why_of(lacks->notes[low], out);
}

static int by_name(const void *a, const void *b)
{
    const struct suite_failure *x = a;
    const struct suite_failure *y = b;
    return strcmp(x->name, y->name);
}

static void take_failures(struct suite_view *s, const struct scoring *scoring,
                          const struct view_cell *cell, struct arena *out)
{
    struct lacks lacks = find_lacks(cell, scoring->rules.pass_at, out);
    s->failures = arena_new(out, struct suite_failure, scoring->case_count + 1);
    for (size_t i = 0; i < scoring->case_count; i++) {
        const struct score_case *c = &scoring->cases[i];
        if (c->judged == 0 ? c->ok == c->attempted : c->passed == c->attempted) continue;
        s->failures[s->failure_count++] = (struct suite_failure){
            .name = scoring->names[i],
            .passed = c->passed,
            .attempted = c->attempted,
            .why = find_why(&lacks, scoring->hashes[i], out),
        };
    }
    if (s->failure_count) qsort(s->failures, s->failure_count, sizeof *s->failures, by_name);
}

/* ---- loading ---- */

/* What metrics_measured leaves out is kept, and not shown. */
static void hide_metrics(struct view_cell *cell, const struct benchmark_record *b,
                         struct arena *out)
{
    const struct value *list = NULL;
    bool is_chosen =
        b->metrics_measured &&
        value_read_json(str_of(b->metrics_measured), &value_limits_spec, out, &list, NULL) &&
        list->kind == VALUE_LIST && list->list.count > 0;
    for (size_t m = 0; is_chosen && m < cell->metric_count; m++) {
        bool is_named = false;
        for (size_t i = 0; i < list->list.count; i++) {
            is_named |= str_is(list->list.items[i]->source, cell->metrics[m].name);
        }
        cell->metrics[m].is_hidden = !is_named;
    }
}

static bool load_one(struct store *store, struct view_cell *cell, struct suite_view *s,
                     struct arena *out, struct error *err)
{
    struct scoring scoring;
    if (!scoring_load(store, &cell->record, out, &scoring, err)) return false;
    hide_metrics(cell, scoring.benchmark, out);
    s->scores = scoring.scores;
    memcpy(s->weights, score_plan_weights(&scoring.plan), sizeof s->weights);
    s->case_count = scoring.case_count;
    s->untried = scoring_untried(&scoring, &cell->record, out);
    s->hashes = scoring.hashes;
    s->names = scoring.names;
    s->cases = scoring.cases;
    s->case_list = scoring.benchmark->cases;
    s->pass_at = scoring.rules.pass_at;
    int64_t attempts = 0;
    for (size_t i = 0; i < scoring.case_count; i++) {
        if (scoring.cases[i].judged > attempts) attempts = scoring.cases[i].judged;
    }
    score_pass_k(scoring.cases, scoring.case_count, 1, &scoring.plan, out, &s->pass_1);
    score_pass_k(scoring.cases, scoring.case_count, attempts > 1 ? attempts : 1, &scoring.plan,
                 out, &s->pass_k);
    for (; s->asked_count < SCORING_PASS_MAX && scoring.pass_k[s->asked_count] > 0;
         s->asked_count++) {
        score_pass_k(scoring.cases, scoring.case_count, scoring.pass_k[s->asked_count],
                     &scoring.plan, out, &s->asked[s->asked_count]);
    }
    take_failures(s, &scoring, cell, out);
    return true;
}

bool suite_view_load(struct store *store, struct view *view, struct arena *out,
                     struct error *err)
{
    struct agent_record *agents = NULL;
    size_t agent_count = 0;
    view->suites = arena_new(out, struct suite_view, view->cell_count + 1);
    for (size_t i = 0; i < view->cell_count; i++) {
        struct view_cell *cell = &view->cells[i];
        if (strcmp(cell->record.experiment, "suite") != 0 || cell->trial_count == 0) continue;
        if (!agents && !store_list_agents(store, true, out, &agents, &agent_count, err))
            return false;
        struct suite_view *s = &view->suites[view->suite_count++];
        *s = (struct suite_view){
            .cell = i,
            .suite = setting(cell, "suite", out),
            .benchmark = setting(cell, "benchmark", out),
            .agent = agent_name(agents, agent_count, &cell->record, out),
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
