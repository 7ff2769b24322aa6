/* Every kind of selector ends as a view. Parts of runs are views too: narrow makes one of the
 * cells that are kept, and drops what spoke of the whole (comparisons, effects); cells pinned
 * in several runs are put together under the newest of them. The runs of a version are merged
 * cell by cell. */
#include "view/source.h"

#include "base/os.h"
#include "model/cell.h"
#include "view/baseline.h"
#include "view/result_file.h"
#include "view/select.h"
#include "view/suite_view.h"

enum { FILES_MAX = 10000 };

#define WINDOW_NS (BASELINE_WINDOW_DAYS * INT64_C(86400000000000))

/* cell-000.json, cell-001.json, ... as report_write_folder names them. */
static bool load_folder(const char *dir, struct arena *out, struct view **view,
                        struct error *err)
{
    struct view *whole = NULL;
    struct view_cell *cells = NULL;
    size_t count = 0;
    for (; count < FILES_MAX; count++) {
        const char *path = arena_printf(out, "%s/cell-%03zu.json", dir, count);
        if (!os_exists(path)) break;
        struct view *one = NULL;
        if (!result_file_read(path, out, &one, err)) return false;
        if (!whole) {
            whole = one;
            cells = arena_new(out, struct view_cell, FILES_MAX);
        }
        cells[count] = one->cells[0];
    }
    if (!whole) {
        return error_set(err, ERROR_NOT_FOUND,
                         "'%s' has no cell-000.json: it is not a folder of results", dir);
    }
    whole->run.spec_path = dir;
    whole->cells = cells;
    whole->cell_count = count;
    *view = whole;
    return true;
}

/* The cells for which `keep` is true, in a view of their own. */
static const struct view *narrow(const struct view *view, const bool *keep, struct arena *out)
{
    struct view *narrowed = arena_new(out, struct view, 1);
    *narrowed = *view;
    narrowed->cells = arena_new(out, struct view_cell, view->cell_count + 1);
    narrowed->suites = arena_new(out, struct suite_view, view->suite_count + 1);
    narrowed->cell_count = narrowed->suite_count = 0;
    narrowed->comparison_count = narrowed->effect_count = 0; /* they speak of the whole */
    for (size_t i = 0; i < view->cell_count; i++) {
        if (!keep[i]) continue;
        for (size_t k = 0; k < view->suite_count; k++) {
            if (view->suites[k].cell != i) continue;
            narrowed->suites[narrowed->suite_count] = view->suites[k];
            narrowed->suites[narrowed->suite_count++].cell = narrowed->cell_count;
        }
        narrowed->cells[narrowed->cell_count++] = view->cells[i];
    }
    return narrowed;
}

/* The part of a run that is selected. */
static bool keep_selected(const struct selection *s, struct arena *out,
                          const struct view **view, struct error *err)
{
    const struct view *whole = *view;
    bool *keep = arena_new(out, bool, whole->cell_count + 1);
    for (size_t i = 0; i < whole->cell_count; i++) {
        keep[i] = select_has(s, &whole->cells[i].record);
    }
    *view = narrow(whole, keep, out);
    bool is_there = (*view)->cell_count > 0 || s->cell < 0;
    return is_there || select_no_cell(s, whole->cell_count, err);
}

/* Puts the cells of `more` after those of `to`. */
static void append(struct view *to, const struct view *more, struct arena *out)
{
    size_t cells = to->cell_count + more->cell_count;
    size_t suites = to->suite_count + more->suite_count;
    struct view_cell *all = arena_new(out, struct view_cell, cells + 1);
    struct suite_view *of_suites = arena_new(out, struct suite_view, suites + 1);
    memcpy(all, to->cells, to->cell_count * sizeof *all);
    memcpy(all + to->cell_count, more->cells, more->cell_count * sizeof *all);
    if (to->suite_count) memcpy(of_suites, to->suites, to->suite_count * sizeof *of_suites);
    for (size_t i = 0; i < more->suite_count; i++) {
        of_suites[to->suite_count + i] = more->suites[i];
        of_suites[to->suite_count + i].cell += to->cell_count;
    }
    to->cells = all;
    to->cell_count = cells;
    to->suites = of_suites;
    to->suite_count = suites;
}

static struct selection without_cell(const struct selection *s)
{
    struct selection all = *s;
    all.cell = -1;
    return all;
}

/* The pinned cells, of however many runs; the run that is named is the newest of them. */
static bool load_pins(struct store *store, const struct selection *s, struct arena *out,
                      const struct view **view, struct error *err)
{
    struct view *whole = NULL;
    for (size_t r = 0; r < s->run_count; r++) {
        struct view *one = NULL;
        if (!view_load_run(store, &s->runs[r], out, &one, err)) return false;
        const struct selection all_cells = without_cell(s);
        const struct view *part = one;
        if (!keep_selected(&all_cells, out, &part, err)) return false;
        if (!whole) {
            whole = arena_new(out, struct view, 1);
            *whole = *part;
        } else {
            append(whole, part, out);
        }
    }
    *view = whole;
    return true;
}

static bool load_file(const char *path, struct arena *out, struct source *source,
                      struct error *err)
{
    struct view *view = NULL;
    bool done = os_is_dir(path) ? load_folder(path, out, &view, err)
                                : result_file_read(path, out, &view, err);
    source->view = view;
    return done;
}

bool source_load(struct store *store, const char *selector, struct arena *out,
                 struct source *source, struct error *err)
{
    struct selection s;
    struct view *view = NULL;
    if (!select_find(store, selector, out, &s, err)) return false;
    *source = (struct source){.name = selector,
                              .is_file = s.kind == SELECT_FILE,
                              .is_agent = s.kind == SELECT_AGENT,
                              .is_run = s.kind != SELECT_FILE && s.kind != SELECT_AGENT &&
                                        s.cell < 0};
    if (source->is_file) return load_file(selector, out, source, err);
    if (s.kind == SELECT_BASELINE) {
        if (!load_pins(store, &s, out, &source->view, err)) return false;
    } else {
        if (!view_load_run(store, &s.runs[0], out, &view, err)) return false;
        source->view = view;
    }
    bool is_part = source->is_agent || s.cell >= 0;
    return !is_part || keep_selected(&s, out, &source->view, err);
}

/* ---- what speaks for an agent ---- */

/* What was imported ranks nowhere, and is all that there is of its agent. */
static bool counts(const struct execution_record *e)
{
    struct execution_record as_measured = *e;
    if (strcmp(e->provenance, "claimed") == 0) as_measured.provenance = "measured";
    return execution_represents(&as_measured);
}

static void leave_out(struct source *source, const struct view *view,
                      const struct view_cell *cell, const char *reason, struct arena *out)
{
    source->left_out =
        arena_grow(out, source->left_out, source->left_out_count, sizeof *source->left_out);
    source->left_out[source->left_out_count++] =
        (struct source_left_out){view_cell_name(view, cell, out), view->run.id, reason};
}

static bool nothing_counts(const struct source *source, struct error *err)
{
    const struct source_left_out *l = source->left_out;
    return error_set(err, ERROR_INVALID,
                     "no run of '%s' counts%s%s%s%s; name a run by its id to compare it anyway",
                     source->name, l ? ": " : "", l ? id_short(l->run_id) : "",
                     l ? " is left out, " : "", l ? l->reason : "");
}

/* The newest run in which something speaks for the agent. */
static bool load_agent(struct store *store, const struct selection *s, struct arena *out,
                       struct source *source, struct error *err)
{
    for (size_t r = 0; r < s->run_count; r++) {
        struct view *view = NULL;
        if (!view_load_run(store, &s->runs[r], out, &view, err)) return false;
        bool *keep = arena_new(out, bool, view->cell_count + 1);
        bool is_any = false;
        for (size_t i = 0; i < view->cell_count; i++) {
            const struct view_cell *cell = &view->cells[i];
            if (!select_has(s, &cell->record)) continue;
            keep[i] = counts(&cell->record);
            is_any |= keep[i];
            if (!keep[i]) leave_out(source, view, cell, view_left_out(&cell->record, out), out);
        }
        source->view = narrow(view, keep, out);
        if (is_any) return true;
        if (s->cell >= 0 && source->left_out_count == 0)
            return select_no_cell(s, view->cell_count, err);
    }
    return nothing_counts(source, err);
}

/* ---- all runs of a version ---- */

/* One cell in the runs of the version, newest first. */
struct gathered {
    const struct view *views[BASELINE_RUNS_MAX];
    const struct view_cell *cells[BASELINE_RUNS_MAX];
    size_t count;
};

struct gathering {
    struct view *whole; /* each cell as in its newest run */
    struct gathered *of_cells;
    struct arena *out;
};

static size_t find_gathered(const struct gathering *g, const struct view_cell *cell)
{
    size_t at = 0;
    while (at < g->whole->cell_count &&
           !cell_is_same(&g->whole->cells[at].record, &cell->record, CELL_SAME))
        at++;
    return at;
}

static void gather_cell(struct gathering *g, const struct view *view, size_t cell)
{
    const struct view_cell *added = &view->cells[cell];
    size_t at = find_gathered(g, added);
    if (at == g->whole->cell_count) {
        bool *keep = arena_new(g->out, bool, view->cell_count + 1);
        keep[cell] = true;
        append(g->whole, narrow(view, keep, g->out), g->out);
        struct gathered *grown = arena_new(g->out, struct gathered, at + 1);
        if (at) memcpy(grown, g->of_cells, at * sizeof *grown);
        g->of_cells = grown;
    }
    struct gathered *of = &g->of_cells[at];
    if (of->count == BASELINE_RUNS_MAX) return;
    of->views[of->count] = view;
    of->cells[of->count++] = added;
}

static bool gather(struct store *store, const struct selection *s, struct gathering *g,
                   struct source *source, struct error *err)
{
    const struct run_record *newest = NULL; /* in which something counts */
    for (size_t r = 0, taken = 0; r < s->run_count && taken < BASELINE_RUNS_MAX; r++) {
        if (newest && newest->started_ns - s->runs[r].started_ns > WINDOW_NS) continue;
        struct view *view = NULL;
        if (!view_load_run(store, &s->runs[r], g->out, &view, err)) return false;
        const bool *none = arena_new(g->out, bool, view->cell_count + 1);
        for (size_t i = 0; i < view->cell_count; i++) {
            const struct view_cell *cell = &view->cells[i];
            if (!select_has(s, &cell->record)) continue;
            if (counts(&cell->record)) {
                if (!newest) *g->whole = *narrow(view, none, g->out);
                if (!newest) newest = &s->runs[r];
                gather_cell(g, view, i);
            } else if (find_gathered(g, cell) == g->whole->cell_count) {
                leave_out(source, view, cell, view_left_out(&cell->record, g->out), g->out);
            }
        }
        taken += newest != NULL;
    }
    return newest || nothing_counts(source, err);
}

static bool is_disturbed(const struct gathered *of, size_t i)
{
    return note_has(&of->views[i]->run.notes, NOTE_DISTURBED);
}

/* The one that others are counted with: the newest that is fit for it. */
static size_t choose(const struct gathered *of, bool is_baseline)
{
    for (int allowed = is_baseline ? 0 : 1; allowed < 2; allowed++) {
        for (size_t i = 0; i < of->count; i++) {
            bool is_fit = execution_is_sound(&of->cells[i]->record);
            if (is_fit && (allowed || !is_disturbed(of, i))) return i;
        }
    }
    return 0;
}

/* The same number with another configuration is another version. */
static bool is_version(const struct gathered *of, size_t i, size_t chosen)
{
    return cell_is_same(&of->cells[i]->record, &of->cells[chosen]->record, CELL_VERSION);
}

static struct source_runs runs_of(const struct gathered *of, bool is_baseline,
                                  struct source *source, struct arena *out)
{
    struct source_runs runs = {.cells =
                                   arena_new(out, const struct view_cell *, of->count + 1)};
    size_t chosen = choose(of, is_baseline);
    for (size_t i = 0; i < of->count; i++) {
        if (!is_version(of, i, chosen))
            leave_out(source, of->views[i], of->cells[i], "another configuration", out);
    }
    for (size_t i = of->count; i-- > 0;) {
        const struct view_cell *cell = of->cells[i];
        bool belongs = execution_is_sound(&cell->record) &&
                       (!is_baseline || !is_disturbed(of, i)) && is_version(of, i, chosen) &&
                       run_is_same_host(&of->views[i]->run, &of->views[chosen]->run);
        if (belongs && i != chosen) runs.cells[runs.count++] = cell;
    }
    runs.cells[runs.count++] = of->cells[chosen]; /* names are those of the last */
    return runs;
}

static bool load_version(struct store *store, const struct selection *s, bool is_baseline,
                         struct arena *out, struct source *source, struct error *err)
{
    struct gathering g = {.whole = arena_new(out, struct view, 1), .out = out};
    if (!gather(store, s, &g, source, err)) return false;
    struct source_runs *runs = arena_new(out, struct source_runs, g.whole->cell_count + 1);
    for (size_t i = 0; i < g.whole->cell_count; i++) {
        runs[i] = runs_of(&g.of_cells[i], is_baseline, source, out);
        g.whole->cells[i] = *view_merge(runs[i].cells, runs[i].count, out);
        if (runs[i].count > source->run_count) source->run_count = runs[i].count;
    }
    source->view = g.whole;
    source->runs = runs;
    return true;
}

bool source_load_side(struct store *store, const char *selector, bool is_baseline,
                      struct arena *out, struct source *source, struct error *err)
{
    struct selection s;
    if (!select_find(store, selector, out, &s, err)) return false;
    if (s.kind != SELECT_AGENT) return source_load(store, selector, out, source, err);
    *source = (struct source){.name = selector, .is_agent = true};
    if (!s.version || s.cell >= 0) return load_agent(store, &s, out, source, err);
    return load_version(store, &s, is_baseline, out, source, err);
}
