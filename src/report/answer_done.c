/* Short answers: a sentence for people, a few keys for programs. */
#include "report/answer_done.h"

#include "base/human.h"
#include "base/id.h"
#include "report/answers.h"

/* ---- version ---- */

#define OF struct answer_version
static const struct layout_field version_fields[] = {
    LAYOUT_FIELD("version", version, "of the program"),
};
static const struct layout version_layout = LAYOUT(version_fields);
#undef OF

static void version_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    (void)look;
    buf_printf(out, "assay %s\n", ((const struct answer_version *)answer)->version);
}

const struct answer answer_version = {
    ANSWER_NAME("version"),
    .summary = "which version this is",
    .layout = &version_layout,
    .text = version_text,
};

/* ---- init ---- */

#define OF struct answer_init
static const struct layout_field init_fields[] = {
    LAYOUT_FIELD("kind", kind, "of spec"),
    LAYOUT_FIELD("file", file, "that was written"),
};
static const struct layout init_layout = LAYOUT(init_fields);
#undef OF

static void init_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct answer_init *a = answer;
    if (!look->quiet) buf_printf(out, "wrote %s; run it: assay run %s\n", a->file, a->file);
}

const struct answer answer_init = {
    ANSWER_NAME("init"),
    .summary = "the spec that was written",
    .layout = &init_layout,
    .text = init_text,
};

/* ---- migrate ---- */

#define OF struct answer_migrate
static const struct layout_field migrate_fields[] = {
    LAYOUT_FIELD("store", store, "its address"),
    LAYOUT_FIELD("from", from, "version of its schema before"),
    LAYOUT_FIELD("to", to, "version of its schema now"),
};
static const struct layout migrate_layout = LAYOUT(migrate_fields);
#undef OF

static void migrate_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct answer_migrate *a = answer;
    if (look->quiet) return;
    buf_printf(out, a->from < a->to ? "%s: schema %d, now %d\n" : "%s: schema %d already\n",
               a->store, a->from, a->to);
}

const struct answer answer_migrate = {
    ANSWER_NAME("migrate"),
    .summary = "the schema that a store had and has",
    .layout = &migrate_layout,
    .text = migrate_text,
};

/* ---- export ---- */

#define OF struct answer_export
static const struct layout_field export_fields[] = {
    LAYOUT_FIELD("file", file, "that was written"),
    LAYOUT_FIELD("runs", runs, "in it"),
    LAYOUT_FIELD("bytes", bytes, "its size"),
};
static const struct layout export_layout = LAYOUT(export_fields);
#undef OF

static void export_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct answer_export *a = answer;
    if (look->quiet) return;
    buf_printf(out, "wrote %zu run%s to %s, %zu bytes\n", a->runs, PLURAL(a->runs), a->file,
               a->bytes);
}

const struct answer answer_export = {
    ANSWER_NAME("export"),
    .summary = "the file that runs were written to",
    .layout = &export_layout,
    .text = export_text,
};

/* ---- record ---- */

#define OF struct answer_record
static const struct layout_field record_fields[] = {
    LAYOUT_FIELD("records", records, "that were stored"),
    LAYOUT_FIELD("run", run, "that they are in; null with --file"),
    LAYOUT_FIELD("file", file, "that they are in"),
};
static const struct layout record_layout = LAYOUT(record_fields);
#undef OF

static void record_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct answer_record *a = answer;
    if (look->quiet) return;
    buf_printf(out, "recorded %zu execution%s in %s%s\n", a->records, PLURAL(a->records),
               a->run ? "run " : "", a->run ? id_short(a->run) : a->file);
}

const struct answer answer_record = {
    ANSWER_NAME("record"),
    .summary = "executions that were recorded",
    .layout = &record_layout,
    .text = record_text,
};

/* ---- rescore ---- */

#define OF struct answer_rescore
static const struct layout_field rescore_fields[] = {
    LAYOUT_FIELD("run_id", run_id, "the new run"),
    LAYOUT_FIELD("source", source, "the run whose answers they are"),
    LAYOUT_FIELD("cells", cells, "that were scored again"),
    LAYOUT_FIELD("trials", trials, "that were scored again"),
    LAYOUT_FIELD("changed", changed, "trials that have another score"),
};
static const struct layout rescore_layout = LAYOUT(rescore_fields);
#undef OF

static void rescore_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct answer_rescore *a = answer;
    if (look->quiet) return;
    buf_printf(out, "scored %zu answers of run %s again: %zu have another score\n", a->trials,
               id_short(a->source), a->changed);
}

const struct answer answer_rescore = {
    ANSWER_NAME("rescore"),
    .summary = "answers that were scored again",
    .layout = &rescore_layout,
    .text = rescore_text,
};

/* ---- import ---- */

#define OF struct answer_import
static const struct layout_field import_fields[] = {
    LAYOUT_FIELD("source", source, "the file"),
    LAYOUT_FIELD("format", format, "that it has"),
    LAYOUT_FIELD("run", run, "that it is in the store; null of a bundle"),
    LAYOUT_FIELD("new", is_new, "false: the same was stored before"),
    LAYOUT_FIELD("latest", is_latest, "it is what `latest` means now"),
    LAYOUT_FIELD("executions", executions, "in it"),
    LAYOUT_FIELD("trials", trials, "in it"),
    LAYOUT_FIELD("claimed", claimed, "executions that are summaries without samples"),
    LAYOUT_FIELD("histograms", histograms, "in the log"),
    LAYOUT_FIELD("total", total, "values in the histograms"),
    LAYOUT_FIELD("p999", p999, "their 99.9 % quantile, in the log's own unit"),
    LAYOUT_FIELD("max", max, "the largest of them"),
    LAYOUT_FIELD("runs", runs, "in the bundle"),
    LAYOUT_FIELD("added", added, "that are new here"),
    LAYOUT_FIELD("replaced", replaced, "that were not finished here"),
    LAYOUT_FIELD("in_future", in_future,
                 "runs whose start is to come: a clock is or was wrong"),
    LAYOUT_FIELD("kept", kept, "not finished here, with more trials than the bundle's"),
    LAYOUT_FIELD("marks", marks, "baselines and alarms that came with the bundle"),
};
static const struct layout import_layout = LAYOUT(import_fields);
#undef OF

static void put_bundle(const struct answer_import *a, struct buf *out)
{
    buf_printf(out, "%s: %.0f of %.0f run%s added, %.0f replaced, the rest were here\n",
               a->source, a->added, a->runs, PLURAL(a->runs), a->replaced);
    if (a->kept > 0) {
        buf_printf(out, "%.0f unfinished run%s kept: here %s more trials than the bundle\n",
                   a->kept, PLURAL(a->kept), a->kept == 1 ? "it has" : "they have");
    }
    if (a->marks > 0) {
        buf_printf(out,
                   "with %zu baseline%s or alarm%s, pinned or muted as the bundle has them; "
                   "--runs-only leaves them out\n",
                   a->marks, PLURAL(a->marks), PLURAL(a->marks));
    }
}

static void import_text(const void *answer, const struct answer_look *look, struct buf *out)
{
    const struct answer_import *a = answer;
    if (look->quiet) return;
    if (!a->run) {
        put_bundle(a, out);
    } else if (!a->is_new) {
        buf_printf(out, "%s: the same is stored already as run %s%s\n", a->source,
                   id_short(a->run), a->is_latest ? ", now the latest" : "");
    } else {
        buf_printf(out, "%s: %.0f benchmark%s with %.0f trial%s (%s) as run %s\n", a->source,
                   a->executions, PLURAL(a->executions), a->trials, PLURAL(a->trials),
                   a->format, id_short(a->run));
        if (a->claimed > 0) {
            buf_printf(out, "%.0f of them claimed: the source has summaries without samples\n",
                       a->claimed);
        }
    }
    if (a->run && !a->is_latest && !a->in_future) {
        buf_text(out, "! it is not the latest run: it is listed by its own date\n");
    }
    if (a->in_future > 0) {
        buf_printf(out, "! %zu run%s start%s in the future: a clock is or was wrong\n",
                   a->in_future, PLURAL(a->in_future), a->in_future == 1 ? "s" : "");
    }
}

const struct answer answer_import = {
    ANSWER_NAME("import"),
    .summary = "what was read from another tool's file, or a bundle",
    .layout = &import_layout,
    .text = import_text,
};
