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

/* Otherwise a search that never stopped would count as one that did not stop falsely. */
TEST(a_stop_is_judged_only_where_there_is_one_and_it_was_watched)
{
    assert_true(isnan(value_of("{cap: 100, runs_on: false}", "false_stop")));
    assert_false(isnan(value_of("{cap: 100}", "false_stop")));
    assert_true(isnan(value_of("{cap: 100, parts: all}", "false_stop"))); /* ran to the cap */
    double stop = value_of("{cap: 1600, parts: all, until_judged: true}", "iterations");
    assert_false(isnan(value_of("{cap: 1600, parts: all}", "false_stop")));
    char yaml[80]; /* it stops, and the cap comes before twice that */
    snprintf(yaml, sizeof yaml, "{cap: %.0f, parts: all}", 2 * stop - 1);
    assert_close(value_of(yaml, "iterations"), stop, 0);
    assert_true(isnan(value_of(yaml, "false_stop")));
}

/* The cap is how long a search is watched at most, and no part of the judgement. */
TEST(a_false_stop_does_not_depend_on_the_cap)
{
    struct bench b[2];
    bench_open(&b[0], "sparse_memory", "{cap: 300, difficulty: 0.3}", 0);
    bench_open(&b[1], "sparse_memory", "{cap: 900, difficulty: 0.3}", 0);
    for (int i = 0; i < 10; i++) {
        for (size_t k = 0; k < 2; k++) assert_int_equal(bench_trial(&b[k]), TRIAL_OK);
        assert_close(bench_value(&b[0], "false_stop"), bench_value(&b[1], "false_stop"), 0);
    }
    for (size_t k = 0; k < 2; k++) assert_true(bench_close(&b[k]));
}

TEST(the_resident_set_is_given_beside_the_counted_bytes)
{
    assert_true(value_of("{cap: 60}", "rss_mb") * 1e6 > value_of("{cap: 60}", "peak_bytes"));
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
          T(a_stop_is_judged_only_where_there_is_one_and_it_was_watched),
          T(a_false_stop_does_not_depend_on_the_cap),
          T(the_resident_set_is_given_beside_the_counted_bytes),
          T(wrong_parts_and_marks_are_refused_before_any_work))
