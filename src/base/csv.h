/* csv.h - fields of comma-separated values (RFC 4180).
 *
 * A field in quotes may hold separators, newlines and, each written twice,
 * quotes. How rows end and what may stand around a field is the reader's
 * business: files differ in that. */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include "base/buf.h"

/* Takes the field in quotes that *rest begins with, and leaves *rest after its
 * closing quote. The field is a slice of the input, or a copy in `out` where
 * quotes had to be undone. False, with nothing taken, if it does not end. */
MUST_USE bool csv_take_quoted(struct str *rest, struct arena *out, struct str *field);

/* Writes a field, in quotes where it needs them; no separator. A text that a spreadsheet
 * would take for a formula (it begins with = + - @ and is not a number) gets an apostrophe
 * in front. */
void csv_put(struct buf *out, struct str field);

/* The same of a text that may come from others: what a terminal would obey is escaped
 * (plain.h). */
void csv_put_plain(struct buf *out, struct str field);

#endif
