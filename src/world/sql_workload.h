/* sql_workload.h - what a database of records is asked to do: three loads on one table
 *
 *     (id INTEGER PRIMARY KEY, data TEXT, value REAL, timestamp INTEGER)
 *
 * whose rows are known (value = id / 1000), so that every answer can be checked:
 *
 *     write_heavy   rows in batches of 1000, a transaction each
 *     read_heavy    counts, an aggregate, a self-join and a range over a table of some
 *                   megabytes, opened anew
 *     mixed         single inserts, after every tenth three queries, a transaction each 100
 *
 * and the question what is left when the writer is killed. */
#ifndef WORLD_SQL_WORKLOAD_H
#define WORLD_SQL_WORKLOAD_H

#include "world/sql.h"

enum sql_workload { SQL_WRITE_HEAVY, SQL_READ_HEAVY, SQL_MIXED, SQL_WORKLOAD_COUNT };

extern const char *const sql_workload_names[]; /* NULL-terminated */

struct sql_work {
    enum sql_workload workload;
    enum sql_profile profile;
    int64_t records;    /* written; a tenth of them by mixed */
    const char *path;   /* of the file: new but for read_heavy */
    int64_t table_rows; /* read_heavy: as sql_work_fill gave it */
    struct sql *sql;
    double answer; /* sum of what the queries gave; sql_work_verify knows what it must be */
};

/* A table of at least that many MB for read_heavy, with an index on value. */
MUST_USE bool sql_work_fill(const char *path, enum sql_profile profile, int64_t megabytes,
                            int64_t *rows, struct error *err);

/* Opens the file, not timed; does the work; closes, by which what is still in a log goes into
 * the file; reads everything back. */
MUST_USE bool sql_work_open(struct sql_work *w, struct arena *arena, struct error *err);
MUST_USE bool sql_work_run(struct sql_work *w, struct error *err);
void sql_work_close(struct sql_work *w); /* one that is closed, too */
MUST_USE bool sql_work_verify(struct sql_work *w, struct error *err); /* open or closed */

/* Kills a process that writes rows in batches, a transaction each, into a table with an index,
 * and tells after each commit; then opens what it left. The kill comes in the middle of a
 * commit, in place of one of its writes: there, and only there, a file can be half written. */
struct sql_kill {
    int64_t after; /* commits that the writer lives to tell: 1 or more */
    uint64_t draw; /* chooses the write of the next one */
};
struct sql_durability {
    int64_t told;   /* rows that the writer knew to be committed */
    int64_t found;  /* rows that are there: told, or a batch more */
    int64_t lost;   /* told but not found */
    bool is_intact; /* by PRAGMA integrity_check, with whole transactions only; false: what
                       was found is not to be trusted */
};
MUST_USE bool sql_probe_durability(const char *path, enum sql_profile profile,
                                   struct sql_kill when, struct sql_durability *out,
                                   struct error *err);

#endif
