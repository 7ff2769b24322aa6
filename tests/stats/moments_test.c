#include "stats/moments.h"

#include "tests/test.h"

/* Four values whose variance is exactly 30, on an offset at which the
 * sum-of-squares form answers nonsense. */
static const double values[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};

TEST(variance_survives_a_large_mean)
{
    struct moments m = moments_of(values, COUNT(values));
    assert_true(moments_variance(&m) == 30.0);
    assert_true(m.mean == 1e9 + 10);
    assert_close(moments_sd(&m), sqrt(30.0), 1e-15);
}

/* Offsets at which one pass is wrong by 9 % and more; the values are exact in binary. */
TEST(two_passes_keep_the_digits_at_an_offset)
{
    static const double steps[] = {0.125, 0.25, 0.5, 0.125, 0.375, 0.25, 0.5, 0.125};
    struct moments near = moments_of(steps, COUNT(steps));
    double far[COUNT(steps)];
    for (size_t i = 0; i < COUNT(steps); i++) far[i] = 1e15 + steps[i];
    struct moments m = moments_of(far, COUNT(far));
    assert_close(moments_sd(&m), moments_sd(&near), 1e-12);
}

TEST(merging_parts_equals_the_whole)
{
    double series[100];
    for (size_t i = 0; i < COUNT(series); i++) series[i] = sin((double)i) * 1e3 + 5e6;
    struct moments whole = moments_of(series, 100);
    for (size_t cut = 0; cut <= 100; cut += 10) {
        struct moments a = moments_of(series, cut);
        struct moments b = moments_of(series + cut, 100 - cut);
        moments_merge(&a, &b);
        assert_int_equal(a.count, 100);
        assert_close(a.mean, whole.mean, 1e-14);
        assert_close((double)a.m2, (double)whole.m2, 1e-10);
    }
}

TEST(below_two_values_there_is_no_variance)
{
    struct moments none = {0};
    assert_true(isnan(moments_variance(&none)));
    struct moments one = moments_of(values, 1);
    assert_true(isnan(moments_sd(&one)));
    assert_true(one.mean == values[0]);
}

TEST_MAIN(T(variance_survives_a_large_mean), T(two_passes_keep_the_digits_at_an_offset),
          T(merging_parts_equals_the_whole), T(below_two_values_there_is_no_variance))
