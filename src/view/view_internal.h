/* view_internal.h - the steps of view_load, one file each. */
#ifndef VIEW_VIEW_INTERNAL_H
#define VIEW_VIEW_INTERNAL_H

#include "view/view.h"

/* Everything of a cell that follows from its record, its notes and its series. */
void view_fill(struct view_cell *cell, const struct series_record *series, size_t count,
               struct arena *out);

/* A metric with its samples, of which nothing is worked out. */
struct view_metric view_name_metric(const struct series_record *series);

/* Works out everything about one metric from its samples. */
void view_summarise(struct view_metric *m, const struct series_record *series,
                    struct arena *out);

/* Adds a sentence to the warnings of a metric. */
void view_warn(struct view_metric *m, struct arena *out, const char *fmt, ...) PRINTF(3, 4);

/* Adds the metric memory_growth_mb to a cell that kept one process over many
 * cases: how much more it holds, per 1000 cases. */
void view_grow(struct view_cell *cell, struct arena *out);

/* Fills histograms and merged. */
MUST_USE bool view_take_histograms(struct store *store, struct view_cell *cell,
                                   struct arena *out, struct error *err);

/* What heads each metric, once trials and notes are there. */
void view_centre(struct view_cell *cell, struct arena *out);

/* Fills effects from the cells. */
void view_relate(struct view *view, struct arena *out);

#endif
