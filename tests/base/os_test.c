#include "base/os.h"

#include "base/clock.h"
#include "tests/test.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct arena arena;
static const char *dir;

static const char *at(const char *name)
{
    return arena_printf(&arena, "%s/%s", dir, name);
}

TEST(a_file_comes_back_as_written)
{
    struct error err = {0};
    struct str bytes;
    assert_true(os_write_file(at("f"), (struct str){"a\0b", 3}, &err));
    assert_true(os_read_file(at("f"), 3, &arena, &bytes, &err));
    assert_true(bytes.n == 3 && memcmp(bytes.p, "a\0b", 3) == 0);
    assert_false(os_read_file(at("f"), 2, &arena, &bytes, &err));
    assert_int_equal(err.code, ERROR_INVALID);
    assert_non_null(strstr(err.text, "limit of 2 bytes"));
}

TEST(what_cannot_be_read_says_why)
{
    struct error err = {0};
    struct str bytes;
    assert_false(os_read_file(at("nowhere"), 10, &arena, &bytes, &err));
    assert_int_equal(err.code, ERROR_NOT_FOUND);
    assert_false(os_read_file(dir, 10, &arena, &bytes, &err));
    assert_non_null(strstr(err.text, "is a folder"));
}

/* Each fault in a child of its own: the counter of fault_at is the process's. */
static bool write_with_fault(const char *fault, struct error *err)
{
    int channel[2];
    assert_int_equal(pipe(channel), 0);
    pid_t pid = fork();
    if (pid == 0) {
        setenv("ASSAY_FAULT", fault, 1);
        struct error mine = {0};
        bool done = os_write_file(at("precious"), S("new"), &mine);
        _exit(write(channel[1], &mine, sizeof mine) == sizeof mine && done ? 0 : 1);
    }
    int status = 0;
    close(channel[1]);
    ssize_t n = read(channel[0], err, sizeof *err);
    close(channel[0]);
    waitpid(pid, &status, 0);
    assert_true(n == sizeof *err || WIFSIGNALED(status));
    return status == 0;
}

/* A full disk, a failing rename, a kill: readers see the old content, whole. */
TEST(a_failed_write_leaves_the_old_file)
{
    static const char *const faults[] = {"open:1:EACCES", "write:1:ENOSPC", "rename:1:EIO",
                                         "write:1:kill", "rename:1:kill"};
    struct error err = {0};
    struct str bytes;
    assert_true(os_write_file(at("precious"), S("old"), &err));
    for (size_t i = 0; i < COUNT(faults); i++) {
        err = (struct error){0};
        assert_false(write_with_fault(faults[i], &err));
        if (!strstr(faults[i], "kill")) assert_non_null(strstr(err.text, "precious"));
        assert_true(os_read_file(at("precious"), 100, &arena, &bytes, &err));
        assert_true(str_is(bytes, "old"));
    }
    assert_true(write_with_fault("write:2:ENOSPC", &err));
    assert_true(os_read_file(at("precious"), 100, &arena, &bytes, &err));
    assert_true(str_is(bytes, "new"));
}

TEST(folders_are_made_and_removed_whole)
{
    struct error err = {0};
    assert_true(os_make_dirs(at("a/b/c"), &err));
    assert_true(os_make_dirs(at("a/b/c"), &err));
    assert_true(os_is_dir(at("a/b/c")));
    assert_true(os_write_file(at("a/b/c/f"), S("x"), &err));
    assert_int_equal(symlink("/", at("a/link")), 0);
    assert_false(os_make_dirs(at("a/b/c/f/d"), &err));
    os_remove_tree(at("a"));
    assert_false(os_exists(at("a")));
    assert_true(os_exists("/"));
}

TEST(capture_keeps_output_and_exit_code)
{
    struct error err = {0};
    struct os_output o;
    const char *const say[] = {"sh", "-c", "echo out; echo err >&2; exit 3", NULL};
    assert_true(os_capture(say, 5000, 1000, &arena, &o, &err));
    assert_true(str_is(o.text, "out\n") && o.exit_code == 3 && !o.timed_out);
    const char *const many[] = {"sh", "-c", "yes | head -c 100000", NULL};
    assert_true(os_capture(many, 5000, 1000, &arena, &o, &err));
    assert_true(o.text.n <= 1000);
    const char *const slow[] = {"sleep", "60", NULL};
    int64_t begin = clock_ns();
    assert_true(os_capture(slow, 50, 1000, &arena, &o, &err));
    assert_true(o.timed_out && clock_ns() - begin < 5000000000);
    const char *const silent[] = {"sh", "-c", "exec sleep 60 >&-",
                                  NULL}; /* closes its output */
    begin = clock_ns();
    assert_true(os_capture(silent, 50, 1000, &arena, &o, &err));
    assert_true(o.timed_out && clock_ns() - begin < 5000000000);
    const char *const none[] = {"no-such-program-here", NULL};
    assert_false(os_capture(none, 50, 1000, &arena, &o, &err));
    assert_non_null(strstr(err.text, "no-such-program-here"));
}

TEST(what_was_captured_in_time_is_there_for_who_comes_late)
{
    struct error err = {0};
    struct os_output o;
    struct os_capture early, endless;
    const char *const say[] = {"echo", "out", NULL};
    const char *const flood[] = {"yes", NULL};
    assert_true(os_capture_begin(say, 0, &early, &err)); /* its time is over at once */
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)early.pid, &info, WEXITED | WNOWAIT), 0);
    os_capture_end(&early, 1000, &arena, &o);
    assert_true(str_is(o.text, "out\n") && o.exit_code == 0 && !o.timed_out);
    assert_true(os_capture_begin(flood, 0, &endless, &err));
    os_capture_end(&endless, 1000, &arena, &o);
    assert_true(o.timed_out && endless.pid == 0);
}

TEST(captured_programs_may_have_variables_of_their_own)
{
    struct error err = {0};
    struct os_output o;
    const char *const said[] = {"ASSAY_A=1=2", "PATH=/usr/bin:/bin",        "sh",
                                "-c",          "echo $ASSAY_A $PATH $HOME", NULL};
    setenv("HOME", "/h", 1);
    setenv("ASSAY_A", "before", 1);
    assert_true(os_capture(said, 5000, 1000, &arena, &o, &err));
    assert_true(str_is(o.text, "1=2 /usr/bin:/bin /h\n") && o.exit_code == 0);
    assert_string_equal(getenv("ASSAY_A"), "before");
}

TEST(programs_are_found_by_path)
{
    assert_non_null(os_find_program("sh", &arena));
    assert_null(os_find_program("no-such-program-here", &arena));
    assert_string_equal(os_find_program("/bin/sh", &arena), "/bin/sh");
    assert_true(str_is(os_read_line("/proc/self/comm", &arena), "os_test"));
    assert_int_equal(os_read_line("/proc/nothing", &arena).n, 0);
}

TEST(stamps_read_back)
{
    char out[CLOCK_STAMP_SIZE];
    int64_t ns = 0;
    assert_string_equal(clock_stamp(1794772496123000000, out), "2026-11-15T19:54:56.123Z");
    assert_true(clock_parse_stamp(out, &ns) && ns == 1794772496123000000);
    assert_true(clock_parse_stamp("2026-11-15T19:54:56Z", &ns));
    assert_false(clock_parse_stamp("2026-13-15T19:54:56Z", &ns));
    assert_false(clock_parse_stamp("yesterday", &ns));
}

TEST(names_are_below_a_folder_unless_they_stand_alone)
{
    assert_string_equal(os_path_below("a/b", S("c.txt"), &arena), "a/b/c.txt");
    assert_string_equal(os_path_below("a/b", S("/c.txt"), &arena), "/c.txt");
    assert_string_equal(os_path_below(NULL, S("c.txt"), &arena), "c.txt");
}

/* Renaming over /dev/null, as root, would take it from the whole machine. */
TEST(a_pipe_and_a_link_stay_what_they_are)
{
    struct error err = {0};
    struct stat st;
    struct str bytes;
    char text[8] = "";
    assert_int_equal(mkfifo(at("pipe"), 0600), 0);
    int fd = open(at("pipe"), O_RDWR | O_CLOEXEC); /* a reader, without waiting for a writer */
    assert_true(os_write_file(at("pipe"), S("told"), &err));
    assert_int_equal(read(fd, text, sizeof text), 4);
    assert_string_equal(text, "told");
    close(fd);
    assert_true(lstat(at("pipe"), &st) == 0 && S_ISFIFO(st.st_mode));

    assert_true(os_write_file(at("real"), S("old"), &err));
    assert_int_equal(symlink("real", at("link")), 0);
    assert_true(os_write_file(at("link"), S("new"), &err));
    assert_true(lstat(at("link"), &st) == 0 && S_ISLNK(st.st_mode));
    assert_true(os_read_file(at("real"), 10, &arena, &bytes, &err));
    assert_true(str_is(bytes, "new"));
}

/* As deep as an agent likes, and closed to everybody: no descriptor for each level. */
TEST(a_tree_of_any_depth_and_right_is_removed)
{
    enum { LEVELS = 1500, FEW = 100 };
    struct rlimit few, before;
    int at_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(mkdirat(at_fd, "deep", 0700), 0);
    for (int i = 0; i < LEVELS; i++) {
        int next = openat(at_fd, i == 0 ? "deep" : "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(next >= 0);
        close(at_fd);
        at_fd = next;
        assert_int_equal(mkdirat(at_fd, "d", 0700), 0);
        assert_int_equal(mkdirat(at_fd, "closed", 0), 0);
    }
    close(at_fd);
    assert_int_equal(chmod(at("deep"), 0), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = FEW;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    os_remove_tree(at("deep"));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_false(os_exists(at("deep")));
}

/* Of a killed process and an old one; not of one that lives, nor a new one. */
TEST(folders_whose_maker_is_gone_are_swept)
{
    static const char *const prefixes[] = {"assay-swept", NULL};
    struct timespec old[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    const char *base = getenv("TMPDIR");
    const char *kept_base = base ? arena_printf(&arena, "%s", base) : NULL;
    setenv("TMPDIR", dir, 1);
    const char *held = NULL;
    struct error err = {0};
    assert_true(os_make_temp_dir("assay-swept", &arena, &held, &err));
    assert_int_equal(utimensat(AT_FDCWD, held, old, 0), 0);
    pid_t pid = fork();
    if (pid == 0) {
        const char *path = NULL;
        for (int i = 0; i < 2; i++) {
            if (!os_make_temp_dir("assay-swept", &arena, &path, &err)) _exit(1);
            if (i == 0) utimensat(AT_FDCWD, path, old, 0);
            if (symlink(path, at(i == 0 ? "gone" : "new")) != 0) _exit(1);
        }
        _exit(0);
    }
    int status = 1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_true(os_exists(at("gone")));
    os_sweep_temp_dirs(prefixes);
    assert_false(os_exists(at("gone")));
    assert_true(os_exists(at("new")));
    assert_true(os_exists(held));
    if (kept_base) {
        setenv("TMPDIR", kept_base, 1);
    } else {
        unsetenv("TMPDIR");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_file_comes_back_as_written),
        T(what_cannot_be_read_says_why),
        T(a_failed_write_leaves_the_old_file),
        T(a_pipe_and_a_link_stay_what_they_are),
        T(folders_are_made_and_removed_whole),
        T(a_tree_of_any_depth_and_right_is_removed),
        T(folders_whose_maker_is_gone_are_swept),
        T(capture_keeps_output_and_exit_code),
        T(what_was_captured_in_time_is_there_for_who_comes_late),
        T(captured_programs_may_have_variables_of_their_own),
        T(programs_are_found_by_path),
        T(stamps_read_back),
        T(names_are_below_a_folder_unless_they_stand_alone),
    };
    struct error err = {0};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    arena = arena_open();
    if (!os_make_temp_dir("assay-os-test", &arena, &dir, &err)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    os_remove_tree(dir);
    arena_close(&arena);
    return failed;
}
