/* How do the costs of an index grow with the number of its points? A trial measures every
 * count, and fits time = a * n^b by least squares on logarithms: b is 0 for a cost that does
 * not grow, 1 for one that grows as the points do. */
#include "base/clock.h"
#include "base/json.h"
#include "experiment/spatial_workload.h"

#include <math.h>

struct config {
    int algorithms, query_patterns;
    struct param_ints agent_counts;
    int64_t steps;
    double world_sizes, query_radii;
    bool analyze_complexity, analyze_scalability, analyze_memory_efficiency;
};

/* What is measured of each count. */
enum { COST_BUILD, COST_QUERY, COST_NEAREST, COST_MOVE, COST_BYTES, COST_COUNT };

enum {
    METRIC_BUILD,
    METRIC_QUERY,
    METRIC_NEAREST,
    METRIC_MOVE,
    METRIC_BUILD_EXPONENT,
    METRIC_QUERY_EXPONENT,
    METRIC_NEAREST_EXPONENT,
    METRIC_SCALING,
    METRIC_BYTES,
    METRIC_EFFICIENCY,
    METRIC_COUNT
};

struct state {
    const struct config *config;
    size_t count; /* of agent_counts */
    struct spatial_workload *works;
    struct spatial *indexes;
    double (*costs)[COST_COUNT];
};

static const struct param params[] = {
    {"algorithms", PARAM_CHOICE, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, algorithms), .fallback = "\"kd_tree\"",
     .choices = spatial_algorithms, .help = "the index"},
    {"agent_counts", PARAM_INT_LIST, .offset = offsetof(struct config, agent_counts),
     .fallback = "[100, 500, 1000, 2000, 5000]", .min = 1, .max = 10000000,
     .help = "points in it; every trial measures all of them"},
    {"world_sizes", PARAM_REAL, .offset = offsetof(struct config, world_sizes),
     .fallback = "1000", .min = 1, .max = 1e9, .help = "side of the square that they are in"},
    {"query_patterns", PARAM_CHOICE, .offset = offsetof(struct config, query_patterns),
     .fallback = "\"uniform\"", .choices = spatial_query_patterns,
     .help = "where questions are asked: anywhere, in clouds, along diagonals, at points"},
    {"query_radii", PARAM_REAL, .offset = offsetof(struct config, query_radii),
     .fallback = "20", .min = 0, .max = 1e9, .help = "radius of the questions"},
    {"steps", PARAM_INT, .offset = offsetof(struct config, steps), .fallback = "200", .min = 10,
     .max = 100000, .help = "questions of each kind, and moves, for each count"},
    {"analyze_complexity", PARAM_BOOL, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, analyze_complexity), .fallback = "true",
     .help = "fit exponents of the number of points"},
    {"analyze_scalability", PARAM_BOOL, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, analyze_scalability), .fallback = "true",
     .help = "compare the largest count with the smallest"},
    {"analyze_memory_efficiency", PARAM_BOOL, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, analyze_memory_efficiency), .fallback = "true",
     .help = "compare memory with that of bare coordinates"},
};

static const struct metric metrics[] = {
    [METRIC_BUILD] = {"build_time", "s", DIRECTION_LOWER, "spatial_build/1",
                      "time to build the index of the largest count, mean of ten"},
    [METRIC_QUERY] = {"avg_query_time", "s", DIRECTION_LOWER, "spatial_query/1",
                      "time of a radius question at the largest count"},
    [METRIC_NEAREST] = {"avg_nearest_time", "s", DIRECTION_LOWER, "spatial_nearest/1",
                        "time of a question for the nearest at the largest count"},
    [METRIC_MOVE] = {"time_per_move", "s", DIRECTION_LOWER, "spatial_single_move/1",
                     "time of a move at the largest count"},
    [METRIC_BUILD_EXPONENT] = {"build_exponent", "1", DIRECTION_NONE,
                               "spatial_build_exponent/1",
                               "b of a * n^b, fitted to the times to build"},
    [METRIC_QUERY_EXPONENT] = {"query_exponent", "1", DIRECTION_NONE,
                               "spatial_query_exponent/1",
                               "the same of a radius question; it grows with what it finds"},
    [METRIC_NEAREST_EXPONENT] = {"nearest_exponent", "1", DIRECTION_NONE,
                                 "spatial_nearest_exponent/1",
                                 "the same of a question for the nearest"},
    [METRIC_SCALING] = {"scaling_factor", "1", DIRECTION_LOWER, "spatial_scaling/1",
                        "time to build, for each point: largest count by smallest"},
    [METRIC_BYTES] = {"memory_per_entity", "B", DIRECTION_LOWER, "spatial_memory_each/1",
                      "memory of the index for each point, counted, at the largest count"},
    [METRIC_EFFICIENCY] = {"memory_efficiency", "1", DIRECTION_HIGHER,
                           "spatial_memory_efficiency/1",
                           "the 20 bytes of a bare point and its number, by the above"},
};

static struct experiment_demand analyzer_demand(const void *config)
{
    const struct config *c = config;
    double points = 0, steps = (double)c->steps * (double)c->agent_counts.count;
    for (size_t i = 0; i < c->agent_counts.count; i++)
        points += (double)c->agent_counts.items[i];
    return spatial_workload_demand(points, steps, steps, "agent_counts or steps");
}

static bool analyzer_setup(const struct experiment_env *env, void *state, struct error *err)
{
    (void)err;
    struct state *s = state;
    s->config = env->config;
    s->count = s->config->agent_counts.count;
    s->works = arena_new(env->arena, struct spatial_workload, s->count);
    s->indexes = arena_new(env->arena, struct spatial, s->count);
    s->costs = arena_alloc(env->arena, s->count, sizeof *s->costs, _Alignof(double));
    return true;
}

static enum trial_status analyzer_prepare(struct trial *t, void *state)
{
    struct state *s = state;
    const struct config *c = s->config;
    for (size_t i = 0; i < s->count; i++) {
        struct spatial_plan plan = {
            .algorithm = c->algorithms,
            .movable = (size_t)c->agent_counts.items[i],
            .side = c->world_sizes,
            .asked = spatial_query_pattern(c->query_patterns),
            .questions = (size_t)c->steps,
            .moves = (size_t)c->steps,
            .stride = c->world_sizes / 100,
            .seed = rng_nth(t->workload_seed, i),
        };
        spatial_workload_make(&s->works[i], &plan);
    }
    return TRIAL_OK;
}

static void measure(struct spatial_workload *w, struct spatial *index, double radius,
                    double *costs)
{
    costs[COST_BUILD] = spatial_time_build(w).mean_s;
    size_t before = w->heap.live_bytes;
    spatial_workload_open(w, index);
    costs[COST_BYTES] = (double)(w->heap.live_bytes - before) / (double)w->count;
    costs[COST_QUERY] = spatial_time_radius(w, index, radius).mean_s;
    costs[COST_NEAREST] = spatial_time_nearest(w, index).mean_s;
    int64_t begin_ns = clock_ns();
    for (size_t i = 0; i < w->plan.moves; i++)
        spatial_move(index, w->moves[i].id, w->moves[i].to);
    costs[COST_MOVE] = (double)(clock_ns() - begin_ns) / 1e9 / (double)w->plan.moves;
}

static enum trial_status analyzer_execute_once(struct trial *t, void *state)
{
    (void)t;
    struct state *s = state;
    for (size_t i = 0; i < s->count; i++)
        measure(&s->works[i], &s->indexes[i], s->config->query_radii, s->costs[i]);
    return TRIAL_OK;
}

/* Slope of log(cost) over log(n); NaN where the counts do not differ. */
static double exponent_of(const struct state *s, int cost)
{
    double n = (double)s->count, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (size_t i = 0; i < s->count; i++) {
        double x = log((double)s->works[i].count);
        double y = log(s->costs[i][cost]);
        sum_x += x;
        sum_y += y;
        sum_xx += x * x;
        sum_xy += x * y;
    }
    double spread = sum_xx - sum_x * sum_x / n;
    return spread > 1e-9 ? (sum_xy - sum_x * sum_y / n) / spread : (double)NAN;
}

static void largest_and_smallest(const struct state *s, size_t *largest, size_t *smallest)
{
    *largest = *smallest = 0;
    for (size_t i = 1; i < s->count; i++) {
        if (s->works[i].count > s->works[*largest].count) *largest = i;
        if (s->works[i].count < s->works[*smallest].count) *smallest = i;
    }
}

static void give_values(double *v, const struct state *s)
{
    static const double bare_bytes = 20;
    size_t largest, smallest;
    largest_and_smallest(s, &largest, &smallest);
    const double *at_most = s->costs[largest], *at_least = s->costs[smallest];
    v[METRIC_BUILD] = at_most[COST_BUILD];
    v[METRIC_QUERY] = at_most[COST_QUERY];
    v[METRIC_NEAREST] = at_most[COST_NEAREST];
    v[METRIC_MOVE] = at_most[COST_MOVE];
    if (s->config->analyze_complexity) {
        v[METRIC_BUILD_EXPONENT] = exponent_of(s, COST_BUILD);
        v[METRIC_QUERY_EXPONENT] = exponent_of(s, COST_QUERY);
        v[METRIC_NEAREST_EXPONENT] = exponent_of(s, COST_NEAREST);
    }
    if (s->config->analyze_scalability && largest != smallest) {
        v[METRIC_SCALING] = at_most[COST_BUILD] / (double)s->works[largest].count /
                            (at_least[COST_BUILD] / (double)s->works[smallest].count);
    }
    if (s->config->analyze_memory_efficiency) {
        v[METRIC_BYTES] = at_most[COST_BYTES];
        v[METRIC_EFFICIENCY] = bare_bytes / at_most[COST_BYTES];
    }
}

static void give_detail(struct trial *t, const struct state *s)
{
    static const char *const names[] = {"build_time", "avg_query_time", "avg_nearest_time",
                                        "time_per_move", "memory_per_entity"};
    struct json j;
    json_init(&j, t->detail, 0);
    json_object(&j);
    json_key_list(&j, "results");
    for (size_t i = 0; i < s->count; i++) {
        json_object(&j);
        spatial_workload_write(&s->works[i], &j);
        for (size_t c = 0; c < COUNT(names); c++) json_put_real(&j, names[c], s->costs[i][c]);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}

static enum trial_status analyzer_conclude(struct trial *t, void *state,
                                           enum trial_status status)
{
    struct state *s = state;
    bool ok = true;
    for (size_t i = 0; i < s->count; i++) {
        struct spatial *const index = &s->indexes[i];
        ok &=
            spatial_workload_finish(&s->works[i], &index, 1, s->config->query_radii, &t->error);
    }
    if (!ok) return TRIAL_FAILED;
    give_values(t->values, s);
    give_detail(t, s);
    return status;
}

static const struct experiment_plot plots[] = {
    {"Growth with the number of points: the exponent",
     EXPERIMENT_BARS,
     NULL,
     {"build_exponent", "query_exponent", "nearest_exponent"}},
};

const struct experiment experiment_spatial_performance_analyzer = {
    .name = "spatial_performance_analyzer",
    .summary = "how the costs of a spatial index grow with its points",
    .help =
        "Measures every count in each trial, and fits the exponents to what was measured. "
        "The original's efficiency score, which adds seconds to kilobytes, and its industry "
        "averages, which nobody measured, are not here: compare cells instead. After each "
        "trial 100 answers a count are compared with brute force.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .primary = "avg_query_time",
    .plots = plots,
    .plot_count = COUNT(plots),
    .demand = analyzer_demand,
    .setup = analyzer_setup,
    .prepare = analyzer_prepare,
    .execute_once = analyzer_execute_once,
    .conclude = analyzer_conclude,
};
