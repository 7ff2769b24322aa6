/* What does it cost a simulation to keep its records on disk, in memory, or in memory and then
 * on disk? The same life is lived with each store, in a random order, and must leave the same
 * rows. */
#include "base/clock.h"
#include "base/os.h"
#include "base/proc.h"
#include "experiment/databases.h"
#include "world/simulation.h"

#include <math.h>
#include <unistd.h>

enum { STORES = 3 };
enum {
    METRIC_TIME, /* one a store, as all that follow but the last */
    METRIC_DB_MB = METRIC_TIME + STORES,
    METRIC_RSS_MB = METRIC_DB_MB + STORES,
    METRIC_MEMORY_SPEEDUP = METRIC_RSS_MB + STORES,
    METRIC_PERSIST_SPEEDUP,
    METRIC_CHOSEN,
    METRIC_ROWS,
    METRIC_COUNT
};

struct config {
    int64_t num_steps, num_agents;
    enum param_flag use_in_memory_db, persist_db_on_completion;
    const struct value *parameters;
};

struct state {
    const struct experiment_env *env;
    const struct config *config;
    bool is_wanted[STORES];
    int chosen; /* the store of the only run; -1 = all that are wanted are compared */
    struct arena arena;
    const char *folder; /* of the trial's files */
    struct simulation_config configs[STORES];
    struct simulation runs[STORES];
    uint32_t order[STORES];
    double seconds[STORES], db_mb[STORES], rss_mb[STORES];
    struct sql_effective effective[STORES];
};

static const struct param params[] = {
    {"num_steps", PARAM_INT, .offset = offsetof(struct config, num_steps), .fallback = "100",
     .min = 1, .max = 1000000, .help = "steps of the simulation"},
    {"num_agents", PARAM_INT, .offset = offsetof(struct config, num_agents), .fallback = "30",
     .min = 0, .max = 3000, .help = "agents at its beginning, a third of each kind"},
    {"use_in_memory_db", PARAM_FLAG, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, use_in_memory_db),
     .help = "only this store is used; without it, all three take turns"},
    {"persist_db_on_completion", PARAM_FLAG, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, persist_db_on_completion),
     .help = "write the file at the end; without use_in_memory_db, the store is memory"},
    {"parameters", PARAM_MAP, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, parameters),
     .help = "test_disk_based, test_in_memory, test_persistence: false leaves a store out"},
};

static const char *const tests[STORES] = {"test_disk_based", "test_in_memory",
                                          "test_persistence"};
static const char *const stores[STORES] = {"disk", "memory", "memory_persist"};

static const struct metric metrics[METRIC_COUNT] = {
    {"disk_time", "s", DIRECTION_LOWER, "disk_time/3",
     "the simulation with its rows on disk, up to the closed file"},
    {"memory_time", "s", DIRECTION_LOWER, "memory_time/2", "with its rows in memory"},
    {"memory_persist_time", "s", DIRECTION_LOWER, "memory_persist_time/2",
     "with its rows in memory, and in a file at the end"},
    {"disk_db_mb", "MB", DIRECTION_LOWER, "disk_db_mb/1",
     "most that SQLite allocated, on disk"},
    {"memory_db_mb", "MB", DIRECTION_LOWER, "memory_db_mb/1",
     "most that SQLite allocated, in memory"},
    {"memory_persist_db_mb", "MB", DIRECTION_LOWER, "memory_persist_db_mb/1",
     "most that SQLite allocated, in memory and then on disk"},
    {"disk_rss_mb", "MB", DIRECTION_NONE, "disk_rss_mb/1",
     "the process's memory after it: contains what earlier runs have left"},
    {"memory_rss_mb", "MB", DIRECTION_NONE, "memory_rss_mb/1", "the same, in memory"},
    {"memory_persist_rss_mb", "MB", DIRECTION_NONE, "memory_persist_rss_mb/1",
     "the same, in memory and then on disk"},
    [METRIC_MEMORY_SPEEDUP] = {"disk_to_memory_speedup", "x", DIRECTION_HIGHER,
                               "disk_to_memory_speedup/3", "disk_time / memory_time"},
    [METRIC_PERSIST_SPEEDUP] = {"disk_to_memory_persist_speedup", "x", DIRECTION_HIGHER,
                                "disk_to_memory_persist_speedup/3",
                                "disk_time / memory_persist_time"},
    [METRIC_CHOSEN] = {"simulation_time_s", "s", DIRECTION_LOWER, "simulation_time/1",
                       "the simulation with the store that was chosen"},
    [METRIC_ROWS] = {"rows", "1", DIRECTION_NONE, "simulation_rows/1",
                     "rows that it left, in all tables"},
};

static bool is_flag(const struct value *v, const char *name, struct error *err)
{
    if (!v || v->kind == VALUE_NULL || v->kind == VALUE_BOOL) return true;
    return error_set(err, ERROR_INVALID, "'%s' must be true or false", name);
}

static bool is_true(const struct value *v, bool otherwise)
{
    return v && v->kind == VALUE_BOOL ? v->boolean : otherwise;
}

/* One entry of `parameters`. */
static bool is_test(const struct value_pair *pair, struct error *err)
{
    for (int k = 0; k < STORES; k++) {
        if (str_is(pair->key, tests[k])) return is_flag(pair->value, tests[k], err);
    }
    const char *near = str_suggest(pair->key, tests, STORES);
    return error_set(err, ERROR_INVALID,
                     "'parameters' takes test_disk_based, test_in_memory and "
                     "test_persistence, not '%.*s'%s%s%s",
                     STR_ARG(pair->key), STR_MEANT(near));
}

/* The only store to run; -1 = all that `parameters` does not leave out. */
static int chosen_store(const struct config *c)
{
    if (c->use_in_memory_db == PARAM_FLAG_FALSE) return SIMULATION_DISK;
    if (!c->use_in_memory_db && !c->persist_db_on_completion) return -1;
    return c->persist_db_on_completion == PARAM_FLAG_TRUE ? SIMULATION_MEMORY_PERSIST
                                                          : SIMULATION_MEMORY;
}

static bool memory_db_check(const void *config, struct error *err)
{
    const struct config *c = config;
    size_t off = 0;
    for (size_t i = 0; c->parameters && i < c->parameters->map.count; i++) {
        const struct value_pair *pair = &c->parameters->map.pairs[i];
        if (!is_test(pair, err)) return false;
        off += !is_true(pair->value, true);
    }
    int chosen = chosen_store(c);
    if (chosen >= 0 && !is_true(value_get(c->parameters, tests[chosen]), true))
        return error_set(err, ERROR_INVALID,
                         "'%s' of 'parameters' leaves out the store that use_in_memory_db and "
                         "persist_db_on_completion choose",
                         tests[chosen]);
    return off < STORES || error_set(err, ERROR_INVALID, "'parameters' leaves nothing to run");
}

/* Two stores in memory, and what they are compared with; two files. */
static struct experiment_demand memory_db_demand(const void *config)
{
    const struct config *c = config;
    double bytes = simulation_bytes((double)c->num_agents, (double)c->num_steps);
    return (struct experiment_demand){
        .memory_bytes = 3 * bytes,
        .disk_bytes = 2 * bytes,
        .by = "num_steps or num_agents",
    };
}

static bool memory_db_setup(const struct experiment_env *env, void *state, struct error *err)
{
    (void)err;
    struct state *s = state;
    const struct config *c = env->config;
    s->env = env;
    s->config = c;
    s->arena = arena_open();
    s->chosen = chosen_store(c);
    for (int i = 0; i < STORES; i++) {
        s->is_wanted[i] =
            s->chosen < 0 ? is_true(value_get(c->parameters, tests[i]), true) : s->chosen == i;
    }
    databases_remark(env);
    return true;
}

static enum trial_status memory_db_prepare(struct trial *t, void *state)
{
    struct state *s = state;
    arena_reset(&s->arena);
    s->folder = os_path_below(s->env->work_dir, S("trial"), &s->arena);
    if (!os_make_dirs(s->folder, &t->error)) return TRIAL_HARNESS_ERROR;
    for (int i = 0; i < STORES; i++) {
        s->runs[i] = (struct simulation){0};
        s->configs[i] = (struct simulation_config){
            .world = world_defaults,
            .steps = s->config->num_steps,
            .store = (enum simulation_store)i,
            .path = arena_printf(&s->arena, "%s/%s.db", s->folder, stores[i]),
        };
        world_split(s->config->num_agents, s->configs[i].world.agents);
        s->configs[i].world.seed = t->workload_seed;
    }
    struct rng rng = rng_seeded(t->private_seed);
    rng_permutation(&rng, s->order, STORES);
    return TRIAL_OK;
}

/* The pragmas are read outside of the time. */
static bool live(struct state *s, uint32_t i, struct error *err)
{
    int64_t begin_ns = clock_ns();
    if (!simulation_open(&s->runs[i], &s->configs[i], &s->arena, err)) return false;
    int64_t opened_ns = clock_ns();
    if (!simulation_pragmas(&s->runs[i], &s->effective[i], err)) return false;
    int64_t first_ns = clock_ns();
    if (!simulation_live(&s->runs[i], err)) return false;
    s->seconds[i] = (double)(opened_ns - begin_ns + clock_ns() - first_ns) / 1e9;
    return true;
}

static enum trial_status memory_db_execute_once(struct trial *t, void *state)
{
    struct state *s = state;
    for (int k = 0; k < STORES; k++) {
        uint32_t i = s->order[k];
        if (!s->is_wanted[i]) continue;
        int64_t before = sql_memory_bytes();
        (void)sql_memory_peak(true);
        if (!live(s, i, &t->error)) {
            (void)error_wrap(&t->error, "%s", stores[i]);
            return TRIAL_FAILED;
        }
        s->db_mb[i] = (double)(sql_memory_peak(false) - before) / 1e6;
        struct proc_stat stat;
        s->rss_mb[i] =
            proc_read_stat(getpid(), &stat) ? (double)stat.rss_bytes / 1e6 : (double)NAN;
    }
    return TRIAL_OK;
}

/* The rows of every store against those that the same life leaves in memory. */
static bool is_the_same(struct trial *t, struct state *s, struct world_db_content *rows)
{
    struct world_db_content expected = {0};
    int first = 0;
    while (!s->is_wanted[first]) first++;
    if (!simulation_relive(&s->runs[first], &expected, &s->arena, &t->error)) return false;
    for (int i = first; i < STORES; i++) {
        if (s->is_wanted[i] && !simulation_holds(&s->runs[i], &expected, &t->error))
            return error_wrap(&t->error, "%s", stores[i]);
    }
    *rows = expected;
    return true;
}

static void put_detail(const struct state *s, const struct world_db_content *rows,
                       struct buf *out)
{
    struct json j;
    char hex[20];
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)rows->hash);
    json_init(&j, out, 0);
    json_object(&j);
    json_put_int(&j, "rows", rows->rows);
    json_put_text(&j, "content_hash", hex);
    json_key_object(&j, "pragmas");
    for (int i = 0; i < STORES; i++) {
        if (!s->is_wanted[i]) continue;
        json_key_object(&j, stores[i]);
        databases_put_pragmas(&j, &s->effective[i]);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}

static void give(struct trial *t, const struct state *s, const struct world_db_content *rows)
{
    for (int i = 0; i < STORES; i++) {
        if (!s->is_wanted[i]) continue;
        t->values[METRIC_TIME + i] = s->seconds[i];
        t->values[METRIC_DB_MB + i] = s->db_mb[i];
        t->values[METRIC_RSS_MB + i] = s->rss_mb[i];
        if (s->chosen == i) t->values[METRIC_CHOSEN] = s->seconds[i];
    }
    double disk = t->values[METRIC_TIME + SIMULATION_DISK]; /* NaN if it was not run */
    t->values[METRIC_MEMORY_SPEEDUP] = disk / t->values[METRIC_TIME + SIMULATION_MEMORY];
    t->values[METRIC_PERSIST_SPEEDUP] =
        disk / t->values[METRIC_TIME + SIMULATION_MEMORY_PERSIST];
    t->values[METRIC_ROWS] = (double)rows->rows;
    put_detail(s, rows, t->detail);
}

static enum trial_status memory_db_conclude(struct trial *t, void *state,
                                            enum trial_status status)
{
    struct state *s = state;
    struct world_db_content rows = {0};
    if (status == TRIAL_OK && !is_the_same(t, s, &rows)) status = TRIAL_FAILED;
    if (status == TRIAL_OK) give(t, s, &rows);
    for (int i = 0; i < STORES; i++) simulation_close(&s->runs[i]);
    os_remove_tree(s->folder);
    return status;
}

static bool memory_db_teardown(void *state, struct error *err)
{
    (void)err;
    struct state *s = state;
    arena_close(&s->arena);
    return true;
}

static const struct experiment_plot plots[] = {
    {"Time of a simulation by where its rows are kept",
     EXPERIMENT_LINES,
     "num_agents",
     {"disk_time", "memory_time", "memory_persist_time"}},
};

const struct experiment experiment_memory_db = {
    .name = "memory_db",
    .summary = "a simulation that records itself: on disk, in memory, in memory then on disk",
    .help = "Every trial lives the same seeded life with each store, in a random order: world, "
            "tables, one transaction a step, the file at the end. All rows of all tables must "
            "then be equal, read back from where they ended.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .plots = plots,
    .plot_count = COUNT(plots),
    .check = memory_db_check,
    .demand = memory_db_demand,
    .setup = memory_db_setup,
    .prepare = memory_db_prepare,
    .execute_once = memory_db_execute_once,
    .conclude = memory_db_conclude,
    .teardown = memory_db_teardown,
};
