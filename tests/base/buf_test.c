#include "base/buf.h"
#include "base/error.h"

#include "tests/test.h"

TEST(what_does_not_fit_is_dropped_and_remembered)
{
    struct buf b;
    buf_init(&b, 5);
    buf_text(&b, "abc");
    assert_false(b.overflow);
    buf_text(&b, "defg");
    assert_true(b.overflow);
    assert_true(b.n <= 5 && b.p[b.n] == '\0');
    buf_clear(&b);
    assert_false(b.overflow);
    assert_true(str_is(buf_str(&b), ""));
    buf_printf(&b, "%d", 12345);
    assert_true(str_is(buf_str(&b), "12345") && !b.overflow);
    buf_add_char(&b, '6');
    assert_true(b.overflow);
    buf_release(&b);
}

TEST(borrowed_memory_never_grows)
{
    char memory[8];
    struct buf b;
    buf_over(&b, memory, sizeof memory);
    buf_text(&b, "1234567");
    assert_false(b.overflow);
    buf_add_char(&b, '8');
    assert_true(b.overflow);
    assert_ptr_equal(b.p, memory);
    buf_release(&b);
}

TEST(a_buffer_grows_to_its_limit)
{
    struct buf b;
    buf_init(&b, 1 << 20);
    for (int i = 0; i < (1 << 20); i++) buf_add_char(&b, 'x');
    assert_false(b.overflow);
    assert_int_equal(b.n, 1 << 20);
    buf_release(&b);
    assert_string_equal(buf_str(&b).p ? buf_str(&b).p : "", "");
}

TEST(errors_wrap_from_the_inside_out)
{
    struct error err = {0};
    assert_false(error_set(&err, ERROR_INVALID, "line %d", 12));
    assert_false(error_wrap(&err, "loading '%s'", "a.yaml"));
    assert_string_equal(err.text, "loading 'a.yaml': line 12");
    assert_int_equal(err.code, ERROR_INVALID);
    error_set(&err, ERROR_IO, "%s again", err.text);
    assert_string_equal(err.text, "loading 'a.yaml': line 12 again");
    error_set(&err, ERROR_IO, "%01000d", 1);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_string_equal(err.text + sizeof err.text - 4, "...");
    error_set_errno(&err, 2, "opening");
    assert_int_equal(err.code, ERROR_NOT_FOUND);
    assert_string_equal(err.text, "opening: No such file or directory");
    assert_false(error_set(NULL, ERROR_IO, "nobody listens"));
}

TEST_MAIN(T(what_does_not_fit_is_dropped_and_remembered), T(borrowed_memory_never_grows),
          T(a_buffer_grows_to_its_limit), T(errors_wrap_from_the_inside_out))
