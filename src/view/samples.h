/* samples.h - numbers from a plain file.
 *
 * Without a column: one number a line; blank lines and what follows a '#' are
 * skipped. With one: CSV with a header (separated by commas, semicolons or
 * tabs, whichever the header has; fields may be quoted), of which the named
 * column is taken. "nan", "na", "null" and an empty field are a value that is not
 * there: NaN, which whoever analyses leaves out and says so. "inf" is a value that
 * nobody saw the end of (a time-out): infinite, as in stats/verdict.h. "-inf" is
 * nothing that anyone measures, and an error. */
#ifndef VIEW_SAMPLES_H
#define VIEW_SAMPLES_H

#include "base/error.h"
#include "base/str.h"

enum { SAMPLES_MAX_BYTES = 256 << 20 };

struct samples {
    const char *name; /* the path as given */
    double *values;   /* in file order */
    size_t count;
    size_t missing;   /* of these, NaN */
    size_t open_line; /* where the first infinite one stands; 0: all are finite */
};

/* "-" is standard input. A line that is not a number is an error with its place:
 * "a.txt:3: 'abc' is not a number". */
MUST_USE bool samples_read(const char *path, const char *column, struct arena *out,
                           struct samples *samples, struct error *err);

/* The same for bytes that are there already; `path` is for messages. */
MUST_USE bool samples_parse(const char *path, struct str bytes, const char *column,
                            struct arena *out, struct samples *samples, struct error *err);

#endif
