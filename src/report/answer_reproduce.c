/* What gives a run again: a shell script for people, its parts for programs. */
#include "report/answer_reproduce.h"

#include "base/plain.h"
#include "base/shell.h"
#include "report/answers.h"

#include <inttypes.h>

#define OF struct view
static const struct layout_field view_fields[] = {
    LAYOUT_FIELD("run", run.id, "the run"),
    LAYOUT_FIELD("command", run.command, "its words"),
    LAYOUT_FIELD("seed", run.seed, "of its random numbers"),
    LAYOUT_FIELD("assay_version", run.assay_version, "that carried it out"),
    LAYOUT_FIELD("spec_path", run.spec_path, "the file that it was read from"),
    LAYOUT_FIELD("spec_hash", run.spec_hash, "of the spec and the options"),
    LAYOUT_FIELD("spec", run.spec_text, "as it was run"),
    LAYOUT_FIELD("vcs", run.vcs, "commit, branch and more; or null"),
    LAYOUT_FIELD("environment", run.environment, "the machine"),
};
static const struct layout view_layout = LAYOUT(view_fields);
#undef OF

#define OF struct answer_reproduce
static const struct layout_field reproduce_fields[] = {LAYOUT_PART_OF(view, &view_layout)};
static const struct layout reproduce_layout = LAYOUT(reproduce_fields);
#undef OF

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
        shell_put_word(out, words->list.items[i]->source);
    }
    buf_add_char(out, '\n');
}

/* The recorded command names the spec's file, which may say something else by now. */
static void put_spec_as_run(struct buf *out, const struct answer_reproduce *a)
{
    const struct run_record *run = &a->view->run;
    if (a->is_changed) put_comment(out, "not here, or changed since", str_of(run->spec_path));
    buf_text(out, "# spec as run: assay show ");
    plain_add(out, str_of(run->id), UUID_SIZE);
    buf_text(out, " --spec\n");
}

/* A shell script: what cannot be a command is a comment. */
static void reproduce_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    (void)look;
    const struct answer_reproduce *a = answer;
    const struct run_record *run = &a->view->run;
    put_comment(out, "run", str_of(run->id));
    put_comment(out, "assay", str_of(run->assay_version));
    buf_printf(out, "# seed: %" PRId64 "\n", run->seed);
    put_machine(out, run->environment);
    struct run_vcs vcs = run_vcs(run);
    if (vcs.commit.n > 0) {
        if (vcs.is_dirty)
            buf_text(out, "# the working tree had changes that no commit holds\n");
        buf_text(out, "git checkout ");
        shell_put_word(out, vcs.commit);
        buf_add_char(out, '\n');
    }
    if (run->spec_hash && run->spec_text && run->spec_text[0]) {
        put_spec_as_run(out, a);
    }
    if (run->command)
        put_command(out, run->command);
    else
        buf_text(out, "# the command was not recorded\n");
}

const struct answer answer_reproduce = {
    ANSWER_NAME("reproduce"),
    .summary = "the command, spec, commit and machine that give a run again",
    .layout = &reproduce_layout,
    .text = reproduce_text,
};
