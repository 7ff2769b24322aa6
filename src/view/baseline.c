#include "view/baseline.h"

#include "base/str.h"
#include "view/source.h"

#include <stdlib.h>

enum { VIEWS_MAX = 1000 };

struct finder {
    struct store *store;
    const struct baseline_question *q;
    const char *wanted; /* as asked for, else as the run's spec says, or NULL */
    struct arena *out;
    struct error *err;
    struct view **views; /* runs that were loaded */
    size_t view_count;
    struct baseline_record *pins;
    size_t pin_count;
    struct source source; /* where the baseline is a selector */
    bool has_source;
    struct agent_record *agents;
    size_t agent_count;
};

static bool is_same(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool is_same_but_agent(const struct execution_record *a,
                              const struct execution_record *b)
{
    return is_same(a->experiment, b->experiment) && is_same(a->parameters, b->parameters) &&
           execution_lanes(a) == execution_lanes(b) &&
           strcmp(a->benchmark_id, b->benchmark_id) == 0;
}

bool baseline_is_same_cell(const struct execution_record *a, const struct execution_record *b)
{
    return strcmp(a->agent_id, b->agent_id) == 0 && is_same_but_agent(a, b);
}

static struct view *load_view(struct finder *f, const char *run_id)
{
    for (size_t i = 0; i < f->view_count; i++) {
        if (strcmp(f->views[i]->run.id, run_id) == 0) return f->views[i];
    }
    if (f->view_count == VIEWS_MAX) {
        error_set(f->err, ERROR_INVALID, "more than %d runs are involved: name one", VIEWS_MAX);
        return NULL;
    }
    struct view *view = NULL;
    if (!view_load(f->store, run_id, f->out, &view, f->err)) return NULL;
    f->views[f->view_count++] = view;
    return view;
}

static const struct view_cell *find_cell(const struct view *view,
                                         const struct execution_record *like, bool any_agent)
{
    for (size_t i = 0; view && i < view->cell_count; i++) {
        const struct execution_record *e = &view->cells[i].record;
        bool fits = any_agent ? is_same_but_agent(e, like) : baseline_is_same_cell(e, like);
        if (fits) return &view->cells[i];
    }
    return NULL;
}

static const struct view_cell *find_execution(const struct view *view, const char *id)
{
    for (size_t i = 0; i < view->cell_count; i++) {
        if (strcmp(view->cells[i].record.id, id) == 0) return &view->cells[i];
    }
    return NULL;
}

/* ---- names ---- */

static void name_pair(struct finder *f, struct baseline_pair *p)
{
    const struct execution_record *e = &p->current->record;
    struct benchmark_record benchmark;
    const char *agent = agent_record_name(f->agents, f->agent_count, e->agent_id);
    p->is_agent = agent != NULL;
    p->agent = agent ? agent : "assay";
    bool is_known = store_find_benchmark(f->store, e->benchmark_id, f->out, &benchmark, NULL);
    p->benchmark = is_known ? benchmark.name : e->experiment;
    bool has_label = e->label && e->label[0];
    bool is_in_label = has_label && str_starts(str_of(e->label), str_of(p->benchmark));
    p->name = is_in_label ? e->label
              : has_label ? arena_printf(f->out, "%s: %s", p->benchmark, e->label)
                          : p->benchmark;
}

/* ---- baselines ---- */

/* By the execution: one run may have several versions of an agent. */
static bool set_baseline(struct finder *f, struct baseline_pair *p, const char *run_id,
                         const char *execution_id)
{
    const struct view *view = load_view(f, run_id);
    if (!view) return false;
    const struct view_cell *cell = find_execution(view, execution_id);
    bool fits = cell && baseline_is_same_cell(&cell->record, &p->current->record);
    p->baseline = fits ? cell : NULL;
    p->baseline_run = &view->run;
    return true;
}

static const char *version_of(const struct baseline_pair *p)
{
    const char *version = p->baseline ? p->baseline->record.agent_version : NULL;
    return p->is_agent && version ? version : NULL;
}

static bool use_pin(struct finder *f, const char *name, struct baseline_pair *p, bool *found)
{
    const struct execution_record *e = &p->current->record;
    *found = false;
    for (size_t i = 0; i < f->pin_count; i++) {
        const struct baseline_record *b = &f->pins[i];
        bool fits = strcmp(b->name, name) == 0 && strcmp(b->agent_id, e->agent_id) == 0 &&
                    strcmp(b->benchmark_id, e->benchmark_id) == 0;
        if (!fits) continue;
        *found = true;
        if (!b->run_id) {
            p->why = arena_printf(f->out, "the run pinned as '%s' was forgotten", name);
            return true;
        }
        if (!set_baseline(f, p, b->run_id, b->execution_id)) return false;
        const char *version = version_of(p);
        p->against =
            arena_printf(f->out, "baseline '%s'%s%s%s", name, version ? " (version " : "",
                         version ? version : "", version ? ")" : "");
        if (!p->baseline) {
            p->why = arena_printf(
                f->out, "the run pinned as '%s' has other parameters or another --concurrency",
                name);
            continue; /* the pin of another cell of that benchmark */
        }
        p->why = NULL;
        return true;
    }
    return true;
}

static bool is_sound(const struct execution_record *e)
{
    return e->status == RUN_SUCCESS && is_same(e->provenance, "measured");
}

/* The newest execution of the same cell before the current one, in another
 * version; `version` NULL: any other. */
static const struct execution_record *find_earlier(const struct baseline_pair *p,
                                                   const char *version)
{
    const struct execution_record *e = &p->current->record;
    for (size_t i = 0; i < p->history_count; i++) {
        const struct execution_record *o = &p->history[i];
        bool is_other = !p->is_agent || !is_same(o->agent_version, e->agent_version);
        bool is_beside = strcmp(o->run_id, e->run_id) == 0; /* neither came before */
        if (!baseline_is_same_cell(o, e) || (is_beside && !(version && is_other))) continue;
        if (!is_sound(o) && !version) continue;
        bool is_before = o->start_ns < e->start_ns;
        if (version ? is_same(o->agent_version, version) : is_before && is_other) return o;
    }
    return NULL;
}

static bool use_earlier(struct finder *f, const char *version, struct baseline_pair *p)
{
    const struct execution_record *o = find_earlier(p, version);
    if (!o && p->is_agent) {
        p->why = version ? arena_printf(f->out, "version %s was never run on it", version)
                         : "no earlier version of the agent was run on it";
        return true;
    }
    if (!o) {
        p->why = "no earlier run has this cell";
        return true;
    }
    if (!set_baseline(f, p, o->run_id, o->id)) return false;
    p->is_version[0] = p->is_agent;
    const char *of = version_of(p);
    p->against = of ? arena_printf(f->out, "version %s", of)
                    : arena_printf(f->out, "run %.13s", o->run_id);
    return true;
}

static bool is_pinned(const struct finder *f, const char *name)
{
    for (size_t i = 0; i < f->pin_count; i++) {
        if (strcmp(f->pins[i].name, name) == 0) return true;
    }
    return false;
}

static bool is_version(const struct baseline_pair *p, const char *text)
{
    return p->is_agent && find_earlier(p, text) != NULL;
}

static bool use_source(struct finder *f, struct baseline_pair *p)
{
    if (!f->has_source) {
        if (!source_load(f->store, f->wanted, f->out, &f->source, f->err)) {
            return error_wrap(f->err, "baseline '%s' is no pinned name, no version", f->wanted);
        }
        f->has_source = true;
    }
    const struct view *view = f->source.view;
    p->baseline = find_cell(view, &p->current->record, f->source.is_agent);
    p->baseline_run = &view->run;
    p->against = arena_printf(f->out, "%s", f->source.name);
    if (!p->baseline) p->why = arena_printf(f->out, "'%s' does not have it", f->source.name);
    return true;
}

static bool find_baseline(struct finder *f, struct baseline_pair *p)
{
    const char *wanted = f->wanted;
    bool found = false;
    if (!wanted) {
        if (!use_pin(f, BASELINE_DEFAULT, p, &found)) return false;
        return found || use_earlier(f, NULL, p);
    }
    if (is_pinned(f, wanted)) {
        if (!use_pin(f, wanted, p, &found)) return false;
        if (!found) p->why = arena_printf(f->out, "nothing is pinned as '%s' for it", wanted);
        return true;
    }
    if (is_version(p, wanted)) return use_earlier(f, wanted, p);
    if (p->is_agent && is_same(p->current->record.agent_version, wanted)) {
        p->why = arena_printf(f->out, "it is version %s itself", wanted);
        return true;
    }
    return use_source(f, p);
}

/* ---- current ---- */

/* Neighbours are often of one benchmark: cells of a sweep. */
static bool load_history(struct finder *f, const struct baseline_set *set,
                         struct baseline_pair *p)
{
    const struct execution_record *e = &p->current->record;
    for (size_t i = 0; i < set->count; i++) {
        const struct execution_record *o = &set->pairs[i].current->record;
        bool is_same_history = strcmp(o->agent_id, e->agent_id) == 0 &&
                               strcmp(o->benchmark_id, e->benchmark_id) == 0;
        if (!is_same_history) continue;
        p->history = set->pairs[i].history;
        p->history_count = set->pairs[i].history_count;
        return true;
    }
    struct execution_filter filter = {.agent_id = e->agent_id,
                                      .benchmark_id = e->benchmark_id,
                                      .limit = BASELINE_HISTORY_MAX};
    struct execution_record *history = NULL;
    bool done =
        store_query_executions(f->store, &filter, f->out, &history, &p->history_count, f->err);
    p->history = history;
    return done;
}

static bool add_pair(struct finder *f, struct baseline_set *set, const struct view *view,
                     const struct view_cell *cell)
{
    struct baseline_pair p = {.current = cell, .current_run = &view->run};
    if (!load_history(f, set, &p)) return false;
    name_pair(f, &p);
    p.is_version[1] = p.is_agent && f->q->agent;
    set->pairs[set->count++] = p;
    return true;
}

/* What the spec of the run says its results are held against: `baseline`, which is of the
 * whole file; NULL if it says nothing. */
static const char *baseline_of_spec(const struct run_record *run, struct arena *out)
{
    const struct value *root = NULL;
    struct value_error ignored;
    if (!run->spec_text || !run->spec_text[0] ||
        !value_read(str_of(run->spec_text), &value_limits_spec, out, &root, &ignored))
        return NULL;
    const struct value *said = value_get(root, "baseline");
    const struct value *list = value_get(root, "experiments");
    if (!said && list && list->kind == VALUE_LIST && list->list.count > 0) {
        said = value_get(list->list.items[0], "baseline");
    }
    return said && said->source.n > 0 && said->kind != VALUE_NULL ? str_cstr(out, said->source)
                                                                  : NULL;
}

static bool take_run(struct finder *f, struct baseline_set *set)
{
    struct source source;
    if (!source_load(f->store, f->q->run ? f->q->run : "latest", f->out, &source, f->err))
        return false;
    const struct view *view = source.view;
    if (!f->wanted) f->wanted = baseline_of_spec(&view->run, f->out);
    set->subject =
        view->run.id[0] ? arena_printf(f->out, "run %.13s", view->run.id) : source.name;
    set->pairs = arena_new(f->out, struct baseline_pair, view->cell_count + 1);
    for (size_t i = 0; i < view->cell_count; i++) {
        if (!add_pair(f, set, view, &view->cells[i])) return false;
    }
    return true;
}

static bool is_taken(const struct baseline_set *set, const struct execution_record *e)
{
    for (size_t i = 0; i < set->count; i++) {
        if (baseline_is_same_cell(&set->pairs[i].current->record, e)) return true;
    }
    return false;
}

/* The newest execution of each cell in that version. */
static bool take_agent(struct finder *f, struct baseline_set *set)
{
    struct agent_record agent;
    if (!store_find_agent(f->store, f->q->agent, f->out, &agent, f->err)) return false;
    const char *version = f->q->version;
    bool is_known = version != NULL;
    struct execution_filter of_agent = {.agent_id = agent.id};
    struct execution_record *executions = NULL;
    size_t count = 0;
    if (!store_query_executions(f->store, &of_agent, f->out, &executions, &count, f->err))
        return false;
    set->pairs = arena_new(f->out, struct baseline_pair, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct execution_record *e = &executions[i];
        bool fits = e->status == RUN_SUCCESS || e->status == RUN_PARTIAL;
        if (fits && !is_known) version = e->agent_version;
        is_known |= fits;
        if (!fits || !is_same(e->agent_version, version) || is_taken(set, e)) continue;
        const struct view *view = load_view(f, e->run_id);
        if (!view) return false;
        const struct view_cell *cell = find_execution(view, e->id);
        if (cell && !add_pair(f, set, view, cell)) return false;
    }
    set->subject =
        arena_printf(f->out, "%s%s%s", agent.name, version ? " " : "", version ? version : "");
    if (set->count > 0) return true;
    return error_set(f->err, ERROR_NOT_FOUND, "no run in the store has agent '%s'%s%s",
                     f->q->agent, version ? " in version " : "", version ? version : "");
}

/* ---- the runs of a version ---- */

static bool is_same_host(const struct view *a, const struct view *b)
{
    const struct value *x = value_get(a->environment, "hostname");
    const struct value *y = value_get(b->environment, "hostname");
    return !x || !y || value_equal(x, y);
}

static bool belongs(const struct baseline_pair *p, int side, const struct execution_record *e)
{
    const struct execution_record *chosen =
        side == 0 ? &p->baseline->record : &p->current->record;
    const struct execution_record *then = p->baseline ? &p->baseline->record : NULL;
    static const int64_t window_ns = BASELINE_WINDOW_DAYS * INT64_C(86400000000000);
    bool fits = is_sound(e) && baseline_is_same_cell(e, chosen) &&
                is_same(e->agent_version, chosen->agent_version) &&
                llabs(chosen->start_ns - e->start_ns) <= window_ns;
    bool is_baseline = side == 1 && then && is_same(then->agent_version, e->agent_version) &&
                       e->start_ns <= then->start_ns;
    return fits && !is_baseline;
}

static bool gather_runs(struct finder *f, struct baseline_pair *p, int side)
{
    const struct view_cell *chosen = side == 0 ? p->baseline : p->current;
    const struct view_cell *found[BASELINE_RUNS_MAX] = {chosen};
    size_t count = 1;
    bool is_version = p->is_version[side] && chosen->record.agent_version;
    const struct view *home = is_version ? load_view(f, chosen->record.run_id) : NULL;
    for (size_t i = 0; home && i < p->history_count; i++) {
        const struct execution_record *e = &p->history[i];
        bool is_full = count == BASELINE_RUNS_MAX || f->view_count >= VIEWS_MAX / 2;
        if (is_full || strcmp(e->id, chosen->record.id) == 0 || !belongs(p, side, e)) continue;
        const struct view *view = load_view(f, e->run_id);
        if (!view) return false;
        const struct view_cell *cell = find_execution(view, e->id);
        if (cell && is_same_host(view, home)) found[count++] = cell;
    }
    const struct view_cell **runs = arena_new(f->out, const struct view_cell *, count);
    for (size_t i = 0; i < count; i++) runs[i] = found[count - 1 - i]; /* oldest first */
    p->runs[side] = runs;
    p->run_count[side] = count;
    return home || !is_version;
}

static bool take_runs(struct finder *f, struct baseline_pair *p)
{
    if (!p->baseline) return true;
    if (!gather_runs(f, p, 0) || !gather_runs(f, p, 1)) return false;
    p->baseline = view_merge(p->runs[0], p->run_count[0], f->out);
    p->current = view_merge(p->runs[1], p->run_count[1], f->out);
    return true;
}

bool baseline_find(struct store *store, const struct baseline_question *q, struct arena *out,
                   struct baseline_set *set, struct error *err)
{
    struct finder f = {.store = store, .q = q, .wanted = q->baseline, .out = out, .err = err};
    *set = (struct baseline_set){0};
    if (!store_list_agents(store, true, out, &f.agents, &f.agent_count, err) ||
        !store_list_baselines(store, NULL, out, &f.pins, &f.pin_count, err)) {
        return error_wrap(err, "looking for baselines");
    }
    f.views = arena_new(out, struct view *, VIEWS_MAX);
    if (!(q->agent ? take_agent(&f, set) : take_run(&f, set))) return false;
    for (size_t i = 0; i < set->count; i++) {
        struct baseline_pair *p = &set->pairs[i];
        if (!find_baseline(&f, p) || !take_runs(&f, p)) return false;
    }
    return true;
}
