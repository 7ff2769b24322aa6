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

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <strings.h>
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
    X(get_connection_values)         \
    X(get_connection_info)           \
    X(quiesce_daemon)                \
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

enum { STREAM_BLOCK = 4096, CHUNK_MAX = 1 << 20, ALARMS_USUAL = 64, BODY_KEPT = 64 << 10 };
#define CONNECTION_BYTES ((size_t)32 << 10)
#define SECOND_NS        INT64_C(1000000000)

struct exchange {
    struct http_request request; /* first: handlers have a pointer to it */
    struct http_alarm alarm;     /* when its next part is due */
    struct http_server *server;
    struct MHD_Connection *connection;
    struct arena arena;
    struct buf body;
    bool is_begun;   /* its headers were seen */
    bool is_handled; /* there is a reply or a stream */
    bool is_stream;
    bool is_suspended;
    http_closed *closed;
    void *closed_context;
    struct http_reply reply;
    struct http_stream stream;
    int64_t due_ns; /* of the next chunk */
    struct buf chunk;
    size_t chunk_sent;
    int status; /* that was queued */
    int64_t bytes;
    struct exchange *next_free;
    struct exchange *next; /* all of them, for the end */
};

/* A connection, until the library is done with it. */
struct line {
    struct http_alarm deadline; /* of the request that is being read */
    struct http_server *server;
    struct MHD_Connection *connection;
    struct line *next_free;
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
    struct watched *watched;
    size_t watched_count;
    struct line *free_lines;
    struct exchange *free;
    struct exchange *all;
    int64_t begun;
    int64_t completed;
    size_t body_bytes; /* of all requests that are being read or answered */
    /* Something that the library sees in its next run only: a connection that was aborted
     * or resumed by a handler. */
    bool runs_again;
    /* The newest request of which the library has told the first line only. It refuses by
     * itself what has no room (hundreds of parameters), but sends that in its next run. */
    const struct exchange *unheard;
    bool is_quiet; /* takes no connections any more; the socket is ours to close */
};

struct watched {
    int fd; /* -1: this place is free */
    http_ready *ready;
    void *context;
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
    x->is_begun = x->is_handled = x->is_stream = x->is_suspended = false;
    x->closed = NULL;
    x->status = 0;
    x->bytes = 0;
    x->request = (struct http_request){.arena = &x->arena};
    s->begun++;
    return x;
}

static void exchange_give_back(struct exchange *x)
{
    timers_remove(&x->server->timers, &x->alarm.timer);
    if (x->closed) x->closed(x->closed_context);
    arena_reset(&x->arena);
    x->server->body_bytes -= x->body.n;
    if (x->body.n > BODY_KEPT) {
        buf_release(&x->body);
        buf_init(&x->body, x->server->options.body_max);
    }
    buf_clear(&x->body);
    buf_clear(&x->chunk);
    x->chunk_sent = 0;
    x->is_suspended = false;
    x->next_free = x->server->free;
    x->server->free = x;
}

static void resume(void *context)
{
    struct exchange *x = context;
    if (!x->is_suspended) return;
    timers_remove(&x->server->timers, &x->alarm.timer);
    x->is_suspended = false;
    x->server->lib.resume_connection(x->connection);
    x->server->runs_again = true;
}

/* Until then, or until `resume`; HTTP_WAIT: only until that. */
static void wait_until(struct exchange *x, int64_t due_ns)
{
    x->server->lib.suspend_connection(x->connection);
    x->is_suspended = true;
    if (due_ns == HTTP_WAIT) return;
    x->alarm.ring = resume;
    x->alarm.context = x;
    timers_add(&x->server->timers, &x->alarm.timer, due_ns);
}

static ssize_t copy_chunk(struct exchange *x, char *out, size_t room)
{
    size_t left = x->chunk.n - x->chunk_sent;
    size_t n = left < room ? left : room;
    memcpy(out, x->chunk.p + x->chunk_sent, n);
    x->chunk_sent += n;
    x->bytes += (int64_t)n;
    if (x->chunk_sent == x->chunk.n) {
        buf_clear(&x->chunk);
        x->chunk_sent = 0;
    }
    return (ssize_t)n;
}

/* Ends the connection now. The library would do it when it next has something to do,
 * which another idle connection may put off for as long as it stays open. */
static void hang_up(struct http_server *s, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        s->lib.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (info) shutdown(info->connect_fd, SHUT_RDWR);
    s->runs_again = true;
}

/* ---- connections ---- */

static void on_deadline(void *context)
{
    struct line *l = context;
    hang_up(l->server, l->connection);
}

static void on_connection(void *context, struct MHD_Connection *connection, void **slot,
                          enum MHD_ConnectionNotificationCode code)
{
    struct http_server *s = context;
    struct line *l = code == MHD_CONNECTION_NOTIFY_STARTED ? s->free_lines : *slot;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        http_server_set_alarm(s, &l->deadline, 0);
        l->next_free = s->free_lines;
        s->free_lines = l;
        return;
    }
    if (l) {
        s->free_lines = l->next_free;
    } else {
        l = arena_new(s->arena, struct line, 1);
    }
    *l = (struct line){.server = s, .connection = connection};
    l->deadline = (struct http_alarm){.ring = on_deadline, .context = l};
    *slot = l;
    if (s->options.head_s)
        http_server_set_alarm(s, &l->deadline, clock_ns() + s->options.head_s * SECOND_NS);
}

/* So long may the client take for what comes next; 0: it has nothing to send. */
static void allow_seconds(struct exchange *x, unsigned seconds)
{
    const struct http_server *s = x->server;
    const union MHD_ConnectionInfo *info =
        s->lib.get_connection_info(x->connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct line *l = info ? info->socket_context : NULL;
    if (!l || !s->options.head_s) return;
    http_server_set_alarm(x->server, &l->deadline,
                          seconds ? clock_ns() + seconds * SECOND_NS : 0);
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
        hang_up(x->server, x->connection);
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    wait_until(x, x->due_ns);
    return 0;
}

static void add_headers(const struct library *lib, struct MHD_Response *response,
                        const struct http_header *headers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lib->add_response_header(response, headers[i].name, headers[i].value);
    }
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
    const char *type = x->is_stream ? x->stream.type : x->reply.type;
    if (type) lib->add_response_header(response, "Content-Type", type);
    add_headers(lib, response, x->is_stream ? x->stream.headers : x->reply.headers,
                x->is_stream ? x->stream.header_count : x->reply.header_count);
    add_headers(lib, response, x->server->options.marks, x->server->options.mark_count);
    int status = x->is_stream ? x->stream.status : x->reply.status;
    x->status = status;
    if (!x->is_stream && !str_is(x->request.method, "HEAD"))
        x->bytes = (int64_t)x->reply.body.n;
    enum MHD_Result done = lib->queue_response(x->connection, (unsigned)status, response);
    lib->destroy_response(response);
    return done;
}

struct header_count {
    const char *name;
    int count;
    bool is_odd; /* a name has a space: others may read "Host :" as Host */
};

static enum MHD_Result count_header(void *context, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    (void)kind;
    (void)value;
    struct header_count *c = context;
    c->count += strcasecmp(name, c->name) == 0;
    c->is_odd |= name[strcspn(name, " \t")] != '\0';
    return MHD_YES;
}

static struct header_count header_count(const struct exchange *x, const char *name)
{
    struct header_count c = {.name = name};
    x->server->lib.get_connection_values(x->connection, MHD_HEADER_KIND, count_header, &c);
    return c;
}

/* What is wrong with the length or the host that a request states; 0 = nothing. */
static int head_problem(const struct exchange *x, const char **why)
{
    struct str coding = http_header_of(&x->request, "Transfer-Encoding");
    struct str length = http_header_of(&x->request, "Content-Length");
    int64_t bytes = 0;
    *why = "it states both Transfer-Encoding and Content-Length";
    if (coding.p && length.p) return 400;
    *why = "it has a Transfer-Encoding that is not chunked";
    if (coding.p && (coding.n != 7 || strncasecmp(coding.p, "chunked", 7) != 0)) return 400;
    struct header_count hosts = header_count(x, "Host");
    *why = "a name of its headers has a space";
    if (hosts.is_odd) return 400;
    *why = "it has more than one Host";
    if (hosts.count > 1) return 400;
    if (!length.p) return 0;
    *why = "it has more than one Content-Length";
    if (header_count(x, "Content-Length").count > 1) return 400;
    *why = "the body is too large";
    bool is_number = str_to_int(length, &bytes) && bytes >= 0;
    return is_number && (uint64_t)bytes <= x->server->options.body_max ? 0 : 413;
}

/* Queued before the body is read, so that the library closes the connection after it. */
static enum MHD_Result refuse(struct exchange *x, int status, const char *why)
{
    const struct http_server_options *o = &x->server->options;
    if (o->refuse) {
        o->refuse(o->context, &x->request, status, why);
    } else {
        http_reply(
            &x->request,
            &(struct http_reply){.status = status, .type = "text/plain", .body = str_of(why)});
    }
    return queue(x);
}

/* Called with the first line of a request; what it returns is the slot of the others. */
static void *on_target(void *context, const char *target, struct MHD_Connection *connection)
{
    struct exchange *x = exchange_take(context, connection);
    x->request.target = str_copy(&x->arena, str_of(target));
    x->server->unheard = x;
    return x;
}

static void handle(struct exchange *x, const char *url, const char *method)
{
    struct http_server *s = x->server;
    x->request.method = str_of(method);
    x->request.path = str_of(url);
    x->request.body = buf_str(&x->body);
    if (x->body.n) x->request.content_type = http_header_of(&x->request, "Content-Type");
    x->request.is_too_large = x->body.overflow;
    x->request.arrived_ns = clock_ns();
    allow_seconds(x, 0);
    s->options.handle(s->options.context, &x->request);
    CHECK(x->is_handled);
}

/* False when the bodies of all requests together are too much: the connection is closed. */
static bool take_piece(struct exchange *x, const char *piece, size_t *piece_bytes)
{
    struct http_server *s = x->server;
    size_t max = s->options.bodies_max;
    size_t before = x->body.n;
    if (max && s->body_bytes + *piece_bytes > max) return false;
    buf_add_bytes(&x->body, piece, *piece_bytes);
    s->body_bytes += x->body.n - before;
    *piece_bytes = 0;
    return true;
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
    if (!x) *slot = x = exchange_take(s, connection);
    if (!x->is_begun) {
        const char *why = NULL;
        x->is_begun = true;
        x->request.method = str_copy(&x->arena, str_of(method));
        if (s->unheard == x) s->unheard = NULL;
        allow_seconds(x, s->options.body_s);
        int status = head_problem(x, &why);
        return status ? refuse(x, status, why) : MHD_YES;
    }
    if (*piece_bytes > 0) return take_piece(x, piece, piece_bytes) ? MHD_YES : MHD_NO;
    if (!x->is_handled) handle(x, url, method);
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
    struct exchange *x = *slot;
    if (!x) return;
    if (s->options.finished) {
        struct http_outcome outcome = {
            .status = x->status, .bytes = x->bytes, .peer = http_peer_of(&x->request)};
        s->options.finished(s->options.context, &x->request, &outcome);
    }
    allow_seconds(x, s->options.idle_s + s->options.head_s); /* for the next one */
    exchange_give_back(x);
    *slot = NULL;
    s->completed++;
}

struct str http_header_of(const struct http_request *r, const char *name)
{
    const struct exchange *x = (const struct exchange *)r;
    return str_of(x->server->lib.lookup_connection_value(x->connection, MHD_HEADER_KIND, name));
}

bool http_accepts(struct str list, const char *coding)
{
    while (list.p) {
        struct str item = str_cut(&list, ',');
        struct str name = str_trim(str_cut(&item, ';'));
        struct str weight = str_trim(item);
        bool is_it = name.n == strlen(coding) && strncasecmp(name.p, coding, name.n) == 0;
        bool has_weight = weight.n > 2 && (weight.p[0] | 32) == 'q' && weight.p[1] == '=';
        double q = 1;
        if (has_weight && !str_to_real((struct str){weight.p + 2, weight.n - 2}, &q)) q = 0;
        if (is_it) return q > 0;
    }
    return false;
}

void http_reply(struct http_request *r, const struct http_reply *reply)
{
    struct exchange *x = (struct exchange *)r;
    x->reply = *reply;
    x->is_handled = true;
    if (reply->closed) {
        x->closed = reply->closed;
        x->closed_context = reply->context;
    }
}

void http_send_stream(struct http_request *r, const struct http_stream *stream)
{
    struct exchange *x = (struct exchange *)r;
    x->stream = *stream;
    x->due_ns = stream->first_due_ns;
    x->is_stream = x->is_handled = true;
    if (stream->closed) {
        x->closed = stream->closed;
        x->closed_context = stream->context;
    }
}

void http_wake(struct http_request *r)
{
    struct exchange *x = (struct exchange *)r;
    if (x->due_ns != HTTP_END && x->due_ns != HTTP_ABORT) x->due_ns = 0;
    resume(x);
}

struct http_peer http_peer_of(const struct http_request *r)
{
    const struct exchange *x = (const struct exchange *)r;
    struct http_peer peer = {0};
    const union MHD_ConnectionInfo *info =
        x->server->lib.get_connection_info(x->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *address = info ? info->client_addr : NULL;
    if (address && address->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const void *)address;
        inet_ntop(AF_INET, &in->sin_addr, peer.text, sizeof peer.text);
    } else if (address && address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const void *)address;
        inet_ntop(AF_INET6, &in->sin6_addr, peer.text, sizeof peer.text);
    }
    return peer;
}

/* ---- the loop ---- */

static bool watch(int epoll_fd, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};
    return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static struct watched *find_watched(struct http_server *s, int fd)
{
    for (size_t i = 0; i < s->watched_count; i++) {
        if (s->watched[i].fd == fd) return &s->watched[i];
    }
    return NULL;
}

bool http_server_watch(struct http_server *s, int fd, http_ready *ready, void *context,
                       struct error *err)
{
    if (!watch(s->epoll_fd, fd)) return error_set_errno(err, errno, "cannot watch %d", fd);
    struct watched *w = find_watched(s, -1);
    if (!w) {
        s->watched = arena_grow(s->arena, s->watched, s->watched_count, sizeof *s->watched);
        w = &s->watched[s->watched_count++];
    }
    *w = (struct watched){fd, ready, context};
    return true;
}

void http_server_unwatch(struct http_server *s, int fd)
{
    struct watched *w = find_watched(s, fd);
    if (!w) return;
    epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
    w->fd = -1;
}

void http_server_set_alarm(struct http_server *s, struct http_alarm *alarm, int64_t due_ns)
{
    timers_remove(&s->timers, &alarm->timer);
    if (due_ns) timers_add(&s->timers, &alarm->timer, due_ns);
}

/* Called by the library before it takes a connection. */
static enum MHD_Result admit(void *server, const struct sockaddr *from, socklen_t size)
{
    const struct http_server *s = server;
    (void)size;
    int port = 0;
    if (from->sa_family == AF_INET) port = ntohs(((const struct sockaddr_in *)from)->sin_port);
    if (from->sa_family == AF_INET6)
        port = ntohs(((const struct sockaddr_in6 *)from)->sin6_port);
    bool is_let_in = !s->options.admits || s->options.admits(s->options.context, port);
    return is_let_in ? MHD_YES : MHD_NO;
}

static bool start(struct http_server *s, struct error *err)
{
    union { /* the library takes them without const, and does not write */
        const char *in;
        void *out;
    } cert = {.in = s->options.tls_cert.p}, key = {.in = s->options.tls_key.p};
    const struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_MEM_CERT, 0, cert.out},
                                         {MHD_OPTION_HTTPS_MEM_KEY, 0, key.out},
                                         {MHD_OPTION_END, 0, NULL}};
    const struct MHD_OptionItem no_tls[] = {{MHD_OPTION_END, 0, NULL}};
    bool has_tls = s->options.tls_cert.n > 0;
    s->daemon = s->lib.start_daemon(
        MHD_USE_EPOLL | MHD_USE_TURBO | MHD_ALLOW_SUSPEND_RESUME | (has_tls ? MHD_USE_TLS : 0),
        0, admit, s, on_request, s, MHD_OPTION_ARRAY, has_tls ? tls : no_tls,
        MHD_OPTION_LISTEN_SOCKET, s->listen_fd, MHD_OPTION_NOTIFY_COMPLETED, on_completed, s,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)s->options.connections_max,
        MHD_OPTION_CONNECTION_TIMEOUT, s->options.idle_s, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
        (unsigned)s->options.peer_connections_max, MHD_OPTION_NOTIFY_CONNECTION, on_connection,
        s, MHD_OPTION_URI_LOG_CALLBACK, on_target, s, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        s->options.connection_bytes ? s->options.connection_bytes : CONNECTION_BYTES,
        MHD_OPTION_END);
    if (!s->daemon) {
        return error_set(err, ERROR_FAILED, "cannot start the HTTP server%s",
                         has_tls ? "; are --tls-cert and --tls-key PEM files that belong "
                                   "together?"
                                 : "");
    }
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
    timers_init(&s->timers, options->connections_max + ALARMS_USUAL, arena);
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

static void ring_due(struct http_server *s, int64_t now_ns)
{
    for (struct timer *t; (t = timers_first(&s->timers)) && t->due_ns <= now_ns;) {
        timers_remove(&s->timers, t);
        struct http_alarm *alarm =
            (struct http_alarm *)((char *)t - offsetof(struct http_alarm, timer));
        alarm->ring(alarm->context);
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

/* Waits for the next event. *stops: stop_fd can be read. */
static bool wait_for_events(struct http_server *s, int stop_fd, int longest_ms, bool *stops,
                            struct error *err)
{
    MHD_UNSIGNED_LONG_LONG pending_ms = 0;
    struct epoll_event events[16];
    int wait_ms = s->lib.get_timeout(s->daemon, &pending_ms) == MHD_YES ? (int)pending_ms : -1;
    if (longest_ms >= 0 && (wait_ms < 0 || wait_ms > longest_ms)) wait_ms = longest_ms;
    int n = epoll_wait(s->epoll_fd, events, COUNT(events), wait_ms);
    if (n < 0 && errno != EINTR) return error_set_errno(err, errno, "waiting for requests");
    for (int i = 0; i < n; i++) {
        int fd = events[i].data.fd;
        uint64_t expirations = 0;
        const struct watched *w = find_watched(s, fd);
        if (stop_fd >= 0 && fd == stop_fd) {
            *stops = true;
        } else if (fd == s->timer_fd) {
            if (read(fd, &expirations, sizeof expirations) < 0 && errno != EAGAIN)
                return error_set_errno(err, errno, "reading the timer");
        } else if (w) {
            w->ready(w->context, fd);
        }
    }
    return true;
}

static void serve_events(struct http_server *s)
{
    enum { ROUNDS_MAX = 8 }; /* handlers that wake each other must not keep the loop here */
    ring_due(s, clock_ns());
    for (int i = 0; i < ROUNDS_MAX && (i == 0 || s->runs_again || s->unheard); i++) {
        s->runs_again = false;
        s->unheard = NULL;
        s->lib.run(s->daemon);
    }
    arm_timer(s);
}

/* No new connections; what was begun is answered, within drain_s. */
static bool drain(struct http_server *s, struct error *err)
{
    enum { LOOK_MS = 50 };
    int64_t end_ns = clock_ns() + s->options.drain_s * SECOND_NS;
    int fd = s->options.drain_s ? s->lib.quiesce_daemon(s->daemon) : -1;
    s->is_quiet = fd >= 0;
    while (s->is_quiet && s->begun > s->completed && clock_ns() < end_ns) {
        bool stops = false;
        if (!wait_for_events(s, -1, LOOK_MS, &stops, err)) return false;
        serve_events(s);
    }
    return true;
}

bool http_server_run(struct http_server *s, int stop_fd, struct error *err)
{
    if (stop_fd >= 0 && !watch(s->epoll_fd, stop_fd)) {
        return error_set_errno(err, errno, "cannot watch for the end");
    }
    bool stops = false;
    arm_timer(s); /* alarms that were set before */
    while (s->options.requests_max == 0 || s->completed < s->options.requests_max) {
        if (!wait_for_events(s, stop_fd, -1, &stops, err)) return false;
        if (stops) break;
        serve_events(s);
    }
    if (stop_fd >= 0) epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, stop_fd, NULL);
    return !stops || drain(s, err);
}

void http_server_close(struct http_server *s)
{
    if (!s) return;
    if (s->daemon) {
        for (struct exchange *x = s->all; x; x = x->next) resume(x);
        s->lib.stop_daemon(s->daemon); /* closes the listening socket too */
        if (s->is_quiet) close(s->listen_fd);
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
