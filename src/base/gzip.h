/* gzip.h - bytes made smaller (RFC 1952). The boundary to zlib for files. */
#ifndef BASE_GZIP_H
#define BASE_GZIP_H

#include "base/buf.h"
#include "base/error.h"

/* Without a name or a time: equal bytes give equal files. */
void gzip_pack(struct str bytes, struct buf *out);

bool gzip_is(struct str bytes);

/* The whole of all members (files that were joined, as by `cat a.gz b.gz`), nothing after them;
 * at most out->max bytes. */
MUST_USE bool gzip_unpack(struct str bytes, struct buf *out, struct error *err);

#endif
