/* A server whose memory is squeezed: by cgroups that only look like some, of a process that
 * does nothing. */
#include "base/clock.h"
#include "base/os.h"
#include "load/subject.h"
#include "tests/test.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GROUPS = 2 };

struct bench {
    struct arena arena;
    const char *folders[GROUPS];
    struct cgroup groups[GROUPS];
    struct cgroup *list[GROUPS];
    pid_t root; /* below which `sleep` is */
    struct subject subject;
};

static const char *path_of(struct bench *b, size_t group, const char *name)
{
    return arena_printf(&b->arena, "%s/%s", b->folders[group], name);
}

static void put(struct bench *b, size_t group, const char *name, const char *text)
{
    int fd = open(path_of(b, group, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text)); /* in place: it is open */
    close(fd);
}

static const char *get(struct bench *b, size_t group, const char *name)
{
    struct str text = {0};
    struct error err = {0};
    assert_true(os_read_file(path_of(b, group, name), 1000, &b->arena, &text, &err));
    return str_cstr(&b->arena, text);
}

static void make_group(struct bench *b, size_t i)
{
    struct error err = {0};
    struct cgroup *g = &b->groups[i];
    assert_true(os_make_temp_dir("subject", &b->arena, &b->folders[i], &err));
    put(b, i, "memory.max", "max");
    put(b, i, "memory.current", i == 0 ? "5000000" : "7000000");
    put(b, i, "memory.events", "oom 0\noom_kill 1\n");
    *g = (struct cgroup){.is_v2 = true, .own = {[CGROUP_MEMORY] = b->folders[i]}};
    g->fds[CGROUP_MEMORY_NOW] = open(path_of(b, i, "memory.current"), O_RDONLY | O_CLOEXEC);
    g->fds[CGROUP_MEMORY_KILLS] = open(path_of(b, i, "memory.events"), O_RDONLY | O_CLOEXEC);
    b->list[i] = g;
}

static void open_bench(struct bench *b)
{
    *b = (struct bench){.arena = arena_open()};
    for (size_t i = 0; i < GROUPS; i++) make_group(b, i);
    fflush(stdout);
    b->root = fork();
    if (b->root == 0) {
        setpgid(0, 0); /* so that its sleep ends with it */
        execl("/bin/sh", "sh", "-c", "exec > /dev/null 2>&1; sleep 60 & wait", (char *)NULL);
        _exit(1);
    }
}

static void close_bench(struct bench *b)
{
    setpgid(b->root, b->root);
    kill(-b->root, SIGKILL);
    waitpid(b->root, NULL, 0);
    for (size_t i = 0; i < GROUPS; i++) {
        os_remove_tree(b->folders[i]);
        close(b->groups[i].fds[CGROUP_MEMORY_NOW]);
        close(b->groups[i].fds[CGROUP_MEMORY_KILLS]);
    }
    arena_close(&b->arena);
}

static void begin(struct bench *b, int64_t limit_bytes)
{
    struct error err = {0};
    struct subject_watch watch = {
        .begin_ns = clock_ns(), .length_s = 1, .memory_limit_bytes = limit_bytes};
    if (!subject_begin(&b->subject, &watch, &err)) fail_msg("%s", err.text);
}

static void wait_for_text(struct bench *b, const char *name, const char *text)
{
    int64_t until_ns = clock_ns() + INT64_C(20) * 1000000000;
    while (strcmp(get(b, GROUPS - 1, name), text) != 0) {
        if (clock_ns() > until_ns) fail_msg("%s is not %s", name, text);
        clock_sleep_until(clock_ns() + 1000000);
    }
}

static bool is_alive(pid_t root)
{
    return waitpid(root, NULL, WNOHANG) == 0;
}

TEST(the_limit_is_the_cgroups_while_a_block_lasts)
{
    struct bench b;
    struct subject_use use;
    open_bench(&b);
    struct subject_groups groups = {.items = b.list, .count = GROUPS};
    subject_adopt(&b.subject, &b.root, 1, &groups);
    begin(&b, 6000000);
    wait_for_text(&b, "memory.max", "3000000"); /* its share */
    assert_string_equal(get(&b, 0, "memory.max"), "3000000");
    put(&b, 1, "memory.events", "oom 4\noom_kill 3\n");
    subject_end(&b.subject, &use);
    for (size_t i = 0; i < GROUPS; i++) assert_string_equal(get(&b, i, "memory.max"), "max");
    assert_close(use.group_mb, 14, 1e-9);
    assert_close(use.memory_kills, 2, 1e-9);
    assert_true(is_alive(b.root)); /* nobody but the kernel ends it for its memory */

    /* Without a squeeze limits are left alone. */
    put(&b, 0, "memory.max", "77");
    begin(&b, 0);
    subject_end(&b.subject, &use);
    assert_string_equal(get(&b, 0, "memory.max"), "77");
    assert_close(use.memory_kills, 0, 1e-9);
    close_bench(&b);
}

TEST(an_agent_s_own_limit_is_never_raised)
{
    struct bench b;
    struct subject_use use;
    open_bench(&b);
    struct subject_groups groups = {.items = b.list, .count = GROUPS, .usual_bytes = 2000000};
    subject_adopt(&b.subject, &b.root, 1, &groups);
    begin(&b, 6000000);
    wait_for_text(&b, "memory.max", "2000000");
    subject_end(&b.subject, &use);
    assert_string_equal(get(&b, 1, "memory.max"), "2000000");
    close_bench(&b);
}

/* As version 1 does where more is held already. */
TEST(a_limit_that_is_refused_ends_the_processes)
{
    struct bench b;
    struct subject_use use;
    open_bench(&b);
    struct subject_groups groups = {.items = b.list, .count = GROUPS};
    subject_adopt(&b.subject, &b.root, 1, &groups);
    assert_int_equal(unlink(path_of(&b, 1, "memory.max")), 0);
    begin(&b, 6000000);
    assert_int_equal(waitpid(b.root, NULL, 0), b.root); /* `wait` ends with its sleep */
    put(&b, 1, "memory.max", "max");
    wait_for_text(&b, "memory.max", "3000000");
    subject_end(&b.subject, &use);
    assert_true(use.memory_kills >= 1);
    close_bench(&b);
}

TEST(without_a_memory_controller_the_resident_set_is_looked_at)
{
    struct bench b;
    struct subject_use use;
    open_bench(&b);
    b.groups[1].own[CGROUP_MEMORY] = NULL;
    struct subject_groups groups = {.items = b.list, .count = GROUPS};
    subject_adopt(&b.subject, &b.root, 1, &groups);
    begin(&b, 1000); /* bytes */
    assert_int_equal(waitpid(b.root, NULL, 0), b.root);
    subject_end(&b.subject, &use);
    assert_true(isnan(use.group_mb) && isnan(use.memory_kills));
    assert_string_equal(get(&b, 0, "memory.max"), "max");
    close_bench(&b);
}

TEST_MAIN(T(the_limit_is_the_cgroups_while_a_block_lasts),
          T(an_agent_s_own_limit_is_never_raised),
          T(a_limit_that_is_refused_ends_the_processes),
          T(without_a_memory_controller_the_resident_set_is_looked_at))
