/* world_db.h - a simulation as rows: what was where in every step, and who did what.
 *
 *     simulations, simulation_config, experiments     one row each
 *     agents              one an agent; its end is filled in when it dies
 *     agent_states        one a step and living agent
 *     resource_states     one a step and resource
 *     simulation_steps    one a step: counts and means
 *     agent_actions       one an action, buffered
 *     health_incidents    one a wound
 *
 * with the secondary indexes that analyses ask by, and foreign keys. A step is one
 * transaction. Rows depend on the world alone: the same life gives the same rows wherever
 * they are kept, which world_db_content tells. */
#ifndef WORLD_WORLD_DB_H
#define WORLD_WORLD_DB_H

#include "world/sql.h"
#include "world/world.h"

enum { WORLD_DB_ACTIONS_BUFFERED = 1000 };

struct world_db;

struct world_db_settings {
    const char *path; /* ":memory:" = in memory */
    enum sql_profile profile;
    int64_t actions_buffered; /* written together; 0 = WORLD_DB_ACTIONS_BUFFERED */
};

/* An empty database with all tables. */
MUST_USE bool world_db_open(const struct world_db_settings *settings, struct arena *arena,
                            struct world_db **db, struct error *err);
void world_db_close(struct world_db *db); /* what is buffered is lost; NULL does nothing */

/* The simulation and its first agents. */
MUST_USE bool world_db_begin(struct world_db *db, const struct world *w, struct error *err);

/* The last step. */
MUST_USE bool world_db_step(struct world_db *db, const struct world *w, struct error *err);

/* One action; written when the buffer is full, or by world_db_flush. */
MUST_USE bool world_db_action(struct world_db *db, int64_t step, const struct world_deed *deed,
                              struct error *err);
MUST_USE bool world_db_flush(struct world_db *db, struct error *err);

/* False unless the rows of the last step, and those of all agents, say what the world is now,
 * column by column; all actions must have been flushed. */
MUST_USE bool world_db_agrees(struct world_db *db, const struct world *w, struct error *err);

/* All of it into a new file. */
MUST_USE bool world_db_persist(struct world_db *db, const char *path, struct error *err);

struct world_db_content {
    uint64_t hash; /* of all rows of all tables */
    int64_t rows;
    int64_t states; /* those of agent_states */
};
MUST_USE bool world_db_content(struct world_db *db, struct world_db_content *out,
                               struct error *err);

/* The same of a file that was closed, as a later reader finds it. */
MUST_USE bool world_db_content_of(const char *path, struct world_db_content *out,
                                  struct error *err);

struct sql *world_db_sql(struct world_db *db);

/* The statement that creates all tables and indexes. */
extern const char *const world_db_schema;

/* The statements that write rows, for those who want to do without the rest (bench/world.c). */
extern const char *const world_db_insert_agent;
extern const char *const world_db_update_death;
extern const char *const world_db_insert_state;
extern const char *const world_db_insert_resource;
extern const char *const world_db_insert_step;
extern const char *const world_db_insert_action;
extern const char *const world_db_insert_incident;

#endif
