/* suite_section.h - the part of reports that is about suites: the five scores of each
 * benchmark and agent, and the cases that were not passed. Each writes nothing
 * if the run has none. */
#ifndef REPORT_SUITE_SECTION_H
#define REPORT_SUITE_SECTION_H

#include "base/layout.h"
#include "report/format_html.h"
#include "report/report.h"

void suite_text(const struct view *view, bool color, size_t width, struct buf *out);
void suite_markdown(const struct view *view, struct buf *out);
void suite_html(struct page *p);

/* The scores of one cell, of struct suite_view. */
extern const struct layout suite_layout;

#endif
