#include "stats/adjust.h"

#include "tests/test.h"

static const double ten[] = {
    5.23656777208e-5, 0.00028140506198, 0.0149877310796, 0.0202732688798, 0.177096952723,
    0.642193923795,   0.680845947633,   0.71626938238,   0.838541367553,  0.967833824309};

TEST(steps_that_are_all_decided_are_those_of_r) /* p.adjust(ten, "holm") */
{
    const double holm[] = {
        5.23656777208e-4, 2.53264555782e-3, 0.119901848637, 0.141912882159, 1, 1, 1, 1, 1, 1};
    struct holm steps = holm_begin(10);
    for (size_t i = 0; i < 10; i++)
        assert_close(holm_step(&steps, ten[i], true), holm[i], 1e-12);
}

TEST(what_is_not_decided_leaves_no_test_fewer)
{
    struct holm steps = holm_begin(10);
    size_t decided = 0;
    double before = 0;
    for (size_t i = 0; i < 10; i++) {
        double level = holm_level(&steps, ten[i], 0.05);
        double adjusted = holm_step(&steps, ten[i], ten[i] < level);
        assert_int_equal(ten[i] < level, adjusted < 0.05);
        assert_true(adjusted >= before);
        before = adjusted;
        decided += adjusted < 0.05;
    }
    assert_int_equal(decided, 2); /* as R's adjusted p say */
}

/* 13 cells of nine pairs each, whose least p is 1/256: at alpha / 13 one has none below, and the
 * next one's interval at that level leaves 0 out. */
TEST(what_is_decided_after_what_is_not_has_an_adjusted_p_below_alpha)
{
    struct holm steps = holm_begin(13);
    double first = holm_step(&steps, 1.0 / 256, false);
    double next = holm_step(&steps, 0.00035, true);
    assert_true(first >= 0.05);
    assert_close(next, 13 * 0.00035, 1e-15);
    assert_true(holm_step(&steps, 1.0 / 256, true) < 0.05);
}

/* Cells come in another order of a run than of an agent. */
TEST(equal_p_share_a_level_and_what_comes_after_has_fewer_tests)
{
    const double p[] = {0.001, 0.001, 0.001, 0.002};
    struct holm steps = holm_begin(4);
    for (size_t i = 0; i < 3; i++) {
        assert_close(holm_level(&steps, p[i], 0.05), 0.05 / 4, 1e-15);
        assert_close(holm_step(&steps, p[i], true), 0.004, 1e-15);
    }
    assert_close(holm_level(&steps, p[3], 0.05), 0.05, 1e-15);
    assert_close(holm_step(&steps, p[3], true), 0.004, 1e-15);
}

TEST_MAIN(T(equal_p_share_a_level_and_what_comes_after_has_fewer_tests),
          T(what_is_decided_after_what_is_not_has_an_adjusted_p_below_alpha),
          T(steps_that_are_all_decided_are_those_of_r),
          T(what_is_not_decided_leaves_no_test_fewer))
