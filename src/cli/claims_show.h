/* claims_show.h - the end of what `run` and `show` print: which claims hold. */
#ifndef CLI_CLAIMS_SHOW_H
#define CLI_CLAIMS_SHOW_H

#include "analysis/view.h"
#include "base/buf.h"

/* Decides the claims of a run, at 5 %, and appends them to `out` (NULL: only
 * decides). `failing` counts those that fail. */
MUST_USE bool claims_show(struct store *store, const struct view *view, struct arena *arena,
                          struct buf *out, size_t *failing, struct error *err);

#endif
