/* plain.h - text from outside, made fit for one line of a terminal or a log.
 *
 * Labels, errors and answers may hold anything. What could move a cursor, give a terminal
 * or a CI system orders or turn the direction of writing (control characters, those of C1
 * too, those of bidirectional text, and bytes that are not UTF-8) becomes '?', a tab or line
 * end a space; or, where it shall stay visible what there was, an escape like "\n". */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include "base/buf.h"

/* Terminal columns: two for wide characters, none for combining ones. */
size_t plain_columns(struct str s);

/* Adds at most `most` columns of it, the last an ellipsis where it was cut; returns the
 * columns added. */
size_t plain_add(struct buf *out, struct str s, size_t most);

/* The same for the labels of a table, cut in the middle: those of a sweep begin equally and
 * end in what distinguishes them, so a third of the room is for the beginning. */
size_t plain_add_ends(struct buf *out, struct str s, size_t most);

/* Columns of nothing; and the end of a line, which never ends in them. */
void plain_spaces(struct buf *out, size_t count);
void plain_end(struct buf *out);

/* Words up to the end of a line, wrapped between them at `width` columns; lines after the
 * first are indented, and "p = 0.002" counts as one word. The caller has written `column` columns of the first. */
void plain_wrap(struct buf *out, struct str words, size_t width, size_t column, size_t indent);

/* Nothing in it needs an escape. */
bool plain_is(struct str s);

/* All of it, with "\n", "\x1b" or "\u202e" for what is not fit to be shown. */
void plain_escape(struct buf *out, struct str s);

/* The same as a text; `text` itself where nothing needs an escape, NULL for NULL. Names are
 * read from stores and files of others through this, so that a name is one line in whatever
 * is printed. */
const char *plain_line(const char *text, struct arena *out);

/* The bytes of the character that `s` begins with if it is one beyond ASCII that is not fit
 * to be shown, else 0: for writers of pages, which escape ASCII in their own way. */
size_t plain_hidden(struct str s);

#endif
