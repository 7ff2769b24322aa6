#include "base/plain.h"

#include "tests/test.h"

static void expect_of(size_t (*add)(struct buf *, struct str, size_t), const char *text,
                      size_t most, const char *wanted, size_t columns)
{
    char memory[256];
    struct buf b;
    buf_over(&b, memory, sizeof memory);
    assert_int_equal(add(&b, str_of(text), most), columns);
    assert_string_equal(memory, wanted);
}

static void expect(const char *text, size_t most, const char *wanted, size_t columns)
{
    expect_of(plain_add, text, most, wanted, columns);
}

TEST(what_could_give_a_terminal_orders_is_replaced)
{
    expect("a\033[31mred", SIZE_MAX, "a?[31mred", 9);
    expect("bell\a del\177", SIZE_MAX, "bell? del?", 10);
    expect("C1: \xC2\x9B"
           "31m",
           SIZE_MAX, "C1: ?31m", 8);
    expect("a byte: \x9B", SIZE_MAX, "a byte: ?", 9);
    expect("cut: \xE2\x82", SIZE_MAX, "cut: ??", 7);
}

TEST(it_stays_one_line)
{
    expect("one\ntwo\r\n\tthree", SIZE_MAX, "one two   three", 15);
}

TEST(other_text_is_itself)
{
    expect("µ ± 3 €, 日本 \xC2\xA0", SIZE_MAX, "µ ± 3 €, 日本 \xC2\xA0", 15);
    expect("", SIZE_MAX, "", 0);
    assert_int_equal(plain_columns(S("µ€日x")), 5);
}

TEST(wide_characters_have_two_columns_and_combining_ones_none)
{
    assert_int_equal(plain_columns(S("日本語")), 6);
    assert_int_equal(plain_columns(S("e\xCC\x81")), 1); /* e and an accent */
    assert_int_equal(plain_columns(S("😀")), 2);
    assert_int_equal(plain_columns(S("▁▂█│±µ…")), 7);
    expect("日本語", 6, "日本語", 6);
    expect("日本語", 5, "日本…", 5);
    expect("日本語", 4, "日…", 3);
    expect_of(plain_add_ends, "日本語日本語日本語", 9, "日…日本語", 9);
}

TEST(what_turns_the_direction_is_not_shown)
{
    expect("a\xE2\x80\xAE"
           "b",
           SIZE_MAX, "a?b", 3);
    assert_int_equal(plain_hidden(S("\xE2\x80\xAE")), 3);
    assert_int_equal(plain_hidden(S("\xC2\x9B")), 2);
    assert_int_equal(plain_hidden(S("\xC3\xA9")), 0);
    assert_int_equal(plain_hidden(S("\n")), 0);
}

TEST(escapes_show_what_there_was)
{
    struct arena arena = arena_open();
    assert_string_equal(plain_line("a\n::error::b\t\033]0;x\007", &arena),
                        "a\\n::error::b\\t\\x1b]0;x\\x07");
    assert_string_equal(plain_line("\xE2\x80\xAE\xC2\x9B\xFF", &arena), "\\u202e\\u009b\\xff");
    const char *same = "sort -n é 日本";
    assert_ptr_equal(plain_line(same, &arena), same);
    assert_null(plain_line(NULL, &arena));
    arena_close(&arena);
}

TEST(what_is_too_long_ends_in_an_ellipsis)
{
    expect("four", 4, "four", 4);
    expect("fives", 4, "fiv…", 4);
    expect("€€€€€", 3, "€€…", 3);
    expect("ab", 1, "…", 1);
    expect("ab", 0, "", 0);
}

static void expect_ends(const char *text, size_t most, const char *wanted, size_t columns)
{
    expect_of(plain_add_ends, text, most, wanted, columns);
}

TEST(a_label_that_is_too_long_keeps_its_end)
{
    expect_ends("sort {f} data, f=-n", 19, "sort {f} data, f=-n", 19);
    expect_ends("sort {f} data, f=-n", 12, "sor…ta, f=-n", 12);
    expect_ends("€€€€€€€€€", 6, "€…€€€€", 6);
    expect_ends("abcdef", 2, "a…", 2);
    expect_ends("abcdef", 0, "", 0);
}

TEST(words_are_wrapped_and_no_line_ends_in_spaces)
{
    char memory[256];
    struct buf b;
    buf_over(&b, memory, sizeof memory);
    plain_spaces(&b, 2);
    plain_wrap(&b, S("one two  three €€€"), 9, 2, 4);
    assert_string_equal(memory, "  one two\n    three\n    €€€\n");
    buf_clear(&b);
    plain_wrap(&b, S("a word that is longer than the line"), SIZE_MAX, 0, 2);
    assert_string_equal(memory, "a word that is longer than the line\n");
    buf_clear(&b);
    plain_wrap(&b, S("10 cases, p = 0.002. a < 3 ="), 12, 0, 0);
    assert_string_equal(memory, "10 cases,\np = 0.002.\na < 3 =\n");
    buf_clear(&b);
    plain_wrap(&b, S(""), 80, 0, 0);
    assert_string_equal(memory, "\n");
}

TEST_MAIN(T(what_could_give_a_terminal_orders_is_replaced), T(it_stays_one_line),
          T(other_text_is_itself), T(what_is_too_long_ends_in_an_ellipsis),
          T(a_label_that_is_too_long_keeps_its_end),
          T(wide_characters_have_two_columns_and_combining_ones_none),
          T(what_turns_the_direction_is_not_shown), T(escapes_show_what_there_was),
          T(words_are_wrapped_and_no_line_ends_in_spaces))
