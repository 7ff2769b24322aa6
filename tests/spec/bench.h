/* bench.h - a registry of the tests' own, linked in place of the program's.
 *
 * Defining experiment_find and its like here keeps the archive's registry.o out
 * of the link, so that specs are checked against known tables. */
#ifndef TESTS_SPEC_BENCH_H
#define TESTS_SPEC_BENCH_H

#include "spec/spec.h"

static const char *const bench_sorts[] = {"quick", "merge", "heap", NULL};

struct bench_config {
    int64_t n;
    int sort;
    bool verbose;
    double ratio;
    const char *version;
    struct param_ints sizes;
    struct param_command command;
    const struct value *parameters;
    const struct value *ignored;
};

#define BENCH(field) .offset = offsetof(struct bench_config, field)

static const struct param bench_params[] = {
    {"n", PARAM_INT, PARAM_WORKLOAD, BENCH(n), .fallback = "100", .min = 1, .max = 1e6,
     .help = "values"},
    {"sort", PARAM_CHOICE, PARAM_TREATMENT, BENCH(sort), .fallback = "\"quick\"",
     .choices = bench_sorts, .help = "algorithm"},
    {"verbose", PARAM_BOOL, PARAM_TREATMENT, BENCH(verbose), .fallback = "false",
     .help = "say"},
    {"ratio", PARAM_REAL, PARAM_WORKLOAD, BENCH(ratio), .fallback = "0.5", .min = 0, .max = 1,
     .help = "part that is sorted"},
    {"version", PARAM_TEXT, PARAM_TREATMENT, BENCH(version), .fallback = "\"1\"", .help = "v"},
    {"sizes", PARAM_INT_LIST, PARAM_WORKLOAD, BENCH(sizes), .min = 1, .max = 1e6,
     .help = "several at once"},
    {"command", PARAM_COMMAND, PARAM_TREATMENT, BENCH(command), .help = "what to run"},
    {"parameters", PARAM_MAP, PARAM_TREATMENT, BENCH(parameters), .help = "open"},
};

static const struct param bench_needs[] = {
    {"n", PARAM_INT, PARAM_WORKLOAD, BENCH(n), .required = true, .min = 1, .max = 1e6,
     .help = "values"},
};

/* Every parameter of AgentFarm's files, whichever experiment it belongs to. */
#define ANY(type, name)                            \
    {                                              \
        name, type, PARAM_WORKLOAD, BENCH(ignored) \
    }
static const struct param bench_farm[] = {
    ANY(PARAM_ANY, "algorithms"),
    ANY(PARAM_ANY, "agent_counts"),
    ANY(PARAM_ANY, "world_sizes"),
    ANY(PARAM_ANY, "world_size"),
    ANY(PARAM_ANY, "query_types"),
    ANY(PARAM_ANY, "query_radius"),
    ANY(PARAM_ANY, "query_radii"),
    ANY(PARAM_ANY, "query_patterns"),
    ANY(PARAM_ANY, "data_structures"),
    ANY(PARAM_ANY, "steps"),
    ANY(PARAM_ANY, "num_agents"),
    ANY(PARAM_ANY, "monitor_cpu"),
    ANY(PARAM_ANY, "monitor_memory"),
    ANY(PARAM_ANY, "monitor_disk"),
    ANY(PARAM_ANY, "monitor_network"),
    ANY(PARAM_ANY, "sampling_interval"),
    ANY(PARAM_ANY, "radii"),
    ANY(PARAM_ANY, "storage_modes"),
    ANY(PARAM_ANY, "device"),
    ANY(PARAM_ANY, "use_bilinear_list"),
    ANY(PARAM_ANY, "num_records"),
    ANY(PARAM_ANY, "db_size_mb"),
    ANY(PARAM_ANY, "profiles"),
    ANY(PARAM_ANY, "workloads"),
    ANY(PARAM_ANY, "memory_entries"),
    ANY(PARAM_ANY, "batch_size"),
    ANY(PARAM_ANY, "search_radius"),
    ANY(PARAM_ANY, "memory_limit"),
    ANY(PARAM_ANY, "ttl"),
    ANY(PARAM_ANY, "cleanup_interval"),
    ANY(PARAM_ANY, "width"),
    ANY(PARAM_ANY, "height"),
    ANY(PARAM_ANY, "radius"),
    ANY(PARAM_ANY, "fov_radius"),
    ANY(PARAM_ANY, "num_steps"),
    ANY(PARAM_ANY, "use_in_memory_db"),
    ANY(PARAM_MAP, "parameters"),
    ANY(PARAM_ANY, "persist_db_on_completion"),
    ANY(PARAM_ANY, "track_memory_usage"),
    ANY(PARAM_ANY, "track_garbage_collection"),
    ANY(PARAM_ANY, "analyze_complexity"),
    ANY(PARAM_ANY, "analyze_scalability"),
    ANY(PARAM_ANY, "analyze_memory_efficiency"),
};

static bool bench_check(const void *config, struct error *err)
{
    const struct bench_config *c = config;
    if (c->n != 13) return true;
    return error_set(err, ERROR_INVALID, "13 values bring bad luck");
}

static const struct metric bench_metrics[] = {
    {"swaps", "1", DIRECTION_LOWER, "swaps/1", "exchanged values"},
};

#define FARM(id)                                                                \
    {                                                                           \
        .name = id, .summary = "x", .params = { bench_farm, COUNT(bench_farm) } \
    }
static const struct experiment bench_experiments[] = {
    {.name = "spin",
     .summary = "sorts",
     .params = {bench_params, COUNT(bench_params)},
     .config_size = sizeof(struct bench_config),
     .metrics = bench_metrics,
     .metric_count = COUNT(bench_metrics),
     .check = bench_check},
    {.name = "plain", .summary = "takes nothing"},
    {.name = "needs",
     .summary = "must be told",
     .params = {bench_needs, COUNT(bench_needs)},
     .config_size = sizeof(struct bench_config)},
    {.name = "judge", .summary = "asks", .takes_agent = true},
    FARM("memory_db"),
    FARM("pragma_profile"),
    FARM("perception_metrics"),
    FARM("spatial_comprehensive"),
    FARM("observation_flow"),
    FARM("redis_memory"),
    FARM("spatial_index_profiler"),
    FARM("spatial_memory_profiler"),
    FARM("spatial_performance_analyzer"),
    FARM("system_profiler"),
};

const struct experiment *experiment_at(size_t i)
{
    return i < COUNT(bench_experiments) ? &bench_experiments[i] : NULL;
}

static const struct param bench_options[] = {
    {"interval_ms", PARAM_REAL, .fallback = "50", .min = 1, .help = "between samples"},
};
static const struct metric bench_rss[] = {
    {"rss_mb", "MB", DIRECTION_LOWER, "rss/1", "memory"},
};
static const struct instrument bench_instruments[] = {
    {.name = "timing", .summary = "time", .metrics = &metric_duration, .metric_count = 1},
    {.name = "resources",
     .alias = "psutil",
     .summary = "cpu and memory",
     .params = {bench_options, COUNT(bench_options)},
     .config_size = sizeof(double),
     .metrics = bench_rss,
     .metric_count = COUNT(bench_rss)},
    {.name = "profile", .alias = "cprofile", .summary = "stacks"},
};

const struct instrument *instrument_at(size_t i)
{
    return i < COUNT(bench_instruments) ? &bench_instruments[i] : NULL;
}

#endif
