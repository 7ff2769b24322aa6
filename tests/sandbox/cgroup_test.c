/* Files of a control group, in a folder that only looks like one. The kernel's own are looked
 * at in contain_test.c, where there are any. */
#include "sandbox/cgroup.c" // NOLINT(bugprone-suspicious-include): what opens the files is static
#include "tests/test.h"

struct fake {
    struct arena arena;
    const char *folder;
    struct cgroup group;
};

static void write_file(const struct fake *f, const char *name, const char *text)
{
    char path[1024];
    struct error err = {0};
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    assert_true(os_write_file(path, str_of(text), &err));
}

static const char *read_file(struct fake *f, const char *name)
{
    struct str text = {0};
    const char *path = arena_printf(&f->arena, "%s/%s", f->folder, name);
    if (!os_read_file(path, 1 << 16, &f->arena, &text, NULL)) return NULL;
    return str_cstr(&f->arena, text);
}

static void open_fake(struct fake *f, bool is_v2, const char *const (*files)[2], size_t count)
{
    struct error err = {0};
    *f = (struct fake){.arena = arena_open(), .group.is_v2 = is_v2};
    assert_true(os_make_temp_dir("cgroup", &f->arena, &f->folder, &err));
    for (size_t i = 0; i < count; i++) write_file(f, files[i][0], files[i][1]);
    for (size_t c = 0; c < CGROUP_CONTROLLERS; c++) f->group.own[c] = f->folder;
    open_readings(&f->group, &f->arena);
}

static void close_fake(struct fake *f)
{
    const char *folder = arena_printf(&f->arena, "%s", f->folder);
    os_remove_tree(folder); /* the kernel removes a group's files with it */
    cgroup_close(&f->group);
    arena_close(&f->arena);
}

static const char *const v2_files[][2] = {
    {"memory.max", "max\n"},
    {"memory.swap.max", "max\n"},
    {"memory.current", "5000000\n"},
    {"memory.peak", "7000000\n"},
    {"memory.events", "low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 0\n"},
};
static const char *const v1_files[][2] = {
    {"memory.limit_in_bytes", "9223372036854771712\n"},
    {"memory.memsw.limit_in_bytes", "9223372036854771712\n"},
    {"memory.usage_in_bytes", "5000000\n"},
    {"memory.max_usage_in_bytes", "7000000\n"},
    {"memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"},
};

TEST(use_peak_and_kills_are_read_from_both_versions)
{
    for (int v = 1; v <= 2; v++) {
        struct fake f;
        open_fake(&f, v == 2, v == 2 ? v2_files : v1_files, COUNT(v1_files));
        assert_int_equal(cgroup_read(&f.group, CGROUP_MEMORY_NOW), 5000000);
        assert_int_equal(cgroup_read(&f.group, CGROUP_MEMORY_PEAK), 7000000);
        assert_int_equal(cgroup_read(&f.group, CGROUP_MEMORY_KILLS), 2);
        assert_int_equal(cgroup_read(&f.group, CGROUP_PIDS_REFUSED), -1); /* no such file */
        close_fake(&f);
    }
}

TEST(a_limit_is_lowered_and_lifted)
{
    struct fake f;
    open_fake(&f, true, v2_files, COUNT(v2_files));
    assert_true(cgroup_limit_memory(&f.group, 3000000));
    assert_string_equal(read_file(&f, "memory.max"), "3000000");
    assert_string_equal(read_file(&f, "memory.swap.max"), "0"); /* else it only gets slower */
    assert_true(cgroup_limit_memory(&f.group, 0));
    assert_string_equal(read_file(&f, "memory.max"), "max");
    assert_string_equal(read_file(&f, "memory.swap.max"), "max");
    close_fake(&f);

    open_fake(&f, false, v1_files, COUNT(v1_files));
    assert_true(cgroup_limit_memory(&f.group, 3000000));
    assert_string_equal(read_file(&f, "memory.limit_in_bytes"), "3000000");
    assert_string_equal(read_file(&f, "memory.memsw.limit_in_bytes"), "3000000");
    assert_true(cgroup_limit_memory(&f.group, 0));
    assert_string_equal(read_file(&f, "memory.limit_in_bytes"), "-1");
    assert_string_equal(read_file(&f, "memory.memsw.limit_in_bytes"), "-1");
    close_fake(&f);
}

TEST(without_files_there_is_no_limit_and_nothing_to_read)
{
    struct fake f;
    open_fake(&f, true, NULL, 0);
    assert_false(cgroup_limit_memory(&f.group, 3000000));
    assert_int_equal(cgroup_read(&f.group, CGROUP_MEMORY_NOW), -1);
    assert_false(cgroup_reset_peak(&f.group));
    close_fake(&f);
    struct cgroup none = {0};
    assert_false(cgroup_limit_memory(&none, 3000000));
    assert_int_equal(cgroup_read(&none, CGROUP_MEMORY_KILLS), -1);
}

/* Version 1 of this kernel, where we may: a limit that was lowered can be lifted again, which
 * must begin with that of memory and swap together. */
TEST(the_kernel_lifts_what_it_lowered)
{
    struct arena arena = arena_open();
    struct cgroup g;
    cgroup_open(&g, &arena);
    if (!g.own[CGROUP_MEMORY]) {
        print_message("# skip: no memory cgroup\n");
    } else {
        assert_true(cgroup_limit_memory(&g, 64 << 20));
        assert_true(cgroup_limit_memory(&g, 32 << 20));
        assert_true(cgroup_limit_memory(&g, 128 << 20));
        assert_true(cgroup_limit_memory(&g, 0));
    }
    cgroup_close(&g);
    arena_close(&arena);
}

TEST_MAIN(T(use_peak_and_kills_are_read_from_both_versions), T(a_limit_is_lowered_and_lifted),
          T(without_files_there_is_no_limit_and_nothing_to_read),
          T(the_kernel_lifts_what_it_lowered))
