#include "tests/experiment/harness.h"

TEST(three_stores_hold_the_same_rows)
{
    struct bench b;
    bench_open(&b, "memory_db", "{num_steps: 15, num_agents: 31}", 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        double disk = bench_value(&b, "disk_time"), memory = bench_value(&b, "memory_time");
        double persist = bench_value(&b, "memory_persist_time");
        assert_true(disk > 0 && memory > 0 && persist > 0);
        assert_true(disk + memory + persist <= b.duration_s);
        assert_close(bench_value(&b, "disk_to_memory_speedup"), disk / memory, 1e-12);
        assert_close(bench_value(&b, "disk_to_memory_persist_speedup"), disk / persist, 1e-12);
        /* 15 steps, 20 resources and 31 agents, who may be more or fewer later */
        assert_true(bench_value(&b, "rows") > 15 * 20 + 15 * 20);
        assert_true(bench_value(&b, "memory_db_mb") > 0.1);
        assert_true(isnan(bench_value(&b, "simulation_time_s")));
    }
    assert_true(bench_close(&b));
}

TEST(what_the_databases_ran_with_is_stored)
{
    struct bench b;
    bench_open(&b, "memory_db", "{num_steps: 5, num_agents: 9}", 0);
    if (bench_trial(&b) != TRIAL_OK) fail_msg("%s", b.trial.error.text);
    static const char *const said[] = {
        "\"content_hash\":\"",
        "\"pragmas\":{\"disk\":{\"synchronous\":1,\"journal_mode\":\"wal\"",
        "\"memory_persist\":{\"synchronous\":1,\"journal_mode\":\"memory\"",
    };
    for (size_t i = 0; i < COUNT(said); i++) {
        if (!strstr(b.detail.p, said[i])) fail_msg("no %s in %s", said[i], b.detail.p);
    }
    assert_true(bench_close(&b));
}

TEST(flags_choose_the_store)
{
    static const struct {
        const char *yaml, *metric;
    } cases[] = {
        {"{num_steps: 5, use_in_memory_db: false, persist_db_on_completion: true}",
         "disk_time"},
        {"{num_steps: 5, use_in_memory_db: true}", "memory_time"},
        {"{num_steps: 5, persist_db_on_completion: true}", "memory_persist_time"},
        {"{num_steps: 5, persist_db_on_completion: false}", "memory_time"},
        {"{num_steps: 5, use_in_memory_db: true, persist_db_on_completion: true}",
         "memory_persist_time"},
    };
    static const char *const times[] = {"disk_time", "memory_time", "memory_persist_time"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench b;
        bench_open(&b, "memory_db", cases[i].yaml, 0);
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        for (size_t k = 0; k < COUNT(times); k++) {
            assert_int_equal(isnan(bench_value(&b, times[k])),
                             strcmp(times[k], cases[i].metric) != 0);
        }
        assert_close(bench_value(&b, "simulation_time_s"), bench_value(&b, cases[i].metric), 0);
        assert_true(bench_close(&b));
    }
}

TEST(parameters_leave_stores_out)
{
    struct bench b;
    bench_open(&b, "memory_db", "{num_steps: 3, parameters: {test_disk_based: false}}", 0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_true(isnan(bench_value(&b, "disk_time")));
    assert_false(isnan(bench_value(&b, "memory_persist_time")));
    assert_true(bench_close(&b));
    static const char *const wrong[][2] = {
        {"{parameters: {test_disk_base: true}}", "did you mean 'test_disk_based'?"},
        {"{parameters: {test_disk_based: false, test_in_memory: false, test_persistence: "
         "false}}",
         "leaves nothing to run"},
        {"{use_in_memory_db: false, parameters: {test_disk_based: false}}",
         "'test_disk_based' of 'parameters' leaves out the store"},
        {"{persist_db_on_completion: true, parameters: {test_persistence: false}}",
         "'test_persistence' of 'parameters' leaves out the store"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_false(bench_try_open(&b, "memory_db", wrong[i][0], 0));
        if (!strstr(b.error.text, wrong[i][1])) fail_msg("%s", b.error.text);
        arena_close(&b.arena);
    }
}

/* One store by itself has nothing to be compared with but the life itself. */
TEST(a_store_that_holds_other_rows_fails_the_trial)
{
    static const struct {
        const char *yaml, *file;
    } cases[] = {
        {"{num_steps: 5}", "disk.db"},
        {"{num_steps: 5}", "memory_persist.db"},
        {"{num_steps: 5, use_in_memory_db: false}", "disk.db"},
        {"{num_steps: 5, parameters: {test_disk_based: false, test_in_memory: false}}",
         "memory_persist.db"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench b;
        bench_open(&b, "memory_db", cases[i].yaml, 0);
        bench_notices(&b, cases[i].file, "DELETE FROM agent_actions WHERE rowid = 9",
                      " instead of ");
        bench_notices(&b, cases[i].file, "UPDATE agents SET position_x = 0 WHERE rowid = 9",
                      " with hash ");
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        assert_true(bench_close(&b));
    }
}

TEST_MAIN(T(three_stores_hold_the_same_rows), T(what_the_databases_ran_with_is_stored),
          T(flags_choose_the_store), T(parameters_leave_stores_out),
          T(a_store_that_holds_other_rows_fails_the_trial))
