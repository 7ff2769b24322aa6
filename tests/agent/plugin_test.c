#include "tests/agent/fixture.h"

/* The example, built as its manual says. */
static const char *library(void)
{
    static char path[512];
    const char *build = getenv("BUILD_DIR");
    snprintf(path, sizeof path, "%s/plugin_example_%d.so", build ? build : "build",
             (int)getpid());
    const char *argv[] = {
        "cc", "-shared", "-fPIC", "-Iinclude", "-o", path, "tests/agent/plugin_example.c",
        NULL};
    struct arena a = arena_open();
    struct os_output out = {0};
    struct error err = {0};
    if (!os_exists(path) && (!os_capture(argv, 20000, 4096, &a, &out, &err) || out.exit_code))
        fail_msg("cc: %s", err.text);
    arena_close(&a);
    return path;
}

static const char *spec(void)
{
    static char yaml[600];
    snprintf(yaml, sizeof yaml, "{library: %s}", library());
    return yaml;
}

static const struct agent_limits none;

TEST(the_example_answers_and_every_answer_is_released)
{
    struct bench b;
    bench_open(&b, "plugin", spec(), none);
    for (int i = 1; i < 4; i++) {
        bench_expect(&b, "hello", TRIAL_OK, "");
        assert_true(bench_says(&b, "HELLO"));
        assert_close(b.answer.input_tokens, 5, 0);
        assert_close(b.answer.api_calls, i, 0);
        assert_true(isnan(b.answer.output_tokens));
    }
    bench_expect(&b, "", TRIAL_AGENT_ERROR, "the agent reports: nothing to shout");
    bench_close(&b);
}

TEST(limits_and_bytes_that_are_no_text)
{
    struct bench b;
    bench_open(&b, "plugin", spec(), (struct agent_limits){.output_bytes = 4});
    bench_expect(&b, "hello", TRIAL_LIMIT_BREACHED, "gave 5 bytes, the limit is 4");
    bench_expect(&b, "a\xff", TRIAL_INVALID_OUTPUT, "not UTF-8 at byte 2 of 2");
    bench_close(&b);
}

TEST(what_cannot_be_opened_says_why)
{
    static const struct {
        const char *yaml, *reason;
    } rows[] = {
        {"{library: /no/such.so}", "plugin '/no/such.so': cannot load it"},
        {"{library: /lib/x86_64-linux-gnu/libm.so.6}", "exports no function 'assay_plugin'"},
    };
    struct bench b;
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (i == 1 && !os_exists("/lib/x86_64-linux-gnu/libm.so.6")) continue;
        assert_false(bench_try_open(&b, "plugin", rows[i].yaml, none));
        if (!strstr(b.err.text, rows[i].reason)) fail_msg("%s", b.err.text);
        bench_close(&b);
    }
    setenv("ASSAY_PLUGIN_OLD", "1", 1);
    assert_false(bench_try_open(&b, "plugin", spec(), none));
    unsetenv("ASSAY_PLUGIN_OLD");
    assert_non_null(strstr(b.err.text, "does not support version 1 of the plugin ABI"));
    bench_close(&b);
}

TEST(its_config_reaches_it)
{
    struct bench b;
    bench_open(&b, "plugin", spec(), none);
    b.kind->close(b.state);
    const struct value_pair pair = {.key = S("broken"),
                                    .value = value_new_bool(&b.arena, true)};
    b.env.config = value_new_map(&b.arena, &pair, 1);
    assert_false(b.kind->open(b.state, b.config, &b.env, &b.err));
    assert_non_null(strstr(b.err.text, "could not be opened: config says broken"));
    bench_close(&b);
    unlink(library());
}

TEST_MAIN(T(the_example_answers_and_every_answer_is_released),
          T(limits_and_bytes_that_are_no_text), T(what_cannot_be_opened_says_why),
          T(its_config_reaches_it))
