/* pointer.h - JSON pointers (RFC 6901): "/choices/0/message/content".
 *
 * "" is the whole; ~1 stands for a slash and ~0 for a tilde in a key. */
#ifndef BASE_POINTER_H
#define BASE_POINTER_H

#include "base/value.h"

/* NULL if there is nothing there. */
const struct value *pointer_find(const struct value *root, struct str pointer);

/* Whether a text is a pointer at all: the reason if not. */
MUST_USE bool pointer_check(struct str pointer, struct error *err);

#endif
