/* What trials that we spoiled say of an agent: nothing, in any metric. And what those that
 * succeed without saying what they cost leave open. */
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

/* ---- successes that do not report ---- */

enum { MANY = 30 };

static struct units_level bound_of(struct view_metric m, size_t reporting)
{
    static const uint8_t statuses[MANY] = {0};
    double *samples = arena_new(&arena, double, MANY);
    for (size_t i = 0; i < MANY; i++) samples[i] = i < reporting ? 0.1 : (double)NAN;
    m.samples = samples;
    m.count = MANY;
    m.n = reporting;
    const struct view_cell cell = {
        .trial_count = MANY, .statuses = statuses, .metrics = &m, .metric_count = 1};
    return units_bound(&cell, &m, 0.05, arena);
}

/* The others may have cost anything, but not less than nothing. */
TEST(who_does_not_report_a_cost_may_have_had_any)
{
    static const struct view_metric owed[] = {
        {.name = "cost_usd", .unit = "USD", .definition = "cost/1", .kind = KIND_SUM},
        {.name = "tokens", .unit = "1", .definition = "tokens/1", .kind = KIND_RATIO}};
    for (size_t i = 0; i < COUNT(owed); i++) {
        struct units_level few = bound_of(owed[i], 6);
        assert_int_equal(few.n, 6);
        assert_int_equal(few.missing, 24);
        assert_int_equal(few.silent, 24);
        assert_true(isinf(few.high));
        assert_true(few.low < 0.02);
        struct units_level most = bound_of(owed[i], 26);
        assert_true(most.low > 0.02);
        struct units_level all = bound_of(owed[i], MANY);
        assert_int_equal(all.missing, 0);
        assert_close(all.high, 0.1, 1e-12);
    }
}

/* A stream has a first token, a judge that was asked a cost. */
TEST(what_only_some_trials_have_by_nature_is_not_owed)
{
    static const struct view_metric others[] = {
        {.name = "first_token_s", .unit = "s", .definition = "first_token/1"},
        {.name = "cache_read_tokens", .unit = "1", .definition = "tokens/1"},
        {.name = "judge_cost_usd", .unit = "USD", .definition = "cost/1", .kind = KIND_SUM},
        {.name = "cost_usd", .unit = "USD", .definition = "mine/1", .kind = KIND_SUM}};
    for (size_t i = 0; i < COUNT(others); i++) {
        struct units_level l = bound_of(others[i], 6);
        assert_int_equal(l.missing, 0);
        assert_true(isfinite(l.high));
    }
}

/* Of two cells that are both silent in most trials, each mean may be as low as the trials that
 * report leave it: both together are no surer. */
TEST(what_is_missing_in_several_cells_does_not_average_out)
{
    static const uint8_t statuses[MANY] = {0};
    double samples[MANY];
    for (size_t i = 0; i < MANY; i++) samples[i] = i < 20 ? 0.1 : (double)NAN;
    const struct view_metric m = {.name = "cost_usd",
                                  .unit = "USD",
                                  .definition = "cost/1",
                                  .kind = KIND_SUM,
                                  .samples = samples,
                                  .count = MANY,
                                  .n = 20};
    const struct view_cell cell = {.trial_count = MANY, .statuses = statuses};
    const struct view_cell *cells[] = {&cell, &cell, &cell, &cell};
    const struct view_metric *metrics[] = {&m, &m, &m, &m};
    size_t used = 0;
    struct units_level mean = units_bound_mean(cells, metrics, 4, 0.05, arena, &used);
    assert_int_equal(used, 4);
    assert_int_equal(mean.silent, 40);
    assert_true(mean.low < 0.1 * 20 / MANY);
    assert_true(mean.low > 0);
    assert_true(isinf(mean.high));
}

#define WITH_ARENA(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)

TEST_MAIN(WITH_ARENA(what_a_spoiled_trial_used_is_in_no_metric),
          WITH_ARENA(what_a_spoiled_trial_answered_is_open),
          WITH_ARENA(who_does_not_report_a_cost_may_have_had_any),
          WITH_ARENA(what_only_some_trials_have_by_nature_is_not_owed),
          WITH_ARENA(what_is_missing_in_several_cells_does_not_average_out))
