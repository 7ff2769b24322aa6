#include "http/listen.h"
#include "tests/agent/remote.h"

#include <sys/socket.h>

/* A server that does what the path says; `count` requests were there before. */
struct odd {
    int count;
};

static void reply(struct http_request *r, int status, const char *type, struct str body)
{
    http_reply(r, &(struct http_reply){.status = status, .type = type, .body = body});
}

static void answer_flaky(struct http_request *r, int count, const char *retry_after)
{
    if (count >= 2) {
        reply(r, 200, "text/plain", S("at last"));
        return;
    }
    struct http_header *h = arena_new(r->arena, struct http_header, 1);
    *h = (struct http_header){"Retry-After", retry_after};
    http_reply(r, &(struct http_reply){.status = count ? 429 : 503,
                                       .type = "application/json",
                                       .body = S("{\"error\":{\"message\":\"busy\"}}"),
                                       .headers = h,
                                       .header_count = retry_after ? 1 : 0});
}

static int64_t cut_off(void *context, struct buf *out)
{
    bool *has_begun = context;
    if (*has_begun) return HTTP_ABORT;
    *has_begun = true;
    buf_text(out, "half of ");
    return 0;
}

static void handle_odd(void *context, struct http_request *r)
{
    struct odd *odd = context;
    int count = odd->count++;
    if (str_is(r->path, "/echo")) {
        reply(r, 200, "application/json", r->body);
    } else if (str_starts(r->path, S("/get/"))) {
        reply(r, 200, "text/plain",
              str_of(arena_printf(r->arena, "%.*s %.*s %zu", STR_ARG(r->method),
                                  STR_ARG(r->path), r->body.n)));
    } else if (str_is(r->path, "/headers")) {
        reply(r, 200, "text/plain",
              str_of(arena_printf(r->arena, "%.*s|%.*s|%.*s|%.*s", STR_ARG(r->method),
                                  STR_ARG(http_header_of(r, "Authorization")),
                                  STR_ARG(http_header_of(r, "Content-Type")),
                                  STR_ARG(http_header_of(r, "X-One")))));
    } else if (str_is(r->path, "/leak")) {
        struct str key = http_header_of(r, "Authorization");
        reply(r, 401, "application/json",
              str_of(arena_printf(r->arena, "{\"error\":{\"message\":\"bad key %.*s\"}}",
                                  STR_ARG(key))));
    } else if (str_is(r->path, "/flaky")) {
        answer_flaky(r, count, NULL);
    } else if (str_is(r->path, "/retry-after")) {
        answer_flaky(r, count, "1");
    } else if (str_is(r->path, "/retry-late")) {
        answer_flaky(r, count, "100");
    } else if (str_is(r->path, "/not-utf8")) {
        reply(r, 200, "text/plain", S("caf\xe9"));
    } else if (str_is(r->path, "/slow") || str_is(r->path, "/wait")) {
        int64_t wait_ns = str_is(r->path, "/slow") ? 5000000000 : 20000000;
        http_reply(r, &(struct http_reply){.status = 200,
                                           .type = "text/plain",
                                           .body = S("late"),
                                           .not_before_ns = clock_ns() + wait_ns});
    } else if (str_is(r->path, "/moved")) {
        struct http_header *h = arena_new(r->arena, struct http_header, 1);
        *h = (struct http_header){"Location", "http://127.0.0.1:1/login"};
        http_reply(r, &(struct http_reply){.status = 302,
                                           .type = "text/html",
                                           .body = S("<p>gone"),
                                           .headers = h,
                                           .header_count = 1});
    } else if (str_is(r->path, "/cut")) {
        http_send_stream(r, &(struct http_stream){.status = 200,
                                                  .type = "text/plain",
                                                  .source = cut_off,
                                                  .context = arena_new(r->arena, bool, 1)});
    } else {
        reply(r, 418, "text/plain", S("a teapot"));
    }
}

static struct stub_process odd_server(void)
{
    static struct odd odd;
    odd = (struct odd){0};
    return remote_server(handle_odd, &odd);
}

#define NO_RETRY ", retry: {max: 0}}"

TEST(the_body_is_made_from_the_case_and_the_answer_found_by_pointer)
{
    struct stub_process server = odd_server();
    struct remote r;
    remote_open(&r, "http",
                "{url: 'http://127.0.0.1:%d/echo', body: {q: 'Q: {{input}}', n: '{{turn}}', "
                "tokens: 12, cost: 0.25}, output: /q, usage: {input_tokens: /tokens, "
                "cost_usd: /cost, output_tokens: /not/there}}",
                server.port, (struct agent_limits){0});
    remote_expect(&r, "say \"hi\"", TRIAL_OK, "");
    assert_true(str_is(r.answer.output, "Q: say \"hi\""));
    assert_true(r.answer.input_tokens == 12 && r.answer.cost_usd == 0.25);
    assert_true(isnan(r.answer.output_tokens));
    assert_true(r.answer.api_calls == 1 && r.answer.retries == 0);
    remote_close(&r);

    remote_open(&r, "http", "{url: 'http://127.0.0.1:%d/echo'}", server.port,
                (struct agent_limits){0});
    remote_expect(&r, "x", TRIAL_OK, "");
    assert_true(str_is(r.answer.output, "{\"input\":\"x\"}"));
    remote_close(&r);
    stub_stop(&server);
}

TEST(a_get_has_the_case_in_its_address)
{
    struct stub_process server = odd_server();
    struct remote r;
    remote_open(&r, "http", "{url: 'http://127.0.0.1:%d/get/{{input}}', method: GET}",
                server.port, (struct agent_limits){0});
    remote_expect(&r, "a b/c", TRIAL_OK, "");
    assert_true(str_is(r.answer.output, "GET /get/a b/c 0")); /* decoded again */
    remote_close(&r);
    stub_stop(&server);
}

TEST(a_connection_is_used_again_and_that_is_stated)
{
    struct stub_process server = odd_server();
    struct remote r;
    remote_open(&r, "http", "{url: 'http://127.0.0.1:%d/wait'}", server.port,
                (struct agent_limits){0});
    remote_expect(&r, "1", TRIAL_OK, "");
    assert_true(r.answer.connections == 1);
    assert_string_equal(r.answer.phases[0].name, "connect");
    remote_expect(&r, "2", TRIAL_OK, "");
    assert_true(r.answer.connections == 0);
    assert_string_equal(r.answer.phases[0].name, "wait");
    double sum = 0;
    for (size_t i = 0; i < r.answer.phase_count; i++) sum += r.answer.phases[i].duration_s;
    assert_true(sum >= 0.020 && sum <= r.duration_s);
    remote_close(&r);
    stub_stop(&server);
}

TEST(method_headers_and_key_are_sent_and_the_key_is_not_shown)
{
    struct stub_process server = odd_server();
    struct remote r;
    setenv("ASSAY_TEST_KEY", "sk-secret", 1);
    remote_open(&r, "http",
                "{url: 'http://127.0.0.1:%d/headers', method: PUT, headers: {X-One: 1}, body: "
                "'plain {{input}}', api_key_env: ASSAY_TEST_KEY}",
                server.port, (struct agent_limits){0});
    remote_expect(&r, "x", TRIAL_OK, "");
    assert_true(str_is(r.answer.output, "PUT|Bearer [redacted]|text/plain; charset=utf-8|1"));
    remote_close(&r);

    remote_open(&r, "http",
                "{url: 'http://127.0.0.1:%d/leak', api_key_env: ASSAY_TEST_KEY, "
                "api_key_header: 'Authorization: {{key}}'}",
                server.port, (struct agent_limits){0});
    remote_expect(&r, "x", TRIAL_AGENT_ERROR, "HTTP 401: bad key [redacted]");
    remote_close(&r);

    unsetenv("ASSAY_TEST_KEY");
    assert_false(remote_try_open(&r, "http", "{url: 'http://a', api_key_env: ASSAY_TEST_KEY}",
                                 0, (struct agent_limits){0}));
    assert_int_equal(r.err.code, ERROR_UNAVAILABLE);
    remote_close(&r);
    stub_stop(&server);
}

TEST(busy_servers_are_asked_again_and_the_wait_counts)
{
    struct stub_process server = odd_server();
    struct remote r;
    remote_open(&r, "http", "{url: 'http://127.0.0.1:%d/flaky', retry: {backoff_ms: 20}}",
                server.port, (struct agent_limits){0});
    remote_expect(&r, "x", TRIAL_OK, "");
    assert_true(str_is(r.answer.output, "at last"));
    assert_true(r.answer.api_calls == 3 && r.answer.retries == 2);
    assert_true(r.duration_s >= 0.060); /* 20 + 40 ms */
    assert_string_equal(r.answer.phases[0].name, "retries");
    assert_true(r.answer.phases[0].duration_s >= 0.060);
    remote_close(&r);
    stub_stop(&server);

    server = odd_server();
    remote_open(&r, "http",
                "{url: 'http://127.0.0.1:%d/flaky', retry: {max: 1, backoff_ms: 1}}",
                server.port, (struct agent_limits){0});
    remote_expect(&r, "x", TRIAL_AGENT_ERROR, "after 2 attempts: HTTP 429: busy");
    remote_close(&r);
    stub_stop(&server);
}

TEST(retry_after_is_honoured_within_the_limit)
{
    struct stub_process server = odd_server();
    struct remote r;
    remote_open(&r, "http",
                "{url: 'http://127.0.0.1:%d/retry-after', retry: {max: 1, backoff_ms: 1}}",
                server.port, (struct agent_limits){0});
    remote_expect(&r, "x", TRIAL_AGENT_ERROR, "HTTP 429");
    assert_true(r.duration_s >= 1.0);
    remote_close(&r);
    stub_stop(&server);

    server = odd_server();
    remote_open(&r, "http", "{url: 'http://127.0.0.1:%d/retry-late'}", server.port,
                (struct agent_limits){.time_ns = 1000000000});
    remote_expect(&r, "x", TRIAL_AGENT_ERROR, "wait of 100 s");
    assert_true(r.duration_s < 0.9 && r.answer.api_calls == 1);
    remote_close(&r);
    stub_stop(&server);
}

static const struct {
    const char *yaml;
    struct agent_limits limits;
    enum trial_status status;
    const char *reason;
} failures[] = {
    {"{url: 'http://127.0.0.1:%d/teapot'}", {0}, TRIAL_AGENT_ERROR, "HTTP 418: a teapot"},
    {"{url: 'http://127.0.0.1:%d/not-utf8'}", {0}, TRIAL_INVALID_OUTPUT, "not UTF-8 at byte 4"},
    {"{url: 'http://127.0.0.1:%d/headers', output: /a}", {0}, TRIAL_INVALID_OUTPUT, "not JSON"},
    {"{url: 'http://127.0.0.1:%d/echo', output: /a}",
     {0},
     TRIAL_INVALID_OUTPUT,
     "nothing at /a"},
    {"{url: 'http://127.0.0.1:%d/echo', body: {e: bad}, error: /e}",
     {0},
     TRIAL_AGENT_ERROR,
     "the agent reports: bad"},
    {"{url: 'http://127.0.0.1:%d/echo', body: {n: -1}, usage: {input_tokens: /n}}",
     {0},
     TRIAL_INVALID_OUTPUT,
     "below 0"},
    {"{url: 'http://127.0.0.1:%d/echo', body: {n: 1e308}, usage: {cost_usd: /n}}",
     {0},
     TRIAL_INVALID_OUTPUT,
     "cost_usd is 1e+308; it must be from 0 to 1000000000"},
    {"{url: 'http://127.0.0.1:%d/echo', body: {n: 1e16}, usage: {output_tokens: /n}}",
     {0},
     TRIAL_INVALID_OUTPUT,
     "output_tokens is 1e+16"},
    {"{url: 'http://127.0.0.1:%d/echo', body: {n: 500}, usage: {input_tokens: /n}}",
     {.tokens = 100},
     TRIAL_LIMIT_BREACHED,
     "500 tokens"},
    {"{url: 'http://127.0.0.1:%d/echo'}",
     {.output_bytes = 5},
     TRIAL_LIMIT_BREACHED,
     "the answer has 13 bytes, the limit is 5"},
    {"{url: 'http://127.0.0.1:%d/moved'}",
     {0},
     TRIAL_AGENT_ERROR,
     "HTTP 302, a redirect to http://127.0.0.1:1/login, which is not followed"},

    {"{url: 'http://127.0.0.1:%d/slow'}", {.time_ns = 50000000}, TRIAL_TIMED_OUT, "0.05 s"},
    {"{url: 'http://127.0.0.1:%d/cut'" NO_RETRY, {0}, TRIAL_AGENT_ERROR, "broke off"},
    {"{url: 'http://127.0.0.1:1/{{input}}'" NO_RETRY, {0}, TRIAL_AGENT_ERROR, "onnect"},
    {"{url: 'http://127.0.0.1:%d/echo', body: '{{nope}}'}", {0}, TRIAL_HARNESS_ERROR, ""},
};

TEST(that_nobody_listens_is_said_before_any_case)
{
    struct remote r;
    int64_t start_ns = clock_ns();
    assert_false(remote_try_open(
        &r, "http", "{url: 'http://127.0.0.1:1/x', retry: {max: 2, backoff_ms: 20}}", 0,
        (struct agent_limits){0}));
    assert_int_equal(r.err.code, ERROR_UNAVAILABLE);
    assert_non_null(strstr(r.err.text, "nothing listens at http://127.0.0.1:1/x: after 3 att"));
    assert_true(clock_ns() - start_ns >= 60000000); /* it may be about to start */
    remote_close(&r);

    /* One that goes away later fails its cases. */
    struct stub_process server = odd_server();
    remote_open(&r, "http", "{url: 'http://127.0.0.1:%d/echo'" NO_RETRY, server.port,
                (struct agent_limits){0});
    remote_expect(&r, "x", TRIAL_OK, "");
    stub_stop(&server);
    remote_expect(&r, "x", TRIAL_AGENT_ERROR, "");
    remote_close(&r);
}

TEST(every_failure_has_its_status_and_reason)
{
    struct stub_process server = odd_server();
    for (size_t i = 0; i < COUNT(failures); i++) {
        struct remote r;
        remote_open(&r, "http", failures[i].yaml, server.port, failures[i].limits);
        remote_expect(&r, "x", failures[i].status, failures[i].reason);
        remote_close(&r);
    }
    stub_stop(&server);
}

/* One line of 300 kB, then two thousand of 1 kB: more than libcurl takes, more than we do. */
static void send_header(int fd, size_t lines, size_t bytes)
{
    static char text[300000];
    memset(text, 'x', sizeof text);
    static const char ok[] = "HTTP/1.1 200 OK\r\n";
    bool done = write(fd, ok, sizeof ok - 1) > 0;
    for (size_t i = 0; i < lines && done; i++) {
        done =
            write(fd, "A: ", 3) == 3 && write(fd, text, bytes) > 0 && write(fd, "\r\n", 2) == 2;
    }
    done = done && write(fd, "\r\n", 2) == 2;
    (void)done;
}

TEST(a_header_that_is_too_large_is_called_that)
{
    int listen_fd = -1;
    struct error err = {0};
    assert_true(listen_open("127.0.0.1:0", &listen_fd, &err));
    int port = listen_port(listen_fd);
    pid_t server = fork();
    if (server == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_IGN);
        for (int i = 0;; i++) {
            char request[4096];
            int fd = accept(listen_fd, NULL, NULL);
            if (read(fd, request, sizeof request) > 0) {
                send_header(fd, i < 2 ? 1 : 2000, i < 2 ? 300000 : 1000);
            }
            close(fd);
        }
    }
    close(listen_fd);
    struct remote r;
    remote_open(&r, "http", "{url: 'http://127.0.0.1:%d/'" NO_RETRY, port,
                (struct agent_limits){0});
    remote_expect(&r, "x", TRIAL_AGENT_ERROR, "its header is too large");
    remote_expect(&r, "x", TRIAL_AGENT_ERROR, "its header is too large");
    remote_close(&r);
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
}

static const struct {
    const char *yaml;
    const char *reason;
} refused[] = {
    {"{url: 'http://a', output: a/b}", "output: 'a/b' is not a JSON pointer"},
    {"{url: 'http://a', error: x}", "error: 'x' is not a JSON pointer"},
    {"{url: 'http://a', usage: {tokens: /a}}", "usage.tokens: is unknown"},
    {"{url: 'http://a', usage: {input_tokens: 3}}", "must be a JSON pointer"},
    {"{url: 'http://a', retry: {max: 99}}", "retry: "},
    {"{url: 'http://a', retry: {maximum: 1}}", "unknown parameter 'maximum'"},
    {"{url: 'http://a', headers: {A: \"x\\ny\"}}", "one line"},
    {"{url: 'ftp://a'}", "http://"},
};

TEST(wrong_settings_are_told_before_any_work)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct remote r;
        bool is_open =
            remote_try_open(&r, "http", refused[i].yaml, 0, (struct agent_limits){0});
        if (is_open || !strstr(r.err.text, refused[i].reason))
            fail_msg("%s: '%s'", refused[i].yaml, r.err.text);
        remote_close(&r);
    }
}

TEST_MAIN(T(the_body_is_made_from_the_case_and_the_answer_found_by_pointer),
          T(a_get_has_the_case_in_its_address),
          T(a_connection_is_used_again_and_that_is_stated),
          T(method_headers_and_key_are_sent_and_the_key_is_not_shown),
          T(busy_servers_are_asked_again_and_the_wait_counts),
          T(retry_after_is_honoured_within_the_limit),
          T(that_nobody_listens_is_said_before_any_case),
          T(every_failure_has_its_status_and_reason),
          T(a_header_that_is_too_large_is_called_that),
          T(wrong_settings_are_told_before_any_work))
