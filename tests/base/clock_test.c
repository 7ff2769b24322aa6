#include "base/clock.h"

#include "tests/test.h"

TEST(stamps_read_back)
{
    char text[CLOCK_STAMP_SIZE];
    int64_t t = 0;
    assert_string_equal(clock_stamp(0, text), "1970-01-01T00:00:00.000Z");
    assert_string_equal(clock_stamp(1794773096123999999, text), "2026-11-15T20:04:56.123Z");
    assert_true(clock_parse_stamp(text, &t) && t == 1794773096123000000);
    assert_string_equal(clock_stamp(-1, text), "1969-12-31T23:59:59.999Z");
    assert_true(clock_parse_stamp("2026-11-15T20:04:56Z", &t) && t == 1794773096000000000);
    assert_true(clock_parse_stamp("2026-11-15T20:04:56.123456789123Z", &t));
    assert_int_equal(t % 1000000000, 123456789);
    assert_false(clock_parse_stamp("2026-11-15T20:04:56", &t));
    assert_false(clock_parse_stamp("2999-01-01T00:00:00Z", &t)); /* beyond int64 */
    assert_false(clock_parse_stamp("2026-11-15 20:04:56Z", &t));
    assert_false(clock_parse_stamp("2026-11-15T20:04:56Zx", &t));
}

TEST(sleeping_is_never_short)
{
    int64_t until = clock_ns() + 2000000;
    clock_sleep_until(until);
    assert_true(clock_ns() >= until);
    clock_sleep_until(until - 1000); /* past: returns at once */
    assert_true(clock_unix_ns() > 1700000000000000000);
}

TEST(times_of_files_stay_within_what_there_is)
{
    assert_true(clock_after(5, 1.5) == 1500000005);
    assert_true(clock_after(5, -1) == -999999995);
    assert_true(clock_after(5, NAN) == 5);
    assert_true(clock_after(1, 1e300) == INT64_MAX);
    assert_true(clock_after(-1, -INFINITY) == INT64_MIN);
    assert_true(clock_after(INT64_MAX - 5, 1) == INT64_MAX);
}

TEST_MAIN(T(stamps_read_back), T(sleeping_is_never_short),
          T(times_of_files_stay_within_what_there_is))
