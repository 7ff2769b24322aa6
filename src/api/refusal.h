/* refusal.h - why a request was not answered, as application/problem+json (RFC 9457):
 *
 *     {"type": "about:blank", "title": "Bad Request", "status": 400, "detail": "...",
 *      "errors": [{"name": "limit", "detail": "must be an integer (is 'x')"}]}
 *
 * `errors` names each parameter that is wrong. */
#ifndef API_REFUSAL_H
#define API_REFUSAL_H

#include "http/server.h"

enum { REFUSAL_FIELDS_MAX = 20 };

struct refusal_field {
    const char *name; /* of the parameter */
    const char *detail;
};

struct refusal {
    struct arena *arena; /* holds the texts: of the request */
    int status;          /* 0: there is none */
    const char *detail;
    struct refusal_field fields[REFUSAL_FIELDS_MAX];
    size_t field_count;
    int retry_after_s;     /* of 429 and 503: sent as Retry-After; 0 = not sent */
    const char *allow;     /* of 405: the methods there are */
    const char *challenge; /* of 401: WWW-Authenticate */
};

/* Both return false, so that a function can end in one line. */
bool refusal_set(struct refusal *p, int status, const char *fmt, ...) PRINTF(3, 4);
/* A parameter that is wrong: 400. */
bool refusal_add(struct refusal *p, struct str name, const char *fmt, ...) PRINTF(3, 4);

/* What a module below says: its code gives the status. */
bool refusal_of(struct refusal *p, const struct error *err);

void refusal_reply(struct http_request *r, const struct refusal *p);

#endif
