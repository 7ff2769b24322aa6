/* database_profiler, observation_profiler and system_profiler. */
#include "tests/experiment/harness.h"

TEST(batches_and_flushes_are_what_they_say)
{
    static const struct {
        const char *yaml;
        double flushes;
    } cases[] = {
        {"{num_records: 250, batch_size: 1}", 250},
        {"{num_records: 250, batch_size: 100}", 3},
        {"{num_records: 250, batch_size: 500, store: memory}", 1},
        {"{num_records: 250, batch_size: 500, flush_frequency: 50, profile: performance}", 5},
        {"{num_records: 250, batch_size: 20, flush_frequency: 50}",
         13}, /* it was full before */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench b;
        bench_open(&b, "database_profiler", cases[i].yaml, 0);
        for (int k = 0; k < 2; k++) {
            if (bench_trial(&b) != TRIAL_OK) fail_msg("%s", b.trial.error.text);
            double total = bench_value(&b, "db_total_time");
            assert_close(bench_value(&b, "flush_count"), cases[i].flushes, 0);
            assert_close(bench_value(&b, "inserts_per_second"), 250 / total, 1e-9);
            assert_true(bench_value(&b, "time_per_flush") * cases[i].flushes <= total);
        }
        assert_true(bench_close(&b));
    }
}

TEST(every_index_sees_the_same_and_the_shares_add_up)
{
    static const char *const cases[] = {
        "{num_agents: 12, steps: 4, index: kd_tree}",
        "{num_agents: 12, steps: 4, index: quadtree, storage: dense}",
        "{num_agents: 12, steps: 4, index: brute_force, bilinear: false}",
        "{num_agents: 12, steps: 4, radius: 15, resources: 3}",
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench b;
        bench_open(&b, "observation_profiler", cases[i], 0);
        if (bench_trial(&b) != TRIAL_OK) fail_msg("%s", b.trial.error.text);
        assert_close(bench_value(&b, "spatial_query_percent") +
                         bench_value(&b, "placing_percent") + bench_value(&b, "rest_percent"),
                     100, 1e-9);
        assert_true(bench_value(&b, "rest_percent") >= 0);
        double side = bench_value(&b, "observation_size");
        assert_close(bench_value(&b, "observation_cells"), 13 * side * side, 0);
        assert_close(bench_value(&b, "time_per_observation") * 48,
                     bench_value(&b, "total_time"), 1e-9);
        assert_true(bench_close(&b));
    }
}

TEST(a_simulation_is_watched_while_it_runs)
{
    static const char *const cases[] = {
        "{num_agents: 30, steps: 25, sampling_interval: 0.001, monitor_network: true}",
        "{num_agents: 30, steps: 25, use_in_memory_db: false, radius: 0}",
        "{num_agents: 0, steps: 3, persist_db_on_completion: true}",
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench b;
        bench_open(&b, "system_profiler", cases[i], 0);
        if (bench_trial(&b) != TRIAL_OK) fail_msg("%s", b.trial.error.text);
        double steps = i < 2 ? 25 : 3;
        assert_close(bench_value(&b, "avg_step_time"), 1 / bench_value(&b, "steps_per_second"),
                     1e-9);
        assert_true(bench_value(&b, "avg_step_time") * steps <= b.duration_s);
        assert_int_equal(isnan(bench_value(&b, "p95_step_time")), i == 2);
        assert_int_equal(isnan(bench_value(&b, "network_mb")), i != 0);
        assert_true(bench_value(&b, "counted_mb") > 0);
        assert_true(bench_value(&b, "cpu_percent_simulating") >= 0);
        assert_true(bench_value(&b, "rows") > steps);
        assert_non_null(strstr(b.detail.p, "{\"samples\":[{\"timestamp\":"));
        assert_true(bench_close(&b));
    }
}

TEST_MAIN(T(batches_and_flushes_are_what_they_say),
          T(every_index_sees_the_same_and_the_shares_add_up),
          T(a_simulation_is_watched_while_it_runs))
