/* A binary of its own: whoever sees to the cleanup must not become a child of a
 * process that ends all its orphans, as the tests of agents have made theirs. */
#include "tests/suite/desk.h"

#include <unistd.h>

/* And the cleanup, which has more rights than the agent, runs and reads nothing of the
 * agent's. */
TEST(the_environment_is_made_and_cleaned)
{
    struct desk d;
    struct arena arena = arena_open();
    const char *dir = NULL;
    struct error err = {0};
    struct str name = {0};
    assert_true(os_make_temp_dir("suite-env", &arena, &dir, &err));
    const char *params = arena_printf(
        &arena,
        "rubric: exact, environment: {files: {data/x.txt: hello, tidy.sh: 'touch %s/down'}, "
        "env: {WORD: there}, setup: 'touch %s/up; cat data/x.txt > seen; echo first > name', "
        "cleanup: 'sh tidy.sh; cp \"$HOME/name\" %s; ls -a > %s/left'}",
        dir, dir, dir, dir);
    open_desk(&d,
              arena_printf(&arena,
                           "{id: e, process: {command: 'echo touch %s/theirs > tidy.sh; "
                           "echo second > name; echo x > planted; echo $(cat seen) $WORD', "
                           "contain: off}}",
                           dir),
              params, "[{input: x, expected: hello there}]");
    assert_int_equal(ask(&d, 0), TRIAL_OK);
    assert_close(bench_value(&d.b, "accuracy"), 1, 0);
    assert_true(os_exists(arena_printf(&arena, "%s/up", dir)));
    assert_false(os_exists(arena_printf(&arena, "%s/down", dir)));
    close_desk(&d);
    assert_true(os_exists(arena_printf(&arena, "%s/down", dir)));
    assert_false(os_exists(arena_printf(&arena, "%s/theirs", dir)));
    assert_true(os_read_file(arena_printf(&arena, "%s/name", dir), 100, &arena, &name, &err));
    assert_true(str_is(name, "first\n"));
    assert_true(os_read_file(arena_printf(&arena, "%s/left", dir), 100, &arena, &name, &err));
    assert_null(strstr(str_cstr(&arena, name), "planted"));
    os_remove_tree(dir);
    arena_close(&arena);
}

TEST(a_setup_that_fails_is_told)
{
    struct desk d;
    assert_false(try_open(&d, CALC, "environment: {setup: 'exit 4'}", CASES));
    assert_non_null(strstr(d.b.error.text, "exit code 4"));
    d.b.experiment->teardown(d.b.state, &d.b.error);
    os_remove_tree(d.b.env.work_dir);
    buf_release(&d.b.output);
    buf_release(&d.b.detail);
    buf_release(&d.pack);
    buf_release(&d.remarks);
    arena_close(&d.b.arena);
}

/* An agent that has worked in the folder before may have left links. */
TEST(files_are_not_written_through_links)
{
    static const char *const files[] = {"x: new", "sub/x: new", "../x: new", "ok/deep/x: new"};
    for (size_t i = 0; i < COUNT(files); i++) {
        struct arena arena = arena_open();
        struct desk d;
        const char *dir = NULL;
        struct error err = {0};
        struct str text = {0};
        assert_true(os_make_temp_dir("suite-env", &arena, &dir, &err));
        assert_true(os_make_dirs(arena_printf(&arena, "%s/work", dir), &err));
        assert_true(os_write_file(arena_printf(&arena, "%s/x", dir), S("old"), &err));
        assert_int_equal(symlink("../x", arena_printf(&arena, "%s/work/x", dir)), 0);
        assert_int_equal(symlink("..", arena_printf(&arena, "%s/work/sub", dir)), 0);
        bool is_open = try_open(
            &d, CALC,
            arena_printf(&arena, "environment: {workdir: %s/work, files: {%s}}", dir, files[i]),
            CASES);
        assert_int_equal(is_open, i == 0 || i == 3);
        if (!is_open)
            assert_non_null(strstr(d.b.error.text, i == 1 ? "is a link" : "leads out"));
        assert_true(os_read_file(arena_printf(&arena, "%s/x", dir), 100, &arena, &text, &err));
        assert_true(str_is(text, "old"));
        if (i == 0) {
            assert_true(
                os_read_file(arena_printf(&arena, "%s/work/x", dir), 100, &arena, &text, &err));
            assert_true(str_is(text, "new"));
        }
        d.b.experiment->teardown(d.b.state, &d.b.error);
        os_remove_tree(d.b.env.work_dir);
        buf_release(&d.b.output);
        buf_release(&d.b.detail);
        buf_release(&d.pack);
        buf_release(&d.remarks);
        arena_close(&d.b.arena);
        os_remove_tree(dir);
        arena_close(&arena);
    }
}

TEST_MAIN(T(the_environment_is_made_and_cleaned), T(a_setup_that_fails_is_told),
          T(files_are_not_written_through_links))
