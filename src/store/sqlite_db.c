/* What SQLite's errors mean to people, and transactions.
 *
 * Write-ahead log with synchronous=NORMAL: a commit is one write into the log
 * and survives SIGKILL; FULL (`durable`) adds the fsync that survives loss of
 * power. SQLite's own checkpoints are off, because one would fall between two
 * measured trials and disturb the second: ours come when a cell ends, when the
 * store closes, and inside a cell only if the log outgrows WAL_PAGES_MAX. */
#include "store/sqlite_internal.h"

#include "base/fault.h"
#include "base/os.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

enum { WAL_PAGES_MAX = 16384 }; /* 64 MiB */

static bool is_read_only(struct sqlite *s, int rc, struct error *err)
{
    if (s->read_only && rc == SQLITE_READONLY) {
        return error_set(err, ERROR_IO, "store '%s' was opened for reading only", s->path);
    }
    if (s->read_only && os_exists(s->path)) {
        return error_set(err, ERROR_IO,
                         "store '%s' cannot be read in a folder that may not be written: copy "
                         "it to one that may",
                         s->path);
    }
    return error_set(err, ERROR_IO,
                     "store '%s' or its folder is read-only; choose a place that can be "
                     "written with --store",
                     s->path);
}

/* SQLite says CANTOPEN for many things; the files show which it is. */
static bool cannot_open(struct sqlite *s, int os, struct error *err)
{
    char reason[128];
    const char *slash = strrchr(s->path, '/');
    const char *folder =
        slash ? arena_copy(&s->arena, s->path, (size_t)(slash - s->path) + 1) : ".";
    if (os_is_dir(folder) && access(folder, W_OK) != 0) {
        return is_read_only(s, SQLITE_CANTOPEN, err);
    }
    return error_set(err, ERROR_IO, "cannot open store '%s': %s", s->path,
                     os_is_dir(s->path) ? "it is a folder"
                     : os               ? strerror_r(os, reason, sizeof reason)
                                        : "no reason given");
}

bool sqlite_error(struct sqlite *s, int rc, struct error *err)
{
    char reason[128];
    int os = s->db ? sqlite3_system_errno(s->db) : 0;
    if (rc == SQLITE_CONSTRAINT_FOREIGNKEY) {
        return error_set(
            err, ERROR_INVALID,
            "store '%s' refused a row: it names a run, execution, suite, benchmark "
            "or agent that is not stored",
            s->path);
    }
    if ((rc & 0xFF) == SQLITE_IOERR && os == ENOSPC) rc = SQLITE_FULL;
    struct rlimit size;
    if ((rc & 0xFF) == SQLITE_IOERR && getrlimit(RLIMIT_FSIZE, &size) == 0 &&
        size.rlim_cur != RLIM_INFINITY) {
        return error_set(err, ERROR_IO,
                         "store '%s' cannot be written: files of this process may have at "
                         "most %llu bytes (ulimit -f); what was stored before is safe",
                         s->path, (unsigned long long)size.rlim_cur);
    }
    switch (rc & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(err, ERROR_TIMEOUT,
                         "store '%s' is locked: another process has been writing to it for "
                         "more than %d ms; try again when it is done, or use a store of "
                         "your own with --store",
                         s->path, s->busy_timeout_ms);
    case SQLITE_NOMEM:
        return error_set(err, ERROR_UNAVAILABLE,
                         "out of memory in store '%s'; raise the limit (ulimit -v, the "
                         "container's), or store less at once",
                         s->path);
    case SQLITE_FULL:
        return error_set(err, ERROR_IO,
                         "disk full writing store '%s'; what was stored before is safe: "
                         "free some space, then go on (a run that has begun, with "
                         "--resume)",
                         s->path);
    case SQLITE_READONLY:
    case SQLITE_PERM: return is_read_only(s, rc, err);
    case SQLITE_CORRUPT:
        return error_set(err, ERROR_IO,
                         "store '%s' is damaged (%s); rescue what can be read with "
                         "`sqlite3 '%s' .recover | sqlite3 rescued.db`, or use another with "
                         "--store",
                         s->path, sqlite3_errmsg(s->db), s->path);
    case SQLITE_NOTADB:
        return error_set(err, ERROR_INVALID,
                         "'%s' is not an assay store: it is not an SQLite file, or its "
                         "beginning is damaged; choose another with --store",
                         s->path);
    case SQLITE_CANTOPEN: return cannot_open(s, os, err);
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH:
        return error_set(err, ERROR_INVALID, "store '%s' refused a row: %s", s->path,
                         sqlite3_errmsg(s->db));
    default:
        if (os == EISDIR) return cannot_open(s, os, err);
        return error_set(err, ERROR_IO, "store '%s': %s%s%s", s->path,
                         s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(rc), os ? ": " : "",
                         os ? strerror_r(os, reason, sizeof reason) : "");
    }
}

bool sqlite_fault(struct sqlite *s, int errno_value, struct error *err)
{
    if (errno_value == ENOSPC) return sqlite_error(s, SQLITE_FULL, err);
    return error_set_errno(err, errno_value, "store '%s'", s->path);
}

bool sqlite_exec(struct sqlite *s, const char *sql, struct error *err)
{
    int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK || sqlite_error(s, rc, err);
}

static const char begin_sql[] = "BEGIN IMMEDIATE";
static const char commit_sql[] = "COMMIT";

bool sqlite_begin(struct sqlite *s, struct error *err)
{
    struct query q;
    if (s->in_batch) {
        CHECK(!sqlite3_get_autocommit(s->db)); /* after a failure the caller rolls back */
        return true;
    }
    return query_open(s, begin_sql, &q, err) && query_run(&q, err);
}

/* A file that was removed or replaced goes on taking rows as long as we have it open, and
 * all of them are gone with us. */
static bool is_in_place(struct sqlite *s, struct error *err)
{
    int has_moved = 0;
    sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
    return !has_moved ||
           error_set(err, ERROR_IO,
                     "store '%s' was removed, moved or replaced while it was written: what "
                     "was stored in it is gone from there",
                     s->path);
}

bool sqlite_commit(struct sqlite *s, struct error *err)
{
    struct query q;
    if (s->in_batch) return true;
    if (!is_in_place(s, err)) return sqlite_rollback(s);
    int fault = fault_at("commit");
    bool done = fault ? sqlite_fault(s, fault, err)
                      : query_open(s, commit_sql, &q, err) && query_run(&q, err);
    if (!done) return sqlite_rollback(s);
    (void)fault_at("committed");
    sqlite_checkpoint(s, WAL_PAGES_MAX);
    return true;
}

bool sqlite_rollback(struct sqlite *s)
{
    /* After some errors (a full disk) SQLite has rolled back by itself. */
    if (!sqlite3_get_autocommit(s->db)) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    memset(s->known, 0, sizeof s->known);
    return false;
}

void sqlite_checkpoint(struct sqlite *s, int pages)
{
    if (s->wal_pages - s->wal_copied <= pages) return;
    sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    s->wal_copied = s->wal_pages;
}
