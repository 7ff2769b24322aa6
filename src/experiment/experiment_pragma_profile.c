/* Four sets of SQLite settings under three loads: which is fast, and what does it risk? In each
 * trial every profile meets every load once, in a random order, each on a file of its own; after
 * it, writers of every profile are killed. */
#include "base/clock.h"
#include "base/os.h"
#include "experiment/databases.h"
#include "world/sql_workload.h"

enum { CELLS = SQL_PROFILE_COUNT * SQL_WORKLOAD_COUNT };
enum {
    LIVED_MAX = 12
}; /* commits before a kill: enough for a log to be copied into its file */
enum {
    METRIC_TIME,                             /* profile by profile */
    METRIC_WRITE_RATE = METRIC_TIME + CELLS, /* one a profile, as those that follow */
    METRIC_LOST = METRIC_WRITE_RATE + SQL_PROFILE_COUNT,
    METRIC_INTACT = METRIC_LOST + SQL_PROFILE_COUNT,
    METRIC_COUNT = METRIC_INTACT + SQL_PROFILE_COUNT
};

struct config {
    int64_t num_records, db_size_mb, kills;
    struct param_ints profiles, workloads;
    const struct value *parameters;
};

struct state {
    const struct experiment_env *env;
    const struct config *config;
    struct arena arena; /* a trial's */
    const char *folder;
    bool is_wanted[CELLS];
    const char *tables[SQL_PROFILE_COUNT]; /* files of read_heavy */
    int64_t table_rows[SQL_PROFILE_COUNT];
    struct sql_durability durability[SQL_PROFILE_COUNT]; /* of all kills of a trial */
    int64_t damaged[SQL_PROFILE_COUNT];                  /* files of these kills */
    struct sql_effective effective[SQL_PROFILE_COUNT];
    struct sql_work works[CELLS];
    uint32_t order[CELLS];
    double seconds[CELLS];
};

static const struct param params[] = {
    {"num_records", PARAM_INT, .offset = offsetof(struct config, num_records),
     .fallback = "100000", .min = 10, .max = 100000000,
     .help = "rows that write_heavy writes; mixed a tenth of them"},
    {"db_size_mb", PARAM_INT, .offset = offsetof(struct config, db_size_mb), .fallback = "100",
     .min = 1, .max = 100000, .unit = "MB", .help = "least size of read_heavy's table"},
    {"profiles", PARAM_CHOICE_LIST, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, profiles),
     .fallback = "[\"balanced\",\"performance\",\"safety\",\"memory\"]",
     .choices = sql_profile_names, .help = "sets of pragmas"},
    {"workloads", PARAM_CHOICE_LIST, .role = PARAM_TREATMENT,
     .offset = offsetof(struct config, workloads),
     .fallback = "[\"write_heavy\",\"read_heavy\",\"mixed\"]", .choices = sql_workload_names,
     .help = "loads"},
    {"kills", PARAM_INT, .offset = offsetof(struct config, kills), .fallback = "3", .min = 0,
     .max = 1000,
     .help = "writers of each profile that are killed after a trial to see what is left"},
    {"parameters", PARAM_MAP, .offset = offsetof(struct config, parameters),
     .help = "ignored: taken by the peer, which does not use it either"},
};

#define TIMES(profile)                                                           \
    {profile "_write_heavy_s", "s", DIRECTION_LOWER, profile "_write_heavy/2",   \
     "rows in batches of 1000, up to the closed file"},                          \
        {profile "_read_heavy_s", "s", DIRECTION_LOWER, profile "_read_heavy/1", \
         "five queries on a table of db_size_mb"},                               \
    {                                                                            \
        profile "_mixed_s", "s", DIRECTION_LOWER, profile "_mixed/2",            \
            "single inserts with three queries after every tenth, up to the "    \
            "closed file"                                                        \
    }
#define RATE(profile)                                                                    \
    {                                                                                    \
        profile "_write_rows_per_sec", "1/s", DIRECTION_HIGHER, profile "_write_rate/2", \
            "rows of write_heavy per second"                                             \
    }
#define LOST(profile)                                                                \
    {                                                                                \
        profile "_lost_rows", "1", DIRECTION_LOWER, profile "_lost_rows/2",          \
            "committed rows that a killed writer had left unreadable, or not at all" \
    }
#define INTACT(profile)                                                               \
    {                                                                                 \
        profile "_intact", "1", DIRECTION_HIGHER, profile "_intact/2",                \
            "1 if every file that a writer killed in a commit had left was in order", \
            .kind = KIND_SHARE                                                        \
    }

static const struct metric metrics[METRIC_COUNT] = {
    TIMES("balanced"),  TIMES("performance"),  TIMES("safety"),  TIMES("memory"),
    RATE("balanced"),   RATE("performance"),   RATE("safety"),   RATE("memory"),
    LOST("balanced"),   LOST("performance"),   LOST("safety"),   LOST("memory"),
    INTACT("balanced"), INTACT("performance"), INTACT("safety"), INTACT("memory"),
};

static bool probe(struct state *s, enum sql_profile profile, uint64_t seed, struct error *err)
{
    struct sql_durability *sum = &s->durability[profile];
    *sum = (struct sql_durability){.is_intact = true};
    s->damaged[profile] = 0;
    struct rng rng = rng_seeded(rng_nth(seed, (uint64_t)profile));
    for (int64_t i = 0; i < s->config->kills; i++) {
        struct sql_durability one;
        const char *path = arena_printf(&s->arena, "%s/killed-%d-%lld.db", s->folder,
                                        (int)profile, (long long)i);
        struct sql_kill when = {.after = 1 + (int64_t)rng_below(&rng, LIVED_MAX)};
        when.draw = rng_next(&rng);
        if (!sql_probe_durability(path, profile, when, &one, err)) return false;
        sum->told += one.told;
        sum->found += one.found;
        sum->lost += one.lost;
        sum->is_intact &= one.is_intact;
        s->damaged[profile] += !one.is_intact;
    }
    return true;
}

static bool prepare_profile(struct state *s, enum sql_profile profile, struct error *err)
{
    if (!s->is_wanted[profile * SQL_WORKLOAD_COUNT + SQL_READ_HEAVY]) return true;
    s->tables[profile] = arena_printf(s->env->arena, "%s/table-%s.db", s->env->work_dir,
                                      sql_profile_names[profile]);
    return sql_work_fill(s->tables[profile], profile, s->config->db_size_mb,
                         &s->table_rows[profile], err);
}

static struct experiment_demand pragma_demand(const void *config)
{
    const struct config *c = config;
    bool reads = false;
    for (size_t i = 0; i < c->workloads.count; i++)
        reads |= c->workloads.items[i] == SQL_READ_HEAVY;
    double tables = reads ? (double)c->db_size_mb * 1024 * 1024 * 1.1 : 0;
    return (struct experiment_demand){
        .disk_bytes = (double)c->profiles.count * (tables + 50 * (double)c->num_records),
        .by = "db_size_mb or num_records",
    };
}

static bool pragma_setup(const struct experiment_env *env, void *state, struct error *err)
{
    struct state *s = state;
    const struct config *c = env->config;
    s->env = env;
    s->config = c;
    s->arena = arena_open();
    bool uses[SQL_PROFILE_COUNT] = {0};
    for (size_t p = 0; p < c->profiles.count; p++) {
        for (size_t w = 0; w < c->workloads.count; w++) {
            s->is_wanted[c->profiles.items[p] * SQL_WORKLOAD_COUNT + c->workloads.items[w]] =
                uses[c->profiles.items[p]] = true;
        }
    }
    for (int p = 0; p < SQL_PROFILE_COUNT; p++) {
        if (uses[p] && !prepare_profile(s, (enum sql_profile)p, err)) return false;
    }
    databases_remark(env);
    return true;
}

static enum trial_status pragma_prepare(struct trial *t, void *state)
{
    struct state *s = state;
    arena_reset(&s->arena);
    s->folder = os_path_below(s->env->work_dir, S("trial"), &s->arena);
    if (!os_make_dirs(s->folder, &t->error)) return TRIAL_HARNESS_ERROR;
    struct rng rng = rng_seeded(t->private_seed);
    rng_permutation(&rng, s->order, CELLS);
    for (uint32_t i = 0; i < CELLS; i++) {
        struct sql_work *w = &s->works[i];
        *w = (struct sql_work){
            .workload = (enum sql_workload)(i % SQL_WORKLOAD_COUNT),
            .profile = (enum sql_profile)(i / SQL_WORKLOAD_COUNT),
            .records = s->config->num_records,
            .path = arena_printf(&s->arena, "%s/%u.db", s->folder, i),
        };
        w->table_rows = s->table_rows[w->profile];
        if (w->workload == SQL_READ_HEAVY) w->path = s->tables[w->profile];
        if (!s->is_wanted[i]) continue;
        struct sql_effective *effective = &s->effective[w->profile];
        if (!sql_work_open(w, &s->arena, &t->error) ||
            !sql_effective(w->sql, effective, &t->error) ||
            !sql_is_as_asked(effective, w->profile, &t->error))
            return TRIAL_HARNESS_ERROR;
    }
    return TRIAL_OK;
}

/* A file that was written is closed in its time: a log is copied into its file only then, if it
 * is short, and synced. */
static enum trial_status pragma_execute_once(struct trial *t, void *state)
{
    struct state *s = state;
    for (uint32_t k = 0; k < CELLS; k++) {
        uint32_t i = s->order[k];
        if (!s->is_wanted[i]) continue;
        int64_t begin_ns = clock_ns();
        if (!sql_work_run(&s->works[i], &t->error)) return TRIAL_FAILED;
        if (s->works[i].workload != SQL_READ_HEAVY) sql_work_close(&s->works[i]);
        s->seconds[i] = (double)(clock_ns() - begin_ns) / 1e9;
    }
    return TRIAL_OK;
}

static bool is_used(const struct state *s, int profile)
{
    for (int w = 0; w < SQL_WORKLOAD_COUNT; w++) {
        if (s->is_wanted[profile * SQL_WORKLOAD_COUNT + w]) return true;
    }
    return false;
}

static void put_raw(struct json *j, const struct state *s)
{
    json_key_object(j, "raw_results");
    for (int p = 0; p < SQL_PROFILE_COUNT; p++) {
        if (!is_used(s, p)) continue;
        json_key_object(j, sql_profile_names[p]);
        for (int w = 0; w < SQL_WORKLOAD_COUNT; w++) {
            int i = p * SQL_WORKLOAD_COUNT + w;
            if (s->is_wanted[i]) json_put_real(j, sql_workload_names[w], s->seconds[i]);
        }
        json_end(j);
    }
    json_end(j);
    json_key_object(j, "normalized_results");
    for (int w = 0; w < SQL_WORKLOAD_COUNT; w++) {
        int balanced = SQL_BALANCED * SQL_WORKLOAD_COUNT + w;
        if (!s->is_wanted[balanced]) continue;
        json_key_object(j, sql_workload_names[w]);
        for (int p = 0; p < SQL_PROFILE_COUNT; p++) {
            int i = p * SQL_WORKLOAD_COUNT + w;
            if (s->is_wanted[i])
                json_put_real(j, sql_profile_names[p], s->seconds[balanced] / s->seconds[i]);
        }
        json_end(j);
    }
    json_end(j);
}

static void put_detail(const struct state *s, struct buf *out)
{
    struct json j;
    json_init(&j, out, 0);
    json_object(&j);
    put_raw(&j, s);
    json_key_object(&j, "pragmas");
    for (int p = 0; p < SQL_PROFILE_COUNT; p++) {
        if (!is_used(s, p)) continue;
        json_key_object(&j, sql_profile_names[p]);
        databases_put_pragmas(&j, &s->effective[p]);
        json_end(&j);
    }
    json_end(&j);
    json_key_object(&j, "durability");
    for (int p = 0; p < SQL_PROFILE_COUNT; p++) {
        if (!is_used(s, p)) continue;
        json_key_object(&j, sql_profile_names[p]);
        json_put_int(&j, "kills", s->config->kills);
        json_put_int(&j, "told", s->durability[p].told);
        json_put_int(&j, "found", s->durability[p].found);
        json_put_int(&j, "lost", s->durability[p].lost);
        json_put_int(&j, "damaged", s->damaged[p]);
        json_put_bool(&j, "intact", s->durability[p].is_intact);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}

static void give(struct trial *t, const struct state *s)
{
    for (int i = 0; i < CELLS; i++) {
        if (s->is_wanted[i]) t->values[METRIC_TIME + i] = s->seconds[i];
    }
    for (int p = 0; p < SQL_PROFILE_COUNT; p++) {
        int write = p * SQL_WORKLOAD_COUNT + SQL_WRITE_HEAVY;
        if (s->is_wanted[write])
            t->values[METRIC_WRITE_RATE + p] =
                (double)s->config->num_records / s->seconds[write];
        if (!is_used(s, p) || s->config->kills == 0) continue;
        t->values[METRIC_LOST + p] = (double)s->durability[p].lost;
        t->values[METRIC_INTACT + p] = s->durability[p].is_intact;
    }
    put_detail(s, t->detail);
}

static bool probe_all(struct state *s, uint64_t seed, struct error *err)
{
    for (int p = 0; p < SQL_PROFILE_COUNT; p++) {
        if (is_used(s, p) && !probe(s, (enum sql_profile)p, seed, err)) return false;
    }
    return true;
}

static enum trial_status pragma_conclude(struct trial *t, void *state, enum trial_status status)
{
    struct state *s = state;
    for (int i = 0; i < CELLS; i++) {
        if (!s->is_wanted[i]) continue;
        if (status == TRIAL_OK && !sql_work_verify(&s->works[i], &t->error))
            status = TRIAL_FAILED;
        sql_work_close(&s->works[i]);
    }
    if (status == TRIAL_OK && !probe_all(s, t->private_seed, &t->error))
        status = TRIAL_HARNESS_ERROR;
    if (status == TRIAL_OK) give(t, s);
    os_remove_tree(s->folder);
    return status;
}

static bool pragma_teardown(void *state, struct error *err)
{
    (void)err;
    struct state *s = state;
    if (s->env) arena_close(&s->arena);
    return true;
}

static const struct experiment_plot plots[] = {
    {"Time by profile and load",
     EXPERIMENT_BARS,
     NULL,
     {"balanced_write_heavy_s", "performance_write_heavy_s", "safety_write_heavy_s",
      "memory_write_heavy_s", "balanced_read_heavy_s", "performance_read_heavy_s",
      "safety_read_heavy_s", "memory_read_heavy_s", "balanced_mixed_s", "performance_mixed_s",
      "safety_mixed_s", "memory_mixed_s"}},
};

const struct experiment experiment_pragma_profile = {
    .name = "pragma_profile",
    .summary =
        "SQLite with four sets of settings under three loads, and with its writer killed",
    .help =
        "The pragmas that took effect are read back and must be those of the profile; every "
        "query's result and every file are checked. After every trial, writers of each "
        "profile are killed in the middle of a commit to see whether their files are in order "
        "and hold what they had committed.",
    .params = {params, COUNT(params)},
    .config_size = sizeof(struct config),
    .state_size = sizeof(struct state),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .plots = plots,
    .plot_count = COUNT(plots),
    .demand = pragma_demand,
    .setup = pragma_setup,
    .prepare = pragma_prepare,
    .execute_once = pragma_execute_once,
    .conclude = pragma_conclude,
    .teardown = pragma_teardown,
};
