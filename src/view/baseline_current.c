/* The current cells: of a run, or of a version of an agent. Each is read with its history, which
 * neighbours share. */
#include "view/baseline_internal.h"

#include "base/plain.h"
#include "base/str.h"
#include "view/select.h"

static void name_pair(struct baseline_finder *f, struct baseline_pair *p)
{
    const struct execution_record *e = &p->current->record;
    const char *agent = agent_record_name(f->agents, f->agent_count, e->agent_id);
    p->is_agent = agent != NULL;
    p->agent = agent ? plain_line(agent, f->out) : "assay";
    p->benchmark = baseline_benchmark(f, e);
    bool has_label = e->label && e->label[0];
    bool is_in_label = has_label && str_starts(str_of(e->label), str_of(p->benchmark));
    p->name = is_in_label ? e->label
              : has_label ? arena_printf(f->out, "%s: %s", p->benchmark, e->label)
                          : p->benchmark;
}

/* Neighbours are often of one benchmark: cells of a sweep. */
static bool load_past(struct baseline_finder *f, const struct execution_record *e,
                      const struct baseline_past **found)
{
    for (size_t i = f->past_count; i-- > 0;) {
        struct baseline_past *p = &f->pasts[i];
        bool fits = strcmp(p->agent_id, e->agent_id) == 0 &&
                    strcmp(p->benchmark_id, e->benchmark_id) == 0;
        if (!fits) continue;
        *found = p;
        return true;
    }
    struct baseline_past *p = &f->pasts[f->past_count++];
    *p = (struct baseline_past){.agent_id = e->agent_id, .benchmark_id = e->benchmark_id};
    struct execution_filter filter = {.agent_id = e->agent_id,
                                      .benchmark_id = e->benchmark_id,
                                      .limit = BASELINE_HISTORY_MAX};
    if (!store_query_executions(f->store, &filter, f->out, &p->records, &p->count, f->err))
        return false;
    p->ids = arena_new(f->out, struct cell_identity, p->count + 1);
    for (size_t i = 0; i < p->count; i++) p->ids[i] = cell_identity(&p->records[i], CELL_SAME);
    *found = p;
    return true;
}

static bool load_history(struct baseline_finder *f, struct baseline_pair *p)
{
    const struct baseline_past *past = NULL;
    if (!load_past(f, &p->current->record, &past)) return false;
    size_t count = 0;
    for (size_t i = 0; i < past->count; i++)
        count += baseline_is_identity(&past->ids[i], &p->identity);
    struct execution_record *history = arena_new(f->out, struct execution_record, count + 1);
    for (size_t i = 0; i < past->count; i++) {
        if (baseline_is_identity(&past->ids[i], &p->identity))
            history[p->history_count++] = past->records[i];
    }
    p->history = history;
    return true;
}

static bool add_pair(struct baseline_finder *f, struct baseline_set *set,
                     const struct view *view, const struct view_cell *cell)
{
    struct baseline_pair p = {.current = cell,
                              .current_run = &view->run,
                              .identity = cell_identity(&cell->record, CELL_SAME)};
    if (!load_history(f, &p)) return false;
    name_pair(f, &p);
    p.is_version[1] = !f->q->run;
    set->pairs[set->count++] = p;
    return true;
}

/* What the spec of the run says its results are compared with: `baseline`, which is of the
 * whole file; NULL if it says nothing. */
static const char *baseline_of_spec(const struct run_record *run, struct arena *out)
{
    const struct value *root = NULL;
    struct value_error ignored;
    if (run->claims) return run->baseline; /* stored with the run, as claims are */
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

/* "run 9f8e7d6c5b4a (commit 1a2b3c4d)" */
static const char *describe_run(struct baseline_finder *f, const struct run_record *run,
                                const char *name)
{
    const char *commit = cell_commit(run, f->out);
    const char *what = run->id[0] ? arena_printf(f->out, "run %s", id_short(run->id)) : name;
    return commit ? arena_printf(f->out, "%s (commit %s)", what, commit) : what;
}

/* A version that is older than another in the same run is what that one is compared with. */
static void drop_older(struct baseline_finder *f, struct baseline_set *set)
{
    bool *is_old = arena_new(f->out, bool, set->count + 1);
    for (size_t i = 0; i < set->count; i++) {
        const struct baseline_pair *p = &set->pairs[i];
        for (size_t k = 0; k < set->count && !is_old[i]; k++) {
            const struct execution_record *o = &set->pairs[k].current->record;
            is_old[i] = k != i && baseline_is_identity(&p->identity, &set->pairs[k].identity) &&
                        !baseline_is_same_version(f, p, o, &p->current->record) &&
                        baseline_is_older(f, p, &p->current->record, o);
        }
    }
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (!is_old[i]) set->pairs[count++] = set->pairs[i];
    }
    set->count = count;
}

/* A run, or where none is named those of the last command. */
struct current_runs {
    const struct view **views;
    size_t count;
};

static bool load_runs(struct baseline_finder *f, struct current_runs *r)
{
    struct run_record *last = NULL;
    struct source source;
    r->count = 1;
    if (!f->q->run && !select_last(f->store, f->out, &last, &r->count, f->err)) return false;
    r->views = arena_new(f->out, const struct view *, r->count);
    for (size_t i = 0; i < r->count; i++) {
        const char *selector = last ? last[i].id : f->q->run;
        if (!source_load(f->store, selector, f->out, &source, f->err)) return false;
        r->views[i] = source.view;
    }
    return true;
}

/* Who names no baseline means the one that the specs name: all of them the same. */
static bool agree_on_baseline(struct baseline_finder *f, const struct current_runs *r)
{
    if (f->wanted) return true;
    f->wanted = baseline_of_spec(&r->views[0]->run, f->out);
    for (size_t i = 1; i < r->count; i++) {
        const char *other = baseline_of_spec(&r->views[i]->run, f->out);
        if (strcmp(other ? other : "", f->wanted ? f->wanted : "") == 0) continue;
        return error_set(f->err, ERROR_INVALID,
                         "the last command made %zu runs whose specs name different baselines: "
                         "name a run, or a baseline",
                         r->count);
    }
    return true;
}

bool baseline_take_run(struct baseline_finder *f, struct baseline_set *set)
{
    struct current_runs r;
    if (!load_runs(f, &r) || !agree_on_baseline(f, &r)) return false;
    size_t cells = 0;
    for (size_t i = 0; i < r.count; i++) cells += r.views[i]->cell_count;
    set->run = &r.views[0]->run;
    set->subject = describe_run(f, set->run, f->q->run);
    if (r.count > 1)
        set->subject = arena_printf(f->out, "%zu runs up to %s", r.count, set->subject);
    set->pairs = arena_new(f->out, struct baseline_pair, cells + 1);
    f->pasts = arena_new(f->out, struct baseline_past, cells + 1);
    for (size_t i = 0; i < r.count; i++) {
        for (size_t k = 0; k < r.views[i]->cell_count; k++) {
            const struct view_cell *cell = &r.views[i]->cells[k];
            if (i > 0 && baseline_is_current(set, &cell->record)) continue; /* run once more */
            if (!add_pair(f, set, r.views[i], cell)) return false;
        }
    }
    if (!f->wanted) drop_older(f, set);
    return true;
}

bool baseline_is_current(const struct baseline_set *set, const struct execution_record *e)
{
    struct cell_identity id = cell_identity(e, CELL_SAME);
    for (size_t i = 0; i < set->count; i++) {
        if (baseline_is_identity(&set->pairs[i].identity, &id)) return true;
    }
    return false;
}

/* The same trials are current as scored last, or their benchmark with its newest cases and
 * scoring: what was before is no further cell. */
static bool is_replaced(struct baseline_finder *f, const struct baseline_set *set,
                        const struct execution_record *e)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct execution_record *now = &set->pairs[i].current->record;
        bool is_newer = now->unranked != UNRANKED_SUBSET && baseline_is_same_place(f, now, e) &&
                        strcmp(now->benchmark_id, e->benchmark_id) != 0;
        if (is_newer || baseline_is_same_origin(f, now, e)) return true;
    }
    return false;
}

static bool is_finished(const struct execution_record *e)
{
    return e->status == RUN_SUCCESS || e->status == RUN_PARTIAL;
}

/* Of the newest run; if that has several (--confirm), the one that was run first the latest. */
static const char *newest_version(const struct execution_record *list, size_t count)
{
    const struct execution_record *newest = NULL;
    size_t least = SIZE_MAX;
    const char *run_id = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!is_finished(&list[i])) continue;
        if (!run_id) run_id = list[i].run_id;
        if (strcmp(list[i].run_id, run_id) != 0) continue;
        size_t oldest = 0; /* of the version in other runs; they are newest first */
        for (size_t k = 0; k < count; k++) {
            bool is_it = strcmp(list[k].run_id, run_id) != 0 &&
                         str_is(str_of(list[k].agent_version), list[i].agent_version);
            if (is_it) oldest = k + 1;
        }
        if (oldest >= least) continue;
        least = oldest;
        newest = &list[i];
    }
    return newest ? newest->agent_version : NULL;
}

/* The newest execution of each cell in that version. */
bool baseline_take_agent(struct baseline_finder *f, struct baseline_set *set)
{
    struct agent_record agent;
    const char *version = NULL;
    if (!select_agent(f->store, f->q->agent, f->out, &agent, &version, f->err)) return false;
    if (f->q->version) version = f->q->version;
    struct execution_filter of_agent = {.agent_id = agent.id};
    struct execution_record *executions = NULL;
    size_t count = 0;
    if (!store_query_executions(f->store, &of_agent, f->out, &executions, &count, f->err))
        return false;
    if (!version) version = newest_version(executions, count);
    set->pairs = arena_new(f->out, struct baseline_pair, count + 1);
    f->pasts = arena_new(f->out, struct baseline_past, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct execution_record *e = &executions[i];
        if (!is_finished(e) || !str_is(str_of(e->agent_version), version) ||
            baseline_is_current(set, e))
            continue;
        if (is_replaced(f, set, e)) continue;
        const struct view *view = baseline_load_view(f, e->run_id);
        if (!view) return false;
        const struct view_cell *cell = baseline_find_execution(view, e->id);
        if (cell && !add_pair(f, set, view, cell)) return false;
    }
    set->subject =
        arena_printf(f->out, "%s%s%s", agent.name, version ? " " : "", version ? version : "");
    if (set->count > 0) return true;
    error_set(f->err, ERROR_NOT_FOUND, "no run in the store has agent '%s'%s%s", f->q->agent,
              version ? " in version " : "", version ? version : "");
    return error_blame(f->err, f->q->version ? "version" : "agent");
}
