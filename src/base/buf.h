/* buf.h - text being built, with a mandatory maximum.
 *
 * Whatever does not fit is dropped and `overflow` sticks: append without
 * looking, check once at the end. Memory is the heap's (buf_init) or the
 * caller's (buf_over, which never allocates). Always NUL-terminated. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/str.h"

struct buf {
    char *p;
    size_t n;
    size_t capacity;
    size_t max; /* bytes without the NUL */
    bool overflow;
    bool borrowed;
};

void buf_init(struct buf *b, size_t max);                /* release with buf_release */
void buf_over(struct buf *b, char *memory, size_t size); /* over the caller's memory */
void buf_release(struct buf *b);
void buf_clear(struct buf *b); /* empty again, memory kept, overflow forgotten */

/* A copy of it in `out`, with " ..." at its end where the maximum cut it; releases it. */
const char *buf_keep(struct buf *b, struct arena *out);

void buf_add(struct buf *b, struct str s);
void buf_add_bytes(struct buf *b, const void *bytes, size_t n);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF(2, 3);

static inline void buf_add_char(struct buf *b, char c)
{
    if (b->capacity - b->n < 2 || b->n >= b->max) {
        buf_add_bytes(b, &c, 1);
        return;
    }
    b->p[b->n++] = c;
    b->p[b->n] = '\0';
}

static inline void buf_text(struct buf *b, const char *text)
{
    buf_add(b, str_of(text));
}

static inline struct str buf_str(const struct buf *b)
{
    return (struct str){b->p ? b->p : "", b->n};
}

#endif
