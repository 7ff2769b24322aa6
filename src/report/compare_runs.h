/* compare_runs.h - a comparison of runs as text and as JSON. */
#ifndef REPORT_COMPARE_RUNS_H
#define REPORT_COMPARE_RUNS_H

#include "analysis/compare.h"
#include "base/buf.h"

void compare_runs_text(const struct compare *compare, struct arena scratch, struct buf *out);

/* {"schema": "assay.compare_runs/1", ...} */
void compare_runs_json(const struct compare *compare, const struct compare_how *how,
                       struct buf *out);

#endif
