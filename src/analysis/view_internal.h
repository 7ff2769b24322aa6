/* view_internal.h - the steps of view_load, one file each. */
#ifndef ANALYSIS_VIEW_INTERNAL_H
#define ANALYSIS_VIEW_INTERNAL_H

#include "analysis/view.h"

/* Works out everything about one metric from its samples. */
void view_summarise(struct view_metric *m, const struct series_record *series,
                    struct arena *out);

/* Adds a sentence to the warnings of a metric. */
void view_warn(struct view_metric *m, struct arena *out, const char *fmt, ...) PRINTF(3, 4);

/* Fill comparisons and effects from the cells. */
void view_compare(struct view *view, struct arena *out);
void view_relate(struct view *view, struct arena *out);

#endif
