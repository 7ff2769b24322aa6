/* What an agent sees and leaves, from inside the containment. */
#include "sandbox/contain.h"
#include "tests/agent/fixture.h"

static const struct agent_limits none;

/* The answer of a shell command, run as an agent. */
static const char *shell(struct bench *b, const char *command, const char *way)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml, "{command: '%s', contain: %s}", command, way);
    bench_open(b, "process", yaml, none);
    bench_expect(b, "", TRIAL_OK, "");
    return str_cstr(&b->arena, b->answer.output);
}

static bool has_namespaces(void)
{
    struct bench b;
    bench_open(&b, "process", "{command: [true]}", none);
    bool has = !strstr(buf_str(&b.unenforced).p, "namespace");
    if (!has) print_message("# skip: %s\n", b.unenforced.p);
    bench_close(&b);
    return has;
}

TEST(files_in_tmp_vanish_and_those_that_were_there_are_seen)
{
    if (!has_namespaces()) return;
    char before[] = "/tmp/assay-contain-XXXXXX";
    int fd = mkstemp(before);
    assert_true(fd >= 0);
    close(fd);
    static const char *const dirs[] = {"/tmp", "/var/tmp", "/dev/shm"};
    for (size_t i = 0; i < COUNT(dirs); i++) {
        struct bench b;
        char command[512], left[128];
        snprintf(left, sizeof left, "%s/assay-left-%d", dirs[i], (int)getpid());
        snprintf(command, sizeof command, "test -e %s && echo x > %s && cat %s && rm %s",
                 before, left, left, before);
        assert_string_equal(shell(&b, command, "auto"), "x\n");
        assert_false(os_exists(left));
        assert_true(os_exists(before)); /* removed inside only */
        bench_close(&b);
    }
    unlink(before);
}

TEST(the_working_folder_stays_the_real_one)
{
    struct bench b;
    bench_open(&b, "process", "{command: 'pwd; echo kept > file'}", none);
    bench_expect(&b, "", TRIAL_OK, "");
    const char *path = arena_printf(&b.arena, "%s/file", b.env.work_dir);
    assert_true(os_exists(path));
    assert_true(str_is(b.answer.output, arena_printf(&b.arena, "%s\n", b.env.work_dir)));
    unlink(path);
    bench_close(&b);
}

TEST(it_sees_no_process_but_its_own)
{
    if (!has_namespaces()) return;
    struct bench b;
    const char *seen = shell(&b, "ls -d /proc/[0-9]* | wc -l", "auto");
    if (strtol(seen, NULL, 10) > 4) fail_msg("%s processes", seen); /* guard, sh, ls, wc */
    bench_close(&b);
}

TEST(we_are_where_we_were_afterwards)
{
    char before[512], after[512], ns[2][64] = {{0}};
    assert_non_null(getcwd(before, sizeof before));
    assert_true(readlink("/proc/self/ns/mnt", ns[0], sizeof ns[0] - 1) > 0);
    struct bench b;
    shell(&b, "echo x", "auto");
    assert_non_null(getcwd(after, sizeof after));
    assert_true(readlink("/proc/self/ns/mnt", ns[1], sizeof ns[1] - 1) > 0);
    assert_string_equal(before, after);
    assert_string_equal(ns[0], ns[1]);
    bench_close(&b);
}

/* 30 MB by two processes together: no single resident set shows it. */
TEST(the_peak_is_that_of_all_processes_together)
{
    struct bench b;
    shell(&b, "for i in 1 2; do head -c 15000000 /dev/zero | tail > /dev/null & done; wait",
          "auto");
    const struct usage *u = &b.answer.usage;
    if (u->group_peak_bytes == 0) {
        print_message("# skip: no memory cgroup\n");
    } else if (u->group_peak_bytes < 16 * MEGABYTE || u->group_peak_bytes > 80 * MEGABYTE) {
        fail_msg("%lld bytes", (long long)u->group_peak_bytes);
    }
    bench_close(&b);
}

TEST(what_is_not_enforced_is_said)
{
    struct bench b;
    struct agent_limits limits = {.memory_bytes = 50 * MEGABYTE, .processes = 20};
    bench_open(&b, "process", "{command: [true], contain: off}", limits);
    assert_non_null(strstr(b.unenforced.p, "Memory is checked every 20 ms"));
    assert_non_null(strstr(b.unenforced.p, "Processes are counted every 20 ms"));
    assert_non_null(strstr(b.unenforced.p, "files that it leaves"));
    bench_close(&b);
}

TEST(without_namespaces_tmpdir_is_its_own_and_removed)
{
    struct bench b;
    const char *path = shell(&b, "printf %s $TMPDIR; echo x > $TMPDIR/file", "off");
    assert_true(os_is_dir(path));
    path = arena_printf(&b.arena, "%s", path);
    b.kind->close(b.state);
    assert_false(os_exists(path));
    bench_close(&b);
}

TEST_MAIN(T(files_in_tmp_vanish_and_those_that_were_there_are_seen),
          T(the_working_folder_stays_the_real_one), T(it_sees_no_process_but_its_own),
          T(we_are_where_we_were_afterwards), T(the_peak_is_that_of_all_processes_together),
          T(what_is_not_enforced_is_said), T(without_namespaces_tmpdir_is_its_own_and_removed))
