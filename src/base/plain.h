/* plain.h - text from outside, made fit for one line of a terminal.
 *
 * Labels, errors and answers may hold anything. What could move a cursor or give a
 * terminal orders (control characters, those of C1 too, and bytes that are not UTF-8)
 * becomes '?', a tab or line end a space. */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include "base/buf.h"

/* Terminal columns, one for each code point: close enough for labels. */
size_t plain_columns(struct str s);

/* Adds at most `most` columns of it, the last an ellipsis where it was cut; returns the
 * columns added. */
size_t plain_add(struct buf *out, struct str s, size_t most);

/* The same for the labels of a table, cut in the middle: those of a sweep begin alike and
 * end in what tells them apart, so a third of the room is for the beginning. */
size_t plain_add_ends(struct buf *out, struct str s, size_t most);

#endif
