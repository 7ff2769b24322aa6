/* Is it cheaper to hand an index many moves at once? Points move, in batches, each for itself,
 * and by rebuilding the index: the same places in the end. The first two have turns of some
 * batches each; which is first, and whether rebuilding is before or after them, is drawn. */
#include "base/clock.h"
#include "base/json.h"
#include "experiment/spatial_workload.h"

struct config {
    int algorithms, distributions;
    int64_t agent_counts, batch_sizes;
    double world_sizes, query_radii, moved;
};

enum {
    METRIC_BATCH,
    METRIC_INDIVIDUAL,
    METRIC_REBUILD,
    METRIC_SPEEDUP,
    METRIC_UPDATES,
    METRIC_AVERAGE,
    METRIC_MEMORY,
    METRIC_COUNT
};

enum { BATCH, INDIVIDUAL, REBUILT, CONTENDERS };
enum { TURN_MOVES = 64 }; /* moves in a turn, at least: it must be long for the clock */

struct state {
    const struct config *config;
    struct spatial_workload work;
    struct spatial indexes[CONTENDERS];
    int order; /* bit 0: who has the first turn; bit 1: rebuilding comes before the turns */
    double values[METRIC_COUNT];
};

static const struct param params[] = {
    {"algorithms", PARAM_CHOICE, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, algorithms), .fallback = "\"spatial_hash\"",
     .choices = spatial_algorithms, .help = "the index"},
    {"agent_counts", PARAM_INT, .offset = offsetof(struct config, agent_counts),
     .fallback = "1000", .min = 1, .max = 10000000, .help = "points in it"},
    {"batch_sizes", PARAM_INT, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, batch_sizes), .fallback = "100", .min = 1,
     .max = 10000000, .help = "moves that are handed over at once"},
    {"moved", PARAM_REAL, .offset = offsetof(struct config, moved), .fallback = "0.1",
     .min = 0.0001, .max = 100, .help = "moves in a trial, for each point"},
    {"world_sizes", PARAM_REAL, .offset = offsetof(struct config, world_sizes),
     .fallback = "1000", .min = 1, .max = 1e9, .help = "side of the square that they are in"},
    {"query_radii", PARAM_REAL, .offset = offsetof(struct config, query_radii),
     .fallback = "20", .min = 0, .max = 1e9, .help = "radius of the questions of the check"},
    {"distributions", PARAM_CHOICE, .offset = offsetof(struct config, distributions),
     .fallback = "\"uniform\"", .choices = spatial_distributions,
     .help = "how the points are spread"},
};

static const struct metric metrics[] = {
    [METRIC_BATCH] = {"batch_update_time", "s", DIRECTION_LOWER, "spatial_batch_update/1",
                      "all moves, in batches"},
    [METRIC_INDIVIDUAL] = {"individual_update_time", "s", DIRECTION_LOWER,
                           "spatial_individual_update/1", "all moves, each for itself"},
    [METRIC_REBUILD] = {"rebuild_time", "s", DIRECTION_LOWER, "spatial_rebuild/1",
                        "rebuilding the index from the places after all moves"},
    [METRIC_SPEEDUP] = {"speedup", "1", DIRECTION_HIGHER, "spatial_batch_speedup/1",
                        "time of single moves by time in batches"},
    [METRIC_UPDATES] = {"updates", "1", DIRECTION_NONE, "spatial_updates/1", "moves done"},
    [METRIC_AVERAGE] = {"average_batch_size", "1", DIRECTION_NONE, "spatial_batch_size/1",
                        "moves of a batch on average"},
    [METRIC_MEMORY] = {"memory_usage", "MB", DIRECTION_LOWER, "spatial_memory/1",
                       "memory of the built index, counted by its allocator"},
};

static size_t moves_of(const struct config *c)
{
    size_t moves = (size_t)((double)c->agent_counts * c->moved);
    return moves ? moves : 1;
}

static struct experiment_demand batch_demand(const void *config)
{
    const struct config *c = config;
    return spatial_workload_demand((double)c->agent_counts, 1,
                                   (double)c->agent_counts * c->moved, "agent_counts or moved");
}

static bool batch_setup(const struct experiment_env *env, void *state, struct error *err)
{
    (void)err;
    struct state *s = state;
    const struct config *c = s->config = env->config;
    if (env->remarks && (size_t)c->batch_sizes > moves_of(c))
        buf_printf(env->remarks,
                   "'batch_sizes' is %lld, and a trial has %zu moves: they are one batch; "
                   "raise 'moved'\n",
                   (long long)c->batch_sizes, moves_of(c));
    return true;
}

static enum trial_status batch_prepare(struct trial *t, void *state)
{
    struct state *s = state;
    const struct config *c = s->config;
    struct spatial_plan plan = {
        .algorithm = c->algorithms,
        .movable = (size_t)c->agent_counts,
        .side = c->world_sizes,
        .distribution = (enum spatial_pattern)c->distributions,
        .questions = 1,
        .moves = moves_of(c),
        .stride = c->world_sizes / 100,
        .seed = t->workload_seed,
    };
    spatial_workload_make(&s->work, &plan);
    s->order = spatial_workload_draw(&s->work, 4);
    for (int i = 0; i < CONTENDERS; i++) {
        size_t before = s->work.heap.live_bytes;
        spatial_workload_open(&s->work, &s->indexes[(s->order + i) % CONTENDERS]);
        s->values[METRIC_MEMORY] = (double)(s->work.heap.live_bytes - before) / 1e6;
    }
    return TRIAL_OK;
}

/* Moves [begin, end): a turn. */
static int64_t run_turn(struct state *s, int contender, size_t begin, size_t end)
{
    const struct spatial_move *moves = s->work.moves;
    struct spatial *index = &s->indexes[contender];
    size_t size = (size_t)s->config->batch_sizes;
    int64_t begin_ns = clock_ns();
    if (contender == INDIVIDUAL) {
        for (size_t i = begin; i < end; i++) spatial_move(index, moves[i].id, moves[i].to);
    } else {
        for (size_t i = begin; i < end; i += size)
            spatial_update(index, moves + i, end - i < size ? end - i : size);
    }
    return clock_ns() - begin_ns;
}

static double rebuild(struct state *s)
{
    int64_t begin_ns = clock_ns();
    spatial_build(&s->indexes[REBUILT], s->work.at, s->work.count);
    return (double)(clock_ns() - begin_ns) / 1e9;
}

static enum trial_status batch_execute_once(struct trial *t, void *state)
{
    (void)t;
    struct state *s = state;
    size_t size = (size_t)s->config->batch_sizes;
    size_t turn = (TURN_MOVES + size - 1) / size * size; /* whole batches */
    size_t moves = s->work.plan.moves;
    int64_t total_ns[REBUILT] = {0};
    int next = s->order & 1;
    bool rebuilds_first = s->order & 2;
    if (rebuilds_first) s->values[METRIC_REBUILD] = rebuild(s);
    for (size_t begin = 0; begin < moves; begin += turn, next = !next) {
        size_t end = moves - begin < turn ? moves : begin + turn;
        total_ns[next] += run_turn(s, next, begin, end);
        total_ns[!next] += run_turn(s, !next, begin, end);
    }
    if (!rebuilds_first) s->values[METRIC_REBUILD] = rebuild(s);
    s->values[METRIC_BATCH] = (double)total_ns[BATCH] / 1e9;
    s->values[METRIC_INDIVIDUAL] = (double)total_ns[INDIVIDUAL] / 1e9;
    size_t batches = (moves + size - 1) / size;
    s->values[METRIC_AVERAGE] = (double)moves / (double)batches;
    return TRIAL_OK;
}

static void give(struct trial *t, const struct state *s)
{
    for (size_t i = 0; i < METRIC_COUNT; i++) t->values[i] = s->values[i];
    t->values[METRIC_SPEEDUP] = s->values[METRIC_INDIVIDUAL] / s->values[METRIC_BATCH];
    t->values[METRIC_UPDATES] = (double)s->work.plan.moves;
    struct json j;
    json_init(&j, t->detail, 0);
    json_object(&j);
    spatial_workload_write(&s->work, &j);
    for (size_t i = 0; i < METRIC_COUNT; i++) json_put_real(&j, metrics[i].name, t->values[i]);
    json_end(&j);
}

static enum trial_status batch_conclude(struct trial *t, void *state, enum trial_status status)
{
    struct state *s = state;
    struct spatial *const indexes[] = {&s->indexes[BATCH], &s->indexes[INDIVIDUAL],
                                       &s->indexes[REBUILT]};
    bool ok = spatial_workload_finish(&s->work, indexes, COUNT(indexes), s->config->query_radii,
                                      &t->error);
    if (!ok) return TRIAL_FAILED;
    give(t, s);
    return status;
}

static const struct experiment_plot plots[] = {
    {"Moving points: in batches, one by one, by rebuilding",
     EXPERIMENT_LINES,
     "agent_counts",
     {"batch_update_time", "individual_update_time", "rebuild_time"}},
};

const struct experiment experiment_spatial_batch = {
    .name = "spatial_batch",
    .summary = "moves points of an index in batches, one by one, and by rebuilding",
    .help = "The three do the same moves; 100 answers of each are compared with brute force "
            "after the trial, so that a batch that does nothing cannot look fast.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .primary = "batch_update_time",
    .plots = plots,
    .plot_count = COUNT(plots),
    .demand = batch_demand,
    .setup = batch_setup,
    .prepare = batch_prepare,
    .execute_once = batch_execute_once,
    .conclude = batch_conclude,
};
