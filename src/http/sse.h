/* sse.h - server-sent events out of a stream of bytes, as they come.
 *
 * As the WHATWG HTML standard reads them (section 9.2.6): lines end in LF, CR or
 * CRLF, a byte order mark at the start is passed over, lines that begin with a
 * colon are comments, several data lines are one text, an empty line ends the
 * event, and what is not ended is not an event.
 *
 *     while (sse_next(&s, &bytes, &event)) use(event.data);
 *
 * Bytes may be cut anywhere: what is left of a piece is kept for the next. */
#ifndef HTTP_SSE_H
#define HTTP_SSE_H

#include "base/buf.h"

struct sse_event {   /* until the next call */
    struct str type; /* empty = "message" */
    struct str data;
};

struct sse {
    struct buf line; /* begun in an earlier piece */
    struct buf data;
    struct buf type;
    bool has_data;
    bool has_begun; /* past the byte order mark */
    bool skip_lf;   /* the last byte was CR */
    bool is_given;  /* the event is with the caller: clear it first */
    bool overflow;  /* an event was larger than event_max: cut, and this sticks */
};

void sse_init(struct sse *s, size_t event_max); /* release with sse_release */
void sse_release(struct sse *s);

/* Takes bytes off the front of *bytes until an event is complete (true) or
 * none are left (false). */
bool sse_next(struct sse *s, struct str *bytes, struct sse_event *event);

#endif
