/* The rows against the world, without the code that writes them: numbers as they are, words and
 * keys as what SQL makes of them. */
#include "world/world_db.h"

enum { COLUMNS_MAX = 12 };

/* A table: what its rows must be. `expect` fills in the columns of item i, and is false where
 * that has no row. */
struct table_check {
    const char *name;
    const char *query; /* ?1: the step */
    int columns;
    uint32_t (*count)(const struct world *w);
    bool (*expect)(const struct world *w, uint32_t i, double *columns);
};

static uint32_t count_agents(const struct world *w)
{
    return w->agent_count;
}

static bool expect_agent(const struct world *w, uint32_t i, double *v)
{
    const struct world_agent *a = &w->agents[i];
    const double columns[] = {i,
                              a->birth_step,
                              a->death_step,
                              a->kind,
                              a->initial_resources,
                              a->starting_health,
                              a->generation};
    memcpy(v, columns, sizeof columns);
    return true;
}

static bool expect_state(const struct world *w, uint32_t i, double *v)
{
    const struct world_agent *a = &w->agents[i];
    const double columns[] = {i,
                              1, /* its key says so */
                              a->x,
                              a->y,
                              0,
                              a->resources,
                              a->health,
                              a->starting_health,
                              a->starving_steps,
                              a->is_defending,
                              a->total_reward,
                              w->step - a->birth_step};
    memcpy(v, columns, sizeof columns);
    return a->death_step < 0;
}

static uint32_t count_resources(const struct world *w)
{
    return w->resource_count;
}

static bool expect_resource(const struct world *w, uint32_t i, double *v)
{
    const struct world_resource *r = &w->resources[i];
    const double columns[] = {i, r->amount, r->x, r->y};
    memcpy(v, columns, sizeof columns);
    return true;
}

static uint32_t count_deeds(const struct world *w)
{
    return w->deed_count;
}

static bool expect_deed(const struct world *w, uint32_t i, double *v)
{
    const struct world_deed *d = &w->deeds[i];
    const double columns[] = {d->agent, d->action,
                              d->target == WORLD_NOBODY ? -1.0 : (double)d->target, d->reward,
                              d->agent};
    memcpy(v, columns, sizeof columns);
    return true;
}

static uint32_t count_incidents(const struct world *w)
{
    return w->incident_count;
}

static bool expect_incident(const struct world *w, uint32_t i, double *v)
{
    const struct world_incident *n = &w->incidents[i];
    const double columns[] = {n->agent, n->before, n->after, n->cause[0] == 'a'};
    memcpy(v, columns, sizeof columns);
    return true;
}

static uint32_t count_one(const struct world *w)
{
    (void)w;
    return 1;
}

/* Means are of the rows of the same step, which are right by then. */
static bool expect_step(const struct world *w, uint32_t i, double *v)
{
    (void)i;
    const double columns[] = {w->living_count, w->births, w->deaths, w->consumed, 1, 1, 1, 1};
    memcpy(v, columns, sizeof columns);
    return true;
}

#define IS_NEAR(a, b)   "abs(" a " - ifnull((" b "), 0)) < 1e-6"
#define OF_STATES(what) "SELECT avg(" what ") FROM agent_states WHERE step_number = ?1"

static const struct table_check tables[] = {
    {"agents",
     "SELECT agent_id, birth_time, ifnull(death_time, -1),"
     " CASE agent_type WHEN 'system' THEN 0 WHEN 'independent' THEN 1 WHEN 'control' THEN "
     "2 END,"
     " initial_resources, starting_health, generation FROM agents WHERE ?1 >= 0 ORDER BY 1",
     7, count_agents, expect_agent},
    {"agent_states",
     "SELECT agent_id, id = '1:' || agent_id || '-' || step_number, position_x, position_y,"
     " position_z, resource_level, current_health, starting_health, starvation_counter,"
     " is_defending, total_reward, age FROM agent_states WHERE step_number = ?1 ORDER BY 1",
     12, count_agents, expect_state},
    {"resource_states",
     "SELECT resource_id, amount, position_x, position_y FROM resource_states"
     " WHERE step_number = ?1 ORDER BY 1",
     4, count_resources, expect_resource},
    {"agent_actions",
     "SELECT agent_id, CASE action_type WHEN 'move' THEN 0 WHEN 'gather' THEN 1"
     " WHEN 'attack' THEN 2 WHEN 'defend' THEN 3 WHEN 'reproduce' THEN 4 END,"
     " ifnull(action_target_id, -1), reward, module_id FROM agent_actions"
     " WHERE step_number = ?1 ORDER BY action_id",
     5, count_deeds, expect_deed},
    {"health_incidents",
     "SELECT agent_id, health_before, health_after, cause = 'attack' FROM health_incidents"
     " WHERE step_number = ?1 ORDER BY incident_id",
     4, count_incidents, expect_incident},
    {"simulation_steps",
     "SELECT total_agents, births, deaths, resources_consumed,"
     " " IS_NEAR(
         "total_resources",
         "SELECT sum(amount) FROM resource_states WHERE step_number = "
         "?1") ","
               " " IS_NEAR(
                   "average_agent_health",
                   OF_STATES(
                       "current_health")) ","
                                          " " IS_NEAR(
                                              "average_agent_resources",
                                              OF_STATES(
                                                  "resource_"
                                                  "level")) ","
                                                            " " IS_NEAR(
                                                                "a"
                                                                "v"
                                                                "e"
                                                                "r"
                                                                "a"
                                                                "g"
                                                                "e"
                                                                "_"
                                                                "r"
                                                                "e"
                                                                "w"
                                                                "a"
                                                                "r"
                                                                "d",
                                                                OF_STATES(
                                                                    "total_reward")) " FROM "
                                                                                     "simulatio"
                                                                                     "n_steps "
                                                                                     "WHERE "
                                                                                     "step_"
                                                                                     "number = "
                                                                                     "?1",
     8, count_one, expect_step},
};

static bool is_row(const struct table_check *t, struct sql_statement *s, const double *expected,
                   struct error *err)
{
    for (int c = 0; c < t->columns; c++) {
        double is = sql_column_real(s, c);
        if (is == expected[c]) continue;
        return error_set(err, ERROR_FAILED,
                         "%s: column %d of a row of %.0f is %.9g instead of %.9g", t->name,
                         c + 1, expected[0], is, expected[c]);
    }
    return true;
}

static bool check_table(const struct table_check *t, struct sql *sql, const struct world *w,
                        struct error *err)
{
    struct sql_statement *s = NULL;
    if (!sql_prepare(sql, t->query, &s, err)) return false;
    sql_bind_int(s, 1, w->step);
    bool has_row = false;
    for (uint32_t i = 0; i < t->count(w); i++) {
        double expected[COLUMNS_MAX];
        if (!t->expect(w, i, expected)) continue;
        if (!sql_next(s, &has_row, err)) return false;
        if (!has_row) return error_set(err, ERROR_FAILED, "%s: rows are missing", t->name);
        if (!is_row(t, s, expected, err)) return false;
    }
    if (!sql_next(s, &has_row, err)) return false;
    return !has_row || error_set(err, ERROR_FAILED, "%s: there are more rows", t->name);
}

bool world_db_agrees(struct world_db *db, const struct world *w, struct error *err)
{
    for (size_t i = 0; i < COUNT(tables); i++) {
        if (!check_table(&tables[i], world_db_sql(db), w, err)) return false;
    }
    return true;
}
