#include "report/axis.h"
#include "report/histogram.h"
#include "tests/test.h"

static const double odd[] = {0, -1, 1, 1e-300, 1e300, -1e300, 5, 5.0001, NAN, INFINITY};

TEST(every_axis_can_be_drawn_on)
{
    for (size_t i = 0; i < COUNT(odd); i++) {
        for (size_t k = 0; k < COUNT(odd); k++) {
            if (odd[i] > odd[k]) continue;
            struct axis a = axis_make(odd[i], odd[k]);
            assert_true(isfinite(a.low) && isfinite(a.high) && a.low < a.high);
            double ticks[AXIS_TICKS_MAX];
            size_t count = axis_ticks(&a, ticks);
            for (size_t t = 0; t < count; t++) {
                assert_true(ticks[t] >= a.low && ticks[t] <= a.high);
                assert_true(t == 0 || ticks[t] > ticks[t - 1]);
            }
            for (size_t v = 0; v < COUNT(odd); v++) {
                double place = axis_place(&a, odd[v]);
                assert_true(place >= 0 && place <= 1);
            }
        }
    }
}

TEST(ticks_are_round)
{
    double ticks[AXIS_TICKS_MAX];
    struct axis a = axis_make(10.2, 16.4);
    size_t count = axis_ticks(&a, ticks);
    assert_int_equal(count, 4);
    assert_close(ticks[0], 10, 0);
    assert_close(ticks[3], 16, 0);
}

TEST(wide_ranges_are_logarithmic)
{
    struct axis a = axis_make(1, 1000);
    assert_true(a.is_log);
    assert_close(axis_place(&a, sqrt(1000)), 0.5, 1e-12);
    assert_false(axis_make(0, 1000).is_log);
    assert_false(axis_make(1, 19).is_log);
}

TEST(a_histogram_counts_each_value_once)
{
    const double samples[] = {1, 1, 2, 3, NAN, 5};
    struct histogram h;
    histogram_fill(&h, samples, COUNT(samples), 1, 5, 4);
    assert_int_equal(h.counts[0], 2);
    assert_int_equal(h.counts[1], 1);
    assert_int_equal(h.counts[2], 1);
    assert_int_equal(h.counts[3], 1);
    assert_int_equal(h.most, 2);
    char text[64];
    struct buf b;
    buf_over(&b, text, sizeof text);
    histogram_sparkline(&h, &b);
    assert_string_equal(text, "█▄▄▄");
}

TEST(equal_values_are_one_bin)
{
    const double samples[] = {7, 7, 7};
    struct histogram h;
    histogram_fill(&h, samples, 3, 7, 7, 20);
    assert_int_equal(h.bins, 1);
    assert_int_equal(h.counts[0], 3);
    histogram_fill(&h, samples, 0, NAN, NAN, 20);
    assert_int_equal(h.most, 0);
}

TEST_MAIN(T(every_axis_can_be_drawn_on), T(ticks_are_round), T(wide_ranges_are_logarithmic),
          T(a_histogram_counts_each_value_once), T(equal_values_are_one_bin))
