#include "tests/experiment/harness.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
enum { SMALL_ARM_MB = 64 }; /* the sanitizer's shadow is a part of the arm */
#else
enum { SMALL_ARM_MB = 10 };
#endif

static const char *output_of(struct bench *b)
{
    return buf_str(&b->output).p;
}

static void assert_fails_with(struct bench *b, enum trial_status status, const char *part)
{
    assert_int_equal(bench_trial(b), status);
    if (!strstr(b->trial.error.text, part))
        fail_msg("'%s' does not contain '%s'", b->trial.error.text, part);
}

TEST(a_list_is_run_as_it_is_and_a_text_by_the_shell)
{
    struct bench b;
    bench_open(&b, "command", "{command: [echo, '$HOME', 'a b'], output: capture}", 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_string_equal(output_of(&b), "$HOME a b\n");
    assert_true(b.duration_s > 0);
    assert_true(bench_close(&b));

    bench_open(&b, "command", "{command: 'x=1; echo $x | cat', output: capture}", 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_string_equal(output_of(&b), "1\n");
    assert_true(bench_close(&b));

    bench_open(&b, "command", "{command: \"echo '$x y'  z\", shell: none, output: capture}", 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_string_equal(output_of(&b), "$x y z\n");
    assert_true(bench_close(&b));
}

TEST(failures_tell_exit_code_signal_and_last_words)
{
    struct bench b;
    bench_open(&b, "command", "{command: 'echo some words >&2; echo more >&2; exit 7'}", 0);
    assert_fails_with(&b, TRIAL_FAILED, "exit code 7: some words more");
    assert_close(bench_value(&b, "exit_code"), 7, 0);
    assert_fails_with(&b, TRIAL_FAILED, "exit code 7: some words more"); /* not twice */
    assert_true(bench_close(&b));

    setenv("PATH", "/usr/bin:/bin", 1); /* one that may not be looked into makes it 126 */
    bench_open(&b, "command", "{command: 'true; no-such-program-here'}", 0);
    assert_fails_with(&b, TRIAL_FAILED, "not found");
    assert_close(bench_value(&b, "exit_code"), 127, 0);
    assert_true(bench_close(&b));

    bench_open(&b, "command", "{command: 'kill -SEGV $$'}", 0);
    assert_fails_with(&b, TRIAL_FAILED, "signal 11");
    assert_true(bench_close(&b));

    bench_open(&b, "command", "{command: 'exit 7', ignore_failure: true}", 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_close(bench_value(&b, "exit_code"), 7, 0);
    assert_true(bench_close(&b));
}

TEST(only_the_end_of_many_words_is_kept)
{
    struct bench b;
    bench_open(&b, "command", "{command: 'seq 1 5000 >&2; exit 1'}", 0);
    assert_fails_with(&b, TRIAL_FAILED, " 4999 5000");
    assert_true(strlen(b.trial.error.text) < 430);
    assert_true(bench_close(&b));
}

TEST(a_time_limit_ends_the_trial_and_not_the_bench)
{
    struct bench b;
    bench_open(&b, "command", "{command: 'sleep 100 | sleep 100'}", 30000000);
    assert_fails_with(&b, TRIAL_TIMED_OUT, "longer than the limit of 0.03 s");
    assert_int_equal(b.trial.error.code, ERROR_TIMEOUT);
    assert_true(b.duration_s >= 0.03 && b.duration_s < 2);
    assert_fails_with(&b, TRIAL_TIMED_OUT, "longer");
    assert_true(bench_close(&b));
}

TEST(parameters_fill_every_command)
{
    struct bench b;
    bench_open(&b, "command",
               "{command: \"cat made-{n}; echo {n} {r} {unknown} | awk '{print $1, $2, $3}'\","
               " setup: 'echo setup {n} > made-{n}', cleanup: [rm, 'made-{n}'],"
               " parameters: {n: 3, r: 1.10}, workdir: /tmp, output: capture}",
               0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_string_equal(output_of(&b), "setup 3\n3 1.10 {unknown}\n");
    assert_int_equal(access("/tmp/made-3", F_OK), 0);
    assert_true(bench_close(&b));
    assert_int_equal(access("/tmp/made-3", F_OK), -1);
}

/* The order hyperfine keeps: setup once, prepare and conclude around each. */
TEST(steps_run_in_order_and_outside_the_clock)
{
    struct arena arena = arena_open();
    const char *dir = NULL;
    struct error err = {0};
    assert_true(os_make_temp_dir("assay-steps", &arena, &dir, &err));
    struct bench b;
    bench_open(&b, "command",
               arena_printf(&arena,
                            "{workdir: %s, setup: 'printf s >> log', prepare: 'sleep 0.1; "
                            "printf p >> log', command: 'printf c >> log', conclude: 'printf k "
                            ">> log', cleanup: 'printf x >> log'}",
                            dir),
               0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_true(b.duration_s < 0.1);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_true(bench_close(&b));
    struct str line = os_read_line(arena_printf(&arena, "%s/log", dir), &arena);
    assert_true(str_is(line, "spckpckx"));
    os_remove_tree(dir);
    arena_close(&arena);
}

TEST(a_failing_step_is_never_counted_against_the_command)
{
    struct bench b;
    bench_open(&b, "command", "{command: 'exit 0', prepare: 'echo no disk >&2; exit 1'}", 0);
    assert_fails_with(&b, TRIAL_HARNESS_ERROR, "'prepare' command: exit code 1: no disk");
    assert_true(bench_close(&b));
    bench_open(&b, "command", "{command: 'exit 0', conclude: 'exit 2'}", 0);
    assert_fails_with(&b, TRIAL_HARNESS_ERROR, "'conclude' command: exit code 2");
    assert_true(bench_close(&b));
    bench_open(&b, "command", "{command: 'exit 0', cleanup: 'exit 2'}", 0);
    assert_false(bench_close(&b));
    assert_non_null(strstr(b.error.text, "'cleanup' command: exit code 2"));
    assert_false(bench_try_open(&b, "command", "{command: 'exit 0', setup: 'exit 9'}", 0));
    assert_non_null(strstr(b.error.text, "'setup' command: exit code 9"));
    assert_true(bench_close(&b));
}

TEST(input_comes_from_a_file_or_a_text_and_is_whole_in_each_trial)
{
    struct bench b;
    bench_open(&b, "command", "{command: [cat], stdin: 'hello', output: capture}", 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        assert_string_equal(output_of(&b), "hello");
    }
    assert_true(bench_close(&b));
    bench_open(&b, "command", "{command: [head, -n1], input: LAYERS, output: capture}", 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        assert_true(str_starts(buf_str(&b.output), S("# folder")));
    }
    assert_true(bench_close(&b));
    bench_open(&b, "command", "{command: [wc, -c], output: capture}", 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_string_equal(output_of(&b), "0\n");
    assert_true(bench_close(&b));
    /* hyperfine's words */
    bench_open(&b, "command", "{command: [cat], input: 'null', output: 'null'}", 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_int_equal(b.output.n, 0);
    assert_true(bench_close(&b));
}

TEST(env_adds_and_replaces)
{
    struct bench b;
    setenv("ASSAY_TEST_VAR", "old", 1);
    bench_open(&b, "command",
               "{command: 'echo $ASSAY_TEST_VAR $N ${PATH:+path}', output: capture,"
               " env: {ASSAY_TEST_VAR: new, N: 5}}",
               0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_string_equal(output_of(&b), "new 5 path\n");
    assert_true(bench_close(&b));
}

TEST(what_cannot_run_is_said_before_any_trial)
{
    static const struct {
        const char *params, *reason;
        enum error_code code;
    } cases[] = {
        {"{command: [no-such-program-here]}",
         "command 'no-such-program-here' not found on PATH", ERROR_UNAVAILABLE},
        {"{command: [./nowhere], workdir: /tmp}", "command './nowhere' not found",
         ERROR_UNAVAILABLE},
        {"{command: 'exit 0', workdir: /no/such/folder}", "working folder", ERROR_UNAVAILABLE},
        {"{command: 'exit 0', input: /no/such/file}", "cannot open input", ERROR_NOT_FOUND},
        {"{command: \"echo 'x\", shell: none}", "a quote is not closed", ERROR_INVALID},
        {"{command: ' '}", "the command is empty", ERROR_INVALID},
        {"{command: 'exit 0', prepare: ' '}", "'prepare': the command is empty", ERROR_INVALID},
        {"{command: [cat], input: LAYERS, stdin: x}", "not both", ERROR_INVALID},
        {"{command: 'x {a}', parameters: {a: [1]}}", "parameter 'a' is", ERROR_INVALID},
        {"{command: 'exit 0', env: {A: [1]}}", "env.A", ERROR_INVALID},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench b;
        assert_false(bench_try_open(&b, "command", cases[i].params, 0));
        if (!strstr(b.error.text, cases[i].reason))
            fail_msg("%s: '%s'", cases[i].params, b.error.text);
        assert_int_equal(b.error.code, cases[i].code);
        assert_true(bench_close(&b));
    }
}

TEST(a_machine_out_of_memory_is_not_the_commands_fault)
{
    struct bench b;
    bench_open(&b, "command", "{command: [true]}", 0);
    setenv("ASSAY_FAULT", "spawn:1:ENOMEM", 1);
    assert_fails_with(&b, TRIAL_HARNESS_ERROR, "cannot be started: Cannot allocate memory");
    unsetenv("ASSAY_FAULT");
    assert_true(isnan(bench_value(&b, "exit_code")));
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_true(bench_close(&b));
}

TEST(usage_is_that_of_the_whole_tree)
{
    struct bench b;
    bench_open(&b, "command",
               "{command: 'for i in 1 2 3 4 5; do head -c 3000000 /dev/zero | cksum; done'}",
               0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_true(b.trial.usage.is_set);
    assert_true(b.trial.usage.user_s + b.trial.usage.system_s > 0.003);
    assert_close(bench_value(&b, "user_s"), b.trial.usage.user_s, 0);
    assert_close(bench_value(&b, "system_s"), b.trial.usage.system_s, 0);
    assert_true(b.trial.usage.minor_faults > 0);
    assert_true(bench_close(&b));
}

/* Linux carries the resident set of the starter into the peak of what it
 * starts. The arm is forked before its parent grows, as in a real run. */
static void run_in_a_small_arm(int go_fd, int result_fd)
{
    char byte;
    double peaks[2] = {0};
    static const char *const params[] = {
        "{command: [dd, if=/dev/zero, of=/dev/null, bs=2M, count=1]}",
        "{command: [dd, if=/dev/zero, of=/dev/null, bs=64M, count=1]}",
    };
    if (read(go_fd, &byte, 1) != 1) _exit(1);
    for (size_t i = 0; i < COUNT(params); i++) {
        struct bench b;
        bench_open(&b, "command", params[i], 0);
        if (bench_trial(&b) == TRIAL_OK) peaks[i] = bench_value(&b, "memory_peak_mb");
        if (!bench_close(&b)) _exit(1);
    }
    _exit(write(result_fd, peaks, sizeof peaks) == sizeof peaks ? 0 : 1);
}

TEST(memory_peak_is_the_childs_under_a_big_parent)
{
    NEEDS_PLAIN_MEMORY();
    int go[2], result[2];
    assert_int_equal(pipe(go), 0);
    assert_int_equal(pipe(result), 0);
    pid_t pid = fork();
    if (pid == 0) run_in_a_small_arm(go[0], result[1]);
    size_t size = 200 << 20;
    char *big = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(big != MAP_FAILED);
    memset(big, 1, size);
    assert_int_equal(write(go[1], "x", 1), 1);
    close(result[1]);
    double peaks[2];
    assert_int_equal(read(result[0], peaks, sizeof peaks), sizeof peaks);
    waitpid(pid, NULL, 0);
    munmap(big, size);
    print_message("# peak of a 2 MiB child: %.1f MB, of a 64 MiB child: %.1f MB\n", peaks[0],
                  peaks[1]);
    assert_true(peaks[0] > 2.09 && peaks[0] < SMALL_ARM_MB);
    assert_true(peaks[1] > 67.1 && peaks[1] < 75);
}

TEST_MAIN(T(a_list_is_run_as_it_is_and_a_text_by_the_shell),
          T(failures_tell_exit_code_signal_and_last_words),
          T(only_the_end_of_many_words_is_kept),
          T(a_time_limit_ends_the_trial_and_not_the_bench), T(parameters_fill_every_command),
          T(steps_run_in_order_and_outside_the_clock),
          T(a_failing_step_is_never_counted_against_the_command),
          T(input_comes_from_a_file_or_a_text_and_is_whole_in_each_trial),
          T(env_adds_and_replaces), T(what_cannot_run_is_said_before_any_trial),
          T(a_machine_out_of_memory_is_not_the_commands_fault),
          T(usage_is_that_of_the_whole_tree), T(memory_peak_is_the_childs_under_a_big_parent))
