/* Starting and stopping; what it answers is in tests/agent/openai_test.c,
 * tests/cli/stub.bats and tests/interop. */
#include "stub/stub.h"

#include "base/os.h"
#include "tests/test.h"

#include <arpa/inet.h>
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
          T(why_it_cannot_start_is_told), T(it_does_not_step_back))
