/* By how much something is worse, where an end of the interval is not known. */
#include "report/words.h"
#include "tests/test.h"

#include <math.h>

TEST(an_end_that_is_not_known_is_infinite)
{
    struct arena a = arena_open();
    struct worsening w = {.amount = 0.12, .low = -0.096, .high = INFINITY};
    assert_string_equal(words_worsening(&w, &a), "worse by 12 % [-9.6 %, ∞ %]");
    w = (struct worsening){.amount = -0.5, .low = -INFINITY, .high = 0.01, .is_points = true};
    assert_string_equal(words_worsening(&w, &a), "better by 50 points [-1.0 points, ∞ points]");
    assert_string_equal(words_worse_by(&w, -INFINITY, &a), "-∞ points");
    assert_string_equal(words_worse_by(&w, NAN, &a), "-");
    arena_close(&a);
}

TEST(only_all_is_a_hundred_percent_and_only_none_is_zero)
{
    struct arena a = arena_open();
    const struct {
        double share;
        const char *words;
    } rows[] = {{0, "0 %"},      {1e-9, "<1 %"},    {0.005, "<1 %"}, {0.42, "42 %"},
                {0.994, "99 %"}, {0.9983, ">99 %"}, {1, "100 %"}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_string_equal(words_part(rows[i].share, &a), rows[i].words);
    arena_close(&a);
}

TEST(a_metric_is_named_without_its_unit)
{
    struct arena a = arena_open();
    const char *const rows[][2] = {{"duration_s", "duration"},
                                   {"memory_peak_mb", "memory peak"},
                                   {"cost_usd", "cost"},
                                   {"response_p95_s", "response p95"},
                                   {"requests_per_s", "requests per second"},
                                   {"accuracy", "accuracy"},
                                   {"ms", "ms"}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_string_equal(words_metric(rows[i][0], &a), rows[i][1]);
    arena_close(&a);
}

TEST(what_rounds_to_zero_is_not_below_it)
{
    char text[16];
    snprintf(text, sizeof text, "%.3f", words_thousandth(-0.0003));
    assert_string_equal(text, "0.000");
    snprintf(text, sizeof text, "%.3f", words_thousandth(-0.0006));
    assert_string_equal(text, "-0.001");
    assert_true(isnan(words_thousandth(NAN)));
}

TEST_MAIN(T(what_rounds_to_zero_is_not_below_it), T(a_metric_is_named_without_its_unit),
          T(an_end_that_is_not_known_is_infinite),
          T(only_all_is_a_hundred_percent_and_only_none_is_zero))
