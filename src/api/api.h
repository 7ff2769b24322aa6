/* api.h - the HTTP API over a store: `assay serve`.
 *
 * One thread: requests are answered as they come, each within its own arena; stores are
 * opened once per workspace and kept. Where a request goes: api.c takes its target apart
 * (http/url.h), finds the route (endpoint.h), asks who it is (access.h), reads the parameters
 * (endpoint.h) and lets the route answer, or sends the body that is kept (cache.h). */
#ifndef API_API_H
#define API_API_H

#include "api/cache.h"
#include "api/endpoint.h"
#include "api/queue.h"
#include "api/store_feed.h"
#include "api/timetable.h"
#include "api/traffic.h"

#include <sys/resource.h>

struct api_options {
    const char *listen; /* "127.0.0.1:8377" */
    const char *store_url;
    const char *workspace;
    const char *assay_version;
    const char *const *names; /* hosts that it is called from outside */
    size_t name_count;
    struct str tls_cert; /* PEM; empty: no TLS */
    struct str tls_key;
    bool is_behind_proxy;
    struct timetable schedules;
    double rate_per_s; /* of a peer and of a token; 0: no limit */
    int log_fd;        /* a line for each request; -1 = none */
};

struct api_store {
    const char *workspace;
    struct store *reads;
    struct store *writes; /* opened when it is needed */
    uint64_t generation;  /* of what `reads` sees */
    int64_t looked_ns;    /* when that was; 0: look again */
};

struct api {
    struct api_options options;
    struct arena *arena; /* lives as long as the server */
    struct http_server *server;
    struct access_rules *rules;
    struct endpoint_list endpoints;
    struct api_store *stores;
    size_t store_count;
    struct cache cache;
    struct traffic traffic;
    struct str openapi; /* the document */
    struct feeds feeds;
    struct queue *queue;
    struct store_feed *store_feeds;
    int stop_fd;         /* of our own, to hear of the end; -1 = none */
    struct rlimit files; /* open files, before the server raised it for its connections */
};

MUST_USE bool api_open(struct api **api, const struct api_options *options, struct arena *arena,
                       struct error *err);
int api_port(const struct api *api);
/* A code that logs a browser in once (GET /session/open): TOKEN_SIZE bytes. */
void api_make_code(struct api *api, char *code);
/* Serves until stop_fd can be read. */
MUST_USE bool api_serve(struct api *api, int stop_fd, struct error *err);
void api_close(struct api *api); /* NULL is closed already */

/* The store of a workspace; it stays the server's. */
MUST_USE bool api_store(struct api *api, const char *workspace, bool writes,
                        struct store **store, struct error *err);

/* The name of a workspace that has a store here, for as long as the server lives. */
const char *api_workspace(struct api *api, const char *workspace);

#endif
