/* generic.h - what the generic importers share: rows of named values, of which some
 * are metrics, one may name the benchmark, one may be the time. */
#ifndef INTEROP_GENERIC_H
#define INTEROP_GENERIC_H

#include "interop/import.h"

struct generic_field {
    struct str name;
    struct str text;
    double number; /* NaN if it is none */
};

/* One row into the cell it belongs to. */
MUST_USE bool generic_row(struct imported *in, const struct import_options *options,
                          const struct generic_field *fields, size_t count, struct error *err);

/* After the last row: starts count from the first. Fails if no row had a number,
 * or a column that was asked for was in none. */
MUST_USE bool generic_end(struct imported *in, const struct import_options *options,
                          struct error *err);

#endif
