#include "stats/quantile.h"

#include "tests/test.h"

static const double twelve[] = {-2.47946614, -1.49595963, -1.02812482, -0.76592323,
                                -0.09452743, 0.10732743,  0.27798342,  0.50173779,
                                0.57829823,  0.60474948,  0.94695675,  1.20159789};

TEST(type_7_as_r_gives_it)
{
    assert_close(quantile_of(twelve, 12, 0.2), -0.975684502, 1e-12);
    assert_close(quantile_of(twelve, 12, 0.5), 0.192655425, 1e-12);
    assert_close(quantile_of(twelve, 12, 0.8), 0.59945923, 1e-12);
    assert_true(quantile_of(twelve, 12, 0) == twelve[0]);
    assert_true(quantile_of(twelve, 12, 1) == twelve[11]);
    assert_close(quantile_median(twelve, 12), 0.192655425, 1e-12);
}

TEST(extremes_do_not_overflow)
{
    const double wide[] = {-1.7e308, 1.7e308};
    assert_close(quantile_of(wide, 2, 0.5), 0, 1e-15);
    assert_close(quantile_median(wide, 2), 0, 1e-15);
    const double infinite[] = {1, (double)INFINITY, (double)INFINITY};
    assert_true(isinf(quantile_of(infinite, 3, 0.9)));
}

TEST(sorting_drops_nan_and_leaves_the_input_alone)
{
    struct arena a = arena_open();
    const double mixed[] = {3, (double)NAN, 1, 2, (double)NAN};
    size_t kept = 0;
    const double *sorted = stats_sort(&a, mixed, 5, &kept);
    assert_int_equal(kept, 3);
    assert_true(sorted[0] == 1 && sorted[1] == 2 && sorted[2] == 3);
    assert_true(mixed[0] == 3);
    assert_true(stats_median(a, mixed, sizeof mixed / sizeof *mixed) == 2);
    assert_true(isnan(stats_median(a, mixed, 0)));
    sorted = stats_sort(&a, mixed, 0, &kept);
    assert_non_null(sorted);
    assert_int_equal(kept, 0);
    arena_close(&a);
}

TEST(mad_of_known_samples)
{
    struct arena a = arena_open();
    const double odd[] = {1, 1, 2, 2, 4, 6, 9};
    assert_true(quantile_mad(a, odd, 7) == 1);
    const double even[] = {-0.2, 0, 0.2, 4};
    assert_close(quantile_mad(a, even, 4), 0.2, 1e-15);
    assert_true(isnan(quantile_mad(a, odd, 0)));
    arena_close(&a);
}

TEST(an_empty_sample_has_no_quantile)
{
    assert_true(isnan(quantile_of(NULL, 0, 0.5)));
    assert_true(isnan(quantile_median(NULL, 0)));
}

TEST_MAIN(T(type_7_as_r_gives_it), T(extremes_do_not_overflow),
          T(sorting_drops_nan_and_leaves_the_input_alone), T(mad_of_known_samples),
          T(an_empty_sample_has_no_quantile))
