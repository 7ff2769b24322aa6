#include "tests/experiment/harness.h"

#include <errno.h>
#include <unistd.h>

static const struct instrument *perf(void)
{
    return instrument_find(S("perf"));
}

static bool is_available(const char *options, struct error *err)
{
    struct arena arena = arena_open();
    void *config = bench_config(&arena, perf()->params, perf()->config_size, options);
    bool done = perf()->available(config, err);
    arena_close(&arena);
    return done;
}

/* Skips, with the reason, where the kernel forbids counting. */
static bool can_count(void)
{
    struct error err = {0};
    if (is_available("{}", &err)) return true;
    assert_int_equal(err.code, ERROR_UNAVAILABLE);
    print_message("# skip: %s\n", err.text);
    return false;
}

TEST(work_in_the_arm_is_counted_trial_by_trial)
{
    if (!can_count()) return;
    struct bench b;
    bench_open(&b, "spin", "{work_us: 20000}", 0);
    bench_attach(&b, "perf", "{}");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        double clock_s = bench_reading(&b, "task_clock_s");
        assert_true(clock_s > 0.005 && clock_s < b.duration_s * 1.05 + 0.001);
    }
    assert_true(bench_close(&b));
}

/* The kernel's two counts of faults differ by a few dozen: rusage has those
 * between fork and exec, perf those that were begun again. Its clock runs on
 * when a virtual machine is not served, rusage's does not: it is held against
 * the wall. */
TEST(processes_are_counted_and_the_arm_is_not)
{
    if (!can_count()) return;
    struct bench b;
    bench_open(&b, "command", "{command: [dd, if=/dev/zero, of=/dev/null, bs=20000K, count=1]}",
               0);
    bench_attach(&b, "perf", "{}");
    double faults[2];
    for (int i = 0; i < 2; i++) { /* the second must not contain the first */
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        faults[i] = bench_reading(&b, "page_faults");
        double total = (double)(b.trial.usage.minor_faults + b.trial.usage.major_faults);
        assert_true(faults[i] > 50 && fabs(total - faults[i]) < 100);
        double clock_s = bench_reading(&b, "task_clock_s");
        assert_true(clock_s > 0 && clock_s < b.duration_s * 1.05 + 0.001);
    }
    assert_close(faults[0], faults[1], 0.1);
    assert_true(bench_close(&b));
}

/* The kernel can lose the order to count at exec, see perf.c: not one of many
 * trials may be without a count. */
TEST(every_process_of_many_is_counted)
{
    if (!can_count()) return;
    struct bench b;
    bench_open(&b, "command", "{command: [true]}", 0);
    bench_attach(&b, "perf", "{events: [task_clock, page_faults]}");
    for (int i = 0; i < 100; i++) {
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        assert_true(bench_reading(&b, "page_faults") > 20);
        assert_true(bench_reading(&b, "task_clock_s") > 0);
    }
    assert_true(bench_close(&b));
}

TEST(children_of_children_count_too)
{
    if (!can_count()) return;
    struct bench b;
    bench_open(&b, "command", "{command: '(sh -c \"head -c 20000000 /dev/zero | cksum\")'}", 0);
    bench_attach(&b, "perf", "{events: [task_clock]}");
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    double cpu_s = b.trial.usage.user_s + b.trial.usage.system_s;
    assert_true(bench_reading(&b, "task_clock_s") > 0.6 * cpu_s);
    assert_true(isnan(bench_reading(&b, "page_faults"))); /* not asked for */
    assert_true(bench_close(&b));
}

/* Either there are counters, or a reason; in "everything" a missing one is a
 * missing value, asked for by name it is an error. */
TEST(missing_hardware_is_said)
{
    if (!can_count()) return;
    struct error err = {0};
    struct bench b;
    bool has_cycles = is_available("{events: [cycles]}", &err);
    if (!has_cycles) {
        assert_int_equal(err.code, ERROR_UNAVAILABLE);
        assert_non_null(strstr(err.text, "no hardware counter for cycles"));
        print_message("# %s\n", err.text);
    }
    bench_open(&b, "spin", "{rounds: 1000000}", 0);
    bench_attach(&b, "perf", "{}");
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_int_equal(isnan(bench_reading(&b, "cycles")), !has_cycles);
    if (has_cycles) assert_true(bench_reading(&b, "instructions") >= 2e6);
    assert_true(bench_close(&b));
}

TEST_MAIN(T(work_in_the_arm_is_counted_trial_by_trial),
          T(processes_are_counted_and_the_arm_is_not), T(every_process_of_many_is_counted),
          T(children_of_children_count_too), T(missing_hardware_is_said))
