/* By how much something is worse, where an end of the interval is not known; reasons as words. */
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

TEST(every_reason_not_to_rank_has_words)
{
    for (int u = UNRANKED_NOT + 1; u < UNRANKED_COUNT; u++) {
        const char *name = unranked_name((enum unranked)u);
        assert_string_not_equal(words_unranked(name, true), name);
        assert_string_not_equal(words_unranked(name, false), name);
    }
    for (int s = 0; s < RUN_STATUS_COUNT; s++) {
        const char *name = run_status_name((enum run_status)s);
        if (s != RUN_SUCCESS) assert_string_not_equal(words_unranked(name, true), name);
    }
    assert_string_equal(words_unranked("claimed", true), "claimed, not measured");
    assert_string_equal(words_unranked("of another program", false), "of another program");
}

TEST_MAIN(T(every_reason_not_to_rank_has_words), T(what_rounds_to_zero_is_not_below_it),
          T(a_metric_is_named_without_its_unit), T(an_end_that_is_not_known_is_infinite),
          T(only_all_is_a_hundred_percent_and_only_none_is_zero))
