/* database_profiler, observation_profiler and system_profiler. */
#include "tests/experiment/harness.h"
#include "world/observation.h"

#include <stdlib.h>
#include <sys/vfs.h>

static void sees_no_log(struct bench *b)
{
    const char *log = os_path_below(b->env.work_dir, S("trial/actions.db-wal"), &b->arena);
    assert_false(os_exists(log));
}

TEST(the_time_of_inserts_ends_with_the_closed_file)
{
    struct bench b;
    bench_open(&b, "database_profiler", "{num_records: 300, batch_size: 100}", 0);
    b.meddle = sees_no_log;
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_true(bench_close(&b));
}

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
        {"{num_records: 250, batch_size: 50, flush_frequency: 50}", 5},
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
            assert_non_null(strstr(b.detail.p, "\"pragmas\":{\"synchronous\":"));
        }
        assert_true(bench_close(&b));
    }
}

/* The buffer would be full before. */
TEST(a_flush_that_never_comes_is_refused)
{
    struct bench b;
    assert_false(bench_try_open(&b, "database_profiler",
                                "{num_records: 250, batch_size: 20, flush_frequency: 50}", 0));
    assert_non_null(strstr(b.error.text, "must be at most 'batch_size' (20)"));
    (void)bench_close(&b);
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
        bool is_dense = strstr(cases[i], "dense");
        assert_int_equal(!!strstr(b.detail.p, "\"obs_sparse_bytes\":null"), is_dense);
        assert_non_null(strstr(b.detail.p, "\"p95_step_time_s\":null")); /* of 4 steps */
        double side = bench_value(&b, "observation_size");
        assert_close(bench_value(&b, "observation_cells"), 13 * side * side, 0);
        assert_close(bench_value(&b, "time_per_observation") * 48,
                     bench_value(&b, "total_time"), 1e-9);
        assert_true(bench_close(&b));
    }
}

static bool is_on_disk(const struct bench *b)
{
    enum { TMPFS = 0x01021994 };
    struct statfs fs;
    return statfs(b->env.work_dir, &fs) == 0 && fs.f_type != TMPFS;
}

static size_t count_samples(const struct bench *b)
{
    size_t n = 0;
    for (const char *p = b->detail.p; (p = strstr(p, "\"timestamp\"")); p++) n++;
    return n;
}

/* Of more samples than there is room for, the first and the last are there, and those between
 * are as far apart as before, or twice. */
TEST(samples_are_thinned_out_and_the_last_is_kept)
{
    struct bench b;
    bench_open(&b, "system_profiler",
               "{num_agents: 0, steps: 6000, world_size: 1, radius: 0, "
               "sampling_interval: 0.00001}",
               0);
    struct buf remarks;
    buf_init(&remarks, 1 << 16);
    b.env.remarks = &remarks;
    if (bench_trial(&b) != TRIAL_OK) fail_msg("%s", b.trial.error.text);
    size_t samples = count_samples(&b);
    assert_true(samples > 400 && samples <= 1000);
    const char *last = b.detail.p;
    for (const char *p = last; (p = strstr(p, "\"timestamp\":")); p++) last = p;
    double end_s = strtod(last + strlen("\"timestamp\":"), NULL);
    assert_true(end_s >= bench_value(&b, "total_time_s"));
    assert_true(bench_close(&b));
    assert_non_null(strstr(remarks.p, "more than 1000 samples"));
    buf_release(&remarks);
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
        double tables = 3000 * (sizeof(struct world_agent) + sizeof(struct world_deed));
        if (i != 1) tables += 3000 * sizeof(struct observation);
        assert_true(bench_value(&b, "counted_mb") * 1e6 > tables);
        assert_true(bench_value(&b, "counted_mb") * 1e6 < 1.5 * tables);
        assert_non_null(strstr(b.detail.p, "\"content_hash\":\""));
        assert_true(bench_value(&b, "cpu_percent_simulating") >= 0);
        assert_true(bench_value(&b, "rows") > steps);
        assert_close(
            bench_value(&b, "total_time_s"),
            bench_value(&b, "avg_step_time") * steps + bench_value(&b, "finish_time_s"), 1e-9);
        /* A file of all rows was written, where there is one. */
        assert_int_equal(bench_value(&b, "disk_write_mb") > 0, i > 0 && is_on_disk(&b));
        assert_non_null(strstr(b.detail.p, "\"pragmas\":{\"synchronous\":1"));
        assert_non_null(strstr(b.detail.p, "\"samples\":[{\"timestamp\":"));
        assert_non_null(strstr(b.detail.p, "\"memory_vms_mb\":"));
        assert_true(bench_close(&b));
    }
}

TEST(rows_that_are_lost_fail_the_trial)
{
    struct bench b;
    bench_open(&b, "database_profiler", "{num_records: 250}", 0);
    bench_notices(&b, "actions.db", "DELETE FROM agent_actions WHERE rowid = 9",
                  "are other than");
    assert_true(bench_close(&b));

    static const char *const cases[] = {
        "{num_agents: 30, steps: 5, use_in_memory_db: false}",
        "{num_agents: 30, steps: 5, persist_db_on_completion: true}",
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        bench_open(&b, "system_profiler", cases[i], 0);
        bench_notices(&b, "world.db", "DELETE FROM agent_actions WHERE rowid = 9",
                      " instead of ");
        bench_notices(&b, "world.db", "UPDATE agent_states SET age = age + 1 WHERE rowid = 7",
                      " instead of ");
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        assert_true(bench_close(&b));
    }
}

TEST_MAIN(T(the_time_of_inserts_ends_with_the_closed_file),
          T(batches_and_flushes_are_what_they_say), T(a_flush_that_never_comes_is_refused),
          T(every_index_sees_the_same_and_the_shares_add_up),
          T(samples_are_thinned_out_and_the_last_is_kept),
          T(a_simulation_is_watched_while_it_runs), T(rows_that_are_lost_fail_the_trial))
