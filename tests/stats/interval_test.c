#include "stats/interval.h"

#include "tests/test.h"

static double ramp[2000];

static void fill(void)
{
    for (size_t i = 0; i < COUNT(ramp); i++) ramp[i] = (double)i;
}

TEST(ranks_of_the_median_at_95_percent)
{
    static const struct {
        size_t n;
        double low, high;
    } known[] = {{10, 1, 8}, {12, 2, 9}, {20, 5, 14}, {52, 18, 33}, {6, 0, 5}};
    fill();
    for (size_t i = 0; i < COUNT(known); i++) {
        struct interval got;
        assert_true(interval_median(ramp, known[i].n, 0.95, &got));
        assert_true(got.low == known[i].low);
        assert_true(got.high == known[i].high);
        assert_true(got.confidence >= 0.95 && got.confidence < 1);
    }
}

TEST(small_samples_have_no_interval_and_say_so)
{
    fill();
    for (size_t n = 0; n <= 5; n++) {
        struct error err = {0};
        struct interval got;
        assert_false(interval_quantile(ramp, n, 0.5, 0.95, &got, &err));
        assert_int_equal(err.code, ERROR_INVALID);
        assert_non_null(strstr(err.text, "at least 6"));
    }
    struct error err = {0};
    struct interval got;
    assert_false(interval_quantile(ramp, 300, 0.99, 0.95, &got, &err));
    assert_non_null(strstr(err.text, "at least 368"));
    assert_false(interval_quantile(ramp, 367, 0.99, 0.95, &got, &err));
    assert_true(interval_quantile(ramp, 368, 0.99, 0.95, &got, &err));
}

/* R: qbinom(c(.025, .975), 1000, .9) = 881, 918. */
TEST(ranks_of_another_quantile)
{
    fill();
    struct interval got;
    assert_true(interval_quantile(ramp, 1000, 0.9, 0.95, &got, NULL));
    assert_true(got.low == 880);
    assert_true(got.high == 918);
    struct interval mirrored;
    assert_true(interval_quantile(ramp, 1000, 0.1, 0.95, &mirrored, NULL));
    assert_true(mirrored.low == 999 - got.high);
    assert_true(mirrored.high == 999 - got.low);
}

/* Where a binomial tail meets the limit exactly the pair may be used: at n = 1,
 * P(B < 1) = 1/2 for the median. */
TEST(a_tail_equal_to_the_limit_counts)
{
    const double pair[] = {1, 2};
    struct interval got;
    assert_true(interval_median(pair, 2, 0.5, &got));
    assert_true(got.low == 1 && got.high == 2);
    assert_close(got.confidence, 0.5, 1e-15);
}

TEST_MAIN(T(ranks_of_the_median_at_95_percent), T(small_samples_have_no_interval_and_say_so),
          T(ranks_of_another_quantile), T(a_tail_equal_to_the_limit_counts))
