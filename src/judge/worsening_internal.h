/* worsening_internal.h - what the worsening*.c files share.
 *
 *   worsening.c       values of all runs together
 *   worsening_runs.c  each run counted once */
#ifndef JUDGE_WORSENING_INTERNAL_H
#define JUDGE_WORSENING_INTERNAL_H

#include "judge/worsening.h"
#include "view/units.h"

/* All values of each side, runs moved to the mean of their side's medians: what is
 * left is noise within runs. Else the shifts between them would be taken for memory
 * of the series, once more than they count below. */
void worsening_level_runs(const struct units *runs, const size_t count[2], struct units all[2],
                          struct arena *out);

/* `runs`: those of the baseline, then the current ones; written over. */
void worsening_widen_by_units(struct worsening *w, struct units *runs, const size_t count[2],
                              bool are_shared, double sign, double limit, double alpha,
                              struct arena *out);

#endif
