/* Streams that are woken by an alarm or a descriptor. The server is a process of its own; what
 * it is asked goes over a socket. */
#include "base/clock.h"
#include "http/server.h"
#include "tests/test.h"

#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SOON_NS = 20000000 };

static struct http_server *server;
static struct http_request *waiting;
static struct http_alarm alarm_clock;
static int pipe_ends[2];
static int closed;
static int told;

static void count_closed(void *context)
{
    (void)context;
    closed++;
}

static void reply_text(struct http_request *r, const char *text)
{
    http_reply(r,
               &(struct http_reply){.status = 200, .type = "text/plain", .body = str_of(text)});
}

/* Says a word each time that it is woken, and ends with the third. */
static int64_t say_word(void *context, struct buf *out)
{
    const int *pipe_end = context; /* NULL, or where it asks for the next one */
    buf_printf(out, "word %d\n", ++told);
    if (pipe_end && write(*pipe_end, "x", 1) != 1) _exit(3);
    return told == 3 ? HTTP_END : HTTP_WAIT;
}

static void wake(void *context)
{
    (void)context;
    http_wake(waiting);
    if (told < 3) http_server_set_alarm(server, &alarm_clock, clock_ns() + SOON_NS);
}

static void pipe_is_ready(void *context, int fd)
{
    (void)context;
    char byte;
    if (read(fd, &byte, 1) == 1) http_wake(waiting);
    if (told == 2) http_server_unwatch(server, fd);
}

static void stream_words(struct http_request *r, int *pipe_end)
{
    told = 0;
    waiting = r;
    http_send_stream(r, &(struct http_stream){.status = 200,
                                              .type = "text/plain",
                                              .source = say_word,
                                              .context = pipe_end,
                                              .closed = count_closed});
}

static void handle(void *context, struct http_request *r)
{
    (void)context;
    struct error err = {0};
    if (str_is(r->path, "/alarm")) {
        stream_words(r, NULL);
        alarm_clock.ring = wake;
        http_server_set_alarm(server, &alarm_clock, clock_ns() + SOON_NS);
    } else if (str_is(r->path, "/pipe")) {
        stream_words(r, &pipe_ends[1]);
        if (!http_server_watch(server, pipe_ends[0], pipe_is_ready, NULL, &err)) _exit(3);
    } else {
        struct http_peer peer = http_peer_of(r);
        reply_text(r, arena_printf(r->arena, "%d closed, %s, %.*s", closed, peer.text,
                                   STR_ARG(r->target)));
    }
}

static pid_t start_with(struct http_server_options options, int *port)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid > 0) {
        assert_int_equal(read(ends[0], port, sizeof *port), sizeof *port);
        close(ends[0]);
        close(ends[1]);
        return pid;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves no server behind */
    struct arena arena = arena_open();
    struct error err = {0};
    options.listen = "127.0.0.1:0";
    options.body_max = 1000;
    options.bodies_max = 1500;
    options.connections_max = 8;
    options.handle = handle;
    if (pipe(pipe_ends) != 0 || !http_server_open(&server, &options, &arena, &err)) _exit(2);
    int own = http_server_port(server);
    if (write(ends[1], &own, sizeof own) != sizeof own) _exit(2);
    _exit(http_server_run(server, -1, &err) ? 0 : 1);
}

static pid_t start(int *port)
{
    return start_with((struct http_server_options){0}, port);
}

static int connect_to(int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

/* The whole reply; the connection is closed after it. */
static const char *get(int port, const char *target)
{
    static char reply[4096];
    char request[200];
    int fd = connect_to(port);
    int n = snprintf(request, sizeof request,
                     "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", target);
    assert_int_equal(write(fd, request, (size_t)n), n);
    size_t got = 0;
    for (ssize_t more; (more = read(fd, reply + got, sizeof reply - 1 - got)) > 0;)
        got += (size_t)more;
    reply[got] = '\0';
    close(fd);
    return reply;
}

static void assert_has(const char *reply, const char *text)
{
    if (!strstr(reply, text)) fail_msg("'%s' is not in: %s", text, reply);
}

TEST(replies_come_when_something_else_has_happened)
{
    static const char *const paths[] = {"/alarm", "/pipe", "/alarm"};
    int port = 0;
    pid_t pid = start(&port);
    for (size_t i = 0; i < COUNT(paths); i++) {
        const char *stream = get(port, paths[i]);
        assert_has(stream, "word 1\n");
        assert_has(stream, "word 2\n");
        assert_has(stream, "word 3\n");
    }
    /* Each of the three was told that it is over; the target is as it was sent. */
    assert_has(get(port, "/a%20b?x=%31"), "3 closed, 127.0.0.1, /a%20b?x=%31");
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* A request that has sent 900 of 1000 bytes. */
static int begin_body(int port)
{
    char request[1100];
    int head = snprintf(request, sizeof request,
                        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n");
    int fd = connect_to(port);
    memset(request + head, 'a', sizeof request - (size_t)head);
    assert_int_equal(write(fd, request, (size_t)head), head);
    assert_int_equal(write(fd, request + head, 900), 900);
    return fd;
}

TEST(bodies_of_all_requests_together_are_bounded_and_given_back)
{
    int port = 0;
    pid_t pid = start(&port);
    char rest[100];
    char reply[4096];
    memset(rest, 'a', sizeof rest);
    for (int round = 0; round < 3; round++) {
        int first = begin_body(port);
        assert_has(get(port, "/"), " 200 OK"); /* the first has been read by now */
        int second = begin_body(port);
        assert_true(read(second, reply, sizeof reply) <= 0);
        close(second);
        assert_int_equal(write(first, rest, sizeof rest), sizeof rest);
        assert_true(read(first, reply, sizeof reply) > 0);
        close(first);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* Sends `text` again and again, ten times a second; the seconds until the other end has closed
 * the connection, at most `longest`. */
static double dribble(int fd, const char *text, double longest)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    char byte;
    int64_t begun_ns = clock_ns();
    double seconds = 0;
    while (seconds < longest && recv(fd, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN) {
        send(fd, text, strlen(text), MSG_NOSIGNAL);
        nanosleep(&pause, NULL);
        seconds = (double)(clock_ns() - begun_ns) / 1e9;
    }
    close(fd);
    return seconds;
}

TEST(a_request_that_does_not_end_is_closed_however_busy_it_is)
{
    int port = 0;
    char reply[4096];
    const char *ask = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    pid_t pid =
        start_with((struct http_server_options){.idle_s = 60, .head_s = 1, .body_s = 2}, &port);
    int fd = connect_to(port);
    assert_int_equal(write(fd, ask, 20), 20);
    double head_s = dribble(fd, "X: y\r\n", 20);
    assert_true(head_s > 0.5 && head_s < 20);
    fd = begin_body(port);
    double body_s = dribble(fd, "a", 9); /* 100 are missing */
    assert_true(body_s > 1 && body_s < 9);
    /* Between two requests a client may take its time. */
    fd = connect_to(port);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(write(fd, ask, strlen(ask)), strlen(ask));
        assert_true(read(fd, reply, sizeof reply) > 0);
        sleep(2);
    }
    close(fd);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    /* But not for ever, if it has begun to speak. */
    pid =
        start_with((struct http_server_options){.idle_s = 1, .head_s = 1, .body_s = 2}, &port);
    fd = connect_to(port);
    assert_int_equal(write(fd, ask, strlen(ask)), strlen(ask));
    assert_true(read(fd, reply, sizeof reply) > 0);
    assert_int_equal(write(fd, ask, 20), 20);
    double next_s = dribble(fd, "X: y\r\n", 20);
    assert_true(next_s > 0.5 && next_s < 19);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

TEST(one_address_does_not_get_every_connection)
{
    int port = 0;
    char byte;
    int fds[3];
    pid_t pid = start_with((struct http_server_options){.peer_connections_max = 2}, &port);
    for (int i = 0; i < 3; i++) fds[i] = connect_to(port);
    assert_true(read(fds[2], &byte, 1) <= 0);
    for (int i = 0; i < 3; i++) close(fds[i]);
    for (int i = 0; i < 100 && !strstr(get(port, "/"), " 200 OK"); i++) usleep(50000);
    assert_has(get(port, "/"), " 200 OK");
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

TEST_MAIN(T(replies_come_when_something_else_has_happened),
          T(bodies_of_all_requests_together_are_bounded_and_given_back),
          T(a_request_that_does_not_end_is_closed_however_busy_it_is),
          T(one_address_does_not_get_every_connection))
