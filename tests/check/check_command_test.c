#include "base/clock.h"
#include "base/os.h"
#include "tests/check/bench.h"

static const struct check_case cases[] = {
    {"command: 'echo 1'", "", "x", 1, "the program said so"},
    {"command: 'echo 0.25'", "", "x", 0.25, NULL},
    {"command: [echo, '0.5']", "", "x", 0.5, NULL},
    {"command: 'echo ''{\"score\": 0.75, \"why\": \"nearly\"}'''", "", "x", 0.75, "nearly"},
    {"command: 'grep -q ''\"output\":\"hello\"'' && echo 1 || echo 0'", "", "hello", 1, NULL},
    {"command: 'grep -q ''\"output\":\"hello\"'' && echo 1 || echo 0'", "", "bye", 0, NULL},
    {"command: 'grep -q ''\"input\":\"the question\"'' && echo 1'", "", "x", 1, NULL},
    {"command: 'grep -q ''\"expected\":\\[1,\"a\"\\]'' && echo 1'", "[1, a]", "x", 1, NULL},
    {"command: 'exit 3'", "", "x", HARNESS_ERROR, "ended with code 3"},
    {"command: 'echo no such table >&2; exit 1'", "", "x", HARNESS_ERROR,
     "code 1: no such table"},
    {"command: 'kill -9 $$'", "", "x", HARNESS_ERROR, "code 137"},
    {"command: 'echo perhaps'", "", "x", HARNESS_ERROR, "'perhaps', which is neither a score"},
    {"command: 'echo 1.5'", "", "x", HARNESS_ERROR, "neither a score from 0 to 1"},
    {"command: 'echo ''{\"grade\": 1}'''", "", "x", HARNESS_ERROR, "nor {"},
    {"command: 'true'", "", "x", HARNESS_ERROR, "nor {"},
    {"command: 'sleep 60', timeout_ms: 50", "", "x", HARNESS_ERROR, "timeout_ms of 50"},
    {"command: 'yes', timeout_ms: 5000", "", "x", HARNESS_ERROR, "more than 65536 bytes"},
    {"command: [no-such-program-x]", "", "x", HARNESS_ERROR,
     "command 'no-such-program-x' not found on PATH"},
};

/* It has what it is given, and not our keys. */
TEST(our_environment_is_not_its)
{
    static const struct check_case given[] = {
        {"command: 'echo ${ASSAY_PLANTED:-0.5}'", "", "x", 0.5, NULL},
        {"command: 'echo ${ASSAY_PLANTED:-0.5}', env: {ASSAY_PLANTED: {from: ASSAY_PLANTED}}",
         "", "x", 0.25, NULL},
        {"command: 'echo ${ASSAY_PLANTED:-0.5}', env: {ASSAY_PLANTED: 1}", "", "x", 1, NULL},
        {"command: 'test -n \"$PATH\" && echo 1'", "", "x", 1, NULL},
    };
    setenv("ASSAY_PLANTED", "0.25", 1);
    BENCH("command", given);
    unsetenv("ASSAY_PLANTED");
}

TEST(verdicts)
{
    BENCH("command", cases);
}

TEST(one_session_judges_many_answers)
{
    struct arena a = arena_open();
    struct problems p;
    const struct rubric *r =
        bench_rubric(&a, "command", "command: 'wc -c | awk ''{print ($1 > 80)}'''", &p);
    struct check_env env = {.arena = &a};
    struct rubric_session *s;
    struct error err = {0};
    assert_true(rubric_open(r, &env, &s, &err));
    assert_true(rubric_runs_program(r));
    for (int i = 0; i < 4; i++) {
        struct check_input in = {.output = i % 2 ? S("short")
                                                 : S("a long answer that goes on and on and on "
                                                     "and does not come to an end")};
        struct rubric_result result;
        if (!rubric_evaluate(s, &in, &a, &result, &err)) fail_msg("%s", err.text);
        assert_true(result.score == (i % 2 ? 0 : 1));
    }
    rubric_close(s);
    arena_close(&a);
}

TEST(bytes_that_are_no_text_reach_the_program_as_json)
{
    static const struct check_case bad[] = {
        {"command: 'grep -q ''\"output\":\"a'' && echo 1'", "", "a\xff", 1, NULL},
    };
    BENCH("command", bad);
}

TEST(what_a_program_leaves_behind_is_ended)
{
    struct arena a = arena_open();
    const char *dir;
    struct error err = {0};
    assert_true(os_make_temp_dir("check", &a, &dir, &err));
    struct check_env env = {.base_dir = dir};
    /* The second sleep would hold the pid file's process for a minute. */
    const struct check_case c = {"command: 'sleep 60 >/dev/null 2>&1 & echo $! > pid; echo 1'",
                                 "", "x", 1, NULL};
    bench_cases("command", &c, 1, &env);
    struct str pid = os_read_line(arena_printf(&a, "%s/pid", dir), &a);
    assert_true(pid.n > 0);
    const char *status = arena_printf(&a, "/proc/%.*s/cmdline", STR_ARG(pid));
    int64_t deadline_ns = clock_ns() + 5000000000;
    while (os_read_line(status, &a).n > 0 && clock_ns() < deadline_ns) {
        clock_sleep_until(clock_ns() + 5000000);
    }
    assert_int_equal(os_read_line(status, &a).n, 0);
    os_remove_tree(dir);
    arena_close(&a);
}

TEST_MAIN(T(verdicts), T(our_environment_is_not_its), T(one_session_judges_many_answers),
          T(bytes_that_are_no_text_reach_the_program_as_json),
          T(what_a_program_leaves_behind_is_ended))
