#include "stats/outlier.h"

#include "tests/test.h"

static size_t count(const double *values, size_t n, double k, enum outlier_scale *scale)
{
    struct arena a = arena_open();
    struct outlier_fence fence = outlier_fence(a, values, n, k);
    if (scale) *scale = fence.scale;
    arena_close(&a);
    return outlier_count(&fence, values, n);
}

TEST(hyperfines_own_cases)
{
    const double none[] = {-0.2, 0, 0.2};
    const double far[] = {-0.2, 0, 0.2, 4};
    const double first[] = {0.5, 0.30, 0.29, 0.31, 0.30};
    const double two[] = {1000, 0};
    assert_int_equal(count(none, 3, OUTLIER_K_HYPERFINE, NULL), 0);
    assert_int_equal(count(far, 4, OUTLIER_K_HYPERFINE, NULL), 1);
    assert_int_equal(count(first, 5, OUTLIER_K_HYPERFINE, NULL), 1);
    assert_int_equal(count(two, 2, OUTLIER_K_HYPERFINE, NULL), 0);
}

TEST(without_a_mad_the_mean_distance_serves)
{
    const double flat[] = {5, 5, 5, 5, 5, 5, 5, 5, 9, 5};
    enum outlier_scale scale = OUTLIER_SCALE_NONE;
    assert_int_equal(count(flat, 10, OUTLIER_K, &scale), 1);
    assert_int_equal(scale, OUTLIER_SCALE_MEAN_DISTANCE);
}

TEST(equal_or_missing_values_have_no_outliers)
{
    const double equal[] = {7, 7, 7};
    const double missing[] = {(double)NAN, (double)NAN};
    enum outlier_scale scale = OUTLIER_SCALE_MAD;
    assert_int_equal(count(equal, 3, OUTLIER_K, &scale), 0);
    assert_int_equal(scale, OUTLIER_SCALE_NONE);
    assert_int_equal(count(missing, 2, OUTLIER_K, NULL), 0);
    assert_int_equal(count(NULL, 0, OUTLIER_K, NULL), 0);
}

TEST_MAIN(T(hyperfines_own_cases), T(without_a_mad_the_mean_distance_serves),
          T(equal_or_missing_values_have_no_outliers))
