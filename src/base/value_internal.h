/* value_internal.h - what the files of base/value share. */
#ifndef BASE_VALUE_INTERNAL_H
#define BASE_VALUE_INTERNAL_H

#include "base/value.h"

/* Gives a text that stood unquoted in a file its kind. Fails for numbers that
 * are out of range or not finite. */
MUST_USE bool value_resolve(struct value *v, struct error *why);

#endif
