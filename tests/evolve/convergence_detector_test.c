#include "evolve/convergence_detector.h"
#include "tests/test.h"

static enum convergence_reason check(enum convergence_rule rule, const double *h, size_t n)
{
    struct convergence_detector d = {rule, 0.3, 400};
    return convergence_check(&d, h, n);
}

TEST(the_design_waits_ten_iterations_and_knows_an_excellent_score)
{
    double h[12] = {0};
    for (size_t i = 0; i < COUNT(h); i++) h[i] = 0.3 + 0.052 * (double)i;
    assert_int_equal(check(CONVERGENCE_DESIGN, h, 9), CONVERGENCE_NOT_YET);
    assert_int_equal(check(CONVERGENCE_DESIGN, h, 11), CONVERGENCE_NOT_YET);   /* 0.820 */
    assert_int_equal(check(CONVERGENCE_DESIGN, h, 12), CONVERGENCE_EXCELLENT); /* 0.872 */
    struct convergence_detector hard = {CONVERGENCE_DESIGN, 0.8, 400};         /* wants 0.89 */
    assert_int_equal(convergence_check(&hard, h, 12), CONVERGENCE_NOT_YET);
}

TEST(the_design_stops_a_search_that_starts_fast_at_ten)
{
    double h[12];
    for (size_t i = 0; i < COUNT(h); i++)
        h[i] = i < 5 ? 0.1 * (double)i : 0.4 + 0.004 * (double)i;
    assert_int_equal(check(CONVERGENCE_DESIGN, h, 10), CONVERGENCE_SLOWED);
    for (size_t i = 5; i < COUNT(h); i++) h[i] = 0.4;
    assert_int_equal(check(CONVERGENCE_DESIGN, h, 10), CONVERGENCE_FLAT);
}

TEST(a_plateau_is_ten_iterations_without_a_hundredth)
{
    double h[20];
    for (size_t i = 0; i < COUNT(h); i++) h[i] = 0.5;
    assert_int_equal(check(CONVERGENCE_PLATEAU, h, 10), CONVERGENCE_NOT_YET);
    assert_int_equal(check(CONVERGENCE_PLATEAU, h, 11), CONVERGENCE_FLAT);
    for (size_t i = 8; i < COUNT(h); i++) h[i] = 0.511;
    assert_int_equal(check(CONVERGENCE_PLATEAU, h, 11), CONVERGENCE_NOT_YET);
    assert_int_equal(check(CONVERGENCE_PLATEAU, h, 19), CONVERGENCE_FLAT);
}

TEST(patience_grows_with_the_time_the_last_improvement_took)
{
    double h[400];
    for (size_t i = 0; i < COUNT(h); i++) h[i] = i < 150 ? 0.89 : 0.92;
    assert_int_equal(check(CONVERGENCE_PATIENT, h, 121), CONVERGENCE_NOT_YET);
    assert_int_equal(check(CONVERGENCE_PATIENT, h, 122), CONVERGENCE_FLAT); /* 70 + 51 */
    assert_int_equal(check(CONVERGENCE_PATIENT, h, 301), CONVERGENCE_NOT_YET);
    assert_int_equal(check(CONVERGENCE_PATIENT, h, 302), CONVERGENCE_FLAT);
}

TEST(a_low_score_is_not_waited_for)
{
    double h[390];
    for (size_t i = 0; i < COUNT(h); i++) h[i] = 0.889;
    for (size_t n = 1; n <= COUNT(h); n++)
        assert_int_equal(check(CONVERGENCE_PATIENT, h, n), CONVERGENCE_NOT_YET);
}

TEST(no_rule_stops_a_search_without_scores_before_its_cap)
{
    double h[300];
    for (size_t i = 0; i < COUNT(h); i++) h[i] = NAN;
    for (int rule = 0; rule < CONVERGENCE_RULE_COUNT; rule++) {
        for (size_t n = 1; n <= COUNT(h); n++)
            assert_int_equal(check((enum convergence_rule)rule, h, n), CONVERGENCE_NOT_YET);
    }
}

TEST(small_steps_count_once_they_add_up)
{
    double h[300];
    for (size_t i = 0; i < COUNT(h); i++) h[i] = 0.9 + 0.0005 * (double)i;
    for (size_t n = 1; n <= COUNT(h); n++)
        assert_int_equal(check(CONVERGENCE_PATIENT, h, n), CONVERGENCE_NOT_YET);
}

TEST(the_cap_ends_every_rule)
{
    double h[5] = {0.1, 0.2, 0.3, 0.4, 0.5};
    for (int rule = 0; rule < CONVERGENCE_RULE_COUNT; rule++) {
        struct convergence_detector d = {(enum convergence_rule)rule, 0.5, 5};
        assert_int_equal(convergence_check(&d, h, 4), CONVERGENCE_NOT_YET);
        assert_int_equal(convergence_check(&d, h, 5), CONVERGENCE_CAP);
    }
}

/* Whatever came after that: else the share of false stops would be that of the cap. */
TEST(a_stop_is_false_if_more_than_two_percent_came_until_twice_its_iteration)
{
    double h[8] = {0.5, 0.5, 0.51, 0.5101, 0.6, 0.6, 0.6, 0.6};
    assert_true(convergence_is_false(h, 2, 4));
    h[3] = 0.51; /* exactly 2 % */
    assert_false(convergence_is_false(h, 2, 4));
    assert_true(convergence_is_false(h, 3, 6));
    assert_true(convergence_is_known(8, 4));
    assert_false(convergence_is_known(8, 5));
    assert_false(convergence_is_known(8, 0)); /* no stop */
}

TEST_MAIN(T(the_design_waits_ten_iterations_and_knows_an_excellent_score),
          T(the_design_stops_a_search_that_starts_fast_at_ten),
          T(a_plateau_is_ten_iterations_without_a_hundredth),
          T(patience_grows_with_the_time_the_last_improvement_took),
          T(a_low_score_is_not_waited_for),
          T(no_rule_stops_a_search_without_scores_before_its_cap),
          T(small_steps_count_once_they_add_up), T(the_cap_ends_every_rule),
          T(a_stop_is_false_if_more_than_two_percent_came_until_twice_its_iteration))
