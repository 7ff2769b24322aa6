/* For each current cell its history (executions of the same cell, newest first, by
 * model/cell.h) is loaded once; the baseline is looked for in it by pin, version or
 * selector, and both sides are widened to all runs of their version. Runs and views are
 * kept by id while one question is answered, as neighbouring cells share them. What the
 * baseline had and nothing current corresponds to is listed as lost. */
#include "view/baseline_internal.h"

#include "base/clock.h"
#include "base/plain.h"
#include "base/str.h"
#include "view/alarmed.h"
#include "view/select.h"
#include "view/source.h"

#include <stdlib.h>

enum { COMMIT_MIN = 7 };

struct view *baseline_load_view(struct baseline_finder *f, const char *run_id)
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
const struct run_record *baseline_load_run(struct baseline_finder *f, const char *id)
{
    for (size_t i = 0; i < f->run_count; i++) {
        if (strcmp(f->runs[i].id, id) == 0) return &f->runs[i];
    }
    static const struct run_record unknown;
    struct error why = {0};
    if (f->run_count == BASELINE_HISTORY_MAX || f->broken.code) return &unknown;
    struct run_record *run = &f->runs[f->run_count];
    bool is_there = store_find_run(f->store, id, f->out, run, &why) ||
                    error_unless_absent(&f->broken, &why);
    f->run_count += is_there;
    return is_there ? run : &unknown;
}

struct cell_version baseline_version_of(struct baseline_finder *f,
                                        const struct baseline_pair *p,
                                        const struct execution_record *e)
{
    return cell_version(e, baseline_load_run(f, e->run_id), p->is_agent, f->out);
}

bool baseline_is_same_version(struct baseline_finder *f, const struct baseline_pair *p,
                              const struct execution_record *a,
                              const struct execution_record *b)
{
    return strcmp(baseline_version_of(f, p, a).id, baseline_version_of(f, p, b).id) == 0;
}

bool baseline_is_identity(const struct cell_identity *a, const struct cell_identity *b)
{
    return strcmp(a->hex, b->hex) == 0;
}

const struct view_cell *baseline_find_execution(const struct view *view, const char *id)
{
    for (size_t i = 0; i < view->cell_count; i++) {
        if (strcmp(view->cells[i].record.id, id) == 0) return &view->cells[i];
    }
    return NULL;
}

/* ---- names ---- */

bool baseline_find_benchmark(struct baseline_finder *f, const struct execution_record *e,
                             struct benchmark_record *b)
{
    struct error why = {0};
    if (f->broken.code) return false;
    return store_find_benchmark(f->store, e->benchmark_id, f->out, b, &why) ||
           error_unless_absent(&f->broken, &why);
}

const char *baseline_benchmark(struct baseline_finder *f, const struct execution_record *e)
{
    struct benchmark_record benchmark;
    bool is_known = baseline_find_benchmark(f, e, &benchmark);
    return plain_line(is_known ? benchmark.name : e->experiment, f->out);
}

/* ---- baselines ---- */

/* By the execution: one run may have several versions of an agent. */
static bool set_baseline(struct baseline_finder *f, struct baseline_pair *p, const char *run_id,
                         const char *execution_id)
{
    const struct view *view = baseline_load_view(f, run_id);
    if (!view) return false;
    const struct view_cell *cell = baseline_find_execution(view, execution_id);
    struct cell_identity id = {0};
    if (cell) id = cell_identity(&cell->record, CELL_SAME);
    p->baseline = baseline_is_identity(&id, &p->identity) ? cell : NULL;
    p->baseline_run = &view->run;
    return true;
}

/* "version 1.0", "commit 1a2b3c4d (run 9f8e7d6c5b4a)", "run 9f8e7d6c5b4a" */
static const char *describe_baseline(struct baseline_finder *f, const struct baseline_pair *p)
{
    const struct execution_record *o = &p->baseline->record;
    struct cell_version v = baseline_version_of(f, p, o);
    const char *run = id_short(o->run_id);
    if (p->is_agent && o->agent_version) {
        const char *commit = cell_commit(p->baseline_run, f->out);
        const struct execution_record *now = &p->current->record;
        bool is_namesake = str_is(str_of(now->agent_version), o->agent_version) &&
                           !baseline_is_same_version(f, p, o, now);
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
static bool use_pin(struct baseline_finder *f, const char *name, struct baseline_pair *p,
                    bool *found)
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

/* Other work was in the way: not fit to compare with. */
bool baseline_is_disturbed(struct baseline_finder *f, const struct execution_record *e)
{
    return note_has(&baseline_origin_run(f, e)->notes, NOTE_DISTURBED);
}

/* A version as people write it: the agent's own, or the beginning of a commit. */
bool baseline_is_called(struct baseline_finder *f, const struct baseline_pair *p,
                        const struct execution_record *o, const char *version)
{
    if (p->is_agent && o->agent_version) return strcmp(o->agent_version, version) == 0;
    size_t n = strlen(version);
    const char *commit = cell_full_commit(baseline_load_run(f, o->run_id), f->out);
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

/* On the host that the current cell was measured on. */
static bool is_here(struct baseline_finder *f, const struct baseline_pair *p,
                    const struct execution_record *o)
{
    const struct execution_record *e = &p->current->record;
    return run_is_same_host(baseline_origin_run(f, o),
                            e->made_from ? baseline_origin_run(f, e) : p->current_run);
}

/* The newest execution of the same cell in that version: finished, measured and
 * undisturbed; else disturbed; else whatever there is. Of each, one of this host first. */
static const struct execution_record *
find_version(struct baseline_finder *f, const struct baseline_pair *p, const char *version)
{
    const struct execution_record *e = &p->current->record;
    enum { GOOD, DISTURBED, UNSOUND, GRADES };
    const struct execution_record *best[GRADES][2] = {0}; /* here, elsewhere */
    for (size_t i = 0; i < p->history_count; i++) {
        const struct execution_record *o = &p->history[i];
        bool is_beside = strcmp(o->run_id, e->run_id) == 0;
        bool is_it = baseline_is_called(f, p, o, version);
        if (!is_it || (is_beside && baseline_is_same_version(f, p, o, e))) continue;
        if (baseline_is_same_origin(f, o, e)) continue;
        int grade = !execution_is_sound(o)        ? UNSOUND
                    : baseline_is_disturbed(f, o) ? DISTURBED
                                                  : GOOD;
        bool is_elsewhere = !is_here(f, p, o);
        if (!best[grade][is_elsewhere]) best[grade][is_elsewhere] = o;
        if (best[GOOD][0]) break;
    }
    for (int i = 0; i < 2 * GRADES; i++) {
        if (best[i / 2][i % 2]) return best[i / 2][i % 2];
    }
    return NULL;
}

/* The oldest execution of its version in any run but the current one; NULL: there is none. */
static const struct execution_record *first_of(struct baseline_finder *f,
                                               const struct baseline_pair *p,
                                               const struct execution_record *e)
{
    const char *run_id = p->current->record.run_id;
    for (size_t i = p->history_count; i-- > 0;) {
        const struct execution_record *o = &p->history[i];
        if (strcmp(o->run_id, run_id) != 0 && baseline_is_same_version(f, p, o, e)) return o;
    }
    return NULL;
}

bool baseline_is_older(struct baseline_finder *f, const struct baseline_pair *p,
                       const struct execution_record *o, const struct execution_record *e)
{
    const struct execution_record *a = first_of(f, p, o);
    const struct execution_record *b = first_of(f, p, e);
    if (!a || !b) return a != NULL;
    return strcmp(a->run_id, b->run_id) != 0 && a > b; /* newest first */
}

/* The current run has that version too. */
static bool is_contender(struct baseline_finder *f, const struct baseline_pair *p,
                         const struct execution_record *o)
{
    const char *run_id = p->current->record.run_id;
    for (size_t i = 0; i < p->history_count; i++) {
        const struct execution_record *x = &p->history[i];
        if (strcmp(x->run_id, run_id) == 0 && baseline_is_same_version(f, p, x, o)) return true;
    }
    return false;
}

/* Of any other version, before the current one. Where a run has both (--confirm), the older
 * version is before the other, wherever it was run. */
static bool is_earlier(struct baseline_finder *f, const struct baseline_pair *p,
                       const struct execution_record *o)
{
    const struct execution_record *e = &p->current->record;
    bool is_beside = strcmp(o->run_id, e->run_id) == 0;
    bool fits = execution_is_sound(o) && (is_beside || is_before(p, o, e)) &&
                !baseline_is_disturbed(f, o) && !baseline_is_same_version(f, p, o, e) &&
                !baseline_is_same_origin(f, o, e);
    return fits && (!is_contender(f, p, o) || baseline_is_older(f, p, o, e));
}

/* "version 1.07", "commit 1a2b3c4d" */
const char *baseline_name_version(struct baseline_finder *f, const struct baseline_pair *p,
                                  const struct execution_record *o)
{
    const char *shown = baseline_version_of(f, p, o).shown;
    bool is_said = p->is_agent && o->agent_version;
    return is_said ? arena_printf(f->out, "version %s", shown) : shown;
}

static void note_open(struct baseline_finder *f, struct baseline_pair *p,
                      const struct execution_record *chosen, const struct alarm_record *open)
{
    p->open = open;
    for (size_t i = 0; open && !p->before && i < p->history_count; i++) {
        const struct execution_record *o = &p->history[i];
        bool is_it = is_before(p, o, chosen) && is_earlier(f, p, o) &&
                     !baseline_is_same_version(f, p, o, chosen);
        if (is_it) p->before = baseline_name_version(f, p, o);
    }
}

/* Of the version of `o` the newest of this host; `o` if there is none. Where a run is all that
 * is known of a version, any earlier run of this host. */
static const struct execution_record *prefer_here(struct baseline_finder *f,
                                                  struct baseline_pair *p,
                                                  const struct execution_record *o)
{
    bool is_any = baseline_version_of(f, p, o).is_run;
    for (size_t i = 0; i < p->history_count; i++) {
        const struct execution_record *x = &p->history[i];
        if (!is_earlier(f, p, x) || !is_here(f, p, x)) continue;
        if (baseline_is_same_version(f, p, x, o)) return x;
        if (is_any && !alarmed_real(&f->alarmed, x, baseline_version_of(f, p, x).id)) return x;
    }
    return o;
}

/* The newest that is not known to be worse; if all are, the newest. */
static const struct execution_record *find_earlier(struct baseline_finder *f,
                                                   struct baseline_pair *p)
{
    const struct execution_record *newest = NULL;
    for (size_t i = 0; i < p->history_count; i++) {
        const struct execution_record *o = &p->history[i];
        if (!is_earlier(f, p, o)) continue;
        const char *version = baseline_version_of(f, p, o).id;
        const struct alarm_record *worse = alarmed_real(&f->alarmed, o, version);
        if (!worse) {
            o = prefer_here(f, p, o);
            note_open(f, p, o, alarmed_open(&f->alarmed, o, baseline_version_of(f, p, o).id));
            return o;
        }
        if (newest) continue;
        newest = o;
        p->skipped = worse;
        p->skipped_version = baseline_name_version(f, p, o);
    }
    if (newest) newest = prefer_here(f, p, newest);
    if (newest) note_open(f, p, newest, p->skipped);
    p->skipped = NULL;
    return newest;
}

/* With the unit of its amount, for whoever says it. */
static const struct alarm_record *with_points(struct baseline_finder *f,
                                              const struct alarm_record *a)
{
    if (!a) return NULL;
    struct alarm_record *alarm = arena_new(f->out, struct alarm_record, 1);
    *alarm = *a;
    alarmed_fill_points(f->store, alarm);
    return alarm;
}

/* Another version of the same cell in the current run; NULL: it has none. */
static const struct execution_record *find_beside(struct baseline_finder *f,
                                                  const struct baseline_pair *p)
{
    const struct execution_record *e = &p->current->record;
    for (size_t i = 0; i < p->history_count; i++) {
        const struct execution_record *o = &p->history[i];
        bool is_beside =
            strcmp(o->run_id, e->run_id) == 0 && !baseline_is_same_version(f, p, o, e);
        if (is_beside) return o;
    }
    return NULL;
}

static bool use_earlier(struct baseline_finder *f, const char *version, struct baseline_pair *p)
{
    const struct execution_record *o =
        version ? find_version(f, p, version) : find_earlier(f, p);
    p->is_by_version = true;
    if (!o) {
        struct cell_version v = baseline_version_of(f, p, &p->current->record);
        lacks(p,
              version       ? BASELINE_NEVER_RUN
              : v.is_run    ? BASELINE_NO_EARLIER_RUN
              : p->is_agent ? BASELINE_NO_EARLIER_AGENT
                            : BASELINE_NO_OTHER_VERSION,
              version ? version : v.shown);
        const struct execution_record *beside = version ? NULL : find_beside(f, p);
        if (!beside) return baseline_find_otherwise(f, version, p);
        lacks(p, BASELINE_BESIDE, baseline_name_version(f, p, beside));
        return true;
    }
    if (!set_baseline(f, p, o->run_id, o->id)) return false;
    p->is_version[0] = true;
    p->skipped = with_points(f, p->skipped);
    p->open = with_points(f, p->open);
    p->against = describe_baseline(f, p);
    return true;
}

bool baseline_is_pinned(const struct baseline_finder *f, const char *name)
{
    for (size_t i = 0; i < f->pin_count; i++) {
        if (strcmp(f->pins[i].name, name) == 0) return true;
    }
    return false;
}

static bool is_version(struct baseline_finder *f, const struct baseline_pair *p,
                       const char *text)
{
    return find_version(f, p, text) != NULL;
}

static unsigned parts_of_source(const struct baseline_finder *f)
{
    return f->source.is_agent ? CELL_SAME & ~CELL_AGENT : CELL_SAME;
}

static bool load_source(struct baseline_finder *f)
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

static bool use_source(struct baseline_finder *f, struct baseline_pair *p)
{
    if (!load_source(f)) return false;
    const struct view *view = f->source.view;
    struct cell_identity wanted = cell_identity(&p->current->record, parts_of_source(f));
    for (size_t i = 0; i < view->cell_count && !p->baseline; i++) {
        if (baseline_is_identity(&f->source_ids[i], &wanted)) p->baseline = &view->cells[i];
    }
    p->baseline_run = &view->run;
    const char *commit = cell_commit(&view->run, f->out);
    p->against = commit ? arena_printf(f->out, "%s (commit %s)", f->source.name, commit)
                        : f->source.name;
    if (!p->baseline) lacks(p, BASELINE_SOURCE_LACKS_IT, f->source.name);
    return true;
}

static bool find_baseline(struct baseline_finder *f, struct baseline_pair *p)
{
    const char *wanted = f->wanted;
    bool found = false;
    if (!wanted) {
        if (!use_pin(f, BASELINE_DEFAULT, p, &found)) return false;
        return found || use_earlier(f, NULL, p);
    }
    if (f->q->is_baseline_version) return use_earlier(f, wanted, p);
    if (baseline_is_pinned(f, wanted)) {
        if (!use_pin(f, wanted, p, &found)) return false;
        if (!found) lacks(p, BASELINE_NOT_PINNED, wanted);
        return true;
    }
    bool is_it = baseline_is_called(f, p, &p->current->record, wanted);
    bool is_held_against = is_it && find_beside(f, p); /* by the other version in its run */
    if (!is_held_against && is_version(f, p, wanted)) return use_earlier(f, wanted, p);
    if (is_it) {
        lacks(p, BASELINE_IS_THAT_VERSION, wanted);
        return true;
    }
    bool is_of_agent = false; /* a version, but not of this cell */
    if (!baseline_has_version(f, p, wanted, &is_of_agent)) return false;
    return is_of_agent ? use_earlier(f, wanted, p) : use_source(f, p);
}

/* ---- the runs of a version ---- */

/* `e` is of the history, hence of the same cell. */
static bool belongs(struct baseline_finder *f, const struct baseline_pair *p, int side,
                    const struct execution_record *e)
{
    static const int64_t window_ns = BASELINE_WINDOW_DAYS * INT64_C(86400000000000);
    const struct execution_record *then = &p->baseline->record;
    const struct execution_record *chosen = side == 0 ? then : &p->current->record;
    bool fits = execution_is_sound(e) && (side == 1 || !baseline_is_disturbed(f, e)) &&
                llabs(chosen->start_ns - e->start_ns) <= window_ns &&
                baseline_is_same_version(f, p, e, chosen);
    bool is_baseline =
        side == 1 && !is_before(p, then, e) && baseline_is_same_version(f, p, then, e);
    return fits && !is_baseline;
}

static bool has_origin(struct baseline_finder *f, const struct view_cell *const *cells,
                       size_t count, const struct execution_record *e)
{
    for (size_t i = 0; i < count; i++) {
        if (baseline_is_same_origin(f, &cells[i]->record, e)) return true;
    }
    return false;
}

/* Of what was scored again or taken over the newest counts, in place of its original. */
static bool gather_runs(struct baseline_finder *f, struct baseline_pair *p, int side)
{
    const struct view_cell *chosen = side == 0 ? p->baseline : p->current;
    const struct view_cell *found[BASELINE_RUNS_MAX] = {chosen};
    const struct run_record *home = baseline_origin_run(f, &chosen->record);
    size_t count = 1;
    for (size_t i = 0; p->is_version[side] && i < p->history_count; i++) {
        const struct execution_record *e = &p->history[i];
        bool is_full = count == BASELINE_RUNS_MAX || f->view_count >= VIEWS_MAX / 2;
        if (is_full || has_origin(f, found, count, e) || !belongs(f, p, side, e) ||
            !run_is_same_host(baseline_origin_run(f, e), home))
            continue;
        const struct view *view = baseline_load_view(f, e->run_id);
        if (!view) return false;
        const struct view_cell *cell = baseline_find_execution(view, e->id);
        if (cell) found[count++] = cell;
    }
    const struct view_cell **runs = arena_new(f->out, const struct view_cell *, count);
    for (size_t i = 0; i < count; i++) runs[i] = found[count - 1 - i]; /* oldest first */
    p->runs[side] = runs;
    p->run_count[side] = count;
    return true;
}

/* ---- what differs ---- */

static void note_hosts(struct baseline_finder *f, struct baseline_pair *p)
{
    const struct run_record *runs[2] = {p->baseline_run, p->current_run};
    const struct view_cell *cells[2] = {p->baseline, p->current};
    const struct value *host[2];
    for (int i = 0; i < 2; i++) {
        bool is_copy = cells[i]->record.made_from != NULL;
        if (is_copy) runs[i] = baseline_origin_run(f, &cells[i]->record);
    }
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
static bool is_another(struct baseline_finder *f, const struct baseline_set *set)
{
    size_t same = 0;
    for (size_t i = 0; i < set->count; i++) same += set->pairs[i].why == BASELINE_ITSELF;
    if (same == 0 || same < set->count) return true;
    return error_set(f->err, ERROR_INVALID,
                     "%s is its own baseline: name another run, or run it again", set->subject);
}

static bool take_runs(struct baseline_finder *f, struct baseline_pair *p)
{
    const struct execution_record *now = &p->current->record;
    p->cut[1] = now->status == RUN_FAILED ? now : view_unfinished(now); /* nothing is known */
    drop_itself(p);
    if (!p->baseline) return true;
    note_hosts(f, p);
    p->cut[0] = view_unfinished(&p->baseline->record);
    if (!gather_runs(f, p, 0) || !gather_runs(f, p, 1)) return false;
    p->baseline = view_merge(p->runs[0], p->run_count[0], f->out);
    p->current = view_merge(p->runs[1], p->run_count[1], f->out);
    return true;
}

static bool find_all(struct baseline_finder *f, struct baseline_set *set)
{
    if (!(f->q->agent ? baseline_take_agent(f, set) : baseline_take_run(f, set))) return false;
    for (size_t i = 0; i < set->count && !f->broken.code; i++) {
        struct baseline_pair *p = &set->pairs[i];
        if (!find_baseline(f, p) || !take_runs(f, p)) return false;
    }
    return is_another(f, set) && baseline_find_lost(f, set);
}

bool baseline_find(struct store *store, const struct baseline_question *q, struct arena *out,
                   struct baseline_set *set, struct error *err)
{
    struct baseline_finder f = {
        .store = store, .q = q, .wanted = q->baseline, .out = out, .err = err};
    *set = (struct baseline_set){0};
    if (!store_list_agents(store, true, out, &f.agents, &f.agent_count, err) ||
        !store_list_baselines(store, NULL, out, &f.pins, &f.pin_count, err) ||
        !alarmed_read(store, out, &f.alarmed, err)) {
        return error_wrap(err, "looking for baselines");
    }
    f.views = arena_new(out, struct view *, VIEWS_MAX);
    f.runs = arena_new(out, struct run_record, BASELINE_HISTORY_MAX);
    bool done = find_all(&f, set);
    if (!f.broken.code) return done;
    error_set(err, f.broken.code, "%s", f.broken.text);
    return error_wrap(err, "looking for baselines");
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
