#include "base/os.h"
#include "report/folder.h"
#include "tests/report/fixture.h"
#include "tests/test.h"

static struct arena arena;
static const char *dir;

static int setup(void **state)
{
    (void)state;
    arena = arena_open();
    struct error err = {0};
    return os_make_temp_dir("assay-folder", &arena, &dir, &err) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    os_remove_tree(dir);
    arena_close(&arena);
    return 0;
}

static const char *write_folder(const struct view *view)
{
    const char *folder = NULL;
    struct error err = {0};
    if (!report_write_folder(view, dir, &arena, &folder, &err)) fail_msg("%s", err.text);
    return folder;
}

static struct str read_in(const char *folder, const char *name)
{
    struct str bytes = {0};
    struct error err = {0};
    const char *path = arena_printf(&arena, "%s/%s", folder, name);
    if (!os_read_file(path, 1 << 24, &arena, &bytes, &err)) fail_msg("%s", err.text);
    return bytes;
}

TEST(a_run_becomes_a_folder)
{
    struct view *view = fixture_ordinary(&arena);
    const char *folder = write_folder(view);
    assert_string_equal(folder + strlen(dir) + 1, "sort_20261115_200000_728394a5");
    assert_true(str_is(read_in(folder, "spec.yaml"), view->run.spec_text));
    assert_non_null(strstr(read_in(folder, "README.md").p, "n=1000, sort=quick"));
    assert_non_null(strstr(read_in(folder, "SUMMARY.md").p, "| n | 2000 |"));
    for (int i = 0; i < 4; i++) {
        const char *name = arena_printf(&arena, "cell-%03d.json", i);
        assert_non_null(strstr(read_in(folder, name).p, "assay.result/1"));
    }
}

/* The system we learn from lost runs of the same second. */
TEST(nothing_is_ever_overwritten)
{
    struct view *view = fixture_one_sample(&arena);
    const char *first = write_folder(view);
    const char *second = write_folder(view);
    const char *third = write_folder(view);
    assert_string_not_equal(first, second);
    assert_string_not_equal(second, third);
    assert_true(read_in(first, "cell-000.json").n > 0);
    assert_true(read_in(third, "cell-000.json").n > 0);
    assert_false(os_exists(arena_printf(&arena, "%s/SUMMARY.md", first)));
}

TEST(artifacts_stay_inside_whatever_they_are_called)
{
    struct view *view = fixture_hostile(&arena);
    const char *folder = write_folder(view);
    char path[FOLDER_PATH_SIZE];
    folder_artifact_path(&view->cells[0], 0, path);
    assert_string_equal(path, "artifacts/cell-000-0000__._.._etc_x.txt");
    assert_true(str_is(read_in(folder, path), "bytes"));
    folder_artifact_path(&view->cells[3], 1, path);
    assert_true(str_is(read_in(folder, path), "{}\n"));
    assert_non_null(strstr(read_in(folder, "cell-003.json").p, path));
}

TEST(several_experiments_and_none)
{
    struct view *view = fixture_ordinary(&arena);
    view->cells[2].record.experiment = "other";
    assert_non_null(strstr(write_folder(view), "/several_2026"));
    assert_non_null(strstr(write_folder(fixture_empty(&arena)), "/empty_1970"));
}

TEST(a_folder_that_cannot_be_made_is_said)
{
    struct error err = {0};
    const char *folder = NULL;
    struct view *view = fixture_one_sample(&arena);
    const char *file = arena_printf(&arena, "%s/file", dir);
    assert_true(os_write_file(file, S("x"), &err));
    assert_false(report_write_folder(view, file, &arena, &folder, &err));
    assert_non_null(strstr(err.text, file));
}

/* And nothing is written under the beginning of it. */
TEST(an_artifact_whose_path_is_too_long_is_said)
{
    struct error err = {0};
    const char *folder = NULL;
    const char *deep = dir;
    struct view *view = fixture_hostile(&arena);
    char name[121] = "";
    memset(name, 'n', sizeof name - 1);
    struct artifact_record artifact = {name, "text", 0, S("bytes")};
    view->cells[0].artifacts = &artifact;
    view->cells[0].artifact_count = 1;
    while (strlen(deep) < 3950) deep = arena_printf(&arena, "%s/%s", deep, name + 111);
    assert_false(report_write_folder(view, deep, &arena, &folder, &err));
    assert_int_equal(err.code, ERROR_INVALID);
}

#define F(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
TEST_MAIN(F(a_run_becomes_a_folder), F(nothing_is_ever_overwritten),
          F(artifacts_stay_inside_whatever_they_are_called), F(several_experiments_and_none),
          F(a_folder_that_cannot_be_made_is_said),
          F(an_artifact_whose_path_is_too_long_is_said))
