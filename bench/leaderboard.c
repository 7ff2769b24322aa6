/* The first leaderboard after an insert, from the rollups, against the plain
 * view on the same file: 50 agents, 100 benchmarks, a million executions in
 * the window. Both must give the same rows, ranks and means (to 1e-12). */
#include "base/clock.h"
#include "base/json.h"
#include "base/os.h"
#include "base/value.h"
#include "bench/ratio.h"
#include "store/sqlite_internal.h"

enum { AGENTS = 50, BENCHMARKS = 100, SUITES = 6, EXECUTIONS = 1000000, QUESTIONS = 3 };

static void die(const char *what)
{
    printf("bench: leaderboard: %s MISSED\n", what);
    exit(1);
}

static void exec(struct store *store, const char *sql)
{
    struct error err = {0};
    if (!sqlite_exec(sqlite_of(store), sql, &err)) die(err.text);
}

static void put_names(struct store *store)
{
    static const char *const categories[SUITES] = {
        "speed", "accuracy", "cost", "reliability", "scalability", "comprehensive"};
    struct error err = {0};
    char name[20];
    for (int i = 0; i < AGENTS; i++) {
        snprintf(name, sizeof name, "agent%02d", i);
        struct agent_record agent = {.name = name, .kind = "noop"};
        if (!store_put_agent(store, &agent, &err)) die(err.text);
    }
    struct suite_record suites[SUITES] = {0};
    for (int i = 0; i < SUITES; i++) {
        suites[i] = (struct suite_record){.name = categories[i], .category = categories[i]};
        if (!store_put_suite(store, &suites[i], &err)) die(err.text);
    }
    for (int i = 0; i < BENCHMARKS; i++) {
        snprintf(name, sizeof name, "benchmark%02d", i);
        struct benchmark_record b = {.name = name};
        memcpy(b.suite_id, suites[i % SUITES].id, UUID_SIZE);
        store_benchmark_id(store, categories[i % SUITES], name, NULL, b.id);
        if (!store_put_benchmark(store, &b, &err)) die(err.text);
    }
}

/* In bulk, as a migration of an old store would have it: the rows first, then
 * the rollups from them. Ids grow, so that every index but two is appended to. */
static void put_executions(struct store *store)
{
    static const char sql[] =
        "PRAGMA synchronous=OFF; PRAGMA cache_size=-262144; BEGIN;"
        "CREATE TEMP TABLE a AS SELECT row_number() OVER (ORDER BY name) - 1 AS i, id"
        " FROM agents;"
        "CREATE TEMP TABLE b AS SELECT row_number() OVER (ORDER BY name) - 1 AS i, id, suite_id"
        " FROM benchmarks;"
        "CREATE UNIQUE INDEX temp.ai ON a (i); CREATE UNIQUE INDEX temp.bi ON b (i);"
        "DROP TRIGGER rollup_inserted;"
        "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %d)"
        "INSERT INTO benchmark_executions (id, suite_id, benchmark_id, agent_id, workspace_id,"
        " start_time, end_time, created_at, status, provenance, accuracy_score, speed_score,"
        " efficiency_score, cost_score, reliability_score)"
        " SELECT printf('01930000-0000-7000-8000-%%012x', n.i), b.suite_id, b.id, a.id, '%s',"
        "  '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z',"
        "  strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', julianday('now', 'start of day') - 29"
        "   + n.i * 29.0 / %d), 'success', 'measured',"
        "  (n.i * 2654435761 %% 1000003) / 1000003.0, (n.i * 40503 %% 999983) / 999983.0,"
        "  (n.i * 69621 %% 999979) / 999979.0,"
        "  iif(n.i %% 11, (n.i * 48271 %% 999961) / 999961.0, NULL),"
        "  (n.i * 16807 %% 999953) / 999953.0"
        " FROM n JOIN a ON a.i = n.i %% %d JOIN b ON b.i = n.i / %d %% %d;";
    char text[sizeof sql + 200];
    snprintf(text, sizeof text, sql, EXECUTIONS, sqlite_of(store)->workspace_id, EXECUTIONS,
             AGENTS, AGENTS, BENCHMARKS);
    exec(store, text);
    exec(store, "DROP TRIGGER rollup_change; DROP VIEW rollup_changes; DROP VIEW rollup_rows;"
                "DROP TRIGGER rollup_updating; DROP TRIGGER rollup_updated;"
                "DROP TRIGGER rollup_deleting; DROP TRIGGER rollup_category_changing;"
                "DROP TRIGGER rollup_category_changed; DROP VIEW ranked_executions;"
                "DROP TABLE rollup_latest; DROP INDEX idx_benchmark_exec_latest");
    for (size_t i = 0; sqlite_schema_rank[i]; i++) exec(store, sqlite_schema_rank[i]);
    exec(store, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA cache_size=-16384");
}

/* One execution more, through the store. */
static void insert(struct store *store, int i)
{
    struct error err = {0};
    struct arena scratch = arena_open();
    struct agent_record agent;
    struct suite_record suite;
    struct run_record run = {.started_ns = clock_unix_ns()};
    struct execution_record e;
    execution_record_init(&e);
    id_uuid7(run.id);
    id_uuid7(e.id);
    memcpy(e.run_id, run.id, UUID_SIZE);
    bool done = store_find_agent(store, "agent07", &scratch, &agent, &err) &&
                store_find_suite(store, "speed", &scratch, &suite, &err) &&
                store_put_run(store, &run, &err);
    if (!done) die(err.text);
    memcpy(e.agent_id, agent.id, UUID_SIZE);
    memcpy(e.suite_id, suite.id, UUID_SIZE);
    store_benchmark_id(store, "speed", "benchmark00", NULL, e.benchmark_id);
    e.provenance = "measured";
    e.status = RUN_SUCCESS;
    e.start_ns = run.started_ns;
    e.end_ns = e.start_ns + 1000;
    e.scores[SCORE_ACCURACY] = 0.1 * i;
    if (!store_put_execution(store, &e, &err)) die(err.text);
    arena_close(&scratch);
}

struct answer {
    struct rank_row row;
    int64_t ranks[SCORE_COUNT];
};

static double rounded(double x)
{
    return isnan(x) ? -1.0 : round(x * 1e12);
}

static struct answer *ask_rollups(struct store *store, struct arena *out, size_t *count)
{
    char day[CLOCK_STAMP_SIZE];
    struct error err = {0};
    clock_stamp(clock_unix_ns() - (int64_t)30 * 86400 * 1000000000, day);
    day[10] = 0;
    struct rank_filter filter = {.since = day, .by = RANK_BY_CATEGORY};
    struct rank_row *rows = NULL;
    if (!store_leaderboard(store, &filter, out, &rows, count, &err)) die(err.text);
    struct answer *answers = arena_new(out, struct answer, *count);
    for (size_t i = 0; i < *count; i++) {
        answers[i].row = rows[i];
        for (size_t m = 0; m < SCORE_COUNT; m++) {
            int64_t *rank = &answers[i].ranks[m];
            *rank = 1;
            for (size_t k = 0; k < *count; k++) {
                *rank += strcmp(rows[k].group, rows[i].group) == 0 &&
                         rounded(rows[k].mean[m]) > rounded(rows[i].mean[m]);
            }
        }
    }
    return answers;
}

static struct answer *ask_view(struct store *store, struct arena *out, size_t *count)
{
    static const char sql[] =
        "SELECT agent_name, benchmark_category, benchmarks_completed, last_benchmark_date,"
        " scores_and_ranks FROM benchmark_leaderboard"
        " ORDER BY benchmark_category, agent_name";
    static const char *const names[] = {"accuracy", "speed", "efficiency", "cost",
                                        "reliability"};
    static const struct value_limits limits = {100000, 8, 1000};
    struct error err = {0};
    struct query q;
    if (!query_open(sqlite_of(store), sql, &q, &err)) die(err.text);
    struct answer *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        struct answer *a = &list[*count];
        a->row.agent_name = query_text(&q, out);
        a->row.group = query_text(&q, out);
        a->row.benchmarks = query_int(&q);
        a->row.last = query_text(&q, out);
        const struct value *scores = NULL;
        if (!value_read_json(str_of(query_peek_text(&q)), &limits, out, &scores, &err)) {
            die(err.text);
        }
        for (size_t m = 0; m < SCORE_COUNT; m++) {
            const struct value *one = value_get(scores, names[m]);
            const struct value *score = value_get(one, "score");
            a->row.mean[m] = value_is_number(score) ? value_number(score) : (double)NAN;
            a->ranks[m] = value_get(one, "rank")->integer;
        }
    }
    if (!query_close(&q, &err)) die(err.text);
    return list;
}

static bool is_same(const struct answer *a, const struct answer *b)
{
    for (size_t m = 0; m < SCORE_COUNT; m++) {
        bool is_close = fabs(a->row.mean[m] - b->row.mean[m]) <= 1e-12 ||
                        (isnan(a->row.mean[m]) && isnan(b->row.mean[m]));
        if (!is_close || a->ranks[m] != b->ranks[m]) return false;
    }
    return strcmp(a->row.agent_name, b->row.agent_name) == 0 &&
           strcmp(a->row.group, b->row.group) == 0 && strcmp(a->row.last, b->row.last) == 0 &&
           a->row.benchmarks == b->row.benchmarks;
}

int main(void)
{
    struct arena arena = arena_open();
    struct error err = {0};
    const char *dir = NULL;
    struct store *store = NULL;
    struct store_options options = {.create = true};
    if (!os_make_temp_dir("assay-bench", &arena, &dir, &err)) die(err.text);
    if (!store_open(arena_printf(&arena, "%s/s.db", dir), &options, &store, &err))
        die(err.text);
    put_names(store);
    put_executions(store);

    double ours_s[QUESTIONS];
    double view_s[QUESTIONS];
    double ratios[QUESTIONS];
    for (int i = 0; i < QUESTIONS; i++) {
        struct answer *answers[2] = {NULL};
        size_t counts[2] = {0};
        for (int k = 0; k < 2; k++) { /* in turn who goes first */
            bool is_ours = (i + k) % 2 == 0;
            if (k == 0) insert(store, i);
            int64_t begin = clock_ns();
            answers[is_ours] =
                (is_ours ? ask_rollups : ask_view)(store, &arena, &counts[is_ours]);
            (is_ours ? ours_s : view_s)[i] = (double)(clock_ns() - begin) / 1e9;
        }
        ratios[i] = view_s[i] / ours_s[i];
        if (counts[0] != AGENTS * SUITES || counts[0] != counts[1]) die("unequal rows:");
        for (size_t k = 0; k < counts[0]; k++) {
            if (!is_same(&answers[0][k], &answers[1][k])) die("unequal answers:");
        }
    }
    store_close(store);
    os_remove_tree(dir);

    const double target = 50;
    double ratio = ratio_median(ratios, QUESTIONS);
    printf("bench: leaderboard: ours %.2f ms peer %.0f ms ratio %.0f target %.0f %s\n",
           1e3 * ratio_median(ours_s, QUESTIONS), 1e3 * ratio_median(view_s, QUESTIONS), ratio,
           target, ratio >= target ? "ok" : "MISSED");
    arena_close(&arena);
    return ratio >= target ? 0 : 1;
}
