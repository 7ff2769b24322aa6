/* Expected values: R 4.2, t.test(b, a, var.equal = TRUE). */
#include "stats/dist.h"
#include "stats/runs.h"
#include "tests/test.h"

#include <math.h>

TEST(several_runs_a_side)
{
    static const double a[] = {1, 2, 3};
    static const double b[] = {1.1, 2.9, 4.2, 5.5};
    struct runs_difference r = runs_compare(a, 3, b, 4);
    assert_close(r.d, 1.425, 1e-12);
    assert_close(r.df, 5, 0);
    assert_close(r.d / r.se, 1.17590362111, 1e-10);
    assert_close(dist_t_two_sided(r.d / r.se, r.df), 0.292568847189, 1e-10);
}

TEST(one_run_against_several_is_the_prediction_interval)
{
    static const double a[] = {0.98, 1.0, 1.02, 1.04};
    static const double b[] = {1.2};
    struct runs_difference r = runs_compare(a, 4, b, 1);
    double sd = sqrt(0.002 / 3);
    assert_close(r.sd, sd, 1e-12);
    assert_close(r.se, sd * sqrt(1 + 1.0 / 4), 1e-12);
    assert_close(r.df, 3, 0);
}

TEST(both_in_the_same_runs)
{
    static const double a[] = {1, 2, 3};
    static const double b[] = {1.1, 2.9, 4.2}; /* t.test(b, a, paired = TRUE) */
    struct runs_difference r = runs_compare_pairs(a, b, 3);
    assert_close(r.d / r.se, 2.23376156329, 1e-10);
    assert_close(r.df, 2, 0);
    assert_close(dist_t_two_sided(r.d / r.se, r.df), 0.155095090093, 1e-10);
    assert_true(isnan(runs_compare_pairs(a, b, 1).se));
}

TEST(too_few_runs_know_no_noise)
{
    static const double a[] = {1, 1};
    struct runs_difference r = runs_compare(a, 1, a, 1);
    assert_close(r.d, 0, 0);
    assert_true(isnan(r.se) && isnan(r.sd));
    r = runs_compare(a, 0, a, 2);
    assert_true(isnan(r.d) && isnan(r.se));
    r = runs_compare(a, 2, a, 1); /* no noise seen */
    assert_close(r.se, 0, 0);
}

TEST_MAIN(T(several_runs_a_side), T(one_run_against_several_is_the_prediction_interval),
          T(both_in_the_same_runs), T(too_few_runs_know_no_noise))
