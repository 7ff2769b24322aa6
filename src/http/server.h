/* server.h - an HTTP/1.1 server on the caller's thread: the one boundary to
 * libmicrohttpd, which is loaded when the first server is opened.
 *
 * A handler gets each request whole and answers it at once, later at a set time,
 * or as a stream of chunks each with a time of its own; nothing blocks. Times
 * are clock_ns; a timer wakes the loop, so what is due leaves within the
 * machine's scheduling delay, not within some poll interval.
 *
 * A request that states both Transfer-Encoding and Content-Length (where it ends
 * is then a matter of opinion) gets 400, one that announces more than body_max
 * 413; both at once, and the connection is closed.
 *
 *     static void handle(void *context, struct http_request *r)
 *     {
 *         http_reply(r, &(struct http_reply){.status = 200, .type = "text/plain",
 *                                            .body = S("hello")});
 *     }                                                                      */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include "base/buf.h"
#include "base/error.h"

struct http_server;

struct http_request {
    struct str method;
    struct str path; /* decoded, without the query */
    struct str body;
    bool is_too_large;   /* more than body_max: the body is cut */
    int64_t arrived_ns;  /* when the last byte of it was read */
    struct arena *arena; /* ends when the reply has been sent */
};

struct http_header {
    const char *name;
    const char *value;
};

struct http_reply {
    int status;
    const char *type;
    struct str body;       /* in the request's arena, or static */
    int64_t not_before_ns; /* 0 = at once */
    const struct http_header *headers;
    size_t header_count;
};

/* Appends the next chunk to `out` and says when the next one is due, or
 * one of the ends. */
typedef int64_t http_source(void *context, struct buf *out);
#define HTTP_END   INT64_MAX /* all is said */
#define HTTP_ABORT INT64_MIN /* close the connection in the middle */

struct http_stream {
    int status;
    const char *type;
    int64_t first_due_ns; /* the headers leave at once */
    http_source *source;
    void *context; /* in the request's arena */
};

/* Must call http_reply or http_send_stream before it returns. */
typedef void http_handler(void *context, struct http_request *r);

struct http_server_options {
    const char *listen; /* "127.0.0.1:8400", "[::1]:0"; port 0 = any that is free */
    size_t body_max;
    size_t connections_max;
    int64_t requests_max;    /* http_server_run ends after this many; 0 = never */
    unsigned idle_s;         /* a connection on which nothing happens is closed; 0 = never */
    struct http_header mark; /* sent with every reply; its name may be NULL */
    http_handler *handle;
    void *context;
};

MUST_USE bool http_server_open(struct http_server **server,
                               const struct http_server_options *options, struct arena *arena,
                               struct error *err);
void http_server_close(struct http_server *server); /* NULL is closed already */
int http_server_port(const struct http_server *server);

/* Serves until stop_fd (-1 = none) can be read. */
MUST_USE bool http_server_run(struct http_server *server, int stop_fd, struct error *err);

/* {0} if the request has no such header. */
struct str http_header_of(const struct http_request *r, const char *name);
void http_reply(struct http_request *r, const struct http_reply *reply);
void http_send_stream(struct http_request *r, const struct http_stream *stream);

#endif
