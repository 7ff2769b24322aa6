#include "http/chat_reply.h"

#include "tests/test.h"

struct given {
    struct arena arena;
    struct chat_reply reply;
    struct error err;
};

/* The bytes in pieces of `step`, one a millisecond. */
static enum trial_status give(struct given *g, const char *bytes, size_t step)
{
    *g = (struct given){.arena = arena_open()};
    struct curl_chunk chunks[4096];
    size_t n = strlen(bytes);
    size_t count = 0;
    for (size_t end = 0; end < n; count++) {
        end = end + step < n ? end + step : n;
        chunks[count] =
            (struct curl_chunk){.end = end, .at_ns = (int64_t)(count + 1) * 1000000};
    }
    struct curl_reply raw = {.body = {bytes, n}, .chunks = chunks, .chunk_count = count};
    return chat_reply_read(&raw, &g->arena, &g->reply, &g->err);
}

#define DELTA(delta) "data: {\"choices\":[{\"index\":0,\"delta\":" delta "}]}\n\n"
#define FINISH(reason) \
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"" reason "\"}]}\n\n"
#define USAGE                                                                        \
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":2," \
    "\"prompt_tokens_details\":{\"cached_tokens\":8}}}\n\n"
#define DONE "data: [DONE]\n\n"

TEST(a_stream_is_put_together)
{
    struct given g;
    const char *stream = DELTA("{\"role\":\"assistant\",\"content\":\"\"}")
        DELTA("{\"content\":\"Hel\"}") DELTA("{\"content\":\"lo\"}") FINISH("stop") USAGE DONE;
    for (size_t step = 1; step < 600; step += 13) {
        assert_int_equal(give(&g, stream, step), TRIAL_OK);
        assert_true(str_is(g.reply.text, "Hello"));
        assert_true(str_is(g.reply.finish_reason, "stop"));
        assert_int_equal(g.reply.deltas, 2);
        assert_int_equal(g.reply.gap_count, 1);
        assert_true(g.reply.input_tokens == 11 && g.reply.output_tokens == 2);
        assert_true(g.reply.cache_read_tokens == 8);
        assert_int_equal(g.reply.tool_calls.n, 0);
        arena_close(&g.arena);
    }
}

#define OTHER(index, text)                                                    \
    "data: {\"choices\":[{\"index\":" index ",\"delta\":{\"content\":\"" text \
    "\"},\"finish_reason\":null}]}\n\n"

TEST(only_the_first_choice_up_to_the_end_is_the_answer)
{
    struct given g;
    const char *stream = OTHER("1", "wrong") OTHER("0", "right") OTHER("1", "wrong")
        FINISH("stop") DONE OTHER("0", " or wrong");
    assert_int_equal(give(&g, stream, 40), TRIAL_OK);
    assert_true(str_is(g.reply.text, "right"));
    assert_int_equal(g.reply.deltas, 1);
    arena_close(&g.arena);
    const char *body = "{\"choices\":[{\"index\":1,\"message\":{\"content\":\"wrong\"}},"
                       "{\"index\":0,\"message\":{\"content\":\"right\"}}]}";
    assert_int_equal(give(&g, body, 1000), TRIAL_OK);
    assert_true(str_is(g.reply.text, "right"));
    arena_close(&g.arena);
}

/* The stamp of an event is that of the piece with its last byte; the role's
 * empty text is no token. */
TEST(tokens_are_stamped_when_they_are_complete)
{
    struct given g;
    const char *role = DELTA("{\"content\":\"\"}");
    const char *token = DELTA("{\"content\":\"a\"}");
    char stream[1024];
    snprintf(stream, sizeof stream, "%s%s%s%s", role, token, token, DONE);
    size_t step = strlen(token);
    assert_int_equal(give(&g, stream, step), TRIAL_OK);
    /* Pieces are one byte longer than the role's event, which so ends inside
     * the first; each token ends inside the piece behind its own. */
    assert_int_equal(strlen(role), step - 1);
    assert_int_equal(g.reply.first_ns, 2000000);
    assert_close(g.reply.gaps_s[0], 1e-3, 1e-12);
    arena_close(&g.arena);
}

TEST(tool_calls_are_put_together)
{
    struct given g;
    const char *stream = DELTA(
        "{\"content\":null,\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":"
        "\"function\",\"function\":{\"name\":\"weather\",\"arguments\":\"\"}}]}")
        DELTA("{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"city\\\":\"}}]"
              "}") DELTA("{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":"
                         "\"\\\"Ulm\\\"}\"}}]}")
            DELTA("{\"tool_calls\":[{\"index\":1,\"id\":\"c2\",\"function\":{\"name\":\"time\"}"
                  "}]}") FINISH("tool_calls") DONE;
    assert_int_equal(give(&g, stream, 50), TRIAL_OK);
    assert_true(
        str_is(g.reply.tool_calls,
               "[{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"weather\","
               "\"arguments\":\"{\\\"city\\\":\\\"Ulm\\\"}\"}},{\"id\":\"c2\",\"type\":"
               "\"function\",\"function\":{\"name\":\"time\",\"arguments\":\"\"}}]"));
    assert_true(str_is(g.reply.finish_reason, "tool_calls"));
    assert_int_equal(g.reply.deltas, 4);
    assert_true(g.reply.first_ns > 0);
    arena_close(&g.arena);
}

/* Who settles the answer refuses it: agent_answer_settle. */
TEST(tokens_are_given_as_reported)
{
    struct given g;
    const char *body =
        "{\"choices\":[{\"message\":{\"content\":\"4\"},\"finish_reason\":\"stop\"}],"
        "\"usage\":{\"prompt_tokens\":-3,\"completion_tokens\":1e308}}";
    assert_int_equal(give(&g, body, 1000), TRIAL_OK);
    assert_true(g.reply.input_tokens == -3 && g.reply.output_tokens == 1e308);
    arena_close(&g.arena);
}

TEST(a_whole_reply_is_read)
{
    struct given g;
    const char *body =
        "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"4\",\"tool_calls\":"
        "[{\"id\":\"c\",\"function\":{\"name\":\"f\"}}]},\"finish_reason\":\"stop\"}],"
        "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1}}";
    assert_int_equal(give(&g, body, 1000), TRIAL_OK);
    assert_true(str_is(g.reply.text, "4"));
    assert_true(str_is(g.reply.tool_calls, "[{\"id\":\"c\",\"function\":{\"name\":\"f\"}}]"));
    assert_true(g.reply.output_tokens == 1 && isnan(g.reply.cache_read_tokens));
    assert_int_equal(g.reply.first_ns, 0);
    arena_close(&g.arena);
}

static const struct {
    const char *bytes;
    enum trial_status status;
    const char *reason;
} wrong[] = {
    {"", TRIAL_INVALID_OUTPUT, "without a finish reason"},
    {"{", TRIAL_INVALID_OUTPUT, "not JSON"},
    {"{}", TRIAL_INVALID_OUTPUT, "choices[0].message"},
    {"{\"choices\":7}", TRIAL_INVALID_OUTPUT, "choices[0].message"},
    {"{\"error\":{\"message\":\"no such model\"}}", TRIAL_AGENT_ERROR, "no such model"},
    {"{\"error\":\"plain\"}", TRIAL_AGENT_ERROR, "plain"},
    {DELTA("{\"content\":\"a\"}"), TRIAL_INVALID_OUTPUT, "after 1 tokens"},
    {DELTA("{\"content\":\"a\"}") "data: {\"error\":{\"message\":\"overloaded\"}}\n\n",
     TRIAL_AGENT_ERROR, "overloaded"},
    {"data: {broken\n\n", TRIAL_INVALID_OUTPUT, "{broken"},
    {"<html>busy</html>", TRIAL_INVALID_OUTPUT, "without a finish reason"},
};

TEST(what_cannot_be_read_is_told)
{
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct given g;
        enum trial_status got = give(&g, wrong[i].bytes, 7);
        if (got != wrong[i].status || !strstr(g.err.text, wrong[i].reason))
            fail_msg("%s: %s, %s", wrong[i].bytes, trial_status_name(got), g.err.text);
        arena_close(&g.arena);
    }
}

TEST_MAIN(T(a_stream_is_put_together), T(only_the_first_choice_up_to_the_end_is_the_answer),
          T(tokens_are_stamped_when_they_are_complete), T(tool_calls_are_put_together),
          T(a_whole_reply_is_read), T(tokens_are_given_as_reported),
          T(what_cannot_be_read_is_told))
