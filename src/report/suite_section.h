/* suite.h - the part of reports that is about suites: the five scores of each
 * benchmark and agent, and the cases that were not passed. Each writes nothing
 * if the run has none. */
#ifndef REPORT_SUITE_SECTION_H
#define REPORT_SUITE_SECTION_H

#include "base/json.h"
#include "report/format_html.h"
#include "report/report.h"

void suite_text(const struct view *view, bool color, size_t width, struct buf *out);
void suite_markdown(const struct view *view, struct buf *out);
void suite_html(struct page *p);

/* The key "scores" of one cell, where it has any. */
void suite_json(struct json *j, const struct view *view, size_t cell);

#endif
