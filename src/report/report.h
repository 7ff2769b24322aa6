/* report.h - a run as text, JSON, CSV, Markdown or HTML: the contract.
 *
 * A reporter turns a view into bytes. It computes nothing, opens nothing and
 * prints nothing.
 *
 * To add one: write src/report/format_<name>.c ending in `const struct reporter
 * reporter_<name>`, and name it in the list in report_registry.c. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/buf.h"
#include "base/registry.h"
#include "view/view.h"

struct outcome;
struct casebook;

/* How much of the answers a page holds. */
enum report_answers {
    REPORT_ANSWERS_FIT,   /* all, while the page stays below REPORT_PAGE_BYTES */
    REPORT_ANSWERS_FULL,  /* all */
    REPORT_ANSWERS_SHORT, /* the beginning of each */
    REPORT_ANSWERS_NONE,  /* whether they are right */
};

struct report_options {
    bool explain; /* say for each number where it comes from */
    bool color;   /* terminal colours; text only */
    int width;    /* columns of the terminal; 0 = 80 */
    /* What the run shows, and what was answered; NULL: not known (a file). */
    const struct outcome *outcome;
    const struct casebook *book;
    enum report_answers answers; /* html */
};

struct reporter {
    REGISTRY_ENTRY; /* alias: the ending of files, where it is not the name */
    void (*write)(const struct view *view, const struct report_options *options,
                  struct buf *out);
};

REGISTRY(struct reporter, reporter)

enum { REPORT_MAX_BYTES = 64 << 20, REPORT_PAGE_BYTES = 2900 << 10 };

/* One cell in the AgentFarm result format: its 12 keys, and ours under
 * "assay"; schema "assay.result/1". */
void report_write_result(const struct view *view, const struct view_cell *cell,
                         struct buf *out);

/* Writes <dir>/<experiment>_<stamp>_<run>/: one result JSON per cell, spec as
 * run, README.md, artifacts, and for a sweep SUMMARY.md. `folder` gets the
 * path. */
MUST_USE bool report_write_folder(const struct view *view, const char *dir, struct arena *out,
                                  const char **folder, struct error *err);

#endif
