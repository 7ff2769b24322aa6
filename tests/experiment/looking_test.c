#include "experiment/looking.h"
#include "tests/experiment/harness.h"

/* The part of the detail from `key` on, up to the next comma. */
static const char *detail_item(struct bench *b, const char *key)
{
    const char *at = strstr(b->detail.p, key);
    if (!at) fail_msg("no %s in %s", key, b->detail.p);
    return arena_copy(&b->arena, at, strcspn(at, ","));
}

TEST(a_trial_is_checked_and_gives_its_counts)
{
    struct bench b;
    bench_open(&b, "observation_flow",
               "{width: 40, height: 30, num_agents: 12, steps: 25, radius: 4, fov_radius: 3}",
               0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        assert_close(bench_value(&b, "total_observes"), 300, 0);
        assert_close(bench_value(&b, "obs_dense_bytes"), 13 * 81 * 4, 0);
        assert_close(bench_value(&b, "obs_dense_rebuilds"), 300, 0);
        assert_close(bench_value(&b, "obs_cache_hit_rate"), 0, 0);
        double total = bench_value(&b, "total_time_s");
        assert_close(bench_value(&b, "observes_per_sec"), 300 / total, 1e-9);
        assert_true(total + bench_value(&b, "world_time_s") <= b.duration_s);
        assert_true(bench_value(&b, "p95_step_time_s") > 0);
        assert_true(bench_value(&b, "obs_memory_reduction_percent") > 50);
        assert_true(isnan(bench_value(&b, "nearest_points")));
    }
    assert_true(bench_close(&b));
}

/* Of dense storage there is no reduction to tell, and of 10 steps no 95th percentile. */
TEST(what_is_not_known_is_not_given)
{
    struct bench b;
    bench_open(&b, "perception_metrics",
               "{agent_counts: 9, radii: 3, storage_modes: dense, use_bilinear_list: false}",
               0);
    assert_int_equal(bench_trial(&b), TRIAL_OK);
    assert_true(isnan(bench_value(&b, "obs_memory_reduction_percent")));
    assert_true(isnan(bench_value(&b, "obs_sparse_bytes")));
    assert_true(isnan(bench_value(&b, "p95_step_time_s")));
    assert_close(bench_value(&b, "obs_cache_hit_rate"), 1, 0);
    assert_close(bench_value(&b, "total_observes"), 90, 0);
    assert_non_null(
        strstr(b.detail.p, "{\"runs\":[{\"agents\":9,\"R\":3,\"storage_mode\":\"dense\""));
    assert_true(bench_close(&b));
}

/* Contenders see the same world. */
TEST(treatments_do_not_change_the_workload)
{
    static const char *const cases[] = {
        "{agent_counts: 30, storage_modes: hybrid}",
        "{agent_counts: 30, storage_modes: dense}",
        "{agent_counts: 30, storage_modes: dense, use_bilinear_list: false}",
    };
    char first[64] = "";
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench b;
        bench_open(&b, "perception_metrics", cases[i], 0);
        assert_int_equal(bench_trial(&b), TRIAL_OK);
        const char *digest = detail_item(&b, "\"workload_digest\"");
        if (i == 0) snprintf(first, sizeof first, "%s", digest);
        assert_string_equal(digest, first);
        assert_true(bench_close(&b));
    }
}

static void change_a_cell(struct bench *b)
{
    struct looking *l = b->state;
    l->perception.observations[5].dense[CHANNEL_TRAILS * l->perception.lens.cells] += 1;
}

static void move_an_agent(struct bench *b)
{
    struct looking *l = b->state;
    l->perception.world.agents[5].x += 1;
}

TEST(what_differs_fails_the_trial)
{
    static const struct {
        void (*meddle)(struct bench *b);
        const char *said;
    } cases[] = {{change_a_cell, "agent 5: channel trails, cell (0, 0)"},
                 {move_an_agent, "the same seed gave two worlds"}};
    static const char *const experiments[] = {"observation_flow", "observation_profiler"};
    for (size_t i = 0; i < COUNT(cases) * COUNT(experiments); i++) {
        struct bench b;
        bench_open(&b, experiments[i / 2], "{num_agents: 12, steps: 3, storage: dense}", 0);
        b.meddle = cases[i % 2].meddle;
        assert_int_equal(bench_trial(&b), TRIAL_FAILED);
        assert_non_null(strstr(b.trial.error.text, cases[i % 2].said));
        assert_true(bench_close(&b));
    }
}

TEST_MAIN(T(what_differs_fails_the_trial), T(a_trial_is_checked_and_gives_its_counts),
          T(what_is_not_known_is_not_given), T(treatments_do_not_change_the_workload))
