#include "stats/permutation.h"

#include "base/rng.h"
#include "stats/proportion.h"
#include "stats/rank.h"
#include "tests/test.h"

TEST(all_splits_of_a_small_problem)
{
    struct arena a = arena_open();
    const double x[] = {1, 2, 3};
    const double y[] = {4, 5, 6};
    struct permutation t = permutation_test(a, x, 3, y, 3, 0, 0);
    assert_true(t.is_exact);
    assert_int_equal(t.splits, 20);
    assert_close(t.p, 2.0 / 20, 1e-15);
    assert_close(permutation_test(a, x, 3, x, 3, 0, 0).p, 1, 1e-15);
    arena_close(&a);
}

/* Without ties the split of ranks is the rank-sum test. */
TEST(on_ranks_it_is_mann_whitney)
{
    struct arena a = arena_open();
    const double x[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91};
    const double y[] = {1.15, 0.88, 0.90, 0.74, 1.21};
    double all[12];
    double ranks[12];
    memcpy(all, x, sizeof x);
    memcpy(all + 7, y, sizeof y);
    (void)rank_midranks(a, all, 12, ranks);
    double expected = rank_mann_whitney(a, x, 7, y, 5, RANK_TWO_SIDED, RANK_EXACT).p;
    assert_close(permutation_test(a, ranks, 7, ranks + 7, 5, 0, 0).p, expected, 1e-13);
    arena_close(&a);
}

TEST(a_sample_of_splits_is_seeded_and_near)
{
    struct arena a = arena_open();
    struct rng r = rng_seeded(5);
    double x[20];
    double y[20];
    for (int i = 0; i < 20; i++) {
        x[i] = rng_normal(&r);
        y[i] = rng_normal(&r) + 0.5;
    }
    struct permutation one = permutation_test(a, x, 20, y, 20, 20000, 1);
    struct permutation same = permutation_test(a, x, 20, y, 20, 20000, 1);
    struct permutation other = permutation_test(a, x, 20, y, 20, 20000, 2);
    assert_false(one.is_exact);
    assert_true(one.p == same.p);
    assert_true(one.p != other.p);
    assert_close(one.p, other.p, 0.02);
    for (int i = 0; i < 20; i++) y[i] += 100;
    assert_close(permutation_test(a, x, 20, y, 20, 999, 1).p, 1.0 / 1000, 1e-15);
    arena_close(&a);
}

TEST(equal_values_and_empty_sides)
{
    struct arena a = arena_open();
    const double equal[] = {0.1, 0.1, 0.1, 0.1};
    assert_true(permutation_test(a, equal, 4, equal, 3, 100, 1).p == 1);
    assert_true(permutation_test(a, equal, 0, equal, 3, 100, 1).p == 1);
    arena_close(&a);
}

/* Of {1, 2, 3, -0.5}: |sum| 5.5 or more needs all signs alike, or all but the
 * smallest: 4 of 16 patterns. */
TEST(signs_of_paired_differences)
{
    const double d[] = {1, 2, 0, 3, -0.5};
    struct permutation p = permutation_signs(d, COUNT(d), 0, 0);
    assert_true(p.is_exact && p.splits == 16);
    assert_close(p.p, 4.0 / 16, 1e-15);
    double ones[16];
    for (int i = 0; i < 16; i++) ones[i] = i < 13 ? 1 : -1;
    assert_close(permutation_signs(ones, 16, 0, 0).p, proportion_mcnemar(3, 13), 1e-12);
    double many[40];
    for (int i = 0; i < 40; i++) many[i] = i < 28 ? 1 : -1;
    struct permutation drawn = permutation_signs(many, 40, 20000, 1);
    assert_false(drawn.is_exact);
    assert_close(drawn.p, proportion_mcnemar(12, 28), 0.004);
    const double none[] = {0, 0};
    assert_true(permutation_signs(none, 2, 100, 1).p == 1);
    assert_true(permutation_signs(none, 0, 100, 1).p == 1);
}

TEST_MAIN(T(signs_of_paired_differences), T(all_splits_of_a_small_problem),
          T(on_ranks_it_is_mann_whitney), T(a_sample_of_splits_is_seeded_and_near),
          T(equal_values_and_empty_sides))
