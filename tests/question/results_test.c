#include "base/clock.h"
#include "question/question_results.h"
#include "tests/test.h"

static int64_t at(const char *stamp)
{
    int64_t ns = 0;
    assert_true(clock_parse_stamp(stamp, &ns));
    return ns;
}

static struct timeframe parse(const char *text)
{
    struct timeframe f;
    struct error err = {0};
    if (!timeframe_parse(text, at("2026-11-17T12:00:00Z"), &f, &err))
        fail_msg("%s: %s", text, err.text);
    return f;
}

TEST(timeframes_that_are_asked_for)
{
    assert_true(parse("latest").is_latest);
    assert_false(parse("all").is_latest);
    assert_int_equal(parse("all").from_ns, 0);
    assert_int_equal(parse("7d").from_ns, at("2026-11-10T12:00:00Z"));
    assert_int_equal(parse("12h").from_ns, at("2026-11-17T00:00:00Z"));
    /* Both days count whole. */
    assert_int_equal(parse("2026-11-01..2026-11-02").from_ns, at("2026-11-01T00:00:00Z"));
    assert_int_equal(parse("2026-11-01..2026-11-02").to_ns, at("2026-11-03T00:00:00Z"));
    assert_int_equal(parse("2026-11-01..2026-11-01T10:00:00Z").to_ns,
                     at("2026-11-01T10:00:00Z"));
    assert_int_equal(parse("2026-11-01..").to_ns, INT64_MAX);
    assert_int_equal(parse("..2026-11-01").from_ns, 0);
}

TEST(timeframes_that_are_none)
{
    static const char *const wrong[] = {"",
                                        "soon",
                                        "..",
                                        "-7d",
                                        "1e20d",
                                        "2026-13-01..",
                                        "2026-11-02..2026-11-01",
                                        "..2026-11-01T00:00:00Z and a text that is longer"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct timeframe f;
        struct error err = {0};
        if (timeframe_parse(wrong[i], 0, &f, &err)) fail_msg("'%s' was taken", wrong[i]);
        assert_int_equal(err.code, ERROR_INVALID);
    }
}

TEST_MAIN(T(timeframes_that_are_asked_for), T(timeframes_that_are_none))
