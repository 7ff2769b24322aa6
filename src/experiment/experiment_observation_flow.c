/* How many observations a second? */
#include "experiment/looking.h"

struct config {
    int64_t width, height, num_agents, steps, radius, fov_radius, resources;
    int device, storage;
    bool bilinear, moving;
};

static const struct param params[] = {
    {"width", PARAM_INT, .offset = offsetof(struct config, width), .fallback = "200", .min = 1,
     .max = 20000, .help = "cells of the world from left to right"},
    {"height", PARAM_INT, .offset = offsetof(struct config, height), .fallback = "200",
     .min = 1, .max = 20000, .help = "cells from top to bottom"},
    {"num_agents", PARAM_INT, .offset = offsetof(struct config, num_agents), .fallback = "200",
     .min = 1, .max = 100000, .help = "agents that observe"},
    {"steps", PARAM_INT, .offset = offsetof(struct config, steps), .fallback = "100", .min = 1,
     .max = 1000000, .help = "how often all of them do in a trial"},
    {"radius", PARAM_INT, .offset = offsetof(struct config, radius), .fallback = "6", .min = 1,
     .max = OBSERVATION_RADIUS_MAX, .help = "cells that the window reaches to each side"},
    {"fov_radius", PARAM_INT, .offset = offsetof(struct config, fov_radius), .fallback = "6",
     .min = 1, .max = OBSERVATION_RADIUS_MAX,
     .help = "cells that an agent sees around it, at most the radius"},
    {"storage", PARAM_CHOICE, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, storage), .fallback = "\"hybrid\"",
     .choices = looking_storages, .help = "how observations are kept"},
    {"bilinear", PARAM_BOOL, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, bilinear), .fallback = "true",
     .help = "spread a resource over the four cells around its place"},
    {"resources", PARAM_INT, .offset = offsetof(struct config, resources), .fallback = "10",
     .min = 0, .max = 1000000, .help = "resources in the world"},
    {"moving", PARAM_BOOL, .offset = offsetof(struct config, moving), .fallback = "true",
     .help = "let the world change between observations"},
    {"device", PARAM_CHOICE, .offset = offsetof(struct config, device), .fallback = "\"cpu\"",
     .choices = looking_devices, .help = "what computes; there is nothing but processors"},
};

static struct experiment_demand flow_demand(const void *config)
{
    const struct config *c = config;
    return looking_demand(c->num_agents, c->radius, "num_agents or radius");
}

static bool flow_setup(const struct experiment_env *env, void *state, struct error *err)
{
    (void)err;
    const struct config *c = env->config;
    struct looking *l = state;
    l->config = (struct perception_config){
        .width = (int32_t)c->width,
        .height = (int32_t)c->height,
        .agents = (int32_t)c->num_agents,
        .resources = (int32_t)c->resources,
        .radius = (int32_t)c->radius,
        .fov_radius = (int32_t)c->fov_radius,
        .storage = (enum observation_storage)c->storage,
        .is_bilinear = c->bilinear,
        .is_moving = c->moving,
    };
    l->steps = c->steps;
    looking_open(l, env->arena);
    return true;
}

static const struct experiment_plot plots[] = {
    {"Observations a second", EXPERIMENT_LINES, "num_agents", {"observes_per_sec"}},
};

const struct experiment experiment_observation_flow = {
    .name = "observation_flow",
    .summary = "agents observe their world: how many observations a second",
    .help = "Every agent of a seeded world looks around once a step and gets a tensor of 13 "
            "channels; between steps the world changes, outside of the observations' time. "
            "Every trial is lived again in the other storage: a cell that differs fails it.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct looking),
    .metrics = looking_metrics,
    .metric_count = LOOKING_METRIC_COUNT,
    .primary = "observes_per_sec",
    .plots = plots,
    .plot_count = COUNT(plots),
    .demand = flow_demand,
    .setup = flow_setup,
    .prepare = looking_prepare,
    .execute_once = looking_execute_once,
    .conclude = looking_conclude,
    .teardown = looking_teardown,
};
