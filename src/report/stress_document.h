/* stress_document.h - a stress test as a document: Markdown for a pull request, or one HTML
 * page with its pictures, which loads nothing from anywhere. */
#ifndef REPORT_STRESS_DOCUMENT_H
#define REPORT_STRESS_DOCUMENT_H

#include "judge/stress.h"
#include "report/plot.h"

/* `answer` is a struct stress: formats of answer_stress. */
void stress_document_markdown(const void *answer, struct buf *out);
void stress_document_html(const void *answer, struct buf *out);

#endif
