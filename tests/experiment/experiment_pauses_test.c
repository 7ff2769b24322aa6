#include "experiment/trial_histogram.h"
#include "tests/experiment/harness.h"

/* What is handed up is every gap, and the numbers beside it are of the same gaps. */
TEST(every_gap_is_counted_and_handed_up)
{
    struct bench b;
    bench_open(&b, "pauses", "{length_ms: 3, threshold_us: 0}", 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        struct str text = buf_str(&b.histograms);
        struct histogram_record h;
        bool damaged = false;
        assert_ptr_equal(trial_next_histogram(&text, b.experiment, &b.arena, &h, &damaged),
                         &b.experiment->histograms[0]);
        assert_int_equal(h.count, (int64_t)bench_value(&b, "gaps"));
        assert_true(h.count > 0); /* few where something else had the processor */
        struct hdr gaps;
        struct error err = {0};
        assert_true(hdr_decode(&gaps, h.data, &b.arena, &err));
        assert_close((double)gaps.max / 1e9 / bench_value(&b, "longest_s"), 1, 1e-3);
        /* With threshold 0 all gaps are lost time: they add up to the trial. */
        assert_true(bench_value(&b, "lost_s") >= 3e-3);
        assert_true(bench_value(&b, "lost_s") <= b.duration_s);
        assert_close(hdr_mean(&gaps) * (double)gaps.total / 1e9 / bench_value(&b, "lost_s"), 1,
                     1e-2);
        assert_null(trial_next_histogram(&text, b.experiment, &b.arena, &h, &damaged));
        assert_false(damaged);
    }
    assert_true(bench_close(&b));
}

/* Too large for a record: dropped whole, and the flag stays for the arm to tell. */
TEST(one_that_does_not_fit_leaves_nothing)
{
    struct arena arena = arena_open();
    struct error err = {0};
    char memory[60];
    struct buf small;
    struct hdr h;
    const struct experiment *e = experiment_find(S("pauses"));
    buf_over(&small, memory, sizeof memory);
    assert_true(hdr_init(&h, 1, 1000000, 3, &arena, &err));
    for (int i = 1; i < 1000; i++) assert_true(hdr_record(&h, i * i, i));
    struct trial t = {.histograms = &small};
    trial_put_histogram(&t, &e->histograms[0], &h);
    assert_true(small.overflow);
    assert_int_equal(small.n, 0);
    arena_close(&arena);
}

TEST_MAIN(T(every_gap_is_counted_and_handed_up), T(one_that_does_not_fit_leaves_nothing))
