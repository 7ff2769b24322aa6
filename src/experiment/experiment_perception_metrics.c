/* What do the number of agents, the radius, the storage and the placement cost? The world
 * grows with them, so that how crowded it is stays the same. */
#include "experiment/looking.h"

#include <math.h>

struct config {
    int64_t agent_counts, radii, steps;
    int storage_modes, device;
    bool use_bilinear_list;
};

static const struct param params[] = {
    {"agent_counts", PARAM_INT, .offset = offsetof(struct config, agent_counts),
     .fallback = "100", .min = 1, .max = 100000, .help = "agents that observe"},
    {"radii", PARAM_INT, .offset = offsetof(struct config, radii), .fallback = "5", .min = 1,
     .max = OBSERVATION_RADIUS_MAX, .help = "cells that window and sight reach to each side"},
    {"storage_modes", PARAM_CHOICE, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, storage_modes), .fallback = "\"hybrid\"",
     .choices = looking_storages, .help = "how observations are kept"},
    {"use_bilinear_list", PARAM_BOOL, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, use_bilinear_list), .fallback = "true",
     .help = "spread a resource over the four cells around its place"},
    {"steps", PARAM_INT, .offset = offsetof(struct config, steps), .fallback = "10", .min = 1,
     .max = 1000000, .help = "how often all of them observe in a trial"},
    {"device", PARAM_CHOICE, .offset = offsetof(struct config, device), .fallback = "\"cpu\"",
     .choices = looking_devices, .help = "what computes; there is nothing but processors"},
};

static struct experiment_demand perception_demand(const void *config)
{
    const struct config *c = config;
    return looking_demand(c->agent_counts, c->radii, "agent_counts or radii");
}

static bool perception_setup(const struct experiment_env *env, void *state, struct error *err)
{
    (void)err;
    const struct config *c = env->config;
    struct looking *l = state;
    double side = floor(2.5 * (double)c->radii * sqrt((double)c->agent_counts));
    if (side < 200) side = 200;
    l->config = (struct perception_config){
        .width = (int32_t)side,
        .height = (int32_t)side,
        .agents = (int32_t)c->agent_counts,
        .resources = 10,
        .radius = (int32_t)c->radii,
        .fov_radius = (int32_t)c->radii,
        .storage = (enum observation_storage)c->storage_modes,
        .is_bilinear = c->use_bilinear_list,
        .is_moving = true,
    };
    l->steps = c->steps;
    looking_open(l, env->arena);
    return true;
}

/* One of the runs that the peer lists in one result; here each is a cell of its own. */
static enum trial_status perception_conclude(struct trial *t, void *state,
                                             enum trial_status status)
{
    buf_text(t->detail, "{\"runs\":[");
    status = looking_conclude(t, state, status);
    buf_text(t->detail, "]}");
    return status;
}

static const struct experiment_plot plots[] = {
    {"Observations a second", EXPERIMENT_LINES, "agent_counts", {"observes_per_sec"}},
};

const struct experiment experiment_perception_metrics = {
    .name = "perception_metrics",
    .summary = "what agents, radius, storage and placement cost an observation",
    .help = "As observation_flow, in a square world of max(200, 2.5 * radius * sqrt(agents)) "
            "cells a side with 10 resources. A list sweeps; storages and placements take turns "
            "over the same worlds.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct looking),
    .metrics = looking_metrics,
    .metric_count = LOOKING_METRIC_COUNT,
    .primary = "observes_per_sec",
    .plots = plots,
    .plot_count = COUNT(plots),
    .demand = perception_demand,
    .setup = perception_setup,
    .prepare = looking_prepare,
    .execute_once = looking_execute_once,
    .conclude = perception_conclude,
    .teardown = looking_teardown,
};
