/* levels.h - what `show` says of each metric of a run, for an exporter (interop/export.h). */
#ifndef VIEW_LEVELS_H
#define VIEW_LEVELS_H

#include "interop/export.h"

/* An export_levels_fn. Of a suite levels are over cases, as everywhere (view/units.h). The last
 * metric is UNITS_FAILURES. */
MUST_USE bool levels_of_run(struct store *store, const struct run_record *run,
                            struct arena *out, struct export_levels **list, size_t *count,
                            struct error *err);

#endif
