#include "agent/message.h"
#include "tests/test.h"

static enum trial_status read_reply(const char *line, struct arena *arena,
                                    struct agent_answer *a)
{
    agent_answer_init(a);
    return message_read_reply(str_of(line), 7, arena, a);
}

#define FORTY     "0123456789012345678901234567890123456789"
#define LONG_NAME FORTY FORTY FORTY FORTY FORTY FORTY

TEST(wrong_replies_say_what_is_wrong)
{
    static const struct {
        const char *line;
        enum trial_status status;
        const char *reason;
    } rows[] = {
        {"{\"id\":7,\"output\":\"x\"}", TRIAL_OK, ""},
        {"{\"id\":7,\"output\":\"\"}", TRIAL_OK, ""},
        {"{\"id\":7,\"output\":false,\"new field\":1}", TRIAL_OK, ""},
        {"{\"id\":7,\"output\":\"x\",\"error\":null,\"usage\":null,\"phases\":null}", TRIAL_OK,
         ""},
        {"{\"id\":7,\"error\":\"no\"}", TRIAL_AGENT_ERROR, "the agent reports: no"},
        {"{\"id\":7,\"error\":{\"code\":5}}", TRIAL_AGENT_ERROR, "{\"code\":5}"},
        {"{\"id\":6,\"output\":\"x\"}", TRIAL_INVALID_OUTPUT,
         "the reply is to task 6, which has ended (expected 7)"},
        {"{\"id\":8,\"output\":\"x\"}", TRIAL_INVALID_OUTPUT, "is to task 8 (expected 7)"},
        {"{\"id\":\"7\",\"output\":\"x\"}", TRIAL_INVALID_OUTPUT, "the reply's 'id' is text"},
        {"{\"output\":\"x\"}", TRIAL_INVALID_OUTPUT, "the reply has no 'id'"},
        {"", TRIAL_INVALID_OUTPUT, "not a JSON object"},
        {"{\"id\":7,\"output\":\"\\u0000\"}", TRIAL_INVALID_OUTPUT,
         "not a JSON object: {\"id\":7,\"output\":\"\\u0000\"} ("},
        {"[7]", TRIAL_INVALID_OUTPUT, "not a JSON object: [7]"},
        {"{\"id\":7,\"id\":7,\"output\":1}", TRIAL_INVALID_OUTPUT, "not a JSON object"},
        {"{\"id\":7,\"output\":1,\"usage\":3}", TRIAL_INVALID_OUTPUT, "usage is a number"},
        {"{\"id\":7,\"output\":1,\"usage\":{\"cost_usd\":\"1\"}}", TRIAL_INVALID_OUTPUT,
         "usage: 'cost_usd' must be a number of at least 0"},
        {"{\"id\":7,\"output\":1,\"usage\":{\"input_tokens\":1e308}}", TRIAL_INVALID_OUTPUT,
         "usage: 'input_tokens' is 1e+308; the most is 9007199254740992"},
        {"{\"id\":7,\"output\":1,\"phases\":[{\"name\":\"a\"}]}", TRIAL_INVALID_OUTPUT,
         "phase 'a' needs 'ms'"},
        {"{\"id\":7,\"output\":1,\"phases\":[{\"name\":\"a\",\"ms\":1,\"cpu_ms\":-1}]}",
         TRIAL_INVALID_OUTPUT, "phase 'a': 'cpu_ms' must be a number"},
        {"{\"id\":7,\"output\":1,\"phases\":[{\"ms\":1,\"name\":\"" LONG_NAME "\"}]}",
         TRIAL_INVALID_OUTPUT, "the name of a phase has 240 bytes, the most is 200"},
        {"{\"id\":7,\"output\":1,\"phases\":[{\"ms\":1}]}", TRIAL_INVALID_OUTPUT,
         "a phase needs a 'name'"},
    };
    struct arena arena = arena_open();
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct agent_answer a;
        enum trial_status got = read_reply(rows[i].line, &arena, &a);
        if (got != rows[i].status || !strstr(a.error.text, rows[i].reason))
            fail_msg("%s: %s, '%s'", rows[i].line, trial_status_name(got), a.error.text);
    }
    arena_close(&arena);
}

TEST(output_that_is_no_text_is_kept_as_json)
{
    struct arena arena = arena_open();
    struct agent_answer a;
    assert_int_equal(read_reply("{\"id\":7,\"output\":{\"b\": [1, 2.5]}}", &arena, &a),
                     TRIAL_OK);
    assert_true(str_is(a.output, "{\"b\":[1,2.5]}"));
    arena_close(&arena);
}

TEST(a_task_is_one_line_whatever_it_holds)
{
    struct buf out;
    buf_init(&out, 4096);
    struct agent_task task = {
        .case_id = S("a\nb"), .input = S("one\ntwo \"three\""), .seed = 9};
    message_write_task(&out, 1, &task, NULL);
    assert_string_equal(out.p,
                        "{\"id\":1,\"case\":\"a\\nb\",\"conversation\":null,\"turn\":0,"
                        "\"input\":\"one\\ntwo \\\"three\\\"\",\"config\":{},\"seed\":9}\n");
    buf_release(&out);
}

TEST_MAIN(T(wrong_replies_say_what_is_wrong), T(output_that_is_no_text_is_kept_as_json),
          T(a_task_is_one_line_whatever_it_holds))
