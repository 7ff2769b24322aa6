/* facts.h - parts of JSON that the report, the result files and the stream share. */
#ifndef REPORT_FACTS_H
#define REPORT_FACTS_H

#include "base/layout.h"
#include "view/view.h"

extern const struct layout facts_counts;  /* of struct trial_counts */
extern const struct layout facts_warmup;  /* of struct view_cell */
extern const struct layout facts_summary; /* of struct view_metric, without its samples */

/* Of struct view_cell. */
layout_put_fn facts_put_statuses;
layout_put_fn facts_put_notes;
layout_figure_fn facts_lanes;

#endif
