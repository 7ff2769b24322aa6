#include "experiment/looking.h"
#include "base/clock.h"
#include "stats/quantile.h"

const char *const looking_storages[] = {"hybrid", "dense", NULL};
const char *const looking_devices[] = {"cpu", NULL};

const struct metric looking_metrics[LOOKING_METRIC_COUNT] = {
    [LOOKING_OBSERVES] = {"total_observes", "1", DIRECTION_NONE, "total_observes/1",
                          "observations made"},
    [LOOKING_TIME] = {"total_time_s", "s", DIRECTION_LOWER, "observe_total_time/1",
                      "time of all observations, without the world's ticks"},
    [LOOKING_RATE] = {"observes_per_sec", "1/s", DIRECTION_HIGHER, "observes_per_sec/1",
                      "observations per second"},
    [LOOKING_STEP_MEAN] = {"mean_step_time_s", "s", DIRECTION_LOWER, "observe_step_mean/1",
                           "mean time in which all agents have observed once"},
    [LOOKING_STEP_P95] = {"p95_step_time_s", "s", DIRECTION_LOWER, "observe_step_p95/1",
                          "95th percentile of it; from 20 steps on"},
    [LOOKING_TICKS] = {"world_time_s", "s", DIRECTION_LOWER, "world_ticks_time/1",
                       "time of the world's ticks between the observations"},
    [LOOKING_DENSE_BYTES] = {"obs_dense_bytes", "B", DIRECTION_NONE, "obs_dense_bytes/1",
                             "bytes of a tensor"},
    [LOOKING_SPARSE_BYTES] = {"obs_sparse_bytes", "B", DIRECTION_LOWER, "obs_sparse_bytes/1",
                              "bytes that hybrid storage holds instead, mean of all agents"},
    [LOOKING_ALLOCATED_BYTES] =
        {"obs_allocated_bytes", "B", DIRECTION_LOWER, "obs_allocated_bytes/2",
         "bytes asked of the allocator for an agent's observation, mean"},
    [LOOKING_REDUCTION] =
        {"obs_memory_reduction_percent", "%", DIRECTION_HIGHER, "obs_memory_reduction/1",
         "how much less the stored bytes are than the tensor, not the allocated"},
    [LOOKING_CACHE_HITS] = {"obs_cache_hit_rate", "1", DIRECTION_NONE, "obs_cache_hit_rate/1",
                            "share of reads that needed no tensor written: 1 dense, 0 hybrid"},
    [LOOKING_REBUILDS] = {"obs_dense_rebuilds", "1", DIRECTION_NONE, "obs_dense_rebuilds/2",
                          "tensors written from points"},
    [LOOKING_GFLOPS] = {"gflops_observation_est", "GFLOP/s", DIRECTION_HIGHER,
                        "gflops_observation_est/1",
                        "2 operations a cell of every tensor: an estimate"},
    [LOOKING_QUERY] = {"spatial_query_time_s", "s", DIRECTION_LOWER, "obs_query_time/1",
                       "asking the indexes in one more round, with clocks in it"},
    [LOOKING_BILINEAR] = {"bilinear_time_s", "s", DIRECTION_LOWER, "obs_bilinear_time/1",
                          "spreading resources over cells in that round"},
    [LOOKING_NEAREST] = {"nearest_time_s", "s", DIRECTION_LOWER, "obs_nearest_time/1",
                         "putting resources into their cells in that round"},
    [LOOKING_BILINEAR_POINTS] = {"bilinear_points", "1", DIRECTION_NONE,
                                 "obs_bilinear_points/1", "cells drawn in that round"},
    [LOOKING_NEAREST_POINTS] = {"nearest_points", "1", DIRECTION_NONE, "obs_nearest_points/1",
                                "cells drawn in that round"},
};

void looking_open(struct looking *l, struct arena *arena)
{
    l->arenas[0] = arena_open();
    l->arenas[1] = arena_open();
    l->step_s = arena_new(arena, double, (size_t)l->steps);
}

struct experiment_demand looking_demand(int64_t agents, int64_t radius, const char *by)
{
    double side = 2 * (double)radius + 1;
    return (struct experiment_demand){
        .memory_bytes = (double)agents * CHANNEL_COUNT * side * side * sizeof(float),
        .by = by,
    };
}

bool looking_teardown(void *state, struct error *err)
{
    (void)err;
    struct looking *l = state;
    arena_close(&l->arenas[0]);
    arena_close(&l->arenas[1]);
    return true;
}

/* One unmeasured round fills caches and lists. */
enum trial_status looking_prepare(struct trial *t, void *state)
{
    struct looking *l = state;
    arena_reset(&l->arenas[0]);
    l->config.seed = t->workload_seed;
    perception_open(&l->perception, &l->config, &l->arenas[0]);
    perception_round(&l->perception);
    perception_tick(&l->perception);
    l->renders_before = l->perception.lens.renders;
    l->tick_s = 0;
    return TRIAL_OK;
}

enum trial_status looking_execute_once(struct trial *t, void *state)
{
    (void)t;
    struct looking *l = state;
    int64_t begin_ns = clock_ns();
    for (int64_t i = 0; i < l->steps; i++) {
        perception_round(&l->perception);
        int64_t seen_ns = clock_ns();
        perception_tick(&l->perception);
        int64_t end_ns = clock_ns();
        l->step_s[i] = (double)(seen_ns - begin_ns) / 1e9;
        l->tick_s += (double)(end_ns - seen_ns) / 1e9;
        begin_ns = end_ns;
    }
    return TRIAL_OK;
}

static void give_times(struct looking *l, double *values)
{
    double total = 0;
    for (int64_t i = 0; i < l->steps; i++) total += l->step_s[i];
    double observes = (double)l->steps * l->config.agents;
    stats_sort_inplace(l->step_s, (size_t)l->steps);
    values[LOOKING_OBSERVES] = observes;
    values[LOOKING_TIME] = total;
    values[LOOKING_TICKS] = l->tick_s;
    values[LOOKING_STEP_MEAN] = total / (double)l->steps;
    if (l->steps >= 20)
        values[LOOKING_STEP_P95] = quantile_of(l->step_s, (size_t)l->steps, 0.95);
    if (!(total > 0)) return;
    values[LOOKING_RATE] = observes / total;
    values[LOOKING_GFLOPS] =
        2.0 * (double)lens_tensor_floats(&l->perception.lens) * observes / 1e9 / total;
}

static void give_memory(const struct looking *l, double *values)
{
    struct perception_memory m = perception_memory(&l->perception);
    bool is_hybrid = l->config.storage == OBSERVATION_HYBRID;
    double rebuilds = (double)(l->perception.lens.renders - l->renders_before);
    values[LOOKING_DENSE_BYTES] = m.dense_bytes / l->config.agents;
    values[LOOKING_ALLOCATED_BYTES] = m.allocated_bytes / l->config.agents;
    values[LOOKING_REBUILDS] = rebuilds;
    values[LOOKING_CACHE_HITS] = 1 - rebuilds / ((double)l->steps * l->config.agents);
    if (!is_hybrid) return;
    values[LOOKING_SPARSE_BYTES] = m.stored_bytes / l->config.agents;
    values[LOOKING_REDUCTION] = (1 - m.stored_bytes / m.dense_bytes) * 100;
}

static void give_profile(struct looking *l, double *values)
{
    struct perception_times times = perception_profile(&l->perception);
    bool is_bilinear = l->config.is_bilinear;
    l->profiled_s = times.round_s;
    values[LOOKING_QUERY] = times.query_s;
    values[is_bilinear ? LOOKING_BILINEAR : LOOKING_NEAREST] = times.placing_s;
    values[is_bilinear ? LOOKING_BILINEAR_POINTS : LOOKING_NEAREST_POINTS] =
        times.points_placed;
}

static void put_detail(const struct looking *l, uint64_t digest, const double *values,
                       struct buf *out)
{
    struct json j;
    json_init(&j, out, 0);
    json_object(&j);
    json_put_int(&j, "agents", l->config.agents);
    json_put_int(&j, "R", l->config.radius);
    json_put_text(&j, "storage_mode", looking_storages[l->config.storage]);
    json_put_bool(&j, "use_bilinear", l->config.is_bilinear);
    json_put_int(&j, "steps", l->steps);
    char hex[20];
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)digest);
    json_put_text(&j, "workload_digest", hex);
    for (size_t i = 0; i < LOOKING_QUERY; i++) {
        json_put_real(&j, looking_metrics[i].name, values[i]);
    }
    json_key_object(&j, "perception_profile");
    for (size_t i = LOOKING_QUERY; i < LOOKING_METRIC_COUNT; i++) {
        json_put_real(&j, looking_metrics[i].name, values[i]);
    }
    json_end(&j);
    json_end(&j);
}

enum trial_status looking_conclude(struct trial *t, void *state, enum trial_status status)
{
    struct looking *l = state;
    if (status == TRIAL_OK) {
        arena_reset(&l->arenas[1]);
        if (!perception_verify(&l->perception, &l->arenas[1], &t->error)) status = TRIAL_FAILED;
    }
    if (status == TRIAL_OK) {
        uint64_t digest = world_digest(&l->perception.world);
        give_times(l, t->values);
        give_memory(l, t->values);
        give_profile(l, t->values);
        put_detail(l, digest, t->values, t->detail);
    }
    perception_close(&l->perception);
    return status;
}
