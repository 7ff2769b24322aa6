/* A store and a bundle that the last assay of schema 7 wrote: both are carried
 * over without loss. schema7.sql is `sqlite3 assay.db .dump` of two runs (a suite
 * with two agents; a spec of two entries, three cells and a claim), a histogram and
 * the baselines `good` and `main`; schema7.bundle is `assay export --bundle` of it.
 * schema9.sql has three runs of one agent: version 1 on an old content of the benchmark
 * (accuracy 0.75) and on the new one (0.75), version 2 on the new one (0.5).
 * schema12.sql has agents a and b, version 1, on one benchmark with the prompts good (all of 8
 * cases right) and bad (none), and a second run of b with the prompt good. */
#include "interop/bundle.h"
#include "tests/store/fixture.h"

static void load_old(struct fixture *f, int schema)
{
    struct str sql;
    struct error err = {0};
    sqlite3 *db = NULL;
    char *text = NULL;
    const char *path = arena_printf(&f->arena, "tests/store/schema%d.sql", schema);
    OK(os_read_file(path, 1 << 20, &f->arena, &sql, &err));
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    if (sqlite3_exec(db, str_cstr(&f->arena, sql), NULL, NULL, &text) != SQLITE_OK)
        fail_msg("%s", text);
    sqlite3_close(db);
}

/* Every row of a table that both have, as JSON over the old columns. */
static const char *rows_of(struct fixture *f, const char *path, const char *table)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    struct buf b;
    buf_init(&b, 4 << 20);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    const char *sql = arena_printf(&f->arena, "SELECT * FROM %s", table);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(stmt); i++) {
            const char *name = sqlite3_column_name(stmt, i);
            bool is_new = strcmp(name, "cell") == 0 || strncmp(name, "rank_", 5) == 0;
            if (sqlite3_column_type(stmt, i) == SQLITE_NULL || is_new)
                continue; /* what the migration adds is NULL, but for those */
            int n = sqlite3_column_bytes(stmt, i);
            const unsigned char *p = sqlite3_column_blob(stmt, i);
            buf_printf(&b, "%s=", name);
            for (int k = 0; k < n; k++) buf_printf(&b, "%02x", p[k]);
            buf_text(&b, "|");
        }
        buf_text(&b, "\n");
    }
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    assert_false(b.overflow);
    const char *rows = str_cstr(&f->arena, buf_str(&b));
    buf_release(&b);
    return rows;
}

static const char *const tables[] = {
    "workspaces", "agents",  "benchmark_suites",     "benchmarks",   "cases",
    "runs",       "series",  "benchmark_executions", "case_results", "histograms",
    "baselines",  "rollups", "rollup_benchmarks",    "rollup_latest"};

TEST(a_store_of_schema_7_is_carried_over_without_loss)
{
    struct fixture f = fixture_open();
    struct error err = {0};
    struct store_versions versions;
    const char *before[COUNT(tables)];
    load_old(&f, 7);
    for (size_t i = 0; i < COUNT(tables); i++) {
        before[i] = rows_of(&f, f.path, tables[i]);
        if (!*before[i]) fail_msg("the old store has no %s", tables[i]);
    }
    OK(store_migrate(f.url, &versions, &err));
    assert_int_equal(versions.from, 7);
    for (size_t i = 0; i < COUNT(tables); i++) {
        if (strcmp(before[i], rows_of(&f, f.path, tables[i])) != 0)
            fail_msg("%s changed", tables[i]);
    }
    fixture_close(&f);
}

TEST(what_is_carried_over_is_read)
{
    struct fixture f = fixture_open();
    struct error err = {0};
    struct run_record *runs;
    struct execution_record *e;
    struct baseline_record *pins;
    struct histogram_record *h;
    size_t count;
    load_old(&f, 7);
    OK(store_migrate(f.url, NULL, &err));
    struct store *store = open_store(f.url);
    OK(store_list_runs(store, &(struct run_filter){0}, &f.arena, &runs, &count, &err));
    assert_int_equal(count, 2);
    OK(store_list_executions(store, runs[0].id, &f.arena, &e, &count, &err));
    assert_int_equal(count, 3);
    assert_int_equal(e[0].entry_index, -1); /* nobody knows */
    assert_int_equal(e[0].version_kind, VERSION_UNKNOWN);
    assert_int_equal(e[0].unranked, UNRANKED_NOT);
    struct series_record *series;
    OK(store_list_series(store, e[0].id, &f.arena, &series, &count, &err));
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) assert_int_equal(series[i].kind, KIND_UNSAID);
    OK(store_list_histograms(store, e[2].id, &f.arena, &h, &count, &err));
    assert_int_equal(count, 1);
    assert_int_equal(h[0].trial, -1);

    OK(store_list_baselines(store, "main", &f.arena, &pins, &count, &err));
    assert_int_equal(count, 2); /* all that schema 7 could keep of three */
    for (size_t i = 0; i < count; i++) assert_int_equal(strlen(pins[i].cell), 64);
    for (size_t i = 0; i < 3; i++) OK(store_put_baseline(store, "main", &e[i], &err));
    OK(store_list_baselines(store, "main", &f.arena, &pins, &count, &err));
    assert_int_equal(count, 3);
    store_close(store);
    fixture_close(&f);
}

TEST(a_bundle_of_schema_7_is_read_and_read_again)
{
    struct fixture f = fixture_open();
    struct error err = {0};
    struct str bundle;
    struct bundle_result r;
    OK(os_read_file("tests/store/schema7.bundle", 1 << 20, &f.arena, &bundle, &err));
    struct store *store = open_store(f.url);
    OK(bundle_read(store, bundle, &r, &err));
    assert_int_equal(r.added, 2);
    OK(bundle_read(store, bundle, &r, &err));
    assert_int_equal(r.added + r.replaced, 0);
    struct baseline_record *pins;
    size_t count;
    OK(store_list_baselines(store, NULL, &f.arena, &pins, &count, &err));
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++) assert_int_equal(strlen(pins[i].cell), 64);
    store_close(store);

    /* As much as the store itself, migrated. */
    struct fixture g = fixture_open();
    load_old(&g, 7);
    OK(store_migrate(g.url, NULL, &err));
    assert_string_equal(rows_of(&f, f.path, "runs"), rows_of(&g, g.path, "runs"));
    assert_string_equal(rows_of(&f, f.path, "benchmark_executions"),
                        rows_of(&g, g.path, "benchmark_executions"));
    fixture_close(&g);
    fixture_close(&f);
}

/* Rollups that added versions and contents together are made anew, apart. */
TEST(a_store_of_schema_9_ranks_versions_apart_and_the_newest_content_only)
{
    struct fixture f = fixture_open();
    struct error err = {0};
    struct store_versions versions;
    struct left_out_row *left;
    size_t count;
    load_old(&f, 9);
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(f.path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "INSERT INTO api_tokens (id, workspace_id, name, hash,"
                                  " scopes) SELECT 't', id, 'ci', 'aa', 'read' FROM workspaces",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    const char *runs = rows_of(&f, f.path, "runs");
    const char *series = rows_of(&f, f.path, "series");
    OK(store_migrate(f.url, &versions, &err));
    assert_int_equal(versions.from, 9);
    assert_true(versions.to > 9);
    assert_string_equal(rows_of(&f, f.path, "runs"), runs);
    assert_string_equal(rows_of(&f, f.path, "series"), series);
    struct store *store = open_store(f.url);
    for (int plain = 0; plain < 2; plain++) {
        struct rank_filter filter = {.is_plain = plain};
        struct rank_row *rows;
        OK(store_leaderboard(store, &filter, &f.arena, &rows, &count, &err));
        assert_int_equal(count, 2);
        for (size_t i = 0; i < count; i++) {
            assert_string_equal(rows[i].agent_version, i == 0 ? "1" : "2");
            assert_int_equal(rows[i].executions, 1);
            assert_float_equal(rows[i].mean[SCORE_ACCURACY], i == 0 ? 0.75 : 0.5, 1e-9);
        }
        filter.merges_versions = true;
        OK(store_leaderboard(store, &filter, &f.arena, &rows, &count, &err));
        assert_int_equal(count, 1);
        assert_float_equal(rows[0].mean[SCORE_ACCURACY], 0.625, 1e-9);
    }
    struct token_record *tokens;
    OK(store_list_tokens(store, false, &f.arena, &tokens, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(tokens[0].role, "read");
    OK(store_left_out(store, &(struct rank_filter){0}, &f.arena, &left, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(left[0].reason, "old_content");
    assert_int_equal(left[0].executions, 1);
    store_close(store);
    fixture_close(&f);
}

/* Rollups that added prompts together are made anew, apart; nothing else changes. */
TEST(a_store_of_schema_12_ranks_prompts_apart)
{
    static const char *const kept[] = {
        "workspaces",           "agents", "benchmark_suites", "benchmarks",   "cases", "runs",
        "benchmark_executions", "series", "case_results",     "rollup_stamps"};
    static const struct {
        const char *agent, *prompt;
        int executions;
        double accuracy;
    } rows_are[] = {
        {"a", "bad", 1, 0}, {"a", "good", 1, 1}, {"b", "bad", 1, 0}, {"b", "good", 2, 1}};
    struct fixture f = fixture_open();
    struct error err = {0};
    struct store_versions versions;
    const char *before[COUNT(kept)];
    size_t count;
    load_old(&f, 12);
    for (size_t i = 0; i < COUNT(kept); i++) before[i] = rows_of(&f, f.path, kept[i]);
    OK(store_migrate(f.url, &versions, &err));
    assert_int_equal(versions.from, 12);
    for (size_t i = 0; i < COUNT(kept); i++)
        assert_string_equal(rows_of(&f, f.path, kept[i]), before[i]);
    struct store *store = open_store(f.url);
    for (int plain = 0; plain < 2; plain++) {
        struct rank_filter filter = {.is_plain = plain};
        struct rank_row *rows;
        struct latest_row *latest;
        OK(store_leaderboard(store, &filter, &f.arena, &rows, &count, &err));
        assert_int_equal(count, COUNT(rows_are));
        for (size_t i = 0; i < count; i++) {
            assert_string_equal(rows[i].agent_name, rows_are[i].agent);
            assert_string_equal(rows[i].agent_version, "1");
            assert_string_equal(rows[i].prompt, rows_are[i].prompt);
            assert_int_equal(rows[i].executions, rows_are[i].executions);
            assert_float_equal(rows[i].mean[SCORE_ACCURACY], rows_are[i].accuracy, 1e-9);
        }
        filter.merges_versions = true;
        OK(store_matrix(store, &filter, &f.arena, &rows, &count, &err));
        assert_int_equal(count, 2);
        for (size_t i = 0; i < count; i++) {
            assert_null(rows[i].prompt);
            assert_int_equal(rows[i].benchmarks, 1);
            assert_float_equal(rows[i].mean[SCORE_ACCURACY], 0.5, 1e-9);
        }
        OK(store_latest(store, &filter, &f.arena, &latest, &count, &err));
        assert_int_equal(count, COUNT(rows_are));
        for (size_t i = 0; i < count; i++)
            assert_string_equal(latest[i].prompt, i % 2 ? "good" : "bad");
    }
    store_close(store);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        T(a_store_of_schema_7_is_carried_over_without_loss),
        T(what_is_carried_over_is_read),
        T(a_bundle_of_schema_7_is_read_and_read_again),
        T(a_store_of_schema_9_ranks_versions_apart_and_the_newest_content_only),
        T(a_store_of_schema_12_ranks_prompts_apart),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(all, NULL, NULL);
}
