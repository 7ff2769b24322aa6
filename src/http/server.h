/* server.h - an HTTP/1.1 server on the caller's thread: the one boundary to
 * libmicrohttpd, which is loaded when the first server is opened.
 *
 * A handler gets each request whole and answers it at once, later at a set time, or as a
 * stream of chunks each with a time of its own or when there is something to say
 * (http_wake); nothing blocks. Times
 * are clock_ns; a timer wakes the loop, so what is due leaves within the
 * machine's scheduling delay, not within some poll interval. Whatever else the
 * program waits for is watched by the same loop (http_server_watch).
 *
 * A request that states both Transfer-Encoding and Content-Length, two lengths, or a coding
 * other than chunked (where it ends is then a matter of opinion), two hosts or a name with a
 * space (RFC 9112, 3.2 and 5.1) gets 400, one that announces more than body_max 413; both at
 * once, and the connection is closed.
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
#include "http/timers.h"

struct http_server;

struct http_request {
    struct str method;
    struct str path;   /* decoded, without the query */
    struct str target; /* as it was sent: path and query, nothing decoded */
    struct str body;
    struct str content_type; /* of the body; {0} without one */
    bool is_too_large;       /* more than body_max: the body is cut */
    int64_t arrived_ns;      /* when the last byte of it was read */
    struct arena *arena;     /* ends when the reply has been sent */
    void *note;              /* the handler's own, for `finished` */
};

struct http_header {
    const char *name;
    const char *value;
};

/* The request is over: replied to, or its client went away. Its arena ends after this. */
typedef void http_closed(void *context);

struct http_reply {
    int status;
    const char *type;
    struct str body;       /* in the request's arena, or there until `closed` */
    int64_t not_before_ns; /* 0 = at once */
    const struct http_header *headers;
    size_t header_count;
    http_closed *closed; /* may be NULL: the body is no longer needed */
    void *context;
};

/* Appends the next chunk to `out` and says when the next one is due, or
 * one of the ends. */
typedef int64_t http_source(void *context, struct buf *out);
#define HTTP_END   INT64_MAX       /* all is said */
#define HTTP_WAIT  (INT64_MAX - 1) /* when http_wake says so */
#define HTTP_ABORT INT64_MIN       /* close the connection in the middle */

struct http_stream {
    int status;
    const char *type;
    int64_t first_due_ns; /* the headers leave at once */
    http_source *source;
    void *context;       /* in the request's arena */
    http_closed *closed; /* may be NULL */
    const struct http_header *headers;
    size_t header_count;
};

/* Must call http_reply or http_send_stream before it returns. The reply to HEAD is that to
 * GET: its body is not sent. */
typedef void http_handler(void *context, struct http_request *r);
/* Answers (http_reply, at once) what is refused before its body is read. */
typedef void http_refuser(void *context, struct http_request *r, int status, const char *why);

/* What became of a request, when its last byte has been sent or its client has gone. */
struct http_peer {
    char text[64]; /* "127.0.0.1", "::1"; "" if it is not known */
};
struct http_outcome {
    int status;    /* 0: it went away before there was one */
    int64_t bytes; /* of the body */
    struct http_peer peer;
};
/* Whether to talk to who has connected from `port`; no = it is closed without a word. */
typedef bool http_admits(void *context, int port);
typedef void http_finished(void *context, const struct http_request *r,
                           const struct http_outcome *outcome);

struct http_server_options {
    const char *listen; /* "127.0.0.1:8400", "[::1]:0"; port 0 = any that is free */
    size_t body_max;
    size_t bodies_max; /* of all requests together: connections beyond it are closed; 0 = any */
    size_t connections_max;
    int64_t requests_max;        /* http_server_run ends after this many; 0 = never */
    size_t peer_connections_max; /* of one address; 0 = any */
    unsigned idle_s;     /* a connection on which nothing happens is closed; 0 = never */
    unsigned head_s;     /* so long may the headers of a request take, however often a byte */
    unsigned body_s;     /* comes; then its body. Else it is closed; head_s 0 = any time */
    unsigned drain_s;    /* after stop_fd: for replies that are under way; 0 = none */
    struct str tls_cert; /* PEM, NUL-terminated; empty: no TLS */
    struct str tls_key;
    size_t connection_bytes;         /* memory of a connection: headers must fit; 0 = 32 KiB */
    const struct http_header *marks; /* sent with every reply */
    size_t mark_count;
    http_handler *handle;
    http_refuser *refuse;    /* may be NULL: a line of text */
    http_finished *finished; /* may be NULL */
    http_admits *admits;     /* may be NULL: everybody */
    void *context;
};

MUST_USE bool http_server_open(struct http_server **server,
                               const struct http_server_options *options, struct arena *arena,
                               struct error *err);
void http_server_close(struct http_server *server); /* NULL is closed already */
int http_server_port(const struct http_server *server);

/* Serves until stop_fd (-1 = none) can be read. */
MUST_USE bool http_server_run(struct http_server *server, int stop_fd, struct error *err);

/* Calls `ready` on the server's thread whenever `fd` can be read (or has hung up), until
 * http_server_unwatch, which comes before close(fd). */
typedef void http_ready(void *context, int fd);
MUST_USE bool http_server_watch(struct http_server *server, int fd, http_ready *ready,
                                void *context, struct error *err);
void http_server_unwatch(struct http_server *server, int fd);

/* Calls `ring` once at `due_ns`; the caller keeps the alarm until then, or until it sets it
 * again. due_ns 0: not at all. */
struct http_alarm {
    struct timer timer;
    void (*ring)(void *context);
    void *context;
};
void http_server_set_alarm(struct http_server *server, struct http_alarm *alarm,
                           int64_t due_ns);

/* {0} if the request has no such header. */
struct str http_header_of(const struct http_request *r, const char *name);
/* A list such as "gzip;q=0.8, br" takes `coding`: it names it, and not with a weight of 0
 * (RFC 9110, 12.4.2 and 12.5.3). */
bool http_accepts(struct str list, const char *coding);
/* The address of the other end. */
struct http_peer http_peer_of(const struct http_request *r);

void http_reply(struct http_request *r, const struct http_reply *reply);
void http_send_stream(struct http_request *r, const struct http_stream *stream);

/* The stream has something to say before the time that its source named. */
void http_wake(struct http_request *r);

#endif
