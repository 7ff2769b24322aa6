#include "stats/sequential.h"

#include "base/rng.h"
#include "stats/dist.h"
#include "tests/test.h"

TEST(the_looks_spend_alpha_and_no_more)
{
    for (int spending = 0; spending <= SEQUENTIAL_POCOCK; spending++) {
        struct sequential s = {0.05, (enum sequential_spending)spending, 100, 0};
        double sum = 0;
        for (size_t n = 10; n <= 100; n += 10) sum += sequential_level(&s, n);
        assert_close(sum, 0.05, 1e-12);
        assert_close(sequential_level(&s, 100), 0, 1e-12);
        assert_close(sequential_level(&s, 200), 0, 1e-12);
    }
}

/* 2 (1 - Phi(1.96 sqrt 2)) and 0.05 ln(1 + (e - 1) / 2). */
TEST(half_way_spending_is_by_the_formula)
{
    struct sequential s = {.alpha = 0.05, .budget = 2};
    assert_close(sequential_level(&s, 1), 0.00557, 1e-4);
    s = (struct sequential){.alpha = 0.05, .spending = SEQUENTIAL_POCOCK, .budget = 2};
    assert_close(sequential_level(&s, 1), 0.0310, 1e-4);
}

/* Two arms of unit noise; a z interval of the difference of means at each look. */
static enum sequential_state run(double shift, double margin, uint64_t seed, size_t *used)
{
    struct rng r = rng_seeded(rng_derive(9, seed, 0));
    struct sequential s = {.alpha = 0.05, .spending = SEQUENTIAL_POCOCK, .budget = 160};
    double sum = 0;
    size_t n = 0;
    size_t until = 10;
    for (;;) {
        for (; n < until; n++) sum += shift + rng_normal(&r) - rng_normal(&r);
        double level = sequential_level(&s, n);
        double effect = sum / (double)n;
        double se = sqrt(2 / (double)n);
        double wide = dist_normal_quantile(1 - level / 2) * se;
        double narrow = dist_normal_quantile(1 - level) * se;
        struct sequential_look look = {.effect = effect,
                                       .different = {effect - wide, effect + wide},
                                       .equivalent = {effect - narrow, effect + narrow},
                                       .margin = margin};
        enum sequential_state state = sequential_decide(&s, n, &look);
        *used = n;
        if (state != SEQUENTIAL_CONTINUE) return state;
        until = sequential_next(&s, n);
    }
}

TEST(errors_stay_below_alpha_over_all_looks)
{
    enum { RUNS = 2000 };
    int false_different = 0;
    int false_equivalent = 0;
    size_t used;
    for (uint64_t k = 0; k < RUNS; k++) {
        false_different += run(0, 0, k, &used) == SEQUENTIAL_DIFFERENT;
        false_equivalent += run(0.6, 0.6, k, &used) == SEQUENTIAL_EQUIVALENT;
    }
    assert_true(false_different <= 0.05 * RUNS + 3 * sqrt(0.05 * 0.95 * RUNS));
    assert_true(false_equivalent <= 0.05 * RUNS + 3 * sqrt(0.05 * 0.95 * RUNS));
    assert_true(false_different > 0); /* a rule that never speaks would pass too */
}

TEST(clear_cases_end_early_and_right)
{
    enum { RUNS = 300 };
    int different = 0;
    int equivalent = 0;
    double values = 0;
    size_t used;
    for (uint64_t k = 0; k < RUNS; k++) {
        different += run(2, 0.5, k, &used) == SEQUENTIAL_DIFFERENT;
        values += (double)used / RUNS;
        equivalent += run(0, 0.6, k, &used) == SEQUENTIAL_EQUIVALENT;
    }
    assert_true(different == RUNS);
    assert_true(values < 25);
    assert_true(equivalent > 0.95 * RUNS);
}

TEST(no_interval_decides_nothing)
{
    struct sequential s = {.alpha = 0.05, .budget = 40};
    struct sequential_look look = {1, {NAN, NAN}, {NAN, NAN}, 0.1, 0};
    assert_int_equal(sequential_decide(&s, 10, &look), SEQUENTIAL_CONTINUE);
    assert_int_equal(sequential_decide(&s, 40, &look), SEQUENTIAL_UNDECIDED);
    look = (struct sequential_look){0.01, {0.005, 0.015}, {0.006, 0.014}, 0, 0.02};
    assert_int_equal(sequential_decide(&s, 40, &look), SEQUENTIAL_UNDECIDED); /* too small */
    assert_int_equal(sequential_next(&s, 15), 30);
    assert_int_equal(sequential_next(&s, 30), 40);
}

/* Crosses 1 / alpha under no difference in at most alpha of the runs, however
 * long one looks. */
TEST(mixture_ratio_is_always_valid)
{
    assert_close(sequential_mixture_ratio(0, 0, 1, 1), 1, 0);
    int crossed = 0;
    for (uint64_t k = 0; k < 500; k++) {
        struct rng r = rng_seeded(rng_derive(10, k, 0));
        double sum = 0;
        for (int n = 1; n <= 400; n++) {
            sum += rng_normal(&r);
            if (sequential_mixture_ratio(n, sum / n, 1, 0.25) >= 20) {
                crossed++;
                break;
            }
        }
    }
    assert_true(crossed <= 500 * 0.05);
}

TEST_MAIN(T(the_looks_spend_alpha_and_no_more), T(half_way_spending_is_by_the_formula),
          T(errors_stay_below_alpha_over_all_looks), T(clear_cases_end_early_and_right),
          T(no_interval_decides_nothing), T(mixture_ratio_is_always_valid))
