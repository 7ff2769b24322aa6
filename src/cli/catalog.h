/* catalog.h - every row of every registry.
 *
 * What `assay describe`, the reference page and completion are made from: a new
 * experiment or command is in all of them without an edit. */
#ifndef CLI_CATALOG_H
#define CLI_CATALOG_H

#include "base/registry.h"

struct catalog_kind {
    const char *name; /* "experiment" */
    const char *plural;
    const char *purpose; /* what such a thing is for */
    registry_entry_at *at;
    bool is_command; /* rows are struct command, params their options */
};

const struct catalog_kind *catalog_at(size_t i); /* NULL past the end */

/* Whether this machine can do it, with default settings; the reason in `err` if not. */
bool catalog_available(const struct registry_entry *entry, struct arena *scratch,
                       struct error *err);

#endif
