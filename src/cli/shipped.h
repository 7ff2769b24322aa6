/* shipped.h - the specs that come with assay, by name: `assay run sparse_memory`. */
#ifndef CLI_SHIPPED_H
#define CLI_SHIPPED_H

#include "base/arena.h"

/* The file of the shipped spec of that name, as installed (PREFIX/share/assay/specs) or in the
 * source tree that assay was built in; NULL if there is none. */
const char *shipped_spec(const char *name, struct arena *out);

#endif
