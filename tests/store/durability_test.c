/* Nothing acknowledged is lost, whoever dies and whoever else is writing. */
#include "store/sqlite_internal.h"
#include "tests/store/fixture.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PLANNED = 60, FINISH_EVERY = 7, WRITERS = 8 };

/* In a child: no assertion may run there. */
#define MUST(call)              \
    do {                        \
        if (!(call)) _exit(99); \
    } while (0)

static void assert_intact(const char *path)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &stmt, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(stmt, 0), "ok");
    sqlite3_finalize(stmt);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA foreign_key_check", -1, &stmt, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
    sqlite3_finalize(stmt);
    sqlite3_close(db);
}

/* Appends trials one by one from where the execution is, folding now and then,
 * and writes one byte to `ack` after each append that returned. */
static void write_trials(struct store *store, const struct execution_record *e, int ack)
{
    struct error err = {0};
    struct store_progress p;
    MUST(store_progress(store, e->id, &p, &err));
    for (int64_t i = p.trials[PHASE_MEASURED]; i < PLANNED; i++) {
        MUST(append(store, e->id, PHASE_MEASURED, i, 1, &err));
        if (ack >= 0) MUST(write(ack, "+", 1) == 1);
        if (i % FINISH_EVERY == 0) MUST(store_finish(store, e, &err));
    }
    MUST(store_finish(store, e, &err));
}

/* Starts a child that writes; it dies by itself at `fault` or by our SIGKILL
 * after `kill_after` acknowledgements and `delay_ns`. Returns how many trials
 * it had acknowledged when it died. */
struct killing {
    const char *fault;
    int kill_after;
    int64_t delay_ns;
};

static size_t run_and_kill(const char *url, const struct execution_record *e,
                           const struct killing *k)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (k->fault) setenv("ASSAY_FAULT", k->fault, 1);
        struct store *store = NULL;
        MUST(store_open(url, &(struct store_options){0}, &store, NULL));
        write_trials(store, e, fds[1]);
        store_close(store);
        _exit(0);
    }
    close(fds[1]);
    size_t acknowledged = 0;
    char byte;
    while (read(fds[0], &byte, 1) == 1) {
        acknowledged++;
        if (k->fault || acknowledged != (size_t)k->kill_after) continue;
        clock_sleep_until(clock_ns() + k->delay_ns);
        kill(pid, SIGKILL);
    }
    close(fds[0]);
    int status = 0;
    waitpid(pid, &status, 0);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    if (k->fault) assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    return acknowledged;
}

/* After a death: all that was acknowledged is there, once; at most one more;
 * and what is missing can be added. */
static void check_and_complete(struct fixture *f, const struct execution_record *e,
                               size_t acknowledged)
{
    struct error err = {0};
    struct store_progress p;
    struct store *store = open_store(f->url);
    OK(store_progress(store, e->id, &p, &err));
    size_t stored = (size_t)p.trials[PHASE_MEASURED];
    if (stored < acknowledged || stored > acknowledged + 1) {
        fail_msg("%zu acknowledged, %zu stored", acknowledged, stored);
    }
    assert_trials(store, e->id, stored, &f->arena);
    write_trials(store, e, -1);
    assert_trials(store, e->id, PLANNED, &f->arena);
    store_close(store);
}

static void kill_each(const struct killing *table, size_t count)
{
    struct fixture f = fixture_open();
    for (size_t i = 0; i < count; i++) {
        struct store *store = open_store(f.url);
        struct execution_record e = put_cell(store);
        store_close(store);
        size_t acknowledged = run_and_kill(f.url, &e, &table[i]);
        check_and_complete(&f, &e, acknowledged);
    }
    assert_intact(f.path);
    fixture_close(&f);
}

TEST(a_kill_at_any_instant_loses_nothing_acknowledged)
{
    struct killing table[24];
    for (int i = 0; i < (int)COUNT(table); i++) {
        /* A delay that differs each time moves the kill through an append. */
        table[i] = (struct killing){.kill_after = 1 + i * (PLANNED - 4) / (int)COUNT(table),
                                    .delay_ns = (int64_t)i * 7919 % 120000};
    }
    kill_each(table, COUNT(table));
}

TEST(a_kill_at_a_fault_point_loses_nothing_acknowledged)
{
    static const struct killing table[] = {
        {.fault = "commit:1:kill"},     {.fault = "commit:2:kill"},
        {.fault = "commit:17:kill"},    {.fault = "committed:1:kill"},
        {.fault = "committed:16:kill"}, {.fault = "fold:1:kill"},
        {.fault = "fold:2:kill"},       {.fault = "fold:5:kill"},
    };
    kill_each(table, COUNT(table));
}

/* Runs `body` in a child with that fault; returns its wait status. A child each:
 * the count of a fault point lives as long as its process. */
static int with_fault(const char *fault, void (*body)(const char *url), const char *url)
{
    pid_t pid = fork();
    if (pid == 0) {
        setenv("ASSAY_FAULT", fault, 1);
        body(url);
        _exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return status;
}

static void fail_to_finish(const char *url)
{
    struct error err = {0};
    struct store *store = NULL;
    struct arena arena = arena_open();
    struct run_record run;
    struct execution_record *e;
    size_t count;
    MUST(store_open(url, &(struct store_options){0}, &store, &err));
    MUST(store_find_run(store, "latest", &arena, &run, &err));
    MUST(store_list_executions(store, run.id, &arena, &e, &count, &err));
    MUST(!store_finish(store, e, &err) && err.code == ERROR_IO);
    store_close(store);
    arena_close(&arena);
}

TEST(a_fold_that_fails_leaves_the_open_form)
{
    struct fixture f = fixture_open();
    struct error err = {0};
    struct store *store = open_store(f.url);
    struct execution_record e = put_cell(store);
    OK(append(store, e.id, PHASE_MEASURED, 0, 20, &err));
    store_close(store);
    assert_int_equal(with_fault("fold:1:EIO", fail_to_finish, f.url), 0);
    store = open_store(f.url);
    assert_trials(store, e.id, 20, &f.arena);
    OK(append(store, e.id, PHASE_MEASURED, 20, 3, &err));
    OK(store_finish(store, &e, &err));
    assert_trials(store, e.id, 23, &f.arena);
    store_close(store);
    fixture_close(&f);
}

static void make_store(const char *url)
{
    struct store *store = NULL;
    MUST(store_open(url, &(struct store_options){.create = true}, &store, NULL));
}

TEST(a_kill_while_the_store_is_made_leaves_one_that_can_be_completed)
{
    static const char *const faults[] = {"migration:1:kill", "migration:2:kill",
                                         "commit:1:kill", "committed:1:kill"};
    for (size_t i = 0; i < COUNT(faults); i++) {
        struct fixture f = fixture_open();
        assert_true(WIFSIGNALED(with_fault(faults[i], make_store, f.url)));
        assert_true(os_exists(f.path));
        struct store *store = open_store(f.url);
        put_cell(store);
        store_close(store);
        assert_intact(f.path);
        fixture_close(&f);
    }
}

static void upgrade(const char *url)
{
    MUST(store_migrate(url, NULL, NULL));
}

static void fail_to_upgrade(const char *url)
{
    struct error err = {0};
    MUST(!store_migrate(url, NULL, &err) && err.code == ERROR_IO);
}

TEST(a_kill_while_upgrading_leaves_the_old_store)
{
    struct fixture f = fixture_open();
    struct error err = {0};
    struct store *store = NULL;
    make_older(f.path);
    assert_true(WIFSIGNALED(with_fault("migration:1:kill", upgrade, f.url)));
    REFUSED(store_open(f.url, &(struct store_options){0}, &store, &err), ERROR_INVALID);
    assert_non_null(strstr(err.text, "version 1"));
    assert_int_equal(with_fault("migration:1:EIO", fail_to_upgrade, f.url), 0);
    REFUSED(store_open(f.url, &(struct store_options){0}, &store, &err), ERROR_INVALID);
    OK(store_migrate(f.url, NULL, &err));
    store = open_store(f.url);
    put_cell(store);
    store_close(store);
    assert_intact(f.path);
    fixture_close(&f);
}

/* One writer of the crowd below: makes the store if it comes first. */
static void write_as_one_of_many(const char *url, int seed)
{
    struct store *store = NULL;
    struct error err = {0};
    if (!store_open(url, &(struct store_options){.create = true}, &store, &err)) {
        fprintf(stderr, "# writer: %s\n", err.text);
        _exit(98);
    }
    struct run_record run = a_run();
    run.seed = seed;
    MUST(store_put_run(store, &run, &err));
    struct execution_record e = an_execution(store, &run, 0);
    MUST(store_put_execution(store, &e, &err));
    write_trials(store, &e, -1);
    run.status = RUN_SUCCESS;
    MUST(store_put_run(store, &run, &err));
    store_close(store);
    _exit(0);
}

TEST(eight_processes_write_one_new_store_at_once)
{
    struct fixture f = fixture_open();
    pid_t pids[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        pids[i] = fork();
        if (pids[i] == 0) write_as_one_of_many(f.url, i);
    }
    for (int i = 0; i < WRITERS; i++) {
        int status = 0;
        waitpid(pids[i], &status, 0);
        assert_int_equal(status, 0);
    }
    struct error err = {0};
    struct store *store = open_store(f.url);
    struct run_record *runs;
    size_t count;
    OK(store_list_runs(store, &(struct run_filter){0}, &f.arena, &runs, &count, &err));
    assert_int_equal(count, WRITERS);
    int64_t seeds = 0;
    for (size_t i = 0; i < count; i++) {
        struct execution_record *executions;
        size_t n;
        OK(store_list_executions(store, runs[i].id, &f.arena, &executions, &n, &err));
        assert_int_equal(n, 1);
        assert_trials(store, executions[0].id, PLANNED, &f.arena);
        assert_int_equal(runs[i].status, RUN_SUCCESS);
        seeds |= 1 << runs[i].seed;
    }
    assert_int_equal(seeds, (1 << WRITERS) - 1);
    store_close(store);
    assert_intact(f.path);
    fixture_close(&f);
}

TEST(the_log_does_not_grow_without_end)
{
    struct fixture f = fixture_open();
    struct error err = {0};
    struct store *store = open_store(f.url);
    struct execution_record e = put_cell(store);
    OK(append(store, e.id, PHASE_MEASURED, 0, 8, &err));
    struct sqlite *s = sqlite_of(store);
    int before = s->wal_pages;
    assert_true(before > 10 && s->wal_copied == 0);
    sqlite_checkpoint(s, before);
    assert_int_equal(s->wal_copied, 0); /* not more than allowed: nothing done */
    sqlite_checkpoint(s, before - 1);
    assert_int_equal(s->wal_copied, before);
    OK(append(store, e.id, PHASE_MEASURED, 8, 8, &err));
    /* Written from the start of the log again, not behind what was copied. */
    assert_true(s->wal_pages < before && s->wal_copied == 0);
    store_close(store);
    assert_false(os_exists(arena_printf(&f.arena, "%s-wal", f.path)));
    fixture_close(&f);
}

TEST_MAIN(T(a_kill_at_any_instant_loses_nothing_acknowledged),
          T(a_kill_at_a_fault_point_loses_nothing_acknowledged),
          T(a_fold_that_fails_leaves_the_open_form),
          T(a_kill_while_the_store_is_made_leaves_one_that_can_be_completed),
          T(a_kill_while_upgrading_leaves_the_old_store),
          T(eight_processes_write_one_new_store_at_once), T(the_log_does_not_grow_without_end))
