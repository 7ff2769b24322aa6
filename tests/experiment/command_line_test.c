#include "experiment/command_line.h"
#include "tests/test.h"

/* Words joined by '|', so that a case is one line. */
static void assert_words(const char *text, const char *expected)
{
    struct arena arena = arena_open();
    struct param_command command = {.shell = text};
    const char *const *argv = NULL;
    struct error err = {0};
    struct buf joined;
    buf_init(&joined, 1000);
    if (command_line_build(&command, "none", NULL, &arena, &argv, &err)) {
        for (size_t i = 0; argv[i]; i++) buf_printf(&joined, "%s%s", i ? "|" : "", argv[i]);
    } else {
        buf_printf(&joined, "error: %s", err.text);
    }
    assert_string_equal(buf_str(&joined).p, expected);
    buf_release(&joined);
    arena_close(&arena);
}

TEST(words_are_split_by_the_shells_rules_of_quoting)
{
    assert_words("a", "a");
    assert_words("  a  b\tc\n", "a|b|c");
    assert_words("a 'b  c' d", "a|b  c|d");
    assert_words("a \"b  c\"d", "a|b  cd");
    assert_words("a\\ b c", "a b|c");
    assert_words("'a\\b' \"a\\b\" \"a\\\"b\" a\\\\b", "a\\b|a\\b|a\"b|a\\b");
    assert_words("a '' b", "a||b");
    assert_words("a \"\"", "a|");
    assert_words("it\"'\"s $HOME *", "it's|$HOME|*");
    assert_words("a\\", "a\\");
    assert_words("a 'b", "error: a quote is not closed in: a 'b");
    assert_words(" \n", "error: the command is empty");
    assert_words("''", "error: the command is empty");
}

TEST(parameters_replace_their_braces_and_no_others)
{
    struct arena arena = arena_open();
    struct value_pair pairs[] = {
        {.key = S("x"), .value = value_new_int(&arena, 3)},
        {.key = S("long_name"), .value = value_new_text(&arena, S("a{x}b"))},
        {.key = S("r"), .value = value_new_real(&arena, 0.5)},
        {.key = S("b"), .value = value_new_bool(&arena, true)},
    };
    const struct value *map = value_new_map(&arena, pairs, COUNT(pairs));
    const char *const words[] = {"{x}{x}", "{long_name}", "{r} {b}", "{y} {", "{x", "{}", NULL};
    struct param_command command = {.argv = words, .argc = COUNT(words) - 1};
    const char *const *argv = NULL;
    struct error err = {0};
    assert_true(command_line_build(&command, "/bin/sh", map, &arena, &argv, &err));
    assert_string_equal(argv[0], "33");
    assert_string_equal(argv[1], "a{x}b"); /* what was filled in is not filled again */
    assert_string_equal(argv[2], "0.5 true");
    assert_string_equal(argv[3], "{y} {");
    assert_string_equal(argv[4], "{x");
    assert_string_equal(argv[5], "{}");
    assert_null(argv[6]);
    arena_close(&arena);
}

TEST(a_text_goes_to_the_shell_in_one_piece)
{
    struct arena arena = arena_open();
    struct param_command command = {.shell = "echo 'a b' | cat"};
    const char *const *argv = NULL;
    struct error err = {0};
    assert_true(command_line_build(&command, "bash", NULL, &arena, &argv, &err));
    assert_string_equal(argv[0], "bash");
    assert_string_equal(argv[1], "-c");
    assert_string_equal(argv[2], "echo 'a b' | cat");
    assert_null(argv[3]);
    arena_close(&arena);
}

TEST_MAIN(T(words_are_split_by_the_shells_rules_of_quoting),
          T(parameters_replace_their_braces_and_no_others),
          T(a_text_goes_to_the_shell_in_one_piece))
