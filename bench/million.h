/* million.h - a store with a million executions in the window of the leaderboard: 50 agents
 * on 100 benchmarks of 6 suites, made in bulk. */
#ifndef BENCH_MILLION_H
#define BENCH_MILLION_H

#include "base/clock.h"
#include "base/os.h"
#include "store/sqlite_internal.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    MILLION_AGENTS = 50,
    MILLION_BENCHMARKS = 100,
    MILLION_SUITES = 6,
    MILLION_EXECUTIONS = 1000000
};

static inline void million_die(const char *what)
{
    printf("bench: %s MISSED\n", what);
    exit(1);
}

static inline void million_exec(struct store *store, const char *sql)
{
    struct error err = {0};
    if (!sqlite_exec(sqlite_of(store), sql, &err)) million_die(err.text);
}

static inline void million_put_names(struct store *store)
{
    static const char *const categories[MILLION_SUITES] = {
        "speed", "accuracy", "cost", "reliability", "scalability", "comprehensive"};
    struct error err = {0};
    char name[20];
    for (int i = 0; i < MILLION_AGENTS; i++) {
        snprintf(name, sizeof name, "agent%02d", i);
        struct agent_record agent = {.name = name, .kind = "noop"};
        if (!store_put_agent(store, &agent, &err)) million_die(err.text);
    }
    struct suite_record suites[MILLION_SUITES] = {0};
    for (int i = 0; i < MILLION_SUITES; i++) {
        suites[i] = (struct suite_record){.name = categories[i], .category = categories[i]};
        if (!store_put_suite(store, &suites[i], &err)) million_die(err.text);
    }
    for (int i = 0; i < MILLION_BENCHMARKS; i++) {
        snprintf(name, sizeof name, "benchmark%02d", i);
        struct benchmark_record b = {.name = name};
        memcpy(b.suite_id, suites[i % MILLION_SUITES].id, UUID_SIZE);
        store_benchmark_id(store, categories[i % MILLION_SUITES], name, NULL, b.id);
        if (!store_put_benchmark(store, &b, &err)) million_die(err.text);
    }
}

/* In bulk, as a migration of an old store would have it: the rows first, then
 * the rollups from them. Ids grow, so that every index but two is appended to. */
static inline void million_put_executions(struct store *store, int count)
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
    snprintf(text, sizeof text, sql, count, sqlite_of(store)->workspace_id, count,
             MILLION_AGENTS, MILLION_AGENTS, MILLION_BENCHMARKS);
    million_exec(store, text);
    million_exec(store,
                 "DROP TRIGGER rollup_change; DROP VIEW rollup_changes; DROP VIEW rollup_rows;"
                 "DROP TRIGGER rollup_updating; DROP TRIGGER rollup_updated;"
                 "DROP TRIGGER rollup_deleting; DROP TRIGGER rollup_category_changing;"
                 "DROP TRIGGER rollup_category_changed; DROP VIEW ranked_executions;"
                 "DROP TABLE rollup_latest; DROP INDEX idx_benchmark_exec_latest");
    for (size_t i = 0; sqlite_schema_rank[i]; i++) million_exec(store, sqlite_schema_rank[i]);
    million_exec(store, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA cache_size=-16384");
}

/* One execution more, through the store, with scores that none had before: what follows from
 * them cannot be known yet. */
static inline void million_insert(struct store *store)
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
    if (!done) million_die(err.text);
    memcpy(e.agent_id, agent.id, UUID_SIZE);
    memcpy(e.suite_id, suite.id, UUID_SIZE);
    store_benchmark_id(store, "speed", "benchmark00", NULL, e.benchmark_id);
    e.provenance = "measured";
    e.status = RUN_SUCCESS;
    e.start_ns = run.started_ns;
    e.end_ns = e.start_ns + 1000;
    for (int k = 0; k < SCORE_COUNT; k++) {
        int64_t part = (e.start_ns / 1000 + k * 200000) % 999983;
        e.scores[k] = (double)part / 999983;
    }
    if (!store_put_execution(store, &e, &err)) million_die(err.text);
    arena_close(&scratch);
}

/* In a temporary folder; `url` gets its address. MILLION_STORE names one that was made before,
 * to save the minute. */
static inline struct store *million_open(struct arena *arena, const char **dir,
                                         const char **url)
{
    struct error err = {0};
    struct store *store = NULL;
    struct store_options options = {.create = true};
    if (!os_make_temp_dir("assay-bench", arena, dir, &err)) million_die(err.text);
    const char *made = getenv("MILLION_STORE");
    *url = made ? made : arena_printf(arena, "%s/s.db", *dir);
    if (!store_open(*url, &options, &store, &err)) million_die(err.text);
    if (made) return store;
    million_put_names(store);
    million_put_executions(store, MILLION_EXECUTIONS);
    return store;
}

/* A store of `count` such executions at `url`, for whoever wants a large one. */
static inline void million_fill(const char *url, int count)
{
    struct error err = {0};
    struct store *store = NULL;
    struct store_options options = {.create = true};
    if (!store_open(url, &options, &store, &err)) million_die(err.text);
    million_put_names(store);
    million_put_executions(store, count);
    store_close(store);
}

#endif
