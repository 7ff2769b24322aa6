#include "base/value.h"
#include "tests/experiment/harness.h"

static double value_of(const char *yaml, const char *metric)
{
    struct bench b;
    bench_open(&b, "sparse_memory", yaml, 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    double v = bench_value(&b, metric);
    assert_true(bench_close(&b));
    return v;
}

/* The arms of a comparison differ in what is switched, not in the problem. */
TEST(arms_pair_by_seed)
{
    assert_close(value_of("{cap: 60, copy: a}", "quality"),
                 value_of("{cap: 60, copy: b}", "quality"), 0);
    assert_close(value_of("{cap: 60, parts: none}", "iterations_to_target"),
                 value_of("{cap: 60, parts: hot_spots}", "iterations_to_target"), 0);
    assert_close(value_of("{cap: 60, planted: 0.5}", "quality"),
                 value_of("{cap: 60}", "quality") / 2, 1e-12);
}

TEST(a_trial_reports_its_curve_and_what_stopped_it)
{
    struct bench b;
    bench_open(&b, "sparse_memory", "{cap: 100, parts: all}", 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    const struct value *v;
    assert_true(
        value_read_json(buf_str(&b.detail), &value_limits_spec, &b.arena, &v, &b.error));
    assert_int_equal(value_get(v, "curve")->list.count, 50);
    assert_true(str_is(value_text(v, "stopped_by"), "max_iterations_reached"));
    assert_close(value_real(value_get(v, "operators"), "revision") +
                     value_real(value_get(v, "operators"), "recombination") +
                     value_real(value_get(v, "operators"), "refinement"),
                 300, 0);
    assert_close(bench_value(&b, "peak_bytes") > bench_value(&b, "trajectory_bytes"), 1, 0);
    assert_true(bench_close(&b));
}

TEST(without_running_on_nothing_is_known_of_false_stops)
{
    assert_true(isnan(value_of("{cap: 100, runs_on: false}", "false_stop")));
    assert_false(isnan(value_of("{cap: 100}", "false_stop")));
}

TEST(wrong_parts_and_marks_are_refused_before_any_work)
{
    struct bench b;
    assert_false(bench_try_open(&b, "sparse_memory", "{parts: operator}", 0));
    assert_non_null(strstr(b.error.text, "did you mean 'operators'?"));
    bench_close(&b);
    assert_false(bench_try_open(&b, "sparse_memory", "{mark: 50, cap: 40}", 0));
    assert_non_null(strstr(b.error.text, "mark (50) is after the cap (40)"));
    bench_close(&b);
}

TEST_MAIN(T(arms_pair_by_seed), T(a_trial_reports_its_curve_and_what_stopped_it),
          T(without_running_on_nothing_is_known_of_false_stops),
          T(wrong_parts_and_marks_are_refused_before_any_work))
