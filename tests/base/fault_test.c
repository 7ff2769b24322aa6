#include "base/fault.h"

#include "base/os.h"
#include "tests/test.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Each case in a child: the count of a process starts at 0 and stays. */
static int in_child(const char *setting, int (*body)(void))
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setenv("ASSAY_FAULT", setting, 1);
        _exit(body());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Which of four passings failed, as bits, if each failed with ENOSPC. */
static int pass_four_times(void)
{
    int bits = 0;
    for (int i = 0; i < 4; i++) {
        fault_at("other");
        int fault = fault_at("write");
        if (fault && fault != ENOSPC) return 99;
        bits |= (fault != 0) << i;
    }
    return bits;
}

TEST(the_nth_passing_fails)
{
    assert_int_equal(in_child("write:3:ENOSPC", pass_four_times), 4);
    assert_int_equal(in_child("write:1:ENOSPC", pass_four_times), 1);
    assert_int_equal(in_child("open:1:ENOSPC", pass_four_times), 0);
    assert_int_equal(in_child("nonsense", pass_four_times), 0);
    assert_int_equal(in_child("write:x:ENOSPC", pass_four_times), 0);
    assert_int_equal(in_child("write:2:kill", pass_four_times), 1000 + SIGKILL);
}

static int write_a_file(void)
{
    struct error e = {0};
    bool done = os_write_file("/tmp/assay-fault-test", S("x"), &e);
    int answer = done ? 0 : (strstr(e.text, "No space left") ? 1 : 2);
    bool left = os_exists("/tmp/assay-fault-test");
    unlink("/tmp/assay-fault-test");
    return answer + 10 * left;
}

TEST(a_full_disk_leaves_no_half_file)
{
    assert_int_equal(in_child("write:1:ENOSPC", write_a_file), 1);
    assert_int_equal(in_child("rename:1:ENOSPC", write_a_file), 1);
    assert_int_equal(in_child("open:1:EACCES", write_a_file), 2);
    assert_int_equal(in_child("none:1:EIO", write_a_file), 10);
}

TEST_MAIN(T(the_nth_passing_fails), T(a_full_disk_leaves_no_half_file))
