/* libmicrohttpd runs in our own loop: its epoll descriptor, a timer and the stop
 * descriptor are watched together. A reply that is not due yet suspends its
 * connection, and the timer resumes it.
 *
 * Two traps of the library: a response queued in the first call of the access
 * handler closes the connection after a POST, so the first call only makes the
 * exchange; and what a response points to is read until the completed callback,
 * so an exchange's memory ends there and not when the handler returns. */
#include "http/server.h"

#include "base/clock.h"
#include "base/library.h"
#include "http/listen.h"
#include "http/timers.h"

#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define LIBRARY "libmicrohttpd.so.12"

/* Loaded, not linked: it brings GnuTLS, which would double the time that every
 * other command takes to start. */
#define FUNCTIONS(X)                 \
    X(start_daemon)                  \
    X(stop_daemon)                   \
    X(get_daemon_info)               \
    X(get_timeout)                   \
    X(run)                           \
    X(suspend_connection)            \
    X(resume_connection)             \
    X(lookup_connection_value)       \
    X(get_connection_info)           \
    X(create_response_from_buffer)   \
    X(create_response_from_callback) \
    X(add_response_header)           \
    X(queue_response)                \
    X(destroy_response)

struct library {
    void *handle;
#define FIELD(name) __typeof__(MHD_##name) *(name);
    FUNCTIONS(FIELD)
#undef FIELD
};

enum { STREAM_BLOCK = 8192, CHUNK_MAX = 1 << 20 };

struct exchange {
    struct http_request request; /* first: handlers have a pointer to it */
    struct timer timer;
    struct http_server *server;
    struct MHD_Connection *connection;
    struct arena arena;
    struct buf body;
    bool is_handled;
    bool is_stream;
    struct http_reply reply;
    struct http_stream stream;
    int64_t due_ns; /* of the next chunk */
    struct buf chunk;
    size_t chunk_sent;
    struct exchange *next_free;
    struct exchange *next; /* all of them, for the end */
};

struct http_server {
    struct library lib;
    struct http_server_options options;
    struct arena *arena;
    struct MHD_Daemon *daemon;
    int listen_fd;
    int epoll_fd;
    int timer_fd;
    struct timers timers;
    struct exchange *free;
    struct exchange *all;
    int64_t completed;
    bool has_aborted; /* the library frees that connection in its next run only */
};

static bool load(struct library *lib, struct error *err)
{
#define SYMBOL(name) {"MHD_" #name, &lib->name},
    const struct library_symbol symbols[] = {FUNCTIONS(SYMBOL)};
#undef SYMBOL
    return library_load(LIBRARY, "serving HTTP needs " LIBRARY "; install libmicrohttpd12",
                        symbols, COUNT(symbols), &lib->handle, err);
}

/* ---- exchanges ---- */

static struct exchange *exchange_take(struct http_server *s, struct MHD_Connection *connection)
{
    struct exchange *x = s->free;
    if (x) {
        s->free = x->next_free;
    } else {
        x = arena_new(s->arena, struct exchange, 1);
        x->server = s;
        x->arena = arena_open();
        buf_init(&x->body, s->options.body_max);
        buf_init(&x->chunk, CHUNK_MAX);
        x->next = s->all;
        s->all = x;
    }
    x->connection = connection;
    x->is_handled = x->is_stream = false;
    x->request = (struct http_request){.arena = &x->arena};
    return x;
}

static void exchange_give_back(struct exchange *x)
{
    timers_remove(&x->server->timers, &x->timer);
    arena_reset(&x->arena);
    buf_clear(&x->body);
    buf_clear(&x->chunk);
    x->chunk_sent = 0;
    x->next_free = x->server->free;
    x->server->free = x;
}

static void wait_until(struct exchange *x, int64_t due_ns)
{
    x->server->lib.suspend_connection(x->connection);
    timers_add(&x->server->timers, &x->timer, due_ns);
}

static ssize_t copy_chunk(struct exchange *x, char *out, size_t room)
{
    size_t left = x->chunk.n - x->chunk_sent;
    size_t n = left < room ? left : room;
    memcpy(out, x->chunk.p + x->chunk_sent, n);
    x->chunk_sent += n;
    if (x->chunk_sent == x->chunk.n) {
        buf_clear(&x->chunk);
        x->chunk_sent = 0;
    }
    return (ssize_t)n;
}

/* Ends the connection now. The library would do it when it next has something to do,
 * which another idle connection may put off for as long as it stays open. */
static void hang_up(struct exchange *x)
{
    const union MHD_ConnectionInfo *info =
        x->server->lib.get_connection_info(x->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (info) shutdown(info->connect_fd, SHUT_RDWR);
    x->server->has_aborted = true;
}

/* The library asks for more: everything that is due by now, at most `room`. */
static ssize_t read_stream(void *context, uint64_t position, char *out, size_t room)
{
    (void)position;
    struct exchange *x = context;
    while (x->chunk.n < room && x->due_ns != HTTP_END && x->due_ns != HTTP_ABORT &&
           x->due_ns <= clock_ns()) {
        x->due_ns = x->stream.source(x->stream.context, &x->chunk);
    }
    if (x->chunk.n > 0) return copy_chunk(x, out, room);
    if (x->due_ns == HTTP_END) return MHD_CONTENT_READER_END_OF_STREAM;
    if (x->due_ns == HTTP_ABORT) {
        hang_up(x);
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    wait_until(x, x->due_ns);
    return 0;
}

static enum MHD_Result queue(struct exchange *x)
{
    const struct library *lib = &x->server->lib;
    union { /* the library takes it without const, and does not write */
        const char *in;
        void *out;
    } body = {.in = x->reply.body.p};
    struct MHD_Response *response =
        x->is_stream ? lib->create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK,
                                                          read_stream, x, NULL)
                     : lib->create_response_from_buffer(x->reply.body.n, body.out,
                                                        MHD_RESPMEM_PERSISTENT);
    if (!response) return MHD_NO;
    lib->add_response_header(response, "Content-Type",
                             x->is_stream ? x->stream.type : x->reply.type);
    for (size_t i = 0; !x->is_stream && i < x->reply.header_count; i++) {
        lib->add_response_header(response, x->reply.headers[i].name, x->reply.headers[i].value);
    }
    const struct http_header *mark = &x->server->options.mark;
    if (mark->name) lib->add_response_header(response, mark->name, mark->value);
    int status = x->is_stream ? x->stream.status : x->reply.status;
    enum MHD_Result done = lib->queue_response(x->connection, (unsigned)status, response);
    lib->destroy_response(response);
    return done;
}

/* What is wrong with the length that a request states; 0 = nothing. */
static int length_problem(const struct exchange *x, struct str *why)
{
    struct str coding = http_header_of(&x->request, "Transfer-Encoding");
    struct str length = http_header_of(&x->request, "Content-Length");
    int64_t bytes = 0;
    if (coding.p && length.p) {
        *why = S("{\"error\":{\"message\":\"Transfer-Encoding and Content-Length\"}}\n");
        return 400;
    }
    if (!length.p) return 0;
    bool is_number = str_to_int(length, &bytes) && bytes >= 0;
    if (is_number && (uint64_t)bytes <= x->server->options.body_max) return 0;
    *why = S("{\"error\":{\"message\":\"the body is too large\"}}\n");
    return 413;
}

/* Queued before the body is read, so that the library closes the connection after it. */
static enum MHD_Result refuse(struct exchange *x, int status, struct str why)
{
    http_reply(&x->request,
               &(struct http_reply){.status = status, .type = "application/json", .body = why});
    return queue(x);
}

/* Called first with nothing, then for each piece of the body, then without a
 * piece until a response is queued. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
                                  const char *url, const char *method, const char *version,
                                  const char *piece, size_t *piece_bytes, void **slot)
{
    (void)version;
    struct http_server *s = context;
    struct exchange *x = *slot;
    if (!x) {
        struct str why = {0};
        *slot = x = exchange_take(s, connection);
        int status = length_problem(x, &why);
        return status ? refuse(x, status, why) : MHD_YES;
    }
    if (*piece_bytes > 0) {
        buf_add_bytes(&x->body, piece, *piece_bytes);
        *piece_bytes = 0;
        return MHD_YES;
    }
    if (!x->is_handled) {
        x->request.method = str_of(method);
        x->request.path = str_of(url);
        x->request.body = buf_str(&x->body);
        x->request.is_too_large = x->body.overflow;
        x->request.arrived_ns = clock_ns();
        s->options.handle(s->options.context, &x->request);
        CHECK(x->is_handled);
    }
    if (!x->is_stream && x->reply.not_before_ns > clock_ns()) {
        wait_until(x, x->reply.not_before_ns);
        return MHD_YES;
    }
    return queue(x);
}

static void on_completed(void *context, struct MHD_Connection *connection, void **slot,
                         enum MHD_RequestTerminationCode code)
{
    (void)connection;
    (void)code;
    struct http_server *s = context;
    if (!*slot) return;
    exchange_give_back(*slot);
    *slot = NULL;
    s->completed++;
}

struct str http_header_of(const struct http_request *r, const char *name)
{
    const struct exchange *x = (const struct exchange *)r;
    return str_of(x->server->lib.lookup_connection_value(x->connection, MHD_HEADER_KIND, name));
}

void http_reply(struct http_request *r, const struct http_reply *reply)
{
    struct exchange *x = (struct exchange *)r;
    x->reply = *reply;
    x->is_handled = true;
}

void http_send_stream(struct http_request *r, const struct http_stream *stream)
{
    struct exchange *x = (struct exchange *)r;
    x->stream = *stream;
    x->due_ns = stream->first_due_ns;
    x->is_stream = x->is_handled = true;
}

/* ---- the loop ---- */

static bool watch(int epoll_fd, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};
    return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static bool start(struct http_server *s, struct error *err)
{
    s->daemon = s->lib.start_daemon(
        MHD_USE_EPOLL | MHD_USE_TURBO | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request, s,
        MHD_OPTION_LISTEN_SOCKET, s->listen_fd, MHD_OPTION_NOTIFY_COMPLETED, on_completed, s,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)s->options.connections_max,
        MHD_OPTION_CONNECTION_TIMEOUT, s->options.idle_s, MHD_OPTION_END);
    if (!s->daemon) return error_set(err, ERROR_FAILED, "cannot start the HTTP server");
    s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    s->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    const union MHD_DaemonInfo *info =
        s->lib.get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    if (s->epoll_fd < 0 || s->timer_fd < 0 || !info || !watch(s->epoll_fd, info->epoll_fd) ||
        !watch(s->epoll_fd, s->timer_fd)) {
        return error_set_errno(err, errno, "cannot watch the HTTP server");
    }
    return true;
}

bool http_server_open(struct http_server **server, const struct http_server_options *options,
                      struct arena *arena, struct error *err)
{
    struct http_server *s = arena_new(arena, struct http_server, 1);
    s->options = *options;
    s->arena = arena;
    s->listen_fd = s->epoll_fd = s->timer_fd = -1;
    timers_init(&s->timers, options->connections_max, arena);
    *server = s;
    if (listen_open(options->listen, &s->listen_fd, err) && load(&s->lib, err) &&
        start(s, err)) {
        return true;
    }
    http_server_close(s);
    *server = NULL;
    return false;
}

int http_server_port(const struct http_server *s)
{
    return listen_port(s->listen_fd);
}

static void resume_due(struct http_server *s, int64_t now_ns)
{
    for (struct timer *t; (t = timers_first(&s->timers)) && t->due_ns <= now_ns;) {
        timers_remove(&s->timers, t);
        struct exchange *x = (struct exchange *)((char *)t - offsetof(struct exchange, timer));
        s->lib.resume_connection(x->connection);
    }
}

/* Relative, because timers know CLOCK_MONOTONIC and we CLOCK_MONOTONIC_RAW. */
static void arm_timer(struct http_server *s)
{
    const struct timer *t = timers_first(&s->timers);
    if (!t) return;
    int64_t left_ns = t->due_ns - clock_ns();
    if (left_ns < 1) left_ns = 1;
    struct itimerspec when = {
        .it_value = {.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000}};
    timerfd_settime(s->timer_fd, 0, &when, NULL);
}

bool http_server_run(struct http_server *s, int stop_fd, struct error *err)
{
    if (stop_fd >= 0 && !watch(s->epoll_fd, stop_fd)) {
        return error_set_errno(err, errno, "cannot watch for the end");
    }
    while (s->options.requests_max == 0 || s->completed < s->options.requests_max) {
        MHD_UNSIGNED_LONG_LONG pending_ms = 0;
        bool has_more = s->lib.get_timeout(s->daemon, &pending_ms) == MHD_YES;
        struct epoll_event events[4];
        int n = epoll_wait(s->epoll_fd, events, COUNT(events), has_more ? (int)pending_ms : -1);
        if (n < 0 && errno != EINTR) return error_set_errno(err, errno, "waiting for requests");
        for (int i = 0; i < n; i++) {
            if (stop_fd >= 0 && events[i].data.fd == stop_fd) return true;
            uint64_t expirations = 0;
            if (events[i].data.fd == s->timer_fd &&
                read(s->timer_fd, &expirations, sizeof expirations) < 0 && errno != EAGAIN) {
                return error_set_errno(err, errno, "reading the timer");
            }
        }
        resume_due(s, clock_ns());
        s->has_aborted = false;
        s->lib.run(s->daemon);
        if (s->has_aborted) s->lib.run(s->daemon);
        arm_timer(s);
    }
    return true;
}

void http_server_close(struct http_server *s)
{
    if (!s) return;
    if (s->daemon) {
        resume_due(s, INT64_MAX);
        s->lib.stop_daemon(s->daemon); /* closes the listening socket too */
    } else if (s->listen_fd >= 0) {
        close(s->listen_fd);
    }
    for (struct exchange *x = s->all; x; x = x->next) {
        buf_release(&x->body);
        buf_release(&x->chunk);
        arena_close(&x->arena);
    }
    if (s->epoll_fd >= 0) close(s->epoll_fd);
    if (s->timer_fd >= 0) close(s->timer_fd);
    if (s->lib.handle) dlclose(s->lib.handle);
}
