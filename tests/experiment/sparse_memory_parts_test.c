/* The experiments about single parts of sparse memory. */
#include "tests/experiment/harness.h"

static double value_of(const char *experiment, const char *yaml, const char *metric)
{
    struct bench b;
    bench_open(&b, experiment, yaml, 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    double v = bench_value(&b, metric);
    assert_true(bench_close(&b));
    return v;
}

TEST(the_corrected_selector_learns_and_the_strict_one_does_not)
{
    assert_true(value_of("operator_choice", "{rule: design}", "p_revision") > 0.9);
    double learned = 0;
    struct bench b;
    bench_open(&b, "operator_choice", "{rule: strict}", 0);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        learned += bench_value(&b, "prefers_revision");
    }
    assert_true(bench_close(&b));
    assert_true(learned < 30);
}

TEST(int8_takes_a_quarter_and_errs_a_little)
{
    double whole = value_of("embedding_scan", "{vectors: 3000}", "cache_bytes");
    double packed = value_of("embedding_scan", "{vectors: 3000, storage: int8}", "cache_bytes");
    assert_close(1 - packed / whole, 0.7474, 0.0001);
    assert_close(value_of("embedding_scan", "{vectors: 3000}", "worst_error"), 0, 1e-6);
    double error = value_of("embedding_scan", "{vectors: 3000, storage: int8}", "worst_error");
    assert_true(error > 1e-4 && error < 0.005);
}

TEST(focused_outlines_the_changed_function_alone)
{
    double whole = value_of("hot_spots", "{functions: 100, repeats: 2}", "parsed_bytes");
    double focused =
        value_of("hot_spots", "{functions: 100, repeats: 2, mode: focused}", "parsed_bytes");
    assert_true(whole > 75 * focused);
    assert_close(
        value_of("hot_spots", "{functions: 1, repeats: 1}", "parsed_bytes"),
        value_of("hot_spots", "{functions: 1, repeats: 1, mode: focused}", "parsed_bytes"),
        0); /* no gain */
}

TEST(diversity_is_between_0_and_1_and_edits_are_never_more)
{
    assert_true(value_of("diversity", "{bytes: 50000}", "diversity") > 0.3);
    double hamming = value_of("diversity", "{bytes: 500}", "diversity");
    double edits = value_of("diversity", "{bytes: 500, distance: levenshtein}", "diversity");
    assert_true(hamming > 0.3 && hamming < 1);
    assert_true(edits <= hamming && edits > 0.2);
}

TEST_MAIN(T(the_corrected_selector_learns_and_the_strict_one_does_not),
          T(int8_takes_a_quarter_and_errs_a_little),
          T(focused_outlines_the_changed_function_alone),
          T(diversity_is_between_0_and_1_and_edits_are_never_more))
