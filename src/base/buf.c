#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void buf_init(struct buf *b, size_t max)
{
    *b = (struct buf){.max = max};
}

void buf_over(struct buf *b, char *memory, size_t size)
{
    CHECK(size > 0);
    *b = (struct buf){.p = memory, .capacity = size, .max = size - 1, .borrowed = true};
    memory[0] = '\0';
}

void buf_release(struct buf *b)
{
    if (!b->borrowed) free(b->p);
    *b = (struct buf){0};
}

void buf_clear(struct buf *b)
{
    b->n = 0;
    b->overflow = false;
    if (b->p) b->p[0] = '\0';
}

/* Room for `more` bytes and the NUL, or as many as the maximum allows.
 * Returns how many of them fit. */
static size_t make_room(struct buf *b, size_t more)
{
    if (more > b->max - b->n) {
        more = b->max - b->n;
        b->overflow = true;
    }
    size_t need = b->n + more + 1;
    if (need > b->capacity) {
        CHECK(!b->borrowed);
        size_t capacity = b->capacity ? b->capacity : 256;
        while (capacity < need) capacity *= 2;
        if (capacity > b->max + 1) capacity = b->max + 1;
        b->p = realloc(b->p, capacity);
        if (!b->p) memory_failed(capacity);
        b->capacity = capacity;
    }
    return more;
}

const char *buf_keep(struct buf *b, struct arena *out)
{
    struct str s = buf_str(b);
    const char *text =
        b->overflow ? arena_printf(out, "%.*s ...", STR_ARG(s)) : str_cstr(out, s);
    buf_release(b);
    return text;
}

void buf_add_bytes(struct buf *b, const void *bytes, size_t n)
{
    n = make_room(b, n);
    if (n > 0) memcpy(b->p + b->n, bytes, n);
    b->n += n;
    b->p[b->n] = '\0';
}

void buf_add(struct buf *b, struct str s)
{
    buf_add_bytes(b, s.p, s.n);
}

/* Most texts fit where the last one ended: only a longer one is formatted twice. */
void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    va_list again;
    va_copy(again, args);
    size_t free_bytes = b->capacity - b->n; /* with the NUL's */
    int n = vsnprintf(free_bytes ? b->p + b->n : NULL, free_bytes, fmt, args);
    va_end(args);
    CHECK(n >= 0);
    size_t room = (size_t)n;
    if (room >= free_bytes || room > b->max - b->n) {
        room = make_room(b, (size_t)n);
        vsnprintf(b->p + b->n, room + 1, fmt, again);
    }
    va_end(again);
    b->n += room;
}
