#include "stats/quantile.h"

#include "base/rng.h"
#include "tests/test.h"

#include <math.h>

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

/* Long samples are sorted in another way than short ones. */
TEST(sorting_is_the_same_at_every_length)
{
    static double values[3000], checked[3000];
    static const double odd[] = {0.0,    -0.0,    INFINITY, -INFINITY,
                                 5e-324, -5e-324, 1e308,    -1e308};
    struct rng r = rng_seeded(7);
    for (size_t n = 0; n <= COUNT(values); n += n < 300 ? 1 : 450) {
        for (size_t i = 0; i < n; i++) {
            uint64_t kind = rng_below(&r, 4);
            values[i] = kind == 0   ? odd[rng_below(&r, COUNT(odd))]
                        : kind == 1 ? (double)rng_below(&r, 5) - 2
                        : kind == 2 ? rng_normal(&r)
                                    : exp(40 * rng_normal(&r));
        }
        double sum = 0, sorted_sum = 0;
        memcpy(checked, values, sizeof values);
        stats_sort_inplace(values, n);
        for (size_t i = 1; i < n; i++) assert_true(values[i - 1] <= values[i]);
        for (size_t i = 0; i < n; i++) { /* the same values: each as often as before */
            sum += atan(checked[i]) * 0.5 + isinf(checked[i]);
            sorted_sum += atan(values[i]) * 0.5 + isinf(values[i]);
        }
        assert_close(sorted_sum, sum, 1e-9);
    }
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
          T(sorting_is_the_same_at_every_length),
          T(sorting_drops_nan_and_leaves_the_input_alone), T(mad_of_known_samples),
          T(an_empty_sample_has_no_quantile))
