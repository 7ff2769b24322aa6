#include "api/site.h"
#include "base/os.h"
#include "cli/stored.h"
#include "cli/version.h"
#include "report/report.h"
#include "view/select.h"

struct report_arguments {
    const char *format;
    const char *out;
    bool explain;
    bool html;
    int answers;
    const char *site;
    int64_t runs;
};

/* In the order of enum report_answers. */
static const char *const answers[] = {"fit", "full", "short", "none", NULL};

static const struct param options[] = {
    {"format", PARAM_TEXT, .offset = offsetof(struct report_arguments, format), .letter = 'f',
     .argument = "text|json|csv|markdown|html", .help = "default: by the ending of the file"},
    {"out", PARAM_TEXT, .offset = offsetof(struct report_arguments, out), .letter = 'o',
     .argument = "FILE", .help = "write to a file instead of standard output"},
    {"explain", PARAM_BOOL, .offset = offsetof(struct report_arguments, explain), .letter = 'e',
     .help = "say for each number where it comes from (text and markdown)"},
    {"html", PARAM_BOOL, .offset = offsetof(struct report_arguments, html),
     .help = "one page that opens from disk, as --format html"},
    {"answers", PARAM_CHOICE, .offset = offsetof(struct report_arguments, answers),
     .choices = answers,
     .help = "of a page: whole answers while it stays below 3 MB (fit), all of them, the "
             "beginning of each, or none"},
    {"site", PARAM_TEXT, .offset = offsetof(struct report_arguments, site), .argument = "DIR",
     .help = "write the page of `assay serve` with its answers as files, to publish"},
    {"runs", PARAM_INT, .offset = offsetof(struct report_arguments, runs), .min = 1,
     .max = 100000, .fallback = "50", .help = "with --site: include the newest N runs"},
};

static bool choose(const struct context *c, const struct reporter **reporter, struct error *err)
{
    const struct report_arguments *o = c->options;
    const char *dot = o->out ? strrchr(o->out, '.') : NULL;
    bool has_ending = dot && dot[1] && !strchr(dot, '/');
    const char *name = o->format    ? o->format
                       : o->html    ? "html"
                       : c->json    ? "json"
                       : has_ending ? dot + 1
                                    : "text";
    *reporter = reporter_find(str_of(name));
    if (*reporter) return true;
    return error_set(err, ERROR_INVALID, "unknown format '%s'%s", name,
                     registry_hint(reporter_entry, str_of(name)).text);
}

static bool write_out(const struct context *c, const struct buf *text, struct error *err)
{
    const struct report_arguments *o = c->options;
    if (text->overflow) {
        return error_set(err, ERROR_FAILED, "the report would be larger than %d MB",
                         REPORT_MAX_BYTES >> 20);
    }
    if (o->out && strcmp(o->out, "-") != 0) {
        if (!os_write_file(o->out, buf_str(text), err)) return false;
        if (!c->quiet) fprintf(stderr, "wrote %s\n", o->out);
        return true;
    }
    fwrite(text->p ? text->p : "", 1, text->n, c->out);
    return true;
}

/* The whole store as a folder: no run is named, and no form. */
static int write_site(struct context *c)
{
    const struct report_arguments *o = c->options;
    struct store *store = NULL;
    struct site_counts n;
    struct error err = {0};
    if (c->arg_count || o->format || o->out || o->html || c->json) {
        return command_misused(c->command,
                               "--site writes the whole store: omit RUN, --format, --out, "
                               "--html and --json");
    }
    struct site_options how = {
        .folder = o->site, .runs = (size_t)o->runs, .assay_version = version_text};
    bool done = stored_open(c, true, &store, &err) && site_write(&how, store, &n, &err);
    store_close(store);
    if (!done) return command_fail(&err);
    if (!c->quiet) {
        fprintf(
            stderr,
            "wrote %s: answers %zu, runs %zu, agents %zu, suites %zu\n"
            "publish the folder, or look at it: python3 -m http.server -b 127.0.0.1 -d %s\n",
            o->site, n.answers, n.runs, n.agents, n.suites, o->site);
    }
    return EXIT_DONE;
}

static int run(struct context *c)
{
    if (((const struct report_arguments *)c->options)->site) return write_site(c);
    if (c->arg_count > 1) {
        return command_misused(c->command, "takes one run, got %zu", c->arg_count);
    }
    const struct report_arguments *o = c->options;
    struct error err = {0};
    const struct view *view = NULL;
    const struct reporter *reporter = NULL;
    const char *selector = c->arg_count ? c->args[0] : "latest";
    struct store *store = NULL;
    struct report_options how = {.explain = o->explain,
                                 .color = c->color && !o->out,
                                 .width = o->out ? 80 : stored_width(c->out),
                                 .answers = (enum report_answers)o->answers};
    bool done = choose(c, &reporter, &err) && stored_view(c, selector, &view, &err) &&
                (select_is_file(selector) || stored_open(c, true, &store, &err)) &&
                stored_complete(c, store, view, &how, &err);
    store_close(store);
    if (!done) return command_fail(&err);
    struct buf text;
    buf_init(&text, REPORT_MAX_BYTES);
    reporter->write(view, &how, &text);
    done = write_out(c, &text, &err);
    buf_release(&text);
    return done ? EXIT_DONE : command_fail(&err);
}

const struct command command_report = {
    .name = "report",
    .summary = "writes a run as text, JSON, CSV, Markdown or one HTML page, or all as a site",
    .usage = "[RUN | AGENT | FILE] [--format FORMAT] [--out FILE] | --site DIR [--runs N]",
    .takes_runs = true,
    .examples = "assay report --out report.html\n"
                "assay report latest --html --answers short --out small.html\n"
                "assay report latest --format csv --out samples.csv\n"
                "assay report --format markdown\n"
                "assay report --site public --runs 20",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct report_arguments),
    .run = run,
};
