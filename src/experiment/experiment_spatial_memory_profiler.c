/* What does an index take in memory, for each point, beside the records it is about?
 *
 * Two measures of the same thing. The allocator counts what was asked for: exact, the same in
 * every process. The resident set (RSS) is what the kernel gave: pages, what the C library
 * keeps, what earlier work left behind. Before each reading the C library gives free pages
 * back (malloc_trim), so that what comes second does not live on what the first has freed. */
#include "base/json.h"
#include "base/proc.h"
#include "experiment/spatial_workload.h"
#include "index/entities.h"

#include <malloc.h>
#include <math.h>
#include <unistd.h>

struct config {
    int algorithms, data_structures;
    int64_t agent_counts, steps;
    double world_sizes, query_radii;
    bool track_memory_usage, track_garbage_collection;
};

enum {
    METRIC_PER_ENTITY,
    METRIC_TOTAL,
    METRIC_PEAK,
    METRIC_GC,
    METRIC_QUERY_OVERHEAD,
    METRIC_UPDATE_OVERHEAD,
    METRIC_RECORDS,
    METRIC_REQUESTS,
    METRIC_RSS_PER_ENTITY,
    METRIC_RSS_TOTAL,
    METRIC_RSS_GC,
    METRIC_COUNT
};

/* The snapshots of the original, in order. */
enum {
    SNAPSHOT_INITIAL,
    SNAPSHOT_CREATION,
    SNAPSHOT_BUILD,
    SNAPSHOT_QUERIES,
    SNAPSHOT_UPDATES,
    SNAPSHOT_GC,
    SNAPSHOT_COUNT
};
static const char *const snapshot_names[] = {"initial",       "after_creation", "after_build",
                                             "after_queries", "after_updates",  "after_gc"};

struct snapshot {
    double counted_bytes; /* of records and index */
    double rss_bytes;     /* NaN = not tracked */
};

struct state {
    const struct config *config;
    struct spatial_workload work;
    struct heap records;
    struct entities entities;
    struct spatial index;
    size_t before; /* bytes of the workload's heap that are not the index */
    size_t peak;   /* most that records, index and answers had at once */
    size_t requests;
    struct snapshot snapshots[SNAPSHOT_COUNT];
};

static const struct param params[] = {
    {"algorithms", PARAM_CHOICE, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, algorithms), .fallback = "\"kd_tree\"",
     .choices = spatial_algorithms, .help = "the index"},
    {"agent_counts", PARAM_INT, .offset = offsetof(struct config, agent_counts),
     .fallback = "1000", .min = 1, .max = 1000000, .help = "points in it"},
    {"world_sizes", PARAM_REAL, .offset = offsetof(struct config, world_sizes),
     .fallback = "1000", .min = 1, .max = 1e9, .help = "side of the square that they are in"},
    {"data_structures", PARAM_CHOICE, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, data_structures), .fallback = "\"list\"",
     .choices = entities_ways,
     .help = "how the records are kept: pointers, a hash table, or one block"},
    {"query_radii", PARAM_REAL, .offset = offsetof(struct config, query_radii),
     .fallback = "20", .min = 0, .max = 1e9, .help = "radius of the questions"},
    {"steps", PARAM_INT, .offset = offsetof(struct config, steps), .fallback = "100", .min = 1,
     .max = 100000, .help = "questions, and steps in which 10 % of the points move"},
    {"track_memory_usage", PARAM_BOOL, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, track_memory_usage), .fallback = "true",
     .help = "read the resident set at every stage"},
    {"track_garbage_collection", PARAM_BOOL, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, track_garbage_collection), .fallback = "true",
     .help = "give everything back at the end, and see what stays"},
};

static const struct metric metrics[] = {
    [METRIC_PER_ENTITY] = {"memory_per_entity_kb", "kB", DIRECTION_LOWER,
                           "spatial_memory_per_entity/1",
                           "memory of the built index for each point, counted"},
    [METRIC_TOTAL] = {"total_memory_mb", "MB", DIRECTION_LOWER, "spatial_memory_total/2",
                      "records, index and list of answers after all moves, counted"},
    [METRIC_PEAK] = {"peak_memory_mb", "MB", DIRECTION_LOWER, "spatial_memory_peak/2",
                     "the most that they had at once, building included, counted"},
    [METRIC_GC] = {"gc_impact_mb", "MB", DIRECTION_NONE, "spatial_memory_released/2",
                   "what closing all of it gave back, counted"},
    [METRIC_QUERY_OVERHEAD] = {"query_overhead_kb", "kB", DIRECTION_LOWER,
                               "spatial_memory_queries/2",
                               "growth by the questions, which list what they find, counted"},
    [METRIC_UPDATE_OVERHEAD] = {"update_overhead_kb", "kB", DIRECTION_LOWER,
                                "spatial_memory_updates/1",
                                "growth of the index by its moves, counted"},
    [METRIC_RECORDS] = {"records_per_entity_kb", "kB", DIRECTION_LOWER,
                        "spatial_memory_records/1",
                        "the records themselves for each point, counted"},
    [METRIC_REQUESTS] = {"allocations", "1", DIRECTION_LOWER, "spatial_memory_requests/2",
                         "how often index, records and list asked for memory"},
    [METRIC_RSS_PER_ENTITY] = {"rss_per_entity_kb", "kB", DIRECTION_LOWER,
                               "spatial_rss_per_entity/1",
                               "growth of the resident set by the build, for each point"},
    [METRIC_RSS_TOTAL] = {"rss_total_mb", "MB", DIRECTION_LOWER, "spatial_rss_total/1",
                          "growth of the resident set by records, index and moves"},
    [METRIC_RSS_GC] = {"rss_after_gc_mb", "MB", DIRECTION_LOWER, "spatial_rss_after_gc/1",
                       "growth of the resident set that is left when all is given back"},
};

/* And the records, of which a block that grows has three times as many for a moment. */
static struct experiment_demand memory_demand(const void *config)
{
    const struct config *c = config;
    double count = (double)c->agent_counts;
    struct experiment_demand d = spatial_workload_demand(
        count, (double)c->steps, 0.1 * (double)c->steps * count, "agent_counts or steps");
    d.memory_bytes += 3 * count * sizeof(struct entity);
    return d;
}

static bool memory_setup(const struct experiment_env *env, void *state, struct error *err)
{
    (void)err;
    struct state *s = state;
    s->config = env->config;
    return true;
}

static enum trial_status memory_prepare(struct trial *t, void *state)
{
    struct state *s = state;
    const struct config *c = s->config;
    size_t moved = (size_t)c->agent_counts / 10;
    struct spatial_plan plan = {
        .algorithm = c->algorithms,
        .movable = (size_t)c->agent_counts,
        .side = c->world_sizes,
        .questions = (size_t)c->steps,
        .moves = (moved ? moved : 1) * (size_t)c->steps,
        .stride = c->world_sizes / 100,
        .seed = t->workload_seed,
    };
    spatial_workload_make(&s->work, &plan);
    spatial_list_release(&s->work.found); /* the list grows in the trial, and is counted */
    s->records = (struct heap){0};
    s->before = s->work.heap.live_bytes;
    return TRIAL_OK;
}

static void take_snapshot(struct state *s, int which)
{
    struct snapshot *shot = &s->snapshots[which];
    shot->counted_bytes = (double)(s->records.live_bytes + s->work.heap.live_bytes - s->before);
    shot->rss_bytes = (double)NAN;
    struct proc_stat stat;
    if (!s->config->track_memory_usage) return;
    malloc_trim(0);
    if (proc_read_stat(getpid(), &stat)) shot->rss_bytes = (double)stat.rss_bytes;
}

static void make_records(struct state *s)
{
    entities_open(&s->entities, (enum entities_way)s->config->data_structures, &s->records);
    for (size_t i = 0; i < s->work.count; i++) {
        struct entity *e = entities_add(&s->entities, s->work.points[i]);
        for (int k = 0; k < ENTITY_EXTRA; k++) e->extra[k] = (double)k + s->work.points[i].x;
    }
}

static void move_points(struct state *s)
{
    const struct spatial_workload *w = &s->work;
    size_t in_step = w->plan.moves / (size_t)s->config->steps;
    for (int64_t step = 0; step < s->config->steps; step++) {
        const struct spatial_move *moves = w->moves + (size_t)step * in_step;
        for (size_t i = 0; i < in_step; i++)
            entities_get(&s->entities, moves[i].id)->at = moves[i].to;
        spatial_update(&s->index, moves, in_step);
    }
}

static enum trial_status memory_execute_once(struct trial *t, void *state)
{
    (void)t;
    struct state *s = state;
    struct heap *heap = &s->work.heap;
    take_snapshot(s, SNAPSHOT_INITIAL);
    size_t requests = heap->request_count;
    heap->peak_bytes = heap->live_bytes;
    make_records(s);
    take_snapshot(s, SNAPSHOT_CREATION);
    spatial_workload_open(&s->work, &s->index);
    take_snapshot(s, SNAPSHOT_BUILD);
    (void)spatial_time_radius(&s->work, &s->index, s->config->query_radii);
    take_snapshot(s, SNAPSHOT_QUERIES);
    move_points(s);
    take_snapshot(s, SNAPSHOT_UPDATES);
    s->peak = s->records.live_bytes + heap->peak_bytes - s->before;
    if (s->peak < s->records.peak_bytes) s->peak = s->records.peak_bytes;
    s->requests = heap->request_count - requests + s->records.request_count;
    return TRIAL_OK;
}

/* The records must be where the index says that they are. */
static bool check_records(const struct state *s, struct error *err)
{
    for (uint32_t id = 0; id < s->work.count; id++) {
        const struct entity *e = entities_get(&s->entities, id);
        struct spatial_point at;
        if (e->id == id && spatial_find(&s->index, id, &at) && at.x == e->at.x &&
            at.y == e->at.y)
            continue;
        return error_set(err, ERROR_FAILED, "record %u is not where the index has it", id);
    }
    return true;
}

static double growth(const struct state *s, int from, int to)
{
    return s->snapshots[to].counted_bytes - s->snapshots[from].counted_bytes;
}

static double rss_growth(const struct state *s, int from, int to)
{
    return s->snapshots[to].rss_bytes - s->snapshots[from].rss_bytes;
}

static void give_values(const struct state *s, double *v)
{
    double n = (double)s->work.count;
    v[METRIC_PER_ENTITY] = growth(s, SNAPSHOT_CREATION, SNAPSHOT_BUILD) / n / 1e3;
    v[METRIC_TOTAL] = growth(s, SNAPSHOT_INITIAL, SNAPSHOT_UPDATES) / 1e6;
    v[METRIC_PEAK] = (double)s->peak / 1e6;
    v[METRIC_QUERY_OVERHEAD] = growth(s, SNAPSHOT_BUILD, SNAPSHOT_QUERIES) / 1e3;
    v[METRIC_UPDATE_OVERHEAD] = growth(s, SNAPSHOT_QUERIES, SNAPSHOT_UPDATES) / 1e3;
    v[METRIC_RECORDS] = growth(s, SNAPSHOT_INITIAL, SNAPSHOT_CREATION) / n / 1e3;
    v[METRIC_REQUESTS] = (double)s->requests;
    v[METRIC_RSS_PER_ENTITY] = rss_growth(s, SNAPSHOT_CREATION, SNAPSHOT_BUILD) / n / 1e3;
    v[METRIC_RSS_TOTAL] = rss_growth(s, SNAPSHOT_INITIAL, SNAPSHOT_UPDATES) / 1e6;
    if (!s->config->track_garbage_collection) return;
    v[METRIC_GC] = growth(s, SNAPSHOT_GC, SNAPSHOT_UPDATES) / 1e6;
    v[METRIC_RSS_GC] = rss_growth(s, SNAPSHOT_INITIAL, SNAPSHOT_GC) / 1e6;
}

static void give_detail(struct trial *t, const struct state *s)
{
    struct json j;
    json_init(&j, t->detail, 0);
    json_object(&j);
    spatial_workload_write(&s->work, &j);
    json_put_text(&j, "data_structure", entities_ways[s->config->data_structures]);
    json_key_object(&j, "snapshots");
    for (int i = 0; i < SNAPSHOT_COUNT; i++) {
        if (i == SNAPSHOT_GC && !s->config->track_garbage_collection) continue;
        json_key_object(&j, snapshot_names[i]);
        json_put_real(&j, "counted_bytes", s->snapshots[i].counted_bytes);
        json_put_real(&j, "rss_bytes", s->snapshots[i].rss_bytes);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}

static enum trial_status memory_conclude(struct trial *t, void *state, enum trial_status status)
{
    struct state *s = state;
    bool ok = spatial_workload_check(&s->work, &s->index, s->config->query_radii, &t->error) &&
              check_records(s, &t->error);
    spatial_close(&s->index);
    spatial_list_release(&s->work.found);
    entities_close(&s->entities);
    if (s->config->track_garbage_collection) take_snapshot(s, SNAPSHOT_GC);
    spatial_workload_release(&s->work);
    CHECK(s->records.live_bytes == 0);
    if (!ok) return TRIAL_FAILED;
    give_values(s, t->values);
    give_detail(t, s);
    return status;
}

static const struct experiment_plot plots[] = {
    {"Memory of the index for each point: counted, and by resident set",
     EXPERIMENT_LINES,
     "agent_counts",
     {"memory_per_entity_kb", "rss_per_entity_kb"}},
};

const struct experiment experiment_spatial_memory_profiler = {
    .name = "spatial_memory_profiler",
    .summary = "what a spatial index and its records take in memory",
    .help = "Records of 100 numbers each, an index of their places, questions, moves, and the "
            "end. Memory is counted by the allocator and read from the resident set; small "
            "sizes drown in the pages of the latter. After each trial 100 answers are compared "
            "with brute force, and every record with the place that the index has.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .primary = "memory_per_entity_kb",
    .plots = plots,
    .plot_count = COUNT(plots),
    .demand = memory_demand,
    .setup = memory_setup,
    .prepare = memory_prepare,
    .execute_once = memory_execute_once,
    .conclude = memory_conclude,
};
