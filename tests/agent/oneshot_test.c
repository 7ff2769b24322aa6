#include "tests/agent/killer.h"

static const struct agent_limits none;

/* What is seen from inside and outside must hold with and without namespaces. */
static const char *const ways[] = {"auto", "off"};

static void open_way(struct bench *b, const char *command, const char *way,
                     struct agent_limits limits)
{
    char yaml[512];
    snprintf(yaml, sizeof yaml, "{command: %s, contain: %s}", command, way);
    bench_open(b, "process", yaml, limits);
}

TEST(input_goes_in_and_the_answer_and_its_usage_come_out)
{
    for (size_t i = 0; i < COUNT(ways); i++) {
        struct bench b;
        open_way(&b, "[" AGENTS "upper.sh]", ways[i], none);
        for (int round = 0; round < 3; round++) {
            bench_expect(&b, round == 1 ? "a much longer input\n" : "short", TRIAL_OK, "");
            assert_true(bench_says(&b, round == 1 ? "A MUCH LONGER INPUT\n" : "SHORT\n"));
            assert_close(b.answer.input_tokens, 7, 0);
            assert_close(b.answer.output_tokens, 3, 0);
            assert_close(b.answer.cost_usd, 0.5, 0);
            assert_true(b.answer.usage.is_set && b.answer.usage.peak_bytes > 100000);
        }
        bench_close(&b);
    }
}

TEST(a_json_input_is_given_as_json)
{
    struct bench b;
    bench_open(&b, "process", "{command: cat}", none);
    struct agent_task task = {.input = S("{\"a\":1}"), .is_json = true};
    assert_int_equal(bench_ask_task(&b, task), TRIAL_OK);
    assert_true(bench_says(&b, "{\"a\":1}"));
    bench_close(&b);
}

TEST(exit_codes_and_signals_are_failures_with_their_last_words)
{
    struct bench b;
    bench_open(&b, "process", "{command: 'echo no such tune >&2; exit 3'}", none);
    bench_expect(&b, "", TRIAL_FAILED, "exit code 3: no such tune");
    bench_close(&b);
    bench_open(&b, "process", "{command: 'kill -SEGV $$'}", none);
    bench_expect(&b, "", TRIAL_FAILED, "ended by signal 11");
    bench_close(&b);
}

TEST(a_program_that_is_not_there_is_found_out_at_open)
{
    struct bench b;
    assert_false(bench_try_open(&b, "process", "{command: [no-such-agent]}", none));
    assert_non_null(strstr(b.err.text, "command 'no-such-agent' not found on PATH"));
    bench_close(&b);
}

TEST(one_that_hangs_and_ignores_signals_is_ended_with_all_it_started)
{
    for (size_t i = 0; i < COUNT(ways); i++) {
        struct bench b;
        open_way(&b, "[" AGENTS "hang.sh]", ways[i],
                 (struct agent_limits){.time_ns = 60000000});
        int64_t begin_ns = clock_ns();
        bench_expect(&b, "", TRIAL_TIMED_OUT, "longer than the limit of 0.06 s");
        assert_true(clock_ns() - begin_ns < 2000000000);
        assert_int_equal(bench_survivors(b.mark), 0); /* before the close, too */
        bench_close(&b);
    }
}

TEST(forks_without_end_meet_the_limit)
{
    for (size_t i = 0; i < COUNT(ways); i++) {
        struct bench b;
        open_way(&b, "[" AGENTS "forks.sh]", ways[i],
                 (struct agent_limits){.processes = 10, .time_ns = 5000000000});
        bench_expect(&b, "", TRIAL_LIMIT_BREACHED, "more processes than the limit of 10");
        assert_int_equal(bench_survivors(b.mark), 0);
        bench_close(&b);
    }
}

TEST(memory_without_end_meets_the_limit)
{
    for (size_t i = 0; i < COUNT(ways); i++) {
        struct bench b;
        open_way(&b, "'head -c 1000000000 /dev/zero | tail'", ways[i],
                 (struct agent_limits){.memory_bytes = 40 * MEGABYTE, .time_ns = 5000000000});
        bench_expect(&b, "", TRIAL_LIMIT_BREACHED, "more memory than the limit of 40 MB");
        bench_close(&b);
    }
}

TEST(a_flood_meets_the_limit_on_either_output)
{
    struct agent_limits limits = {.output_bytes = 5000};
    struct bench b;
    bench_open(&b, "process", "{command: [yes]}", limits);
    bench_expect(&b, "", TRIAL_LIMIT_BREACHED, "more output than the limit of 5000 bytes");
    assert_int_equal(b.answer.output.n, 5000);
    bench_close(&b);
    bench_open(&b, "process", "{command: 'yes oops | head -c 3000000 >&2; echo fine'}", limits);
    bench_expect(&b, "", TRIAL_OK, ""); /* a long log is no failure */
    assert_true(bench_says(&b, "fine\n"));
    bench_close(&b);
    bench_open(&b, "process", "{command: 'yes oops | head -c 3000000 >&2; exit 3'}", limits);
    bench_expect(&b, "", TRIAL_FAILED, "exit code 3: ");
    assert_non_null(strstr(b.answer.error.text, "oops oops")); /* its end is kept */
    bench_close(&b);
    bench_open(&b, "process", "{command: 'head -c 5001 /dev/zero'}", limits);
    bench_expect(&b, "", TRIAL_LIMIT_BREACHED, "more output");
    bench_close(&b);
}

TEST(closing_early_and_bytes_that_are_no_text)
{
    struct bench b;
    bench_open(&b, "process", "{command: 'exec >&-; exit 0'}", none);
    bench_expect(&b, "", TRIAL_OK, "");
    assert_int_equal(b.answer.output.n, 0);
    bench_close(&b);
    bench_open(&b, "process", "{command: 'printf \"ok\\377\\376\"'}", none);
    bench_expect(&b, "", TRIAL_INVALID_OUTPUT, "not UTF-8 at byte 3 of 4");
    bench_close(&b);
    bench_open(&b, "process", "{command: 'printf \"ab\\000c\"'}", none);
    bench_expect(&b, "", TRIAL_INVALID_OUTPUT, "has a NUL at byte 3 of 4");
    bench_close(&b);
}

TEST(usage_that_cannot_be_read_is_an_invalid_answer)
{
    struct bench b;
    bench_open(&b, "process", "{command: 'echo \"{\" >&3'}", none);
    bench_expect(&b, "", TRIAL_INVALID_OUTPUT, "written to ASSAY_USAGE_FD");
    bench_close(&b);
    bench_open(&b, "process", "{command: 'yes >&3; sleep 5'}", none);
    bench_expect(&b, "", TRIAL_LIMIT_BREACHED, "more than 65536 bytes to ASSAY_USAGE_FD");
    bench_close(&b);
    bench_open(&b, "process", "{command: 'head -c 70000 /dev/zero >&3'}", none);
    bench_expect(&b, "", TRIAL_LIMIT_BREACHED, "more than 65536 bytes to ASSAY_USAGE_FD");
    bench_close(&b);
    bench_open(&b, "process", "{command: 'echo \"{\\\"input_tokens\\\":-1}\" >&3'}", none);
    bench_expect(&b, "", TRIAL_INVALID_OUTPUT, "'input_tokens' must be a number");
    bench_close(&b);
}

TEST(only_the_stated_environment_and_the_agents_own)
{
    setenv("ASSAY_LEAK", "1", 1);
    struct bench b;
    bench_open(&b, "process", "{command: [env], env: {COLOUR: green, N: 1.10}}", none);
    bench_expect(&b, "", TRIAL_OK, "");
    const char *text = str_cstr(&b.arena, b.answer.output);
    assert_null(strstr(text, "ASSAY_LEAK"));
    assert_non_null(strstr(text, "COLOUR=green"));
    assert_non_null(strstr(text, "N=1.10\n"));
    assert_non_null(strstr(text, "ASSAY_USAGE_FD=3"));
    bench_close(&b);
    unsetenv("ASSAY_LEAK");
}

TEST(a_variable_of_ours_is_given_by_name_and_never_shown)
{
    setenv("ASSAY_TEST_KEY", "sk-0123456789abcdef", 1);
    struct bench b;
    struct error err = {0};
    static const char command[] =
        "{command: 'echo \"$KEY\"; echo \"bad key: $KEY\" >&2; exit $N', "
        "env: {KEY: {from: ASSAY_TEST_KEY}, N: 3}}";
    bench_open(&b, "process", command, none);
    struct secrets secrets = {0};
    assert_true(secrets_add(&secrets, S("sk-0123456789abcdef"), &err));
    b.kind->close(b.state);
    b.env.secrets = &secrets;
    assert_true(b.kind->open(b.state, b.config, &b.env, &b.err));
    bench_expect(&b, "", TRIAL_FAILED, "exit code 3: bad key: [redacted]");
    assert_true(bench_says(&b, "sk-0123456789abcdef\n")); /* it had it */
    bench_close(&b);
    unsetenv("ASSAY_TEST_KEY");
    assert_false(bench_try_open(&b, "process", command, none));
    assert_non_null(strstr(b.err.text, "env.KEY: the environment variable ASSAY_TEST_KEY is "
                                       "not set"));
    bench_close(&b);
    assert_false(bench_try_open(&b, "process", "{command: env, env: {KEY: [1]}}", none));
    assert_non_null(strstr(b.err.text, "env.KEY: must be a text, a number or {from: NAME}"));
    bench_close(&b);
    assert_false(bench_try_open(&b, "process", "{command: env, env: {K: {fro: X}}}", none));
    assert_non_null(strstr(b.err.text, "env.K: must be {from: NAME}"));
    bench_close(&b);
}

TEST(no_descriptor_of_ours_is_open_in_it)
{
    struct bench b;
    bench_open(&b, "process", "{command: 'ls /proc/self/fd | tr \"\\n\" \" \"'}", none);
    bench_expect(&b, "", TRIAL_OK, "");
    /* 4 is the folder that ls itself reads */
    if (!bench_says(&b, "0 1 2 3 4 ")) fail_msg("%.*s", STR_ARG(b.answer.output));
    bench_close(&b);
}

TEST(limits_on_tokens_and_cost_and_the_price_list)
{
    struct bench b;
    bench_open(&b, "process", "{command: [" AGENTS "upper.sh]}",
               (struct agent_limits){.tokens = 9});
    bench_expect(&b, "a", TRIAL_LIMIT_BREACHED, "used 10 tokens, the limit is 9");
    bench_close(&b);
    bench_open(&b, "process", "{command: [" AGENTS "upper.sh]}",
               (struct agent_limits){.cost_usd = 0.4});
    bench_expect(&b, "a", TRIAL_LIMIT_BREACHED, "cost 0.5 USD, the limit is 0.4 USD");
    bench_close(&b);
    bench_open(&b, "process",
               "{command: 'echo \"{\\\"input_tokens\\\":1000,\\\"output_tokens\\\":10,"
               "\\\"cache_read_tokens\\\":400}\" >&3'}",
               none);
    b.kind->close(b.state);
    b.env.prices = (struct agent_prices){2, 10, 0.5, "2026-11-01"};
    assert_true(b.kind->open(b.state, b.config, &b.env, &b.err));
    bench_expect(&b, "", TRIAL_OK, "");
    /* 600 at 2, 400 at 0.5, 10 at 10 dollars a million */
    assert_close(b.answer.cost_usd, 0.0015, 1e-12);
    bench_close(&b);
}

/* Else an agent that can end it would do its work in an attempt that nobody counts. */
TEST(what_was_done_before_the_starter_was_lost_is_charged)
{
    struct bench b;
    bench_open(&b, "process",
               "{command: \"if [ -e up ]; then echo done; else : > up; while :; do :; done; "
               "fi\"}",
               none);
    const struct process *p = b.state;
    struct killer k = {arena_printf(&b.arena, "%s/up", b.env.work_dir), p->contain.starter.pid};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, kill_starter, &k), 0);
    bench_expect(&b, "", TRIAL_OK, "");
    pthread_join(thread, NULL);
    assert_true(bench_says(&b, "done\n"));
    /* The adapter's own reading would be that of the second attempt. */
    assert_int_equal(b.answer.end_ns, 0);
    double cpu_s = b.answer.usage.user_s + b.answer.usage.system_s;
    if (contain_cpu_ns(&p->contain) <= 0) {
        print_message("# skip: no cgroup counts what the first attempt used\n");
    } else if (cpu_s < 0.03) {
        fail_msg("%g s", cpu_s);
    }
    bench_expect(&b, "", TRIAL_OK, ""); /* the next one is as usual */
    assert_true(b.answer.end_ns > b.answer.start_ns);
    unlink(k.file);
    b.kind->close(b.state);
    assert_non_null(strstr(b.unenforced.p, "was killed 1 times"));
    bench_close(&b);
}

/* 0.2 s and 0.9 s are more than one. */
TEST(a_limit_holds_over_both_attempts)
{
    struct bench b;
    bench_open(&b, "process",
               "{command: \"if [ -e up ]; then sleep 0.9; else : > up; sleep 20; fi\"}",
               (struct agent_limits){.time_ns = 1000000000});
    const struct process *p = b.state;
    struct killer k = {arena_printf(&b.arena, "%s/up", b.env.work_dir), p->contain.starter.pid};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, kill_starter, &k), 0);
    bench_expect(&b, "", TRIAL_TIMED_OUT, "took longer than the limit of 1 s");
    pthread_join(thread, NULL);
    unlink(k.file);
    bench_close(&b);
}

/* Else what it has left would hide as much as it takes in its place. */
TEST(memory_that_an_agent_has_left_behind_counts)
{
    struct bench b;
    bench_open(&b, "process",
               "{command: 'if [ -e /dev/shm/x ]; then : > /dev/shm/x; f=y; else f=x; fi; "
               "head -c 40000000 /dev/zero > /dev/shm/$f'}",
               none);
    bool has_namespaces = !strstr(buf_str(&b.unenforced).p, "namespace");
    for (int i = 0; has_namespaces && i < 2; i++) {
        bench_expect(&b, "", TRIAL_OK, "");
        int64_t peak = b.answer.usage.group_peak_bytes;
        if (peak > 0 && (peak < 40000000 || peak > 80000000))
            fail_msg("trial %d: %lld bytes", i, (long long)peak);
    }
    bench_close(&b);
}

/* The kernel reaps what nobody waits for, and its account with it. */
TEST(a_process_that_nobody_waits_for_is_charged)
{
    static const char work[] =
        "import os, signal, sys\\n"
        "if sys.argv[1:]: signal.signal(signal.SIGCHLD, signal.SIG_IGN)\\n"
        "r, w = os.pipe()\\n"
        "if os.fork() == 0:\\n"
        "    x = b'x' * 80000000\\n"
        "    while os.times().user < 0.3: pass\\n"
        "    os._exit(0)\\n"
        "os.close(w); os.read(r, 1)\\n";
    static const char *const arguments[] = {"", ", hidden"};
    for (size_t i = 0; i < COUNT(arguments); i++) {
        struct bench b;
        char yaml[1024];
        snprintf(yaml, sizeof yaml, "{command: [python3, -c, \"%s\"%s]}", work, arguments[i]);
        bench_open(&b, "process", yaml, none);
        bench_expect(&b, "", TRIAL_OK, "");
        double cpu_s = b.answer.usage.user_s + b.answer.usage.system_s;
        int64_t peak = b.answer.usage.peak_bytes;
        const struct process *p = b.state;
        if (contain_cpu_ns(&p->contain) <= 0) {
            print_message("# skip: no cgroup\n");
        } else if (cpu_s < 0.3 || cpu_s > 3 || peak < 80000000 || peak > 200000000) {
            fail_msg("%s: %g s, %lld bytes", arguments[i], cpu_s, (long long)peak);
        }
        bench_close(&b);
    }
}

TEST_MAIN(T(input_goes_in_and_the_answer_and_its_usage_come_out),
          T(a_json_input_is_given_as_json),
          T(exit_codes_and_signals_are_failures_with_their_last_words),
          T(a_program_that_is_not_there_is_found_out_at_open),
          T(one_that_hangs_and_ignores_signals_is_ended_with_all_it_started),
          T(forks_without_end_meet_the_limit), T(memory_without_end_meets_the_limit),
          T(a_flood_meets_the_limit_on_either_output),
          T(closing_early_and_bytes_that_are_no_text),
          T(usage_that_cannot_be_read_is_an_invalid_answer),
          T(only_the_stated_environment_and_the_agents_own),
          T(a_variable_of_ours_is_given_by_name_and_never_shown),
          T(no_descriptor_of_ours_is_open_in_it),
          T(limits_on_tokens_and_cost_and_the_price_list),
          T(what_was_done_before_the_starter_was_lost_is_charged),
          T(a_limit_holds_over_both_attempts), T(memory_that_an_agent_has_left_behind_counts),
          T(a_process_that_nobody_waits_for_is_charged))
