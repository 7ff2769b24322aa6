/* What only the SQLite store promises: what it says about files that are not
 * stores, or cannot be written, and that every query has its index. */
#include "base/fault.h"
#include "base/rng.h"
#include "store/sqlite_internal.h"
#include "tests/store/fixture.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool opens(const char *url, const struct store_options *options, struct error *err)
{
    struct store *store = NULL;
    bool done = store_open(url, options, &store, err);
    assert_true(done == (store != NULL));
    store_close(store);
    return done;
}

static void raw(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    char *text = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &text) != SQLITE_OK) fail_msg("%s: %s", sql, text);
    sqlite3_close(db);
}

TEST(urls_name_kinds_and_paths)
{
    struct fixture f = fixture_open();
    struct store_options options = {.create = true};
    struct error err = {0};
    OK(opens(f.path, &options, &err)); /* a bare path */
    OK(opens(f.url, &(struct store_options){0}, &err));
    REFUSED(opens("postgresql://host/db", &options, &err), ERROR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "sqlite:"));
    REFUSED(opens("sqlit:x.db", &options, &err), ERROR_INVALID);
    assert_non_null(strstr(err.text, "did you mean 'sqlite'"));
    REFUSED(opens("sqlite:", &options, &err), ERROR_INVALID);
    fixture_close(&f);
}

TEST(a_missing_store_is_made_only_when_asked_for)
{
    struct fixture f = fixture_open();
    struct error err = {0};
    const char *url = arena_printf(&f.arena, "sqlite:%s/a/.assay/assay.db", f.dir);
    REFUSED(opens(url, &(struct store_options){0}, &err), ERROR_NOT_FOUND);
    assert_false(os_exists(arena_printf(&f.arena, "%s/a", f.dir)));
    OK(opens(url, &(struct store_options){.create = true}, &err));
    struct str ignore;
    OK(os_read_file(arena_printf(&f.arena, "%s/a/.assay/.gitignore", f.dir), 100, &f.arena,
                    &ignore, &err));
    assert_true(str_is(ignore, "*\n"));
    fixture_close(&f);
}

TEST(what_is_not_a_store_is_refused_and_left_alone)
{
    struct fixture f = fixture_open();
    struct store_options options = {.create = true};
    struct error err = {0};
    OK(os_write_file(f.path, S("just a text, long enough to look like something else"), &err));
    REFUSED(opens(f.url, &options, &err), ERROR_INVALID);
    assert_non_null(strstr(err.text, "not an assay store"));
    unlink(f.path);
    raw(f.path, "CREATE TABLE theirs (x)");
    REFUSED(opens(f.url, &options, &err), ERROR_INVALID);
    assert_non_null(strstr(err.text, "another program"));
    struct store_versions versions;
    REFUSED(store_migrate(f.url, &versions, &err), ERROR_INVALID);
    REFUSED(opens(arena_printf(&f.arena, "sqlite:%s", f.dir), &options, &err), ERROR_IO);
    assert_non_null(strstr(err.text, "folder"));
    fixture_close(&f);
}

static const char *digest(struct fixture *f, char *out)
{
    struct str bytes;
    struct error err = {0};
    OK(os_read_file(f->path, 10 << 20, &f->arena, &bytes, &err));
    return id_sha256(bytes, out);
}

TEST(another_version_is_refused_unaltered)
{
    struct fixture f = fixture_open();
    struct error err = {0};
    struct store_versions versions;
    char before[SHA256_HEX_SIZE];
    char after[SHA256_HEX_SIZE];
    make_older(f.path);
    digest(&f, before);
    REFUSED(opens(f.url, &(struct store_options){.create = true}, &err), ERROR_INVALID);
    assert_non_null(strstr(err.text, "version 1"));
    const char *ours = arena_printf(&f.arena, "version %d", sqlite_schema_version());
    assert_non_null(strstr(err.text, ours));
    assert_non_null(strstr(err.text, "assay migrate"));
    assert_string_equal(digest(&f, after), before);

    OK(store_migrate(f.url, &versions, &err));
    assert_int_equal(versions.from, 1);
    assert_int_equal(versions.to, sqlite_schema_version());
    OK(opens(f.url, &(struct store_options){0}, &err));
    OK(store_migrate(f.url, &versions, &err)); /* nothing left to do */
    assert_int_equal(versions.from, sqlite_schema_version());

    static const char *const odd[] = {"0", "-1", "-2147483648"};
    for (size_t i = 0; i < COUNT(odd); i++) {
        raw(f.path, arena_printf(&f.arena, "PRAGMA user_version=%s", odd[i]));
        REFUSED(store_migrate(f.url, &versions, &err), ERROR_INVALID);
        REFUSED(opens(f.url, &(struct store_options){.create = true}, &err), ERROR_INVALID);
        assert_non_null(strstr(err.text, "damaged"));
    }

    raw(f.path, "PRAGMA user_version=99");
    digest(&f, before);
    REFUSED(opens(f.url, &(struct store_options){0}, &err), ERROR_INVALID);
    assert_non_null(strstr(err.text, "version 99"));
    assert_non_null(strstr(err.text, "newer"));
    REFUSED(store_migrate(f.url, &versions, &err), ERROR_INVALID);
    assert_string_equal(digest(&f, after), before);
    fixture_close(&f);
}

TEST(a_locked_store_says_so_and_works_again_after)
{
    struct fixture f = fixture_open();
    struct store_options options = {.create = true, .busy_timeout_ms = 30};
    struct store *store;
    struct error err = {0};
    OK(store_open(f.url, &options, &store, &err));
    struct execution_record e = put_cell(store);
    sqlite3 *holder = NULL;
    sqlite3_open(f.path, &holder);
    assert_int_equal(sqlite3_exec(holder, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    REFUSED(append(store, e.id, PHASE_MEASURED, 0, 3, &err), ERROR_TIMEOUT);
    assert_non_null(strstr(err.text, "30 ms"));
    assert_trials(store, e.id, 0, &f.arena); /* readers do not wait */
    sqlite3_exec(holder, "COMMIT", NULL, NULL, NULL);
    OK(append(store, e.id, PHASE_MEASURED, 0, 3, &err));
    assert_trials(store, e.id, 3, &f.arena);
    sqlite3_close(holder);
    store_close(store);
    fixture_close(&f);
}

TEST(a_damaged_store_says_so)
{
    struct fixture f = fixture_open();
    struct error err = {0};
    struct store *store = open_store(f.url);
    struct execution_record e = put_cell(store);
    OK(append(store, e.id, PHASE_MEASURED, 0, BATCH_MAX, &err));
    OK(store_finish(store, &e, &err));
    store_close(store);
    /* All but the first page: the header stays, every table is nonsense. */
    char junk[4096];
    memset(junk, 0xA5, sizeof junk);
    struct stat st;
    int fd = open(f.path, O_WRONLY | O_CLOEXEC);
    fstat(fd, &st);
    for (off_t at = 4096; at < st.st_size; at += 4096) {
        assert_int_equal(pwrite(fd, junk, sizeof junk, at), sizeof junk);
    }
    close(fd);
    store = NULL;
    struct series_record *list;
    size_t count;
    bool done = store_open(f.url, &(struct store_options){0}, &store, &err) &&
                store_list_series(store, e.id, &f.arena, &list, &count, &err);
    assert_false(done);
    assert_int_equal(err.code, ERROR_IO);
    assert_non_null(strstr(err.text, "damaged"));
    assert_non_null(strstr(err.text, ".recover"));
    store_close(store);
    fixture_close(&f);
}

TEST(a_row_whose_blob_is_short_is_damage)
{
    struct fixture f = fixture_open();
    struct error err = {0};
    struct store *store = open_store(f.url);
    struct execution_record e = put_cell(store);
    OK(append(store, e.id, PHASE_MEASURED, 0, 3, &err));
    raw(f.path, "UPDATE chunks SET samples = x'00'");
    struct series_record *list;
    size_t count;
    REFUSED(store_list_series(store, e.id, &f.arena, &list, &count, &err), ERROR_IO);
    REFUSED(store_finish(store, &e, &err), ERROR_IO);
    store_close(store);
    fixture_close(&f);
}

/* Runs `body` in a child that may change its user or its mounts; it returns
 * NULL, "skip: why", or what went wrong. */
typedef const char *child_body(struct fixture *f);

static void in_child(child_body *body)
{
    struct fixture f = fixture_open();
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        const char *said = body(&f);
        if (said && write(fds[1], said, strlen(said)) < 0) _exit(2);
        _exit(0);
    }
    close(fds[1]);
    struct str said;
    struct error err = {0};
    OK(os_read_all(fds[0], 4096, &f.arena, &said, &err));
    close(fds[0]);
    int status = 0;
    waitpid(pid, &status, 0);
    chmod(f.dir, 0755);
    assert_int_equal(status, 0);
    if (str_starts(said, S("skip:"))) {
        print_message("# %.*s\n", STR_ARG(said));
    } else if (said.n) {
        fail_msg("%.*s", STR_ARG(said));
    }
    fixture_close(&f);
}

static bool says(const struct error *err, enum error_code code, const char *word)
{
    return err->code == code && strstr(err->text, word);
}

static const char *read_only_folder(struct fixture *f)
{
    static struct error err;
    struct store_options create = {.create = true};
    struct store *store = NULL;
    if (!store_open(f->url, &create, &store, &err)) return err.text;
    store_close(store);
    if (chmod(f->dir, 0555) || chmod(f->path, 0444)) return "chmod";
    if (geteuid() == 0 && setresuid(65534, 65534, 65534)) return "skip: cannot drop root";
    if (store_open(f->url, &create, &store, &err)) return "a read-only store was opened";
    if (!says(&err, ERROR_IO, "read-only")) return err.text;
    const char *fresh = arena_printf(&f->arena, "sqlite:%s/new.db", f->dir);
    if (store_open(fresh, &create, &store, &err)) return "a store was made in it";
    if (!says(&err, ERROR_IO, "read-only")) return err.text;
    if (store_open(f->url, &(struct store_options){.read_only = true}, &store, &err)) {
        return "a log was read that another may write";
    }
    if (!says(&err, ERROR_IO, "copy it")) return err.text;
    const char *below = arena_printf(&f->arena, "sqlite:%s/.assay/a.db", f->dir);
    if (store_open(below, &create, &store, &err)) return "a folder was made in it";
    return says(&err, ERROR_IO, "Permission denied") ? NULL : err.text;
}

TEST(a_read_only_folder_says_so)
{
    in_child(read_only_folder);
}

static const char *private_mount(const char *dir, const char *options, unsigned long flags)
{
    if (unshare(CLONE_NEWNS) != 0) return "skip: mounting needs root";
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return "skip: cannot mount";
    if (mount("none", dir, "tmpfs", flags, options) != 0) return "skip: cannot mount";
    return NULL;
}

static const char *read_only_disk(struct fixture *f)
{
    static struct error err;
    struct store *store = NULL;
    const char *said = private_mount(f->dir, "size=4m", 0);
    if (said) return said;
    if (!store_open(f->url, &(struct store_options){.create = true}, &store, &err)) {
        return err.text;
    }
    struct run_record run = a_run();
    if (!store_put_run(store, &run, &err)) return err.text;
    store_close(store);
    if (mount(NULL, f->dir, NULL, MS_REMOUNT | MS_RDONLY, "size=4m") != 0) return "remount";
    if (store_open(f->url, &(struct store_options){0}, &store, &err)) return "opened to write";
    if (!says(&err, ERROR_IO, "read-only")) return err.text;
    struct store_options read_only = {.read_only = true};
    if (!store_open(f->url, &read_only, &store, &err)) return err.text;
    if (!store_find_run(store, run.id, &f->arena, &run, &err)) return err.text;
    store_close(store);
    return NULL;
}

TEST(a_read_only_disk_can_be_read)
{
    in_child(read_only_disk);
}

/* Appends until the disk is full; then all that was acknowledged must be there
 * and the store must work again once there is room. */
static const char *full_disk(struct fixture *f)
{
    static struct error err;
    struct store *store = NULL;
    const char *said = private_mount(f->dir, "size=1m", 0);
    if (said) return said;
    if (!store_open(f->url, &(struct store_options){.create = true}, &store, &err)) {
        return err.text;
    }
    struct run_record run = a_run();
    struct execution_record e = an_execution(store, &run, 0);
    if (!store_put_run(store, &run, &err) || !store_put_execution(store, &e, &err)) {
        return err.text;
    }
    const char *ballast = arena_printf(&f->arena, "%s/ballast", f->dir);
    if (!os_write_file(ballast, (struct str){arena_alloc(&f->arena, 200000, 1, 1), 200000},
                       &err)) {
        return err.text;
    }
    int64_t stored = 0;
    while (append(store, e.id, PHASE_MEASURED, stored, 32, &err)) stored += 32;
    if (!says(&err, ERROR_IO, "disk full")) return err.text;
    if (stored == 0) return "nothing fitted at all";
    struct store_progress p;
    if (!store_progress(store, e.id, &p, &err)) return err.text;
    if (p.trials[PHASE_MEASURED] != stored) return "an acknowledged trial is gone";
    unlink(ballast);
    if (!append(store, e.id, PHASE_MEASURED, stored, 32, &err)) return err.text;
    store_close(store);
    if (!store_open(f->url, &(struct store_options){0}, &store, &err)) return err.text;
    if (!store_progress(store, e.id, &p, &err)) return err.text;
    store_close(store);
    return p.trials[PHASE_MEASURED] == stored + 32 ? NULL : "trials lost on closing";
}

TEST(a_full_disk_says_so_and_loses_nothing)
{
    in_child(full_disk);
}

TEST(an_injected_full_disk_fails_the_append_alone)
{
    struct fixture f = fixture_open();
    struct error err = {0};
    struct store *store = open_store(f.url);
    struct execution_record e = put_cell(store);
    OK(append(store, e.id, PHASE_MEASURED, 0, 3, &err));
    setenv("ASSAY_FAULT", "commit:1:ENOSPC", 1);
    REFUSED(append(store, e.id, PHASE_MEASURED, 3, 3, &err), ERROR_IO);
    assert_non_null(strstr(err.text, "disk full"));
    unsetenv("ASSAY_FAULT");
    assert_trials(store, e.id, 3, &f.arena);
    OK(append(store, e.id, PHASE_MEASURED, 3, 3, &err));
    assert_trials(store, e.id, 6, &f.arena);
    store_close(store);
    fixture_close(&f);
}

TEST(a_store_without_room_for_pages_says_so)
{
    struct fixture f = fixture_open();
    struct error err = {0};
    struct store *store = open_store(f.url);
    struct execution_record e = put_cell(store);
    OK(sqlite_exec(sqlite_of(store), "PRAGMA max_page_count=1", &err)); /* = as it is now */
    int64_t stored = 0;
    while (append(store, e.id, PHASE_MEASURED, stored, BATCH_MAX, &err)) stored += BATCH_MAX;
    assert_int_equal(err.code, ERROR_IO);
    assert_non_null(strstr(err.text, "disk full"));
    assert_trials(store, e.id, (size_t)stored, &f.arena);
    store_close(store);
    fixture_close(&f);
}

/* Every statement that the operations below prepared, explained: none may walk
 * through a whole table of things that grow. */
static void assert_no_scan(struct sqlite *s)
{
    static const char *const large[] = {"runs",   "benchmark_executions", "trials",   "chunks",
                                        "series", "case_results",         "artifacts"};
    assert_true(s->statement_count > 15);
    for (size_t i = 0; i < s->statement_count; i++) {
        char sql[8192];
        snprintf(sql, sizeof sql, "EXPLAIN QUERY PLAN %s", s->statements[i].sql);
        sqlite3_stmt *stmt = NULL;
        assert_int_equal(sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL), SQLITE_OK);
        while (sqlite3_step(stmt) == SQLITE_ROW) {
            const char *step = (const char *)sqlite3_column_text(stmt, 3);
            for (size_t k = 0; k < COUNT(large); k++) {
                char scan[64];
                snprintf(scan, sizeof scan, "SCAN %s", large[k]);
                if (strcmp(step, scan) == 0) fail_msg("%s: %s", step, s->statements[i].sql);
            }
            bool is_for_each_row = strncmp(step, "SCAN", 4) == 0 && strstr(step, "LEFT-JOIN");
            if (is_for_each_row) fail_msg("%s: %s", step, s->statements[i].sql);
        }
        sqlite3_finalize(stmt);
    }
}

/* Not by that of the workspace, which all executions have in common. */
static void assert_looked_up(struct sqlite *s, enum sqlite_query_by by, const char *index)
{
    char sql[8192], text[4096] = "";
    sqlite3_stmt *stmt = NULL;
    snprintf(sql, sizeof sql, "EXPLAIN QUERY PLAN %s", s->sql.query_executions[by]);
    assert_int_equal(sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL), SQLITE_OK);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%s\n", sqlite3_column_text(stmt, 3));
    }
    sqlite3_finalize(stmt);
    if (!strstr(text, index)) fail_msg("not by %s: %s", index, text);
}

/* A column that is not what it should be is not there; what stands beside it is. */
TEST(columns_that_do_not_read_are_absent)
{
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    struct execution_record e = put_cell(store);
    struct error err = {0};
    raw(f.path, "UPDATE runs SET environment = 'not json', vcs = '[1]', tags = '{}',"
                " command = 'x', notes = 'a plain text'");
    raw(f.path, "UPDATE benchmark_executions SET parameters = '[1, 2]', instruments = '{}'");
    struct run_record run;
    OK(store_find_run(store, e.run_id, &f.arena, &run, &err));
    assert_null(run.environment);
    assert_null(run.vcs);
    assert_null(run.tags);
    assert_null(run.command);
    assert_int_equal(run_vcs(&run).commit.n, 0);
    assert_int_equal(run.notes.count, 1); /* as stores before kinds have them */
    assert_string_equal(run.notes.items[0].text, "a plain text");
    assert_int_equal(run.seed, 42);
    struct execution_record *list;
    size_t count;
    OK(store_list_executions(store, e.run_id, &f.arena, &list, &count, &err));
    assert_true(list[0].parameters->kind == VALUE_MAP && list[0].parameters->map.count == 0);
    assert_null(list[0].instruments);
    store_close(store);
    fixture_close(&f);
}

TEST(rows_of_another_program_have_names_all_the_same)
{
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    struct execution_record e = put_cell(store);
    struct error err = {0};
    raw(f.path, "UPDATE benchmark_executions SET experiment = NULL, label = NULL,"
                " parameters = NULL, provenance = NULL");
    struct execution_record *list;
    size_t count;
    OK(store_list_executions(store, e.run_id, &f.arena, &list, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(list[0].experiment, "");
    assert_string_equal(list[0].label, "");
    assert_true(list[0].parameters->kind == VALUE_MAP && list[0].parameters->map.count == 0);
    assert_string_equal(list[0].provenance, "measured");
    raw(f.path, "UPDATE benchmark_executions SET experiment = 'theirs'");
    struct execution_filter any = {0};
    OK(store_query_executions(store, &any, &f.arena, &list, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(list[0].label, "theirs");
    store_close(store);
    fixture_close(&f);
}

TEST(every_query_has_its_index)
{
    struct fixture f = fixture_open();
    struct error err = {0};
    struct store *store = open_store(f.url);
    struct execution_record e = put_cell(store);
    struct batch t;
    struct trial_note note = {.status = TRIAL_OK};
    struct artifact_record artifact = {"a", "text", 0, S("x")};
    fill_batch(&t, e.id, PHASE_MEASURED, 0, 3);
    t.b.notes = &note;
    t.b.note_count = 1;
    t.b.artifacts = &artifact;
    t.b.artifact_count = 1;
    struct store_progress p;
    struct series_record *series;
    struct trial_note *notes;
    struct artifact_record *artifacts;
    struct execution_record *executions;
    struct run_record run;
    size_t count;
    OK(store_append(store, &t.b, 1, &err));
    OK(store_finish(store, &e, &err));
    OK(store_progress(store, e.id, &p, &err));
    OK(store_list_series(store, e.id, &f.arena, &series, &count, &err));
    OK(store_list_notes(store, e.id, &f.arena, &notes, &count, &err));
    OK(store_list_artifacts(store, e.id, &f.arena, &artifacts, &count, &err));
    OK(store_find_run(store, "latest", &f.arena, &run, &err));
    OK(store_find_run(store, run.id, &f.arena, &run, &err));
    OK(store_list_executions(store, run.id, &f.arena, &executions, &count, &err));
    const struct execution_filter filters[] = {{0},
                                               {.suite_id = e.suite_id},
                                               {.agent_id = e.agent_id},
                                               {.benchmark_id = e.benchmark_id}};
    for (size_t i = 0; i < COUNT(filters); i++)
        OK(store_query_executions(store, &filters[i], &f.arena, &executions, &count, &err));
    raw(f.path, "UPDATE runs SET rowid = -1"); /* as an imported one */
    OK(store_find_run(store, "latest", &f.arena, &run, &err));
    assert_looked_up(sqlite_of(store), SQLITE_BY_SUITE, "idx_benchmark_exec_suite");
    assert_looked_up(sqlite_of(store), SQLITE_BY_AGENT, "idx_benchmark_exec_agent");
    assert_looked_up(sqlite_of(store), SQLITE_BY_BENCHMARK, "idx_benchmark_exec_benchmark");
    OK(store_forget(store, run.id, &err));
    assert_no_scan(sqlite_of(store));
    store_close(store);
    fixture_close(&f);
}

/* The definition in sqlite_order.c, run by run. */
static int64_t era_of(int64_t (*runs)[2], size_t count, size_t i)
{
    int64_t era = runs[i][1];
    for (size_t k = 0; k < count && runs[i][0] >= 0; k++) {
        bool is_before = runs[k][0] >= 0 && runs[k][0] <= runs[i][0];
        if (is_before && runs[k][1] > era) era = runs[k][1];
    }
    return era;
}

static void assert_in_order(struct store *store, struct arena *arena)
{
    enum { MOST = 64 };
    int64_t runs[MOST][2];
    char ids[MOST][UUID_SIZE];
    size_t n = 0;
    sqlite3_stmt *stmt = NULL;
    struct error err = {0};
    assert_int_equal(sqlite3_prepare_v2(sqlite_of(store)->db,
                                        "SELECT rowid, started_ns, id FROM runs", -1, &stmt,
                                        NULL),
                     SQLITE_OK);
    for (; sqlite3_step(stmt) == SQLITE_ROW && n < MOST; n++) {
        for (int k = 0; k < 2; k++) runs[n][k] = sqlite3_column_int64(stmt, k);
        snprintf(ids[n], UUID_SIZE, "%s", sqlite3_column_text(stmt, 2));
    }
    sqlite3_finalize(stmt);
    struct run_record *list = NULL;
    struct execution_record *executions = NULL;
    size_t count = 0, execution_count = 0;
    OK(store_list_runs(store, &(struct run_filter){0}, arena, &list, &count, &err));
    OK(store_query_executions(store, &(struct execution_filter){0}, arena, &executions,
                              &execution_count, &err));
    assert_int_equal(count, n);
    assert_int_equal(execution_count, n);
    for (size_t i = 0; i < n; i++) {
        size_t newer = 0;
        for (size_t k = 0; k < n; k++) {
            int64_t mine = era_of(runs, n, i), other = era_of(runs, n, k);
            newer += other > mine || (other == mine && runs[k][0] > runs[i][0]);
        }
        assert_string_equal(list[newer].id, ids[i]);
        assert_string_equal(executions[newer].run_id, ids[i]);
    }
}

/* After each change, by us or by another process. */
TEST(runs_are_in_the_order_of_their_definition)
{
    struct fixture f = fixture_open();
    struct error err = {0};
    struct store *store = open_store(f.url);
    struct store *other = open_store(f.url);
    struct rng rng = rng_seeded(20261118);
    char last[UUID_SIZE] = "";
    for (int i = 0; i < 40; i++) {
        struct store *writer = rng_below(&rng, 2) ? store : other;
        struct execution_record e = put_cell(writer);
        int64_t start_ns = 1 + (int64_t)rng_below(&rng, 30); /* clocks that go back, and ties */
        char sql[300];
        snprintf(sql, sizeof sql, "UPDATE runs SET started_ns = %lld WHERE id = '%s'",
                 (long long)start_ns, e.run_id);
        OK(sqlite_exec(sqlite_of(writer), sql, &err));
        snprintf(sql, sizeof sql,
                 "UPDATE runs SET started_ns = %d WHERE rowid ="
                 " (SELECT rowid FROM runs ORDER BY rowid LIMIT 1 OFFSET %d)",
                 1 + (int)rng_below(&rng, 30), (int)rng_below(&rng, 30));
        OK(sqlite_exec(sqlite_of(writer), sql, &err));
        if (rng_below(&rng, 4) == 0) OK(store_place_imported(writer, e.run_id, &err));
        if (*last && rng_below(&rng, 8) == 0) OK(store_forget(writer, last, &err));
        snprintf(last, sizeof last, "%s", e.run_id);
        assert_in_order(store, &f.arena);
        assert_in_order(other, &f.arena);
    }
    OK(store_begin(store, &err)); /* what was asked between is not remembered */
    OK(sqlite_exec(sqlite_of(store), "UPDATE runs SET started_ns = 31 - started_ns", &err));
    assert_in_order(store, &f.arena);
    store_rollback(store);
    assert_in_order(store, &f.arena);
    store_close(other);
    store_close(store);
    fixture_close(&f);
}

TEST_MAIN(T(urls_name_kinds_and_paths), T(a_missing_store_is_made_only_when_asked_for),
          T(what_is_not_a_store_is_refused_and_left_alone),
          T(another_version_is_refused_unaltered),
          T(a_locked_store_says_so_and_works_again_after), T(a_damaged_store_says_so),
          T(a_row_whose_blob_is_short_is_damage), T(a_read_only_folder_says_so),
          T(a_read_only_disk_can_be_read), T(a_full_disk_says_so_and_loses_nothing),
          T(an_injected_full_disk_fails_the_append_alone),
          T(a_store_without_room_for_pages_says_so), T(columns_that_do_not_read_are_absent),
          T(rows_of_another_program_have_names_all_the_same), T(every_query_has_its_index),
          T(runs_are_in_the_order_of_their_definition))
