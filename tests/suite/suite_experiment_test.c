/* The experiment `suite` with real adapters, trial by trial in this process. */
#include "suite/suite_internal.h"
#include "suite/suite_score.h"
#include "tests/suite/desk.h"

TEST(nothing_is_answered_by_noop_and_scored_0)
{
    struct desk d;
    open_desk(&d, "{id: n, noop: {}}", "rubric: contains", CASES);
    assert_int_equal(ask(&d, 0), TRIAL_OK);
    assert_close(bench_value(&d.b, "accuracy"), 0, 0);
    assert_true(isnan(bench_value(&d.b, "tokens")));
    assert_true(isnan(bench_value(&d.b, "cpu_s")));
    assert_non_null(d.b.trial.case_hash);
    close_desk(&d);
}

TEST(answers_of_a_process_are_kept_and_judged)
{
    struct desk d;
    open_desk(&d, CALC, "rubric: [{check: exact, weight: 1, dimension: correctness}]", CASES);
    assert_int_equal(ask(&d, 0), TRIAL_OK);
    assert_close(bench_value(&d.b, "accuracy"), 1, 0);
    assert_close(bench_value(&d.b, "output_correctness"), 1, 0);
    assert_true(isnan(bench_value(&d.b, "output_relevance")));
    assert_close(bench_value(&d.b, "cost_usd"), 0, 0);
    assert_true(bench_value(&d.b, "cpu_s") >= 0);
    assert_true(bench_value(&d.b, "memory_peak_mb") > 0.1);
    assert_true(str_is(buf_str(&d.b.output), "2\n"));
    const struct value *detail = detail_of(&d);
    assert_true(str_is(value_get(detail, "case")->source, "one"));
    assert_true(value_get(detail, "judged")->boolean);

    assert_int_equal(ask(&d, 1), TRIAL_OK); /* a wrong answer is an answer */
    assert_close(bench_value(&d.b, "accuracy"), 0, 0);
    close_desk(&d);
}

TEST(what_the_agent_does_wrong_has_its_status)
{
    static const struct {
        const char *agent;
        const char *params;
        enum trial_status status;
        const char *why;
    } table[] = {
        {"{id: x, process: {command: 'exit 3', contain: off}}", "rubric: contains",
         TRIAL_FAILED, "exit code 3"},
        {"{id: x, process: {command: 'sleep 9', contain: off}}",
         "rubric: contains, constraints: {time_limit_ms: 60}", TRIAL_TIMED_OUT, "limit"},
        {"{id: x, process: {command: 'echo \"{\\\"output_tokens\\\":99}\" "
         ">&$ASSAY_USAGE_FD; echo 2', contain: off}}",
         "rubric: contains, constraints: {token_limit: 5}", TRIAL_LIMIT_BREACHED, "99 tokens"},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct desk d;
        open_desk(&d, table[i].agent, table[i].params, CASES);
        enum trial_status status = ask(&d, 0);
        if (status != table[i].status)
            fail_msg("%s: %s, %s", table[i].agent, trial_status_name(status),
                     d.b.trial.error.text);
        assert_non_null(strstr(d.b.trial.error.text, table[i].why));
        close_desk(&d);
    }
}

TEST(a_check_that_cannot_be_made_is_our_error)
{
    struct desk d;
    open_desk(&d, CALC,
              "rubric: [{check: command, weight: 1, command: [sh, -c, 'kill -9 $$']}]", CASES);
    assert_int_equal(ask(&d, 0), TRIAL_HARNESS_ERROR);
    assert_true(str_is(buf_str(&d.b.output), "2\n")); /* the answer is not lost */
    close_desk(&d);
}

/* One that waits for ever would hold the run. */
TEST(a_judge_that_does_not_reply_in_time_is_ended)
{
    struct desk d;
    open_desk(&d, "{id: a, noop: {}}", "rubric: exact", "[{input: q, expected: \"4\"}]");
    struct suite_judges judges = {
        .env = &d.b.env,
        .maps = read_yaml(&d.b.arena, "[{id: j, process: {command: [sleep, \"100\"]}}]"),
        .time_ns = 200000000};
    struct check_reply reply;
    struct error err = {0};
    if (!suite_judges_open(&judges, &err)) fail_msg("%s", err.text);
    assert_false(suite_judges_ask(&judges, "j", S("how good?"), &d.b.arena, &reply, &err));
    assert_non_null(strstr(err.text, "agent 'j': timed_out: took longer than the limit"));
    suite_judges_close(&judges);
    close_desk(&d);
}

TEST(a_conversation_is_one_trial_and_each_turn_is_judged)
{
    struct desk d;
    open_desk(&d, CALC, "rubric: exact",
              "[{id: talk, turns: [{input: '1+1', expected: '2'}, {input: '2+2'}, "
              "{input: '3+3', expected: '7'}]}]");
    assert_int_equal(ask(&d, 0), TRIAL_OK);
    assert_close(bench_value(&d.b, "accuracy"), 0.5, 1e-12); /* two of three are judged */
    assert_true(str_is(buf_str(&d.b.output), "[\"2\\n\",\"4\\n\",\"6\\n\"]"));
    const struct value *turns = value_get(detail_of(&d), "turn_scores");
    assert_int_equal(turns->list.count, 3);
    assert_null(value_get(turns->list.items[1], "score"));
    /* Three turns and one conversation in the same time. */
    double rate = bench_value(&d.b, "conversations_per_s");
    assert_true(rate > 0 && rate < 1e4);
    assert_close(bench_value(&d.b, "turns_per_s"), 3 * rate, 1e-9 * rate);
    assert_true(isnan(bench_value(&d.b, "memory_resident_mb"))); /* nobody stays */
    close_desk(&d);
}

/* Answers 1 to anything; keeps 1 MB for each where it is told to. */
#define SESSION(keep)                                                              \
    "{id: s, process: {mode: session, contain: off, command: [perl, -e, '$| = 1; " \
    "while (<STDIN>) { push @k, chr(65 + $.) x 1e6 if " keep "; /\"id\":(\\d+)/; " \
    "print qq({\"id\":$1,\"output\":\"1\"}\\n) }']}}"

#define TALK                                                                          \
    "[{id: talk, turns: [{input: a}, {input: b}, {input: c}, {input: d}, {input: e, " \
    "expected: e}]}]"
#define TALKER                                                                            \
    "{id: t, process: {contain: off, mode: session, command: 'while read -r l; do "       \
    "i=${l#*:}; i=${i%%,*}; case $l in *\\\"input\\\":\\\"d*) echo "                      \
    "\"{\\\"id\\\":$i,\\\"error\\\":\\\"boom\\\"}\";; *) echo "                           \
    "\"{\\\"id\\\":$i,\\\"output\\\":\\\"e\\\",\\\"usage\\\":{\\\"input_tokens\\\":1000," \
    "\\\"output_tokens\\\":200,\\\"cost_usd\\\":0.4}}\";; esac; done'}}"

/* Turn 3 of 5 reports an error: that is the reason, and turn 4 was never asked. */
TEST(a_conversation_keeps_its_reason_and_only_the_turns_that_were_asked)
{
    struct desk d;
    open_desk(&d, TALKER, "rubric: exact", TALK);
    assert_int_equal(ask(&d, 0), TRIAL_AGENT_ERROR);
    assert_string_equal(d.b.trial.error.text, "turn 3: the agent reports: boom");
    assert_int_equal(value_get(detail_of(&d), "turns")->list.count, 4);
    close_desk(&d);
}

/* 1200 tokens and 0.4 USD a turn: the second turn breaks a limit of 2000 tokens, the third
 * one of a dollar, and no further turn is asked. */
TEST(limits_on_tokens_and_cost_are_of_the_whole_conversation)
{
    struct desk d;
    open_desk(&d, TALKER, "rubric: exact, constraints: {token_limit: 2000}", TALK);
    assert_int_equal(ask(&d, 0), TRIAL_LIMIT_BREACHED);
    assert_string_equal(d.b.trial.error.text, "turn 1: used 2400 tokens, the limit is 2000");
    assert_close(bench_value(&d.b, "tokens"), 2400, 0);
    close_desk(&d);
    open_desk(&d, TALKER, "rubric: exact, constraints: {cost_limit_usd: 1}", TALK);
    assert_int_equal(ask(&d, 0), TRIAL_LIMIT_BREACHED);
    assert_non_null(strstr(d.b.trial.error.text, "turn 2: cost 1.2 USD, the limit is 1 USD"));
    assert_int_equal(value_get(detail_of(&d), "turns")->list.count, 3);
    close_desk(&d);
}

/* Judged whole, kept to its first 256 KiB, and never judged again from those. */
TEST(a_long_answer_is_judged_whole_and_stored_cut)
{
    struct desk d;
    open_desk(&d,
              "{id: l, process: {contain: off, command: 'head -c 300000 /dev/zero | tr "
              "\"\\0\" a; echo end'}}",
              "rubric: [{check: regex, pattern: 'end$'}]", "[{id: a, input: x, expected: y}]");
    assert_int_equal(ask(&d, 0), TRIAL_OK);
    assert_close(bench_value(&d.b, "accuracy"), 1, 0);
    assert_int_equal(d.b.output.n, 1 << 18);
    const struct value *flags = value_get(detail_of(&d), "flags");
    assert_true(flags && str_is(flags->list.items[0]->source, "output_cut"));
    close_desk(&d);
}

TEST(what_a_session_holds_is_told_after_each_case)
{
    static const char *const agents[] = {SESSION("0"), SESSION("1")};
    double grown[2];
    for (size_t i = 0; i < COUNT(agents); i++) {
        struct desk d;
        open_desk(&d, agents[i], "rubric: exact", "[{id: one, input: a, expected: '1'}]");
        assert_int_equal(ask(&d, 0), TRIAL_OK);
        double first = bench_value(&d.b, "memory_resident_mb");
        for (int k = 0; k < 10; k++) assert_int_equal(ask(&d, 0), TRIAL_OK);
        grown[i] = bench_value(&d.b, "memory_resident_mb") - first;
        assert_true(isnan(bench_value(&d.b, "turns_per_s"))); /* no conversation */
        close_desk(&d);
    }
    assert_true(grown[0] < 2);
    assert_true(grown[1] > 9 && grown[1] < 40);
}

TEST(prompts_hold_the_fields_of_the_case)
{
    struct desk d;
    open_desk(&d, "{id: cat, process: {command: cat, contain: off}}",
              "rubric: exact, prompts: {p: 'say {{input}} {{mood}}'}, prompt: p",
              "[{input: hi, mood: now, expected: say hi now}, {input: hi, expected: x}]");
    assert_int_equal(ask(&d, 0), TRIAL_OK);
    assert_close(bench_value(&d.b, "accuracy"), 1, 0);
    assert_int_equal(ask(&d, 1), TRIAL_HARNESS_ERROR);
    assert_non_null(strstr(d.b.trial.error.text, "mood"));
    close_desk(&d);
}

TEST(a_case_may_have_a_rubric_of_its_own)
{
    struct desk d;
    open_desk(&d, CALC, "rubric: exact",
              "[{input: '1+1', expected: '2'}, {input: '1+1', expected: '3', rubric: "
              "[{check: regex, weight: 1, pattern: '^2'}]}]");
    assert_int_equal(ask(&d, 1), TRIAL_OK);
    assert_close(bench_value(&d.b, "accuracy"), 1, 0);
    assert_int_equal(ask(&d, 0), TRIAL_OK);
    assert_close(bench_value(&d.b, "accuracy"), 1, 0);
    close_desk(&d);
}

TEST(scoring_a_kept_answer_again_gives_the_same_bytes)
{
    struct desk d;
    open_desk(&d, CALC, "rubric: exact", CASES);
    for (int64_t i = 0; i < 2; i++) {
        struct error err = {0};
        struct suite_rescorer *r = NULL;
        struct suite_again again;
        struct case_item item;
        assert_int_equal(ask(&d, i), TRIAL_OK);
        struct trial_note note = {
            .status = TRIAL_OK, .detail = d.b.detail.p, .output = buf_str(&d.b.output)};
        const struct value *params =
            read_yaml(&d.b.arena, "{suite: s, benchmark: b, rubric: exact}");
        assert_true(
            suite_rescorer_open(&r, params, NULL, ".", d.b.env.work_dir, &d.b.arena, &err));
        assert_true(case_pack_read(d.b.env.cases, (size_t)i, &d.b.arena, &item, &err));
        assert_true(suite_rescore(r, &item, &note, &d.b.arena, &again, &err));
        assert_close(again.accuracy, bench_value(&d.b, "accuracy"), 0);
        assert_string_equal(again.detail, d.b.detail.p);
        suite_rescorer_close(r);
    }
    close_desk(&d);
}

TEST_MAIN(T(nothing_is_answered_by_noop_and_scored_0),
          T(answers_of_a_process_are_kept_and_judged),
          T(what_the_agent_does_wrong_has_its_status),
          T(a_check_that_cannot_be_made_is_our_error),
          T(a_judge_that_does_not_reply_in_time_is_ended),
          T(a_conversation_is_one_trial_and_each_turn_is_judged),
          T(a_conversation_keeps_its_reason_and_only_the_turns_that_were_asked),
          T(limits_on_tokens_and_cost_are_of_the_whole_conversation),
          T(a_long_answer_is_judged_whole_and_stored_cut),
          T(what_a_session_holds_is_told_after_each_case),
          T(prompts_hold_the_fields_of_the_case), T(a_case_may_have_a_rubric_of_its_own),
          T(scoring_a_kept_answer_again_gives_the_same_bytes))
