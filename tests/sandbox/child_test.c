#include "base/clock.h"
#include "base/proc.h"
#include "sandbox/child.h"
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

struct fixture {
    struct arena arena;
    struct child_plan plan;
    struct child_output output;
    struct child_result result;
    struct error err;
    int null_fd;
};

static bool try_open(struct fixture *f, const char *const *argv, size_t kept_max)
{
    *f = (struct fixture){.arena = arena_open()};
    f->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_true(child_adopt(&f->err));
    if (kept_max) assert_true(child_output_open(&f->output, kept_max, &f->err));
    struct child_spec spec = {
        .argv = argv,
        .stdin_fd = f->null_fd,
        .stdout_fd = kept_max ? f->output.write_fd : f->null_fd,
        .stderr_fd = f->null_fd,
    };
    return child_plan_init(&f->plan, &spec, &f->arena, &f->err);
}

static void run_shell(struct fixture *f, const char *script, size_t kept_max, int64_t limit_ns)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    if (!try_open(f, argv, kept_max)) fail_msg("%s", f->err.text);
    child_run(&f->plan, limit_ns, kept_max ? &f->output : NULL, &f->result);
    assert_int_equal(f->result.start_errno, 0);
}

static void close_fixture(struct fixture *f)
{
    child_settle(&f->result);
    child_plan_release(&f->plan);
    child_output_close(&f->output);
    close(f->null_fd);
    arena_close(&f->arena);
}

TEST(exit_codes_and_signals_are_told_apart)
{
    struct fixture f;
    run_shell(&f, "exit 3", 0, 0);
    assert_int_equal(child_exit_code(f.result.status), 3);
    close_fixture(&f);
    run_shell(&f, "kill -TERM $$", 0, 0);
    assert_int_equal(child_exit_code(f.result.status), 128 + SIGTERM);
    close_fixture(&f);
}

TEST(a_missing_program_is_found_out_before_any_run)
{
    struct fixture f;
    const char *argv[] = {"no-such-program-here", NULL};
    assert_false(try_open(&f, argv, 0));
    assert_int_equal(f.err.code, ERROR_NOT_FOUND);
    assert_string_equal(f.err.text, "command 'no-such-program-here' not found on PATH");
    close_fixture(&f);
}

TEST(output_beyond_the_limit_is_drained_and_dropped)
{
    struct fixture f;
    run_shell(&f, "printf start; head -c 300000 /dev/zero", 1000, 0);
    assert_int_equal(f.result.status, 0);
    assert_int_equal(f.output.kept_bytes, 1000);
    assert_int_equal(f.output.total_bytes, 300005);
    assert_memory_equal(f.output.kept, "start", 5);
    close_fixture(&f);
}

TEST(a_child_beyond_its_limit_is_ended_with_all_it_started)
{
    struct fixture f;
    int64_t begin_ns = clock_ns();
    run_shell(&f, "sleep 100 & sleep 100; exit 0", 0, 30000000);
    double took_s = (double)(clock_ns() - begin_ns) * 1e-9;
    assert_true(f.result.timed_out);
    assert_true(took_s >= 0.03 && took_s < 2);
    assert_true(child_sweep(&f.err));
    pid_t left[4];
    assert_int_equal(proc_descendants(getpid(), left, 4), 0);
    close_fixture(&f);
}

TEST(a_flood_ends_the_child_where_that_is_asked)
{
    struct fixture f;
    const char *argv[] = {"yes", NULL};
    assert_true(try_open(&f, argv, 1000));
    f.output.ends_child = true;
    child_run(&f.plan, 0, &f.output, &f.result);
    assert_true(f.result.has_flooded && !f.result.timed_out);
    assert_int_equal(child_exit_code(f.result.status), 128 + SIGKILL);
    close_fixture(&f);
}

static bool count_down(void *context)
{
    int *left = context;
    return --*left == 0;
}

TEST(a_watch_ends_the_child)
{
    struct fixture f;
    const char *argv[] = {"sleep", "100", NULL};
    assert_true(try_open(&f, argv, 0));
    int looks = 3;
    f.plan.watch = (struct child_watch){.is_over = count_down, .context = &looks};
    child_run(&f.plan, 0, NULL, &f.result);
    assert_true(f.result.was_stopped);
    assert_int_equal(looks, 0);
    close_fixture(&f);
}

/* `yes` writes faster than anybody reads. */
TEST(an_endless_writer_meets_its_limit)
{
    struct fixture f;
    run_shell(&f, "yes", 1000, 300000000);
    assert_true(f.result.timed_out);
    assert_int_equal(f.output.kept_bytes, 1000);
    assert_true(child_sweep(&f.err));
    close_fixture(&f);
}

/* setsid leaves the process group; a subreaper still gets it. */
TEST(orphans_are_ended_wherever_they_hide)
{
    struct fixture f;
    run_shell(&f, "setsid sh -c 'sleep 100 & sleep 100' & exit 0", 1000, 0);
    assert_int_equal(f.result.status, 0);
    assert_true(child_sweep(&f.err));
    pid_t left[4];
    assert_int_equal(proc_descendants(getpid(), left, 4), 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    close_fixture(&f);
}

TEST(signals_blocked_or_ignored_here_are_default_there)
{
    signal(SIGTERM, SIG_IGN);
    sigset_t blocked, before;
    sigfillset(&blocked);
    sigprocmask(SIG_SETMASK, &blocked, &before);
    struct fixture f;
    run_shell(&f, "kill -TERM $$; exit 0", 0, 0);
    sigprocmask(SIG_SETMASK, &before, NULL);
    signal(SIGTERM, SIG_DFL);
    assert_int_equal(child_exit_code(f.result.status), 128 + SIGTERM);
    close_fixture(&f);
}

TEST(many_children_leave_no_descriptor)
{
    int64_t before = proc_count_fds(getpid());
    for (int i = 0; i < 20; i++) {
        struct fixture f;
        run_shell(&f, "echo x", 100, 1000000000);
        close_fixture(&f);
    }
    assert_int_equal(proc_count_fds(getpid()), before);
}

TEST_MAIN(T(exit_codes_and_signals_are_told_apart),
          T(a_missing_program_is_found_out_before_any_run),
          T(output_beyond_the_limit_is_drained_and_dropped),
          T(a_child_beyond_its_limit_is_ended_with_all_it_started),
          T(an_endless_writer_meets_its_limit), T(a_flood_ends_the_child_where_that_is_asked),
          T(a_watch_ends_the_child), T(orphans_are_ended_wherever_they_hide),

          T(signals_blocked_or_ignored_here_are_default_there),
          T(many_children_leave_no_descriptor))
