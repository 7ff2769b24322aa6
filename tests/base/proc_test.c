#include "base/proc.h"
#include "tests/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child that waits, and has a child that waits too; ready when both are. */
static pid_t start_pair(int *ready_fd)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (fork() == 0) {
            if (write(fds[1], "x", 1) != 1) _exit(1);
        }
        pause();
        _exit(0);
    }
    *ready_fd = fds[0];
    char byte;
    assert_int_equal(read(fds[0], &byte, 1), 1);
    close(fds[1]);
    return pid;
}

TEST(descendants_are_found_below_and_not_beside)
{
    int fd = -1;
    pid_t pid = start_pair(&fd);
    pid_t found[8];
    assert_int_equal(proc_descendants(getpid(), found, 8), 2);
    assert_int_equal(found[0], pid);
    pid_t grandchild = found[1];
    assert_int_equal(proc_descendants(pid, found, 8), 1);
    assert_int_equal(found[0], grandchild);
    assert_int_equal(proc_descendants(grandchild, found, 8), 0);
    assert_int_equal(proc_descendants(getpid(), found, 1), 1); /* no more than asked for */
    kill(grandchild, SIGKILL);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(fd);
}

TEST(stat_tells_memory_threads_and_state)
{
    NEEDS_PLAIN_MEMORY();
    struct proc_stat before, after, again;
    int fd = open("/proc/self/stat", O_RDONLY);
    assert_true(proc_read_stat(getpid(), &before));
    assert_int_equal(before.threads, 1);
    assert_int_equal(before.state, 'R');
    size_t size = 8 << 20;
    char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(p != MAP_FAILED);
    memset(p, 1, size);
    assert_true(proc_read_stat(getpid(), &after));
    assert_in_range(after.rss_bytes - before.rss_bytes, 7 << 20, 9 << 20);
    assert_true(proc_pread_stat(fd, &again)); /* what is so now, not when it was opened */
    assert_in_range(again.rss_bytes - before.rss_bytes, 7 << 20, 9 << 20);
    munmap(p, size);
    close(fd);
}

TEST(io_counts_a_write_and_what_reading_it_took)
{
    int fd = open("/proc/self/io", O_RDONLY);
    int null = open("/dev/null", O_WRONLY);
    struct proc_io a, b;
    int64_t used_a, used_b;
    assert_true(proc_pread_io(fd, &a, &used_a));
    char bytes[5000] = {0};
    assert_int_equal(write(null, bytes, sizeof bytes), sizeof bytes);
    assert_true(proc_pread_io(fd, &b, &used_b));
    assert_int_equal(b.write_bytes - a.write_bytes, 5000);
    assert_int_equal(b.read_bytes - a.read_bytes, used_a);
    assert_int_equal(b.disk_write_bytes, a.disk_write_bytes); /* neither was a disk */
    assert_int_equal(b.disk_read_bytes, a.disk_read_bytes);
    close(fd);
    close(null);
}

TEST(descriptors_are_counted)
{
    int64_t before = proc_count_fds(getpid());
    int fd = open("/dev/null", O_RDONLY);
    assert_int_equal(proc_count_fds(getpid()), before + 1);
    close(fd);
}

TEST(what_is_gone_is_said_to_be_gone)
{
    pid_t pid = fork();
    if (pid == 0) _exit(0);
    waitpid(pid, NULL, 0);
    struct proc_stat stat;
    struct proc_io io;
    pid_t found[2];
    assert_false(proc_read_stat(pid, &stat));
    assert_false(proc_read_io(pid, &io));
    assert_int_equal(proc_count_fds(pid), 0);
    assert_int_equal(proc_descendants(pid, found, 2), 0);
}

TEST_MAIN(T(descendants_are_found_below_and_not_beside), T(stat_tells_memory_threads_and_state),
          T(io_counts_a_write_and_what_reading_it_took), T(descriptors_are_counted),
          T(what_is_gone_is_said_to_be_gone))
