/* What the queue reads of the child that runs, and how it waits for its end. */
#include "api/queue.c" // NOLINT(bugprone-suspicious-include): what reads and waits is static
#include "tests/test.h"

#include <sys/prctl.h>
#include <sys/time.h>

/* The queue reads all that was written, in pieces of a pipe. */
static void say(struct queue *q, int to, struct str bytes)
{
    while (bytes.n > 0) {
        size_t n = bytes.n < 4096 ? bytes.n : 4096;
        assert_int_equal(write(to, bytes.p, n), n);
        assert_true(read_some(q, q->out_fd));
        bytes = (struct str){bytes.p + n, bytes.n - n};
    }
}

TEST(a_line_that_is_too_long_is_passed_over_to_its_end)
{
    struct arena arena = arena_open();
    struct feeds feeds = {.arena = &arena};
    struct entry e = {.log = feed_get(&feeds, "run", "default")};
    struct queue q = {.entries = &e, .err_fd = -1};
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    q.out_fd = ends[0];
    buf_init(&q.line, LINE_MAX_BYTES);
    char *filler = arena_new(&arena, char, LINE_MAX_BYTES + 10000);
    memset(filler, 'x', LINE_MAX_BYTES + 10000);
    say(&q, ends[1], S("{\"event\":\"before\"}\n{\"event\":\"lo"));
    say(&q, ends[1], (struct str){filler, LINE_MAX_BYTES + 10000});
    say(&q, ends[1], S("tail\"}\n{\"event\":\"after\"}\n\n{\"event\":\"last"));
    say(&q, ends[1], S("\"}\n"));
    struct str text = buf_str(&e.log->text);
    assert_true(
        str_is(text, "{\"event\":\"before\"}\n{\"event\":\"after\"}\n{\"event\":\"last\"}\n"));
    assert_int_equal(e.log->last, 3);
    buf_release(&q.line);
    feeds_release(&feeds);
    close(ends[0]);
    close(ends[1]);
    arena_close(&arena);
}

static void on_alarm(int signal_number)
{
    (void)signal_number;
}

/* Signals interrupt poll; the child ends at its own time, and is not taken for one that does
 * not. */
TEST(a_signal_does_not_shorten_the_wait_for_an_end)
{
    struct queue q = {.out_fd = -1, .err_fd = -1};
    q.pid = fork();
    assert_true(q.pid >= 0);
    if (q.pid == 0) {
        usleep(200000);
        _exit(7);
    }
    q.pid_fd = (int)syscall(SYS_pidfd_open, q.pid, 0);
    assert_true(q.pid_fd >= 0);
    struct sigaction act = {.sa_handler = on_alarm};
    const struct itimerval often = {{0, 2000}, {0, 2000}};
    const struct itimerval never = {0};
    assert_int_equal(sigaction(SIGALRM, &act, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    bool has_ended = await_end(&q, clock_ns() + INT64_C(60000000000));
    int status = reap_group(q.pid);
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_true(has_ended);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    close(q.pid_fd);
}

TEST(what_a_child_leaves_behind_ends_with_it)
{
    int alive[2];
    assert_int_equal(pipe(alive), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        setpgid(0, 0);
        if (fork() == 0) {
            prctl(PR_SET_NAME, "left");
            pause();
        }
        _exit(0);
    }
    close(alive[1]);
    int status = reap_group(pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    /* Its end of the pipe is closed once it is gone. */
    struct pollfd p = {.fd = alive[0], .events = POLLIN};
    assert_int_equal(poll(&p, 1, 60000), 1);
    assert_true(p.revents & POLLHUP);
    close(alive[0]);
}

TEST_MAIN(T(a_line_that_is_too_long_is_passed_over_to_its_end),
          T(a_signal_does_not_shorten_the_wait_for_an_end),
          T(what_a_child_leaves_behind_ends_with_it))
