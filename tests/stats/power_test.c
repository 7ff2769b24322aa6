#include "stats/power.h"

#include "base/rng.h"
#include "tests/test.h"

TEST(effects_and_sizes_are_the_known_ones)
{
    struct power p = {.sigma = 1};
    assert_close(power_effect(&p, 2), 2.8015852, 1e-7); /* the sum of quantiles */
    assert_close(power_effect(&p, 10), 1.253, 1e-3);
    assert_close(power_effect(&p, 30), 0.723, 1e-3);
    assert_close(power_needed(&p, 0.5), 62.8, 1e-3);
    assert_close(power_needed_student(&p, 0.5), 64, 0);
    assert_true(isinf(power_needed(&p, 0)));
    assert_true(isnan(power_effect(&p, 0)));
}

TEST(ranks_cost_a_little_and_pairs_save)
{
    struct power p = {.sigma = 2};
    double plain = power_effect(&p, 20);
    p.is_rank_test = true;
    assert_close(power_effect(&p, 20), plain / sqrt(3 / M_PI), 1e-12);
    p.is_rank_test = false;
    p.is_paired = true;
    p.correlation = 0.75;
    assert_close(power_effect(&p, 20), plain / 2, 1e-12);
    p.alpha = 0.01;
    assert_true(power_effect(&p, 20) > plain / 2);
}

/* One-way ANOVA by hand: session means 2, 4, 9; within 2/3 a degree. */
TEST(noise_is_split_between_and_within_sessions)
{
    static const double v[] = {1, 2, 3, 3, 4, 5, 8, 9, 10};
    static const size_t ends[] = {3, 6, 9};
    struct power_noise n = power_noise(v, ends, 3);
    assert_close(n.mean, 5, 1e-12);
    assert_close(n.sd_within, 1, 1e-12);
    assert_close(n.sd_between, sqrt((39 - 1) / 3.0), 1e-12);

    static const double equal[] = {1, 3, 1, 3};
    static const size_t two[] = {2, 4};
    assert_close(power_noise(equal, two, 2).sd_between, 0, 0);
    assert_true(isnan(power_noise(equal, two, 1).sd_between));
}

TEST_MAIN(T(effects_and_sizes_are_the_known_ones), T(ranks_cost_a_little_and_pairs_save),
          T(noise_is_split_between_and_within_sessions))
