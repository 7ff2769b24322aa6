/* simulation.h - a life with its records: the world goes on, everybody looks around if asked
 * to, and each step is written to a database on disk, in memory, or in memory and then to
 * disk. */
#ifndef WORLD_SIMULATION_H
#define WORLD_SIMULATION_H

#include "world/observation.h"
#include "world/world_db.h"

enum simulation_store { SIMULATION_DISK, SIMULATION_MEMORY, SIMULATION_MEMORY_PERSIST };

struct simulation_config {
    struct world_config world;
    int64_t steps;
    int32_t radius; /* of observations, every agent in every step; 0 = nobody looks */
    enum observation_storage storage;
    enum simulation_store store;
    enum sql_profile profile;
    const char *path; /* of the file; not of SIMULATION_MEMORY */
};

struct simulation {
    const struct simulation_config *config;
    struct arena *arena;
    struct world world;
    struct world_db *db; /* NULL when its file is closed */
    struct lens lens;
    struct observation *observations;
    float *room;
    float sum;
};

/* Bytes of the rows of a life, if there are always as many agents as at first: it may be
 * twice as much. */
double simulation_bytes(double agents, double steps);

/* What its world and its observations hold now, the database apart. */
size_t simulation_held_bytes(const struct simulation *s);

MUST_USE bool simulation_open(struct simulation *s, const struct simulation_config *config,
                              struct arena *arena, struct error *err);
MUST_USE bool simulation_step(struct simulation *s, struct error *err);

/* Flushes, and closes the file or writes it where that comes last. */
MUST_USE bool simulation_finish(struct simulation *s, struct error *err);
void simulation_close(struct simulation *s); /* a zeroed one is closed too */

/* All steps, and finishes. */
MUST_USE bool simulation_live(struct simulation *s, struct error *err);

/* The pragmas of its database, which must be those of the profile; before it is finished. */
MUST_USE bool simulation_pragmas(struct simulation *s, struct sql_effective *out,
                                 struct error *err);

/* What its records hold, read where they were to end: the file opened anew, or the memory. */
MUST_USE bool simulation_content(struct simulation *s, struct world_db_content *out,
                                 struct error *err);

/* Lives the life of `s` again, with its rows in memory, the other storage of observations and
 * another index: gives what the records of `s` must hold. False if worlds or observations differ,
 * if there are not as many rows as things have happened, or if those of the last step are not
 * what the world is. */
MUST_USE bool simulation_relive(const struct simulation *s, struct world_db_content *expected,
                                struct arena *scratch, struct error *err);

/* False unless the records of `s`, read where they were to end, hold that. */
MUST_USE bool simulation_holds(struct simulation *s, const struct world_db_content *expected,
                               struct error *err);

#endif
