#include "base/error.h"

#include "tests/test.h"

#include <errno.h>

TEST(the_innermost_reason_comes_last)
{
    struct error e = {0};
    assert_false(error_set(&e, ERROR_INVALID, "'%s' must be at least %d", "n", 1));
    assert_false(error_wrap(&e, "line %d", 12));
    assert_false(error_wrap(&e, "loading spec '%s'", "a.json"));
    assert_string_equal(e.text, "loading spec 'a.json': line 12: 'n' must be at least 1");
    assert_int_equal(e.code, ERROR_INVALID);
    assert_false(error_set(&e, ERROR_IO, "again: %s", e.text)); /* its own text as argument */
    assert_string_equal(e.text,
                        "again: loading spec 'a.json': line 12: 'n' must be at least 1");
}

TEST(errno_becomes_a_kind_and_a_text)
{
    struct error e = {0};
    error_set_errno(&e, ENOENT, "cannot open '%s'", "x");
    assert_int_equal(e.code, ERROR_NOT_FOUND);
    assert_string_equal(e.text, "cannot open 'x': No such file or directory");
    error_set_errno(&e, ENOSPC, "writing");
    assert_int_equal(e.code, ERROR_IO);
}

TEST(long_texts_are_cut_visibly)
{
    struct error e = {0};
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    error_set(&e, ERROR_FAILED, "%s", text);
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
    assert_string_equal(e.text + strlen(e.text) - 4, "x...");
    error_wrap(&e, "outer");
    assert_int_equal(strncmp(e.text, "outer: xx", 9), 0);
}

TEST(nobody_needs_to_listen)
{
    assert_false(error_set(NULL, ERROR_IO, "x"));
    assert_false(error_wrap(NULL, "x"));
    assert_false(error_set_errno(NULL, EIO, "x"));
    struct error e = {0};
    error_wrap(&e, "x");
    assert_int_equal(e.code, ERROR_FAILED);
}

TEST_MAIN(T(the_innermost_reason_comes_last), T(errno_becomes_a_kind_and_a_text),
          T(long_texts_are_cut_visibly), T(nobody_needs_to_listen))
