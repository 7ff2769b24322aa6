/* url.h - the target of a request taken apart: "/a%20b/c?name=value&x=1".
 *
 * Percent signs are decoded once, after the parts are told apart; what is not UTF-8, holds a
 * NUL or a broken %xx is refused. */
#ifndef HTTP_URL_H
#define HTTP_URL_H

#include "base/error.h"
#include "base/str.h"

enum { URL_PAIRS_MAX = 100, URL_SEGMENTS_MAX = 16 };

struct url_pair {
    struct str name;
    struct str value; /* "" where there is no '=' */
};

struct url {
    struct str path;                       /* as it was sent, without the query */
    struct str segments[URL_SEGMENTS_MAX]; /* decoded: "/a%2Fb/c" has "a/b" and "c" */
    size_t segment_count;
    struct str query; /* as it was sent, without the '?' */
    struct url_pair *pairs;
    size_t pair_count;
};

/* The texts live in `out` and have a NUL after them. ERROR_INVALID says what is wrong. */
MUST_USE bool url_parse(struct str raw, struct arena *out, struct url *url, struct error *err);

#endif
