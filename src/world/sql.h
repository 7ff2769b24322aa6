/* sql.h - the world's door to SQLite: statements, values, and the settings it runs with.
 *
 * A profile is a set of pragmas that is applied when a database is opened. What SQLite has
 * made of them is read back (sql_effective): some cannot be changed once a file has pages,
 * some do nothing in memory. */
#ifndef WORLD_SQL_H
#define WORLD_SQL_H

#include "base/error.h"
#include "base/str.h"

enum sql_profile { SQL_BALANCED, SQL_PERFORMANCE, SQL_SAFETY, SQL_MEMORY, SQL_PROFILE_COUNT };

extern const char *const sql_profile_names[]; /* NULL-terminated */

struct sql;
struct sql_statement;

/* `path` ":memory:" = nowhere else. Lives in `arena` until sql_close. */
MUST_USE bool sql_open(const char *path, enum sql_profile profile, struct arena *arena,
                       struct sql **sql, struct error *err);
void sql_close(struct sql *sql); /* statements too; NULL does nothing */

/* Several statements without results. */
MUST_USE bool sql_exec(struct sql *sql, const char *text, struct error *err);

/* The first column of the first row. */
MUST_USE bool sql_ask_int(struct sql *sql, const char *text, int64_t *out, struct error *err);

/* Lives until sql_close. */
MUST_USE bool sql_prepare(struct sql *sql, const char *text, struct sql_statement **out,
                          struct error *err);

/* Parameters from 1 on; texts must live until the statement has run. */
void sql_bind_int(struct sql_statement *s, int at, int64_t v);
void sql_bind_real(struct sql_statement *s, int at, double v);
void sql_bind_text(struct sql_statement *s, int at, struct str text);
void sql_bind_null(struct sql_statement *s, int at);

/* Runs it to its end, dropping rows; ready for the next time. */
MUST_USE bool sql_run(struct sql_statement *s, struct error *err);

/* The next row; *has_row false at the end, after which it is ready for the next time. */
MUST_USE bool sql_next(struct sql_statement *s, bool *has_row, struct error *err);
int64_t sql_column_int(struct sql_statement *s, int at);
double sql_column_real(struct sql_statement *s, int at);
struct str sql_column_text(struct sql_statement *s, int at); /* until the next row */

/* A hash of the rows of a query, types and values, in their order; and how many there are. */
MUST_USE bool sql_hash(struct sql *sql, const char *query, uint64_t *hash, int64_t *rows,
                       struct error *err);

/* Writes to the file and its log. The one numbered `fatal` is not done: the process is killed
 * (SIGKILL) in its place. 0 = none is. */
struct sql_writes {
    int64_t count;
    int64_t fatal;
};
/* Counts from now on, until sql_close; `writes` must live as long. The log must be there: a
 * table has been made. */
MUST_USE bool sql_count_writes(struct sql *sql, struct sql_writes *writes, struct error *err);

/* What the database runs with. */
struct sql_effective {
    int64_t synchronous; /* 0 off, 1 normal, 2 full */
    char journal_mode[16];
    int64_t cache_size; /* KiB if negative */
    int64_t page_size;
    int64_t mmap_size;
    int64_t automatic_index;
    int64_t busy_timeout_ms;
    int64_t temp_store;
    int64_t foreign_keys;
    bool is_in_memory; /* there is no file */
};
MUST_USE bool sql_effective(struct sql *sql, struct sql_effective *out, struct error *err);

/* What the profile asks for. */
struct sql_effective sql_asked(enum sql_profile profile);

/* False, naming the first pragma that did not take, unless the database runs with what its
 * profile asks for. In memory, the journal can be nowhere else and nothing is mapped. */
MUST_USE bool sql_is_as_asked(const struct sql_effective *effective, enum sql_profile profile,
                              struct error *err);

/* Bytes that SQLite has allocated in this process, and had at most since the last reset. */
int64_t sql_memory_bytes(void);
int64_t sql_memory_peak(bool reset);

#endif
