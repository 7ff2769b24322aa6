/* declared.h - the kind of stored values.
 *
 * It is stored with them. Rows of older stores and bundles say nothing: theirs is what the
 * experiments and instruments of this program declare for the same metric, else guessed from
 * the values themselves. */
#ifndef EXPERIMENT_DECLARED_H
#define EXPERIMENT_DECLARED_H

#include "model/record.h"

/* By name and definition, in the tables of all experiments and instruments; KIND_UNSAID if
 * none has it. */
enum kind declared_kind(const char *name, const char *definition);

enum kind declared_kind_of(const struct series_record *series);

#endif
