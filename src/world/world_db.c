#include "world/world_db.h"

#include <stdio.h>

const char *const world_db_schema =
    "CREATE TABLE experiments(experiment_id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    "CREATE TABLE simulations(simulation_id INTEGER PRIMARY KEY,"
    "  experiment_id INTEGER REFERENCES experiments(experiment_id), status TEXT NOT NULL,"
    "  seed TEXT NOT NULL);"
    "CREATE TABLE simulation_config(config_id INTEGER PRIMARY KEY,"
    "  simulation_id INTEGER NOT NULL REFERENCES simulations(simulation_id),"
    "  config_data TEXT NOT NULL);"
    "CREATE TABLE agents(agent_id INTEGER PRIMARY KEY,"
    "  simulation_id INTEGER NOT NULL REFERENCES simulations(simulation_id),"
    "  birth_time INTEGER NOT NULL, death_time INTEGER, agent_type TEXT NOT NULL,"
    "  position_x REAL, position_y REAL, initial_resources REAL, starting_health REAL,"
    "  genome_id TEXT, generation INTEGER, action_weights TEXT);"
    "CREATE TABLE agent_states(id TEXT PRIMARY KEY, simulation_id INTEGER NOT NULL,"
    "  step_number INTEGER NOT NULL, agent_id INTEGER NOT NULL REFERENCES agents(agent_id),"
    "  position_x REAL, position_y REAL, position_z REAL, resource_level REAL,"
    "  current_health REAL, starting_health REAL, starvation_counter INTEGER,"
    "  is_defending INTEGER, total_reward REAL, age INTEGER);"
    "CREATE TABLE resource_states(id INTEGER PRIMARY KEY, simulation_id INTEGER NOT NULL,"
    "  step_number INTEGER NOT NULL, resource_id INTEGER NOT NULL, amount REAL,"
    "  position_x REAL, position_y REAL);"
    "CREATE TABLE simulation_steps(step_number INTEGER NOT NULL,"
    "  simulation_id INTEGER NOT NULL REFERENCES simulations(simulation_id),"
    "  total_agents INTEGER, agent_type_counts TEXT, total_resources REAL,"
    "  average_agent_resources REAL, births INTEGER, deaths INTEGER,"
    "  current_max_generation INTEGER, resource_efficiency REAL,"
    "  resource_distribution_entropy REAL, average_agent_health REAL,"
    "  average_agent_age REAL, average_reward REAL, genetic_diversity REAL,"
    "  dominant_genome_ratio REAL, resources_consumed REAL,"
    "  PRIMARY KEY(step_number, simulation_id));"
    "CREATE TABLE agent_actions(action_id INTEGER PRIMARY KEY, simulation_id INTEGER NOT NULL,"
    "  step_number INTEGER NOT NULL, agent_id INTEGER NOT NULL REFERENCES agents(agent_id),"
    "  action_type TEXT NOT NULL, action_target_id INTEGER, reward REAL, details TEXT,"
    "  module_type TEXT, module_id INTEGER);"
    "CREATE TABLE health_incidents(incident_id INTEGER PRIMARY KEY,"
    "  simulation_id INTEGER NOT NULL, step_number INTEGER NOT NULL,"
    "  agent_id INTEGER NOT NULL REFERENCES agents(agent_id), health_before REAL,"
    "  health_after REAL, cause TEXT NOT NULL);"
    "CREATE INDEX agents_type ON agents(agent_type);"
    "CREATE INDEX agents_birth ON agents(birth_time);"
    "CREATE INDEX agents_death ON agents(death_time);"
    "CREATE INDEX states_agent ON agent_states(agent_id);"
    "CREATE INDEX states_step ON agent_states(step_number);"
    "CREATE INDEX states_agent_step ON agent_states(agent_id, step_number);"
    "CREATE INDEX resources_step ON resource_states(step_number);"
    "CREATE INDEX resources_resource ON resource_states(resource_id);"
    "CREATE INDEX steps_step ON simulation_steps(step_number);"
    "CREATE INDEX steps_simulation ON simulation_steps(simulation_id);"
    "CREATE INDEX actions_step ON agent_actions(step_number);"
    "CREATE INDEX actions_agent ON agent_actions(agent_id);"
    "CREATE INDEX actions_type ON agent_actions(action_type);"
    "CREATE INDEX actions_module ON agent_actions(module_type);"
    "CREATE INDEX incidents_step ON health_incidents(step_number);"
    "CREATE INDEX incidents_agent ON health_incidents(agent_id);";

const char *const world_db_insert_state =
    "INSERT INTO agent_states VALUES(?,1,?,?,?,?,0,?,?,?,?,?,?,?)";
const char *const world_db_insert_resource =
    "INSERT INTO resource_states VALUES(NULL,1,?,?,?,?,?)";
const char *const world_db_insert_step =
    "INSERT INTO simulation_steps VALUES(?,1,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
const char *const world_db_insert_action =
    "INSERT INTO agent_actions VALUES(NULL,1,?,?,?,?,?,NULL,'policy',?)";
const char *const world_db_insert_incident =
    "INSERT INTO health_incidents VALUES(NULL,1,?,?,?,?,?)";
const char *const world_db_insert_agent =
    "INSERT INTO agents VALUES(?,1,?,NULL,?,?,?,?,?,?,?,?)";
const char *const world_db_update_death = "UPDATE agents SET death_time=? WHERE agent_id=?";

struct action {
    int64_t step;
    struct world_deed deed;
};

struct world_db {
    struct sql *sql;
    struct sql_statement *begin, *commit, *agent, *death, *state, *resource, *step, *action,
        *incident;
    struct action *buffered;
    size_t buffered_count, buffered_max;
    uint32_t agents_known; /* rows of agents */
};

struct sql *world_db_sql(struct world_db *db)
{
    return db->sql;
}

static bool prepare(struct world_db *db, struct error *err)
{
    return sql_prepare(db->sql, "BEGIN IMMEDIATE", &db->begin, err) &&
           sql_prepare(db->sql, "COMMIT", &db->commit, err) &&
           sql_prepare(db->sql, world_db_insert_agent, &db->agent, err) &&
           sql_prepare(db->sql, world_db_update_death, &db->death, err) &&
           sql_prepare(db->sql, world_db_insert_state, &db->state, err) &&
           sql_prepare(db->sql, world_db_insert_resource, &db->resource, err) &&
           sql_prepare(db->sql, world_db_insert_step, &db->step, err) &&
           sql_prepare(db->sql, world_db_insert_action, &db->action, err) &&
           sql_prepare(db->sql, world_db_insert_incident, &db->incident, err);
}

bool world_db_open(const struct world_db_settings *settings, struct arena *arena,
                   struct world_db **out, struct error *err)
{
    struct world_db *db = arena_new(arena, struct world_db, 1);
    int64_t buffered = settings->actions_buffered;
    db->buffered_max = (size_t)(buffered > 0 ? buffered : WORLD_DB_ACTIONS_BUFFERED);
    db->buffered = arena_new(arena, struct action, db->buffered_max);
    if (!sql_open(settings->path, settings->profile, arena, &db->sql, err)) return false;
    if (!sql_exec(db->sql, "BEGIN", err) || !sql_exec(db->sql, world_db_schema, err) ||
        !sql_exec(db->sql, "COMMIT", err) || !prepare(db, err)) {
        sql_close(db->sql);
        return false;
    }
    *out = db;
    return true;
}

void world_db_close(struct world_db *db)
{
    if (db) sql_close(db->sql);
}

/* ---- rows ---- */

static bool put_agents(struct world_db *db, const struct world *w, struct error *err)
{
    for (; db->agents_known < w->agent_count; db->agents_known++) {
        const struct world_agent *a = &w->agents[db->agents_known];
        char genome[48];
        int n =
            snprintf(genome, sizeof genome, "%s:%d", world_kind_name(a->kind), a->generation);
        sql_bind_int(db->agent, 1, db->agents_known);
        sql_bind_int(db->agent, 2, a->birth_step);
        sql_bind_text(db->agent, 3, str_of(world_kind_name(a->kind)));
        sql_bind_real(db->agent, 4, a->x);
        sql_bind_real(db->agent, 5, a->y);
        sql_bind_real(db->agent, 6, a->initial_resources);
        sql_bind_real(db->agent, 7, a->starting_health);
        sql_bind_text(db->agent, 8, (struct str){genome, (size_t)n});
        sql_bind_int(db->agent, 9, a->generation);
        sql_bind_text(db->agent, 10, S("{}"));
        if (!sql_run(db->agent, err)) return false;
    }
    return true;
}

static bool put_deaths(struct world_db *db, const struct world *w, struct error *err)
{
    for (uint32_t i = 0; w->deaths > 0 && i < w->agent_count; i++) {
        if (w->agents[i].death_step != w->step) continue;
        sql_bind_int(db->death, 1, w->step);
        sql_bind_int(db->death, 2, i);
        if (!sql_run(db->death, err)) return false;
    }
    return true;
}

/* "1:17-42" of agent 17 in step 42; printf would take a tenth of the insert. */
static struct str state_key(uint32_t agent, uint32_t step, char *room, size_t size)
{
    char *p = room + size;
    do *--p = (char)('0' + step % 10);
    while (step /= 10);
    *--p = '-';
    do *--p = (char)('0' + agent % 10);
    while (agent /= 10);
    *--p = ':';
    *--p = '1';
    return (struct str){p, (size_t)(room + size - p)};
}

static bool put_states(struct world_db *db, const struct world *w, struct error *err)
{
    struct sql_statement *s = db->state;
    for (uint32_t i = 0; i < w->agent_count; i++) {
        const struct world_agent *a = &w->agents[i];
        if (a->death_step >= 0) continue;
        char key[32];
        sql_bind_text(s, 1, state_key(i, (uint32_t)w->step, key, sizeof key));
        sql_bind_int(s, 2, w->step);
        sql_bind_int(s, 3, i);
        sql_bind_real(s, 4, a->x);
        sql_bind_real(s, 5, a->y);
        sql_bind_real(s, 6, a->resources);
        sql_bind_real(s, 7, a->health);
        sql_bind_real(s, 8, a->starting_health);
        sql_bind_int(s, 9, a->starving_steps);
        sql_bind_int(s, 10, a->is_defending);
        sql_bind_real(s, 11, a->total_reward);
        sql_bind_int(s, 12, w->step - a->birth_step);
        if (!sql_run(s, err)) return false;
    }
    return true;
}

static bool put_resources(struct world_db *db, const struct world *w, struct error *err)
{
    struct sql_statement *s = db->resource;
    for (uint32_t i = 0; i < w->resource_count; i++) {
        const struct world_resource *r = &w->resources[i];
        sql_bind_int(s, 1, w->step);
        sql_bind_int(s, 2, i);
        sql_bind_real(s, 3, r->amount);
        sql_bind_real(s, 4, r->x);
        sql_bind_real(s, 5, r->y);
        if (!sql_run(s, err)) return false;
    }
    return true;
}

static bool put_summary(struct world_db *db, const struct world *w, struct error *err)
{
    struct world_summary m = world_summarise(w);
    char kinds[96];
    int n = snprintf(kinds, sizeof kinds, "{\"system\":%u,\"independent\":%u,\"control\":%u}",
                     m.by_kind[WORLD_SYSTEM], m.by_kind[WORLD_INDEPENDENT],
                     m.by_kind[WORLD_CONTROL]);
    struct sql_statement *s = db->step;
    sql_bind_int(s, 1, w->step);
    sql_bind_int(s, 2, m.living);
    sql_bind_text(s, 3, (struct str){kinds, (size_t)n});
    sql_bind_real(s, 4, m.total_resources);
    sql_bind_real(s, 5, m.mean_agent_resources);
    sql_bind_int(s, 6, w->births);
    sql_bind_int(s, 7, w->deaths);
    sql_bind_int(s, 8, m.max_generation);
    sql_bind_real(s, 9, m.efficiency);
    sql_bind_real(s, 10, m.resource_spread);
    sql_bind_real(s, 11, m.mean_health);
    sql_bind_real(s, 12, m.mean_age);
    sql_bind_real(s, 13, m.mean_reward);
    sql_bind_real(s, 14, m.kind_diversity);
    sql_bind_real(s, 15, m.largest_kind_share);
    sql_bind_real(s, 16, w->consumed);
    return sql_run(s, err);
}

static bool put_incidents(struct world_db *db, const struct world *w, struct error *err)
{
    struct sql_statement *s = db->incident;
    for (uint32_t i = 0; i < w->incident_count; i++) {
        const struct world_incident *incident = &w->incidents[i];
        sql_bind_int(s, 1, w->step);
        sql_bind_int(s, 2, incident->agent);
        sql_bind_real(s, 3, incident->before);
        sql_bind_real(s, 4, incident->after);
        sql_bind_text(s, 5, str_of(incident->cause));
        if (!sql_run(s, err)) return false;
    }
    return true;
}

/* Within a transaction. */
static bool put_actions(struct world_db *db, struct error *err)
{
    struct sql_statement *s = db->action;
    for (size_t i = 0; i < db->buffered_count; i++) {
        const struct world_deed *deed = &db->buffered[i].deed;
        sql_bind_int(s, 1, db->buffered[i].step);
        sql_bind_int(s, 2, deed->agent);
        sql_bind_text(s, 3, str_of(world_action_name(deed->action)));
        if (deed->target == WORLD_NOBODY) {
            sql_bind_null(s, 4);
        } else {
            sql_bind_int(s, 4, deed->target);
        }
        sql_bind_real(s, 5, deed->reward);
        sql_bind_int(s, 6, deed->agent);
        if (!sql_run(s, err)) return false;
    }
    db->buffered_count = 0;
    return true;
}

/* ---- transactions ---- */

static bool finish(struct world_db *db, bool done, struct error *err)
{
    if (done) return sql_run(db->commit, err);
    struct error ignored;
    (void)!sql_exec(db->sql, "ROLLBACK", &ignored);
    return false;
}

bool world_db_begin(struct world_db *db, const struct world *w, struct error *err)
{
    if (!sql_run(db->begin, err)) return false;
    char text[400];
    snprintf(text, sizeof text,
             "INSERT INTO experiments VALUES(1,'world');"
             "INSERT INTO simulations VALUES(1,1,'running','%llu');"
             "INSERT INTO simulation_config VALUES(1,1,"
             "'{\"width\":%d,\"height\":%d,\"resources\":%d,\"agents\":%u}');",
             (unsigned long long)w->config.seed, w->config.width, w->config.height,
             w->config.resources, w->agent_count);
    return finish(db, sql_exec(db->sql, text, err) && put_agents(db, w, err), err);
}

bool world_db_step(struct world_db *db, const struct world *w, struct error *err)
{
    if (!sql_run(db->begin, err)) return false;
    bool done = put_agents(db, w, err) && put_states(db, w, err) && put_resources(db, w, err) &&
                put_summary(db, w, err) && put_incidents(db, w, err) && put_deaths(db, w, err);
    for (uint32_t i = 0; done && i < w->deed_count; i++) {
        db->buffered[db->buffered_count++] = (struct action){w->step, w->deeds[i]};
        if (db->buffered_count == db->buffered_max) done = put_actions(db, err);
    }
    return finish(db, done, err);
}

bool world_db_action(struct world_db *db, int64_t step, const struct world_deed *deed,
                     struct error *err)
{
    db->buffered[db->buffered_count++] = (struct action){step, *deed};
    return db->buffered_count < db->buffered_max || world_db_flush(db, err);
}

bool world_db_flush(struct world_db *db, struct error *err)
{
    if (db->buffered_count == 0) return true;
    if (!sql_run(db->begin, err)) return false;
    return finish(db, put_actions(db, err), err);
}

bool world_db_persist(struct world_db *db, const char *path, struct error *err)
{
    if (!world_db_flush(db, err)) return false;
    struct sql_statement *vacuum = NULL;
    if (!sql_prepare(db->sql, "VACUUM INTO ?", &vacuum, err)) return false;
    sql_bind_text(vacuum, 1, str_of(path));
    return sql_run(vacuum, err);
}

/* ---- what it holds ---- */

static bool content(struct sql *sql, struct world_db_content *out, struct error *err)
{
    enum { AGENT_STATES = 4 };
    static const char *const queries[] = {
        "SELECT * FROM experiments ORDER BY 1",
        "SELECT * FROM simulations ORDER BY 1",
        "SELECT * FROM simulation_config ORDER BY 1",
        "SELECT * FROM agents ORDER BY 1",
        [AGENT_STATES] = "SELECT * FROM agent_states ORDER BY step_number, agent_id",
        "SELECT * FROM resource_states ORDER BY 1",
        "SELECT * FROM simulation_steps ORDER BY 1",
        "SELECT * FROM agent_actions ORDER BY 1",
        "SELECT * FROM health_incidents ORDER BY 1",
    };
    *out = (struct world_db_content){0};
    for (size_t i = 0; i < COUNT(queries); i++) {
        uint64_t hash = 0;
        int64_t rows = 0;
        if (!sql_hash(sql, queries[i], &hash, &rows, err)) return false;
        out->hash = out->hash * UINT64_C(0x9e3779b97f4a7c15) + hash;
        out->rows += rows;
        if (i == AGENT_STATES) out->states = rows;
    }
    return true;
}

bool world_db_content(struct world_db *db, struct world_db_content *out, struct error *err)
{
    return content(db->sql, out, err);
}

bool world_db_content_of(const char *path, struct world_db_content *out, struct error *err)
{
    struct arena arena = arena_open();
    struct sql *sql = NULL;
    bool done = sql_open(path, SQL_BALANCED, &arena, &sql, err) && content(sql, out, err);
    sql_close(sql);
    arena_close(&arena);
    return done;
}
