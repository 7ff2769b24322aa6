/* What a baseline has and nothing current corresponds to. What a run had is read from it; what
 * a version had is gathered from all its runs: a suite of which it ran one benchmark last still
 * has the others. Benchmarks are the same here by their names, as what is looked for are those
 * whose content is another now. */
#include "view/baseline_internal.h"

#include <stdlib.h>

/* ---- benchmarks by their names ---- */

static bool is_of_suite(const struct execution_record *e)
{
    return strcmp(e->experiment, "suite") == 0;
}

static const struct baseline_place *place_of(struct baseline_finder *f,
                                             const struct execution_record *e)
{
    struct benchmark_record benchmark;
    struct suite_record suite;
    for (size_t i = 0; i < f->place_count; i++) {
        if (strcmp(f->places[i].benchmark_id, e->benchmark_id) == 0) return &f->places[i];
    }
    f->places = arena_grow(f->out, f->places, f->place_count, sizeof *f->places);
    struct baseline_place *place = &f->places[f->place_count++];
    struct error why = {0};
    bool is_known = baseline_find_benchmark(f, e, &benchmark);
    bool is_in = is_known &&
                 (store_find_suite_by_id(f->store, benchmark.suite_id, f->out, &suite, &why) ||
                  error_unless_absent(&f->broken, &why));
    *place = (struct baseline_place){.suite = is_in ? suite.name : "",
                                     .benchmark = is_known ? benchmark.name : ""};
    memcpy(place->benchmark_id, e->benchmark_id, sizeof place->benchmark_id);
    return place;
}

static bool is_same_suite(struct baseline_finder *f, const struct execution_record *a,
                          const struct execution_record *b)
{
    const char *suite = place_of(f, a)->suite;
    return strcmp(suite, place_of(f, b)->suite) == 0;
}

bool baseline_is_same_place(struct baseline_finder *f, const struct execution_record *a,
                            const struct execution_record *b)
{
    if (!is_of_suite(a) || !is_of_suite(b)) return false;
    const char *benchmark = place_of(f, a)->benchmark;
    return is_same_suite(f, a, b) && strcmp(benchmark, place_of(f, b)->benchmark) == 0;
}

/* All that the agent did, newest first. */
static bool load_agent(struct baseline_finder *f, const char *agent_id,
                       const struct baseline_past **found)
{
    for (size_t i = 0; i < f->agents_past_count; i++) {
        *found = &f->agents_past[i];
        if (strcmp((*found)->agent_id, agent_id) == 0) return true;
    }
    f->agents_past =
        arena_grow(f->out, f->agents_past, f->agents_past_count, sizeof *f->agents_past);
    struct baseline_past *past = &f->agents_past[f->agents_past_count++];
    *past = (struct baseline_past){.agent_id = agent_id};
    *found = past;
    const struct execution_filter filter = {.agent_id = agent_id,
                                            .limit = BASELINE_HISTORY_MAX};
    return store_query_executions(f->store, &filter, f->out, &past->records, &past->count,
                                  f->err);
}

/* It can be what others are compared with: all its cases, carried out to the end. */
static bool is_whole(struct baseline_finder *f, const struct execution_record *e)
{
    return is_of_suite(e) && execution_is_sound(e) && e->unranked != UNRANKED_SUBSET &&
           !baseline_is_disturbed(f, e);
}

/* Another version than the pair's, or the named one; before it, or it is named. */
static bool is_other_version(struct baseline_finder *f, const struct baseline_pair *p,
                             const char *version, const struct execution_record *o,
                             bool is_past)
{
    const struct execution_record *e = &p->current->record;
    if (strcmp(o->run_id, e->run_id) == 0) return false;
    const char *then = baseline_version_of(f, p, o).id;
    bool is_same = strcmp(then, baseline_version_of(f, p, e).id) == 0;
    if (version) return !is_same && baseline_is_called(f, p, o, version);
    return is_past && !is_same;
}

/* The newest of another version (or of the named one) that ran the same suite or, if
 * `is_of_place`, the same benchmark of it. A run that is not stored goes by its date. */
static bool find_other(struct baseline_finder *f, const struct baseline_pair *p,
                       const char *version, bool is_of_place,
                       const struct execution_record **found)
{
    const struct execution_record *e = &p->current->record;
    const struct baseline_past *past = NULL;
    bool is_stored = false;
    bool is_past = false;
    *found = NULL;
    if (!load_agent(f, e->agent_id, &past)) return false;
    for (size_t i = 0; i < past->count; i++)
        is_stored |= strcmp(past->records[i].run_id, e->run_id) == 0;
    for (size_t i = 0; i < past->count && !*found; i++) {
        const struct execution_record *o = &past->records[i];
        is_past |= is_stored ? strcmp(o->run_id, e->run_id) == 0 : o->start_ns < e->start_ns;
        if (!is_whole(f, o) || !is_other_version(f, p, version, o, is_past)) continue;
        if (is_of_place ? baseline_is_same_place(f, o, e) : is_same_suite(f, o, e)) *found = o;
    }
    return true;
}

/* Of an agent its own cells only; of a pinned name those that are pinned. */
static bool is_expected(const struct baseline_finder *f, const struct baseline_set *set,
                        const struct execution_record *e)
{
    if (f->q->agent && strcmp(e->agent_id, set->pairs[0].current->record.agent_id) != 0)
        return false;
    bool is_by_name = f->wanted && baseline_is_pinned(f, f->wanted);
    for (size_t i = 0; i < f->pin_count && is_by_name; i++) {
        const struct baseline_record *b = &f->pins[i];
        if (strcmp(b->name, f->wanted) == 0 && str_is(str_of(b->execution_id), e->id))
            return true;
    }
    return !is_by_name;
}

bool baseline_has_version(struct baseline_finder *f, const struct baseline_pair *p,
                          const char *version, bool *has)
{
    const struct baseline_past *past = NULL;
    *has = false;
    if (!p->is_agent) return true;
    if (!load_agent(f, p->current->record.agent_id, &past)) return false;
    for (size_t i = 0; i < past->count && !*has; i++)
        *has = baseline_is_called(f, p, &past->records[i], version);
    return true;
}

/* ---- the same work, measured in another way ---- */

static void note_unlike(const struct execution_record *then, const struct execution_record *now,
                        struct baseline_lost *lost)
{
    static const unsigned parts[] = {CELL_WHAT, CELL_BENCHMARK, CELL_LANES};
    lost->instead = now;
    lost->unlike = 0;
    for (size_t k = 0; k < COUNT(parts); k++)
        lost->unlike |= cell_is_same(then, now, parts[k]) ? 0 : parts[k];
    lost->lanes[0] = execution_lanes(then);
    lost->lanes[1] = execution_lanes(now);
}

/* Of the same cell, by another version or the named one, which did not finish. */
static const struct execution_record *find_cut(struct baseline_finder *f, const char *version,
                                               const struct baseline_pair *p)
{
    const struct execution_record *e = &p->current->record;
    bool is_past = false;
    for (size_t i = 0; i < p->history_count; i++) {
        const struct execution_record *o = &p->history[i];
        is_past |= strcmp(o->run_id, e->run_id) == 0;
        bool is_cut = !execution_is_sound(o) && str_is(str_of(o->provenance), "measured");
        if (is_cut && is_other_version(f, p, version, o, is_past)) return o;
    }
    return NULL;
}

bool baseline_find_otherwise(struct baseline_finder *f, const char *version,
                             struct baseline_pair *p)
{
    const struct execution_record *now = &p->current->record;
    const struct execution_record *then = NULL;
    bool is_agent = p->is_agent && is_of_suite(now);
    if (is_agent && !find_other(f, p, version, true, &then)) return false;
    const struct execution_record *cut = then ? NULL : find_cut(f, version, p);
    if (then || cut) p->named = baseline_name_version(f, p, then ? then : cut);
    if (cut) p->why = BASELINE_UNFINISHED;
    if (!then) return true;
    p->why = BASELINE_OTHERWISE;
    note_unlike(then, now, &p->otherwise);
    return true;
}

/* A cell of the same agent and benchmark that has no baseline: the same work, measured in
 * another way. Of several the one with the same parameters. */
static void find_instead(const struct baseline_set *set, const struct execution_record *e,
                         struct baseline_lost *lost)
{
    for (size_t i = 0; lost->benchmark && i < set->count; i++) {
        const struct baseline_pair *p = &set->pairs[i];
        const struct execution_record *now = &p->current->record;
        bool is_other = p->baseline || strcmp(now->agent_id, e->agent_id) != 0 ||
                        strcmp(p->benchmark, lost->benchmark) != 0;
        if (is_other || (lost->instead && !cell_is_same(e, now, CELL_WHAT))) continue;
        note_unlike(e, now, lost);
    }
}

/* ---- what is lost ---- */

static bool is_lost(const struct baseline_set *set, const struct cell_identity *id)
{
    for (size_t i = 0; i < set->lost_count; i++) {
        if (baseline_is_identity(&set->lost[i].identity, id)) return true;
    }
    return false;
}

/* Each cell once, of whatever run. */
static void lose(struct baseline_finder *f, struct baseline_set *set, const struct view *view,
                 const struct view_cell *cell)
{
    const struct cell_identity id = cell_identity(&cell->record, CELL_SAME);
    if (baseline_is_current(set, &cell->record) || is_lost(set, &id)) return;
    set->lost = f->lost = arena_grow(f->out, f->lost, set->lost_count, sizeof *f->lost);
    struct baseline_lost *it = &f->lost[set->lost_count++];
    *it = (struct baseline_lost){
        .identity = id,
        .name = view_cell_name(view, cell, f->out),
        .benchmark = is_of_suite(&cell->record) ? baseline_benchmark(f, &cell->record) : NULL,
        .run_id = view->run.id,
        .cell = cell};
    find_instead(set, &cell->record, it);
}

static void add_lost(struct baseline_finder *f, struct baseline_set *set,
                     const struct view *view)
{
    for (size_t i = 0; i < view->cell_count; i++) {
        if (is_expected(f, set, &view->cells[i].record)) lose(f, set, view, &view->cells[i]);
    }
}

static bool has_baseline(const struct baseline_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->pairs[i].baseline) return true;
    }
    return false;
}

/* Nothing of what is pinned is there now: then all of it is lost. */
static bool load_pinned(struct baseline_finder *f)
{
    for (size_t i = 0; i < f->pin_count; i++) {
        const struct baseline_record *b = &f->pins[i];
        bool is_meant = b->run_id && strcmp(b->name, f->wanted) == 0;
        if (is_meant && !baseline_load_view(f, b->run_id)) return false;
    }
    return true;
}

/* Cells of the baselines' runs that nothing current corresponds to. */
static void lose_runs(struct baseline_finder *f, struct baseline_set *set)
{
    size_t loaded = f->view_count;
    for (size_t i = 0; i < loaded; i++) {
        bool is_baseline = false;
        for (size_t k = 0; k < set->count; k++) {
            const struct run_record *run =
                set->pairs[k].baseline ? set->pairs[k].baseline_run : NULL;
            is_baseline |= run && strcmp(run->id, f->views[i]->run.id) == 0 &&
                           strcmp(run->id, set->pairs[k].current_run->id) != 0;
        }
        if (is_baseline) add_lost(f, set, f->views[i]);
    }
}

/* ---- what a version had ---- */

static bool lose_execution(struct baseline_finder *f, struct baseline_set *set,
                           const struct execution_record *e)
{
    const struct view *view = baseline_load_view(f, e->run_id);
    const struct view_cell *cell = view ? baseline_find_execution(view, e->id) : NULL;
    if (cell) lose(f, set, view, cell);
    return view != NULL;
}

/* A current cell of that agent and benchmark has a baseline: then the run of that baseline says
 * what else belongs to it. */
static bool is_compared(struct baseline_finder *f, const struct baseline_set *set,
                        const struct execution_record *e)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct execution_record *now = &set->pairs[i].current->record;
        bool is_it = set->pairs[i].baseline && strcmp(now->agent_id, e->agent_id) == 0;
        if (is_it && baseline_is_same_place(f, now, e)) return true;
    }
    return false;
}

/* The newest run of each benchmark in the version of `then`: of the suite of `then`, or of its
 * benchmark alone; where an agent was asked for and not a run, of every suite. */
static bool lose_version(struct baseline_finder *f, struct baseline_set *set,
                         const struct baseline_pair *p, const struct execution_record *then,
                         bool is_of_place)
{
    static const int64_t window_ns = BASELINE_WINDOW_DAYS * INT64_C(86400000000000);
    const struct baseline_past *past = NULL;
    if (!load_agent(f, then->agent_id, &past)) return false;
    const char *version = baseline_version_of(f, p, then).id;
    const struct execution_record **newest =
        arena_new(f->out, const struct execution_record *, past->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < past->count; i++) {
        const struct execution_record *o = &past->records[i];
        bool fits = is_whole(f, o) && llabs(then->start_ns - o->start_ns) <= window_ns &&
                    strcmp(o->run_id, p->current->record.run_id) != 0 &&
                    (is_of_place   ? baseline_is_same_place(f, o, then)
                     : f->q->agent ? true
                                   : is_same_suite(f, o, then)) &&
                    strcmp(baseline_version_of(f, p, o).id, version) == 0;
        if (!fits || is_compared(f, set, o)) continue;
        size_t at = 0;
        while (at < count && !baseline_is_same_place(f, newest[at], o)) at++;
        if (at == count) newest[count++] = o;
        bool is_newest = strcmp(newest[at]->run_id, o->run_id) == 0;
        if (is_newest && !lose_execution(f, set, o)) return false;
    }
    return true;
}

/* The newest baseline among the cells of the pair's agent and suite. */
static const struct execution_record *newest_baseline(struct baseline_finder *f,
                                                      const struct baseline_set *set,
                                                      const struct baseline_pair *p)
{
    const struct execution_record *newest = NULL;
    for (size_t i = 0; i < set->count; i++) {
        const struct baseline_pair *o = &set->pairs[i];
        const struct execution_record *now = &o->current->record;
        bool is_it = o->baseline && o->is_version[0] &&
                     strcmp(now->agent_id, p->current->record.agent_id) == 0 &&
                     (f->q->agent || is_same_suite(f, now, &p->current->record));
        if (is_it && (!newest || newest->start_ns < o->baseline->record.start_ns))
            newest = &o->baseline->record;
    }
    return newest;
}

/* Of each agent and suite what the version had that it is compared with; where no cell has a
 * baseline, the version that would have been it. */
static bool lose_versions(struct baseline_finder *f, struct baseline_set *set)
{
    const char *version = f->wanted;
    for (size_t i = 0; i < set->count; i++) {
        const struct baseline_pair *p = &set->pairs[i];
        if (!p->is_agent || !is_of_suite(&p->current->record)) continue;
        bool is_meant = p->baseline ? p->is_version[0] : p->is_by_version;
        if (!is_meant) continue;
        const struct execution_record *then = newest_baseline(f, set, p);
        if (!then && !find_other(f, p, version, false, &then)) return false;
        if (then && !lose_version(f, set, p, then, false)) return false;
        if (p->why != BASELINE_OTHERWISE) continue;
        if (!find_other(f, p, version, true, &then)) return false;
        if (then && !lose_version(f, set, p, then, true)) return false;
    }
    return true;
}

/* What is pinned as `default` for the agents and suites of the current cells. */
static bool lose_default(struct baseline_finder *f, struct baseline_set *set)
{
    for (size_t i = 0; i < f->pin_count; i++) {
        const struct baseline_record *b = &f->pins[i];
        struct execution_record pinned;
        bool is_it = strcmp(b->name, BASELINE_DEFAULT) == 0 && b->run_id && b->execution_id &&
                     baseline_find_record(f, b->execution_id, &pinned) && is_of_suite(&pinned);
        bool is_meant = false;
        for (size_t k = 0; k < set->count && is_it; k++) {
            const struct execution_record *now = &set->pairs[k].current->record;
            is_meant |= strcmp(now->agent_id, b->agent_id) == 0 && is_of_suite(now) &&
                        is_same_suite(f, now, &pinned);
        }
        if (is_meant && !lose_execution(f, set, &pinned)) return false;
    }
    return true;
}

/* ---- what a spec file had ---- */

/* No cell of that run has a baseline, and none is of a suite, whose name would be known. */
static bool is_all_new(const struct baseline_set *set, const struct run_record *run)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct baseline_pair *p = &set->pairs[i];
        if (strcmp(p->current_run->id, run->id) != 0) continue;
        if (p->baseline || !p->is_by_version || is_of_suite(&p->current->record)) return false;
    }
    return true;
}

/* The same command in its last other version: its file had other cells then. */
static bool lose_command(struct baseline_finder *f, struct baseline_set *set,
                         const struct baseline_pair *p)
{
    const struct run_filter newest = {.limit = BASELINE_HISTORY_MAX};
    const struct run_record *now = p->current_run;
    const char *version = baseline_version_of(f, p, &p->current->record).id;
    struct run_record *runs = NULL;
    size_t count = 0;
    bool is_past = false;
    if (!now->command) return true;
    if (!store_list_runs(f->store, &newest, f->out, &runs, &count, f->err)) return false;
    for (size_t i = 0; i < count; i++) {
        bool is_same = is_past && runs[i].command && run_is_same_host(&runs[i], now) &&
                       value_equal(runs[i].command, now->command);
        is_past |= strcmp(runs[i].id, now->id) == 0;
        const struct view *view = is_same ? baseline_load_view(f, runs[i].id) : NULL;
        if (is_same && !view) return false;
        bool is_other =
            view && view->cell_count > 0 && execution_is_sound(&view->cells[0].record) &&
            strcmp(baseline_version_of(f, p, &view->cells[0].record).id, version) != 0;
        if (!is_other) continue;
        add_lost(f, set, view);
        return true;
    }
    return true;
}

static bool lose_commands(struct baseline_finder *f, struct baseline_set *set)
{
    const char *last = "";
    for (size_t i = 0; i < set->count && !f->wanted; i++) {
        const struct baseline_pair *p = &set->pairs[i];
        bool is_looked_at = strcmp(last, p->current_run->id) == 0;
        last = p->current_run->id;
        if (is_looked_at || !is_all_new(set, p->current_run)) continue;
        if (!lose_command(f, set, p)) return false;
    }
    return true;
}

bool baseline_find_lost(struct baseline_finder *f, struct baseline_set *set)
{
    bool is_by_name = f->wanted && baseline_is_pinned(f, f->wanted);
    if (set->count == 0) return true;
    if (is_by_name && !has_baseline(set)) {
        if (!load_pinned(f)) return false;
        for (size_t i = 0; i < f->view_count; i++) add_lost(f, set, f->views[i]);
        return true;
    }
    if (f->has_source) {
        add_lost(f, set, f->source.view);
        return true;
    }
    lose_runs(f, set);
    return (f->wanted || lose_default(f, set)) && lose_versions(f, set) &&
           lose_commands(f, set);
}
