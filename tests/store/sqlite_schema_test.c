/* The schema that people query: names are promises, and the two views answer
 * the requirement's questions. Expected values are worked out by hand. */
#include "store/sqlite_internal.h"
#include "tests/store/fixture.h"

struct made {
    struct fixture f;
    sqlite3 *db;
};

static struct made make(void)
{
    struct made m = {.f = fixture_open()};
    store_close(open_store(m.f.url));
    assert_int_equal(sqlite3_open(m.f.path, &m.db), SQLITE_OK);
    return m;
}

static void unmake(struct made *m)
{
    sqlite3_close(m->db);
    fixture_close(&m->f);
}

/* All rows, columns joined by '|', rows by '\n'. */
static const char *ask(struct made *m, const char *sql)
{
    struct buf b;
    buf_init(&b, 1 << 20);
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(m->db, sql, -1, &stmt, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(m->db));
    }
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        if (b.n) buf_add_char(&b, '\n');
        for (int i = 0; i < sqlite3_column_count(stmt); i++) {
            const char *text = (const char *)sqlite3_column_text(stmt, i);
            buf_printf(&b, "%s%s", i ? "|" : "", text ? text : "NULL");
        }
    }
    sqlite3_finalize(stmt);
    const char *copy = str_cstr(&m->f.arena, buf_str(&b));
    buf_release(&b);
    return copy;
}

static void run(struct made *m, const char *sql)
{
    char *text = NULL;
    if (sqlite3_exec(m->db, sql, NULL, NULL, &text) != SQLITE_OK) fail_msg("%s: %s", sql, text);
}

TEST(every_table_is_there_and_strict)
{
    struct made m = make();
    static const char *const tables[] = {"agents",
                                         "benchmark_suites",
                                         "benchmarks",
                                         "cases",
                                         "runs",
                                         "trials",
                                         "chunks",
                                         "series",
                                         "histograms",
                                         "benchmark_executions",
                                         "case_results",
                                         "artifacts",
                                         "profiles",
                                         "stress_results",
                                         "regressions",
                                         "baselines",
                                         "api_tokens",
                                         "alarms",
                                         "run_requests",
                                         "rollups",
                                         "rollup_benchmarks",
                                         "rollup_stamps"};
    for (size_t i = 0; i < COUNT(tables); i++) {
        const char *sql = arena_printf(
            &m.f.arena, "SELECT strict FROM pragma_table_list WHERE name = '%s'", tables[i]);
        if (strcmp(ask(&m, sql), "1") != 0) fail_msg("%s is missing or lax", tables[i]);
    }
    assert_string_equal(ask(&m, "PRAGMA application_id"), "1634956153"); /* "assy" */
    unmake(&m);
}

TEST(executions_have_the_columns_and_indexes_of_the_requirement)
{
    struct made m = make();
    /* Filled by those columns alone. */
    run(&m, "INSERT INTO benchmark_executions (id, suite_id, benchmark_id, agent_id,"
            " agent_version, workspace_id, execution_environment, model_configuration,"
            " start_time, end_time, total_duration_ms, accuracy_score, speed_score,"
            " efficiency_score, cost_score, reliability_score, tokens_used, api_calls_made,"
            " memory_peak_mb, cpu_usage_percent, output_correctness, output_completeness,"
            " output_relevance, percentile_rank, deviation_from_baseline, status,"
            " error_details) VALUES ('e', 's', 'b', 'a', '1', 'w', '{}', '{}', 't', 't', 5,"
            " .1, .2, .3, .4, .5, 6, 7, 8.5, 9.5, .1, .2, .3, .4, .5, 'success', NULL)");
    assert_string_equal(ask(&m, "SELECT julianday('now') - julianday(created_at) < 1"
                                " FROM benchmark_executions"),
                        "1");
    assert_string_equal(
        ask(&m, "SELECT name, group_concat(c) FROM (SELECT l.name AS name, i.name AS c"
                " FROM pragma_index_list('benchmark_executions') l,"
                " pragma_index_info(l.name) i WHERE l.name IN ('idx_benchmark_exec_agent',"
                " 'idx_benchmark_exec_suite', 'idx_benchmark_exec_scores')"
                " ORDER BY l.name, i.seqno) GROUP BY name ORDER BY name"),
        "idx_benchmark_exec_agent|agent_id,created_at\n"
        "idx_benchmark_exec_scores|accuracy_score,speed_score\n"
        "idx_benchmark_exec_suite|suite_id,benchmark_id");
    unmake(&m);
}

/* Three agents and the built-in one, two categories. Agent a1 has an old
 * success on b1 that a newer one replaces in the matrix, and a failure. */
static void put_ranked(struct made *m)
{
    run(m,
        "INSERT INTO agents (id, workspace_id, name, is_builtin) VALUES"
        " ('a1','w','one',0), ('a2','w','two',0), ('a3','w','three',0), ('as','w','assay',1);"
        "INSERT INTO benchmark_suites (id, workspace_id, name, category, is_builtin) VALUES"
        " ('s1','w','s1','speed',0), ('s2','w','s2','cost',0), ('sb','w','builtin','x',1);"
        "INSERT INTO benchmarks (id, workspace_id, suite_id, name) VALUES"
        " ('b1','w','s1','b1'), ('b2','w','s2','b2');"
        "CREATE TEMP TABLE x (id, agent, suite, bench, days, status, a, s, e, c, r);"
        "INSERT INTO x VALUES"
        " ('1','a1','s1','b1', 3, 'success', 0.1, 0.1, 0.1, 0.1, 0.1),"
        " ('2','a1','s1','b1', 2, 'success', 0.8, 0.6, 0.5, 0.5, 1.0),"
        " ('3','a1','s1','b1', 1, 'failed',  0.0, 0.0, 0.0, 0.0, 0.0),"
        " ('4','a1','s2','b2', 2, 'success', 0.6, 0.6, 0.5, 0.5, 1.0),"
        " ('5','a2','s1','b1', 40,'success', 0.7, 0.9, 0.5, 0.5, 0.5),"
        " ('6','a3','s2','b2', 0, 'success', NULL, 0.2, 0.2, 0.2, 0.2),"
        " ('7','as','sb','b1', 0, 'success', 1, 1, 1, 1, 1);"
        "INSERT INTO benchmark_executions (id, agent_id, suite_id, benchmark_id,"
        " workspace_id, start_time, end_time, created_at, status, accuracy_score,"
        " speed_score, efficiency_score, cost_score, reliability_score)"
        " SELECT id, agent, suite, bench, 'w', 't', 't',"
        " strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || days || ' days'), status,"
        " a, s, e, c, r FROM x");
}

TEST(the_comparison_matrix_ranks_the_latest_successes)
{
    struct made m = make();
    put_ranked(&m);
    /* a1: latest are 2 and 4: accuracy .7, speed .6, .5, .5, 1 ->
     * .21 + .12 + .1 + .075 + .15 = .655; a2: .21 + .18 + .1 + .075 + .075 = .64;
     * a3 has no accuracy: (.04 + .04 + .03 + .03) / .7 = .2 over the others, partial,
     * ranked among those that lack it too, and without a rank by accuracy. */
    assert_string_equal(ask(&m, "SELECT agent_id, round(avg_accuracy, 9), accuracy_rank,"
                                " speed_rank, reliability_rank, round(overall_score, 9),"
                                " overall_rank, is_partial FROM agent_comparison_matrix"
                                " ORDER BY is_partial, overall_rank"),
                        "a1|0.7|1|2|1|0.655|1|0\n"
                        "a2|0.7|1|1|2|0.64|2|0\n"
                        "a3|NULL|NULL|3|3|0.2|1|1");
    unmake(&m);
}

TEST(the_leaderboard_ranks_within_categories_over_thirty_days)
{
    struct made m = make();
    put_ranked(&m);
    /* a2 is too old; a1 in `speed` averages three executions, failed one too. */
    assert_string_equal(
        ask(&m, "SELECT agent_name, benchmark_category, benchmarks_completed, best_ranking,"
                " round(json_extract(scores_and_ranks, '$.accuracy.score'), 9),"
                " json_extract(scores_and_ranks, '$.speed.rank'),"
                " date(last_benchmark_date) = date('now') FROM benchmark_leaderboard"),
        "one|cost|1|1|0.6|1|0\n"
        "three|cost|1|2|NULL|2|1\n"
        "one|speed|1|1|0.3|1|0");
    unmake(&m);
}

/* Where nobody has a score, nobody is first by it: `bad` is not "best ranking 1". */
TEST(a_missing_score_gives_no_rank)
{
    struct made m = make();
    put_ranked(&m);
    run(&m, "UPDATE benchmark_executions SET speed_score = NULL, cost_score = NULL,"
            " efficiency_score = NULL;"
            "UPDATE benchmark_executions SET accuracy_score = 0, reliability_score = 0"
            " WHERE id = '6'");
    assert_string_equal(
        ask(&m, "SELECT agent_name, best_ranking, scores_and_ranks ->> '$.speed.rank'"
                " FROM benchmark_leaderboard WHERE benchmark_category = 'cost'"),
        "one|1|NULL\nthree|2|NULL");
    run(&m, "UPDATE benchmark_executions SET accuracy_score = NULL, reliability_score = NULL");
    assert_string_equal(ask(&m, "SELECT count(best_ranking) FROM benchmark_leaderboard"), "0");
    assert_string_equal(ask(&m, "SELECT count(overall_score), count(overall_rank)"
                                " FROM agent_comparison_matrix"),
                        "0|0");
    unmake(&m);
}

TEST(what_is_marked_unranked_leaves_views_and_rollups)
{
    struct made m = make();
    put_ranked(&m);
    run(&m, "UPDATE benchmark_executions SET unranked = 'cached' WHERE id IN ('2', '4')");
    assert_string_equal(ask(&m, "SELECT round(avg_accuracy, 9), benchmarks_completed"
                                " FROM agent_comparison_matrix WHERE agent_id = 'a1'"),
                        "0.1|1");
    assert_string_equal(ask(&m, "SELECT execution_id FROM rollup_latest WHERE agent_id = 'a1'"),
                        "1");
    assert_string_equal(ask(&m, "SELECT sum(executions) FROM rollups WHERE agent_id = 'a1'"),
                        "2");
    unmake(&m);
}

TEST(the_window_is_whole_utc_days)
{
    struct made m = make();
    put_ranked(&m);
    run(&m, "UPDATE benchmark_executions SET created_at ="
            " date('now', '-30 days') || 'T00:00:00.000Z' WHERE id = '5'");
    assert_string_equal(ask(&m, "SELECT count(*) FROM benchmark_leaderboard"
                                " WHERE agent_id = 'a2'"),
                        "1");
    run(&m, "UPDATE benchmark_executions SET created_at ="
            " date('now', '-31 days') || 'T23:59:59.999Z' WHERE id = '5'");
    assert_string_equal(ask(&m, "SELECT count(*) FROM benchmark_leaderboard"
                                " WHERE agent_id = 'a2'"),
                        "0");
    unmake(&m);
}

TEST(a_series_has_its_summary_in_columns)
{
    struct made m = make();
    struct error err = {0};
    struct store *store = open_store(m.f.url);
    struct run_record r = a_run();
    OK(store_put_run(store, &r, &err));
    struct execution_record e = an_execution(store, &r, 0);
    e.end_ns = e.start_ns + 2600000;
    OK(store_put_execution(store, &e, &err));
    struct batch t;
    fill_batch(&t, e.id, PHASE_MEASURED, 0, 5);
    const double values[] = {4, (double)NAN, 1, 3, 2};
    memcpy(t.durations, values, sizeof values);
    OK(store_append(store, &t.b, 1, &err));
    OK(store_finish(store, &e, &err));
    assert_string_equal(ask(&m, "SELECT count, n, mean, round(sd * sd, 9), min, p50, p95, p99,"
                                " max, length(samples) FROM series"
                                " WHERE metric = 'duration_s'"),
                        "5|4|2.5|1.666666667|1.0|2.5|3.85|3.97|4.0|40");
    assert_string_equal(ask(&m, "SELECT (SELECT count(*) FROM trials) +"
                                " (SELECT count(*) FROM chunks)"),
                        "0");
    assert_string_equal(ask(&m, "SELECT total_duration_ms, execution_environment, a.name,"
                                " s.name, b.name FROM benchmark_executions e"
                                " JOIN agents a ON a.id = agent_id"
                                " JOIN benchmark_suites s ON s.id = e.suite_id"
                                " JOIN benchmarks b ON b.id = benchmark_id"),
                        "3|{\"host\":\"h\"}|assay|builtin|noop");
    assert_string_equal(ask(&m, "SELECT w.name FROM runs JOIN workspaces w"
                                " ON w.id = workspace_id"),
                        "default");
    store_close(store);
    unmake(&m);
}

TEST_MAIN(T(every_table_is_there_and_strict),
          T(executions_have_the_columns_and_indexes_of_the_requirement),
          T(the_comparison_matrix_ranks_the_latest_successes),
          T(the_leaderboard_ranks_within_categories_over_thirty_days),
          T(a_missing_score_gives_no_rank), T(what_is_marked_unranked_leaves_views_and_rollups),
          T(the_window_is_whole_utc_days), T(a_series_has_its_summary_in_columns))
