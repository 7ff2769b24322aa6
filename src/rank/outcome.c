/* One pass over the cells of a run gathers what each agent did; the ranking is asked of the
 * store for this run alone, so that its rows are those of the leaderboard with a smaller
 * window. A row and an agent belong together by agent, version and prompt. */
#include "rank/outcome.h"

#include "judge/ask.h"
#include "stats/family.h"
#include "view/units.h"

#include <math.h>
#include <stdlib.h>

struct gathering {
    struct outcome *o;
    struct arena *out;
    const char **ids; /* of each agent */
    double **times;   /* of cases, each by its passes */
    size_t *time_counts;
};

/* NULL: without one. */
static bool is_same(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static size_t find_agent(const struct gathering *g, const char *id, const char *version,
                         const char *prompt)
{
    for (size_t i = 0; i < g->o->agent_count; i++) {
        const struct suite_view *s = g->o->agents[i].first;
        if (strcmp(g->ids[i], id) == 0 && is_same(s->version, version) &&
            is_same(s->prompt, prompt))
            return i;
    }
    return g->o->agent_count;
}

static const char *why_left_out(const struct view *view, const struct suite_view *s)
{
    const struct execution_record *e = &view->cells[s->cell].record;
    bool is_unjudged = e->status == RUN_PARTIAL && e->counts.attempted >= e->measured_planned &&
                       e->counts.by_status[TRIAL_HARNESS_ERROR] > 0;
    if (is_unjudged) return unranked_name(UNRANKED_UNJUDGED);
    if (e->status != RUN_SUCCESS) return view_status(view, e->status);
    if (strcmp(s->provenance, "measured") != 0) return s->provenance;
    return unranked_name(e->unranked); /* NULL: it ranks */
}

static void take_times(struct gathering *g, size_t agent, const struct view_cell *cell)
{
    const struct view_metric *m = view_find_metric(cell, metric_duration.name);
    if (!m) return;
    const struct units u = units_of(cell, m, g->out);
    size_t n = g->time_counts[agent];
    double *all = arena_new(g->out, double, n + u.count + 1);
    if (n) memcpy(all, g->times[agent], n * sizeof *all);
    for (size_t i = 0; i < u.count; i++) {
        if (!isnan(u.values[i])) all[n++] = u.values[i];
    }
    g->times[agent] = all;
    g->time_counts[agent] = n;
}

static void add_names(const char ***names, size_t *count, const struct suite_case *cases,
                      size_t n, struct arena *out)
{
    const char **all = arena_new(out, const char *, *count + n + 1);
    if (*count) memcpy(all, *names, *count * sizeof *all);
    for (size_t i = 0; i < n; i++) all[(*count)++] = cases[i].name;
    *names = all;
}

static void take_suite(struct gathering *g, const struct suite_view *s)
{
    struct outcome *o = g->o;
    const struct view_cell *cell = &o->view->cells[s->cell];
    size_t i = find_agent(g, cell->record.agent_id, s->version, s->prompt);
    struct outcome_agent *a = &o->agents[i];
    if (i == o->agent_count) {
        o->agent_count++;
        g->ids[i] = cell->record.agent_id;
        a->first = s;
    }
    if (!a->left_out) a->left_out = why_left_out(o->view, s);
    a->cases += s->case_count + s->untried;
    a->untried += s->untried;
    if (s->concurrency > o->lanes) o->lanes = s->concurrency;
    a->right += s->case_count - s->wrong_count - s->unjudged_count;
    a->ok += cell->record.counts.by_status[TRIAL_OK];
    a->attempted += cell->record.counts.attempted;
    take_times(g, i, cell);
    add_names(&a->wrong, &a->wrong_count, s->wrong, s->wrong_count, g->out);
    add_names(&a->unjudged, &a->unjudged_count, s->unjudged, s->unjudged_count, g->out);
    size_t passes = s->case_count ? (size_t)cell->record.counts.attempted / s->case_count : 0;
    if (passes > o->pass_count) o->pass_count = passes;
    if (a->cases > o->case_count) o->case_count = a->cases;
    o->trial_count += cell->record.counts.attempted;
}

/* Where one agent is there several times, what tells them apart is part of the name. */
static void name_agents(struct gathering *g)
{
    struct outcome *o = g->o;
    for (size_t i = 0; i < o->agent_count; i++) {
        const struct suite_view *s = o->agents[i].first;
        bool by_version = false;
        bool by_prompt = false;
        for (size_t k = 0; k < o->agent_count; k++) {
            if (strcmp(g->ids[k], g->ids[i]) != 0) continue;
            by_version |= !str_is(str_of(o->agents[k].first->version), s->version);
            by_prompt |= !str_is(str_of(o->agents[k].first->prompt), s->prompt);
        }
        const char *version = by_version && s->version ? s->version : "";
        const char *prompt = by_prompt ? s->prompt : "";
        o->agents[i].name = arena_printf(g->out, "%s%s%s%s%s", s->agent, version[0] ? " " : "",
                                         version, prompt[0] ? " prompt " : "", prompt);
        o->agents[i].selector =
            version[0] ? arena_printf(g->out, "%s@%s", s->agent, version) : s->agent;
    }
}

static void count_benchmarks(struct outcome *o)
{
    const struct view *view = o->view;
    for (size_t i = 0; i < view->suite_count; i++) {
        bool is_new = true;
        for (size_t k = 0; k < i && is_new; k++) {
            is_new = strcmp(view->suites[k].benchmark, view->suites[i].benchmark) != 0;
        }
        o->benchmark_count += is_new;
    }
    o->benchmark = o->benchmark_count == 1 ? view->suites[0].benchmark : NULL;
}

static void fill_times(struct gathering *g)
{
    for (size_t i = 0; i < g->o->agent_count; i++) {
        struct outcome_agent *a = &g->o->agents[i];
        size_t n = g->time_counts[i];
        const struct units u = {.values = g->times[i], .count = n};
        const struct units_level level =
            units_level(&u, metric_duration.kind, VERDICT_ALPHA, *g->out);
        /* Most were timed out: longer than anybody waited. */
        a->median_s = isfinite(level.centre) ? level.centre : (double)NAN;
        a->median_low = level.low;
        a->median_high = level.high;
    }
}

/* ---- ranks ---- */

static int by_rank(const void *x, const void *y)
{
    const struct outcome_agent *a = x;
    const struct outcome_agent *b = y;
    if (!a->entry != !b->entry) return a->entry ? -1 : 1;
    if (a->entry) return a->entry < b->entry ? -1 : 1; /* both are of one list, in order */
    return strcmp(a->name, b->name);
}

/* Those of the suite. Benchmarks that weigh otherwise than each other have no overall in common
 * but by the default ones, as in `versus` and `leaderboard`. */
static void set_weights(const struct view *view, double weights[SCORE_COUNT])
{
    const double *chosen = view->suites[0].weights;
    for (size_t i = 1; i < view->suite_count; i++) {
        if (!score_weights_are_equal(view->suites[0].weights, view->suites[i].weights))
            chosen = score_weights_default;
    }
    memcpy(weights, chosen, SCORE_COUNT * sizeof *weights);
}

static bool rank(struct gathering *g, struct store *store, struct error *err)
{
    struct outcome *o = g->o;
    struct ranking *r = NULL;
    struct ranking_question q = {.is_matrix = true,
                                 .metric = RANKING_OVERALL,
                                 .seed = 42,
                                 .filter.run = o->view->run.id,
                                 .view = o->view};
    set_weights(o->view, q.weights);
    if (!ranking_ask(store, &q, g->out, &r, err)) return false;
    if (r->count == 0) {
        q.filter.wants_unranked = o->is_unranked = true;
        if (!ranking_ask(store, &q, g->out, &r, err)) return false;
    }
    o->ranking = r;
    for (size_t i = 0; i < r->count; i++) {
        const struct rank_row *row = r->entries[i].row;
        size_t k = find_agent(g, row->agent_id, row->agent_version, row->prompt);
        if (k == o->agent_count || r->entries[i].overall_rank == 0) continue;
        o->agents[k].entry = &r->entries[i];
        o->ranked_count++;
        if (!o->is_unranked) o->agents[k].left_out = NULL;
    }
    qsort(o->agents, o->agent_count, sizeof *o->agents, by_rank);
    return true;
}

/* The first two head to head; prompts of one agent are not two agents. */
static bool hold_duel(struct gathering *g, struct store *store, struct error *err)
{
    struct outcome *o = g->o;
    struct versus *v = NULL;
    const char *suite_id = o->view->cells[o->view->suites[0].cell].record.suite_id;
    for (size_t i = 0; i < o->view->suite_count; i++) {
        if (o->view->suites[i].prompt[0]) return true;
    }
    if (o->ranked_count < 2 || o->is_unranked) return true;
    const struct versus_question q = {.agent = {o->agents[1].selector, o->agents[0].selector},
                                      .suite = o->suite,
                                      .run = o->view->run.id,
                                      .suite_id = suite_id};
    struct error why = {0};
    if (versus_ask(store, &q, g->out, &v, &why)) {
        o->duel = v;
        return true;
    }
    if (why.code == ERROR_NOT_FOUND) return true; /* no benchmark in common */
    if (err) *err = why;
    return false;
}

/* ---- runs without a suite ---- */

static double badness(const struct view_cell *cell)
{
    const struct view_metric *m = &cell->metrics[0];
    return m->direction == DIRECTION_HIGHER ? -m->centre : m->centre;
}

/* All cells are arms of one group, and have a value that is better or worse. */
static bool are_rivals(const struct view *view)
{
    for (size_t i = 0; i < view->cell_count; i++) {
        const struct view_cell *cell = &view->cells[i];
        if (cell->metric_count == 0 || isnan(cell->metrics[0].centre)) return false;
        if (cell->metrics[0].direction == DIRECTION_NONE) return false;
        if (i > 0 && !ask_are_arms(&view->cells[0], cell)) return false;
        if (i > 0 && !view_find_alike(&view->cells[0], &cell->metrics[0])) return false;
    }
    return view->cell_count > 1;
}

static void find_best(struct outcome *o)
{
    const struct view_cell *cells = o->view->cells;
    o->next = badness(&cells[1]) < badness(&cells[0]) ? 0 : 1;
    o->best = 1 - o->next;
    for (size_t i = 2; i < o->view->cell_count; i++) {
        if (badness(&cells[i]) < badness(&cells[o->best])) {
            o->next = o->best;
            o->best = i;
        } else if (badness(&cells[i]) < badness(&cells[o->next])) {
            o->next = i;
        }
    }
}

/* The first arm is neither: the best against each of the others. */
static bool ask_best(struct outcome *o, struct arena *out, struct error *err)
{
    const struct view *view = o->view;
    const struct view_cell *best = &view->cells[o->best];
    struct family f = {.cells = arena_new(out, struct family_cell, view->cell_count)};
    size_t at = 0;
    for (size_t i = 0; i < view->cell_count; i++) {
        if (i == o->best) continue;
        if (i == o->next) at = f.count;
        const struct ask_subject subject = {
            .cell = {&view->cells[i], best},
            .metric = {&view->cells[i].metrics[0], &best->metrics[0]}};
        const struct ask_terms terms = {.margin = VERDICT_MARGIN};
        f.cells[f.count++].question = ask_about(&subject, &terms, out).question;
    }
    if (!family_ask(&f, *out, err)) return false;
    o->top = (struct view_comparison){
        .cell = o->best, .reference = o->next, .is_asked = true, .answer = f.cells[at].answer};
    return true;
}

static bool compare_top(struct outcome *o, struct arena *out, struct error *err)
{
    const struct view *view = o->view;
    if (!are_rivals(view)) return true;
    find_best(o);
    o->has_comparison = true;
    for (size_t i = 0; i < view->comparison_count; i++) {
        const struct view_comparison *c = &view->comparisons[i];
        bool is_theirs = (c->cell == o->best && c->reference == o->next) ||
                         (c->cell == o->next && c->reference == o->best);
        if (!is_theirs) continue;
        o->top = *c;
        o->has_comparison = c->is_asked;
        return true;
    }
    return ask_best(o, out, err);
}

/* Several cells, none of which is alone in its group. */
static bool took_turns(const struct view *view)
{
    for (size_t i = 0; i < view->cell_count; i++) {
        bool is_alone = true;
        for (size_t k = 0; k < view->cell_count && is_alone; k++) {
            is_alone = k == i || !ask_are_arms(&view->cells[i], &view->cells[k]);
        }
        if (is_alone) return false;
    }
    return view->cell_count > 1;
}

bool outcome_make(struct store *store, const struct view *view, struct arena *out,
                  struct outcome *o, struct error *err)
{
    size_t most = view->suite_count + 1;
    *o = (struct outcome){.view = view, .duration_s = (double)NAN};
    if (view->run.ended_ns > view->run.started_ns)
        o->duration_s = (double)(view->run.ended_ns - view->run.started_ns) / 1e9;
    o->took_turns = took_turns(view);
    if (view->suite_count == 0) return compare_top(o, out, err);
    struct gathering g = {.o = o,
                          .out = out,
                          .ids = arena_new(out, const char *, most),
                          .times = arena_new(out, double *, most),
                          .time_counts = arena_new(out, size_t, most)};
    o->suite = view->suites[0].suite;
    o->agents = arena_new(out, struct outcome_agent, most);
    for (size_t i = 0; i < view->suite_count; i++) take_suite(&g, &view->suites[i]);
    name_agents(&g);
    count_benchmarks(o);
    fill_times(&g);
    return !store || (rank(&g, store, err) && hold_duel(&g, store, err));
}

size_t outcome_agent_of(const struct outcome *o, const struct suite_view *s)
{
    const char *id = o->view->cells[s->cell].record.agent_id;
    size_t i = 0;
    for (; i + 1 < o->agent_count; i++) {
        const struct suite_view *first = o->agents[i].first;
        if (strcmp(o->view->cells[first->cell].record.agent_id, id) == 0 &&
            str_is(str_of(first->version), s->version) &&
            str_is(str_of(first->prompt), s->prompt))
            break;
    }
    return i;
}

static bool is_in_group(const struct ranking_entry *e, size_t group)
{
    return group > 0 && e->tie_group <= group && group <= e->tie_last;
}

enum outcome_bracket outcome_bracket(const struct outcome *o, size_t count, size_t i,
                                     size_t group)
{
    const struct ranking_entry *e = o->agents[i].entry;
    const struct ranking_entry *above = i > 0 ? o->agents[i - 1].entry : NULL;
    const struct ranking_entry *below = i + 1 < count ? o->agents[i + 1].entry : NULL;
    if (!is_in_group(e, group)) return BRACKET_NONE;
    bool goes_up = above && above->present == e->present && is_in_group(above, group);
    bool goes_down = below && below->present == e->present && is_in_group(below, group);
    if (goes_up) return goes_down ? BRACKET_INSIDE : BRACKET_LAST;
    return goes_down ? BRACKET_FIRST : BRACKET_ALONE;
}

size_t outcome_lanes(const struct outcome *o, size_t count)
{
    size_t lanes = 1;
    for (size_t i = 0; i < count; i++) {
        const struct ranking_entry *e = o->agents[i].entry;
        size_t groups = e->tie_last - e->tie_group + 1;
        if (groups > lanes) lanes = groups;
    }
    return lanes;
}
