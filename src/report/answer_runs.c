/* Runs as lines: `list`, `forget` and `prune`. */
#include "report/answer_runs.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/plain.h"
#include "base/value.h"
#include "report/answers.h"

enum { ID_COLUMNS = 12 }; /* of id_short */

/* ---- list ---- */

LAYOUT_CALL_IS(put_disturbed, json_bool, const struct listed_run *x,
               note_has(&x->run.notes, NOTE_DISTURBED))

#define OF struct listed_run
static const struct layout_field run_fields[] = {
    LAYOUT_FIELD("id", run.id, "the run"),
    LAYOUT_FIELD("status", status, "killed: running, but its process is gone"),
    LAYOUT_STAMP("started", run.started_ns, "when it began"),
    LAYOUT_STAMP("ended", run.ended_ns, "when it ended"),
    LAYOUT_FIELD("spec_path", run.spec_path, "the file that it was read from"),
    LAYOUT_FIELD("subject", subject,
                 "what people call it: its spec's file, a one-liner's command or name, what an "
                 "import is of"),
    LAYOUT_FIELD("experiment", experiment, "of its first cell"),
    LAYOUT_FIELD("suite", suite, "its name; null: none"),
    LAYOUT_FIELD("cells", cells, "how many it has"),
    LAYOUT_FIELD("seed", run.seed, "of its random numbers"),
    LAYOUT_FIELD("commit", commit, "null: not known"),
    LAYOUT_FIELD("version", version, "the commit, short, with uncommitted changes"),
    LAYOUT_FIELD("tags", run.tags, "a list of texts"),
    LAYOUT_FIELD("in_future", is_in_future, "its start is to come: a clock is or was wrong"),
    LAYOUT_CALL("disturbed", put_disturbed, "boolean", "other work took too much of its CPUs"),
    LAYOUT_FIELD("notes", notes, "what was said about it"),
};
static const struct layout run_layout = LAYOUT_OF(OF, run_fields);
#undef OF

#define OF struct answer_runs
static const struct layout_field list_fields[] = {
    LAYOUT_LIST("runs", runs, count, &run_layout, "newest first"),
};
static const struct layout list_layout = LAYOUT(list_fields);
#undef OF

static void put_tags(struct buf *out, const struct value *tags)
{
    for (size_t i = 0; tags && i < tags->list.count; i++) {
        if (tags->list.items[i]->kind != VALUE_TEXT) continue;
        buf_text(out, i ? ", " : "  [");
        plain_escape(out, tags->list.items[i]->source);
        if (i + 1 == tags->list.count) buf_add_char(out, ']');
    }
}

static void put_start(struct buf *out, const struct listed_run *r)
{
    char stamp[CLOCK_STAMP_SIZE];
    clock_stamp(r->run.started_ns, stamp);
    buf_printf(out, "%-*s  %.10s %.5s  ", ID_COLUMNS, id_short(r->run.id), stamp, stamp + 11);
}

static void list_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct answer_runs *a = answer;
    if (!look->quiet && a->count > 0) {
        buf_printf(out, "%-*s  %-16s  %-9s %5s  %s\n", ID_COLUMNS, "run", "started (UTC)",
                   "status", "cells", "spec");
    }
    for (size_t i = 0; i < a->count; i++) {
        const struct listed_run *r = &a->runs[i];
        put_start(out, r);
        buf_printf(out, "%-9s %5zu  %s", r->run.status == RUN_SUCCESS ? "finished" : r->status,
                   r->cells, r->subject);
        if (r->version) buf_printf(out, "  commit %s", r->version);
        put_tags(out, r->run.tags);
        if (r->is_in_future) buf_text(out, "  ! starts in the future: a clock is or was wrong");
        buf_add_char(out, '\n');
    }
    if (a->count == 0 && !look->quiet) buf_text(out, "no runs\n");
}

const struct answer answer_list = {
    ANSWER_NAME("list"),
    .summary = "the runs of the store",
    .layout = &list_layout,
    .text = list_text,
};

/* ---- forget, prune ---- */

static void put_ids(struct json *j, const void *owner, const void *whole)
{
    (void)whole;
    const struct answer_runs *a = owner;
    json_list(j);
    for (size_t i = 0; i < a->count; i++) json_text(j, a->runs[i].run.id);
    json_end(j);
}

static void put_lines(struct buf *out, const char *verb, const struct listed_run *runs,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "%s ", verb);
        put_start(out, &runs[i]);
        buf_printf(out, "%s\n", runs[i].subject);
    }
}

static void forget_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct answer_runs *a = answer;
    if (!look->quiet) put_lines(out, "forgot", a->runs, a->count);
}

static const struct layout_field forget_fields[] = {
    LAYOUT_CALL("forgotten", put_ids, "array", "ids of the runs"),
};
static const struct layout forget_layout = LAYOUT(forget_fields);

const struct answer answer_forget = {
    ANSWER_NAME("forget"),
    .summary = "the runs that were removed",
    .layout = &forget_layout,
    .text = forget_text,
};

static void put_pruned(struct json *j, const void *owner, const void *whole)
{
    const struct answer_prune *p = owner;
    put_ids(j, &(struct answer_runs){p->runs, p->count}, whole);
}

#define OF struct answer_prune
static const struct layout_field prune_fields[] = {
    LAYOUT_CALL("forgotten", put_pruned, "array", "ids of the runs"),
    LAYOUT_FIELD("kept", kept, "how many are left"),
    LAYOUT_FIELD("dry_run", is_dry_run, "nothing was removed"),
    LAYOUT_FIELD("pinned", pinned, "of the kept: spared as baselines"),
    LAYOUT_FIELD("alive", alive, "of the kept: spared because they are still running"),
};
static const struct layout prune_layout = LAYOUT(prune_fields);
#undef OF

static void prune_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct answer_prune *p = answer;
    if (look->quiet) return;
    put_lines(out, p->is_dry_run ? "would forget" : "forgot", p->runs, p->count);
    buf_printf(out, "%zu %s, %zu kept", p->count,
               p->is_dry_run ? "would be forgotten" : "forgotten", p->kept);
    if (p->pinned > 0) buf_printf(out, ", %zu of them as baselines", p->pinned);
    if (p->alive > 0) buf_printf(out, ", %zu of them because they are still running", p->alive);
    buf_add_char(out, '\n');
}

const struct answer answer_prune = {
    ANSWER_NAME("prune"),
    .summary = "the old runs that were removed",
    .layout = &prune_layout,
    .text = prune_text,
};
