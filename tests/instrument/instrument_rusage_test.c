#include "tests/experiment/harness.h"

#include <sys/mman.h>

TEST(work_in_the_arm_is_read_by_differences)
{
    struct bench b;
    bench_open(&b, "spin", "{work_us: 30000}", 0);
    bench_attach(&b, "rusage", "{}");
    for (int i = 0; i < 2; i++) { /* the second must not contain the first */
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        double cpu_s = bench_reading(&b, "user_s") + bench_reading(&b, "system_s");
        assert_true(cpu_s > 0.015 && cpu_s < b.duration_s * 1.1 + 0.002);
    }
    assert_true(bench_close(&b));
}

TEST(work_of_processes_is_what_the_experiment_says)
{
    struct bench b;
    bench_open(&b, "command", "{command: [dd, if=/dev/zero, of=/dev/null, bs=32M, count=2]}",
               0);
    bench_attach(&b, "rusage", "{}");
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_close(bench_reading(&b, "user_s"), b.trial.usage.user_s, 0);
    assert_close(bench_reading(&b, "system_s"), b.trial.usage.system_s, 0);
    assert_true(bench_reading(&b, "max_rss_mb") > 33.5);
    assert_true(bench_reading(&b, "minor_faults") > 10);
    assert_true(bench_reading(&b, "voluntary_switches") >= 0);
    assert_true(bench_close(&b));
}

/* The peak of an earlier, larger trial must not stay. */
TEST(each_trial_has_a_peak_of_its_own)
{
    const struct instrument *it = instrument_find(S("rusage"));
    struct arena arena = arena_open();
    void *state = arena_alloc(&arena, 1, it->state_size, 16);
    struct instrument_subject subject = {getpid(), false};
    struct error err = {0};
    assert_true(it->open(state, NULL, &subject, &err));
    double values[2][16];
    static const size_t sizes[] = {64 << 20, 1 << 20};
    for (size_t i = 0; i < 2; i++) {
        it->begin(state);
        char *p =
            mmap(NULL, sizes[i], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(p, 1, sizes[i]);
        munmap(p, sizes[i]);
        it->end(state);
        it->give(state, 1, &(struct usage){0}, values[i]);
    }
    it->close(state);
    double first = instrument_value(it, values[0], "max_rss_mb");
    double second = instrument_value(it, values[1], "max_rss_mb");
    assert_true(first > 67);
    assert_true(second < first - 55);
    arena_close(&arena);
}

TEST_MAIN(T(work_in_the_arm_is_read_by_differences),
          T(work_of_processes_is_what_the_experiment_says), T(each_trial_has_a_peak_of_its_own))
