/* endpoint.h - a route made ready: its path in parts and its parameters under the names that
 * requests use. Made once for each row when the server starts. */
#ifndef API_ENDPOINT_H
#define API_ENDPOINT_H

#include "api/route.h"
#include "http/url.h"

struct endpoint {
    const struct route *route;
    struct str segments[URL_SEGMENTS_MAX]; /* of the path; "{run_id}" as it stands */
    size_t segment_count;
    struct param_table table;
    size_t config_size;
    size_t plots_offset;         /* of the bool that asks for the plots; 0 = it has none */
    const struct answer *answer; /* what it sends; NULL: something else */
};

struct endpoint_list {
    struct endpoint *items;
    size_t count;
};

struct endpoint_list endpoints_make(struct arena *arena);

/* The endpoint that method and path mean; HEAD is GET. NULL: 404, or 405 with the methods there
 * are, in `refusal`. */
const struct endpoint *endpoints_find(const struct endpoint_list *endpoints, struct str method,
                                      const struct url *url, struct refusal *refusal);

/* All parameters of a request, checked, in the struct of the table; every one that is wrong
 * is named in `refusal`. */
MUST_USE bool endpoint_read(const struct endpoint *endpoint, const struct http_request *r,
                            const struct url *url, const void **params,
                            struct refusal *refusal);

/* Asks its question with the store and the parameters of `call`; the answer's bytes are those
 * of the command with --json. */
MUST_USE bool endpoint_ask(const struct endpoint *endpoint, const struct route_call *call,
                           struct buf *out, struct error *err);

/* Names in `refusal` the parameter that was found wrong, as requests call it. */
void endpoint_blame(const struct endpoint *endpoint, const struct error *err,
                    struct refusal *refusal);

bool endpoint_has_path_param(const struct endpoint *endpoint, const char *name);

#endif
