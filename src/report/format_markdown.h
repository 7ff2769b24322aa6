/* format_markdown.h - pieces of Markdown that the reporter and result folders share. */
#ifndef REPORT_FORMAT_MARKDOWN_H
#define REPORT_FORMAT_MARKDOWN_H

#include "report/phrase.h"
#include "report/plot.h"
#include "report/report.h"

/* Text that Markdown takes as it stands, also inside a table. */
void markdown_text(struct buf *out, struct str s);
#define markdown_say(out, ...) phrase_say((out), markdown_text, __VA_ARGS__)

/* As text, each in a fence. */
void markdown_plots(struct plot_list plots, struct buf *out);

void markdown_cells(const struct view *view, struct buf *out);       /* the summary table */
void markdown_comparisons(const struct view *view, struct buf *out); /* nothing if none */
void markdown_effects(const struct view *view, struct buf *out);     /* nothing if none */

#endif
