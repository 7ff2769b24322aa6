/* Our openai adapter against a server that others wrote: aimock, with the
 * answers of mock.mjs. */
#include "base/os.h"
#include "tests/agent/remote.h"

#include <fcntl.h>
#include <spawn.h>

extern char **environ;

struct mock {
    pid_t pid;
    int port;
    int stdin_fd; /* it ends when this is closed */
};

static bool start(struct mock *m, struct arena *a)
{
    const char *setup[] = {"tests/interop/setup", NULL};
    struct os_output out = {0};
    struct error err = {0};
    if (!os_capture(setup, 300000, 4096, a, &out, &err) || out.exit_code != 0) {
        print_message("# skip: %s%.*s\n", err.text, STR_ARG(str_trim(out.text)));
        return false;
    }
    const char *folder = str_cstr(a, str_trim(out.text));
    const char *newer = arena_printf(a, "%s/node_modules/.bin/node", folder);
    const char *node = os_exists(newer) ? newer : "node";
    const char *script = arena_printf(a, "%s/mock.mjs", folder);
    char *argv[] = {arena_copy(a, node, strlen(node)), arena_copy(a, script, strlen(script)),
                    NULL};
    int in[2];
    int said[2];
    assert_int_equal(pipe2(in, O_CLOEXEC) | pipe2(said, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, said[1], 1);
    assert_int_equal(posix_spawnp(&m->pid, node, &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(said[1]);
    m->stdin_fd = in[1];
    char line[32] = {0};
    ssize_t n = read(said[0], line, sizeof line - 1);
    int64_t port = 0;
    struct str text = str_trim((struct str){line, n > 0 ? (size_t)n : 0});
    if (!str_to_int(text, &port)) fail_msg("aimock did not start");
    m->port = (int)port;
    close(said[0]);
    return true;
}

static void stop(struct mock *m)
{
    close(m->stdin_fd);
    waitpid(m->pid, NULL, 0);
}

static const char *const forms[] = {
    "{url: 'http://127.0.0.1:%d/v1', model: gpt-4o",
    "{url: 'http://127.0.0.1:%d/v1', model: gpt-4o, stream: false"};

static void open_model(struct remote *r, const struct mock *m, const char *form,
                       const char *more)
{
    char yaml[256];
    snprintf(yaml, sizeof yaml, "%s%s}", form, more);
    remote_open(r, "openai", yaml, m->port, (struct agent_limits){0});
}

static void check_answers(const struct mock *m, const char *form, bool is_stream)
{
    struct remote r;
    open_model(&r, m, form, ", api_key_env: ASSAY_TEST_KEY");
    remote_expect(&r, "hello", TRIAL_OK, "");
    assert_true(str_is(r.answer.output, "Hi there, how can I help?"));
    assert_true(str_is(r.answer.finish_reason, "stop"));
    /* Five tokens; those that came in one read have no gap between them. */
    assert_true(r.answer.gap_count <= (is_stream ? 4 : 0));
    assert_true(isnan(r.answer.first_token_s) == !is_stream);
    remote_expect(&r, "counted", TRIAL_OK, "");
    assert_true(r.answer.input_tokens == 11 && r.answer.output_tokens == 7);
    assert_false(r.answer.tokens_are_counted);
    assert_true(r.answer.connections == 0);
    remote_close(&r);
}

static void check_tools(const struct mock *m, const char *form)
{
    struct remote r;
    struct arena a = arena_open();
    const struct value *calls = NULL;
    open_model(&r, m, form,
               ", tools: [{type: function, function: {name: weather, parameters: {type: "
               "object, properties: {city: {type: string}}}}}]");
    remote_expect(&r, "weather", TRIAL_OK, "");
    assert_true(str_is(r.answer.finish_reason, "tool_calls"));
    assert_true(value_read_json(r.answer.tool_calls, &value_limits_spec, &a, &calls, &r.err));
    assert_int_equal(calls->list.count, 2);
    const struct value *f = value_get(calls->list.items[0], "function");
    assert_true(str_is(value_get(calls->list.items[0], "id")->source, "call_1"));
    assert_true(str_is(value_get(f, "name")->source, "weather"));
    assert_true(str_is(value_get(f, "arguments")->source, "{\"city\":\"Ulm\",\"days\":3}"));
    arena_close(&a);
    remote_close(&r);
}

static void check_errors(const struct mock *m, const char *form)
{
    struct remote r;
    open_model(&r, m, form, ", retry: {max: 1, backoff_ms: 1}");
    remote_expect(&r, "forbidden", TRIAL_AGENT_ERROR, "HTTP 403: not for you");
    assert_true(r.answer.api_calls == 1);
    remote_expect(&r, "broken", TRIAL_AGENT_ERROR, "after 2 attempts: HTTP 500: out of order");
    remote_expect(&r, "nobody has an answer to this", TRIAL_AGENT_ERROR, "HTTP 404");
    remote_close(&r);
}

TEST(answers_tools_and_errors_streamed_and_whole)
{
    struct arena a = arena_open();
    struct mock m;
    setenv("ASSAY_TEST_KEY", "sk-mock", 1);
    if (start(&m, &a)) {
        for (size_t i = 0; i < COUNT(forms); i++) {
            check_answers(&m, forms[i], i == 0);
            check_tools(&m, forms[i]);
            check_errors(&m, forms[i]);
        }
        stop(&m);
    }
    arena_close(&a);
}

TEST(busy_once_cut_off_slow_and_in_turns)
{
    struct arena a = arena_open();
    struct mock m;
    if (start(&m, &a)) {
        struct remote r;
        open_model(&r, &m, forms[0], ", retry: {max: 1, backoff_ms: 1}");
        remote_expect(&r, "busy", TRIAL_OK, "");
        assert_true(str_is(r.answer.output, "now it works"));
        assert_true(r.answer.retries == 1 && r.duration_s >= 1); /* Retry-After: 1 */
        struct agent_task turn = {.conversation = S("k"), .input = S("hello")};
        assert_int_equal(remote_ask_task(&r, &turn), TRIAL_OK);
        turn = (struct agent_task){.conversation = S("k"), .turn = 1, .input = S("and then")};
        assert_int_equal(remote_ask_task(&r, &turn), TRIAL_OK);
        assert_true(str_is(r.answer.output, "second turn"));
        remote_close(&r);

        open_model(&r, &m, forms[0], ", retry: {max: 0}");
        struct agent_task cut = {.input = S("cut")};
        enum trial_status status = remote_ask_task(&r, &cut);
        assert_true(status == TRIAL_AGENT_ERROR || status == TRIAL_INVALID_OUTPUT);
        remote_expect(&r, "slowly", TRIAL_OK, "");
        assert_true(r.answer.first_token_s >= 0.149);
        double sum_s = 0;
        for (size_t i = 0; i < r.answer.gap_count; i++) sum_s += r.answer.gaps_s[i];
        assert_int_equal(r.answer.gap_count, 4);
        assert_true(sum_s >= 4 * 0.019); /* 50 a second */
        remote_close(&r);
        stop(&m);
    }
    arena_close(&a);
}

TEST_MAIN(T(answers_tools_and_errors_streamed_and_whole),
          T(busy_once_cut_off_slow_and_in_turns))
