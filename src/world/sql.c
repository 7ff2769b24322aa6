/* Pages and journal must be chosen before the first table; the order of the pragmas below is
 * that in which SQLite heeds them. */
#include "world/sql.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>

enum { STATEMENTS_MAX = 64 };

struct sql {
    sqlite3 *db;
    struct arena *arena;
    struct sql_statement *statements[STATEMENTS_MAX];
    size_t statement_count;
};

struct sql_statement {
    sqlite3_stmt *stmt;
    struct sql *sql;
};

const char *const sql_profile_names[] = {"balanced", "performance", "safety", "memory", NULL};

/* busy_timeout and cache as the peer documents them, but for the caches that its code mixes
 * up: performance has 200 MiB, safety 100 MiB. */
static const struct sql_effective asked[SQL_PROFILE_COUNT] = {
    [SQL_BALANCED] = {1, "wal", -204800, 4096, 0, 1, 30000, 2, 1},
    [SQL_PERFORMANCE] = {0, "memory", -204800, 8192, 1073741824, 0, 60000, 2, 1},
    [SQL_SAFETY] = {2, "wal", -102400, 4096, 0, 1, 30000, 2, 1},
    [SQL_MEMORY] = {1, "memory", -51200, 4096, 0, 1, 15000, 2, 1},
};

struct sql_effective sql_asked(enum sql_profile profile)
{
    return asked[profile];
}

static bool failed(struct sql *sql, const char *doing, struct error *err)
{
    return error_set(err, ERROR_IO, "SQLite: %s: %s", doing, sqlite3_errmsg(sql->db));
}

bool sql_exec(struct sql *sql, const char *text, struct error *err)
{
    return sqlite3_exec(sql->db, text, NULL, NULL, NULL) == SQLITE_OK || failed(sql, text, err);
}

static bool apply(struct sql *sql, enum sql_profile profile, struct error *err)
{
    const struct sql_effective *a = &asked[profile];
    char text[600];
    snprintf(text, sizeof text,
             "PRAGMA page_size=%lld; PRAGMA journal_mode=%s; PRAGMA synchronous=%lld;"
             "PRAGMA cache_size=%lld; PRAGMA mmap_size=%lld; PRAGMA automatic_index=%lld;"
             "PRAGMA busy_timeout=%lld; PRAGMA temp_store=%lld; PRAGMA foreign_keys=%lld;",
             (long long)a->page_size, a->journal_mode, (long long)a->synchronous,
             (long long)a->cache_size, (long long)a->mmap_size, (long long)a->automatic_index,
             (long long)a->busy_timeout_ms, (long long)a->temp_store,
             (long long)a->foreign_keys);
    return sql_exec(sql, text, err);
}

bool sql_open(const char *path, enum sql_profile profile, struct arena *arena, struct sql **out,
              struct error *err)
{
    struct sql *sql = arena_new(arena, struct sql, 1);
    sql->arena = arena;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    bool done = sqlite3_open_v2(path, &sql->db, flags, NULL) == SQLITE_OK ||
                failed(sql, "opening", err);
    done = done && apply(sql, profile, err);
    if (!done) {
        sql_close(sql);
        return error_wrap(err, "database '%s'", path);
    }
    *out = sql;
    return true;
}

void sql_close(struct sql *sql)
{
    if (!sql) return;
    for (size_t i = 0; i < sql->statement_count; i++) {
        sqlite3_finalize(sql->statements[i]->stmt);
    }
    sqlite3_close(sql->db);
    *sql = (struct sql){0};
}

bool sql_prepare(struct sql *sql, const char *text, struct sql_statement **out,
                 struct error *err)
{
    CHECK(sql->statement_count < STATEMENTS_MAX);
    struct sql_statement *s = arena_new(sql->arena, struct sql_statement, 1);
    s->sql = sql;
    if (sqlite3_prepare_v3(sql->db, text, -1, SQLITE_PREPARE_PERSISTENT, &s->stmt, NULL) !=
        SQLITE_OK)
        return failed(sql, text, err);
    sql->statements[sql->statement_count++] = s;
    *out = s;
    return true;
}

void sql_bind_int(struct sql_statement *s, int at, int64_t v)
{
    sqlite3_bind_int64(s->stmt, at, v);
}

void sql_bind_real(struct sql_statement *s, int at, double v)
{
    sqlite3_bind_double(s->stmt, at, v);
}

void sql_bind_text(struct sql_statement *s, int at, struct str text)
{
    sqlite3_bind_text(s->stmt, at, text.p, (int)text.n, SQLITE_STATIC);
}

void sql_bind_null(struct sql_statement *s, int at)
{
    sqlite3_bind_null(s->stmt, at);
}

bool sql_run(struct sql_statement *s, struct error *err)
{
    int code = SQLITE_ROW;
    while (code == SQLITE_ROW) code = sqlite3_step(s->stmt);
    sqlite3_reset(s->stmt);
    return code == SQLITE_DONE || failed(s->sql, sqlite3_sql(s->stmt), err);
}

bool sql_next(struct sql_statement *s, bool *has_row, struct error *err)
{
    int code = sqlite3_step(s->stmt);
    *has_row = code == SQLITE_ROW;
    if (code == SQLITE_ROW) return true;
    sqlite3_reset(s->stmt);
    return code == SQLITE_DONE || failed(s->sql, sqlite3_sql(s->stmt), err);
}

int64_t sql_column_int(struct sql_statement *s, int at)
{
    return sqlite3_column_int64(s->stmt, at);
}

double sql_column_real(struct sql_statement *s, int at)
{
    return sqlite3_column_double(s->stmt, at);
}

struct str sql_column_text(struct sql_statement *s, int at)
{
    const unsigned char *text = sqlite3_column_text(s->stmt, at);
    return (struct str){(const char *)text, (size_t)sqlite3_column_bytes(s->stmt, at)};
}

/* ---- one answer, without a statement that stays ---- */

static bool ask(struct sql *sql, const char *text, sqlite3_stmt **stmt, struct error *err)
{
    if (sqlite3_prepare_v2(sql->db, text, -1, stmt, NULL) != SQLITE_OK)
        return failed(sql, text, err);
    if (sqlite3_step(*stmt) == SQLITE_ROW) return true;
    failed(sql, text, err);
    sqlite3_finalize(*stmt);
    return false;
}

bool sql_ask_int(struct sql *sql, const char *text, int64_t *out, struct error *err)
{
    sqlite3_stmt *stmt = NULL;
    if (!ask(sql, text, &stmt, err)) return false;
    *out = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return true;
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++) hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t mix_row(uint64_t hash, sqlite3_stmt *stmt)
{
    int columns = sqlite3_column_count(stmt);
    for (int i = 0; i < columns; i++) {
        int type = sqlite3_column_type(stmt, i);
        hash = mix(hash, &type, sizeof type);
        if (type == SQLITE_INTEGER) {
            int64_t v = sqlite3_column_int64(stmt, i);
            hash = mix(hash, &v, sizeof v);
        } else if (type == SQLITE_FLOAT) {
            double v = sqlite3_column_double(stmt, i);
            hash = mix(hash, &v, sizeof v);
        } else if (type != SQLITE_NULL) {
            const void *bytes = sqlite3_column_blob(stmt, i);
            hash = mix(hash, bytes, (size_t)sqlite3_column_bytes(stmt, i));
        }
    }
    return hash;
}

bool sql_hash(struct sql *sql, const char *query, uint64_t *hash, int64_t *rows,
              struct error *err)
{
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(sql->db, query, -1, &stmt, NULL) != SQLITE_OK)
        return failed(sql, query, err);
    *hash = UINT64_C(0xcbf29ce484222325);
    *rows = 0;
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
        *hash = mix_row(*hash, stmt);
        ++*rows;
    }
    sqlite3_finalize(stmt);
    return code == SQLITE_DONE || failed(sql, query, err);
}

/* ---- writes ---- */

/* The methods of a file, but for the write. SQLite finds methods by a pointer in the file, so
 * a file with other methods needs no VFS of its own. */
struct counted_methods {
    sqlite3_io_methods all; /* first: a file points to it */
    const sqlite3_io_methods *real;
    struct sql_writes *writes;
};

static int write_counted(sqlite3_file *file, const void *bytes, int n, sqlite3_int64 offset)
{
    const struct counted_methods *m = (const struct counted_methods *)file->pMethods;
    if (++m->writes->count == m->writes->fatal) raise(SIGKILL);
    return m->real->xWrite(file, bytes, n, offset);
}

bool sql_count_writes(struct sql *sql, struct sql_writes *writes, struct error *err)
{
    static const int pointers[] = {SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER};
    for (size_t i = 0; i < COUNT(pointers); i++) {
        sqlite3_file *file = NULL;
        if (sqlite3_file_control(sql->db, "main", pointers[i], &file) != SQLITE_OK)
            return failed(sql, "finding its files", err);
        if (!file || !file->pMethods) continue; /* a journal in memory */
        struct counted_methods *m = arena_new(sql->arena, struct counted_methods, 1);
        *m = (struct counted_methods){*file->pMethods, file->pMethods, writes};
        m->all.xWrite = write_counted;
        file->pMethods = &m->all;
    }
    return true;
}

/* ---- settings ---- */

bool sql_effective(struct sql *sql, struct sql_effective *out, struct error *err)
{
    *out = (struct sql_effective){0};
    const struct {
        const char *text;
        int64_t *value;
    } numbers[] = {
        {"PRAGMA synchronous", &out->synchronous},
        {"PRAGMA cache_size", &out->cache_size},
        {"PRAGMA page_size", &out->page_size},
        {"PRAGMA automatic_index", &out->automatic_index},
        {"PRAGMA busy_timeout", &out->busy_timeout_ms},
        {"PRAGMA temp_store", &out->temp_store},
        {"PRAGMA foreign_keys", &out->foreign_keys},
    };
    for (size_t i = 0; i < COUNT(numbers); i++) {
        if (!sql_ask_int(sql, numbers[i].text, numbers[i].value, err)) return false;
    }
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(sql->db, "PRAGMA mmap_size", -1, &stmt, NULL) != SQLITE_OK)
        return failed(sql, "PRAGMA mmap_size", err);
    if (sqlite3_step(stmt) == SQLITE_ROW) out->mmap_size = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt); /* a database in memory has none and gives no row */
    if (!ask(sql, "PRAGMA journal_mode", &stmt, err)) return false;
    snprintf(out->journal_mode, sizeof out->journal_mode, "%s",
             (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    out->is_in_memory = *sqlite3_db_filename(sql->db, "main") == '\0';
    return true;
}

bool sql_is_as_asked(const struct sql_effective *e, enum sql_profile profile, struct error *err)
{
    const struct sql_effective *a = &asked[profile];
    const char *journal = e->is_in_memory ? "memory" : a->journal_mode;
    const struct {
        const char *name;
        int64_t asked, is;
    } numbers[] = {
        {"synchronous", a->synchronous, e->synchronous},
        {"cache_size", a->cache_size, e->cache_size},
        {"page_size", a->page_size, e->page_size},
        {"mmap_size", e->is_in_memory ? 0 : a->mmap_size, e->mmap_size},
        {"automatic_index", a->automatic_index, e->automatic_index},
        {"busy_timeout", a->busy_timeout_ms, e->busy_timeout_ms},
        {"temp_store", a->temp_store, e->temp_store},
        {"foreign_keys", a->foreign_keys, e->foreign_keys},
    };
    if (strcmp(journal, e->journal_mode) != 0)
        return error_set(err, ERROR_FAILED, "profile %s: journal_mode is %s, asked for %s",
                         sql_profile_names[profile], e->journal_mode, journal);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        if (numbers[i].asked == numbers[i].is) continue;
        return error_set(err, ERROR_FAILED, "profile %s: %s is %lld, asked for %lld",
                         sql_profile_names[profile], numbers[i].name, (long long)numbers[i].is,
                         (long long)numbers[i].asked);
    }
    return true;
}

int64_t sql_memory_bytes(void)
{
    return sqlite3_memory_used();
}

int64_t sql_memory_peak(bool reset)
{
    return sqlite3_memory_highwater(reset);
}
