/* Where does the time of an observation go? As observation_flow in a world of a hundred cells
 * a side, with the index that answers who is near as a contender. */
#include "experiment/looking.h"

#include <math.h>

enum {
    METRIC_TOTAL,
    METRIC_EACH,
    METRIC_RATE,
    METRIC_SIZE,
    METRIC_CELLS,
    METRIC_QUERY_SHARE,
    METRIC_PLACING_SHARE,
    METRIC_REST_SHARE,
    METRIC_POINTS,
    METRIC_COUNT
};

struct config {
    int64_t num_agents, radius, world_size, resources, steps;
    int storage, index;
    bool bilinear;
};

struct state {
    struct looking looking;
    double looked[LOOKING_METRIC_COUNT];
};

static const char *const indexes[] = {"spatial_hash", "kd_tree", "quadtree", "brute_force",
                                      NULL};

static const struct param params[] = {
    {"num_agents", PARAM_INT, .offset = offsetof(struct config, num_agents), .fallback = "50",
     .min = 1, .max = 100000, .help = "agents that observe"},
    {"radius", PARAM_INT, .offset = offsetof(struct config, radius), .fallback = "5", .min = 1,
     .max = OBSERVATION_RADIUS_MAX, .help = "cells that window and sight reach to each side"},
    {"index", PARAM_CHOICE, .role = PARAM_TREATMENT, .offset = offsetof(struct config, index),
     .fallback = "\"spatial_hash\"", .choices = indexes, .help = "what answers who is near"},
    {"storage", PARAM_CHOICE, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, storage), .fallback = "\"hybrid\"",
     .choices = looking_storages, .help = "how observations are kept"},
    {"bilinear", PARAM_BOOL, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, bilinear), .fallback = "true",
     .help = "spread a resource over the four cells around its place"},
    {"world_size", PARAM_INT, .offset = offsetof(struct config, world_size), .fallback = "100",
     .min = 1, .max = 20000, .help = "cells of a side of the world"},
    {"resources", PARAM_INT, .offset = offsetof(struct config, resources), .fallback = "-1",
     .min = -1, .max = 1000000, .help = "resources in the world; -1 = two an agent"},
    {"steps", PARAM_INT, .offset = offsetof(struct config, steps), .fallback = "20", .min = 1,
     .max = 1000000, .help = "how often all agents observe in a trial"},
};

static const struct metric metrics[METRIC_COUNT] = {
    {"total_time", "s", DIRECTION_LOWER, "observation_total_time/1",
     "time of all observations, without the world's ticks"},
    {"time_per_observation", "s", DIRECTION_LOWER, "time_per_observation/1",
     "mean time of an observation"},
    {"observations_per_second", "1/s", DIRECTION_HIGHER, "observations_per_second/1",
     "observations per second"},
    {"observation_size", "1", DIRECTION_NONE, "observation_size/1",
     "cells of a side of the window"},
    {"observation_cells", "1", DIRECTION_NONE, "observation_cells/1",
     "cells of all channels together"},
    {"spatial_query_percent", "%", DIRECTION_NONE, "spatial_query_percent/1",
     "of a round with clocks in it: asking who is near"},
    {"placing_percent", "%", DIRECTION_NONE, "placing_percent/1",
     "of that round: drawing resources"},
    {"rest_percent", "%", DIRECTION_NONE, "observation_rest_percent/1",
     "of that round: remembering, agents, events, what is empty, reading"},
    {"placed_points", "1", DIRECTION_NONE, "placed_points/1", "cells drawn in that round"},
};

static struct experiment_demand profiler_demand(const void *config)
{
    const struct config *c = config;
    return looking_demand(c->num_agents, c->radius, "num_agents or radius");
}

static bool profiler_setup(const struct experiment_env *env, void *state, struct error *err)
{
    (void)err;
    const struct config *c = env->config;
    struct looking *l = &((struct state *)state)->looking;
    int64_t resources = c->resources < 0 ? 2 * c->num_agents : c->resources;
    l->config = (struct perception_config){
        .width = (int32_t)c->world_size,
        .height = (int32_t)c->world_size,
        .agents = (int32_t)c->num_agents,
        .resources = (int32_t)resources,
        .radius = (int32_t)c->radius,
        .fov_radius = (int32_t)c->radius,
        .storage = (enum observation_storage)c->storage,
        .is_bilinear = c->bilinear,
        .is_moving = true,
        .index = spatial_kind_find(str_of(indexes[c->index])),
    };
    l->steps = c->steps;
    looking_open(l, env->arena);
    return true;
}

static void give(double *values, const struct state *s)
{
    const double *looked = s->looked;
    const struct looking *l = &s->looking;
    bool is_bilinear = l->config.is_bilinear;
    double placing = looked[is_bilinear ? LOOKING_BILINEAR : LOOKING_NEAREST];
    values[METRIC_TOTAL] = looked[LOOKING_TIME];
    values[METRIC_EACH] = looked[LOOKING_TIME] / looked[LOOKING_OBSERVES];
    values[METRIC_RATE] = looked[LOOKING_RATE];
    values[METRIC_SIZE] = l->perception.lens.side;
    values[METRIC_CELLS] = (double)lens_tensor_floats(&l->perception.lens);
    values[METRIC_QUERY_SHARE] = looked[LOOKING_QUERY] / l->profiled_s * 100;
    values[METRIC_PLACING_SHARE] = placing / l->profiled_s * 100;
    values[METRIC_REST_SHARE] = 100 - values[METRIC_QUERY_SHARE] - values[METRIC_PLACING_SHARE];
    values[METRIC_POINTS] =
        looked[is_bilinear ? LOOKING_BILINEAR_POINTS : LOOKING_NEAREST_POINTS];
}

static enum trial_status profiler_conclude(struct trial *t, void *state,
                                           enum trial_status status)
{
    struct state *s = state;
    double *values = t->values;
    for (size_t i = 0; i < COUNT(s->looked); i++) s->looked[i] = (double)NAN;
    t->values = s->looked;
    status = looking_conclude(t, s, status);
    t->values = values;
    if (status == TRIAL_OK) give(values, s);
    return status;
}

static const struct experiment_plot plots[] = {
    {"Time of an observation by radius", EXPERIMENT_LINES, "radius", {"time_per_observation"}},
    {"Where the time goes",
     EXPERIMENT_BARS,
     NULL,
     {"spatial_query_percent", "placing_percent", "rest_percent"}},
};

const struct experiment experiment_observation_profiler = {
    .name = "observation_profiler",
    .summary = "where the time of an observation goes, by index, storage and radius",
    .help = "Trials are lived again with the other storage and another index: a cell that "
            "differs fails them. The shares come from one more round with clocks in it, which "
            "cost time themselves.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .primary = "time_per_observation",
    .plots = plots,
    .plot_count = COUNT(plots),
    .demand = profiler_demand,
    .setup = profiler_setup,
    .prepare = looking_prepare,
    .execute_once = looking_execute_once,
    .conclude = profiler_conclude,
    .teardown = looking_teardown,
};
