#include "base/machine.h"
#include "tests/test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(one_at_a_time_and_given_back_at_the_end)
{
    char folder[] = "/tmp/machine-test-XXXXXX";
    char path[64];
    char byte = 0;
    int told[2], end[2];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/lock", folder);
    assert_true(machine_is_free(path)); /* no file: nobody ever had it */
    assert_int_equal(pipe(told), 0);
    assert_int_equal(pipe(end), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct error err = {0};
        bool has_it = machine_take(path, &err) && write(told[1], "x", 1) == 1;
        close(end[1]);
        _exit(has_it && read(end[0], &byte, 1) == 0 ? 0 : 1);
    }
    assert_int_equal(read(told[0], &byte, 1), 1);
    assert_false(machine_is_free(path));
    close(end[0]);
    close(end[1]);
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_true(machine_is_free(path));
    unlink(path);
    /* Whatever somebody else has put there: we do not hang. */
    assert_int_equal(mkfifo(path, 0600), 0);
    (void)machine_is_free(path);
    unlink(path);
    rmdir(folder);
    close(told[0]);
    close(told[1]);
}

TEST(the_first_of_several_is_alone)
{
    char folder[] = "/tmp/machine-test-XXXXXX";
    char path[64];
    int fds[3] = {-1, -1, -1};
    bool is_alone[3] = {false, true, false};
    struct error err = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/lock", folder);
    assert_true(machine_join(path, &fds[0], &is_alone[0], &err));
    assert_true(machine_join(path, &fds[1], &is_alone[1], &err));
    assert_true(is_alone[0]);
    assert_false(is_alone[1]);
    close(fds[0]); /* the second one is still there */
    assert_true(machine_join(path, &fds[0], &is_alone[0], &err));
    assert_false(is_alone[0]);
    close(fds[0]);
    close(fds[1]);
    assert_true(machine_join(path, &fds[2], &is_alone[2], &err));
    assert_true(is_alone[2]);
    close(fds[2]);
    unlink(path);
    rmdir(folder);
}

TEST_MAIN(T(one_at_a_time_and_given_back_at_the_end), T(the_first_of_several_is_alone))
