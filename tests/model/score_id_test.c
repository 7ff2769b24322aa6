#include "model/score_id.h"
#include "tests/test.h"

#include <math.h>
#include <stdbool.h>

static const double weights[SCORE_COUNT] = {0.30, 0.20, 0.20, 0.15, 0.15};

TEST(the_overall_renormalises_over_what_is_there)
{
    const double full[SCORE_COUNT] = {0.7, 0.6, 0.5, 0.5, 1.0};
    assert_close(scores_overall(full, weights, SCORES_ALL), 0.655, 1e-12);
    const double lacking[SCORE_COUNT] = {NAN, 0.2, 0.2, 0.2, 0.2};
    assert_int_equal(scores_present(lacking), SCORES_ALL & ~1u);
    assert_close(scores_overall(lacking, weights, SCORES_ALL), 0.2, 1e-12);
    /* Over what both have: not accuracy. */
    assert_close(scores_overall(full, weights, scores_present(lacking)),
                 (0.12 + 0.1 + 0.075 + 0.15) / 0.7, 1e-12);
}

TEST(nothing_to_weigh_gives_no_overall)
{
    const double none[SCORE_COUNT] = {NAN, NAN, NAN, NAN, NAN};
    const double free_of[SCORE_COUNT] = {0, 1, 1, 1, 1};
    const double only[SCORE_COUNT] = {0.5, NAN, NAN, NAN, NAN};
    assert_true(isnan(scores_overall(none, weights, SCORES_ALL)));
    assert_true(isnan(scores_overall(only, free_of, SCORES_ALL)));
    assert_true(isnan(scores_overall(only, weights, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(the_overall_renormalises_over_what_is_there),
        T(nothing_to_weigh_gives_no_overall),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
