#include "stats/proportion.h"

#include "tests/test.h"

TEST(wilson)
{
    struct proportion p = proportion_wilson(8, 10, 0.95);
    assert_close(p.estimate, 0.8, 1e-15);
    assert_close(p.low, 0.49016, 1e-5);
    assert_close(p.high, 0.94332, 1e-5);
    p = proportion_wilson(0, 10, 0.95);
    assert_true(p.low == 0);
    assert_close(p.high, 0.27753, 1e-5);
    p = proportion_wilson(84, 200, 0.95);
    assert_close(p.low, 0.35374, 1e-5);
    assert_close(p.high, 0.48928, 1e-5);
    assert_true(proportion_wilson(7, 7, 0.95).high == 1);
    assert_true(isnan(proportion_wilson(0, 0, 0.95).low));
}

TEST(mcnemar)
{
    assert_close(proportion_mcnemar(10, 2), 0.0385742, 1e-7);
    assert_close(proportion_mcnemar(2, 10), 158.0 / 4096, 1e-14);
    assert_true(proportion_mcnemar(0, 0) == 1);
    assert_true(proportion_mcnemar(3, 3) == 1);
}

TEST(pass_k)
{
    assert_close(proportion_pass_at_k(10, 3, 1), 0.3, 1e-15);
    assert_close(proportion_pass_at_k(10, 3, 2), 1 - 21.0 / 45, 1e-15);
    assert_close(proportion_pass_all_k(10, 3, 2), 3.0 / 45, 1e-15);
    assert_true(proportion_pass_at_k(10, 9, 2) == 1);
    assert_true(proportion_pass_all_k(10, 1, 2) == 0);
    assert_true(proportion_pass_at_k(5, 0, 5) == 0);
    assert_true(proportion_pass_all_k(5, 5, 5) == 1);
    assert_true(isnan(proportion_pass_at_k(3, 1, 4)));
    assert_true(isnan(proportion_pass_all_k(3, 4, 2)));
}

/* The mean over samples is what the task's own chance gives: no bias. */
TEST(pass_k_is_unbiased)
{
    double mean_at = 0;
    double mean_all = 0;
    for (int c = 0; c <= 6; c++) {
        double ways = tgamma(7) / tgamma(c + 1) / tgamma(7 - c);
        double weight = ways * pow(0.3, c) * pow(0.7, 6 - c);
        mean_at += weight * proportion_pass_at_k(6, c, 3);
        mean_all += weight * proportion_pass_all_k(6, c, 3);
    }
    assert_close(mean_at, 1 - pow(0.7, 3), 1e-12);
    assert_close(mean_all, pow(0.3, 3), 1e-12);
}

TEST(no_success_bounds_the_rate)
{
    assert_close(proportion_upper_if_none(10, 0.95), 0.25886555089, 1e-9);
    assert_true(proportion_upper_if_none(0, 0.95) == 1);
}

TEST_MAIN(T(wilson), T(mcnemar), T(pass_k), T(pass_k_is_unbiased),
          T(no_success_bounds_the_rate))
