/* compare_runs.h - a comparison of runs as text and as JSON. */
#ifndef REPORT_ANSWER_COMPARE_H
#define REPORT_ANSWER_COMPARE_H

#include "base/buf.h"
#include "judge/compare.h"

void compare_runs_text(const struct compare *compare, struct arena scratch, struct buf *out);

/* {"schema": "assay.compare_runs/1", ...} */
void compare_runs_json(const struct compare *compare, const struct compare_how *how,
                       struct arena scratch, struct buf *out);

#endif
