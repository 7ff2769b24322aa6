#include "base/os.h"
#include "cli/stored.h"
#include "report/answer_reproduce.h"
#include "report/report.h"
#include "view/select.h"

struct show_options {
    const char *run;
    bool explain;
    bool reproduce;
    bool spec;
    bool brief;
};

static const struct param options[] = {
    {"explain", PARAM_BOOL, .offset = offsetof(struct show_options, explain), .letter = 'e',
     .help = "say for each number where it comes from"},
    {"reproduce", PARAM_BOOL, .offset = offsetof(struct show_options, reproduce), .letter = 'r',
     .help = "print the command, seed, commit and machine that reproduce it"},
    {"spec", PARAM_BOOL, .offset = offsetof(struct show_options, spec),
     .help = "print the spec as it was run"},
    {"brief", PARAM_BOOL, .offset = offsetof(struct show_options, brief), .letter = 'b',
     .help = "on one screen: who is best, by how much, how sure, what went wrong"},
};

static bool is_of_a_file(const struct run_record *run)
{
    return run->spec_path && run->spec_path[0] && run->spec_path[0] != '(';
}

static bool is_changed(const struct context *c, const struct run_record *run)
{
    struct str now;
    return is_of_a_file(run) &&
           !(os_read_file(run->spec_path, REPORT_MAX_BYTES, c->arena, &now, NULL) &&
             run->spec_text && str_is(now, run->spec_text));
}

static int print(const struct context *c, const struct view *view)
{
    const struct show_options *o = c->options;
    if (o->reproduce || (o->spec && c->json)) {
        const struct answer_reproduce a = {view, is_changed(c, &view->run)};
        return stored_answer(c, &answer_reproduce, &a);
    }
    struct buf out;
    buf_init(&out, REPORT_MAX_BYTES);
    struct report_options how = {
        .explain = o->explain, .color = c->color, .width = stored_width(c->out)};
    if (o->spec)
        buf_text(&out, view->run.spec_text);
    else
        reporter_find(c->json ? S("json") : S("text"))->write(view, &how, &out);
    int code = stored_print_raw(c, &out);
    buf_release(&out);
    return code;
}

static int show_brief(const struct context *c, const struct view *view, const char *selector)
{
    struct error err = {0};
    struct store *store = NULL;
    bool is_latest = strcmp(selector, "latest") == 0;
    if (!select_is_file(selector) && !stored_open(c, true, &store, &err))
        return command_fail(&err);
    const char *name = is_latest ? "latest" : id_short(view->run.id);
    int code = stored_outcome(c, store, view, name, false);
    store_close(store);
    return code;
}

static int run(struct context *c)
{
    struct error err = {0};
    const struct view *view = NULL;
    const struct show_options *o = c->options;
    bool done = stored_view(c, o->run, &view, &err);
    if (!done) return command_fail(&err);
    if (o->brief) return show_brief(c, view, o->run);
    if (!c->quiet && view->was_killed) {
        bool has_file = is_of_a_file(&view->run);
        fprintf(
            stderr, "assay: run %s was killed; `assay run %s%s--resume %s`%s continues it\n",
            id_short(view->run.id), has_file ? view->run.spec_path : "", has_file ? " " : "",
            id_short(view->run.id), has_file ? "" : " and the rest of its command");
    }
    return print(c, view);
}

const struct command command_show = {
    .name = "show",
    .summary = "shows a run: medians with intervals, comparisons, warnings",
    .usage = "[RUN | AGENT | FILE] [options]",
    .takes_runs = true,
    STORED_RUN(struct show_options, run),
    .examples = "assay show\n"
                "assay show latest --explain\n"
                "assay show latest --brief\n"
                "assay show latest --reproduce",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct show_options),
    .run = run,
};
