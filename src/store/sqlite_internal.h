/* sqlite_internal.h - what the sqlite*.c files share.
 *
 *   sqlite.c         opening, closing, upgrading
 *   sqlite_db.c      transactions, what errors mean
 *   sqlite_query.c   prepared statements: bind, step, read
 *   sqlite_schema.c  the tables, as numbered migrations
 *   sqlite_schema_rank.c  the part of them that rankings are made from
 *   sqlite_rank.c    rankings, from rollups or from the executions
 *   sqlite_known.c   what is known of each agent, kept while nothing of it changes
 *   sqlite_rows.c    runs and executions, one table of columns each
 *   sqlite_order.c   which run is newer than which
 *   sqlite_suites.c  agents, suites, benchmarks, cases
 *   sqlite_baseline.c  baselines and regressions
 *   sqlite_alarms.c  every regression that was reported, and what people said of it
 *   sqlite_serve.c   what the API's server keeps: tokens and requests of runs
 *   sqlite_append.c  trials as they come
 *   sqlite_series.c  samples of an execution: reading, folding, progress
 *   sqlite_extra.c   notes and artifacts
 *   sqlite_interop.c several writes as one, histograms, runs by content
 *   sqlite_rowcopy.c rows as they are, for bundles
 *
 * A new area of queries is a new file sqlite_<area>.c with its functions here. */
#ifndef STORE_SQLITE_INTERNAL_H
#define STORE_SQLITE_INTERNAL_H

#include "store/store_internal.h"

#include <sqlite3.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "samples are stored as the machine's own doubles: little-endian");

enum { SQLITE_STATEMENTS_MAX = 128, SQLITE_KNOWN_SERIES = 256, SQLITE_COPIED_TABLES = 32 };

/* What a question about executions is looked up by. */
enum sqlite_query_by {
    SQLITE_BY_NONE,
    SQLITE_BY_SUITE,
    SQLITE_BY_AGENT,
    SQLITE_BY_BENCHMARK,
    SQLITE_QUERIES
};

/* A series whose row is known to exist, so that appending need not ask. */
struct known_series {
    char execution_id[UUID_SIZE];
    enum trial_phase phase;
    char metric[64];
    uint64_t meaning; /* hash of unit and definition */
};

struct sqlite {
    struct store store; /* first */
    sqlite3 *db;
    struct arena arena; /* holds this struct too */
    const char *path;
    bool read_only;
    bool in_batch; /* between store_begin and its end */
    int holds;     /* readers of one moment, inside of each other */
    int busy_timeout_ms;
    char workspace_id[UUID_SIZE];
    int wal_pages;  /* in the log after our last commit */
    int wal_copied; /* of them, those that a checkpoint has dealt with */
    struct {        /* made from tables of columns when the store opens */
        const char *put_run;
        const char *put_execution;
        const char *list_runs;
        const char *list_measured_runs; /* the same, where none was imported */
        const char *list_runs_by_id;
        const char *list_runs_by_end;
        const char *list_executions;
        const char *first_execution;
        const char *find_execution;
        const char *query_executions[SQLITE_QUERIES];
    } sql;
    struct {
        const char *sql;
        sqlite3_stmt *stmt;
    } statements[SQLITE_STATEMENTS_MAX];
    size_t statement_count;
    struct sqlite_insert { /* of rows as they are, by table */
        const char *columns;
        sqlite3_stmt *stmt;
    } inserts[SQLITE_COPIED_TABLES];
    struct known_series known[SQLITE_KNOWN_SERIES];
    struct sqlite_eras *eras;
};

static inline struct sqlite *sqlite_of(struct store *store)
{
    return (struct sqlite *)store;
}

/* ---- sqlite_db.c ---- */

/* Turns the result code of a failed call into code, cause and way out. */
bool sqlite_error(struct sqlite *s, int rc, struct error *err);
/* The same for an injected fault. */
bool sqlite_fault(struct sqlite *s, int errno_value, struct error *err);

MUST_USE bool sqlite_exec(struct sqlite *s, const char *sql, struct error *err);

/* sqlite_begin takes the write lock. sqlite_commit passes the fault points
 * "commit" and "committed"; when it fails the transaction is rolled back. */
MUST_USE bool sqlite_begin(struct sqlite *s, struct error *err);
MUST_USE bool sqlite_commit(struct sqlite *s, struct error *err);
bool sqlite_rollback(struct sqlite *s); /* returns false, for `return` */

/* Copies the log into the file if more than `pages` were added since the last
 * time. A reader may keep the log from starting again; asking at each commit
 * would then cost an fsync each. Never fails: the log is as good a place. */
void sqlite_checkpoint(struct sqlite *s, int pages);

/* ---- sqlite_query.c ---- */

/* One use of a prepared statement. Parameters are put and columns taken from
 * left to right; texts and blobs that are put must live until the step. */
struct query {
    struct sqlite *s;
    sqlite3_stmt *stmt;
    int at;
    int rc;
};

/* `sql` must live as long as the store: its address is the statement's key. */
MUST_USE bool query_open(struct sqlite *s, const char *sql, struct query *q, struct error *err);
void query_put_text(struct query *q, const char *text); /* NULL -> NULL */
void query_put_str(struct query *q, struct str text);   /* empty -> "" */
void query_put_int(struct query *q, int64_t v);
void query_put_index(struct query *q, int64_t v); /* negative -> NULL */
void query_put_real(struct query *q, double v);   /* NaN -> NULL */
void query_put_count(struct query *q, double v);  /* rounded; what does not fit: NULL */
void query_put_blob(struct query *q, const void *bytes, size_t n);

/* Steps once and closes. */
MUST_USE bool query_run(struct query *q, struct error *err);
/* Opens it, puts the texts and runs it. */
MUST_USE bool query_run_texts(struct sqlite *s, const char *sql, const char *const *texts,
                              size_t count, struct error *err);

/* false at the end and on failure, which query_close distinguishes:
 *     while (query_next(&q)) ...
 *     return query_close(&q, err);                                           */
MUST_USE bool query_next(struct query *q);
bool query_close(struct query *q, struct error *err);

int64_t query_int(struct query *q);                         /* NULL -> 0 */
int64_t query_index(struct query *q);                       /* NULL -> -1 */
double query_real(struct query *q);                         /* NULL -> NaN */
const char *query_text(struct query *q, struct arena *out); /* NULL -> NULL */
const char *query_peek_text(struct query *q); /* until the next step; never NULL */
struct str query_blob(struct query *q, struct arena *out);
struct str query_peek_blob(struct query *q); /* until the next step */

/* ---- sqlite_schema.c ---- */

enum { SQLITE_APPLICATION_ID = 0x61737379 }; /* "assy": how a file of ours is known */

int sqlite_schema_version(void);
/* Migrations of sqlite_schema_rank.c: which contents rank, and all that rankings ask. */
extern const char *const sqlite_schema_contents[];
extern const char *const sqlite_schema_rank[];

/* The prompt of execution `be`, '' without one: what `versus` reads of the parameters. */
#define SQLITE_PROMPT                                                                   \
    "iif(json_valid(be.parameters), iif(json_type(be.parameters, '$.prompt') = 'text'," \
    " be.parameters ->> 'prompt', ''), '')"

/* Runs migrations from+1 .. to inside the caller's transaction, passing fault
 * point "migration" after each. */
MUST_USE bool sqlite_schema_upgrade(struct sqlite *s, int from, int to, struct error *err);

/* ---- sqlite_order.c ---- */

/* The SQL function run_era(rowid), of a connection. */
MUST_USE bool sqlite_order_init(struct sqlite *s, struct error *err);
void sqlite_order_release(struct sqlite *s);
/* Before a question whose SQL has run_era. */
MUST_USE bool sqlite_order_refresh(struct sqlite *s, struct error *err);
/* Whether a run is elsewhere than where its rowid says. */
MUST_USE bool sqlite_order_has_imports(struct sqlite *s, bool *has, struct error *err);

/* ---- sqlite_known.c ---- */

/* One kind of rows about an agent: structs, with pointers to texts at `texts`. */
struct sqlite_known {
    const char *name;
    size_t size;
    const size_t *texts;
    size_t text_count;
    /* From the rollups: what the memo does not know. */
    bool (*ask)(struct sqlite *s, const struct rank_filter *filter, const char *agent_id,
                struct arena *out, void **rows, size_t *count, struct error *err);
};

/* Of all agents of the workspace, by their ids. */
MUST_USE bool sqlite_known_ask(struct sqlite *s, const struct sqlite_known *what,
                               const struct rank_filter *filter, struct arena *out, void **rows,
                               size_t *count, struct error *err);

/* ---- operations of store_ops ---- */

#define DECLARE(name) STORE_TYPE(name) sqlite_##name;
STORE_OPERATIONS(DECLARE)
#undef DECLARE

void sqlite_rows_init(struct sqlite *s);
bool sqlite_write_execution(struct sqlite *s, const struct execution_record *e,
                            struct error *err); /* inside the caller's transaction */

/* The series about the trials themselves. */
enum { OWN_START, OWN_STATUS, OWN_SEGMENT, OWN_COUNT };
extern const struct metric sqlite_own_metrics[OWN_COUNT];

/* Trials stored of one execution and phase, folded or open. */
MUST_USE bool sqlite_count_trials(struct sqlite *s, const char *execution_id,
                                  enum trial_phase phase, int64_t *count, struct error *err);

/* Inside the caller's transaction. */
MUST_USE bool sqlite_write_extras(struct sqlite *s, const struct trial_batch *batch,
                                  struct error *err);

#endif
