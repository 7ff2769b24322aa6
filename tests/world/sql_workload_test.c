#include "base/os.h"
#include "tests/test.h"
#include "world/sql_workload.h"

struct desk {
    struct arena arena;
    const char *dir;
    struct sql_work work;
    struct error err;
};

static void desk_open(struct desk *d, enum sql_workload workload, enum sql_profile profile)
{
    *d = (struct desk){.arena = arena_open()};
    assert_true(os_make_temp_dir("assay-test", &d->arena, &d->dir, &d->err));
    d->work = (struct sql_work){
        .workload = workload,
        .profile = profile,
        .records = 2500,
        .path = os_path_below(d->dir, S("work.db"), &d->arena),
    };
    if (workload == SQL_READ_HEAVY &&
        !sql_work_fill(d->work.path, profile, 2, &d->work.table_rows, &d->err))
        fail_msg("%s", d->err.text);
    if (!sql_work_open(&d->work, &d->arena, &d->err) || !sql_work_run(&d->work, &d->err))
        fail_msg("%s", d->err.text);
}

static void desk_close(struct desk *d)
{
    sql_work_close(&d->work);
    os_remove_tree(d->dir);
    arena_close(&d->arena);
}

TEST(every_load_with_every_profile_is_right)
{
    for (int workload = 0; workload < SQL_WORKLOAD_COUNT; workload++) {
        for (int profile = 0; profile < SQL_PROFILE_COUNT; profile++) {
            struct desk d;
            desk_open(&d, (enum sql_workload)workload, (enum sql_profile)profile);
            if (!sql_work_verify(&d.work, &d.err)) fail_msg("%s", d.err.text);
            desk_close(&d);
        }
    }
}

/* Half of the rows pass the filter, whatever the size. */
TEST(the_filter_of_read_heavy_selects_rows)
{
    struct desk d;
    desk_open(&d, SQL_READ_HEAVY, SQL_BALANCED);
    assert_true(d.work.table_rows >= 2000);
    int64_t above = 0;
    char query[100];
    snprintf(query, sizeof query, "SELECT count(*) FROM records WHERE value > %.3f",
             (double)(d.work.table_rows / 2) / 1000);
    assert_true(sql_ask_int(d.work.sql, query, &above, &d.err));
    assert_int_equal(above, d.work.table_rows / 2 - 1);
    desk_close(&d);
}

TEST(a_row_that_is_missing_or_other_pragmas_are_found)
{
    static const struct {
        const char *statement, *said;
    } cases[] = {
        {"DELETE FROM records WHERE id = 2499",
         "balanced, write_heavy: the file has 2499 rows"},
        {"DELETE FROM records WHERE id = 77", "row 77 of the file"},
        {"UPDATE records SET data = '' WHERE id = 78", "row 78 of the file"},
        {"UPDATE records SET timestamp = 0 WHERE id = 79", "row 79 of the file"},
        {"UPDATE records SET value = value * 1.0000000001 WHERE id = 80", "row 80 of the file"},
    };
    struct desk d;
    for (size_t i = 0; i < COUNT(cases); i++) {
        desk_open(&d, SQL_WRITE_HEAVY, SQL_BALANCED);
        assert_true(sql_exec(d.work.sql, cases[i].statement, &d.err));
        assert_false(sql_work_verify(&d.work, &d.err));
        if (!strstr(d.err.text, cases[i].said)) fail_msg("%s", d.err.text);
        desk_close(&d);
    }
    desk_open(&d, SQL_MIXED, SQL_SAFETY);
    assert_true(sql_exec(d.work.sql, "PRAGMA synchronous = OFF", &d.err));
    assert_false(sql_work_verify(&d.work, &d.err));
    assert_non_null(strstr(d.err.text, "synchronous is 0, asked for 2"));
    desk_close(&d);
    desk_open(&d, SQL_MIXED, SQL_SAFETY);
    d.work.answer += 1;
    assert_false(sql_work_verify(&d.work, &d.err));
    desk_close(&d);
}

/* Of the first `draws` writes of a commit, how many leave a damaged file when the writer is
 * killed in their place. */
static int count_damaged(enum sql_profile profile, int64_t after, uint64_t draws)
{
    int damaged = 0;
    for (uint64_t draw = 0; draw < draws; draw++) {
        struct arena arena = arena_open();
        struct error err = {0};
        const char *dir = NULL;
        assert_true(os_make_temp_dir("assay-test", &arena, &dir, &err));
        const char *path = os_path_below(dir, S("killed.db"), &arena);
        struct sql_durability found;
        struct sql_kill when = {after, draw};
        if (!sql_probe_durability(path, profile, when, &found, &err)) fail_msg("%s", err.text);
        assert_true(found.told >= after * 1000);
        if (found.is_intact) {
            assert_int_equal(found.lost, 0);
            assert_true(found.found <= found.told + 1000);
        }
        damaged += !found.is_intact;
        os_remove_tree(dir);
        arena_close(&arena);
    }
    return damaged;
}

/* A log keeps the file whole whenever its writer dies, also while it is copied into the file,
 * which it is after some commits. */
TEST(a_writer_with_a_log_leaves_a_whole_file)
{
    assert_int_equal(count_damaged(SQL_BALANCED, 3, 6), 0);
    assert_int_equal(count_damaged(SQL_SAFETY, 3, 6), 0);
    assert_int_equal(count_damaged(SQL_BALANCED, 8, 20), 0);
}

/* A rollback journal in memory dies with the writer: but for the first write, which is not
 * done, every one of a commit leaves half of it. */
TEST(a_writer_with_its_journal_in_memory_leaves_a_damaged_file)
{
    assert_int_equal(count_damaged(SQL_MEMORY, 3, 6), 5);
    assert_int_equal(count_damaged(SQL_PERFORMANCE, 3, 6), 5);
}

TEST(a_writer_that_cannot_write_is_an_error)
{
    struct sql_durability found;
    struct sql_kill when = {1, 0};
    struct error err = {0};
    assert_false(sql_probe_durability("/nowhere/a.db", SQL_SAFETY, when, &found, &err));
    assert_non_null(strstr(err.text, "ended by itself after 0 rows"));
}

TEST_MAIN(T(every_load_with_every_profile_is_right), T(the_filter_of_read_heavy_selects_rows),
          T(a_row_that_is_missing_or_other_pragmas_are_found),
          T(a_writer_with_a_log_leaves_a_whole_file),
          T(a_writer_with_its_journal_in_memory_leaves_a_damaged_file),
          T(a_writer_that_cannot_write_is_an_error))
