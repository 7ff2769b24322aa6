#include "base/os.h"
#include "stats/quantile.h"
#include "tests/agent/remote.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#define MODEL "{url: 'http://127.0.0.1:%d/v1', model: stub"

static struct stub_options options(void)
{
    return stub_options_default;
}

TEST(an_answer_with_its_tokens_times_and_cost)
{
    struct stub_options o = options();
    o.gap_ms = "20"; /* else the tokens come at once, on a busy machine too */
    struct stub_process stub = remote_stub(o);
    struct remote r;
    remote_open(&r, "openai", MODEL ", max_tokens: 5, temperature: 0}", stub.port,
                (struct agent_limits){0});
    remote_expect(&r, "What is 2+3?", TRIAL_OK, "");
    assert_true(r.answer.output.n > 0);
    assert_true(r.answer.input_tokens == 3 && r.answer.output_tokens == 5);
    assert_false(r.answer.tokens_are_counted);
    assert_true(str_is(r.answer.finish_reason, "length"));
    assert_int_equal(r.answer.gap_count, 4);
    assert_true(r.answer.is_simulated); /* whatever the model is called */
    assert_true(r.answer.first_token_s > 0 && r.answer.first_token_s <= r.duration_s);
    assert_close(r.answer.cost_usd, (3 * 1 + 5 * 10) * 1e-6, 1e-15);
    assert_true(r.answer.connections == 1 && r.answer.api_calls == 1);
    char first[256];
    snprintf(first, sizeof first, "%.*s", STR_ARG(r.answer.output));
    remote_expect(&r, "What is 2+3?", TRIAL_OK, "");
    assert_true(str_is(r.answer.output, first)); /* a function of seed and prompt */
    assert_true(r.answer.connections == 0);
    remote_expect(&r, "What is 2+4?", TRIAL_OK, "");
    assert_false(str_is(r.answer.output, first));
    remote_close(&r);

    remote_open(&r, "openai", MODEL ", max_tokens: 5, stream: false}", stub.port,
                (struct agent_limits){0});
    remote_expect(&r, "What is 2+3?", TRIAL_OK, "");
    assert_true(str_is(r.answer.output, first)); /* the same without a stream */
    assert_true(isnan(r.answer.first_token_s) && r.answer.gap_count == 0);
    assert_true(r.answer.output_tokens == 5);
    remote_close(&r);
    stub_stop(&stub);
}

TEST(tokens_are_counted_where_the_server_does_not_tell)
{
    struct stub_options o = options();
    o.has_no_usage = true;
    struct stub_process stub = remote_stub(o);
    struct remote r;
    remote_open(&r, "openai", MODEL ", max_tokens: 7}", stub.port, (struct agent_limits){0});
    remote_expect(&r, "x", TRIAL_OK, "");
    assert_true(r.answer.tokens_are_counted && r.answer.output_tokens == 7);
    assert_true(isnan(r.answer.input_tokens));
    remote_close(&r);
    remote_open(&r, "openai", MODEL ", stream: false}", stub.port, (struct agent_limits){0});
    remote_expect(&r, "x", TRIAL_OK, "");
    assert_true(isnan(r.answer.output_tokens));
    remote_close(&r);
    stub_stop(&stub);
}

/* A file for the stub; removed by the caller. */
static const char *answers_file(struct arena *a, const char **folder)
{
    struct error err = {0};
    assert_true(os_make_temp_dir("assay-openai", a, folder, &err));
    const char *path = arena_printf(a, "%s/answers.jsonl", *folder);
    assert_true(os_write_file(
        path,
        S("{\"match\":\"weather\",\"answer\":\"Let me see\",\"tool_calls\":[{\"name\":"
          "\"weather\",\"arguments\":{\"city\":\"Ulm\",\"days\":3}},{\"name\":\"clock\"}]}\n"
          "{\"match\":\"\xe6\x97\xa5\xe6\x9c\xac?\",\"answer\":\"t\xc5\x8dky\xc5\x8d "
          "\\\"\\\\\\n\"}\n"),
        &err));
    return path;
}

TEST(tool_calls_and_any_text_come_through)
{
    struct arena a = arena_open();
    struct stub_options o = options();
    const char *folder = NULL;
    o.answers = answers_file(&a, &folder);
    struct stub_process stub = remote_stub(o);
    struct remote r;
    static const char *const forms[] = {MODEL "}", MODEL ", stream: false}"};
    for (size_t i = 0; i < COUNT(forms); i++) {
        remote_open(&r, "openai", forms[i], stub.port, (struct agent_limits){0});
        remote_expect(&r, "the weather, please", TRIAL_OK, "");
        assert_true(str_is(r.answer.output, "Let me see"));
        assert_true(str_is(r.answer.finish_reason, "tool_calls"));
        const struct value *calls = NULL;
        assert_true(
            value_read_json(r.answer.tool_calls, &value_limits_spec, &a, &calls, &r.err));
        assert_int_equal(calls->list.count, 2);
        const struct value *f = value_get(calls->list.items[0], "function");
        assert_true(str_is(value_get(f, "name")->source, "weather"));
        assert_true(str_is(value_get(f, "arguments")->source, "{\"city\":\"Ulm\",\"days\":3}"));
        remote_expect(&r, "\xe6\x97\xa5\xe6\x9c\xac?", TRIAL_OK, "");
        assert_true(str_is(r.answer.output, "t\xc5\x8dky\xc5\x8d \"\\\n"));
        remote_close(&r);
    }
    stub_stop(&stub);
    os_remove_tree(folder);
    arena_close(&a);
}

/* ---- conversations ---- */

/* Answers with the roles and contents of what it was sent. */
static void handle_history(void *context, struct http_request *r)
{
    (void)context;
    const struct value *body = NULL;
    struct buf b;
    struct json j;
    char *text = arena_new(r->arena, char, 4096);
    char *all = arena_new(r->arena, char, 2048);
    struct buf said;
    buf_over(&said, all, 2048);
    buf_over(&b, text, 4096);
    if (value_read_json(r->body, &value_limits_spec, r->arena, &body, NULL)) {
        const struct value *m = value_get(body, "messages");
        for (size_t i = 0; i < m->list.count; i++) {
            buf_printf(&said, "%.1s:%.*s ", value_get(m->list.items[i], "role")->source.p,
                       STR_ARG(value_get(m->list.items[i], "content")->source));
        }
    }
    json_init(&j, &b, 0);
    json_object(&j);
    json_key(&j, "choices");
    json_list(&j);
    json_object(&j);
    json_key(&j, "message");
    json_object(&j);
    json_key(&j, "content");
    json_str(&j, said.n > 60 ? S("long") : buf_str(&said));
    json_end(&j);
    json_end(&j);
    json_end(&j);
    json_end(&j);
    http_reply(r, &(struct http_reply){
                      .status = 200, .type = "application/json", .body = buf_str(&b)});
}

static void say(struct remote *r, const char *conversation, int64_t turn, const char *input,
                const char *expected)
{
    struct agent_task task = {.conversation = str_of(conversation),
                              .turn = turn,
                              .input = str_of(input),
                              .is_json = input[0] == '[' || input[0] == '{'};
    assert_int_equal(remote_ask_task(r, &task), TRIAL_OK);
    if (!str_is(r->answer.output, expected))
        fail_msg("%s %d: '%.*s'", conversation, (int)turn, STR_ARG(r->answer.output));
}

TEST(a_conversation_keeps_its_history_and_a_new_one_has_none)
{
    struct stub_process server = remote_server(handle_history, NULL);
    struct remote r;
    remote_open(&r, "openai", MODEL ", system: be brief}", server.port,
                (struct agent_limits){0});
    say(&r, "k", 0, "one", "s:be brief u:one ");
    say(&r, "k", 1, "two", "s:be brief u:one a:s:be brief u:one  u:two ");
    say(&r, "k", 2, "three", "long");
    say(&r, "k", 0, "one", "s:be brief u:one ");
    say(&r, "other", 1, "one", "s:be brief u:one ");
    say(&r, "", 0, "one", "s:be brief u:one ");
    say(&r, "", 1, "one", "s:be brief u:one ");
    say(&r, "m", 0,
        "[{\"role\":\"user\",\"content\":\"x\"},{\"role\":\"tool\",\"content\":\"y\"}]",
        "s:be brief u:x t:y ");
    say(&r, "n", 0, "{\"role\":\"user\",\"content\":\"x\"}", "s:be brief u:x ");
    say(&r, "o", 0, "[1,2]", "s:be brief u:[1,2] ");
    remote_close(&r);
    stub_stop(&server);
}

/* ---- failures ---- */

TEST(failed_attempts_are_tried_again_and_their_tokens_counted_as_waste)
{
    struct stub_options o = options();
    o.drop_rate = 0.5;
    o.seed = 3;
    struct stub_process stub = remote_stub(o);
    struct remote r;
    remote_open(&r, "openai", MODEL ", retry: {max: 10, backoff_ms: 0}}", stub.port,
                (struct agent_limits){0});
    double retries = 0;
    for (int i = 0; i < 8; i++) {
        remote_expect(&r, "x", TRIAL_OK, "");
        retries += r.answer.retries;
        if (r.answer.retries > 0)
            assert_true(r.answer.wasted_tokens == (1 + 8) * r.answer.retries); /* half of 16 */
        else
            assert_true(isnan(r.answer.wasted_tokens));
        double again = r.answer.retries; /* each with its prompt, and half of the answer */
        assert_close(r.answer.cost_usd, (1 + again + (16 + again * 8) * 10) * 1e-6, 1e-15);
    }
    assert_true(retries > 0);
    remote_close(&r);
    stub_stop(&stub);
}

TEST(errors_of_the_server_have_status_and_reason)
{
    struct stub_options o = options();
    o.error_rate = 1;
    o.error_status = 503;
    struct stub_process stub = remote_stub(o);
    struct remote r;
    remote_open(&r, "openai", MODEL ", retry: {max: 1, backoff_ms: 1}}", stub.port,
                (struct agent_limits){0});
    remote_expect(&r, "x", TRIAL_AGENT_ERROR,
                  "after 2 attempts: HTTP 503: The stub was configured");
    assert_true(r.answer.api_calls == 2 && isnan(r.answer.cost_usd));
    remote_close(&r);
    stub_stop(&stub);

    o = options();
    o.rate_limit = 1;
    stub = remote_stub(o);
    remote_open(&r, "openai", MODEL ", retry: {max: 0}}", stub.port, (struct agent_limits){0});
    remote_expect(&r, "x", TRIAL_OK, "");
    remote_expect(&r, "x", TRIAL_AGENT_ERROR, "HTTP 429: Rate limit reached");
    remote_close(&r);
    stub_stop(&stub);

    o = options();
    o.api_key = "sk-right";
    o.drop_rate = 1;
    stub = remote_stub(o);
    remote_open(&r, "openai", MODEL "}", stub.port, (struct agent_limits){0});
    remote_expect(&r, "x", TRIAL_AGENT_ERROR, "HTTP 401: Incorrect API key");
    assert_true(r.answer.api_calls == 1); /* a retry would not mend it */
    remote_close(&r);
    setenv("ASSAY_TEST_KEY", "sk-right", 1);
    remote_open(&r, "openai", MODEL ", api_key_env: ASSAY_TEST_KEY, retry: {max: 0}}",
                stub.port, (struct agent_limits){0});
    remote_expect(&r, "x", TRIAL_AGENT_ERROR, "broke off");
    assert_true(r.answer.output_tokens == 8); /* what came until then */
    remote_close(&r);
    stub_stop(&stub);
}

TEST(limits_hold)
{
    struct stub_options o = options();
    o.ttft_ms = "2000";
    struct stub_process stub = remote_stub(o);
    struct remote r;
    remote_open(&r, "openai", MODEL "}", stub.port, (struct agent_limits){.time_ns = 50000000});
    remote_expect(&r, "x", TRIAL_TIMED_OUT, "limit of 0.05 s");
    assert_true(r.duration_s < 1);
    remote_close(&r);
    stub_stop(&stub);

    stub = remote_stub(options());
    remote_open(&r, "openai", MODEL "}", stub.port, (struct agent_limits){.tokens = 5});
    remote_expect(&r, "x", TRIAL_LIMIT_BREACHED, "17 tokens");
    remote_close(&r);
    remote_open(&r, "openai", MODEL "}", stub.port, (struct agent_limits){.cost_usd = 1e-5});
    remote_expect(&r, "x", TRIAL_LIMIT_BREACHED, "USD");
    remote_close(&r);
    stub_stop(&stub);
}

/* 100,000 tokens are some 25 MB on the wire and half a megabyte of text. */
TEST(long_streams_are_limited_by_their_text)
{
    struct stub_options o = options();
    o.tokens = "20000";
    struct stub_process stub = remote_stub(o);
    struct remote r;
    remote_open(&r, "openai", MODEL "}", stub.port, (struct agent_limits){0});
    remote_expect(&r, "x", TRIAL_OK, "");
    assert_true(r.answer.output_tokens == 20000 && r.answer.output.n > 40000);
    size_t bytes = r.answer.output.n;
    remote_close(&r);
    remote_open(&r, "openai", MODEL "}", stub.port,
                (struct agent_limits){.output_bytes = (int64_t)bytes});
    remote_expect(&r, "x", TRIAL_OK, "");
    remote_close(&r);
    remote_open(&r, "openai", MODEL "}", stub.port,
                (struct agent_limits){.output_bytes = (int64_t)bytes - 1});
    remote_expect(&r, "x", TRIAL_LIMIT_BREACHED, "the answer has ");
    assert_int_equal(r.answer.output.n, bytes - 1);
    remote_close(&r);
    stub_stop(&stub);
}

static void whole_reply(void *context, struct http_request *r)
{
    http_reply(r, &(struct http_reply){
                      .status = 200, .type = "text/event-stream", .body = str_of(context)});
}

/* A stream of which every token came in one read has no gaps of the server's. */
TEST(a_stream_that_arrives_at_once_has_no_gaps_and_no_rate)
{
    static const char reply[] =
        "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"
        "data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\n"
        "data: {\"choices\":[{\"delta\":{\"content\":\"c\"},\"finish_reason\":\"stop\"}]}\n\n"
        "data: [DONE]\n\n";
    struct stub_process server = remote_server(whole_reply, (void *)(uintptr_t)reply);
    struct remote r;
    remote_open(&r, "openai", MODEL "}", server.port, (struct agent_limits){0});
    remote_expect(&r, "x", TRIAL_OK, "");
    assert_true(str_is(r.answer.output, "abc") && r.answer.arrived_at_once);
    assert_true(r.answer.gap_count == 0 && isnan(r.answer.stream_s));
    assert_true(r.answer.first_token_s > 0 && !r.answer.is_simulated);
    remote_close(&r);
    stub_stop(&server);
}

/* Answers every request with these bytes, in one write, until it is killed. */
static pid_t serve_bytes(const char *bytes, int *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, size), 0);
    assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    *port = ntohs(at.sin_port);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_IGN);
        for (;;) {
            char request[8192];
            int one = accept(fd, NULL, NULL);
            if (read(one, request, sizeof request) > 0 &&
                write(one, bytes, strlen(bytes)) < (ssize_t)strlen(bytes)) {
                _exit(1);
            }
            close(one);
        }
    }
    close(fd);
    return pid;
}

/* So has one in many HTTP chunks, which libcurl hands over one by one. */
TEST(chunks_of_one_read_have_no_gaps)
{
    static const char reply[] =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
        "2e\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\r\n1\r\n\n\r\n"
        "2e\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\r\n1\r\n\n\r\n"
        "2e\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"c\"}}]}\n\r\n1\r\n\n\r\n"
        "e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n";
    int port;
    pid_t server = serve_bytes(reply, &port);
    struct remote r;
    remote_open(&r, "openai", MODEL "}", port, (struct agent_limits){0});
    remote_expect(&r, "x", TRIAL_OK, "");
    assert_true(str_is(r.answer.output, "abc") && r.answer.arrived_at_once);
    assert_true(r.answer.gap_count == 0 && isnan(r.answer.stream_s));
    remote_close(&r);
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
}

/* ---- times ---- */

enum { ANSWERS = 9, DELTAS = 8, ROUNDS = 8 };

static double off_ms(double measured_s, double true_ms)
{
    return fabs(measured_s * 1e3 - true_ms);
}

/* A machine that others use stops either process for milliseconds at a time, so
 * of each time the median error of the answers counts. The limit is of each. */
struct errors {
    double ms[DELTAS][ANSWERS]; /* of the first token, then of the gaps */
    double allowed_ms[DELTAS];
    int answers;
    int rounds;
};

static void note_errors(struct errors *e, const struct agent_answer *a, const double *true_ms)
{
    assert_int_equal(a->gap_count, DELTAS - 1);
    for (size_t i = 0; i < DELTAS; i++) {
        e->ms[i][e->answers] = off_ms(i ? a->gaps_s[i - 1] : a->first_token_s, true_ms[i]);
        e->allowed_ms[i] = 1 + 0.01 * true_ms[i];
    }
    e->answers++;
}

/* Whether the medians are right. An error of ours is in every round of answers; one of a
 * busy machine passes, so there is another round before that fails. */
static bool is_settled(struct errors *e, const char *what)
{
    double worst_ms = 0;
    bool is_small = true;
    for (size_t i = 0; i < DELTAS; i++) {
        stats_sort_inplace(e->ms[i], ANSWERS);
        double ms = e->ms[i][ANSWERS / 2];
        worst_ms = fmax(worst_ms, ms);
        is_small = is_small && ms <= e->allowed_ms[i];
    }
    e->answers = 0;
    print_message("# %s: off by %.3f ms at most, round %d\n", what, worst_ms, ++e->rounds);
    if (!is_small && e->rounds == ROUNDS) fail_msg("%s: off in every round", what);
    return is_small;
}

TEST(times_of_the_stub_are_right_within_1_ms_plus_1_percent)
{
    NEEDS_WALL_CLOCK();
    static const struct {
        const char *ttft, *gap;
        double ttft_ms, gap_ms;
    } settings[] = {
        {"0", "2", 0, 2}, {"5", "1", 5, 1}, {"20", "5", 20, 5}, {"100", "10", 100, 10}};
    for (size_t i = 0; i < COUNT(settings); i++) {
        struct stub_options o = options();
        o.ttft_ms = settings[i].ttft;
        o.gap_ms = settings[i].gap;
        o.tokens = "8";
        double true_ms[DELTAS] = {settings[i].ttft_ms};
        for (size_t k = 1; k < DELTAS; k++) true_ms[k] = settings[i].gap_ms;
        struct stub_process stub = remote_stub(o);
        struct remote r;
        struct errors errors = {0};
        char what[64];
        snprintf(what, sizeof what, "first token %s ms, gaps %s ms", o.ttft_ms, o.gap_ms);
        remote_open(&r, "openai", MODEL "}", stub.port, (struct agent_limits){0});
        do {
            while (errors.answers < ANSWERS) {
                remote_expect(&r, "x", TRIAL_OK, "");
                note_errors(&errors, &r.answer, true_ms);
            }
        } while (!is_settled(&errors, what));
        remote_close(&r);
        stub_stop(&stub);
    }
}

/* A server that is not ours: a socket, delays of its own, and the times at which
 * it had the request and wrote each token, by the same clock. */
struct diary {
    int64_t asked_ns;
    int64_t wrote_ns[DELTAS];
};

/* False: the caller only looked whether somebody listens. */
static bool read_request(int fd)
{
    char text[8192];
    size_t n = 0;
    for (ssize_t got; n < sizeof text - 1; n += (size_t)got) {
        got = read(fd, text + n, sizeof text - 1 - n);
        if (got <= 0) return false;
        text[n + (size_t)got] = 0;
        const char *body = strstr(text, "\r\n\r\n");
        const char *length = strcasestr(text, "content-length:");
        if (body && length && text + n + got - (body + 4) >= strtol(length + 15, NULL, 10))
            return true;
    }
    return false;
}

static void say_slowly(int fd, struct diary *diary)
{
    static const int delays_ms[DELTAS] = {40, 3, 12, 1, 7, 25, 2, 5};
    char text[256];
    int64_t at_ns = diary->asked_ns = clock_ns();
    int n = snprintf(text, sizeof text,
                     "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                     "Connection: close\r\n\r\n");
    for (size_t i = 0; i < DELTAS; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "data: {\"choices\":[{\"delta\":{\"content\":\"w%zu \"}}]}\n\n", i);
        clock_sleep_until(at_ns += (int64_t)delays_ms[i] * 1000000);
        if (write(fd, text, (size_t)n) != n) _exit(1);
        diary->wrote_ns[i] = clock_ns();
        n = 0;
    }
    n = snprintf(text, sizeof text, "data: [DONE]\n\n");
    if (write(fd, text, (size_t)n) != n) _exit(1);
}

static struct stub_process slow_server(struct diary *diary)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    struct stub_process server = {0};
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 4), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    server.port = ntohs(address.sin_port);
    server.pid = fork();
    if (server.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) {
            int fd = accept(listener, NULL, NULL);
            int one = 1;
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            if (read_request(fd)) say_slowly(fd, diary);
            close(fd);
        }
    }
    close(listener);
    return server;
}

TEST(times_of_another_server_are_those_in_its_diary)
{
    NEEDS_WALL_CLOCK();
    struct diary *diary =
        mmap(NULL, sizeof *diary, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(diary != MAP_FAILED);
    struct stub_process server = slow_server(diary);
    struct remote r;
    struct errors errors = {0};
    remote_open(&r, "openai", MODEL "}", server.port, (struct agent_limits){0});
    do {
        while (errors.answers < ANSWERS) {
            remote_expect(&r, "x", TRIAL_OK, "");
            assert_true(str_is(r.answer.output, "w0 w1 w2 w3 w4 w5 w6 w7 "));
            double true_ms[DELTAS];
            for (size_t i = 0; i < DELTAS; i++) {
                int64_t before_ns = i ? diary->wrote_ns[i - 1] : diary->asked_ns;
                true_ms[i] = (double)(diary->wrote_ns[i] - before_ns) / 1e6;
            }
            note_errors(&errors, &r.answer, true_ms);
        }
    } while (!is_settled(&errors, "against the server's own clock"));
    remote_close(&r);
    kill(server.pid, SIGKILL);
    waitpid(server.pid, NULL, 0);
    munmap(diary, sizeof *diary);
}

TEST_MAIN(T(an_answer_with_its_tokens_times_and_cost),
          T(tokens_are_counted_where_the_server_does_not_tell),
          T(tool_calls_and_any_text_come_through),
          T(a_conversation_keeps_its_history_and_a_new_one_has_none),
          T(failed_attempts_are_tried_again_and_their_tokens_counted_as_waste),
          T(errors_of_the_server_have_status_and_reason), T(limits_hold),
          T(long_streams_are_limited_by_their_text),
          T(a_stream_that_arrives_at_once_has_no_gaps_and_no_rate),
          T(chunks_of_one_read_have_no_gaps),
          T(times_of_the_stub_are_right_within_1_ms_plus_1_percent),
          T(times_of_another_server_are_those_in_its_diary))
