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
    struct desk d;
    desk_open(&d, SQL_WRITE_HEAVY, SQL_BALANCED);
    assert_true(sql_exec(d.work.sql, "DELETE FROM records WHERE id = 77", &d.err));
    assert_false(sql_work_verify(&d.work, &d.err));
    assert_non_null(strstr(d.err.text, "2499 rows"));
    desk_close(&d);
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

/* What a killed process had written is the kernel's: every profile keeps what it committed. */
TEST(a_killed_writer_has_lost_nothing_that_it_committed)
{
    for (int profile = 0; profile < SQL_PROFILE_COUNT; profile++) {
        struct desk d;
        desk_open(&d, SQL_WRITE_HEAVY, SQL_BALANCED);
        struct sql_durability found;
        const char *path = os_path_below(d.dir, S("killed.db"), &d.arena);
        if (!sql_probe_durability(path, (enum sql_profile)profile, 25, &found, &d.err))
            fail_msg("%s", d.err.text);
        assert_true(found.told >= 25);
        assert_int_equal(found.lost, 0);
        assert_true(found.is_intact);
        assert_true(found.found <= found.told + 1);
        desk_close(&d);
    }
}

TEST(a_writer_that_cannot_write_is_an_error)
{
    struct sql_durability found;
    struct error err = {0};
    assert_false(sql_probe_durability("/nowhere/a.db", SQL_SAFETY, 5, &found, &err));
    assert_non_null(strstr(err.text, "ended by itself after 0 rows"));
}

TEST_MAIN(T(every_load_with_every_profile_is_right), T(the_filter_of_read_heavy_selects_rows),
          T(a_row_that_is_missing_or_other_pragmas_are_found),
          T(a_killed_writer_has_lost_nothing_that_it_committed),
          T(a_writer_that_cannot_write_is_an_error))
