#include "tests/experiment/harness.h"

TEST(an_empty_trial_reads_next_to_nothing)
{
    struct bench b;
    bench_open(&b, "noop", "{}", 0);
    double best_s = INFINITY;
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        best_s = fmin(best_s, b.duration_s);
    }
    assert_true(best_s < 10e-6);
    assert_true(bench_close(&b));
}

TEST_MAIN(T(an_empty_trial_reads_next_to_nothing))
