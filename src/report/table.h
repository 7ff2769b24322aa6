/* table.h - rows and columns in plain text.
 *
 * Cells are added row by row; the widths follow when all are there. Text from
 * outside is cut to TABLE_CELL_MAX columns and loses its control characters. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "base/buf.h"

enum { TABLE_CELL_MAX = 60 };

struct table {
    const char *align; /* one 'l' or 'r' for each column */
    size_t columns;
    struct arena *arena;
    const char **cells; /* row by row */
    size_t count;
};

void table_begin(struct table *t, const char *align, struct arena *arena);
void table_add(struct table *t, const char *fmt, ...) PRINTF(2, 3);
void table_row(struct table *t, const char *const *cells); /* one for each column */

/* Each line begins with `indent` spaces; columns are two spaces apart. */
void table_write(const struct table *t, size_t indent, struct buf *out);

#endif
