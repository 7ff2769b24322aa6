/* Every kind of selector ends as a view. Parts of runs are views too: narrow makes one of the
 * cells that are kept, and drops what spoke of the whole (comparisons, effects); cells pinned
 * in several runs are put together under the newest of them. */
#include "view/source.h"

#include "base/os.h"
#include "model/cell.h"
#include "view/result_file.h"
#include "view/select.h"
#include "view/suite_view.h"

enum { FILES_MAX = 10000 };

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

static bool keep_cell(const struct view **view, int64_t index, struct arena *out,
                      struct error *err)
{
    bool *keep = arena_new(out, bool, (*view)->cell_count + 1);
    bool found = false;
    for (size_t i = 0; i < (*view)->cell_count; i++) {
        keep[i] = (*view)->cells[i].record.cell_index == index;
        found |= keep[i];
    }
    if (!found) {
        return error_set(err, ERROR_NOT_FOUND, "run %s has no cell %lld; it has %zu, from 0",
                         id_short((*view)->run.id), (long long)index, (*view)->cell_count);
    }
    *view = narrow(*view, keep, out);
    return true;
}

/* The newest run of an agent, and of it the agent's own cells. */
static void keep_agent(const struct selection *s, struct arena *out, const struct view **view)
{
    bool *keep = arena_new(out, bool, (*view)->cell_count + 1);
    const struct agent_ref ref = {.id = s->agent.id, .version = s->version};
    for (size_t i = 0; i < (*view)->cell_count; i++) {
        const struct execution_record *e = &(*view)->cells[i].record;
        keep[i] = agent_ref_fits(&ref, e->agent_id, e->agent_version);
    }
    *view = narrow(*view, keep, out);
}

static bool is_pinned(const struct selection *s, const char *execution_id)
{
    for (size_t i = 0; i < s->pin_count; i++) {
        const char *id = s->pins[i].execution_id;
        if (id && strcmp(id, execution_id) == 0) return true;
    }
    return false;
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

/* The pinned cells, of however many runs; the run that is named is the newest of them. */
static bool load_pins(struct store *store, const struct selection *s, struct arena *out,
                      const struct view **view, struct error *err)
{
    struct view *whole = NULL;
    for (size_t r = 0; r < s->run_count; r++) {
        struct view *one = NULL;
        if (!view_load_run(store, &s->runs[r], out, &one, err)) return false;
        bool *keep = arena_new(out, bool, one->cell_count + 1);
        for (size_t i = 0; i < one->cell_count; i++) {
            keep[i] = is_pinned(s, one->cells[i].record.id);
        }
        const struct view *part = narrow(one, keep, out);
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
    if (source->is_agent) keep_agent(&s, out, &source->view);
    return s.cell < 0 || keep_cell(&source->view, s.cell, out, err);
}
