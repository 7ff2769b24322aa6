/* What do batches, buffers and flushes do for a stream of inserts? A cell inserts actions of a
 * hundred agents; they go to the database when the buffer is full, or after so many. */
#include "base/clock.h"
#include "base/os.h"
#include "experiment/databases.h"
#include "world/simulation.h"

enum {
    METRIC_TOTAL,
    METRIC_RATE,
    METRIC_EACH,
    METRIC_FLUSHES,
    METRIC_FLUSH_TIME,
    METRIC_COUNT
};
enum { STORE_DISK, STORE_MEMORY };

struct config {
    int64_t num_records, batch_size, flush_frequency, num_agents;
    int store, profile;
};

struct state {
    const struct experiment_env *env;
    const struct config *config;
    struct arena arena;
    const char *folder, *path;
    struct world world;
    struct world_db *db;
    double total_s, flush_s;
    int64_t flushes;
    struct sql_effective effective;
    uint64_t hash; /* of the rows */
};

static const char *const stores[] = {"disk", "memory", NULL};

static const struct param params[] = {
    {"num_records", PARAM_INT, .offset = offsetof(struct config, num_records),
     .fallback = "5000", .min = 1, .max = 100000000, .help = "actions inserted in a trial"},
    {"batch_size", PARAM_INT, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, batch_size), .fallback = "100", .min = 1, .max = 1000000,
     .help = "actions that the buffer holds and a transaction writes"},
    {"flush_frequency", PARAM_INT, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, flush_frequency), .fallback = "0", .min = 0,
     .max = 100000000,
     .help = "write the buffer after so many actions, at most batch_size; 0 = when it is full"},
    {"store", PARAM_CHOICE, .role = PARAM_TREATMENT, .offset = offsetof(struct config, store),
     .fallback = "\"disk\"", .choices = stores, .help = "where the database is"},
    {"profile", PARAM_CHOICE, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, profile), .fallback = "\"balanced\"",
     .choices = sql_profile_names, .help = "its settings, as in pragma_profile"},
    {"num_agents", PARAM_INT, .offset = offsetof(struct config, num_agents), .fallback = "100",
     .min = 1, .max = 3000, .help = "agents whose actions they are"},
};

static const struct metric metrics[METRIC_COUNT] = {
    {"db_total_time", "s", DIRECTION_LOWER, "db_total_time/2",
     "all inserts, flushes included, up to the closed file"},
    {"inserts_per_second", "1/s", DIRECTION_HIGHER, "inserts_per_second/2",
     "actions inserted per second"},
    {"time_per_insert", "s", DIRECTION_LOWER, "time_per_insert/2",
     "time of an action, its part of flushes and closing included"},
    {"flush_count", "1", DIRECTION_NONE, "flush_count/1", "transactions"},
    {"time_per_flush", "s", DIRECTION_LOWER, "time_per_flush/1", "mean time of one"},
};

static bool database_check(const void *config, struct error *err)
{
    const struct config *c = config;
    return c->flush_frequency <= c->batch_size ||
           error_set(err, ERROR_INVALID,
                     "'flush_frequency' must be at most 'batch_size' (%lld), which is written "
                     "when it is full (is %lld)",
                     (long long)c->batch_size, (long long)c->flush_frequency);
}

static struct experiment_demand database_demand(const void *config)
{
    const struct config *c = config;
    double bytes = 100 * (double)c->num_records; /* with its indexes; a plain loop as many */
    bool is_on_disk = c->store == STORE_DISK;
    return (struct experiment_demand){
        .memory_bytes = is_on_disk ? bytes : 2 * bytes,
        .disk_bytes = is_on_disk ? bytes : 0,
        .by = "num_records",
    };
}

static bool database_setup(const struct experiment_env *env, void *state, struct error *err)
{
    (void)err;
    struct state *s = state;
    s->env = env;
    s->config = env->config;
    s->arena = arena_open();
    if (s->config->store == STORE_DISK) databases_remark(env);
    return true;
}

static struct world_deed deed_of(const struct config *c, int64_t i)
{
    return (struct world_deed){.agent = (uint32_t)(i % c->num_agents),
                               .target = WORLD_NOBODY,
                               .action = ACTION_MOVE,
                               .reward = 0.1};
}

static enum trial_status database_prepare(struct trial *t, void *state)
{
    struct state *s = state;
    arena_reset(&s->arena);
    s->folder = os_path_below(s->env->work_dir, S("trial"), &s->arena);
    s->path = os_path_below(s->folder, S("actions.db"), &s->arena);
    struct world_config world = world_defaults;
    world_split(s->config->num_agents, world.agents);
    world.seed = t->workload_seed;
    world_init(&s->world, &world, &s->arena);
    struct world_db_settings settings = {
        .path = s->config->store == STORE_DISK ? s->path : ":memory:",
        .profile = (enum sql_profile)s->config->profile,
        .actions_buffered = s->config->batch_size,
    };
    s->db = NULL;
    s->flushes = 0;
    s->flush_s = 0;
    bool done = os_make_dirs(s->folder, &t->error) &&
                world_db_open(&settings, &s->arena, &s->db, &t->error) &&
                sql_effective(world_db_sql(s->db), &s->effective, &t->error) &&
                sql_is_as_asked(&s->effective, settings.profile, &t->error) &&
                world_db_begin(s->db, &s->world, &t->error);
    return done ? TRIAL_OK : TRIAL_HARNESS_ERROR;
}

/* The buffer is written by the action that fills it: before that, by us, so that the flush can
 * be timed. */
static enum trial_status database_execute_once(struct trial *t, void *state)
{
    struct state *s = state;
    const struct config *c = s->config;
    int64_t every = c->flush_frequency > 0 ? c->flush_frequency : c->batch_size;
    int64_t begin_ns = clock_ns();
    for (int64_t i = 0; i < c->num_records; i++) {
        struct world_deed deed = deed_of(c, i);
        bool is_last = (i + 1) % every == 0 || i + 1 == c->num_records;
        int64_t flush_ns = is_last ? clock_ns() : 0;
        if (!world_db_action(s->db, i / c->num_agents, &deed, &t->error)) return TRIAL_FAILED;
        if (!is_last) continue;
        if (!world_db_flush(s->db, &t->error)) return TRIAL_FAILED;
        s->flush_s += (double)(clock_ns() - flush_ns) / 1e9;
        s->flushes++;
    }
    if (c->store == STORE_DISK) { /* its log goes into the file by this */
        world_db_close(s->db);
        s->db = NULL;
    }
    s->total_s = (double)(clock_ns() - begin_ns) / 1e9;
    return TRIAL_OK;
}

/* Every action as it was asked for, whoever wrote the rows. */
static bool is_as_asked(struct world_db *db, const struct config *c, struct error *err)
{
    char query[400];
    int64_t right = 0;
    snprintf(query, sizeof query,
             "SELECT count(*) FROM agent_actions WHERE action_type = 'move' AND reward = 0.1"
             " AND action_target_id IS NULL AND agent_id = (action_id - 1) %% %lld"
             " AND module_id = agent_id AND step_number = (action_id - 1) / %lld",
             (long long)c->num_agents, (long long)c->num_agents);
    if (!sql_ask_int(world_db_sql(db), query, &right, err)) return false;
    return right == c->num_records ||
           error_set(err, ERROR_FAILED, "%lld of %lld actions are as they were asked for",
                     (long long)right, (long long)c->num_records);
}

/* The rows, read back where they ended, against those that a plain loop leaves in memory. */
static bool is_right(struct state *s, struct error *err)
{
    struct world_db_content is = {0}, should_be = {0};
    struct world_db_settings plain = {.path = ":memory:", .actions_buffered = 1 << 16};
    struct world_db *db = NULL;
    bool done =
        world_db_open(&plain, &s->arena, &db, err) && world_db_begin(db, &s->world, err);
    for (int64_t i = 0; done && i < s->config->num_records; i++) {
        struct world_deed deed = deed_of(s->config, i);
        done = world_db_action(db, i / s->config->num_agents, &deed, err);
    }
    done = done && world_db_flush(db, err) && is_as_asked(db, s->config, err) &&
           world_db_content(db, &should_be, err);
    world_db_close(db);
    if (done)
        done =
            s->db ? world_db_content(s->db, &is, err) : world_db_content_of(s->path, &is, err);
    s->hash = is.hash;
    return done && ((is.hash == should_be.hash && is.rows == should_be.rows) ||
                    error_set(err, ERROR_FAILED, "%lld rows are other than the %lld inserted",
                              (long long)is.rows, (long long)should_be.rows));
}

static void put_detail(const struct state *s, struct buf *out)
{
    struct json j;
    char hex[20];
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)s->hash);
    json_init(&j, out, 0);
    json_object(&j);
    json_put_text(&j, "content_hash", hex);
    json_key_object(&j, "pragmas");
    databases_put_pragmas(&j, &s->effective);
    json_end(&j);
    json_end(&j);
}

static enum trial_status database_conclude(struct trial *t, void *state,
                                           enum trial_status status)
{
    struct state *s = state;
    if (status == TRIAL_OK && !is_right(s, &t->error)) status = TRIAL_FAILED;
    if (status == TRIAL_OK) {
        double n = (double)s->config->num_records;
        t->values[METRIC_TOTAL] = s->total_s;
        t->values[METRIC_RATE] = n / s->total_s;
        t->values[METRIC_EACH] = s->total_s / n;
        t->values[METRIC_FLUSHES] = (double)s->flushes;
        t->values[METRIC_FLUSH_TIME] = s->flush_s / (double)s->flushes;
        put_detail(s, t->detail);
    }
    world_db_close(s->db);
    world_release(&s->world);
    os_remove_tree(s->folder);
    return status;
}

static bool database_teardown(void *state, struct error *err)
{
    (void)err;
    arena_close(&((struct state *)state)->arena);
    return true;
}

static const struct experiment_plot plots[] = {
    {"Inserts a second by batch", EXPERIMENT_LINES, "batch_size", {"inserts_per_second"}},
};

const struct experiment experiment_database_profiler = {
    .name = "database_profiler",
    .summary = "a stream of inserts: batches, flushes, disk and memory",
    .help = "Every row of every table is compared with what a plain loop leaves in memory, "
            "read back from the file after it was closed.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .primary = "inserts_per_second",
    .plots = plots,
    .plot_count = COUNT(plots),
    .check = database_check,
    .demand = database_demand,
    .setup = database_setup,
    .prepare = database_prepare,
    .execute_once = database_execute_once,
    .conclude = database_conclude,
    .teardown = database_teardown,
};
