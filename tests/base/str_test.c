#include "base/str.h"

#include "tests/test.h"

TEST(cut_ends_its_loop)
{
    struct str rest = S("a,,b");
    static const char *const expected[] = {"a", "", "b"};
    size_t n = 0;
    while (rest.p) {
        assert_true(n < COUNT(expected));
        assert_true(str_is(str_cut(&rest, ','), expected[n++]));
    }
    assert_int_equal(n, 3);
}

TEST(numbers_are_the_whole_text_or_none)
{
    int64_t i = 0;
    double d = 0;
    assert_true(str_to_int(S("-9223372036854775808"), &i) && i == INT64_MIN);
    assert_true(str_to_int(S("9223372036854775807"), &i) && i == INT64_MAX);
    static const char *const no_ints[] = {
        "", "-", "1 ", " 1", "1x", "1.0", "9223372036854775808"};
    for (size_t k = 0; k < COUNT(no_ints); k++)
        assert_false(str_to_int(str_of(no_ints[k]), &i));
    assert_true(str_to_real(S("-1.5e3"), &d) && d == -1500);
    static const char *const no_reals[] = {"", "1,5", "nan", "inf", "1e999", "1.5 ", "x"};
    for (size_t k = 0; k < COUNT(no_reals); k++)
        assert_false(str_to_real(str_of(no_reals[k]), &d));
}

/* RFC 3629: overlong forms, surrogates and values above U+10FFFF are not UTF-8. */
TEST(utf8_is_strict)
{
    assert_true(str_is_utf8(S("na\xC3\xAFve \xE2\x82\xAC \xF0\x9F\x98\x80")));
    assert_true(str_is_utf8((struct str){0}));
    static const char *const bad[] = {
        "\xFF", "\xC3", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80"};
    for (size_t k = 0; k < COUNT(bad); k++) assert_false(str_is_utf8(str_of(bad[k])));
    assert_false(str_is_utf8((struct str){"a\0b", 3}));
}

TEST(suggestions_are_near_or_none)
{
    static const char *const names[] = {"run", "check", "describe", "completion"};
    assert_string_equal(str_suggest(S("rnu"), names, COUNT(names)), "run");
    assert_string_equal(str_suggest(S("chekc"), names, COUNT(names)), "check");
    assert_string_equal(str_suggest(S("descibe"), names, COUNT(names)), "describe");
    assert_null(str_suggest(S("zzz"), names, COUNT(names)));
    assert_null(str_suggest(S(""), names, COUNT(names)));
    char long_word[5000];
    memset(long_word, 'a', sizeof long_word);
    assert_null(str_suggest((struct str){long_word, sizeof long_word}, names, COUNT(names)));
}

TEST(slices_compare_and_trim)
{
    assert_true(str_compare(S("a"), S("ab")) < 0 && str_compare(S("b"), S("ab")) > 0);
    assert_true(str_is(str_trim(S(" \t x y\r\n")), "x y"));
    assert_true(str_starts(S("sqlite:a"), S("sqlite:")) && !str_starts(S("sq"), S("sqlite")));
    assert_true(str_ends(S("a.yaml"), S(".yaml")) && !str_ends(S("l"), S(".yaml")));
}

TEST_MAIN(T(cut_ends_its_loop), T(numbers_are_the_whole_text_or_none), T(utf8_is_strict),
          T(suggestions_are_near_or_none), T(slices_compare_and_trim))
