/* A binary of its own: whoever sees to the cleanup must not become a child of a
 * process that ends all its orphans, as the tests of agents have made theirs. */
#include "tests/suite/desk.h"

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

TEST_MAIN(T(the_environment_is_made_and_cleaned), T(a_setup_that_fails_is_told))
