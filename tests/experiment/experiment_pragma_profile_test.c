#include "tests/experiment/harness.h"

TEST(every_profile_meets_every_load_and_says_what_it_ran_with)
{
    struct bench b;
    bench_open(&b, "pragma_profile", "{num_records: 1000, db_size_mb: 1, kills: 1}", 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    double sum = 0;
    for (size_t i = 0; i < 12; i++) {
        assert_true(b.values[i] > 0);
        sum += b.values[i];
    }
    assert_true(sum <= b.duration_s);
    assert_close(bench_value(&b, "safety_write_rows_per_sec"),
                 1000 / bench_value(&b, "safety_write_heavy_s"), 1e-9);
    static const char *const said[] = {
        "\"raw_results\":{\"balanced\":{\"write_heavy\":",
        "\"normalized_results\":{\"write_heavy\":{\"balanced\":1,\"performance\":",
        "\"safety\":{\"synchronous\":2,\"journal_mode\":\"wal\",\"cache_size\":-102400",
        "\"performance\":{\"synchronous\":0,\"journal_mode\":\"memory\"",
        "\"durability\":{\"balanced\":{\"kills\":1,",
    };
    for (size_t i = 0; i < COUNT(said); i++) {
        if (!strstr(b.detail.p, said[i])) fail_msg("no %s in %s", said[i], b.detail.p);
    }
    assert_true(bench_close(&b));
}

/* What is still in a log when the clock stops has cost nothing yet. */
static void sees_no_log(struct bench *b)
{
    static const char *const logs[] = {"trial/0.db-wal", "trial/2.db-wal", "trial/6.db-wal"};
    for (size_t i = 0; i < COUNT(logs); i++) {
        assert_false(os_exists(os_path_below(b->env.work_dir, str_of(logs[i]), &b->arena)));
    }
}

TEST(the_time_of_writes_ends_with_the_closed_file)
{
    struct bench b;
    bench_open(&b, "pragma_profile", "{num_records: 1000, db_size_mb: 1, kills: 0}", 0);
    b.meddle = sees_no_log;
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_true(bench_close(&b));
}

/* A value in every trial is an observation of every trial: other writers, killed elsewhere. */
TEST(writers_are_killed_in_every_trial)
{
    struct bench b;
    bench_open(&b, "pragma_profile", "{num_records: 100, workloads: mixed, kills: 2}", 0);
    char last[1000] = "";
    for (int i = 0; i < 3; i++) {
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        const char *seen = strstr(b.detail.p, "\"durability\"");
        assert_non_null(seen);
        assert_string_not_equal(seen, last);
        snprintf(last, sizeof last, "%s", seen);
        assert_close(bench_value(&b, "safety_lost_rows"), 0, 0);
        assert_close(bench_value(&b, "safety_intact"), 1, 0);
    }
    assert_true(bench_close(&b));
}

/* Where a commit is killed depends on the seed alone: six kills do not all come before its first
 * write. */
TEST(a_journal_in_memory_is_seen_to_be_unsafe)
{
    struct bench b;
    bench_open(&b, "pragma_profile", "{num_records: 10, workloads: mixed, kills: 6}", 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_close(bench_value(&b, "balanced_intact"), 1, 0);
    assert_close(bench_value(&b, "safety_intact"), 1, 0);
    assert_close(bench_value(&b, "performance_intact"), 0, 0);
    assert_close(bench_value(&b, "memory_intact"), 0, 0);
    assert_non_null(strstr(b.detail.p, "\"damaged\":0,\"intact\":true"));
    assert_null(strstr(b.detail.p, "\"damaged\":0,\"intact\":false"));
    assert_true(bench_close(&b));
}

TEST(only_what_was_asked_for_is_run)
{
    struct bench b;
    bench_open(&b, "pragma_profile",
               "{num_records: 1000, profiles: [memory], workloads: mixed, kills: 0}", 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    for (size_t i = 0; i < b.experiment->metric_count; i++) {
        bool is_it = strcmp(b.experiment->metrics[i].name, "memory_mixed_s") == 0;
        assert_int_equal(isnan(b.values[i]), !is_it);
    }
    assert_true(bench_close(&b));
}

/* The files of the balanced profile: write_heavy has the first, mixed the third. */
TEST(rows_that_are_not_what_was_written_fail_the_trial)
{
    struct bench b;
    bench_open(&b, "pragma_profile",
               "{num_records: 100, profiles: balanced, workloads: [write_heavy, mixed], "
               "kills: 0}",
               0);
    bench_notices(&b, "0.db", "UPDATE records SET data = '' WHERE id = 5",
                  "balanced, write_heavy: row 5");
    bench_notices(&b, "2.db", "UPDATE records SET timestamp = 0 WHERE id = 6",
                  "balanced, mixed: row 6");
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_true(bench_close(&b));
}

TEST_MAIN(T(rows_that_are_not_what_was_written_fail_the_trial),
          T(every_profile_meets_every_load_and_says_what_it_ran_with),
          T(writers_are_killed_in_every_trial), T(a_journal_in_memory_is_seen_to_be_unsafe),
          T(only_what_was_asked_for_is_run), T(the_time_of_writes_ends_with_the_closed_file))
