/* The SQLite store: opening, closing, upgrading. */
#include "store/sqlite_internal.h"

#include "base/clock.h"
#include "base/os.h"

#include <pthread.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { BUSY_TIMEOUT_MS = 5000, BUSY_RETRY_NS = 5000000 };

static int count_wal_pages(void *state, sqlite3 *db, const char *name, int pages)
{
    (void)db, (void)name;
    struct sqlite *s = state;
    if (pages < s->wal_pages) s->wal_copied = 0; /* the log started again */
    s->wal_pages = pages;
    return SQLITE_OK;
}

struct state {
    int version;
    int application_id;
    bool is_empty;
};

static bool read_number(struct sqlite *s, const char *sql, int *out, struct error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);
    *out = 0;
    if (rc == SQLITE_OK) rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW) *out = sqlite3_column_int(stmt, 0);
    bool done = rc == SQLITE_ROW || sqlite_error(s, rc, err);
    sqlite3_finalize(stmt);
    return done;
}

static bool read_state(struct sqlite *s, struct state *state, struct error *err)
{
    int tables = 0;
    if (!read_number(s, "SELECT count(*) FROM sqlite_schema", &tables, err)) return false;
    if (!read_number(s, "PRAGMA user_version", &state->version, err)) return false;
    if (!read_number(s, "PRAGMA application_id", &state->application_id, err)) return false;
    state->is_empty = tables == 0 && state->version == 0 && state->application_id == 0;
    return true;
}

static bool check_state(struct sqlite *s, const struct state *state, struct error *err)
{
    int ours = sqlite_schema_version();
    if (state->application_id != SQLITE_APPLICATION_ID) {
        return error_set(err, ERROR_INVALID,
                         "'%s' is an SQLite file of another program, not an assay store; "
                         "choose another with --store",
                         s->path);
    }
    if (state->version < 1) {
        return error_set(err, ERROR_INVALID,
                         "store '%s' has schema version %d, which no assay writes: it is "
                         "damaged; restore a copy, or choose another with --store",
                         s->path, state->version);
    }
    if (state->version < ours) {
        return error_set(err, ERROR_INVALID,
                         "store '%s' has schema version %d, made by an older assay; this one "
                         "needs version %d: upgrade the store with `assay migrate --store "
                         "'%s'` (older versions cannot read it then)",
                         s->path, state->version, ours, s->path);
    }
    if (state->version > ours) {
        return error_set(err, ERROR_INVALID,
                         "store '%s' has schema version %d, made by a newer assay; this one "
                         "knows version %d: use the newer assay, or another store with --store",
                         s->path, state->version, ours);
    }
    return true;
}

/* Switching an empty file to WAL takes a lock that the busy handler does not
 * wait for when several processes do it at once. */
static bool enter_wal(struct sqlite *s, struct error *err)
{
    int64_t deadline_ns = clock_ns() + (int64_t)s->busy_timeout_ms * 1000000;
    int rc;
    while ((rc = sqlite3_exec(s->db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL)) ==
               SQLITE_BUSY &&
           clock_ns() < deadline_ns) {
        clock_sleep_until(clock_ns() + BUSY_RETRY_NS);
    }
    return rc == SQLITE_OK || sqlite_error(s, rc, err);
}

static bool add_workspace(struct sqlite *s, struct error *err)
{
    static const char find[] = "SELECT 1 FROM workspaces WHERE id = ?";
    static const char insert[] = "INSERT OR IGNORE INTO workspaces (id, name) VALUES (?, ?)";
    struct query q;
    if (!query_open(s, find, &q, err)) return false;
    query_put_text(&q, s->workspace_id);
    bool found = query_next(&q);
    if (!query_close(&q, err)) return false;
    if (found) return true;
    const char *const row[] = {s->workspace_id, s->store.workspace};
    return query_run_texts(s, insert, row, COUNT(row), err);
}

/* Several processes may come here at once: the first makes the tables, the
 * others find them made. A process that dies here leaves an empty file, which
 * the next one fills. */
static bool make_tables(struct sqlite *s, struct error *err)
{
    struct state state = {0};
    if (!enter_wal(s, err) || !sqlite_begin(s, err)) return false;
    bool done = read_state(s, &state, err) &&
                (!state.is_empty || sqlite_schema_upgrade(s, 0, sqlite_schema_version(), err));
    return done ? sqlite_commit(s, err) : sqlite_rollback(s);
}

static bool prepare_file(struct sqlite *s, const struct store_options *options,
                         struct error *err)
{
    struct state state = {0};
    if (!read_state(s, &state, err)) return false;
    if (state.is_empty && !options->create) {
        return error_set(err, ERROR_NOT_FOUND,
                         "store '%s' is empty: no run has been stored in it yet", s->path);
    }
    if (state.is_empty) {
        if (!make_tables(s, err) || !read_state(s, &state, err)) return false;
    }
    if (!check_state(s, &state, err)) return false;
    if (options->read_only) return true;
    if (sqlite3_db_readonly(s->db, "main")) return sqlite_error(s, SQLITE_READONLY, err);
    return enter_wal(s, err) && add_workspace(s, err);
}

/* Makes the folder of a new store. The default folder stands in somebody's
 * work, so it keeps itself out of their version control. */
static bool make_folder(struct sqlite *s, struct error *err)
{
    const char *slash = strrchr(s->path, '/');
    if (!slash || slash == s->path) return true;
    const char *folder = arena_copy(&s->arena, s->path, (size_t)(slash - s->path));
    if (os_is_dir(folder)) return true;
    if (!os_make_dirs(folder, err)) return error_wrap(err, "making store '%s'", s->path);
    if (!str_ends(str_of(folder), S(".assay"))) return true;
    return os_write_file(arena_printf(&s->arena, "%s/.gitignore", folder), S("*\n"), err);
}

static bool is_on_read_only_disk(const char *path)
{
    struct statvfs fs;
    return statvfs(path, &fs) == 0 && (fs.f_flag & ST_RDONLY);
}

/* On a read-only file system SQLite cannot make the shared-memory file that
 * reading a WAL store takes. Nothing can change there either, so the file may
 * be read as it is, provided no log is left next to it. */
static const char *immutable_uri(struct sqlite *s)
{
    struct stat log;
    const char *wal = arena_printf(&s->arena, "%s-wal", s->path);
    if (!is_on_read_only_disk(s->path) || (stat(wal, &log) == 0 && log.st_size > 0))
        return NULL;
    if (strpbrk(s->path, "?#%")) return NULL;
    return arena_printf(&s->arena, "file:%s?immutable=1", s->path);
}

/* A connection that may only read cannot remove the log and its index when it is the last
 * one: they would stay next to the store. So one that could write is opened read-only. */
static bool can_write_beside(struct sqlite *s)
{
    const char *slash = strrchr(s->path, '/');
    const char *folder =
        slash ? arena_copy(&s->arena, s->path, (size_t)(slash - s->path) + 1) : ".";
    return access(s->path, W_OK) == 0 && access(folder, W_OK) == 0;
}

/* How much memory SQLite has taken is asked only by experiments (world/sql.h), in arms, which
 * open no store. Counting it is a lock around each piece: a seventh of a short run. */
static void stop_counting_memory(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static bool connect(struct sqlite *s, const struct store_options *options, struct error *err)
{
    static pthread_once_t counting = PTHREAD_ONCE_INIT;
    pthread_once(&counting, stop_counting_memory);
    const char *name = s->path;
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE;
    if (options->create) flags |= SQLITE_OPEN_CREATE;
    bool is_guarded = options->read_only && can_write_beside(s);
    if (options->read_only && !is_guarded) {
        flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READONLY;
        const char *uri = immutable_uri(s);
        if (uri) name = uri, flags |= SQLITE_OPEN_URI;
    }
    int rc = sqlite3_open_v2(name, &s->db, flags, NULL);
    if (rc != SQLITE_OK) return sqlite_error(s, rc, err);
    sqlite3_extended_result_codes(s->db, 1);
    sqlite3_busy_timeout(s->db, s->busy_timeout_ms);
    sqlite3_wal_hook(s->db, count_wal_pages, s); /* also turns autocheckpoints off */
    return sqlite_order_init(s, err) &&
           sqlite_exec(
               s, options->durable ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL",
               err) &&
           sqlite_exec(s,
                       "PRAGMA foreign_keys=ON; PRAGMA cache_size=-16384;"
                       "PRAGMA journal_size_limit=67108864",
                       err) &&
           (!is_guarded || sqlite_exec(s, "PRAGMA query_only=ON", err));
}

void sqlite_close(struct store *store)
{
    struct sqlite *s = sqlite_of(store);
    for (size_t i = 0; i < s->statement_count; i++) sqlite3_finalize(s->statements[i].stmt);
    for (size_t i = 0; i < COUNT(s->inserts); i++) sqlite3_finalize(s->inserts[i].stmt);
    sqlite_checkpoint(s, 0);
    sqlite3_close(s->db);
    sqlite_order_release(s);
    struct arena arena = s->arena;
    arena_close(&arena);
}

/* Needs more room than the file has while it works; the log is cut after it. */
bool sqlite_compact(struct store *store, struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    if (!sqlite_exec(s, "VACUUM", err)) return error_wrap(err, "compacting");
    sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    s->wal_pages = s->wal_copied = 0;
    return true;
}

#define ROW(name) .name = sqlite_##name,
static const struct store_ops ops = {STORE_OPERATIONS(ROW)};
#undef ROW

static struct sqlite *sqlite_new(const char *path, const struct store_options *options)
{
    struct arena arena = arena_open();
    struct sqlite *s = arena_new(&arena, struct sqlite, 1);
    s->store.ops = &ops;
    const char *workspace = options->workspace ? options->workspace : "default";
    s->store.workspace = str_cstr(&arena, str_of(workspace));
    id_uuid5(str_of(workspace), "workspace", str_of(workspace), s->workspace_id);
    s->read_only = options->read_only;
    s->busy_timeout_ms = options->busy_timeout_ms ? options->busy_timeout_ms : BUSY_TIMEOUT_MS;
    /* SQLite reads meaning into ":memory:" and "file:". */
    bool is_special = path[0] == ':' || strncmp(path, "file:", 5) == 0;
    s->path = arena_printf(&arena, "%s%s", is_special ? "./" : "", path);
    s->arena = arena;
    sqlite_rows_init(s);
    return s;
}

static bool sqlite_open(const char *rest, const struct store_options *options,
                        struct store **store, struct error *err)
{
    if (!*rest) return error_set(err, ERROR_INVALID, "a store needs a path: sqlite:PATH");
    struct sqlite *s = sqlite_new(rest, options);
    bool exists = os_exists(s->path);
    bool done = true;
    if (!exists && !options->create) {
        done = error_set(err, ERROR_NOT_FOUND,
                         "no store '%s' here; `assay run` makes it, or name another with "
                         "--store or ASSAY_STORE",
                         s->path);
    } else if (!exists) {
        done = make_folder(s, err);
    }
    done = done && connect(s, options, err) && prepare_file(s, options, err);
    if (!done) {
        sqlite_close(&s->store);
        return false;
    }
    *store = &s->store;
    return true;
}

static bool upgrade(struct sqlite *s, struct store_versions *versions, struct error *err)
{
    struct state state = {0};
    if (!sqlite_begin(s, err)) return false;
    bool done = read_state(s, &state, err);
    struct store_versions v = {state.version, sqlite_schema_version()};
    if (versions) *versions = v;
    bool is_older =
        done && state.application_id == SQLITE_APPLICATION_ID && v.from > 0 && v.from < v.to;
    if (is_older) {
        done = sqlite_schema_upgrade(s, v.from, v.to, err);
    } else if (done) {
        done = check_state(s, &state, err);
    }
    return done ? sqlite_commit(s, err) : sqlite_rollback(s);
}

static bool sqlite_migrate(const char *rest, struct store_versions *versions, struct error *err)
{
    struct store_options options = {0};
    struct sqlite *s = sqlite_new(rest, &options);
    bool done = true;
    if (!os_exists(s->path)) done = error_set(err, ERROR_NOT_FOUND, "no store '%s'", s->path);
    done = done && connect(s, &options, err) && upgrade(s, versions, err);
    sqlite_close(&s->store);
    return done;
}

extern const struct store_kind store_sqlite;
const struct store_kind store_sqlite = {
    .name = "sqlite",
    .summary = "one file; many processes of one machine may write it",
    .open = sqlite_open,
    .migrate = sqlite_migrate,
};
