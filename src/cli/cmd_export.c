#include "base/os.h"
#include "cli/stored.h"
#include "cli/version.h"
#include "interop/bundle.h"
#include "interop/export.h"
#include "report/answer_done.h"
#include "view/levels.h"
#include "view/select.h"

#define FORMATS "csv|jsonl|bencher|hyperfine|pytest_benchmark|hlog|answers"

struct export_options {
    const char *format;
    const char *bundle;
    const char *out;
    struct param_texts baseline;
    int64_t since_ns;
    const char *agent;
};

static const struct param options[] = {
    {"format", PARAM_TEXT, .offset = offsetof(struct export_options, format), .letter = 'f',
     .argument = FORMATS, .help = "without it the ending of --out decides, else csv"},
    {"bundle", PARAM_TEXT, .offset = offsetof(struct export_options, bundle), .letter = 'b',
     .argument = "FILE", .help = "write all data of the runs to a file for `assay import`"},
    {"out", PARAM_TEXT, .offset = offsetof(struct export_options, out), .letter = 'o',
     .argument = "FILE", .help = "write to a file instead of standard output"},
    {"baseline", PARAM_TEXT_LIST, .offset = offsetof(struct export_options, baseline),
     .argument = "SELECTOR",
     .help = "these runs too: branch:main, tag:good, agent@1.2; may be repeated"},
    {"since", PARAM_MOMENT, .offset = offsetof(struct export_options, since_ns),
     .help = "only runs since then: 7d, 12h, or 2026-11-15"},
    {"agent", PARAM_TEXT, .offset = offsetof(struct export_options, agent), .letter = 'a',
     .argument = "NAME", .help = "only executions of this agent (name, id or name@version)"},
};

static const struct exporter *choose(const struct context *c, struct error *err)
{
    const struct export_options *o = c->options;
    const char *dot = o->out ? strrchr(o->out, '.') : NULL;
    const char *name = o->format ? o->format : c->json ? "jsonl" : dot ? dot + 1 : "csv";
    const struct exporter *found = exporter_find(str_of(name));
    if (found) return found;
    if (!o->format) return exporter_find(S("csv"));
    error_set(err, ERROR_INVALID, "unknown format '%s'%s", name,
              registry_hint(exporter_entry, str_of(name)).text);
    return NULL;
}

static bool select_them(const struct context *c, struct store *store, bool is_latest,
                        struct run_record **runs, size_t *count, struct error *err)
{
    const struct export_options *o = c->options;
    size_t n = 0;
    const char **selectors =
        arena_new(c->arena, const char *, c->arg_count + o->baseline.count + 1);
    for (size_t i = 0; i < c->arg_count; i++) selectors[n++] = c->args[i];
    for (size_t i = 0; i < o->baseline.count; i++) selectors[n++] = o->baseline.items[i];
    if (n == 0 && is_latest) selectors[n++] = "latest";
    return select_all(store, selectors, n, o->since_ns, c->arena, runs, count, err);
}

static bool write_out(const struct context *c, const char *path, const struct buf *text,
                      struct error *err)
{
    if (path && strcmp(path, "-") != 0) return os_write_file(path, buf_str(text), err);
    fwrite(text->p ? text->p : "", 1, text->n, c->out);
    return true;
}

static int run(struct context *c)
{
    const struct export_options *o = c->options;
    if (o->bundle && (o->format || o->out || o->agent)) {
        return command_misused(c->command,
                               "--bundle takes neither --format nor --out nor --agent");
    }
    struct error err = {0};
    struct store *store = NULL;
    struct run_record *runs = NULL;
    size_t count = 0;
    const struct exporter *exporter = o->bundle ? NULL : choose(c, &err);
    if (!o->bundle && !exporter) return command_fail(&err);
    struct buf out;
    buf_init(&out, BUNDLE_MAX_BYTES);
    bool done = stored_open(c, true, &store, &err) &&
                select_them(c, store, exporter && exporter->is_latest, &runs, &count, &err);
    if (done && o->bundle) done = bundle_write(store, runs, count, version_text, &out, &err);
    struct agent_ref agent;
    if (done && o->agent) done = select_any_ref(store, o->agent, c->arena, &agent, &err);
    const struct export_what what = {runs, count, o->agent ? &agent : NULL, levels_of_run};
    if (done && exporter) done = export_write(exporter, store, &what, &out, &err);
    store_close(store);
    const char *path = o->bundle ? o->bundle : o->out;
    done = done && write_out(c, path, &out, &err);
    const struct answer_export a = {path, count, out.n};
    buf_release(&out);
    if (!done) return command_fail(&err);
    bool is_file = path && strcmp(path, "-") != 0;
    return is_file && !c->quiet ? stored_tell(c, &answer_export, &a) : EXIT_DONE;
}

const struct command command_export = {
    .name = "export",
    .summary = "writes stored runs for other tools, or as a bundle for another store",
    .usage = "[RUN...] [--format FORMAT] [--out FILE] | --bundle FILE",
    .takes_runs = true,
    .examples = "assay export latest --format bencher\n"
                "assay export latest --format answers --agent bc --out answers.jsonl\n"
                "assay export --since 30d --out samples.csv\n"
                "assay export --bundle history.assay --baseline branch:main",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct export_options),
    .run = run,
};
