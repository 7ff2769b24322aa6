#include "run/demand.h"
#include "tests/experiment/harness.h"

TEST(what_is_not_there_is_said_with_the_parameters)
{
    struct error err = {0};
    struct experiment_demand little = {1000, 1000, "n"}, none = {0},
                             memory = {1e18, 0, "n or m"}, disk = {0, 1e21, "size"};
    struct demand_supply nowhere = demand_supply("/nowhere"), here = demand_supply("/tmp");
    assert_true(demand_is_met(&none, &nowhere, &err));
    assert_true(demand_is_met(&little, &here, &err));
    assert_false(demand_is_met(&memory, &here, &err));
    assert_int_equal(err.code, ERROR_UNAVAILABLE);
    assert_non_null(strstr(err.text, " of memory, and "));
    assert_non_null(strstr(err.text, " are available: lower n or m"));
    assert_false(demand_is_met(&disk, &here, &err));
    assert_non_null(strstr(err.text, " of disk, and "));
}

/* The most that each parameter takes: no machine has it. By default, any has. */
TEST(the_largest_of_everything_is_refused)
{
    static const char *const cases[][2] = {
        {"observation_flow", "{num_agents: 100000, radius: 100, fov_radius: 100}"},
        {"observation_profiler", "{num_agents: 100000, radius: 100}"},
        {"perception_metrics", "{agent_counts: 100000, radii: 100}"},
        {"spatial_comprehensive", "{steps: 100000, moves_per_step: 1000000}"},
        {"spatial_index_profiler", "{steps: 100000, batch_sizes: 1000000}"},
        {"spatial_memory_profiler", "{steps: 100000, agent_counts: 1000000}"},
        {"spatial_batch", "{agent_counts: 10000000, moved: 100}"},
        {"embedding_scan", "{vectors: 1000000, dimensions: 4096}"},
        {"diversity", "{trajectories: 1000, bytes: 10000000}"},
        {"redis_memory", "{num_agents: 10000, memory_entries: 1000000}"},
        {"pragma_profile", "{db_size_mb: 100000}"},
        {"database_profiler", "{num_records: 100000000}"},
        {"memory_db", "{num_steps: 1000000, num_agents: 3000}"},
        {"system_profiler", "{steps: 1000000, num_agents: 3000, radius: 100}"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct experiment *e = experiment_find(str_of(cases[i][0]));
        struct arena arena = arena_open();
        struct experiment_demand most =
            e->demand(bench_config(&arena, e->params, e->config_size, cases[i][1]));
        struct experiment_demand usual =
            e->demand(bench_config(&arena, e->params, e->config_size, "{}"));
        double gb = (most.memory_bytes + most.disk_bytes) / 1e9;
        if (gb < 10) fail_msg("%s takes only %g GB", e->name, gb);
        if (usual.memory_bytes + usual.disk_bytes > 1e9) fail_msg("%s takes more", e->name);
        assert_non_null(most.by);
        arena_close(&arena);
    }
}

TEST_MAIN(T(what_is_not_there_is_said_with_the_parameters),
          T(the_largest_of_everything_is_refused))
