#include "base/os.h"
#include "cli/stored.h"
#include "report/report.h"

struct report_arguments {
    const char *format;
    const char *out;
    bool explain;
};

static const struct param options[] = {
    {"format", PARAM_TEXT, .offset = offsetof(struct report_arguments, format), .letter = 'f',
     .argument = "text|json|csv|markdown|html", .help = "without it the file's ending decides"},
    {"out", PARAM_TEXT, .offset = offsetof(struct report_arguments, out), .letter = 'o',
     .argument = "FILE", .help = "write to a file instead of standard output"},
    {"explain", PARAM_BOOL, .offset = offsetof(struct report_arguments, explain), .letter = 'e',
     .help = "say for each number where it comes from (text and markdown)"},
};

static bool choose(const struct context *c, const struct reporter **reporter, struct error *err)
{
    const struct report_arguments *o = c->options;
    const char *dot = o->out ? strrchr(o->out, '.') : NULL;
    bool has_ending = dot && dot[1] && !strchr(dot, '/');
    const char *name = o->format ? o->format : c->json ? "json" : has_ending ? dot + 1 : "text";
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

extern const struct command command_report;

static int run(struct context *c)
{
    if (c->arg_count > 1) {
        return command_misused(&command_report, "takes one run, got %zu", c->arg_count);
    }
    const struct report_arguments *o = c->options;
    struct error err = {0};
    const struct view *view = NULL;
    const struct reporter *reporter = NULL;
    const char *selector = c->arg_count ? c->args[0] : "latest";
    bool done = choose(c, &reporter, &err) && stored_view(c, selector, &view, &err);
    if (!done) return command_fail(&err);
    struct report_options how = {.explain = o->explain,
                                 .color = c->color && !o->out,
                                 .width = o->out ? 80 : stored_width(c->out)};
    struct buf text;
    buf_init(&text, REPORT_MAX_BYTES);
    reporter->write(view, &how, &text);
    done = write_out(c, &text, &err);
    buf_release(&text);
    return done ? EXIT_DONE : command_fail(&err);
}

const struct command command_report = {
    .name = "report",
    .summary = "writes a run as text, JSON, CSV, Markdown or one HTML page",
    .usage = "[RUN | AGENT | FILE] [--format FORMAT] [--out FILE]",
    .examples = "assay report --out report.html\n"
                "assay report latest --format csv --out samples.csv\n"
                "assay report --format markdown",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct report_arguments),
    .run = run,
};
