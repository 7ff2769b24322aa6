#include "experiment/experiment_spin.c" /* for the two ways of doing the work */

#include "tests/experiment/harness.h"

TEST(both_ways_of_doing_the_work_agree)
{
    for (int64_t n = 0; n < 2000; n++) {
        uint64_t seed = rng_derive(7, (uint64_t)n, 0);
        assert_int_equal(spin(seed, n), spin_at_once(seed, n));
    }
    assert_int_not_equal(spin(1, 1000), spin(1, 999));
}

TEST(work_lasts_as_long_as_asked)
{
    NEEDS_WALL_CLOCK();
    struct bench b;
    bench_open(&b, "spin", "{work_us: 2000}", 0);
    double best_s = INFINITY;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        best_s = fmin(best_s, b.duration_s);
    }
    assert_true(best_s > 1.4e-3 && best_s < 2.8e-3);
    assert_close(bench_value(&b, "rounds_per_s") * b.duration_s, bench_value(&b, "rounds"),
                 0.01);
    assert_true(bench_close(&b));
}

TEST(rounds_are_carried_out_exactly)
{
    struct bench b;
    bench_open(&b, "spin", "{rounds: 12345}", 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_close(bench_value(&b, "rounds"), 12345, 0);
    assert_true(bench_close(&b));
}

TEST(twice_the_rounds_take_twice_the_time)
{
    NEEDS_WALL_CLOCK();
    double best_s[2] = {INFINITY, INFINITY};
    static const char *const sizes[] = {"{rounds: 200000}", "{rounds: 400000}"};
    for (size_t i = 0; i < 2; i++) {
        struct bench b;
        bench_open(&b, "spin", sizes[i], 0);
        for (int k = 0; k < 20; k++) {
            assert_int_equal(bench_trial(&b), TRIAL_OK);
            best_s[i] = fmin(best_s[i], b.duration_s);
        }
        assert_true(bench_close(&b));
    }
    assert_close(best_s[1] / best_s[0], 2, 0.15);
}

TEST(jitter_is_drawn_from_the_workload_and_so_equal_in_every_arm)
{
    double rounds[2][4];
    for (size_t arm = 0; arm < 2; arm++) {
        struct bench b;
        bench_open(&b, "spin", "{rounds: 10000, jitter: 0.1}", 0);
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(bench_trial(&b), TRIAL_OK);
            rounds[arm][i] = bench_value(&b, "rounds");
        }
        assert_true(bench_close(&b));
    }
    assert_memory_equal(rounds[0], rounds[1], sizeof rounds[0]);
    assert_true(rounds[0][0] != rounds[0][1]);
}

TEST(work_that_was_not_done_is_found_out)
{
    struct bench b;
    bench_open(&b, "spin", "{rounds: 100}", 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    struct state *s = b.state;
    s->digest = spin(b.trial.workload_seed, 99);
    assert_int_equal(b.experiment->conclude(&b.trial, s, TRIAL_OK), TRIAL_HARNESS_ERROR);
    assert_true(bench_close(&b));
}

TEST_MAIN(T(both_ways_of_doing_the_work_agree), T(work_lasts_as_long_as_asked),
          T(rounds_are_carried_out_exactly), T(twice_the_rounds_take_twice_the_time),
          T(jitter_is_drawn_from_the_workload_and_so_equal_in_every_arm),
          T(work_that_was_not_done_is_found_out))
