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

TEST(below_two_values_there_is_no_variance)
{
    struct moments none = {0};
    assert_true(isnan(moments_variance(&none)));
    struct moments one = moments_of(values, 1);
    assert_true(isnan(moments_sd(&one)));
    assert_true(one.mean == values[0]);
}

TEST_MAIN(T(variance_survives_a_large_mean), T(two_passes_keep_the_digits_at_an_offset),
          T(below_two_values_there_is_no_variance))
