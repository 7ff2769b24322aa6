#include "base/human.h"
#include "tests/test.h"

static void shows(const char *unit, double v, const char *expected)
{
    char out[HUMAN_SIZE];
    assert_string_equal(human_value(unit, v, out), expected);
}

TEST(values_get_the_unit_that_reads_best)
{
    shows("s", 0.00123, "1.23 ms");
    shows("s", 1.5e-9, "1.50 ns");
    shows("s", 4.56e-5, "45.6 µs");
    shows("s", 312, "312 s");
    shows("ms", 0.5, "500 µs");
    shows("MB", 45.6, "45.6 MB");
    shows("MB", 0.0021, "2.10 kB");
    shows("B", 1, "1.00 B");
    shows("1", 2100, "2.10 k");
    shows("1", 7, "7");
    shows("1/s", 12345, "12.3 k/s");
    shows("USD", 0.0123, "0.0123 USD");
    shows("%", 12.3, "12.3 %");
    shows("s", -0.002, "-2.00 ms");
    shows("s", NAN, "- s");
    shows(NULL, 3, "3");
}

TEST(rounding_never_shows_1000_of_a_unit)
{
    shows("s", 0.0009999, "1.00 ms");
    shows("s", 0.000999, "999 µs");
}

TEST(numbers_that_stand_together_share_unit_and_decimals)
{
    char out[HUMAN_SIZE];
    struct human_scale s = human_scale("s", 0.0105, 0.25);
    assert_string_equal(s.unit, "ms");
    assert_string_equal(human_number(&s, 0.0105, out), "10.50");
    assert_string_equal(human_number(&s, 0.25, out), "250.00");
    assert_string_equal(human_number(&s, NAN, out), "-");
    assert_string_equal(human_number(&s, INFINITY, out), "∞");
}

TEST(a_scale_without_any_size_is_plain)
{
    char out[HUMAN_SIZE];
    struct human_scale s = human_scale("s", NAN, 0);
    assert_string_equal(s.unit, "s");
    assert_string_equal(human_number(&s, 0, out), "0");
    s = human_scale("s", NAN, 0.002);
    assert_string_equal(s.unit, "ms");
}

TEST(counts_are_whole_and_means_of_counts_are_not)
{
    char out[HUMAN_SIZE];
    struct human_scale s = human_scale("1", 3, 5);
    assert_string_equal(human_number(&s, 5, out), "5");
    assert_string_equal(human_number(&s, 3.25, out), "3.250");
}

TEST(extreme_numbers_stay_short)
{
    char out[HUMAN_SIZE];
    struct human_scale s = human_scale("1", 1e-300, 1e-300);
    assert_string_equal(human_number(&s, 1e-300, out), "1e-300");
    s = human_scale("s", 1, 1e300);
    assert_true(strlen(human_number(&s, 1e300, out)) < 12);
    s = human_scale("s", 1, 1);
    assert_true(strlen(human_number(&s, 1e300, out)) < 12);
}

static void spans(double seconds, const char *expected)
{
    char out[HUMAN_SIZE];
    assert_string_equal(human_span(seconds, out), expected);
}

TEST(zero_is_never_negative)
{
    char out[HUMAN_SIZE];
    shows("s", -0.0, "0 s");
    shows("1", -0.0, "0");
    struct human_scale seconds = human_scale("s", 1, 1);
    assert_string_equal(human_number(&seconds, -1e-9, out), "0.000");
    assert_string_equal(human_number(&seconds, -0.001, out), "-0.001");
    assert_string_equal(human_number(&seconds, -(double)INFINITY, out), "-∞");
    assert_string_equal(human_number(&seconds, NAN, out), "-");
}

TEST(spans_use_two_units)
{
    spans(0, "0 s");
    spans(0.85, "850 ms");
    spans(45, "45 s");
    spans(59.7, "1 min");
    spans(200, "3 min 20 s");
    spans(7500, "2 h 5 min");
    spans(86400.0 * 12 + 3600 * 3, "12 d 3 h");
    spans(NAN, "-");
}

TEST(spans_are_read_back)
{
    double s = 0;
    assert_true(human_parse_span(S("30d"), &s));
    assert_close(s, 30 * 86400.0, 0);
    assert_true(human_parse_span(S(" 1.5 h"), &s));
    assert_close(s, 5400, 0);
    assert_true(human_parse_span(S("10min"), &s));
    assert_close(s, 600, 0);
    assert_false(human_parse_span(S(""), &s));
    assert_false(human_parse_span(S("d"), &s));
    assert_false(human_parse_span(S("30 days"), &s));
    assert_false(human_parse_span(S("-3d"), &s));
}

TEST(a_p_is_never_zero)
{
    assert_string_equal(HUMAN_P(0.0123), "p = 0.012");
    assert_string_equal(HUMAN_P(0), "p < 1e-16");
    assert_string_equal(HUMAN_P(1e-300), "p < 1e-16");
    assert_string_equal(HUMAN_P(7.5e-12), "p = 7.5e-12");
    assert_string_equal(HUMAN_P((double)NAN), "p = -");
    assert_string_equal(HUMAN_P_CELL(0), "< 1e-16");
    assert_string_equal(HUMAN_P_CELL(0.5), "0.5");
}

TEST_MAIN(T(values_get_the_unit_that_reads_best), T(rounding_never_shows_1000_of_a_unit),
          T(numbers_that_stand_together_share_unit_and_decimals),
          T(a_scale_without_any_size_is_plain), T(counts_are_whole_and_means_of_counts_are_not),
          T(extreme_numbers_stay_short), T(zero_is_never_negative), T(spans_use_two_units),
          T(spans_are_read_back), T(a_p_is_never_zero))
