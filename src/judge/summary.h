/* summary.h - one run as reports show it: its results (view/view.h) with the arms
 * of each group compared and its claims decided. */
#ifndef JUDGE_SUMMARY_H
#define JUDGE_SUMMARY_H

#include "view/view.h"

/* Fills view->comparisons and view->claims. */
MUST_USE bool summary_complete(struct store *store, struct view *view, struct arena *out,
                               struct error *err);

#endif
