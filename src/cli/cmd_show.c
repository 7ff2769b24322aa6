#include "base/json.h"
#include "base/os.h"
#include "base/plain.h"
#include "cli/stored.h"
#include "report/report.h"

#include <inttypes.h>

struct show_options {
    bool explain;
    bool reproduce;
    bool spec;
};

static const struct param options[] = {
    {.name = "explain",
     .letter = 'e',
     .type = PARAM_BOOL,
     .offset = offsetof(struct show_options, explain),
     .help = "say for each number where it comes from"},
    {.name = "reproduce",
     .letter = 'r',
     .type = PARAM_BOOL,
     .offset = offsetof(struct show_options, reproduce),
     .help = "print the command, seed, commit and machine that give it again"},
    {.name = "spec",
     .type = PARAM_BOOL,
     .offset = offsetof(struct show_options, spec),
     .help = "print the spec as it was run"},
};

/* A comment stays one line whatever the text holds. */
static void put_comment(struct buf *out, const char *name, struct str text)
{
    if (text.n == 0) return;
    buf_printf(out, "# %s: ", name);
    plain_add(out, text, SIZE_MAX);
    buf_add_char(out, '\n');
}

static void put_machine(struct buf *out, const struct value *environment)
{
    static const char *const keys[] = {"hostname",  "os",       "cpu_model", "cpus",
                                       "memory_mb", "governor", "turbo",     "load_1m"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        const struct value *v = value_get(environment, keys[i]);
        if (!v || v->kind == VALUE_NULL) continue;
        if (v->kind == VALUE_TEXT) {
            put_comment(out, keys[i], v->source);
            continue;
        }
        struct json j;
        buf_printf(out, "# %s: ", keys[i]);
        json_init(&j, out, 0);
        json_value(&j, v);
        buf_add_char(out, '\n');
    }
}

/* The words of the recorded command, ours first. */
static void put_command(struct buf *out, const struct value *words)
{
    buf_text(out, "assay");
    for (size_t i = 1; i < words->list.count; i++) {
        if (words->list.items[i]->kind != VALUE_TEXT) continue;
        buf_add_char(out, ' ');
        stored_put_word(out, words->list.items[i]->source);
    }
    buf_add_char(out, '\n');
}

static bool is_of_a_file(const struct run_record *run)
{
    return run->spec_path && run->spec_path[0] && run->spec_path[0] != '(';
}

/* The recorded command names the spec's file, which may say something else by now. */
static void put_spec_as_run(struct buf *out, const struct run_record *run, struct arena *arena)
{
    struct str now;
    bool is_same = !is_of_a_file(run) ||
                   (os_read_file(run->spec_path, REPORT_MAX_BYTES, arena, &now, NULL) &&
                    str_is(now, run->spec_text));
    if (!is_same) {
        put_comment(out, "not here, or changed since", str_of(run->spec_path));
    }
    buf_text(out, "# spec as run: assay show ");
    plain_add(out, str_of(run->id), UUID_SIZE);
    buf_text(out, " --spec\n");
}

/* A shell script: what cannot be a command is a comment. */
static void put_reproduction(struct buf *out, const struct view *view, struct arena *arena)
{
    const struct run_record *run = &view->run;
    put_comment(out, "run", str_of(run->id));
    put_comment(out, "assay", str_of(run->assay_version));
    buf_printf(out, "# seed: %" PRId64 "\n", run->seed);
    put_machine(out, view->run.environment);
    struct run_vcs vcs = run_vcs(&view->run);
    if (vcs.commit.n > 0) {
        if (vcs.is_dirty) {
            buf_text(out, "# the working tree had changes that no commit holds\n");
        }
        buf_text(out, "git checkout ");
        stored_put_word(out, vcs.commit);
        buf_add_char(out, '\n');
    }
    if (run->spec_hash && run->spec_text && run->spec_text[0]) {
        put_spec_as_run(out, run, arena);
    }
    if (run->command) {
        put_command(out, run->command);
    } else {
        buf_text(out, "# the command was not recorded\n");
    }
}

static void put_reproduction_json(struct buf *out, const struct view *view)
{
    struct json j;
    json_open(&j, out, "assay.reproduce/1");
    json_put_text(&j, "run", view->run.id);
    json_put_value(&j, "command", view->run.command);
    json_put_int(&j, "seed", view->run.seed);
    json_put_text(&j, "assay_version", view->run.assay_version);
    json_put_text(&j, "spec_path", view->run.spec_path);
    json_put_text(&j, "spec_hash", view->run.spec_hash);
    json_put_text(&j, "spec", view->run.spec_text);
    json_put_value(&j, "vcs", view->run.vcs);
    json_put_value(&j, "environment", view->run.environment);
    json_close(&j);
}

static void put_view(const struct context *c, const struct view *view, struct buf *out)
{
    const struct show_options *o = c->options;
    if ((o->reproduce || o->spec) && c->json) {
        put_reproduction_json(out, view);
    } else if (o->spec) {
        buf_text(out, view->run.spec_text);
    } else if (o->reproduce) {
        put_reproduction(out, view, c->arena);
    } else {
        struct report_options how = {
            .explain = o->explain, .color = c->color, .width = stored_width(c->out)};
        reporter_find(c->json ? S("json") : S("text"))->write(view, &how, out);
    }
}

extern const struct command command_show;

static int run(struct context *c)
{
    if (c->arg_count > 1) {
        return command_misused(&command_show, "takes one run, got %zu", c->arg_count);
    }
    struct error err = {0};
    const struct view *view = NULL;
    bool done = stored_view(c, c->arg_count ? c->args[0] : "latest", &view, &err);
    struct buf out;
    buf_init(&out, REPORT_MAX_BYTES);
    if (done) put_view(c, view, &out);
    if (done && !c->quiet && view->was_killed) {
        bool has_file = is_of_a_file(&view->run);
        fprintf(stderr,
                "assay: run %s was killed; `assay run %s%s--resume %s`%s goes on with "
                "it\n",
                id_short(view->run.id), has_file ? view->run.spec_path : "",
                has_file ? " " : "", id_short(view->run.id),
                has_file ? "" : " and the rest of its command");
    }
    int code = done ? stored_print_raw(c, &out) : command_fail(&err);
    buf_release(&out);
    return code;
}

const struct command command_show = {
    .name = "show",
    .summary = "shows a run: medians with intervals, comparisons, warnings",
    .usage = "[RUN | AGENT | FILE] [options]",
    .examples = "assay show\n"
                "assay show latest --explain\n"
                "assay show latest --reproduce",
    .params = {options, COUNT(options)},
    .config_size = sizeof(struct show_options),
    .run = run,
};
