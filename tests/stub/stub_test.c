/* Starting and stopping; what it answers is in tests/agent/openai_test.c,
 * tests/cli/stub.bats and tests/interop. */
#include "stub/stub.h"

#include "base/buf.h"
#include "base/os.h"
#include "tests/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* A request by hand; what comes until the connection is closed, or `enough`. */
static void exchange(int port, const char *request, const char *enough, char *reply,
                     size_t size)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    assert_int_equal(write(fd, request, strlen(request)), strlen(request));
    size_t n = 0;
    reply[0] = '\0';
    while (!strstr(reply, enough)) {
        ssize_t got = read(fd, reply + n, size - 1 - n);
        if (got <= 0) break;
        n += (size_t)got;
        reply[n] = '\0';
    }
    close(fd);
}

TEST(it_runs_beside_us_and_ends_when_told)
{
    struct stub_options o = stub_options_default;
    struct stub_process p;
    struct error err = {0};
    char reply[1024];
    o.listen = "127.0.0.1:0";
    assert_true(stub_start(&p, &o, &err));
    exchange(p.port, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", "true}", reply, sizeof reply);
    assert_non_null(strstr(reply, "HTTP/1.1 200 OK"));
    pid_t pid = p.pid;
    stub_stop(&p);
    stub_stop(&p); /* twice is once */
    assert_int_equal(kill(pid, 0), -1);
}

TEST(two_requests_in_one_write_get_two_answers)
{
    struct stub_options o = stub_options_default;
    struct stub_process p;
    struct error err = {0};
    char reply[2048];
    o.listen = "127.0.0.1:0";
    o.requests = 2;
    assert_true(stub_start(&p, &o, &err));
    exchange(p.port,
             "GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n"
             "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
             "{\"ok\":true}", reply, sizeof reply);
    assert_non_null(strstr(reply, "\"owned_by\":\"assay\""));
    assert_non_null(strstr(reply, "{\"ok\":true}"));
    int status = -1;
    assert_int_equal(waitpid(p.pid, &status, 0), p.pid); /* it has had its two */
    assert_int_equal(status, 0);
}

static struct stub_process started(struct stub_options o)
{
    struct stub_process p;
    struct error err = {0};
    o.listen = "127.0.0.1:0";
    if (!stub_start(&p, &o, &err)) fail_msg("%s", err.text);
    return p;
}

static int connected(int port)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct timeval limit = {.tv_sec = 20};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

/* Reads until the other side closes; false if it does not within the socket's limit. */
static bool is_closed(int fd)
{
    char bytes[4096];
    for (;;) {
        ssize_t n = read(fd, bytes, sizeof bytes);
        if (n <= 0) return n == 0 || errno == ECONNRESET;
    }
}

static void send_text(int fd, const char *text)
{
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

#define QUESTION \
    "{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}"

TEST(a_stream_that_is_cut_off_is_closed_at_once_beside_an_idle_connection)
{
    struct stub_options o = stub_options_default;
    o.drop_rate = 1;
    struct stub_process p = started(o);
    char request[512];
    int idle = connected(p.port);
    send_text(idle, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    char reply[1024];
    assert_true(read(idle, reply, sizeof reply) > 0); /* it is kept */
    snprintf(request, sizeof request,
             "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n\r\n%s",
             strlen(QUESTION), QUESTION);
    for (int i = 0; i < 5; i++) {
        int fd = connected(p.port);
        send_text(fd, request);
        assert_true(is_closed(fd));
        close(fd);
    }
    close(idle);
    stub_stop(&p);
}

TEST(it_says_what_it_is_in_every_reply)
{
    struct stub_process p = started(stub_options_default);
    char reply[8192];
    char request[512];
    snprintf(request, sizeof request,
             "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n\r\n%s",
             strlen(QUESTION), QUESTION);
    exchange(p.port, request, "[DONE]", reply, sizeof reply);
    assert_non_null(strstr(reply, "X-Assay-Stub: 1\r\n"));
    assert_non_null(strstr(reply, "\"system_fingerprint\":\"assay-stub\""));
    exchange(p.port, "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n", "}}", reply, sizeof reply);
    assert_non_null(strstr(reply, "X-Assay-Stub: 1\r\n"));
    stub_stop(&p);
}

TEST(a_length_that_cannot_be_trusted_is_refused_and_the_connection_closed)
{
    static const struct {
        const char *headers;
        const char *status;
    } rows[] = {
        {"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", " 400 "},
        {"Content-Length: 9223372036854775807\r\n", " 413 "},
        {"Content-Length: 99999999\r\n", " 413 "},
    };
    struct stub_process p = started(stub_options_default);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char request[512];
        char reply[2048] = "";
        int fd = connected(p.port);
        snprintf(request, sizeof request,
                 "POST /v1/embeddings HTTP/1.1\r\nHost: x\r\n%s\r\n0\r\n\r\n"
                 "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
                 rows[i].headers);
        send_text(fd, request);
        size_t n = 0;
        for (ssize_t got; (got = read(fd, reply + n, sizeof reply - 1 - n)) > 0;) {
            n += (size_t)got;
        }
        if (!strstr(reply, rows[i].status) || strstr(reply, "\"ok\":true"))
            fail_msg("%s: %s", rows[i].headers, reply); /* the rest is no second request */
        close(fd);
    }
    stub_stop(&p);
}

TEST(an_idle_connection_is_closed)
{
    struct stub_options o = stub_options_default;
    o.idle_s = 1;
    struct stub_process p = started(o);
    int fd = connected(p.port);
    assert_true(is_closed(fd));
    close(fd);
    stub_stop(&p);
}

/* The largest request for embeddings is a second of work; another is answered within it. */
TEST(a_large_request_for_embeddings_lets_others_in)
{
    struct stub_process p = started(stub_options_default);
    struct buf b;
    buf_init(&b, 1 << 20);
    buf_text(&b, "{\"dimensions\":4096,\"input\":[\"a\"");
    for (int i = 1; i < 2048; i++) buf_printf(&b, ",\"a%d\"", i);
    buf_text(&b, "]}");
    char head[128];
    snprintf(head, sizeof head,
             "POST /v1/embeddings HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n\r\n", b.n);
    int large = connected(p.port);
    send_text(large, head);
    send_text(large, b.p);
    char reply[4096];
    assert_true(read(large, reply, sizeof reply) > 0); /* it has begun */
    exchange(p.port, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", "true}", reply, sizeof reply);
    assert_non_null(strstr(reply, "true}"));
    size_t points = 0; /* the large one is under way still, and comes whole */
    static const char mark[] = "\"index\":";
    static char bytes[1 << 16];
    size_t kept = 0;
    bool is_whole = false;
    for (ssize_t got;
         !is_whole && (got = read(large, bytes + kept, sizeof bytes - 1 - kept)) > 0;) {
        size_t n = kept + (size_t)got;
        bytes[n] = '\0';
        for (const char *at = bytes; (at = memmem(at, n - (size_t)(at - bytes), mark, 8));
             at++) {
            points++;
        }
        is_whole = memmem(bytes, n, "total_tokens", 12) != NULL;
        kept = n < 16 ? n : 16;
        memmove(bytes, bytes + n - kept, kept);
        /* a mark in what is kept would be counted twice */
        if (memmem(bytes, kept, mark, 8)) points--;
    }
    assert_true(is_whole);
    assert_true(points > 2000 && points <= 2048);
    close(large);
    buf_release(&b);
    stub_stop(&p);
}

TEST(why_it_cannot_start_is_told)
{
    struct stub_options o = stub_options_default;
    struct stub_process p;
    struct error err = {0};
    o.listen = "127.0.0.1:0";
    o.ttft_ms = "soon";
    assert_false(stub_start(&p, &o, &err));
    assert_non_null(strstr(err.text, "starting the stub: the time to the first token 'soon'"));
    assert_int_equal(err.code, ERROR_INVALID);
    assert_int_equal(p.pid, 0);
}

/* A run steps back for what it measures; its stand-in is part of that. */
TEST(it_does_not_step_back)
{
    struct stub_options o = stub_options_default;
    struct stub_process p;
    struct error err = {0};
    o.listen = "127.0.0.1:0";
    if (sched_getscheduler(0) != SCHED_OTHER) {
        print_message("# skip: we were started with another policy\n");
        return;
    }
    os_step_back(true);
    assert_int_equal(sched_getscheduler(0), SCHED_BATCH);
    assert_true(stub_start(&p, &o, &err));
    assert_int_equal(sched_getscheduler(p.pid), SCHED_OTHER);
    stub_stop(&p);
    os_step_back(false);
    assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
}

TEST_MAIN(T(it_runs_beside_us_and_ends_when_told), T(two_requests_in_one_write_get_two_answers),
          T(a_stream_that_is_cut_off_is_closed_at_once_beside_an_idle_connection),
          T(it_says_what_it_is_in_every_reply),
          T(a_length_that_cannot_be_trusted_is_refused_and_the_connection_closed),
          T(an_idle_connection_is_closed), T(a_large_request_for_embeddings_lets_others_in),
          T(why_it_cannot_start_is_told), T(it_does_not_step_back))
