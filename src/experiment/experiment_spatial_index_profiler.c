/* One index under each kind of question: agents that move and resources that do not, built
 * once, then steps of a batch of moves and questions. */
#include "base/clock.h"
#include "base/json.h"
#include "experiment/spatial_workload.h"

enum query_type { QUERY_RANGE, QUERY_NEAREST, QUERY_INTERSECTION, QUERY_RADIUS };

struct config {
    int algorithms, query_types;
    int64_t agent_counts, steps, batch_sizes, queries_per_step;
    double world_size, query_radius;
};

enum {
    METRIC_BUILD,
    METRIC_PER_ENTITY,
    METRIC_TOTAL,
    METRIC_PER_QUERY,
    METRIC_RATE,
    METRIC_UPDATE,
    METRIC_MOVED,
    METRIC_PER_MOVE,
    METRIC_COUNT
};

struct state {
    const struct config *config;
    struct spatial_workload work;
    struct spatial index;
    double values[METRIC_COUNT];
};

static const char *const query_types[] = {"range", "nearest", "intersection", "radius", NULL};

static const struct param params[] = {
    {"algorithms", PARAM_CHOICE, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, algorithms), .fallback = "\"kd_tree\"",
     .choices = spatial_algorithms, .help = "the index"},
    {"agent_counts", PARAM_INT, .offset = offsetof(struct config, agent_counts),
     .fallback = "1000", .min = 2, .max = 10000000,
     .help = "agents in it; half as many resources are added"},
    {"world_size", PARAM_REAL, .offset = offsetof(struct config, world_size),
     .fallback = "1000", .min = 1, .max = 1e9, .help = "side of the square that they are in"},
    {"query_types", PARAM_CHOICE, .offset = offsetof(struct config, query_types),
     .fallback = "\"radius\"", .choices = query_types,
     .help = "all in a rectangle, the nearest, all around two places, or all around one"},
    {"query_radius", PARAM_REAL, .offset = offsetof(struct config, query_radius),
     .fallback = "50", .min = 0, .max = 1e9,
     .help = "radius, or half the side of the rectangle"},
    {"steps", PARAM_INT, .offset = offsetof(struct config, steps), .fallback = "100", .min = 1,
     .max = 100000, .help = "steps, each a batch of moves and questions"},
    {"batch_sizes", PARAM_INT, .offset = offsetof(struct config, batch_sizes),
     .fallback = "100", .min = 1, .max = 1000000, .help = "moves in a step"},
    {"queries_per_step", PARAM_INT, .offset = offsetof(struct config, queries_per_step),
     .fallback = "10", .min = 1, .max = 100000, .help = "questions in a step"},
};

static const struct metric metrics[] = {
    [METRIC_BUILD] = {"build_time", "s", DIRECTION_LOWER, "spatial_build/1",
                      "time to build the index, mean of ten"},
    [METRIC_PER_ENTITY] = {"time_per_entity", "s", DIRECTION_LOWER, "spatial_build_each/1",
                           "the same for each point"},
    [METRIC_TOTAL] = {"total_time", "s", DIRECTION_LOWER, "spatial_queries/2",
                      "all questions of a trial"},
    [METRIC_PER_QUERY] = {"per_query", "s", DIRECTION_LOWER, "spatial_query_each/2",
                          "time of a question"},
    [METRIC_RATE] = {"queries_per_second", "1/s", DIRECTION_HIGHER, "spatial_query_rate/2",
                     "questions per second"},
    [METRIC_UPDATE] = {"update_time", "s", DIRECTION_LOWER, "spatial_updates_time/1",
                       "all batches of moves of a trial"},
    [METRIC_MOVED] = {"entities_moved", "1", DIRECTION_NONE, "spatial_updates/1", "moves done"},
    [METRIC_PER_MOVE] = {"time_per_move", "s", DIRECTION_LOWER, "spatial_move_each/1",
                         "time of a move within its batch"},
};

static struct experiment_demand profiler_demand(const void *config)
{
    const struct config *c = config;
    return spatial_workload_demand(1.5 * (double)c->agent_counts, (double)c->queries_per_step,
                                   (double)c->steps * (double)c->batch_sizes,
                                   "agent_counts, steps or batch_sizes");
}

static bool profiler_setup(const struct experiment_env *env, void *state, struct error *err)
{
    (void)err;
    struct state *s = state;
    s->config = env->config;
    return true;
}

static enum trial_status profiler_prepare(struct trial *t, void *state)
{
    struct state *s = state;
    const struct config *c = s->config;
    struct spatial_plan plan = {
        .algorithm = c->algorithms,
        .movable = (size_t)c->agent_counts,
        .fixed = (size_t)c->agent_counts / 2,
        .side = c->world_size,
        .questions = (size_t)c->queries_per_step,
        .moves = (size_t)(c->steps * c->batch_sizes),
        .stride = c->world_size / 100,
        .seed = t->workload_seed,
    };
    spatial_workload_make(&s->work, &plan);
    return TRIAL_OK;
}

static double ask(struct state *s)
{
    struct spatial_workload *w = &s->work;
    double radius = s->config->query_radius;
    switch ((enum query_type)s->config->query_types) {
    case QUERY_RANGE: return spatial_time_range(w, &s->index, radius).total_s;
    case QUERY_NEAREST: return spatial_time_nearest(w, &s->index).total_s;
    case QUERY_INTERSECTION: return spatial_time_intersection(w, &s->index, radius).total_s;
    case QUERY_RADIUS: break;
    }
    return spatial_time_radius(w, &s->index, radius).total_s;
}

static enum trial_status profiler_execute_once(struct trial *t, void *state)
{
    (void)t;
    struct state *s = state;
    const struct config *c = s->config;
    struct spatial_workload *w = &s->work;
    s->values[METRIC_BUILD] = spatial_time_build(w).mean_s;
    spatial_workload_open(w, &s->index);
    double queries_s = 0;
    int64_t update_ns = 0;
    for (int64_t step = 0; step < c->steps; step++) {
        int64_t begin_ns = clock_ns();
        spatial_update(&s->index, w->moves + step * c->batch_sizes, (size_t)c->batch_sizes);
        update_ns += clock_ns() - begin_ns;
        queries_s += ask(s);
    }
    s->values[METRIC_TOTAL] = queries_s;
    s->values[METRIC_UPDATE] = (double)update_ns / 1e9;
    return TRIAL_OK;
}

static void give(struct trial *t, const struct state *s)
{
    const struct config *c = s->config;
    double queries = (double)(c->steps * c->queries_per_step);
    double moves = (double)s->work.plan.moves;
    double *v = t->values;
    v[METRIC_BUILD] = s->values[METRIC_BUILD];
    v[METRIC_PER_ENTITY] = v[METRIC_BUILD] / (double)s->work.count;
    v[METRIC_TOTAL] = s->values[METRIC_TOTAL];
    v[METRIC_PER_QUERY] = v[METRIC_TOTAL] / queries;
    v[METRIC_RATE] = queries / v[METRIC_TOTAL];
    v[METRIC_UPDATE] = s->values[METRIC_UPDATE];
    v[METRIC_MOVED] = moves;
    v[METRIC_PER_MOVE] = v[METRIC_UPDATE] / moves;
    struct json j;
    json_init(&j, t->detail, 0);
    json_object(&j);
    spatial_workload_write(&s->work, &j);
    json_put_text(&j, "query_type", query_types[c->query_types]);
    for (size_t i = 0; i < METRIC_COUNT; i++) json_put_real(&j, metrics[i].name, v[i]);
    json_end(&j);
}

static enum trial_status profiler_conclude(struct trial *t, void *state,
                                           enum trial_status status)
{
    struct state *s = state;
    struct spatial *const index = &s->index;
    bool ok = spatial_workload_finish(&s->work, &index, 1, s->config->query_radius, &t->error);
    if (!ok) return TRIAL_FAILED;
    give(t, s);
    return status;
}

static const struct experiment_plot plots[] = {
    {"Time of a question", EXPERIMENT_LINES, "agent_counts", {"per_query"}},
};

const struct experiment experiment_spatial_index_profiler = {
    .name = "spatial_index_profiler",
    .summary = "questions of each kind put to an index whose points move",
    .help = "`intersection` asks for the points around two places at once: radius apart, both "
            "within the radius. After each trial 100 answers are compared with brute force.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .primary = "per_query",
    .plots = plots,
    .plot_count = COUNT(plots),
    .demand = profiler_demand,
    .setup = profiler_setup,
    .prepare = profiler_prepare,
    .execute_once = profiler_execute_once,
    .conclude = profiler_conclude,
};
