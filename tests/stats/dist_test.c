#include "stats/dist.h"

#include "tests/test.h"

TEST(values_of_r)
{
    assert_close(dist_normal_quantile(0.85), 1.0364333894937896, 1e-15);
    assert_close(dist_normal_cdf(1.96), 0.97500210485177952, 1e-15);
    assert_close(dist_normal_upper(10) / 7.6198530241605269e-24, 1, 1e-12);
    assert_close(dist_t_quantile(0.975, 10), 2.2281388519862739, 1e-13);
    assert_close(dist_t_two_sided(-2, 5), 0.10193947882985828, 1e-13);
    assert_close(dist_beta_quantile(0.579825, 2, 5), 0.3, 1e-12);
    assert_close(dist_binomial_cdf(2, 12, 0.5), 79.0 / 4096, 1e-14);
    assert_close(dist_binomial_upper(9, 12, 0.5), 79.0 / 4096, 1e-14);
}

TEST(inverses)
{
    for (double p = 0.01; p < 1; p += 0.07) {
        assert_close(dist_normal_cdf(dist_normal_quantile(p)), p, 1e-12);
        assert_close(1 - dist_t_upper(dist_t_quantile(p, 3.5), 3.5), p, 1e-11);
    }
}

/* Standard output is the program's answer; Rmath must not get a word in. */
TEST(outside_the_domain_is_nan_without_a_word)
{
    assert_true(isnan(dist_normal_quantile(-0.1)));
    assert_true(isnan(dist_normal_quantile((double)NAN)));
    assert_true(isnan(dist_t_upper(1, 0)));
    assert_true(isnan(dist_t_upper(1, (double)NAN)));
    assert_true(isnan(dist_t_quantile(2, 5)));
    assert_true(isnan(dist_beta_quantile(0.5, 1, -1)));
    assert_true(isnan(dist_binomial_cdf(1, 2.5, 0.5)));
    assert_true(isnan(dist_binomial_upper(1, 2, 1.5)));
    assert_true(dist_t_two_sided((double)INFINITY, 4) == 0);
}

TEST_MAIN(T(values_of_r), T(inverses), T(outside_the_domain_is_nan_without_a_word))
