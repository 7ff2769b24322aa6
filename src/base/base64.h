/* base64.h - bytes as text (RFC 4648, section 4, with padding). */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/buf.h"

void base64_add(struct buf *out, const void *bytes, size_t n);

/* Strict: no spaces, padding in its place, no stray bits. `out` has room for
 * text.n / 4 * 3 bytes. */
MUST_USE bool base64_decode(struct str text, unsigned char *out, size_t *n);

#endif
