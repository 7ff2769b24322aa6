/* reply.h - one reply of a server, read as it comes; the boundary to llhttp.
 *
 * Nothing of it is kept but what is asked for below, and nothing is allocated but for `body`.
 * Interim replies (100 to 199) are passed over. Of a stream of server-sent events the tokens
 * are counted and timed: those that come in one read came at the same time. */
#ifndef LOAD_REPLY_H
#define LOAD_REPLY_H

#include "base/buf.h"
#include "load/token_scan.h"
#include "stats/hdr.h"

#include <llhttp.h>

enum { REPLY_HEADER_MAX = 64 << 10, REPLY_VALUE_MAX = 40 };

enum reply_progress {
    REPLY_MORE, /* it is not whole yet */
    REPLY_DONE,
    REPLY_BAD, /* not HTTP, headers without end, or bytes after it: `why` */
};

struct reply {
    llhttp_t parser;
    const char *why;
    uint16_t status;
    bool is_complete;
    bool can_stay;          /* after REPLY_DONE: the connection takes another request */
    double retry_after_s;   /* NaN: it did not say, or nobody can tell what */
    int64_t tokens;         /* of a stream; 0 for other replies */
    int64_t first_token_ns; /* clock_ns; 0 without tokens */
    int64_t last_token_ns;
    struct buf *body; /* where the body goes; NULL: nowhere. Set after reply_begin */

    /* Its own. */
    struct hdr *gaps;
    int64_t now_ns; /* of the bytes being read; 0 = not asked for yet */
    bool has_headers;
    bool has_no_body;
    bool is_stream;
    uint8_t name_length, value_length; /* of the header being read, cut at what fits */
    char name[16];
    char value[REPLY_VALUE_MAX];
    size_t header_bytes;
    struct token_scan scan;
};

/* Gaps between tokens are recorded in `gaps` (ns; NULL: nowhere) as they come. A reply to
 * HEAD has no body, whatever its headers say. */
void reply_begin(struct reply *r, bool is_to_head, struct hdr *gaps);

/* Not after REPLY_DONE or REPLY_BAD. */
enum reply_progress reply_take(struct reply *r, struct str bytes);

/* The connection has ended: REPLY_DONE for a reply without a length, else REPLY_MORE. */
enum reply_progress reply_end(struct reply *r);

#endif
