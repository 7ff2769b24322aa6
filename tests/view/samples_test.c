#include "tests/test.h"
#include "view/samples.h"

static struct samples samples;
static struct error error;

static bool parse(const char *text, const char *column)
{
    static struct arena arena;
    if (!arena.block) arena = arena_open();
    error = (struct error){0};
    return samples_parse("a.txt", str_of(text), column, &arena, &samples, &error);
}

static void wants(const char *text, const char *column, const double *values, size_t n)
{
    if (!parse(text, column)) fail_msg("%s", error.text);
    assert_int_equal(samples.count, n);
    for (size_t i = 0; i < n; i++) assert_close(samples.values[i], values[i], 0);
}

TEST(one_number_a_line)
{
    wants("# head\n1\n 2.5 # why\n\n-3e2\r\n+4", NULL, (double[]){1, 2.5, -300, 4}, 4);
    wants("\xEF\xBB\xBF"
          "7\n",
          NULL, (double[]){7}, 1);
    assert_false(parse("", NULL));
    assert_string_equal(error.text, "a.txt: it has no numbers");
    assert_false(parse("# nothing\n\n", NULL));
}

TEST(missing_values_keep_their_place)
{
    wants("1\nNaN\nNA\n2\n", NULL, (double[]){1, NAN, NAN, 2}, 4);
    assert_int_equal(samples.missing, 2);
    assert_int_equal(samples.open_line, 0);
    wants("a,b\n1,\n2,5\n", "b", (double[]){NAN, 5}, 2);
    assert_int_equal(samples.missing, 1);
}

TEST(a_value_without_an_end_is_a_value)
{
    wants("1\n+inf\nInfinity\n2\n", NULL, (double[]){1, INFINITY, INFINITY, 2}, 4);
    assert_int_equal(samples.missing, 0);
    assert_int_equal(samples.open_line, 2);
    assert_false(parse("1\n-inf\n", NULL));
    assert_string_equal(error.text, "a.txt:2: '-inf' is not a number that was measured; for a "
                                    "value that is not there write nan");
}

TEST(bad_lines_are_named)
{
    assert_false(parse("1\n2\nabc\n", NULL));
    assert_string_equal(error.text, "a.txt:3: 'abc' is not a number");
    assert_false(parse("1\nx\ny\n0x10\n", NULL));
    assert_string_equal(error.text, "a.txt:2: 'x' is not a number, nor are 2 further lines");
    assert_false(parse("time,n\n1,2\n", NULL));
    assert_non_null(strstr(error.text, "--column NAME"));
    assert_false(parse("1e999\n", NULL));
    assert_false(parse("1 2\n", NULL));
}

TEST(a_column_of_csv)
{
    wants("# c\na,b\n1,2\n3,4\n\n", "b", (double[]){2, 4}, 2);
    wants("a;b\n1;2\n", "a", (double[]){1}, 1);
    wants("a\tb\n1\t2", "b", (double[]){2}, 1);
    wants("\"x, y\",b\n\"7\",1\n\"8\",2\n", "x, y", (double[]){7, 8}, 2);
    wants("name,b\n\"two\nlines, \"\"quoted\"\"\",5\r\n", "b", (double[]){5}, 1);
    assert_false(parse("b\n", "b"));
}

TEST(a_column_that_is_not_there)
{
    assert_false(parse("time,count\n1,2\n", "tme"));
    assert_non_null(strstr(error.text, "did you mean 'time'?"));
    assert_false(parse("# only this", "a"));
    assert_false(parse("", "a"));
    assert_non_null(strstr(error.text, "no column 'a'"));
    assert_false(parse("a,b\n1,2\n3\n", "b"));
    assert_non_null(strstr(error.text, "a.txt:3:"));
    assert_false(parse("name,b\n\"two\nlines\",x\n", "b"));
    assert_non_null(strstr(error.text, "a.txt:2: 'x'"));
}

TEST_MAIN(T(one_number_a_line), T(missing_values_keep_their_place),
          T(a_value_without_an_end_is_a_value), T(bad_lines_are_named), T(a_column_of_csv),
          T(a_column_that_is_not_there))
