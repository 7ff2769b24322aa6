#include "base/outdir.h"

#include "base/os.h"
#include "tests/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct arena arena;
static const char *dir;

static const char *at(const char *name)
{
    return arena_printf(&arena, "%s/%s", dir, name);
}

static struct str content(const char *path)
{
    struct str bytes = {0};
    struct error err = {0};
    assert_true(os_read_file(path, 100, &arena, &bytes, &err));
    return bytes;
}

TEST(what_is_written_is_read_listed_and_removed)
{
    struct outdir folder;
    struct outdir inner;
    struct error err = {0};
    struct str bytes;
    const char **names = NULL;
    size_t count = 0;
    assert_true(outdir_open(&folder, at("new"), &err));
    assert_true(outdir_open_in(&inner, &folder, "data", &err));
    assert_true(outdir_write(&inner, "a.json", S("one"), &err));
    assert_true(outdir_write(&inner, "a.json", S("two"), &err));
    assert_true(outdir_read(&inner, "a.json", 3, &arena, &bytes, &err));
    assert_true(str_is(bytes, "two"));
    assert_true(str_is(content(at("new/data/a.json")), "two"));
    assert_false(outdir_read(&inner, "a.json", 2, &arena, &bytes, &err));
    assert_true(outdir_list(&inner, &arena, &names, &count, &err));
    assert_int_equal(count, 1); /* nothing half-written is left */
    assert_string_equal(names[0], "a.json");
    assert_true(outdir_remove(&inner, "a.json", &err));
    assert_true(outdir_remove(&inner, "a.json", &err)); /* gone is gone */
    assert_true(outdir_list(&inner, &arena, &names, &count, &err));
    assert_int_equal(count, 0);
    outdir_close(&inner);
    outdir_close(&folder);
    outdir_close(&folder);
}

TEST(a_link_is_neither_followed_nor_written_through)
{
    struct outdir folder;
    struct outdir inner;
    struct error err = {0};
    struct str bytes;
    struct stat st;
    assert_int_equal(mkdir(at("outside"), 0777), 0);
    assert_true(os_write_file(at("outside/f"), S("theirs"), &err));
    assert_true(outdir_open(&folder, at("mine"), &err));
    assert_int_equal(symlink(at("outside/f"), at("mine/f")), 0);
    assert_int_equal(symlink(at("outside"), at("mine/data")), 0);
    assert_int_equal(symlink(at("outside"), at("link")), 0);

    assert_false(outdir_read(&folder, "f", 100, &arena, &bytes, &err));
    assert_true(outdir_write(&folder, "f", S("ours"), &err));
    assert_true(str_is(content(at("outside/f")), "theirs"));
    assert_true(lstat(at("mine/f"), &st) == 0 && S_ISREG(st.st_mode));
    assert_false(outdir_open_in(&inner, &folder, "data", &err));
    assert_int_equal(err.code, ERROR_INVALID);
    assert_int_equal(inner.fd, -1);
    outdir_close(&folder);
    assert_false(outdir_open(&folder, at("link"), &err));
    assert_false(outdir_open(&folder, at("link//"), &err));
    assert_false(outdir_open(&folder, at("outside/f"), &err));
    assert_non_null(strstr(err.text, "is a link or a file"));
}

TEST(what_cannot_be_written_says_why_and_leaves_the_old)
{
    struct outdir folder;
    struct error err = {0};
    const char **names = NULL;
    size_t count = 0;
    assert_false(outdir_open(&folder, at("no/such"), &err));
    assert_false(outdir_open(&folder, "", &err));
    assert_true(outdir_open(&folder, at("full"), &err));
    assert_true(outdir_write(&folder, "f", S("old"), &err));
    setenv("ASSAY_FAULT", "write:1:ENOSPC", 1);
    bool done = outdir_write(&folder, "f", S("new"), &err);
    unsetenv("ASSAY_FAULT");
    assert_false(done);
    assert_non_null(strstr(err.text, "cannot write 'f'"));
    assert_true(str_is(content(at("full/f")), "old"));
    assert_true(outdir_list(&folder, &arena, &names, &count, &err));
    assert_int_equal(count, 1);
    outdir_close(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(what_is_written_is_read_listed_and_removed),
        T(a_link_is_neither_followed_nor_written_through),
        T(what_cannot_be_written_says_why_and_leaves_the_old),
    };
    struct error err = {0};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    arena = arena_open();
    if (!os_make_temp_dir("assay-outdir-test", &arena, &dir, &err)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    os_remove_tree(dir);
    arena_close(&arena);
    return failed;
}
