#include "tests/agent/killer.h"

#include <arpa/inet.h>
#include <math.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define SESSION "{command: [" AGENTS "session.sh], mode: session}"

static const struct agent_limits none;
static const struct agent_limits short_limits = {.time_ns = 100000000, .output_bytes = 2000};

static pid_t pid_of(struct bench *b)
{
    int64_t pid = 0;
    bench_expect(b, "pid", TRIAL_OK, "");
    assert_true(str_to_int(b->answer.output, &pid));
    return (pid_t)pid;
}

TEST(one_process_answers_all_tasks)
{
    struct bench b;
    bench_open(&b, "process", SESSION, none);
    pid_t first = pid_of(&b);
    for (int i = 0; i < 20; i++) {
        bench_expect(&b, i % 2 ? "odd" : "even", TRIAL_OK, "");
        assert_true(bench_says(&b, i % 2 ? "odd" : "even"));
    }
    assert_int_equal(pid_of(&b), first);
    bench_close(&b);
}

TEST(usage_and_phases_come_with_the_reply)
{
    struct bench b;
    bench_open(&b, "process", SESSION, none);
    bench_expect(&b, "full", TRIAL_OK, "");
    assert_true(bench_says(&b, "{\"n\":[1,2]}"));
    assert_close(b.answer.input_tokens, 12, 0);
    assert_close(b.answer.output_tokens, 4, 0);
    assert_close(b.answer.cache_read_tokens, 2, 0);
    assert_close(b.answer.api_calls, 1, 0);
    assert_close(b.answer.cost_usd, 0.25, 0);
    assert_int_equal(b.answer.phase_count, 2);
    assert_string_equal(b.answer.phases[0].name, "plan");
    assert_close(b.answer.phases[0].duration_s, 0.0015, 1e-12);
    assert_true(isnan(b.answer.phases[1].start_s));
    bench_close(&b);
}

/* 60,000 turns of a loop in sh are some 20 ms of work. */
TEST(what_a_task_used_is_measured)
{
    struct bench b;
    bench_open(&b, "process", SESSION, none);
    bench_expect(&b, "x", TRIAL_OK, "");
    const struct usage *u = &b.answer.usage;
    double idle_s = u->user_s + u->system_s;
    bench_expect(&b, "work", TRIAL_OK, "");
    double busy_s = u->user_s + u->system_s;
    if (!(busy_s > 0.004 && busy_s > 4 * idle_s)) fail_msg("%g s, idle %g s", busy_s, idle_s);
    assert_true(u->peak_bytes > 100000);
    assert_true(u->read_bytes > 0 && u->write_bytes > 0);
    bench_close(&b);
}

/* By a child of its own, which the count of its process does not have; the count of a write
 * that has woken us may be as late. */
TEST(a_reply_was_written)
{
    struct bench b;
    bench_open(&b, "process",
               "{mode: session, command: 'while read -r l; do i=${l#*:}; "
               "/bin/echo \"{\\\"id\\\":${i%%,*},\\\"output\\\":\\\"x\\\"}\"; done'}",
               none);
    for (int i = 0; i < 3; i++) {
        bench_expect(&b, "x", TRIAL_OK, "");
        assert_in_range(b.answer.usage.write_bytes, sizeof "{'id':1,'output':'x'}" - 1, 100);
        assert_true(b.answer.usage.io_operations > 0);
    }
    bench_close(&b);
}

/* Borrows the given number of MB for one task and gives them back. */
#define BORROWER(contain)                                                                    \
    "{mode: session, contain: " contain ", command: [perl, -e, '$| = 1; while (<STDIN>) { "  \
    "/\"id\":(\\d+)/; $id = $1; /\"input\":\"(\\d+)/; $x = chr(65) x ($1 * 1e6); undef $x; " \
    "print qq({\"id\":$id,\"output\":\"1\"}\\n) }']}"

TEST(the_peak_of_a_task_is_its_own_and_not_what_is_held_after_it)
{
    NEEDS_PLAIN_MEMORY();
    static const char *const specs[] = {BORROWER("auto"), BORROWER("off")};
    for (size_t i = 0; i < COUNT(specs); i++) {
        struct bench b;
        bench_open(&b, "process", specs[i], none);
        const struct usage *u = &b.answer.usage;
        bench_expect(&b, "0", TRIAL_OK, "");
        int64_t small = u->peak_bytes;
        assert_true(small < 20000000);
        bench_expect(&b, "40", TRIAL_OK, "");
        if (u->peak_bytes < small + 36000000 || u->peak_bytes > small + 90000000)
            fail_msg("%s: %lld bytes, not 40 MB more than %lld", specs[i],
                     (long long)u->peak_bytes, (long long)small);
        assert_true(u->resident_bytes < small + 5000000); /* it is gone by now */
        bench_expect(&b, "0", TRIAL_OK, "");
        assert_true(u->peak_bytes < small + 5000000);
        bench_close(&b);
    }
}

/* The same in a child, after a little of its own: it has ended and was waited for, was not waited for, or goes on. */
#define LENDER(before, after)                                                                  \
    "{mode: session, command: [perl, -e, '$| = 1; " before " while (<STDIN>) { "               \
    "/\"id\":(\\d+)/; $id = $1; /\"input\":\"(\\d+)/; $n = $1; if ($n) { $y = chr(65) x 3e6; " \
    "undef $y; pipe(R, W); "                                                                   \
    "if (fork == 0) { $x = chr(65) x ($n * 1e6); close W; " after " exit } close W; <R>; "     \
    "wait if $n != 41 && !$SIG{CHLD}; select(undef, undef, undef, 0.05) } "                    \
    "print qq({\"id\":$id,\"output\":\"1\"}\\n) }']}"

TEST(the_peak_of_a_task_is_that_of_its_children_too)
{
    NEEDS_PLAIN_MEMORY();
    static const struct {
        const char *spec, *input;
    } rows[] = {{LENDER("", ""), "40"},
                {LENDER("$SIG{CHLD} = qq(IGNORE);", ""), "40"},
                {LENDER("", "sleep 60;"), "41"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench b;
        bench_open(&b, "process", rows[i].spec, none);
        const struct usage *u = &b.answer.usage;
        bench_expect(&b, "0", TRIAL_OK, "");
        int64_t small = u->peak_bytes;
        bool has_cgroup = u->group_peak_bytes > 0;
        bench_expect(&b, rows[i].input, TRIAL_OK, "");
        if (has_cgroup &&
            (u->peak_bytes < small + 36000000 || u->peak_bytes > small + 90000000))
            fail_msg("row %zu: %lld bytes, not 40 MB more than %lld", i,
                     (long long)u->peak_bytes, (long long)small);
        bool goes_on = i == 2;
        bench_expect(&b, "0", TRIAL_OK, "");
        if (has_cgroup) assert_true(goes_on == (u->peak_bytes > small + 36000000));
        bench_close(&b);
    }
}

TEST(every_wrong_reply_has_its_status_and_reason_and_the_next_task_a_new_process)
{
    static const struct {
        const char *input;
        enum trial_status status;
        const char *reason;
    } rows[] = {
        {"out_of_order", TRIAL_INVALID_OUTPUT, "the reply is to task"},
        {"twice", TRIAL_INVALID_OUTPUT, "answered twice"},
        {"half", TRIAL_INVALID_OUTPUT, "incomplete line of 1"},
        {"garbage", TRIAL_INVALID_OUTPUT, "not a JSON object: certainly! here is"},
        {"not_utf8", TRIAL_INVALID_OUTPUT, "not UTF-8 at byte"},
        {"nothing", TRIAL_INVALID_OUTPUT, "neither 'output' nor 'error'"},
        {"close", TRIAL_FAILED, "closed its output before it answered"},
        {"die", TRIAL_FAILED, "exit code 3: out of ideas"},
        {"signal", TRIAL_FAILED, "ended by signal 11"},
        {"hang", TRIAL_TIMED_OUT, "longer than the limit of 0.1 s"},
        {"flood", TRIAL_LIMIT_BREACHED, "more output than the limit of 2000 bytes"},
        {"errors", TRIAL_TIMED_OUT, "longer than the limit of 0.1 s"},
    };
    struct bench b;
    bench_open(&b, "process", SESSION, short_limits);
    for (size_t i = 0; i < COUNT(rows); i++) {
        pid_t before = pid_of(&b);
        bench_expect(&b, rows[i].input, rows[i].status, rows[i].reason);
        assert_int_equal(bench_survivors(b.mark), 0);
        if (pid_of(&b) == before) fail_msg("%s: the same process", rows[i].input);
    }
    bench_close(&b);
}

/* 3 MB on standard error are a log, not a failure, whatever the limit of an answer. */
TEST(much_on_standard_error_is_no_failure)
{
    struct bench b;
    bench_open(&b, "process",
               "{mode: session, command: 'while read -r l; do head -c 3000000 /dev/zero >&2; "
               "i=${l#*:}; echo \"{\\\"id\\\":${i%%,*},\\\"output\\\":\\\"x\\\"}\"; done'}",
               (struct agent_limits){.output_bytes = 2000});
    bench_expect(&b, "a", TRIAL_OK, "");
    bench_expect(&b, "b", TRIAL_OK, "");
    bench_close(&b);
}

/* A limit is of the answer's text, not of the line that carries it. */
TEST(the_limit_is_of_the_text)
{
    struct bench b;
    static const char command[] =
        "{mode: session, command: 'while read -r l; do i=${l#*:}; printf \"{\\\"id\\\":%s,"
        "\\\"log\\\":\\\"%05000d\\\",\\\"output\\\":\\\"%0100d\\\"}\\\\n\" ${i%%,*} 0 0; "
        "done'}";
    bench_open(&b, "process", command, (struct agent_limits){.output_bytes = 100});
    bench_expect(&b, "a", TRIAL_OK, "");
    bench_close(&b);
    bench_open(&b, "process", command, (struct agent_limits){.output_bytes = 99});
    bench_expect(&b, "a", TRIAL_LIMIT_BREACHED, "the answer has 100 bytes, the limit is 99");
    bench_close(&b);
}

#define SLOW_START(ready)                                                                     \
    "{mode: session, " ready ", command: 'sleep 0.3; echo log; echo up; while read -r l; do " \
    "case $l in *hang*) sleep 5;; esac; i=${l#*:}; "                                          \
    "echo \"{\\\"id\\\":${i%%,*},\\\"output\\\":\\\"x\\\"}\"; done'}"

/* The start takes longer than a case may: it counts for no case, the first or the one after
 * a time-out. */
TEST(a_start_is_a_figure_of_its_own_and_no_cases_time)
{
    struct bench b;
    bench_open(&b, "process", SLOW_START("ready: up"),
               (struct agent_limits){.time_ns = 200000000});
    for (int round = 0; round < 2; round++) {
        bench_expect(&b, "a", TRIAL_OK, "");
        if (!(b.answer.ready_s >= 0.3)) fail_msg("%g s", b.answer.ready_s);
        bench_expect(&b, "b", TRIAL_OK, "");
        assert_true(isnan(b.answer.ready_s)); /* it was there */
        bench_expect(&b, "hang", TRIAL_TIMED_OUT, "");
    }
    bench_close(&b);
}

/* 0.2 s and more of work before it reads: in a child, too, as of a wrapper. */
TEST(a_start_that_nobody_announces_is_no_cases_time_either)
{
#define LOADS "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done; "
#define SERVES                                                                                 \
    "while read -r l; do i=${l#*:}; echo \"{\\\"id\\\":${i%%,*},\\\"output\\\":\\\"x\\\"}\"; " \
    "done"
    struct bench b;
    bench_open(&b, "process", "{mode: session, command: '" LOADS SERVES "'}", none);
    bench_expect(&b, "x", TRIAL_OK, "");
    double first_cpu_s = b.answer.usage.user_s + b.answer.usage.system_s;
    if (!(b.answer.ready_s > 0.02)) fail_msg("%g s", b.answer.ready_s);
    /* What it did before is no work of the first case: judged by processor time. */
    if (!(first_cpu_s < 0.02)) fail_msg("%g s", first_cpu_s);
    bench_expect(&b, "x", TRIAL_OK, "");
    assert_true(isnan(b.answer.ready_s));
    bench_close(&b);
}

TEST(a_program_that_is_never_ready_fails_with_the_reason)
{
    struct bench b;
    bench_open(&b, "process", SLOW_START("ready: {line: down, within_s: 0.6}"), none);
    bench_expect(&b, "a", TRIAL_FAILED, "was not ready within 0.6 s (the line 'down')");
    assert_int_equal(bench_survivors(b.mark), 0);
    bench_close(&b);
    bench_open(&b, "process",
               "{mode: session, ready: up, command: 'echo no model >&2; exit 4'}", none);
    bench_expect(&b, "a", TRIAL_FAILED,
                 "ended before it was ready (the line 'up'): exit code 4: no model");
    bench_close(&b);
    static const char *const wrong[] = {"ready: []",
                                        "ready: 70000",
                                        "ready: {}",
                                        "ready: {line: a, port: 2}",
                                        "ready: {port: 1, within_s: 0}",
                                        "ready: {lime: a}"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char yaml[200];
        snprintf(yaml, sizeof yaml, "{mode: session, %s, command: [cat]}", wrong[i]);
        assert_false(bench_try_open(&b, "process", yaml, none));
        assert_non_null(strstr(b.err.text, "ready must be a line of text, a port"));
        bench_close(&b);
    }
}

TEST(an_error_that_the_agent_reports_does_not_end_the_session)
{
    struct bench b;
    bench_open(&b, "process", SESSION, none);
    pid_t before = pid_of(&b);
    bench_expect(&b, "refuse", TRIAL_AGENT_ERROR, "the agent reports: not today");
    assert_int_equal(pid_of(&b), before);
    bench_close(&b);
}

/* The second answer may come at once or after we have gone on: one of the two
 * tasks must tell. */
TEST(a_second_answer_that_comes_late_is_found_out)
{
    struct bench b;
    bench_open(&b, "process", SESSION, none);
    enum trial_status first = bench_ask(&b, "late_twice");
    if (first == TRIAL_OK) {
        bench_expect(&b, "x", TRIAL_INVALID_OUTPUT, "");
        assert_true(strstr(b.answer.error.text, "answered twice") ||
                    strstr(b.answer.error.text, "which has ended"));
    } else {
        assert_int_equal(first, TRIAL_INVALID_OUTPUT);
    }
    bench_expect(&b, "y", TRIAL_OK, "");
    bench_close(&b);
}

TEST(the_task_has_exactly_the_promised_fields)
{
    struct bench b;
    bench_open(&b, "process",
               "{command: 'read -r l; printf \"%s\\\\n\" \"$l\" | sed \"s/.*/{\\\"id\\\":1,"
               "\\\"output\\\":[&]}/\"; read -r l', mode: session}",
               none);
    struct agent_task task = {.case_id = S("c7"),
                              .conversation = S("talk"),
                              .turn = 2,
                              .input = S("{\"a\":\n1}"),
                              .is_json = true,
                              .seed = UINT64_MAX};
    if (bench_ask_task(&b, task) != TRIAL_OK) fail_msg("%s", b.answer.error.text);
    assert_true(bench_says(&b,
                           "[{\"id\":1,\"case\":\"c7\",\"conversation\":\"talk\",\"turn\":2,"
                           "\"input\":{\"a\":1},\"config\":{},\"seed\":9007199254740991}]"));
    bench_close(&b);
}

/* More than a pipe holds, both ways. */
TEST(large_tasks_and_answers_pass)
{
    struct bench b;
    bench_open(&b, "process",
               "{command: 'sed -u \"s/.\\\"case.*input\\\":/,\\\"output\\\":/"
               "\"', mode: session}",
               none);
    size_t n = 300000;
    char *text = arena_new(&b.arena, char, n + 1);
    memset(text, 'x', n);
    if (bench_ask(&b, text) != TRIAL_OK) fail_msg("%s", b.answer.error.text);
    assert_true(bench_says(&b, text));
    bench_close(&b);
}

/* A keeper killed without warning: the guard cleans up behind it. */
TEST(nothing_is_left_of_a_killed_keeper)
{
    const char *sanitizer = getenv("ASSAY_SAN");
    if (sanitizer && strstr(sanitizer, "thread")) {
        print_message("# skip: its thread keeps a forked process from changing namespaces\n");
        return;
    }
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    pid_t keeper = fork();
    if (keeper == 0) {
        struct bench b;
        if (!bench_try_open(&b, "process", SESSION, none) || bench_ask(&b, "x") != TRIAL_OK)
            _exit(1);
        bool is_bound = b.unenforced.n == 0; /* namespaces were to be had */
        char mark[64] = {0};
        snprintf(mark, sizeof mark, "%s", is_bound ? b.mark : "");
        if (write(fds[1], mark, sizeof mark) < 0) _exit(1);
        rmdir(b.env.work_dir);
        pause();
    }
    close(fds[1]);
    char mark[64] = {0};
    assert_int_equal(read(fds[0], mark, sizeof mark), sizeof mark);
    kill(keeper, SIGKILL);
    waitpid(keeper, NULL, 0);
    close(fds[0]);
    if (!*mark) {
        print_message("# skip: no namespaces here\n");
        return;
    }
    char group[64];
    snprintf(group, sizeof group, "assay-%d-*", (int)keeper);
    const char *argv[] = {"find", "/sys/fs/cgroup", "-name", group, NULL};
    struct arena a = arena_open();
    struct os_output out = {.text = S("?")};
    int survivors = 1;
    for (int i = 0; i < 200 && (survivors > 0 || out.text.n > 0); i++) {
        clock_sleep_until(clock_ns() + 10000000);
        survivors = bench_survivors(mark);
        assert_true(os_capture(argv, 5000, 4096, &a, &out, NULL));
    }
    assert_int_equal(survivors, 0);
    assert_int_equal(out.text.n, 0);
    arena_close(&a);
}

/* Whoever had it would be taken for the agent, which then is to blame for nothing. */
TEST(a_port_that_somebody_else_has_is_no_fault_of_the_agent)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 4), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    struct bench b;
    char yaml[256];
    snprintf(yaml, sizeof yaml, "{command: [" AGENTS "session.sh], mode: session, ready: %d}",
             ntohs(at.sin_port));
    bench_open(&b, "process", yaml, none);
    bench_expect(&b, "x", TRIAL_HARNESS_ERROR, "is already open");
    close(fd);
    bench_close(&b);
}

/* A task that was given twice has taken the time of both. */
TEST(what_was_done_before_the_starter_was_lost_is_charged)
{
    struct bench b;
    bench_open(&b, "process",
               "{mode: session, command: [python3, -c, \"import sys, os, json, time\\n"
               "for l in sys.stdin:\\n"
               "    if not os.path.exists('up'):\\n"
               "        open('up', 'w'); time.sleep(20)\\n"
               "    print(json.dumps({'id': json.loads(l)['id'], 'output': 'x'}), flush=True)"
               "\"]}",
               none);
    const struct process *p = b.state;
    struct killer k = {arena_printf(&b.arena, "%s/up", b.env.work_dir), p->contain.starter.pid};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, kill_starter, &k), 0);
    bench_expect(&b, "", TRIAL_OK, "");
    pthread_join(thread, NULL);
    assert_true(b.answer.end_ns - b.answer.start_ns >= 200000000);
    unlink(k.file);
    b.kind->close(b.state);
    assert_non_null(strstr(b.unenforced.p, "was killed 1 times"));
    bench_close(&b);
}

TEST_MAIN(T(one_process_answers_all_tasks), T(usage_and_phases_come_with_the_reply),
          T(what_a_task_used_is_measured), T(a_reply_was_written),
          T(the_peak_of_a_task_is_its_own_and_not_what_is_held_after_it),
          T(the_peak_of_a_task_is_that_of_its_children_too),
          T(every_wrong_reply_has_its_status_and_reason_and_the_next_task_a_new_process),
          T(much_on_standard_error_is_no_failure), T(the_limit_is_of_the_text),
          T(a_start_is_a_figure_of_its_own_and_no_cases_time),
          T(a_start_that_nobody_announces_is_no_cases_time_either),
          T(a_program_that_is_never_ready_fails_with_the_reason),
          T(an_error_that_the_agent_reports_does_not_end_the_session),
          T(a_second_answer_that_comes_late_is_found_out),
          T(the_task_has_exactly_the_promised_fields), T(large_tasks_and_answers_pass),
          T(a_port_that_somebody_else_has_is_no_fault_of_the_agent),
          T(what_was_done_before_the_starter_was_lost_is_charged),
          T(nothing_is_left_of_a_killed_keeper)) /* last: its guard becomes our child */
