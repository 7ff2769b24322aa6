/* What trials that we spoiled say of an agent: nothing, in any metric. */
#include "tests/arena.h"
#include "view/units.h"

#include <math.h>

enum { TRIALS = 3 };

/* One case in three passes, the last of them ours. */
static struct units units_after(struct view_metric *m)
{
    static const uint8_t statuses[TRIALS] = {TRIAL_OK, TRIAL_FAILED, TRIAL_HARNESS_ERROR};
    struct trial_note *notes = arena_new(&arena, struct trial_note, TRIALS);
    for (int i = 0; i < TRIALS; i++)
        notes[i] = (struct trial_note){.trial = i,
                                       .phase = PHASE_MEASURED,
                                       .status = (enum trial_status)statuses[i],
                                       .case_hash = "one"};
    const struct view_cell cell = {.trial_count = TRIALS,
                                   .statuses = statuses,
                                   .notes = notes,
                                   .note_count = TRIALS,
                                   .metrics = m,
                                   .metric_count = 1};
    m->count = TRIALS;
    return units_of(&cell, m, &arena);
}

/* The cost score leaves the last one out (score/score_cases.c), so whoever compares does. */
TEST(what_a_spoiled_trial_used_is_in_no_metric)
{
    static const double samples[TRIALS] = {0.01, 0.01, 0.05};
    static const enum kind kinds[] = {KIND_SUM, KIND_RATIO};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct view_metric m = {.name = "used",
                                .unit = "USD",
                                .definition = "used/1",
                                .kind = kinds[i],
                                .samples = samples,
                                .n = TRIALS};
        struct units u = units_after(&m);
        assert_int_equal(u.count, 1);
        assert_close(u.values[0], 0.01, 1e-15);
        assert_null(u.ends[0]); /* it is no outcome: nothing is open */
    }
}

TEST(what_a_spoiled_trial_answered_is_open)
{
    static const double samples[TRIALS] = {1, (double)NAN, 1};
    struct view_metric m = {.name = "accuracy",
                            .unit = "1",
                            .definition = "rubric_score/1",
                            .kind = KIND_SHARE,
                            .samples = samples,
                            .n = 2};
    struct units u = units_after(&m);
    assert_close(u.values[0], 0.5, 1e-15);
    assert_close(u.ends[0][0], 1.0 / 3, 1e-15);
    assert_close(u.ends[1][0], 2.0 / 3, 1e-15);
}

#define WITH_ARENA(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)

TEST_MAIN(WITH_ARENA(what_a_spoiled_trial_used_is_in_no_metric),
          WITH_ARENA(what_a_spoiled_trial_answered_is_open))
