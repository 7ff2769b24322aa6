#include "tests/experiment/harness.h"
#include "world/redis.h"

static bool open_or_skip(struct bench *b, const char *yaml)
{
    if (bench_try_open(b, "redis_memory", yaml, 0)) return true;
    if (b->error.code != ERROR_UNAVAILABLE) fail_msg("%s", b->error.text);
    print_message("# skip: %s\n", b->error.text);
    bench_close(b);
    return false;
}

TEST(entries_are_stored_read_searched_and_forgotten)
{
    struct bench b;
    if (!open_or_skip(&b, "{num_agents: 3, memory_entries: 40, batch_size: 7}")) skip();
    static const char *const said[] = {
        "\"avg_operation_time\":", "\"std_operation_time\":",
        "\"batches_per_second\":", "\"avg_batch_time\":",
        "\"min_batch_time\":",     "\"max_batch_time\":",
        "\"std_batch_time\":",     "\"overall\":{\"avg_write_rate\":",
    };
    for (int i = 0; i < 2; i++) {
        enum trial_status status = bench_trial(&b);
        if (status != TRIAL_OK) fail_msg("%s", b.trial.error.text);
        assert_close(bench_value(&b, "entries_removed"), 60, 0); /* the limit is half */
        assert_close(bench_value(&b, "remaining_entries"), 60, 0);
        assert_true(bench_value(&b, "memory_efficiency") > 300); /* an entry has 600 bytes */
        assert_true(bench_value(&b, "avg_read_rate") > 0);
        assert_false(isnan(bench_value(&b, "write_p99_s")));
        assert_true(isnan(bench_value(&b, "batch_p99_s"))); /* 18 batches */
        assert_true(bench_value(&b, "server_rss_mb") > 1);
        assert_non_null(strstr(b.detail.p, "\"cleanup\":{\"cleanup_time\":"));
        assert_non_null(strstr(b.detail.p, "\"memory_limit\":5000,"));
        static const char *const batch =
            "\"batch\":{\"total_operations\":120,\"total_batches\":18,\"batch_size\":7,";
        assert_non_null(strstr(b.detail.p, batch));
        assert_non_null(strstr(b.detail.p, "\"memory_samples\":[{\"entries\":105,"));
        for (size_t k = 0; k < COUNT(said); k++) {
            if (!strstr(b.detail.p, said[k])) fail_msg("no %s in %s", said[k], b.detail.p);
        }
    }
    assert_true(bench_close(&b));
}

/* The limit holds while entries are written, too. */
TEST(a_small_limit_evicts_all_the_time)
{
    struct bench b;
    if (!open_or_skip(&b, "{num_agents: 1, memory_entries: 50, memory_limit: 8, "
                          "cleanup_interval: 10}"))
        skip();
    enum trial_status status = bench_trial(&b);
    if (status != TRIAL_OK) fail_msg("%s", b.trial.error.text);
    assert_non_null(strstr(b.detail.p, "\"read\":{\"total_operations\":8,"));
    assert_true(bench_close(&b));
}

TEST(no_server_is_unavailable_not_wrong)
{
    struct bench b;
    assert_false(bench_try_open(&b, "redis_memory", "{server: /nowhere/redis.sock}", 0));
    assert_int_equal(b.error.code, ERROR_UNAVAILABLE);
    bench_close(&b);
}

TEST_MAIN(T(entries_are_stored_read_searched_and_forgotten),
          T(a_small_limit_evicts_all_the_time), T(no_server_is_unavailable_not_wrong))
