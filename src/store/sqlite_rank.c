/* Rankings, from rollups, agent by agent (sqlite_known.c), or from the executions.
 *
 * Both forms group the same rows: the rollups' (category, agent, version, prompt, day)
 * sums, or the executions of the same days. Ranks are made of the means by
 * whoever asked. What asks for one suite or benchmark goes to the executions:
 * the sums do not know them. */
#include "store/sqlite_internal.h"

/* (sum * 2^36 + rest) / 2^60 / n, added up as whole numbers. */
#define MEAN(name)                                                           \
    " sum(" name "_n), (sum(" name "_sum) / 16777216.0 + sum(" name "_rest)" \
    " / 1152921504606846976.0) / nullif(sum(" name "_n), 0)"
#define PLAIN_MEAN(name) " count(" name "_score), avg(" name "_score)"
#define FIVE(of) \
    of("accuracy") "," of("speed") "," of("efficiency") "," of("cost") "," of("reliability")
#define SUM(name)                                                                  \
    " sum(" name "_n) AS " name "_n, sum(" name "_sum) AS " name "_sum, sum(" name \
    "_rest) AS " name "_rest"
#define MEANS       FIVE(MEAN)
#define SUMS        FIVE(SUM)
#define PLAIN_MEANS FIVE(PLAIN_MEAN)

/* ?1 workspace, ?2 first day, ?3 category, ?4 whether versions are merged, ?5 suite, ?6
 * benchmark, ?7 grouping, or the run, ?8 whether all of it is wanted. */
#define VERSION "iif(?4, '', rank_version)"
#define PROMPT  "iif(?4, '', rank_prompt)"
#define NAMED                                       \
    " AND (?5 IS NULL OR suite_name = ?5) AND (?6 " \
    "IS NULL OR benchmark_id IN (SELECT id FROM benchmarks WHERE name = ?6))"

/* Of one agent, ?8. */
#define OF_AGENT                                                                       \
    " WHERE workspace_id = ?1 AND category IN (SELECT category FROM benchmark_suites)" \
    " AND agent_id = ?8"

/* Days are added up first, in the order in which they lie. */
static const char from_rollups[] =
    "WITH days AS ("
    " SELECT category, agent_id, rank_version, rank_prompt,"
    "  sum(executions) AS executions, " SUMS "  FROM rollups" OF_AGENT " AND day >= ?2"
    "  AND (?3 IS NULL OR category = ?3) GROUP BY category, agent_id, rank_version,"
    "  rank_prompt),"
    "sums AS ("
    " SELECT agent_id, " VERSION " AS v, " PROMPT " AS p, iif(?7, category, 'overall') AS grp,"
    "  sum(executions) AS executions, " MEANS " FROM days GROUP BY agent_id, v, p, grp),"
    "seen AS ("
    " SELECT agent_id, " VERSION " AS v, " PROMPT " AS p, iif(?7, category, 'overall') AS grp,"
    "  count(DISTINCT benchmark_id) AS n, max(last_seen) AS last FROM "
    "rollup_benchmarks" OF_AGENT " AND last_seen >= ?2 AND (?3 IS NULL OR category = ?3)"
    " GROUP BY agent_id, v, p, grp)"
    "SELECT a.id, a.name, seen.n, seen.last, sums.* FROM sums"
    " JOIN seen USING (agent_id, v, p, grp) JOIN agents a ON a.id = sums.agent_id"
    " ORDER BY grp, a.name, v, p";

/* ?7: 1 category, 2 complexity, 3 test type. */
static const char from_executions[] =
    "SELECT a.id, a.name, count(DISTINCT e.benchmark_id), max(e.created_at), e.agent_id,"
    " " VERSION " AS v, " PROMPT " AS p, CASE ?7 WHEN 0 THEN 'overall' WHEN 1 THEN e.category"
    "  WHEN 2 THEN coalesce(iif(json_valid(b.dataset), b.dataset ->> 'complexity', NULL),"
    "   'unstated')"
    "  ELSE coalesce(b.test_type, 'unstated') END AS grp,"
    " count(*)," PLAIN_MEANS " FROM ranked_executions e JOIN agents a ON a.id = e.agent_id"
    " LEFT JOIN benchmarks b ON b.id = e.benchmark_id"
    " WHERE e.workspace_id = ?1 AND e.created_at >= ?2 AND (?3 IS NULL OR e.category = "
    "?3)" NAMED " GROUP BY a.id, v, p, grp ORDER BY grp, a.name, v, p";

static bool is_plain(const struct rank_filter *filter)
{
    return filter->is_plain || filter->suite || filter->benchmark;
}

static bool ask(struct sqlite *s, const char *sql, const struct rank_filter *filter,
                struct query *q, struct error *err)
{
    if (!query_open(s, sql, q, err)) return false;
    query_put_text(q, s->workspace_id);
    query_put_text(q, filter->since ? filter->since : "");
    query_put_text(q, filter->category);
    query_put_int(q, filter->merges_versions);
    query_put_text(q, filter->suite);
    query_put_text(q, filter->benchmark);
    return true;
}

static const char *text_or_null(struct query *q, struct arena *out)
{
    const char *text = query_text(q, out);
    return text && text[0] ? text : NULL;
}

static bool take_rows(struct query *q, struct arena *out, struct rank_row **rows, size_t *count,
                      struct error *err)
{
    struct rank_row *list = NULL;
    for (*count = 0; query_next(q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        struct rank_row *r = &list[*count];
        r->agent_id = query_text(q, out);
        r->agent_name = query_text(q, out);
        r->benchmarks = query_int(q);
        r->last = query_text(q, out);
        (void)query_peek_text(q); /* the agent's id again */
        r->agent_version = text_or_null(q, out);
        r->prompt = text_or_null(q, out);
        r->group = query_text(q, out);
        r->executions = query_int(q);
        for (size_t i = 0; i < SCORE_COUNT; i++) {
            r->known[i] = query_int(q);
            r->mean[i] = query_real(q);
        }
    }
    *rows = list;
    return query_close(q, err);
}

static bool ask_sums(struct sqlite *s, const struct rank_filter *filter, const char *agent_id,
                     struct arena *out, void **rows, size_t *count, struct error *err)
{
    struct query q;
    struct rank_row *list = NULL;
    if (!ask(s, from_rollups, filter, &q, err)) return false;
    query_put_int(&q, (int64_t)filter->by);
    query_put_text(&q, agent_id);
    bool done = take_rows(&q, out, &list, count, err);
    *rows = list;
    return done;
}

static int by_group(const void *a, const void *b)
{
    const struct rank_row *x = a;
    const struct rank_row *y = b;
    int group = strcmp(x->group, y->group);
    int name = strcmp(x->agent_name, y->agent_name);
    if (group || name) return group ? group : name;
    int version = strcmp(x->agent_version ? x->agent_version : "",
                         y->agent_version ? y->agent_version : "");
    return version ? version : strcmp(x->prompt ? x->prompt : "", y->prompt ? y->prompt : "");
}

bool sqlite_leaderboard(struct store *store, const struct rank_filter *filter,
                        struct arena *out, struct rank_row **rows, size_t *count,
                        struct error *err)
{
    static const size_t texts[] = {
        offsetof(struct rank_row, agent_id),      offsetof(struct rank_row, agent_name),
        offsetof(struct rank_row, agent_version), offsetof(struct rank_row, prompt),
        offsetof(struct rank_row, group),         offsetof(struct rank_row, last)};
    static const struct sqlite_known sums = {"sums", sizeof(struct rank_row), texts,
                                             COUNT(texts), ask_sums};
    struct sqlite *s = sqlite_of(store);
    if (is_plain(filter) || filter->by > RANK_BY_CATEGORY) {
        struct query q;
        if (!ask(s, from_executions, filter, &q, err)) return false;
        query_put_int(&q, (int64_t)filter->by);
        return take_rows(&q, out, rows, count, err);
    }
    void *all = NULL;
    if (!sqlite_known_ask(s, &sums, filter, out, &all, count, err)) return false;
    *rows = all;
    if (*count > 1) qsort(all, *count, sizeof **rows, by_group);
    return true;
}

/* Of what is in the workspace the newest is chosen first, then by window and category. */
#define HERE   " WHERE workspace_id = ?1"
#define FITS   " WHERE rn = 1 AND created_at >= ?2 AND (?3 IS NULL OR category = ?3)"
#define SCORES "accuracy_score, speed_score, efficiency_score, cost_score, reliability_score"
/* The newest of each version, or of all of them; of each prompt in any case. */
#define NEWEST                                                                         \
    "ROW_NUMBER() OVER (PARTITION BY agent_id, " VERSION ", rank_prompt, benchmark_id" \
    " ORDER BY created_at DESC, execution_id DESC) AS rn"
/* The sums do not know suites and benchmarks by name: nobody asked for one. */
#define ROLLED_LATEST(of) \
    "(SELECT *, " NEWEST " FROM rollup_latest" HERE " AND ?5 IS NULL AND ?6 IS NULL" of ")"
/* Of versions that are kept apart there is one row each, in this order. */
#define APART_LATEST(of) \
    "(SELECT *, 1 AS rn FROM rollup_latest" HERE " AND ?5 IS NULL AND ?6 IS NULL" of ")"
#define OF_ALL
#define OF_ONE " AND agent_id = ?7"
#define PLAIN_LATEST                                                        \
    "(SELECT *, " NEWEST                                                    \
    " FROM (SELECT *, id AS execution_id FROM ranked_executions" HERE NAMED \
    " AND status = 'success'))"
/* Of one run: what other runs have done to an execution since (a newer content, a rescore)
 * does not matter among its own. */
#define RUN_LATEST                                                                       \
    "(SELECT *, " NEWEST                                                                 \
    " FROM (SELECT be.*, be.id AS execution_id, bs.category, bs.name AS suite_name,"     \
    "  coalesce(be.agent_version, '') AS rank_version, " SQLITE_PROMPT                   \
    "   AS rank_prompt FROM benchmark_executions be"                                     \
    "  JOIN benchmark_suites bs ON bs.id = be.suite_id AND NOT bs.is_builtin"            \
    "  JOIN agents a ON a.id = be.agent_id AND NOT a.is_builtin"                         \
    "  WHERE be.run_id = ?7 AND be.status = 'success' AND (?8 OR (coalesce(be.unranked," \
    "   'cached') IN ('cached', 'rescored', 'old_content')"                              \
    "   AND coalesce(be.provenance, 'measured') = 'measured')))" HERE NAMED ")"
#define MATRIX                                                                             \
    "SELECT a.id, a.name, l.* FROM (SELECT count(DISTINCT benchmark_id), max(created_at)," \
    " agent_id, " VERSION " AS v, " PROMPT " AS p, 'overall', count(*)," PLAIN_MEANS " FROM "
#define MATRIX_END                                                        \
    FITS " GROUP BY agent_id, v, p) l JOIN agents a ON a.id = l.agent_id" \
         " ORDER BY a.name, l.v, l.p"
#define LATEST                                                             \
    "SELECT agent_id, " VERSION                                            \
    ", rank_prompt, benchmark_id, execution_id, category, created_at,"     \
    " coalesce((SELECT x.concurrency FROM benchmark_executions x"          \
    "  INDEXED BY idx_benchmark_exec_concurrent WHERE x.id = execution_id" \
    "  AND x.concurrency > 1), 1), " SCORES " FROM "
#define LATEST_END FITS " ORDER BY agent_id, 2, rank_prompt, benchmark_id"
#define APART_END  FITS " ORDER BY agent_id, rank_version, rank_prompt, benchmark_id"

enum { OF_ROLLUPS, OF_VERSIONS, OF_EXECUTIONS, OF_RUN };

static bool ask_latest(struct sqlite *s, const char *const *sqls,
                       const struct rank_filter *filter, struct query *q, struct error *err)
{
    int of = filter->merges_versions ? OF_ROLLUPS : OF_VERSIONS;
    if (is_plain(filter)) of = OF_EXECUTIONS;
    if (filter->run) of = OF_RUN;
    if (!ask(s, sqls[of], filter, q, err)) return false;
    if (of != OF_RUN) return true;
    query_put_text(q, filter->run);
    query_put_int(q, filter->wants_unranked);
    return true;
}

bool sqlite_matrix(struct store *store, const struct rank_filter *filter, struct arena *out,
                   struct rank_row **rows, size_t *count, struct error *err)
{
    static const char *const sqls[] = {[OF_ROLLUPS] = MATRIX ROLLED_LATEST(OF_ALL) MATRIX_END,
                                       [OF_VERSIONS] = MATRIX APART_LATEST(OF_ALL) MATRIX_END,
                                       [OF_EXECUTIONS] = MATRIX PLAIN_LATEST MATRIX_END,
                                       [OF_RUN] = MATRIX RUN_LATEST MATRIX_END};
    struct query q;
    return ask_latest(sqlite_of(store), sqls, filter, &q, err) &&
           take_rows(&q, out, rows, count, err);
}

/* Of one agent where rollups are asked, else of all. */
static bool take_latest(struct sqlite *s, const struct rank_filter *filter,
                        const char *agent_id, struct arena *out, void **rows, size_t *count,
                        struct error *err)
{
    static const char *const sqls[] = {[OF_ROLLUPS] = LATEST ROLLED_LATEST(OF_ONE) LATEST_END,
                                       [OF_VERSIONS] = LATEST APART_LATEST(OF_ONE) APART_END,
                                       [OF_EXECUTIONS] = LATEST PLAIN_LATEST LATEST_END,
                                       [OF_RUN] = LATEST RUN_LATEST LATEST_END};
    struct query q;
    if (!ask_latest(s, sqls, filter, &q, err)) return false;
    if (agent_id) query_put_text(&q, agent_id);
    struct latest_row *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        struct latest_row *r = &list[*count];
        r->agent_id = query_text(&q, out);
        r->agent_version = text_or_null(&q, out);
        r->prompt = query_text(&q, out);
        r->benchmark_id = query_text(&q, out);
        r->execution_id = query_text(&q, out);
        r->category = query_text(&q, out);
        r->created_at = query_text(&q, out);
        r->concurrency = query_int(&q);
        for (size_t i = 0; i < SCORE_COUNT; i++) r->score[i] = query_real(&q);
    }
    *rows = list;
    return query_close(&q, err);
}

bool sqlite_latest(struct store *store, const struct rank_filter *filter, struct arena *out,
                   struct latest_row **rows, size_t *count, struct error *err)
{
    static const size_t texts[] = {
        offsetof(struct latest_row, agent_id),     offsetof(struct latest_row, agent_version),
        offsetof(struct latest_row, prompt),       offsetof(struct latest_row, benchmark_id),
        offsetof(struct latest_row, execution_id), offsetof(struct latest_row, category),
        offsetof(struct latest_row, created_at)};
    static const struct sqlite_known latest = {"latest", sizeof(struct latest_row), texts,
                                               COUNT(texts), take_latest};
    struct sqlite *s = sqlite_of(store);
    void *all = NULL;
    bool done = is_plain(filter) || filter->run
                    ? take_latest(s, filter, NULL, out, &all, count, err)
                    : sqlite_known_ask(s, &latest, filter, out, &all, count, err);
    *rows = all;
    return done;
}

bool sqlite_left_out(struct store *store, const struct rank_filter *filter, struct arena *out,
                     struct left_out_row **rows, size_t *count, struct error *err)
{
    static const char sql[] =
        "SELECT coalesce(e.unranked, e.provenance), count(*), group_concat(DISTINCT a.name)"
        " FROM benchmark_executions e"
        " JOIN (SELECT id AS sid, name AS suite_name, category FROM benchmark_suites"
        "  WHERE NOT is_builtin) s ON s.sid = e.suite_id"
        " JOIN agents a ON a.id = e.agent_id AND NOT a.is_builtin"
        " WHERE e.workspace_id = ?1 AND e.created_at >= ?2"
        "  AND (?3 IS NULL OR category = ?3) AND ?4 IN (0, 1)" NAMED
        "  AND (?7 IS NULL OR e.run_id = ?7)"
        "  AND (e.unranked IS NOT NULL OR coalesce(e.provenance, 'measured') <> 'measured')"
        " GROUP BY 1 ORDER BY 1";
    struct query q;
    if (!ask(sqlite_of(store), sql, filter, &q, err)) return false;
    query_put_text(&q, filter->run);
    struct left_out_row *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        list[*count].reason = query_text(&q, out);
        list[*count].executions = query_int(&q);
        list[*count].agents = query_text(&q, out);
    }
    *rows = list;
    return query_close(&q, err);
}

/* What took the place of others no longer ranks with them. */
bool sqlite_settle_rank(struct store *store, const struct execution_record *e,
                        struct error *err)
{
    const struct {
        const char *sql;
        const char *first;
        const char *second; /* NULL: takes one */
    } steps[] = {
        {"UPDATE benchmark_executions SET unranked = 'rescored' WHERE (id = ?1 OR made_from ="
         " ?1) AND id <> ?2 AND unranked IS NULL",
         e->made_from ? e->made_from : "", e->id},
        {"UPDATE benchmark_executions SET unranked = 'old_content' WHERE unranked IS NULL"
         " AND benchmark_id IN"
         " (SELECT o.id FROM benchmarks b JOIN benchmark_suites s ON s.id = b.suite_id"
         "  JOIN benchmark_suites t ON t.name = s.name AND t.workspace_id = s.workspace_id"
         "  JOIN benchmarks o ON o.suite_id = t.id AND o.name = b.name AND o.id <> b.id"
         "  WHERE b.id = ?1)",
         e->benchmark_id, NULL},
        {"UPDATE benchmark_executions SET unranked = NULL WHERE unranked = 'old_content'"
         " AND benchmark_id = ?1",
         e->benchmark_id, NULL},
    };
    for (size_t i = 0; i < COUNT(steps); i++) {
        const char *const row[] = {steps[i].first, steps[i].second};
        if (!query_run_texts(sqlite_of(store), steps[i].sql, row, row[1] ? 2 : 1, err))
            return false;
    }
    return true;
}
