/* For each current cell its history (executions of the same cell, newest first, by
 * model/cell.h) is loaded once; the baseline is looked for in it by pin, version or
 * selector, and both sides are widened to all runs of their version. Runs and views are
 * kept by id while one question is answered, as neighbouring cells share them. What the
 * baseline had and nothing current corresponds to is listed as lost. */
#include "view/baseline.h"

#include "base/clock.h"
#include "base/plain.h"
#include "base/str.h"
#include "view/alarmed.h"
#include "view/select.h"
#include "view/source.h"

#include <stdlib.h>

enum { VIEWS_MAX = 1000, COMMIT_MIN = 7 };

/* Executions of one agent on one benchmark, newest first, with what each is. */
struct past {
    const char *agent_id;
    const char *benchmark_id;
    struct execution_record *records;
    struct cell_identity *ids;
    size_t count;
};

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
    struct alarmed alarmed;
    struct source source; /* where the baseline is a selector */
    bool has_source;
    struct cell_identity *source_ids; /* of its cells: all parts, or without the agent */
    struct agent_record *agents;
    size_t agent_count;
    struct past *pasts;
    size_t past_count;
    struct run_record *runs; /* that were looked up */
    size_t run_count;
};

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

/* Runs are few in the histories that are looked at, and looked up by their id. */
static const struct run_record *find_run(struct finder *f, const char *id)
{
    for (size_t i = 0; i < f->run_count; i++) {
        if (strcmp(f->runs[i].id, id) == 0) return &f->runs[i];
    }
    static const struct run_record unknown;
    if (f->run_count == BASELINE_HISTORY_MAX) return &unknown;
    struct run_record *run = &f->runs[f->run_count];
    if (!store_find_run(f->store, id, f->out, run, NULL)) return &unknown;
    f->run_count++;
    return run;
}

static struct cell_version version_in(struct finder *f, const struct baseline_pair *p,
                                      const struct execution_record *e)
{
    return cell_version(e, find_run(f, e->run_id), p->is_agent, f->out);
}

static bool is_same_version(struct finder *f, const struct baseline_pair *p,
                            const struct execution_record *a, const struct execution_record *b)
{
    return strcmp(version_in(f, p, a).id, version_in(f, p, b).id) == 0;
}

static bool is_identity(const struct cell_identity *a, const struct cell_identity *b)
{
    return strcmp(a->hex, b->hex) == 0;
}

static const struct view_cell *find_execution(const struct view *view, const char *id)
{
    for (size_t i = 0; i < view->cell_count; i++) {
        if (strcmp(view->cells[i].record.id, id) == 0) return &view->cells[i];
    }
    return NULL;
}

/* ---- names ---- */

static const char *benchmark_name(struct finder *f, const struct execution_record *e)
{
    struct benchmark_record benchmark;
    bool is_known = store_find_benchmark(f->store, e->benchmark_id, f->out, &benchmark, NULL);
    return plain_line(is_known ? benchmark.name : e->experiment, f->out);
}

static void name_pair(struct finder *f, struct baseline_pair *p)
{
    const struct execution_record *e = &p->current->record;
    const char *agent = agent_record_name(f->agents, f->agent_count, e->agent_id);
    p->is_agent = agent != NULL;
    p->agent = agent ? plain_line(agent, f->out) : "assay";
    p->benchmark = benchmark_name(f, e);
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
    struct cell_identity id = {0};
    if (cell) id = cell_identity(&cell->record, CELL_SAME);
    p->baseline = is_identity(&id, &p->identity) ? cell : NULL;
    p->baseline_run = &view->run;
    return true;
}

/* "version 1.0", "commit 1a2b3c4d (run 9f8e7d6c5b4a)", "run 9f8e7d6c5b4a" */
static const char *describe_baseline(struct finder *f, const struct baseline_pair *p)
{
    const struct execution_record *o = &p->baseline->record;
    struct cell_version v = version_in(f, p, o);
    const char *run = id_short(o->run_id);
    if (p->is_agent && o->agent_version) {
        const char *commit = cell_commit(p->baseline_run, f->out);
        const struct execution_record *now = &p->current->record;
        bool is_namesake = str_is(str_of(now->agent_version), o->agent_version) &&
                           !is_same_version(f, p, o, now);
        return arena_printf(f->out, "version %s%s%s%s", v.shown,
                            is_namesake ? " with another configuration" : "",
                            commit ? ", commit " : "", commit ? commit : "");
    }
    return v.is_run ? v.shown : arena_printf(f->out, "%s (run %s)", v.shown, run);
}

static void lacks(struct baseline_pair *p, enum baseline_lack why, const char *named)
{
    p->why = why;
    p->named = named;
}

/* The newest pin of that name whose execution is of this cell. */
static bool use_pin(struct finder *f, const char *name, struct baseline_pair *p, bool *found)
{
    const struct execution_record *e = &p->current->record;
    const struct baseline_record *best = NULL;
    bool is_forgotten = false;
    *found = false;
    for (size_t i = 0; i < f->pin_count; i++) {
        const struct baseline_record *b = &f->pins[i];
        bool fits = strcmp(b->name, name) == 0 && strcmp(b->agent_id, e->agent_id) == 0 &&
                    strcmp(b->benchmark_id, e->benchmark_id) == 0;
        if (!fits) continue;
        *found = true;
        is_forgotten |= !b->run_id;
        if (!b->run_id || (best && strcmp(b->created_at, best->created_at) < 0)) continue;
        struct baseline_pair tried = *p;
        if (!set_baseline(f, &tried, b->run_id, b->execution_id)) return false;
        if (!tried.baseline) continue; /* of another cell of that benchmark */
        *p = tried;
        best = b;
    }
    if (best) {
        p->against = arena_printf(f->out, "baseline '%s' (%s)", name, describe_baseline(f, p));
        if (!clock_parse_stamp(best->created_at, &p->pinned_ns)) p->pinned_ns = 0;
    } else if (is_forgotten) {
        return error_set(f->err, ERROR_INVALID,
                         "%s: the run pinned as '%s' was forgotten: pin another with `assay "
                         "baseline set %s RUN`, or drop the name with `assay baseline clear "
                         "%s`",
                         p->name, name, name, name);
    } else if (*found) {
        lacks(p, BASELINE_PIN_LACKS_IT, name);
    }
    return true;
}

static bool is_sound(const struct execution_record *e)
{
    return e->status == RUN_SUCCESS && str_is(str_of(e->provenance), "measured");
}

/* Other work was in the way: not fit to compare with. */
static bool is_disturbed(struct finder *f, const struct execution_record *e)
{
    return note_has(&find_run(f, e->run_id)->notes, NOTE_DISTURBED);
}

/* A version as people write it: the agent's own, or the beginning of a commit. */
static bool is_called(struct finder *f, const struct baseline_pair *p,
                      const struct execution_record *o, const char *version)
{
    if (p->is_agent && o->agent_version) return strcmp(o->agent_version, version) == 0;
    size_t n = strlen(version);
    const char *commit = cell_full_commit(find_run(f, o->run_id), f->out);
    return commit && n >= COMMIT_MIN && strncmp(commit, version, n) == 0;
}

/* As the store has them in order. A current cell that is not stored, or is older than the
 * history that was read, goes by its date. */
static bool is_before(const struct baseline_pair *p, const struct execution_record *o,
                      const struct execution_record *e)
{
    for (size_t i = 0; i < p->history_count; i++) {
        const char *id = p->history[i].id;
        if (strcmp(id, o->id) == 0) break;
        if (strcmp(id, e->id) == 0) return true;
    }
    for (size_t i = 0; i < p->history_count; i++) {
        if (strcmp(p->history[i].id, e->id) == 0) return false;
    }
    return o->start_ns < e->start_ns;
}

/* The newest execution of the same cell in that version: finished, measured and
 * undisturbed; else disturbed; else whatever there is. */
static const struct execution_record *
find_version(struct finder *f, const struct baseline_pair *p, const char *version)
{
    const struct execution_record *e = &p->current->record;
    const struct execution_record *disturbed = NULL; /* if need be, */
    const struct execution_record *unsound = NULL;   /* and if nothing else is left */
    for (size_t i = 0; i < p->history_count; i++) {
        const struct execution_record *o = &p->history[i];
        bool is_beside = strcmp(o->run_id, e->run_id) == 0;
        bool is_it = is_called(f, p, o, version);
        if (!is_it || (is_beside && is_same_version(f, p, o, e))) continue;
        if (!is_sound(o)) {
            if (!unsound) unsound = o;
            continue;
        }
        if (!is_disturbed(f, o)) return o;
        if (!disturbed) disturbed = o;
    }
    return disturbed ? disturbed : unsound;
}

/* Of any other version, before the current one. Within one run neither came before. */
static bool is_earlier(struct finder *f, const struct baseline_pair *p,
                       const struct execution_record *o)
{
    const struct execution_record *e = &p->current->record;
    bool is_beside = strcmp(o->run_id, e->run_id) == 0;
    bool fits = is_sound(o) && !is_beside && is_before(p, o, e) && !is_disturbed(f, o);
    return fits && !is_same_version(f, p, o, e);
}

/* "version 1.07", "commit 1a2b3c4d" */
static const char *name_version(struct finder *f, const struct baseline_pair *p,
                                const struct execution_record *o)
{
    const char *shown = version_in(f, p, o).shown;
    bool is_said = p->is_agent && o->agent_version;
    return is_said ? arena_printf(f->out, "version %s", shown) : shown;
}

static void note_open(struct finder *f, struct baseline_pair *p,
                      const struct execution_record *chosen, const struct alarm_record *open)
{
    p->open = open;
    for (size_t i = 0; open && !p->before && i < p->history_count; i++) {
        const struct execution_record *o = &p->history[i];
        bool is_it =
            is_before(p, o, chosen) && is_earlier(f, p, o) && !is_same_version(f, p, o, chosen);
        if (is_it) p->before = name_version(f, p, o);
    }
}

/* The newest that is not known to be worse; if all are, the newest. */
static const struct execution_record *find_earlier(struct finder *f, struct baseline_pair *p)
{
    const struct execution_record *newest = NULL;
    for (size_t i = 0; i < p->history_count; i++) {
        const struct execution_record *o = &p->history[i];
        if (!is_earlier(f, p, o)) continue;
        const char *version = version_in(f, p, o).id;
        const struct alarm_record *worse = alarmed_real(&f->alarmed, o, version);
        if (!worse) {
            note_open(f, p, o, alarmed_open(&f->alarmed, o, version));
            return o;
        }
        if (newest) continue;
        newest = o;
        p->skipped = worse;
        p->skipped_version = name_version(f, p, o);
    }
    if (newest) note_open(f, p, newest, p->skipped);
    p->skipped = NULL;
    return newest;
}

/* With the unit of its amount, for whoever says it. */
static const struct alarm_record *with_points(struct finder *f, const struct alarm_record *a)
{
    if (!a) return NULL;
    struct alarm_record *alarm = arena_new(f->out, struct alarm_record, 1);
    *alarm = *a;
    alarmed_fill_points(f->store, alarm);
    return alarm;
}

static bool use_earlier(struct finder *f, const char *version, struct baseline_pair *p)
{
    const struct execution_record *o =
        version ? find_version(f, p, version) : find_earlier(f, p);
    if (!o) {
        struct cell_version v = version_in(f, p, &p->current->record);
        lacks(p,
              version       ? BASELINE_NEVER_RUN
              : v.is_run    ? BASELINE_NO_EARLIER_RUN
              : p->is_agent ? BASELINE_NO_EARLIER_AGENT
                            : BASELINE_NO_OTHER_VERSION,
              version ? version : v.shown);
        return true;
    }
    if (!set_baseline(f, p, o->run_id, o->id)) return false;
    p->is_version[0] = true;
    p->skipped = with_points(f, p->skipped);
    p->open = with_points(f, p->open);
    p->against = describe_baseline(f, p);
    return true;
}

static bool is_pinned(const struct finder *f, const char *name)
{
    for (size_t i = 0; i < f->pin_count; i++) {
        if (strcmp(f->pins[i].name, name) == 0) return true;
    }
    return false;
}

static bool is_version(struct finder *f, const struct baseline_pair *p, const char *text)
{
    return find_version(f, p, text) != NULL;
}

static unsigned parts_of_source(const struct finder *f)
{
    return f->source.is_agent ? CELL_SAME & ~CELL_AGENT : CELL_SAME;
}

static bool load_source(struct finder *f)
{
    if (f->has_source) return true;
    if (!source_load(f->store, f->wanted, f->out, &f->source, f->err)) {
        error_wrap(f->err, "baseline '%s' is neither a pinned name nor a version", f->wanted);
        return error_blame(f->err, "baseline");
    }
    const struct view *view = f->source.view;
    f->source_ids = arena_new(f->out, struct cell_identity, view->cell_count + 1);
    for (size_t i = 0; i < view->cell_count; i++)
        f->source_ids[i] = cell_identity(&view->cells[i].record, parts_of_source(f));
    return f->has_source = true;
}

static bool use_source(struct finder *f, struct baseline_pair *p)
{
    if (!load_source(f)) return false;
    const struct view *view = f->source.view;
    struct cell_identity wanted = cell_identity(&p->current->record, parts_of_source(f));
    for (size_t i = 0; i < view->cell_count && !p->baseline; i++) {
        if (is_identity(&f->source_ids[i], &wanted)) p->baseline = &view->cells[i];
    }
    p->baseline_run = &view->run;
    const char *commit = cell_commit(&view->run, f->out);
    p->against = commit ? arena_printf(f->out, "%s (commit %s)", f->source.name, commit)
                        : f->source.name;
    if (!p->baseline) lacks(p, BASELINE_SOURCE_LACKS_IT, f->source.name);
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
    if (f->q->is_baseline_version) return use_earlier(f, wanted, p);
    if (is_pinned(f, wanted)) {
        if (!use_pin(f, wanted, p, &found)) return false;
        if (!found) lacks(p, BASELINE_NOT_PINNED, wanted);
        return true;
    }
    if (is_version(f, p, wanted)) return use_earlier(f, wanted, p);
    if (is_called(f, p, &p->current->record, wanted)) {
        lacks(p, BASELINE_IS_THAT_VERSION, wanted);
        return true;
    }
    return use_source(f, p);
}

/* ---- current ---- */

/* Neighbours are often of one benchmark: cells of a sweep. */
static bool load_past(struct finder *f, const struct execution_record *e,
                      const struct past **found)
{
    for (size_t i = f->past_count; i-- > 0;) {
        struct past *p = &f->pasts[i];
        bool fits = strcmp(p->agent_id, e->agent_id) == 0 &&
                    strcmp(p->benchmark_id, e->benchmark_id) == 0;
        if (!fits) continue;
        *found = p;
        return true;
    }
    struct past *p = &f->pasts[f->past_count++];
    *p = (struct past){.agent_id = e->agent_id, .benchmark_id = e->benchmark_id};
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

static bool load_history(struct finder *f, struct baseline_pair *p)
{
    const struct past *past = NULL;
    if (!load_past(f, &p->current->record, &past)) return false;
    size_t count = 0;
    for (size_t i = 0; i < past->count; i++) count += is_identity(&past->ids[i], &p->identity);
    struct execution_record *history = arena_new(f->out, struct execution_record, count + 1);
    for (size_t i = 0; i < past->count; i++) {
        if (is_identity(&past->ids[i], &p->identity))
            history[p->history_count++] = past->records[i];
    }
    p->history = history;
    return true;
}

static bool add_pair(struct finder *f, struct baseline_set *set, const struct view *view,
                     const struct view_cell *cell)
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
static const char *describe_run(struct finder *f, const struct run_record *run,
                                const char *name)
{
    const char *commit = cell_commit(run, f->out);
    const char *what = run->id[0] ? arena_printf(f->out, "run %s", id_short(run->id)) : name;
    return commit ? arena_printf(f->out, "%s (commit %s)", what, commit) : what;
}

static bool take_run(struct finder *f, struct baseline_set *set)
{
    struct source source;
    if (!source_load(f->store, f->q->run ? f->q->run : "latest", f->out, &source, f->err))
        return false;
    const struct view *view = source.view;
    if (!f->wanted) f->wanted = baseline_of_spec(&view->run, f->out);
    set->run = &view->run;
    set->subject = describe_run(f, &view->run, source.name);
    set->pairs = arena_new(f->out, struct baseline_pair, view->cell_count + 1);
    f->pasts = arena_new(f->out, struct past, view->cell_count + 1);
    for (size_t i = 0; i < view->cell_count; i++) {
        if (!add_pair(f, set, view, &view->cells[i])) return false;
    }
    return true;
}

static bool is_current(const struct baseline_set *set, const struct execution_record *e)
{
    struct cell_identity id = cell_identity(e, CELL_SAME);
    for (size_t i = 0; i < set->count; i++) {
        if (is_identity(&set->pairs[i].identity, &id)) return true;
    }
    return false;
}

/* The newest execution of each cell in that version. */
static bool take_agent(struct finder *f, struct baseline_set *set)
{
    struct agent_record agent;
    const char *version = NULL;
    if (!select_agent(f->store, f->q->agent, f->out, &agent, &version, f->err)) return false;
    if (f->q->version) version = f->q->version;
    bool is_known = version != NULL;
    struct execution_filter of_agent = {.agent_id = agent.id};
    struct execution_record *executions = NULL;
    size_t count = 0;
    if (!store_query_executions(f->store, &of_agent, f->out, &executions, &count, f->err))
        return false;
    set->pairs = arena_new(f->out, struct baseline_pair, count + 1);
    f->pasts = arena_new(f->out, struct past, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct execution_record *e = &executions[i];
        bool fits = e->status == RUN_SUCCESS || e->status == RUN_PARTIAL;
        if (fits && !is_known) version = e->agent_version;
        is_known |= fits;
        if (!fits || !str_is(str_of(e->agent_version), version) || is_current(set, e)) continue;
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
    const struct value *x = value_get(a->run.environment, "hostname");
    const struct value *y = value_get(b->run.environment, "hostname");
    return !x || !y || value_equal(x, y);
}

/* `e` is of the history, hence of the same cell. */
static bool belongs(struct finder *f, const struct baseline_pair *p, int side,
                    const struct execution_record *e)
{
    static const int64_t window_ns = BASELINE_WINDOW_DAYS * INT64_C(86400000000000);
    const struct execution_record *then = &p->baseline->record;
    const struct execution_record *chosen = side == 0 ? then : &p->current->record;
    bool fits = is_sound(e) && (side == 1 || !is_disturbed(f, e)) &&
                llabs(chosen->start_ns - e->start_ns) <= window_ns &&
                is_same_version(f, p, e, chosen);
    bool is_baseline = side == 1 && !is_before(p, then, e) && is_same_version(f, p, then, e);
    return fits && !is_baseline;
}

static bool gather_runs(struct finder *f, struct baseline_pair *p, int side)
{
    const struct view_cell *chosen = side == 0 ? p->baseline : p->current;
    const struct view_cell *found[BASELINE_RUNS_MAX] = {chosen};
    size_t count = 1;
    const struct view *home = p->is_version[side] ? load_view(f, chosen->record.run_id) : NULL;
    for (size_t i = 0; home && i < p->history_count; i++) {
        const struct execution_record *e = &p->history[i];
        bool is_full = count == BASELINE_RUNS_MAX || f->view_count >= VIEWS_MAX / 2;
        if (is_full || strcmp(e->id, chosen->record.id) == 0 || !belongs(f, p, side, e))
            continue;
        const struct view *view = load_view(f, e->run_id);
        if (!view) return false;
        const struct view_cell *cell = find_execution(view, e->id);
        if (cell && is_same_host(view, home)) found[count++] = cell;
    }
    const struct view_cell **runs = arena_new(f->out, const struct view_cell *, count);
    for (size_t i = 0; i < count; i++) runs[i] = found[count - 1 - i]; /* oldest first */
    p->runs[side] = runs;
    p->run_count[side] = count;
    return home || !p->is_version[side];
}

/* ---- what differs ---- */

static void note_hosts(struct finder *f, struct baseline_pair *p)
{
    const struct run_record *runs[2] = {p->baseline_run, p->current_run};
    const struct value *host[2];
    for (int i = 0; i < 2; i++) host[i] = value_get(runs[i]->environment, "hostname");
    if (!host[0] || !host[1] || value_equal(host[0], host[1])) return;
    for (int i = 0; i < 2; i++) p->hosts[i] = str_cstr(f->out, host[i]->source);
}

/* A pin's date is in whole milliseconds. */
static bool is_found_again(const struct baseline_pair *p)
{
    static const int64_t ms = 1000000;
    return p->pinned_ns && note_has(&p->current_run->notes, NOTE_AGAIN) &&
           p->current_run->started_ns / ms > p->pinned_ns / ms;
}

/* What is compared with itself is never worse. */
static void drop_itself(struct baseline_pair *p)
{
    const char *id = p->baseline ? p->baseline->record.id : "";
    if (!id[0] || strcmp(id, p->current->record.id) != 0 || is_found_again(p)) return;
    p->baseline = NULL;
    p->why = BASELINE_ITSELF;
}

/* Whoever asks has named the wrong run. */
static bool is_another(struct finder *f, const struct baseline_set *set)
{
    size_t same = 0;
    for (size_t i = 0; i < set->count; i++) same += set->pairs[i].why == BASELINE_ITSELF;
    if (same == 0 || same < set->count) return true;
    return error_set(f->err, ERROR_INVALID,
                     "%s is its own baseline: name another run, or run it again", set->subject);
}

/* Of an agent its own cells only; of a pinned name those that are pinned. */
static bool is_expected(const struct finder *f, const struct baseline_set *set,
                        const struct execution_record *e)
{
    if (f->q->agent && strcmp(e->agent_id, set->pairs[0].current->record.agent_id) != 0)
        return false;
    bool is_by_name = f->wanted && is_pinned(f, f->wanted);
    for (size_t i = 0; i < f->pin_count && is_by_name; i++) {
        const struct baseline_record *b = &f->pins[i];
        if (strcmp(b->name, f->wanted) == 0 && str_is(str_of(b->execution_id), e->id))
            return true;
    }
    return !is_by_name;
}

/* A cell of the same agent and benchmark that has no baseline: the same work, measured in
 * another way. Of several the one with the same parameters. */
static void find_instead(const struct baseline_set *set, const struct execution_record *e,
                         struct baseline_lost *lost)
{
    static const unsigned parts[] = {CELL_WHAT, CELL_BENCHMARK, CELL_LANES};
    for (size_t i = 0; lost->benchmark && i < set->count; i++) {
        const struct baseline_pair *p = &set->pairs[i];
        const struct execution_record *now = &p->current->record;
        bool is_other = p->baseline || strcmp(now->agent_id, e->agent_id) != 0 ||
                        strcmp(p->benchmark, lost->benchmark) != 0;
        if (is_other || (lost->instead && !cell_is_same(e, now, CELL_WHAT))) continue;
        lost->instead = now;
        lost->unlike = 0;
        for (size_t k = 0; k < COUNT(parts); k++)
            lost->unlike |= cell_is_same(e, now, parts[k]) ? 0 : parts[k];
        lost->lanes[0] = execution_lanes(e);
        lost->lanes[1] = execution_lanes(now);
    }
}

static void add_lost(struct finder *f, struct baseline_set *set, const struct view *view)
{
    struct baseline_lost *lost =
        arena_new(f->out, struct baseline_lost, set->lost_count + view->cell_count + 1);
    if (set->lost_count) memcpy(lost, set->lost, set->lost_count * sizeof *lost);
    for (size_t i = 0; i < view->cell_count; i++) {
        const struct view_cell *cell = &view->cells[i];
        if (!is_expected(f, set, &cell->record) || is_current(set, &cell->record)) continue;
        bool is_of_suite = strcmp(cell->record.experiment, "suite") == 0;
        struct baseline_lost *it = &lost[set->lost_count++];
        *it = (struct baseline_lost){.name = view_cell_name(view, cell, f->out),
                                     .benchmark =
                                         is_of_suite ? benchmark_name(f, &cell->record) : NULL,
                                     .run_id = view->run.id};
        find_instead(set, &cell->record, it);
    }
    set->lost = lost;
}

static bool has_baseline(const struct baseline_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->pairs[i].baseline) return true;
    }
    return false;
}

/* Nothing of what is pinned is there now: then all of it is lost. */
static bool load_pinned(struct finder *f)
{
    for (size_t i = 0; i < f->pin_count; i++) {
        const struct baseline_record *b = &f->pins[i];
        bool is_meant = b->run_id && strcmp(b->name, f->wanted) == 0;
        if (is_meant && !load_view(f, b->run_id)) return false;
    }
    return true;
}

/* Cells of the baselines' runs that nothing current corresponds to. */
static bool find_lost(struct finder *f, struct baseline_set *set)
{
    bool is_by_name = f->wanted && is_pinned(f, f->wanted);
    if (is_by_name && !has_baseline(set) && set->count > 0) {
        if (!load_pinned(f)) return false;
        for (size_t i = 0; i < f->view_count; i++) add_lost(f, set, f->views[i]);
        return true;
    }
    if (f->has_source && set->count > 0) add_lost(f, set, f->source.view);
    for (size_t i = 0; i < f->view_count && !f->has_source; i++) {
        bool is_baseline = false;
        for (size_t k = 0; k < set->count; k++) {
            const struct run_record *run =
                set->pairs[k].baseline ? set->pairs[k].baseline_run : NULL;
            is_baseline |= run && strcmp(run->id, f->views[i]->run.id) == 0 &&
                           strcmp(run->id, set->pairs[k].current_run->id) != 0;
        }
        if (is_baseline) add_lost(f, set, f->views[i]);
    }
    return true;
}

static bool take_runs(struct finder *f, struct baseline_pair *p)
{
    p->cut[1] = view_unfinished(&p->current->record, f->out);
    drop_itself(p);
    if (!p->baseline) return true;
    note_hosts(f, p);
    p->cut[0] = view_unfinished(&p->baseline->record, f->out);
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
        !store_list_baselines(store, NULL, out, &f.pins, &f.pin_count, err) ||
        !alarmed_read(store, out, &f.alarmed, err)) {
        return error_wrap(err, "looking for baselines");
    }
    f.views = arena_new(out, struct view *, VIEWS_MAX);
    f.runs = arena_new(out, struct run_record, BASELINE_HISTORY_MAX);
    if (!(q->agent ? take_agent(&f, set) : take_run(&f, set))) return false;
    for (size_t i = 0; i < set->count; i++) {
        struct baseline_pair *p = &set->pairs[i];
        if (!find_baseline(&f, p) || !take_runs(&f, p)) return false;
    }
    return is_another(&f, set) && find_lost(&f, set);
}

const char *baseline_name_all(const struct baseline_set *set, const struct baseline_pair *of,
                              size_t cells, struct arena *out)
{
    bool is_one = true;
    for (size_t i = 0; of && i < set->count; i++)
        is_one &= strcmp(set->pairs[i].agent, of->agent) == 0;
    return arena_printf(out, "all %zu cells%s%s", cells, is_one ? "" : " of ",
                        is_one ? "" : of->agent);
}
