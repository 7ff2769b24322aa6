#include "view/source.h"

#include "base/os.h"
#include "view/result_file.h"
#include "view/select.h"
#include "view/suite_view.h"

enum { FILES_MAX = 10000 };

bool source_is_file(const char *selector)
{
    return os_exists(selector) || str_ends(str_of(selector), S(".json")) ||
           strchr(selector, '/') != NULL;
}

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
                         "'%s' has no cell-000.json: it is no folder of results", dir);
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
        return error_set(err, ERROR_NOT_FOUND, "run %.13s has no cell %lld; it has %zu, from 0",
                         (*view)->run.id, (long long)index, (*view)->cell_count);
    }
    *view = narrow(*view, keep, out);
    return true;
}

/* The newest run of an agent, and of it the agent's own cells. */
static bool load_agent(struct store *store, struct str text, struct arena *out,
                       const struct view **view, struct error *err)
{
    struct str version = text;
    struct str name = str_cut(&version, '@');
    struct agent_record agent;
    if (!store_find_agent(store, str_cstr(out, name), out, &agent, err)) return false;
    struct execution_filter of_agent = {.agent_id = agent.id};
    struct execution_record *executions = NULL;
    size_t count = 0;
    if (!store_query_executions(store, &of_agent, out, &executions, &count, err)) return false;
    size_t at = 0;
    while (at < count && version.p && !str_is(version, executions[at].agent_version)) at++;
    if (at == count) {
        return error_set(err, ERROR_NOT_FOUND, "no run in the store has '%.*s'", STR_ARG(text));
    }
    struct view *whole = NULL;
    if (!view_load(store, executions[at].run_id, out, &whole, err)) return false;
    bool *keep = arena_new(out, bool, whole->cell_count + 1);
    for (size_t i = 0; i < whole->cell_count; i++) {
        const struct execution_record *e = &whole->cells[i].record;
        keep[i] = strcmp(e->agent_id, agent.id) == 0 &&
                  (!version.p || str_is(version, e->agent_version));
    }
    *view = narrow(whole, keep, out);
    return true;
}

static bool load_stored(struct store *store, struct str text, struct arena *out,
                        struct source *source, struct error *err)
{
    struct view *view = NULL;
    if (str_starts(text, S("latest~")) || select_is_query(text)) {
        if (!view_load(store, str_cstr(out, text), out, &view, err)) return false;
        source->view = view;
        return true;
    }
    struct error of_run = {0};
    if (view_load(store, str_cstr(out, text), out, &view, &of_run)) {
        source->view = view;
        return true;
    }
    source->is_agent = true;
    if (load_agent(store, text, out, &source->view, err)) return true;
    if (of_run.code == ERROR_NOT_FOUND && err && err->code == ERROR_NOT_FOUND) {
        return error_set(err, ERROR_NOT_FOUND,
                         "'%.*s' is no run, agent or result file; `assay list` shows the runs",
                         STR_ARG(text));
    }
    if (err) *err = of_run;
    return false;
}

bool source_load(struct store *store, const char *selector, struct arena *out,
                 struct source *source, struct error *err)
{
    *source = (struct source){.name = selector, .is_file = source_is_file(selector)};
    if (source->is_file) {
        struct view *view = NULL;
        bool done = os_is_dir(selector) ? load_folder(selector, out, &view, err)
                                        : result_file_read(selector, out, &view, err);
        source->view = view;
        return done;
    }
    CHECK(store != NULL);
    struct str text = str_of(selector);
    int64_t cell = -1;
    const char *colon = strrchr(selector, ':');
    bool has_cell = colon && colon > selector && str_to_int(str_of(colon + 1), &cell);
    if (has_cell) text.n = (size_t)(colon - selector);
    if (!load_stored(store, text, out, source, err)) return false;
    source->is_run = !source->is_agent && !has_cell;
    return !has_cell || keep_cell(&source->view, cell, out, err);
}
