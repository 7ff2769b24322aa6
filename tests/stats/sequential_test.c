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

/* Two arms of unit noise, no difference; a z interval of the means at each look. */
static bool is_told(enum sequential_spending spending, uint64_t seed)
{
    struct rng r = rng_seeded(rng_derive(9, seed, 0));
    struct sequential s = {.alpha = 0.05, .spending = spending, .budget = 160};
    double sum = 0;
    size_t n = 0;
    for (size_t until = 10; until <= s.budget; until *= 2) {
        for (; n < until; n++) sum += rng_normal(&r) - rng_normal(&r);
        double wide =
            dist_normal_quantile(1 - sequential_level(&s, n) / 2) * sqrt(2 / (double)n);
        if (fabs(sum / (double)n) > wide) return true;
    }
    return false;
}

TEST(errors_stay_below_alpha_over_all_looks)
{
    enum { RUNS = 2000 };
    for (int spending = 0; spending <= SEQUENTIAL_POCOCK; spending++) {
        int told = 0;
        for (uint64_t k = 0; k < RUNS; k++)
            told += is_told((enum sequential_spending)spending, k);
        assert_true(told <= 0.05 * RUNS + 3 * sqrt(0.05 * 0.95 * RUNS));
        assert_true(told > 0.01 * RUNS); /* a rule that never speaks would pass too */
    }
}

TEST_MAIN(T(the_looks_spend_alpha_and_no_more), T(half_way_spending_is_by_the_formula),
          T(errors_stay_below_alpha_over_all_looks))
