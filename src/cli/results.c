#include "cli/results.h"

#include "base/os.h"
#include "cli/allowance.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "cli/stored.h"
#include "cli/suite_store.h"
#include "judge/claims.h"
#include "judge/summary.h"
#include "report/report.h"

#define REPORTS "benchmark_results"

static const struct reporter *reporter_of(const char *file, struct error *err)
{
    const char *dot = strrchr(file, '.');
    const struct reporter *reporter = dot ? reporter_find(str_of(dot + 1)) : NULL;
    if (!reporter) {
        error_set(err, ERROR_INVALID,
                  "'%s': the ending must say the kind of report: html, md, csv, json, txt",
                  file);
    }
    return reporter;
}

/* What --report names: a file, or a kind of report, which has its place (requirement 002:
 * benchmark_results/benchmark_results.html); "both" are html and json. NULL past the end. */
static const char *report_file(const struct run_options *o, size_t i, struct arena *out)
{
    size_t n = 0;
    for (size_t k = 0; k < o->reports.count; k++) {
        const char *word = o->reports.items[k];
        bool is_both = strcmp(word, "both") == 0;
        bool is_kind = is_both || strcmp(word, "html") == 0 || strcmp(word, "json") == 0;
        if (i >= n && i < n + 1 + is_both) {
            const char *kind = !is_both ? word : i == n ? "html" : "json";
            return is_kind ? arena_printf(out, REPORTS "/" REPORTS ".%s", kind) : word;
        }
        n += 1 + is_both;
    }
    return NULL;
}

static bool write_report(const struct context *c, struct store *store, const struct view *view,
                         const char *file, struct error *err)
{
    const struct reporter *reporter = reporter_of(file, err);
    struct report_options how = {.explain = true};
    if (!reporter || !stored_complete(c, store, view, &how, err)) return false;
    struct buf b;
    buf_init(&b, REPORT_MAX_BYTES);
    reporter->write(view, &how, &b);
    bool done = b.overflow ? error_set(err, ERROR_FAILED, "'%s' would be larger than %d MB",
                                       file, REPORT_MAX_BYTES >> 20)
                           : os_write_file(file, buf_str(&b), err);
    buf_release(&b);
    if (done && !c->quiet) fprintf(stderr, "wrote %s\n", file);
    return done;
}

static bool has_claims(const struct spec *spec)
{
    for (size_t i = 0; spec && i < spec->entry_count; i++) {
        if (spec->entries[i].claims) return true;
    }
    return false;
}

static const char *folder_of(const struct context *c, const struct spec *spec)
{
    const struct run_options *o = c->options;
    return spec ? spec->entries[0].output_dir : o->out;
}

bool results_can_be_written(const struct context *c, const struct spec *spec, struct error *err)
{
    const struct run_options *o = c->options;
    const char *dir = folder_of(c, spec);
    if (dir && !(os_make_dirs(dir, err) && os_can_write(dir, err)))
        return error_wrap(err, "writing results to '%s'", dir);
    const char *file;
    for (size_t i = 0; (file = report_file(o, i, c->arena)); i++) {
        const char *slash = strrchr(file, '/');
        struct str above = slash ? (struct str){file, (size_t)(slash - file) + 1} : S(".");
        if (str_starts(above, S(REPORTS "/")) && !os_make_dirs(REPORTS, err)) return false;
        if (!reporter_of(file, err)) return false;
        if (!os_can_write(str_cstr(c->arena, above), err))
            return error_wrap(err, "writing '%s'", file);
    }
    return true;
}

/* A suite on one screen; `show` has the rest. Of several files each is a run, and `latest` will
 * be the last. */
static bool print(const struct context *c, struct store *store, const struct view *view)
{
    bool is_one = run_options_is_one_liner(c) || c->arg_count < 2;
    const char *run = is_one ? "latest" : id_short(view->run.id);
    if (view->suite_count > 0) return stored_outcome(c, store, view, run, true) == EXIT_DONE;
    struct buf b;
    buf_init(&b, REPORT_MAX_BYTES);
    reporter_find(S("text"))->write(
        view, &(struct report_options){.color = c->color, .width = stored_width(c->out)}, &b);
    fwrite(b.p ? b.p : "", 1, b.n, c->out);
    fflush(c->out);
    buf_release(&b);
    return true;
}

bool results_show(const struct context *c, struct store *store, const struct spec *spec,
                  const char *run_id, size_t *claims_failing, struct error *err)
{
    const struct run_options *o = c->options;
    const char *dir = folder_of(c, spec);
    bool is_printed = !c->json;
    if (!is_printed && !dir && o->reports.count == 0 && !has_claims(spec)) return true;
    struct view *view = NULL;
    if (!view_load(store, run_id, c->arena, &view, err) ||
        !summary_complete(store, view, c->arena, err))
        return false;
    *claims_failing = view->claims ? view->claims->failing : 0;
    if (is_printed && !print(c, store, view))
        return error_set(err, ERROR_FAILED, "the run is stored, but could not be shown");
    if (dir) {
        const char *folder = NULL;
        if (!report_write_folder(view, dir, c->arena, &folder, err)) return false;
        if (!c->quiet) fprintf(stderr, "wrote %s/\n", folder);
    }
    const char *file;
    for (size_t i = 0; (file = report_file(o, i, c->arena)); i++) {
        if (!write_report(c, store, view, file, err)) return false;
    }
    return true;
}

int results_judge(const struct context *c, struct store *store, const char *run_id,
                  size_t claims_failing)
{
    const struct run_options *o = c->options;
    struct error err = {0};
    enum exit_code reached = EXIT_DONE;
    bool exceeded = false;
    if (!allowance_check(c, store, run_id, &exceeded, &err)) return command_fail(&err);
    if (exceeded || claims_failing > 0) return EXIT_FAILED;
    if (options_has(c, "fail-under") &&
        !suite_store_reaches(c, store, run_id, o->fail_under, &reached, &err)) {
        return command_fail(&err);
    }
    return (int)reached;
}
