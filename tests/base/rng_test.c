#include "base/rng.h"

#include "tests/test.h"

/* SplitMix64 from seed 0, and xoshiro256++ from the state 1, 2, 3, 4: the values
 * of the authors' reference code. */
TEST(the_reference_values_come_out)
{
    struct rng r = rng_seeded(0);
    assert_true(r.s[0] == 0xE220A8397B1DCDAFu && r.s[1] == 0x6E789E6AA1B965F4u);
    assert_true(r.s[2] == 0x06C45D188009454Fu && r.s[3] == 0xF88BB8A8724C81ECu);
    r = (struct rng){{1, 2, 3, 4}};
    static const uint64_t expected[] = {41943041u, 58720359u, 3588806011781223u,
                                        3591011842654386u, 9228616714210784205u};
    for (size_t i = 0; i < COUNT(expected); i++) assert_true(rng_next(&r) == expected[i]);
}

TEST(streams_differ_by_every_word)
{
    assert_true(rng_derive(1, 0, 0) != rng_derive(0, 1, 0));
    assert_true(rng_derive(0, 1, 0) != rng_derive(0, 0, 1));
    assert_true(rng_derive(7, 8, 9) == rng_derive(7, 8, 9));
}

/* Pearson's chi-squared over 10 cells; 27.9 is the 99.9 % point at 9 degrees. */
TEST(below_is_uniform)
{
    struct rng r = rng_seeded(42);
    double counts[10] = {0};
    for (int i = 0; i < 100000; i++) counts[rng_below(&r, 10)]++;
    double chi2 = 0;
    for (int i = 0; i < 10; i++) chi2 += (counts[i] - 1e4) * (counts[i] - 1e4) / 1e4;
    assert_true(chi2 < 27.9);
    assert_true(rng_below(&r, 1) == 0);
}

TEST(reals_stay_in_their_range_and_have_their_moments)
{
    struct rng r = rng_seeded(1);
    double uniform = 0, normal = 0, normal2 = 0, exponential = 0;
    enum { N = 100000 };
    for (int i = 0; i < N; i++) {
        double u = rng_real(&r);
        assert_true(u >= 0 && u < 1);
        uniform += u;
        double z = rng_normal(&r);
        normal += z;
        normal2 += z * z;
        double e = rng_exponential(&r);
        assert_true(e >= 0 && isfinite(e));
        exponential += e;
    }
    assert_close(uniform / N, 0.5, 0.005);
    assert_close(normal / N, 0, 0.015);
    assert_close(normal2 / N, 1, 0.02);
    assert_close(exponential / N, 1, 0.015);
}

TEST(a_permutation_has_everything_once)
{
    struct rng r = rng_seeded(3);
    uint32_t order[100];
    rng_permutation(&r, order, COUNT(order));
    bool seen[100] = {false};
    size_t moved = 0;
    for (size_t i = 0; i < COUNT(order); i++) {
        assert_true(order[i] < 100 && !seen[order[i]]);
        seen[order[i]] = true;
        moved += order[i] != i;
    }
    assert_true(moved > 80);
}

TEST_MAIN(T(the_reference_values_come_out), T(streams_differ_by_every_word),
          T(below_is_uniform), T(reals_stay_in_their_range_and_have_their_moments),
          T(a_permutation_has_everything_once))
