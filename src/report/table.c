#include "report/table.h"

#include <stdarg.h>
#include <stdio.h>

static size_t columns_of(const char *s)
{
    size_t n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}

void table_begin(struct table *t, const char *align, struct arena *arena)
{
    *t = (struct table){.align = align, .columns = strlen(align), .arena = arena};
}

static void push(struct table *t, const char *cell)
{
    if (t->count == t->capacity) {
        size_t capacity = t->capacity ? 2 * t->capacity : 64;
        const char **cells = arena_new(t->arena, const char *, capacity);
        if (t->count) memcpy(cells, t->cells, t->count * sizeof *cells);
        t->cells = cells;
        t->capacity = capacity;
    }
    t->cells[t->count++] = cell;
}

/* At most TABLE_CELL_MAX columns, without control characters. */
static char *tidy(char *text)
{
    size_t columns = 0;
    for (char *p = text; *p; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7F) *p = ' ';
        columns += ((unsigned char)*p & 0xC0) != 0x80;
        if (columns <= TABLE_CELL_MAX) continue;
        *p = '\0';
        break;
    }
    return text;
}

void table_add(struct table *t, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    text[str_utf8_prefix(str_of(text))] = '\0'; /* a cut in the middle of a character */
    push(t, tidy(arena_copy(t->arena, text, strlen(text))));
}

void table_row(struct table *t, const char *const *cells)
{
    for (size_t i = 0; i < t->columns; i++) table_add(t, "%s", cells[i]);
}

static void put_spaces(struct buf *out, size_t n)
{
    for (size_t i = 0; i < n; i++) buf_add_char(out, ' ');
}

static void put_row(const struct table *t, const char *const *cells, const size_t *widths,
                    struct buf *out)
{
    size_t pending = 0; /* spaces that only count if something follows */
    for (size_t c = 0; c < t->columns; c++) {
        size_t gap = widths[c] - columns_of(cells[c]);
        size_t before = t->align[c] == 'r' ? gap : 0;
        if (cells[c][0]) {
            put_spaces(out, pending + before);
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
        size_t n = columns_of(t->cells[i]);
        size_t c = i % t->columns;
        if (n > widths[c]) widths[c] = n;
    }
    for (size_t i = 0; i < t->count; i += t->columns) {
        put_spaces(out, indent);
        put_row(t, t->cells + i, widths, out);
    }
}
