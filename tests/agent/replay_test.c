#include "tests/agent/fixture.h"

static const struct agent_limits none;

static const char *write_answers(const char *text)
{
    static char yaml[256];
    char path[128];
    snprintf(path, sizeof path, "build/replay_test_%d.jsonl", (int)getpid());
    struct error err = {0};
    if (!os_write_file(path, str_of(text), &err)) fail_msg("%s", err.text);
    snprintf(yaml, sizeof yaml, "{answers: %s}", path);
    return yaml;
}

static void remove_answers(void)
{
    char path[128];
    snprintf(path, sizeof path, "build/replay_test_%d.jsonl", (int)getpid());
    unlink(path);
}

static enum trial_status ask(struct bench *b, const char *case_id, int64_t turn)
{
    return bench_ask_task(b, (struct agent_task){.case_id = str_of(case_id), .turn = turn});
}

TEST(each_case_and_turn_gets_its_answers_in_order)
{
    struct bench b;
    bench_open(&b, "replay",
               write_answers("{\"case\":\"b\",\"output\":\"b1\"}\n"
                             "{\"case\":\"a\",\"turn\":1,\"output\":\"a turn 1\"}\n\n"
                             "{\"case\":\"a\",\"turn\":0,\"output\":\"a\","
                             "\"usage\":{\"input_tokens\":3}}\n"
                             "{\"case\":\"b\",\"output\":\"b2\"}\n"
                             "{\"case\":\"c\",\"error\":\"gave up\"}"),
               none);
    const char *want[] = {"b1", "b2", "b1"};
    for (size_t i = 0; i < COUNT(want); i++) {
        assert_int_equal(ask(&b, "b", 0), TRIAL_OK);
        assert_true(bench_says(&b, want[i]));
    }
    assert_int_equal(ask(&b, "a", 0), TRIAL_OK);
    assert_true(bench_says(&b, "a"));
    assert_close(b.answer.input_tokens, 3, 0);
    assert_int_equal(ask(&b, "a", 1), TRIAL_OK);
    assert_true(bench_says(&b, "a turn 1"));
    assert_int_equal(ask(&b, "c", 0), TRIAL_AGENT_ERROR);
    assert_int_equal(ask(&b, "b", 1), TRIAL_HARNESS_ERROR);
    assert_string_equal(b.err.text, "the earlier run has no answer to case 'b', turn 1");
    bench_close(&b);
    remove_answers();
}

TEST(a_bad_line_is_named)
{
    struct bench b;
    assert_false(bench_try_open(
        &b, "replay", write_answers("{\"case\":\"a\",\"output\":1}\n{\"output\":2}\n"), none));
    assert_non_null(strstr(b.err.text, "line 2: an answer needs a 'case'"));
    bench_close(&b);
    remove_answers();
}

TEST_MAIN(T(each_case_and_turn_gets_its_answers_in_order), T(a_bad_line_is_named))
