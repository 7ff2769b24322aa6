#include "base/csv.h"

#include "tests/test.h"

static struct arena arena;

static void takes(const char *text, const char *expected, const char *behind)
{
    struct str rest = str_of(text);
    struct str field = {0};
    if (!csv_take_quoted(&rest, &arena, &field)) fail_msg("%s does not end", text);
    if (!str_is(field, expected)) fail_msg("%s is %.*s", text, STR_ARG(field));
    if (!str_is(rest, behind)) fail_msg("%s leaves %.*s", text, STR_ARG(rest));
}

TEST(fields_in_quotes)
{
    arena = arena_open();
    takes("\"\"", "", "");
    takes("\"a\",b", "a", ",b");
    takes("\"a,\nb\"\n", "a,\nb", "\n");
    takes("\"a \"\"b\"\"\",c", "a \"b\"", ",c");
    takes("\"\"\"\"", "\"", "");
    takes("\"\"\"\"\"\" x", "\"\"", " x");
    static const char *const endless[] = {"\"", "\"a", "\"a\"\"", "\"\"\""};
    for (size_t i = 0; i < COUNT(endless); i++) {
        struct str rest = str_of(endless[i]);
        struct str field;
        assert_false(csv_take_quoted(&rest, &arena, &field));
        assert_ptr_equal(rest.p, endless[i]);
    }
    arena_close(&arena);
}

/* Only what holds quotes is copied. */
TEST(a_plain_field_is_a_slice)
{
    static const char text[] = "\"plain\",";
    struct str rest = str_of(text);
    struct str field;
    arena = arena_open();
    assert_true(csv_take_quoted(&rest, &arena, &field));
    assert_ptr_equal(field.p, text + 1);
    arena_close(&arena);
}

TEST(what_is_written_reads_back)
{
    static const char *const texts[] = {"", "a", "a b", "a,b", "a\nb", "\"", "a\"b", "\r"};
    arena = arena_open();
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct buf b;
        buf_init(&b, 100);
        csv_put(&b, str_of(texts[i]));
        struct str rest = buf_str(&b);
        struct str field = rest;
        bool is_quoted = str_starts(rest, S("\""));
        assert_int_equal(is_quoted, strpbrk(texts[i], ",\"\r\n") != NULL);
        if (is_quoted) assert_true(csv_take_quoted(&rest, &arena, &field) && rest.n == 0);
        assert_true(str_is(field, texts[i]));
        buf_release(&b);
    }
    arena_close(&arena);
}

TEST(what_a_spreadsheet_would_work_out_becomes_text)
{
    static const struct {
        const char *text, *written;
    } cases[] = {{"=1+1", "'=1+1"},
                 {"@x", "'@x"},
                 {"-2+3", "'-2+3"},
                 {"+a", "'+a"},
                 {"-2.5e3", "-2.5e3"},
                 {"+1", "+1"},
                 {"=a,b", "\"'=a,b\""},
                 {"a=b", "a=b"},
                 {"\t=1+1", "'\t=1+1"},
                 {"\r=1+1", "\"'\r=1+1\""},
                 {"\t\n=1", "\"'\t\n=1\""},
                 {" =1", " =1"},
                 {"\ta", "\ta"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf b;
        buf_init(&b, 100);
        csv_put(&b, str_of(cases[i].text));
        assert_string_equal(b.p, cases[i].written);
        buf_release(&b);
    }
}

TEST_MAIN(T(fields_in_quotes), T(a_plain_field_is_a_slice), T(what_is_written_reads_back),
          T(what_a_spreadsheet_would_work_out_becomes_text))
