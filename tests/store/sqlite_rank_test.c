/* Rollups agree with the executions, whatever was done to them: same ranks, and
 * means to 1e-12. And both agree with the requirement's own SQL. */
#include "base/rng.h"
#include "tests/store/fixture.h"

enum { AGENTS = 5, SUITES = 3, BENCHMARKS = 4, RUNS = 12, CELLS = 150, STEPS = 300 };

static const char *const categories[] = {"speed", "accuracy", "comprehensive"};

struct world {
    struct store *store;
    struct rng rng;
    char agents[AGENTS][UUID_SIZE];
    char suites[SUITES][UUID_SIZE];
    char benchmarks[SUITES][BENCHMARKS][UUID_SIZE];
    struct run_record runs[RUNS];
    struct execution_record cells[CELLS]; /* those that are stored; id "" = none */
    bool is_only_measured;
};

static void put_suite(struct world *w, int i, const char *category)
{
    struct error err = {0};
    char name[20];
    snprintf(name, sizeof name, "suite%d", i);
    struct suite_record suite = {.name = name, .category = category, .content_hash = "h"};
    OK(store_put_suite(w->store, &suite, &err));
    memcpy(w->suites[i], suite.id, UUID_SIZE);
}

static void open_world(struct world *w, const char *url, const char *workspace)
{
    struct store_options options = {.create = true, .workspace = workspace};
    struct error err = {0};
    char name[20];
    w->rng = rng_seeded(7);
    OK(store_open(url, &options, &w->store, &err));
    for (int i = 0; i < AGENTS; i++) {
        snprintf(name, sizeof name, "agent%d", i);
        struct agent_record agent = {.name = name, .kind = "noop"};
        OK(store_put_agent(w->store, &agent, &err));
        memcpy(w->agents[i], agent.id, UUID_SIZE);
    }
    for (int i = 0; i < SUITES; i++) {
        put_suite(w, i, categories[i]);
        for (int k = 0; k < BENCHMARKS; k++) {
            snprintf(name, sizeof name, "b%d", k);
            struct benchmark_record b = {.name = name,
                                         .content_hash = "h",
                                         .test_type = k % 2 ? "stress" : "synthetic",
                                         .dataset = k < 3 ? "{\"complexity\":\"low\"}" : NULL};
            memcpy(b.suite_id, w->suites[i], UUID_SIZE);
            store_benchmark_id(w->store, w->suites[i], name, "h", b.id);
            OK(store_put_benchmark(w->store, &b, &err));
            memcpy(w->benchmarks[i][k], b.id, UUID_SIZE);
        }
    }
    for (int i = 0; i < RUNS; i++) {
        w->runs[i] = a_run();
        OK(store_put_run(w->store, &w->runs[i], &err));
    }
}

static size_t below(struct world *w, size_t n)
{
    return (size_t)rng_below(&w->rng, n);
}

/* Half of the scores are thirds, so that means tie; some are missing. */
static double a_score(struct world *w)
{
    if (below(w, 12) == 0) return NAN;
    return below(w, 2) ? (double)below(w, 4) / 3 : rng_real(&w->rng);
}

static void score(struct world *w, struct execution_record *e)
{
    static const enum run_status ends[] = {RUN_SUCCESS, RUN_SUCCESS, RUN_SUCCESS, RUN_FAILED,
                                           RUN_PARTIAL};
    e->scores[SCORE_ACCURACY] = a_score(w);
    e->scores[SCORE_SPEED] = a_score(w);
    e->scores[SCORE_EFFICIENCY] = a_score(w);
    e->scores[SCORE_COST] = a_score(w);
    e->scores[SCORE_RELIABILITY] = a_score(w);
    e->status = ends[below(w, COUNT(ends))];
    e->end_ns = e->start_ns + 1000;
}

/* Stores write now into created_at; a past is what the tests need. Days 25 to 39
 * stay empty: the requirement's window ends at this very moment, ours at the
 * beginning of a day. */
static void set_age(struct world *w, const struct execution_record *e)
{
    char sql[300];
    struct error err = {0};
    size_t days = below(w, 5) ? below(w, 25) : 40 + below(w, 5);
    snprintf(sql, sizeof sql,
             "UPDATE benchmark_executions SET created_at = strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ',"
             " 'now', '-%zu days', '-%zu seconds') WHERE id = '%s'",
             days, below(w, 3000), e->id);
    OK(sqlite_exec(sqlite_of(w->store), sql, &err));
}

static const char *a_version(struct world *w)
{
    static const char *const versions[] = {NULL, "1", "2"};
    return w->is_only_measured ? NULL : versions[below(w, COUNT(versions))];
}

/* Parameters of other experiments may be called so, and be no text. */
static const struct value *some_parameters(struct world *w)
{
    static const char *const texts[] = {"{}", "{\"prompt\":\"good\"}",
                                        "{\"prompt\":\"bad, or not?\"}", "{\"prompt\":7}"};
    return from_json(texts[w->is_only_measured ? 0 : below(w, COUNT(texts))]);
}

static void insert(struct world *w, struct execution_record *e)
{
    struct error err = {0};
    *e = an_execution(w->store, &w->runs[below(w, RUNS)], 0);
    if (w->is_only_measured || below(w, 15)) {
        size_t suite = below(w, SUITES);
        memcpy(e->suite_id, w->suites[suite], UUID_SIZE);
        if (below(w, 10) == 0) { /* a benchmark may be in several contents of a suite */
            suite = below(w, SUITES);
        }
        memcpy(e->benchmark_id, w->benchmarks[suite][below(w, BENCHMARKS)], UUID_SIZE);
        memcpy(e->agent_id, w->agents[below(w, AGENTS)], UUID_SIZE);
    }
    e->agent_version = a_version(w);
    e->parameters = some_parameters(w);
    if (!w->is_only_measured && below(w, 10) == 0) e->provenance = "simulated";
    OK(store_put_execution(w->store, e, &err));
    set_age(w, e);
    if (below(w, 8) == 0) return; /* stays running */
    score(w, e);
    OK(store_finish(w->store, e, &err));
}

static void forget(struct world *w, size_t which)
{
    struct error err = {0};
    struct run_record *run = &w->runs[which];
    OK(store_forget(w->store, run->id, &err));
    for (size_t i = 0; i < CELLS; i++) {
        if (strcmp(w->cells[i].run_id, run->id) == 0) w->cells[i].id[0] = 0;
    }
    *run = a_run();
    OK(store_put_run(w->store, run, &err));
}

static void step(struct world *w)
{
    struct error err = {0};
    struct execution_record *e = &w->cells[below(w, CELLS)];
    if (!e->id[0]) {
        insert(w, e);
    } else if (below(w, 2)) { /* scored again, or moved in time */
        if (below(w, 4)) score(w, e);
        if (below(w, 8) == 0) e->agent_version = a_version(w);
        if (below(w, 2) == 0) e->parameters = some_parameters(w);
        if (!w->is_only_measured) e->unranked = below(w, 8) ? UNRANKED_NOT : UNRANKED_RESCORED;
        OK(store_put_execution(w->store, e, &err));
        if (below(w, 3) == 0) set_age(w, e);
    } else if (below(w, 60) == 0) {
        forget(w, below(w, RUNS));
    } else if (below(w, 60) == 0) {
        put_suite(w, (int)below(w, SUITES), categories[below(w, COUNT(categories))]);
    }
}

/* ---- comparing ---- */

static double rounded(double x)
{
    return isnan(x) ? -1.0 : round(x * 1e12);
}

static size_t rank_in(const struct rank_row *rows, size_t count, size_t i, size_t metric)
{
    size_t rank = 1;
    for (size_t k = 0; k < count; k++) {
        bool is_rival = strcmp(rows[k].group, rows[i].group) == 0;
        rank += is_rival && rounded(rows[k].mean[metric]) > rounded(rows[i].mean[metric]);
    }
    return rank;
}

static void assert_same_rows(const struct rank_row *a, size_t a_count, const struct rank_row *b,
                             size_t b_count)
{
    assert_int_equal(a_count, b_count);
    for (size_t i = 0; i < a_count; i++) {
        assert_string_equal(a[i].agent_id, b[i].agent_id);
        assert_int_equal(!a[i].agent_version, !b[i].agent_version);
        if (a[i].agent_version) assert_string_equal(a[i].agent_version, b[i].agent_version);
        assert_int_equal(!a[i].prompt, !b[i].prompt);
        if (a[i].prompt) assert_string_equal(a[i].prompt, b[i].prompt);
        assert_string_equal(a[i].group, b[i].group);
        assert_string_equal(a[i].last, b[i].last);
        assert_int_equal(a[i].executions, b[i].executions);
        assert_int_equal(a[i].benchmarks, b[i].benchmarks);
        for (size_t m = 0; m < SCORE_COUNT; m++) {
            assert_int_equal(a[i].known[m], b[i].known[m]);
            assert_close(a[i].mean[m], b[i].mean[m], 1e-12);
            assert_int_equal(rank_in(a, a_count, i, m), rank_in(b, b_count, i, m));
        }
    }
}

typedef bool ask_function(struct store *store, const struct rank_filter *filter,
                          struct arena *out, struct rank_row **rows, size_t *count,
                          struct error *err);

static void compare(struct world *w, ask_function *ask, struct rank_filter filter,
                    struct arena scratch)
{
    struct error err = {0};
    struct rank_row *rows[2];
    size_t counts[2];
    for (int i = 0; i < 2; i++) {
        filter.is_plain = i;
        OK(ask(w->store, &filter, &scratch, &rows[i], &counts[i], &err));
    }
    assert_same_rows(rows[0], counts[0], rows[1], counts[1]);
}

static void compare_latest(struct world *w, bool is_merged, struct arena scratch)
{
    struct error err = {0};
    struct latest_row *rows[2];
    size_t counts[2];
    for (int i = 0; i < 2; i++) {
        struct rank_filter filter = {.is_plain = i, .merges_versions = is_merged};
        OK(store_latest(w->store, &filter, &scratch, &rows[i], &counts[i], &err));
    }
    assert_int_equal(counts[0], counts[1]);
    for (size_t i = 0; i < counts[0]; i++) {
        assert_string_equal(rows[0][i].execution_id, rows[1][i].execution_id);
        assert_string_equal(rows[0][i].category, rows[1][i].category);
        assert_string_equal(rows[0][i].prompt, rows[1][i].prompt);
        for (size_t m = 0; m < SCORE_COUNT; m++)
            assert_close(rows[0][i].score[m], rows[1][i].score[m], 0);
    }
}

static const char *day(int64_t days_ago, char *out)
{
    clock_stamp(clock_unix_ns() - days_ago * 86400 * (int64_t)1000000000, out);
    out[10] = 0;
    return out;
}

static void compare_all(struct world *w, struct arena scratch)
{
    char month[CLOCK_STAMP_SIZE];
    char week[CLOCK_STAMP_SIZE];
    const char *since[] = {NULL, day(30, month), day(7, week)};
    for (size_t i = 0; i < 2 * COUNT(since); i++) {
        struct rank_filter f = {.since = since[i / 2], .merges_versions = i % 2};
        compare(w, store_leaderboard, f, scratch);
        compare(w, store_matrix, f, scratch);
        f.by = RANK_BY_CATEGORY;
        compare(w, store_leaderboard, f, scratch);
        f.category = "speed";
        compare(w, store_leaderboard, f, scratch);
        compare(w, store_matrix, f, scratch);
    }
    compare_latest(w, true, scratch);
    compare_latest(w, false, scratch);
}

static int64_t count_rows(struct world *w, const char *sql)
{
    struct error err = {0};
    struct query q;
    OK(query_open(sqlite_of(w->store), sql, &q, &err));
    int64_t n = query_next(&q) ? query_int(&q) : -1;
    OK(query_close(&q, &err));
    return n;
}

TEST(rollups_agree_with_executions_whatever_happens)
{
    static struct world w, other, reader; /* which keeps what it read of others' work */
    struct fixture f = fixture_open();
    open_world(&w, f.url, NULL);
    open_world(&other, f.url, "other");
    reader.store = open_store(f.url);
    for (int i = 0; i < STEPS; i++) {
        step(i % 5 == 4 ? &other : &w);
        if (i % 60 == 59) compare_all(&w, f.arena);
        if (i % 20 == 19) compare_all(&reader, f.arena);
    }
    compare_all(&other, f.arena);
    assert_true(count_rows(&w, "SELECT count(*) FROM rollups") > 60);
    for (size_t i = 0; i < RUNS; i++) {
        forget(&w, i);
        forget(&other, i);
        if (i % 4 == 0) compare_all(&w, f.arena);
        compare_all(&reader, f.arena);
    }
    store_close(reader.store);
    static const char left[] = "SELECT (SELECT count(*) FROM rollups) +"
                               " (SELECT count(*) FROM rollup_benchmarks) +"
                               " (SELECT count(*) FROM rollup_latest)";
    assert_int_equal(count_rows(&w, left), 0);
    store_close(other.store);
    store_close(w.store);
    fixture_close(&f);
}

/* All agents are ranked anew, though none of their executions changed. */
TEST(a_suite_that_changes_its_category_is_seen)
{
    static struct world w, reader;
    struct fixture f = fixture_open();
    open_world(&w, f.url, NULL);
    reader.store = open_store(f.url);
    for (int i = 0; i < 200; i++) step(&w);
    compare_all(&reader, f.arena);
    for (int i = 0; i < SUITES; i++) put_suite(&w, i, i % 2 ? "speed" : "cost");
    compare_all(&reader, f.arena);
    for (int i = 0; i < SUITES; i++) put_suite(&w, i, i % 2 ? "cost" : "speed");
    compare_all(&reader, f.arena);
    store_close(reader.store);
    store_close(w.store);
    fixture_close(&f);
}

static const char *latest_of_first(struct world *w, struct arena *out)
{
    struct error err = {0};
    const struct rank_filter filter = {0};
    struct latest_row *rows = NULL;
    size_t count = 0;
    OK(store_latest(w->store, &filter, out, &rows, &count, &err));
    assert_true(count > 0);
    return rows[0].execution_id;
}

/* Rows are changed behind the triggers' back: what is seen of it shows what is read. */
TEST(only_agents_with_a_new_stamp_are_read_again)
{
    static struct world w;
    struct fixture f = fixture_open();
    struct error err = {0};
    open_world(&w, f.url, NULL);
    for (int i = 0; i < 200; i++) step(&w);
    const char *before = latest_of_first(&w, &f.arena);
    struct sqlite *s = sqlite_of(w.store);
    OK(sqlite_exec(s, "UPDATE rollup_latest SET execution_id = 'new'", &err));
    assert_string_equal(latest_of_first(&w, &f.arena), before);
    OK(sqlite_exec(s, "BEGIN; UPDATE rollup_stamps SET stamp = random()", &err));
    assert_string_equal(latest_of_first(&w, &f.arena), "new");
    OK(sqlite_exec(s, "ROLLBACK", &err));
    assert_string_equal(latest_of_first(&w, &f.arena), before);
    OK(sqlite_exec(s, "UPDATE rollup_stamps SET stamp = random()", &err));
    assert_string_equal(latest_of_first(&w, &f.arena), "new");
    store_close(w.store);
    fixture_close(&f);
}

/* Whole, in one statement, by whatever program. */
TEST(an_execution_that_is_inserted_is_seen)
{
    static const char sql[] =
        "INSERT INTO benchmark_executions (id, suite_id, benchmark_id, agent_id, workspace_id,"
        " agent_version, parameters, start_time, end_time, created_at, status, accuracy_score)"
        " SELECT 'newest', suite_id, benchmark_id, agent_id, workspace_id, agent_version,"
        "  parameters, start_time, end_time, '2999-01-01', 'success', 1 FROM "
        "benchmark_executions"
        " WHERE id = '%s'";
    static struct world w, reader;
    struct fixture f = fixture_open();
    struct error err = {0};
    open_world(&w, f.url, NULL);
    reader.store = open_store(f.url);
    for (int i = 0; i < 200; i++) step(&w);
    char text[sizeof sql + UUID_SIZE];
    snprintf(text, sizeof text, sql, latest_of_first(&reader, &f.arena));
    OK(sqlite_exec(sqlite_of(w.store), text, &err));
    assert_string_equal(latest_of_first(&reader, &f.arena), "newest");
    store_close(reader.store);
    store_close(w.store);
    fixture_close(&f);
}

/* A name is no part of an execution: it is read each time. */
TEST(an_agent_that_was_renamed_has_its_new_name)
{
    static struct world w;
    struct fixture f = fixture_open();
    struct error err = {0};
    const struct rank_filter filter = {0};
    struct rank_row *rows = NULL;
    size_t count = 0;
    open_world(&w, f.url, NULL);
    for (int i = 0; i < 200; i++) step(&w);
    for (int i = 0; i < 2; i++) {
        OK(store_leaderboard(w.store, &filter, &f.arena, &rows, &count, &err));
        assert_true(count > 0);
        assert_int_equal(strncmp(rows[0].agent_name, "new ", 4) == 0, i);
        OK(sqlite_exec(sqlite_of(w.store), "UPDATE agents SET name = 'new ' || name", &err));
    }
    store_close(w.store);
    fixture_close(&f);
}

TEST(groups_by_complexity_and_test_type)
{
    static struct world w;
    struct fixture f = fixture_open();
    struct error err = {0};
    w.is_only_measured = true;
    open_world(&w, f.url, NULL);
    for (size_t i = 0; i < CELLS; i++) insert(&w, &w.cells[i]);
    static const struct {
        enum rank_by by;
        const char *first, *last;
    } asked[] = {{RANK_BY_COMPLEXITY, "low", "unstated"},
                 {RANK_BY_TEST_TYPE, "stress", "synthetic"}};
    for (size_t i = 0; i < COUNT(asked); i++) {
        struct rank_filter filter = {.by = asked[i].by};
        struct rank_row *rows;
        size_t count;
        OK(store_leaderboard(w.store, &filter, &f.arena, &rows, &count, &err));
        assert_int_equal(count, 2 * AGENTS);
        assert_string_equal(rows[0].group, asked[i].first);
        assert_string_equal(rows[count - 1].group, asked[i].last);
        int64_t executions = 0;
        for (size_t k = 0; k < count; k++) executions += rows[k].executions;
        assert_int_equal(executions, CELLS);
    }
    store_close(w.store);
    fixture_close(&f);
}

/* A store of schema 3 that has executions gets its rollups when it is upgraded. */
TEST(an_upgrade_fills_the_rollups)
{
    static const char rows[] =
        "INSERT INTO agents (id, workspace_id, name) VALUES ('a0', '%s', 'x'),"
        " ('a1', '%s', 'y');"
        "INSERT INTO benchmark_suites (id, workspace_id, name, category)"
        " VALUES ('s', '%s', 's', 'speed');"
        "INSERT INTO benchmarks (id, workspace_id, suite_id, name) VALUES ('b', '%s', 's', "
        "'b');"
        "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 40)"
        "INSERT INTO benchmark_executions (id, suite_id, benchmark_id, agent_id, workspace_id,"
        " start_time, end_time, parameters, created_at, status, accuracy_score, speed_score)"
        " SELECT 'e' || i, 's', 'b', 'a' || (i %% 2), '%s', '', '',"
        "  CASE i %% 4 WHEN 0 THEN NULL WHEN 1 THEN '{\"prompt\":\"p\"}' WHEN 2 THEN 'no JSON'"
        "   ELSE '{\"prompt\":7}' END,"
        "  date('now', '-' || i || ' days'), iif(i %% 3, 'success', 'failed'), i / 41.0,"
        "  iif(i %% 5, i / 43.0, NULL) FROM n;";
    static struct world w;
    char sql[sizeof rows + 400];
    struct fixture f = fixture_open();
    struct sqlite s = {.path = f.path};
    struct error err = {0};
    char workspace[UUID_SIZE];
    id_uuid5(S("default"), "workspace", S("default"), workspace);
    snprintf(sql, sizeof sql, rows, workspace, workspace, workspace, workspace, workspace);
    assert_int_equal(sqlite3_open(f.path, &s.db), SQLITE_OK);
    OK(sqlite_exec(&s, "PRAGMA journal_mode=WAL; BEGIN", &err));
    OK(sqlite_schema_upgrade(&s, 0, 3, &err));
    OK(sqlite_exec(&s, sql, &err));
    OK(sqlite_exec(&s, "COMMIT", &err));
    sqlite3_close(s.db);
    OK(store_migrate(f.url, NULL, &err));
    w.store = open_store(f.url);
    compare_all(&w, f.arena);
    assert_int_equal(count_rows(&w, "SELECT sum(executions) FROM rollups"), 41);
    store_close(w.store);
    fixture_close(&f);
}

/* ---- the requirement's own SQL, in SQLite's dialect ---- */

static const char required_matrix[] =
    "WITH latest_benchmarks AS ("
    " SELECT agent_id, benchmark_id, accuracy_score, speed_score, efficiency_score,"
    "  cost_score, reliability_score,"
    "  ROW_NUMBER() OVER (PARTITION BY agent_id, benchmark_id ORDER BY created_at DESC) as rn"
    " FROM benchmark_executions WHERE status = 'success'),"
    "benchmark_aggregates AS ("
    " SELECT agent_id, AVG(accuracy_score) as avg_accuracy, AVG(speed_score) as avg_speed,"
    "  AVG(efficiency_score) as avg_efficiency, AVG(cost_score) as avg_cost,"
    "  AVG(reliability_score) as avg_reliability,"
    "  COUNT(DISTINCT benchmark_id) as benchmarks_completed"
    " FROM latest_benchmarks WHERE rn = 1 GROUP BY agent_id)"
    "SELECT avg_accuracy, avg_speed, avg_efficiency, avg_cost, avg_reliability,"
    " benchmarks_completed FROM benchmark_aggregates b JOIN agents a ON a.id = b.agent_id"
    " ORDER BY a.name";

static const char required_leaderboard[] =
    "SELECT AVG(be.accuracy_score), AVG(be.speed_score), AVG(be.efficiency_score),"
    " AVG(be.cost_score), AVG(be.reliability_score), COUNT(DISTINCT be.benchmark_id)"
    " FROM benchmark_executions be JOIN agents a ON be.agent_id = a.id"
    " JOIN benchmark_suites bs ON be.suite_id = bs.id"
    " WHERE be.created_at > datetime('now', '-30 days')"
    " GROUP BY be.agent_id, a.name, bs.category ORDER BY bs.category, a.name";

static void assert_as_required(struct world *w, const char *sql, const struct rank_row *rows,
                               size_t count)
{
    struct error err = {0};
    struct query q;
    OK(query_open(sqlite_of(w->store), sql, &q, &err));
    size_t i = 0;
    for (; query_next(&q); i++) {
        assert_true(i < count);
        for (size_t m = 0; m < SCORE_COUNT; m++)
            assert_close(rows[i].mean[m], query_real(&q), 1e-12);
        assert_int_equal(rows[i].benchmarks, query_int(&q));
    }
    assert_int_equal(i, count);
    OK(query_close(&q, &err));
}

/* The views keep the requirement's columns, and rank as its text does. */
static void assert_view_ranks(struct world *w, const struct rank_row *rows, size_t count)
{
    static const char sql[] =
        "SELECT scores_and_ranks -> 'accuracy' ->> 'rank', best_ranking"
        " FROM benchmark_leaderboard ORDER BY benchmark_category, agent_name";
    struct error err = {0};
    struct query q;
    OK(query_open(sqlite_of(w->store), sql, &q, &err));
    size_t i = 0;
    for (; query_next(&q); i++) {
        assert_true(i < count);
        size_t best = count;
        for (size_t m = 0; m < SCORE_COUNT; m++) {
            size_t rank = rank_in(rows, count, i, m);
            if (rank < best) best = rank;
        }
        assert_int_equal(query_int(&q), rank_in(rows, count, i, 0));
        assert_int_equal(query_int(&q), best);
    }
    assert_int_equal(i, count);
    OK(query_close(&q, &err));
}

TEST(answers_are_the_requirements)
{
    static struct world w;
    struct fixture f = fixture_open();
    struct error err = {0};
    char month[CLOCK_STAMP_SIZE];
    struct rank_row *rows;
    size_t count;
    w.is_only_measured = true;
    open_world(&w, f.url, NULL);
    for (int i = 0; i < STEPS; i++) step(&w);
    struct rank_filter filter = {.since = day(30, month), .by = RANK_BY_CATEGORY};
    OK(store_leaderboard(w.store, &filter, &f.arena, &rows, &count, &err));
    assert_as_required(&w, required_leaderboard, rows, count);
    assert_view_ranks(&w, rows, count);
    filter = (struct rank_filter){0};
    OK(store_matrix(w.store, &filter, &f.arena, &rows, &count, &err));
    assert_as_required(&w, required_matrix, rows, count);
    store_close(w.store);
    fixture_close(&f);
}

TEST_MAIN(T(a_suite_that_changes_its_category_is_seen),
          T(only_agents_with_a_new_stamp_are_read_again),
          T(an_execution_that_is_inserted_is_seen),
          T(an_agent_that_was_renamed_has_its_new_name),
          T(rollups_agree_with_executions_whatever_happens),
          T(groups_by_complexity_and_test_type), T(an_upgrade_fills_the_rollups),
          T(answers_are_the_requirements))
