/* A run as files. The folder is made with mkdir, which fails if it is there:
 * two runs can never share one, whatever their ids and clocks say, and writing
 * a run again (after a resume) gives a new folder next to the old. */
#include "report/folder.h"

#include "base/clock.h"
#include "base/os.h"
#include "report/format_markdown.h"

#include <inttypes.h>

enum { TRIES_MAX = 1000, PATH_SIZE = 4096 };

/* Letters, digits, '_', '-' and '.' stay; a name never begins with a dot. */
static void put_plain(struct buf *out, const char *name, size_t limit)
{
    for (size_t i = 0; name && name[i] && i < limit; i++) {
        char c = name[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '_' || c == '-' || (c == '.' && i > 0);
        if (!is_plain) c = '_';
        buf_add_char(out, c);
    }
}

const char *folder_artifact_path(const struct view_cell *cell, size_t i, char *out)
{
    const struct artifact_record *a = &cell->artifacts[i];
    struct buf b;
    buf_over(&b, out, FOLDER_PATH_SIZE);
    buf_printf(&b, "artifacts/cell-%03" PRId64 "-%04zu_", cell->record.cell_index, i);
    put_plain(&b, a->name, 120);
    buf_add_char(&b, '.');
    put_plain(&b, a->kind && strcmp(a->kind, "text") != 0 ? a->kind : "txt", 16);
    return out;
}

/* "sort_20261115_200456_3f9c02a1": the end of a UUIDv7 is its random part; the
 * beginning is the time, which two runs of the same minute share. */
static const char *folder_name(const struct view *view, const char *dir, struct arena *out)
{
    const char *experiment = view->cell_count ? view->cells[0].record.experiment : "empty";
    for (size_t i = 1; i < view->cell_count; i++) {
        bool is_same = strcmp(view->cells[i].record.experiment, experiment) == 0;
        if (!is_same) experiment = "several";
    }
    char name[FOLDER_PATH_SIZE];
    char stamp[CLOCK_STAMP_SIZE]; /* 2026-11-15T20:04:56.123Z */
    struct buf b;
    buf_over(&b, name, sizeof name);
    put_plain(&b, experiment, 100);
    buf_add_char(&b, '_');
    clock_stamp(view->run.started_ns, stamp);
    for (size_t i = 0; i < sizeof "2026-11-15T20:04:56" - 1; i++) {
        if (stamp[i] == 'T') buf_add_char(&b, '_');
        if (stamp[i] >= '0' && stamp[i] <= '9') buf_add_char(&b, stamp[i]);
    }
    size_t n = strlen(view->run.id);
    buf_printf(&b, "_%s", view->run.id + (n > 8 ? n - 8 : 0));
    return arena_printf(out, "%s/%s", dir, name);
}

static bool make_folder(const struct view *view, const char *dir, struct arena *out,
                        const char **folder, struct error *err)
{
    if (!os_make_dirs(dir, err)) return false;
    const char *name = folder_name(view, dir, out);
    *folder = name;
    for (int i = 2; i < TRIES_MAX; i++) {
        bool exists = false;
        if (os_make_new_dir(*folder, &exists, err)) return true;
        if (!exists) return false;
        *folder = arena_printf(out, "%s-%d", name, i);
    }
    return false;
}

static bool path_in(const char *folder, const char *name, char path[PATH_SIZE],
                    struct error *err)
{
    int n = snprintf(path, PATH_SIZE, "%s/%s", folder, name);
    if (n >= 0 && n < PATH_SIZE) return true;
    return error_set(err, ERROR_INVALID, "path too long: '%.100s...'", folder);
}

static bool write_buf(const char *folder, const char *name, struct buf *b, struct error *err)
{
    char path[PATH_SIZE];
    if (!path_in(folder, name, path, err)) return false;
    if (b->overflow) {
        return error_set(err, ERROR_INVALID, "'%s' would be larger than %d MB", path,
                         REPORT_MAX_BYTES >> 20);
    }
    return os_write_file(path, buf_str(b), err);
}

static bool write_artifacts(const struct view_cell *cell, const char *folder, struct error *err)
{
    char name[FOLDER_PATH_SIZE];
    char path[PATH_SIZE];
    for (size_t i = 0; i < cell->artifact_count; i++) {
        folder_artifact_path(cell, i, name);
        if (i == 0 && !(path_in(folder, "artifacts", path, err) && os_make_dirs(path, err)))
            return false;
        if (!path_in(folder, name, path, err) ||
            !os_write_file(path, cell->artifacts[i].bytes, err))
            return false;
    }
    return true;
}

static void put_summary(const struct view *view, struct buf *b)
{
    buf_printf(b, "# Sweep of run %s\n\n", view->run.id);
    markdown_cells(view, b);
    markdown_effects(view, b);
    markdown_comparisons(view, b);
}

static bool write_files(const struct view *view, const char *folder, struct buf *b,
                        struct error *err)
{
    for (size_t i = 0; i < view->cell_count; i++) {
        char name[64];
        const struct view_cell *cell = &view->cells[i];
        snprintf(name, sizeof name, "cell-%03" PRId64 ".json", cell->record.cell_index);
        buf_clear(b);
        report_write_result(view, cell, b);
        if (!write_buf(folder, name, b, err)) return false;
        if (!write_artifacts(cell, folder, err)) return false;
    }
    buf_clear(b);
    buf_text(b, view->run.spec_text);
    if (!write_buf(folder, "spec.yaml", b, err)) return false;
    if (view->effect_count > 0) {
        buf_clear(b);
        put_summary(view, b);
        if (!write_buf(folder, "SUMMARY.md", b, err)) return false;
    }
    buf_clear(b);
    struct report_options options = {.explain = true};
    reporter_find(S("markdown"))->write(view, &options, b);
    return write_buf(folder, "README.md", b, err);
}

bool report_write_folder(const struct view *view, const char *dir, struct arena *out,
                         const char **folder, struct error *err)
{
    if (!make_folder(view, dir, out, folder, err)) {
        return error_wrap(err, "writing results to '%s'", dir);
    }
    struct buf b;
    buf_init(&b, REPORT_MAX_BYTES);
    bool done = write_files(view, *folder, &b, err);
    buf_release(&b);
    return done || error_wrap(err, "writing results to '%s'", *folder);
}
