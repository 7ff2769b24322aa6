/* case_notes.h - the measured trials of an execution by case.
 *
 * Sorted once and found by halves: a suite may have as many cases as trials, and looking through
 * all of them for each would take the square of their number. */
#ifndef VIEW_CASE_NOTES_H
#define VIEW_CASE_NOTES_H

#include "model/record.h"

struct case_notes {
    const struct trial_note **items; /* those to a case next to each other, by trial */
    size_t count;
};

/* Notes without a case, and of other phases, are left out. The list is in `out`, and points
 * into `notes`. */
struct case_notes case_notes_sort(const struct trial_note *notes, size_t count,
                                  struct arena *out);

/* Those of one case; a count of 0 if it was not tried. */
struct case_notes case_notes_of(const struct case_notes *all, const char *hash);

/* The same, where cases are asked for in the order of their hashes: `all` loses what has been
 * passed. */
struct case_notes case_notes_next(struct case_notes *all, const char *hash);

#endif
