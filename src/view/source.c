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
