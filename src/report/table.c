/* Cells are collected first, then each column is as wide as its widest cell. Widths are
 * columns of a terminal (base/plain.h), not bytes: a name may be in any script. No line
 * ends in spaces. */
#include "report/table.h"

#include "base/plain.h"

#include <stdarg.h>
#include <stdio.h>

void table_begin(struct table *t, const char *align, struct arena *arena)
{
    *t = (struct table){.align = align, .columns = strlen(align), .arena = arena};
}

static void push(struct table *t, const char *cell)
{
    t->cells = arena_grow(t->arena, t->cells, t->count, sizeof *t->cells);
    t->cells[t->count++] = cell;
}

void table_add(struct table *t, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    char plain[sizeof text + 4];
    struct buf b;
    buf_over(&b, plain, sizeof plain);
    plain_add(&b, str_of(text), TABLE_CELL_MAX);
    push(t, str_cstr(t->arena, buf_str(&b)));
}

void table_row(struct table *t, const char *const *cells)
{
    for (size_t i = 0; i < t->columns; i++) table_add(t, "%s", cells[i]);
}

static void put_row(const struct table *t, const char *const *cells, const size_t *widths,
                    struct buf *out)
{
    size_t pending = 0; /* spaces that only count if something follows */
    for (size_t c = 0; c < t->columns; c++) {
        size_t gap = widths[c] - plain_columns(str_of(cells[c]));
        size_t before = t->align[c] == 'r' ? gap : 0;
        if (cells[c][0]) {
            plain_spaces(out, pending + before);
            buf_text(out, cells[c]);
            pending = gap - before + 2;
        } else {
            pending += widths[c] + 2;
        }
    }
    buf_add_char(out, '\n');
}

void table_write(const struct table *t, size_t indent, struct buf *out)
{
    size_t widths[32] = {0};
    CHECK(t->columns > 0 && t->columns <= COUNT(widths) && t->count % t->columns == 0);
    for (size_t i = 0; i < t->count; i++) {
        size_t n = plain_columns(str_of(t->cells[i]));
        size_t c = i % t->columns;
        if (n > widths[c]) widths[c] = n;
    }
    for (size_t i = 0; i < t->count; i += t->columns) {
        plain_spaces(out, indent);
        put_row(t, t->cells + i, widths, out);
    }
}
