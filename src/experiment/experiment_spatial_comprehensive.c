/* What does each index cost to build, to ask, and to keep up while its points move? */
#include "base/clock.h"
#include "base/json.h"
#include "experiment/spatial_workload.h"

struct config {
    int algorithms, distributions;
    int64_t agent_counts, steps, moves_per_step, queries_per_step, queries;
    double world_sizes, query_radii;
};

enum {
    METRIC_BUILD,
    METRIC_QUERY,
    METRIC_QUERY_STD,
    METRIC_NEAREST,
    METRIC_NEAREST_STD,
    METRIC_MEMORY,
    METRIC_BATCH,
    METRIC_IMMEDIATE,
    METRIC_RATIO,
    METRIC_STEP_BATCH,
    METRIC_STEP_IMMEDIATE,
    METRIC_COUNT
};

/* The contenders of the steps, each with an index of its own. */
enum { BATCH, IMMEDIATE, CONTENDERS };

struct state {
    const struct config *config;
    struct spatial_workload work;
    struct spatial asked, indexes[CONTENDERS];
    int first; /* contender that has the first turn */
    double values[METRIC_COUNT];
};

static const struct param params[] = {
    {"algorithms", PARAM_CHOICE, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, algorithms), .fallback = "\"kd_tree\"",
     .choices = spatial_algorithms, .help = "the index"},
    {"agent_counts", PARAM_INT, .offset = offsetof(struct config, agent_counts),
     .fallback = "1000", .min = 1, .max = 10000000, .help = "points in it"},
    {"world_sizes", PARAM_REAL, .offset = offsetof(struct config, world_sizes),
     .fallback = "1000", .min = 1, .max = 1e9, .help = "side of the square that they are in"},
    {"query_radii", PARAM_REAL, .offset = offsetof(struct config, query_radii),
     .fallback = "20", .min = 0, .max = 1e9, .help = "radius of the questions"},
    {"distributions", PARAM_CHOICE, .offset = offsetof(struct config, distributions),
     .fallback = "\"uniform\"", .choices = spatial_distributions,
     .help = "how the points are spread"},
    {"steps", PARAM_INT, .offset = offsetof(struct config, steps), .fallback = "35", .min = 1,
     .max = 100000, .help = "steps in which points move and questions are asked in turn"},
    {"moves_per_step", PARAM_INT, .offset = offsetof(struct config, moves_per_step),
     .fallback = "18", .min = 1, .max = 1000000, .help = "moves in a step"},
    {"queries_per_step", PARAM_INT, .offset = offsetof(struct config, queries_per_step),
     .fallback = "25", .min = 1, .max = 100000, .help = "radius questions in a step"},
    {"queries", PARAM_INT, .offset = offsetof(struct config, queries), .fallback = "100",
     .min = 10, .max = 1000000,
     .help = "radius questions, and nearest ones, put to the index before anything moves"},
};

static const struct metric metrics[] = {
    [METRIC_BUILD] = {"build_time", "s", DIRECTION_LOWER, "spatial_build/1",
                      "time to build the index, mean of ten"},
    [METRIC_QUERY] = {"avg_query_time", "s", DIRECTION_LOWER, "spatial_query/1",
                      "time of a radius question"},
    [METRIC_QUERY_STD] = {"query_time_std", "s", DIRECTION_LOWER, "spatial_query_std/2",
                          "standard deviation between blocks of ten radius questions"},
    [METRIC_NEAREST] = {"avg_nearest_time", "s", DIRECTION_LOWER, "spatial_nearest/1",
                        "time of a question for the nearest"},
    [METRIC_NEAREST_STD] = {"nearest_time_std", "s", DIRECTION_LOWER, "spatial_nearest_std/2",
                            "standard deviation between blocks of ten questions"},
    [METRIC_MEMORY] = {"memory_usage", "MB", DIRECTION_LOWER, "spatial_memory/1",
                       "memory of the built index, counted by its allocator"},
    [METRIC_BATCH] = {"batch_total_time_mean_s", "s", DIRECTION_LOWER, "spatial_batch_steps/1",
                      "all steps, the moves of each in one batch"},
    [METRIC_IMMEDIATE] = {"immediate_total_time_mean_s", "s", DIRECTION_LOWER,
                          "spatial_immediate_steps/1", "all steps, each move for itself"},
    [METRIC_RATIO] = {"immediate_over_batch", "1", DIRECTION_NONE,
                      "spatial_immediate_over_batch/1",
                      "time of the second by time of the first; above 1, batches help"},
    [METRIC_STEP_BATCH] = {"per_step_batch_ms", "ms", DIRECTION_LOWER, "spatial_step_batch/1",
                           "a step with its moves in one batch"},
    [METRIC_STEP_IMMEDIATE] = {"per_step_immediate_ms", "ms", DIRECTION_LOWER,
                               "spatial_step_immediate/1", "a step with each move for itself"},
};

static struct experiment_demand comprehensive_demand(const void *config)
{
    const struct config *c = config;
    return spatial_workload_demand((double)c->agent_counts, (double)c->queries,
                                   (double)c->steps * (double)c->moves_per_step,
                                   "agent_counts, steps or moves_per_step");
}

static bool comprehensive_setup(const struct experiment_env *env, void *state,
                                struct error *err)
{
    (void)err;
    struct state *s = state;
    s->config = env->config;
    return true;
}

static enum trial_status comprehensive_prepare(struct trial *t, void *state)
{
    struct state *s = state;
    const struct config *c = s->config;
    struct spatial_plan plan = {
        .algorithm = c->algorithms,
        .movable = (size_t)c->agent_counts,
        .side = c->world_sizes,
        .distribution = (enum spatial_pattern)c->distributions,
        .asked = SPATIAL_UNIFORM,
        .questions = (size_t)c->queries,
        .moves = (size_t)(c->steps * c->moves_per_step),
        .stride = c->world_sizes / 100,
        .seed = t->workload_seed,
    };
    spatial_workload_make(&s->work, &plan);
    s->first = spatial_workload_draw(&s->work, CONTENDERS);
    return TRIAL_OK;
}

/* Moves, then questions. */
static int64_t run_step(struct state *s, int contender, int64_t step)
{
    const struct config *c = s->config;
    struct spatial_workload *w = &s->work;
    struct spatial *index = &s->indexes[contender];
    const struct spatial_move *moves = w->moves + step * c->moves_per_step;
    size_t asked = (size_t)(step * c->queries_per_step) % w->plan.questions;
    int64_t begin_ns = clock_ns();
    if (contender == BATCH) {
        spatial_update(index, moves, (size_t)c->moves_per_step);
    } else {
        for (int64_t i = 0; i < c->moves_per_step; i++)
            spatial_move(index, moves[i].id, moves[i].to);
    }
    for (int64_t i = 0; i < c->queries_per_step; i++) {
        w->found.count = 0;
        spatial_radius(index, w->centres[asked], c->query_radii, &w->found);
        asked = asked + 1 < w->plan.questions ? asked + 1 : 0;
    }
    return clock_ns() - begin_ns;
}

/* The same schedule in both ways, each step by both in turn: nobody always comes first, or to
 * what the other has just had in the cache. */
static void run_steps(struct state *s)
{
    int64_t total_ns[CONTENDERS] = {0};
    for (int i = 0; i < CONTENDERS; i++)
        spatial_workload_open(&s->work, &s->indexes[(s->first + i) % CONTENDERS]);
    for (int64_t step = 0; step < s->config->steps; step++) {
        for (int i = 0; i < CONTENDERS; i++) {
            int contender = (int)((s->first + step + i) % CONTENDERS);
            total_ns[contender] += run_step(s, contender, step);
        }
    }
    s->values[METRIC_BATCH] = (double)total_ns[BATCH] / 1e9;
    s->values[METRIC_IMMEDIATE] = (double)total_ns[IMMEDIATE] / 1e9;
}

static enum trial_status comprehensive_execute_once(struct trial *t, void *state)
{
    (void)t;
    struct state *s = state;
    struct spatial_workload *w = &s->work;
    double *v = s->values;
    v[METRIC_BUILD] = spatial_time_build(w).mean_s;
    size_t before = w->heap.live_bytes;
    spatial_workload_open(w, &s->asked);
    v[METRIC_MEMORY] = (double)(w->heap.live_bytes - before) / 1e6;
    struct spatial_times radius = spatial_time_radius(w, &s->asked, s->config->query_radii);
    struct spatial_times nearest = spatial_time_nearest(w, &s->asked);
    v[METRIC_QUERY] = radius.mean_s;
    v[METRIC_QUERY_STD] = radius.std_s;
    v[METRIC_NEAREST] = nearest.mean_s;
    v[METRIC_NEAREST_STD] = nearest.std_s;
    run_steps(s);
    return TRIAL_OK;
}

static void give(struct trial *t, const struct state *s)
{
    double steps = (double)s->config->steps;
    for (size_t i = 0; i < METRIC_COUNT; i++) t->values[i] = s->values[i];
    t->values[METRIC_RATIO] = s->values[METRIC_IMMEDIATE] / s->values[METRIC_BATCH];
    t->values[METRIC_STEP_BATCH] = s->values[METRIC_BATCH] * 1e3 / steps;
    t->values[METRIC_STEP_IMMEDIATE] = s->values[METRIC_IMMEDIATE] * 1e3 / steps;
    struct json j;
    json_init(&j, t->detail, 0);
    json_object(&j);
    spatial_workload_write(&s->work, &j);
    for (size_t i = 0; i < METRIC_COUNT; i++) json_put_real(&j, metrics[i].name, t->values[i]);
    json_end(&j);
}

static enum trial_status comprehensive_conclude(struct trial *t, void *state,
                                                enum trial_status status)
{
    struct state *s = state;
    struct spatial *const indexes[] = {&s->indexes[BATCH], &s->indexes[IMMEDIATE]};
    double radius = s->config->query_radii;
    bool ok = spatial_workload_check_unmoved(&s->work, &s->asked, radius, &t->error);
    spatial_close(&s->asked);
    struct error second = {0}; /* the first is kept */
    if (!spatial_workload_finish(&s->work, indexes, COUNT(indexes), radius,
                                 ok ? &t->error : &second) ||
        !ok)
        return TRIAL_FAILED;
    give(t, s);
    return status;
}

static const struct experiment_plot plots[] = {
    {"Time of a radius question", EXPERIMENT_LINES, "agent_counts", {"avg_query_time"}},
    {"Time to build the index", EXPERIMENT_LINES, "agent_counts", {"build_time"}},
};

const struct experiment experiment_spatial_comprehensive = {
    .name = "spatial_comprehensive",
    .summary = "what spatial indexes cost to build, to ask and to keep up",
    .help = "Points in a square world, an index of them, radius and nearest questions, then "
            "steps in which points move and questions are asked, each step once with its moves "
            "in a batch and once each for itself, in turns, on an index for each. Contenders "
            "get the same points, questions and "
            "moves. After each trial 100 answers of all three indexes are compared with brute "
            "force.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .primary = "avg_query_time",
    .plots = plots,
    .plot_count = COUNT(plots),
    .demand = comprehensive_demand,
    .setup = comprehensive_setup,
    .prepare = comprehensive_prepare,
    .execute_once = comprehensive_execute_once,
    .conclude = comprehensive_conclude,
};
