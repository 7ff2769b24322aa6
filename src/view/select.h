/* select.h - which runs a selector means.
 *
 *     latest, latest~2   the newest run, the second before it
 *     0193f3c2           a run by its id or a unique beginning of it
 *     branch:main        every run made on that branch
 *     tag:nightly        every run with that tag
 *     gpt, gpt@1.2       every run of that agent (of that version)           */
#ifndef VIEW_SELECT_H
#define VIEW_SELECT_H

#include "store/store.h"

/* Newest first, at least one; ERROR_NOT_FOUND if there is none. */
MUST_USE bool select_runs(struct store *store, const char *selector, struct arena *out,
                          struct run_record **runs, size_t *count, struct error *err);

/* branch: or tag:, which are no names of one run. */
bool select_is_query(struct str selector);

/* What any of the selectors means, each run once; all runs without a selector. */
MUST_USE bool select_all(struct store *store, const char *const *selectors,
                         size_t selector_count, int64_t since_ns, struct arena *out,
                         struct run_record **runs, size_t *count, struct error *err);

/* The branch that a run was made on; empty if it is not known. */
struct str select_branch(const struct run_record *run, struct arena *out);

#endif
