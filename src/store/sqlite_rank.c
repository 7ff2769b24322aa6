/* Rankings, from rollups or from the executions.
 *
 * Both forms group the same rows: the rollups' (category, agent, day) sums, or
 * the executions of the same days. Ranks are made of the means by whoever
 * asked. */
#include "store/sqlite_internal.h"

/* (sum * 2^36 + rest) / 2^60 / n, added up as whole numbers. */
#define MEAN(name)                                                           \
    " sum(" name "_n), (sum(" name "_sum) / 16777216.0 + sum(" name "_rest)" \
    " / 1152921504606846976.0) / nullif(sum(" name "_n), 0)"
#define PLAIN_MEAN(name) " count(" name "_score), avg(" name "_score)"
#define FIVE(of) \
    of("accuracy") "," of("speed") "," of("efficiency") "," of("cost") "," of("reliability")
#define MEANS       FIVE(MEAN)
#define PLAIN_MEANS FIVE(PLAIN_MEAN)

/* ?1 workspace, ?2 first day, ?3 category, ?4 whether categories stand apart. */
static const char from_rollups[] =
    "WITH sums AS ("
    " SELECT agent_id, iif(?4, category, 'overall') AS grp, sum(executions) AS executions,"
    " " MEANS " FROM rollups WHERE workspace_id = ?1 AND day >= ?2"
    "  AND (?3 IS NULL OR category = ?3) GROUP BY agent_id, grp),"
    "seen AS ("
    " SELECT agent_id, iif(?4, category, 'overall') AS grp, count(DISTINCT benchmark_id) AS n,"
    "  max(last_seen) AS last FROM rollup_benchmarks"
    " WHERE workspace_id = ?1 AND last_seen >= ?2 AND (?3 IS NULL OR category = ?3)"
    " GROUP BY agent_id, grp)"
    "SELECT a.id, a.name, seen.n, seen.last, sums.* FROM sums"
    " JOIN seen USING (agent_id, grp) JOIN agents a ON a.id = sums.agent_id"
    " ORDER BY grp, a.name";

/* ?4: 1 category, 2 complexity, 3 test type. */
static const char from_executions[] =
    "SELECT a.id, a.name, count(DISTINCT e.benchmark_id), max(e.created_at), e.agent_id,"
    " CASE ?4 WHEN 0 THEN 'overall' WHEN 1 THEN e.category"
    "  WHEN 2 THEN coalesce(iif(json_valid(b.dataset), b.dataset ->> 'complexity', NULL),"
    "   'unstated')"
    "  ELSE coalesce(b.test_type, 'unstated') END AS grp,"
    " count(*)," PLAIN_MEANS " FROM ranked_executions e JOIN agents a ON a.id = e.agent_id"
    " LEFT JOIN benchmarks b ON b.id = e.benchmark_id"
    " WHERE e.workspace_id = ?1 AND e.created_at >= ?2 AND (?3 IS NULL OR e.category = ?3)"
    " GROUP BY a.id, grp ORDER BY grp, a.name";

static bool ask(struct sqlite *s, const char *sql, const struct rank_filter *filter,
                struct query *q, struct error *err)
{
    if (!query_open(s, sql, q, err)) return false;
    query_put_text(q, s->workspace_id);
    query_put_text(q, filter->since ? filter->since : "");
    query_put_text(q, filter->category);
    return true;
}

static bool take_rows(struct query *q, struct arena *out, struct rank_row **rows, size_t *count,
                      struct error *err)
{
    struct rank_row *list = NULL;
    for (*count = 0; query_next(q); (*count)++) {
        list = query_grow(out, list, *count, sizeof *list);
        struct rank_row *r = &list[*count];
        r->agent_id = query_text(q, out);
        r->agent_name = query_text(q, out);
        r->benchmarks = query_int(q);
        r->last = query_text(q, out);
        (void)query_peek_text(q); /* the agent's id again */
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

bool sqlite_leaderboard(struct store *store, const struct rank_filter *filter,
                        struct arena *out, struct rank_row **rows, size_t *count,
                        struct error *err)
{
    bool is_plain = filter->is_plain || filter->by > RANK_BY_CATEGORY;
    struct query q;
    if (!ask(sqlite_of(store), is_plain ? from_executions : from_rollups, filter, &q, err)) {
        return false;
    }
    query_put_int(&q, (int64_t)filter->by);
    return take_rows(&q, out, rows, count, err);
}

#define FITS   " WHERE workspace_id = ?1 AND created_at >= ?2 AND (?3 IS NULL OR category = ?3)"
#define SCORES "accuracy_score, speed_score, efficiency_score, cost_score, reliability_score"
#define PLAIN_LATEST                                                                        \
    "(SELECT *, id AS execution_id, ROW_NUMBER() OVER (PARTITION BY agent_id, benchmark_id" \
    " ORDER BY created_at DESC, id DESC) AS rn FROM ranked_executions WHERE status = "      \
    "'success')"
#define MATRIX                                                                             \
    "SELECT a.id, a.name, l.* FROM (SELECT count(DISTINCT benchmark_id), max(created_at)," \
    " agent_id, 'overall', count(*)," PLAIN_MEANS " FROM "
#define MATRIX_END " GROUP BY agent_id) l JOIN agents a ON a.id = l.agent_id ORDER BY a.name"
#define LATEST                                                                             \
    "SELECT agent_id, benchmark_id, execution_id, category, created_at,"                   \
    " (SELECT max(1, coalesce(x.concurrency, 1)) FROM benchmark_executions x WHERE x.id =" \
    " execution_id), " SCORES " FROM "

bool sqlite_matrix(struct store *store, const struct rank_filter *filter, struct arena *out,
                   struct rank_row **rows, size_t *count, struct error *err)
{
    static const char rolled[] = MATRIX "rollup_latest" FITS MATRIX_END;
    static const char plain[] = MATRIX PLAIN_LATEST FITS " AND rn = 1" MATRIX_END;
    struct query q;
    return ask(sqlite_of(store), filter->is_plain ? plain : rolled, filter, &q, err) &&
           take_rows(&q, out, rows, count, err);
}

bool sqlite_latest(struct store *store, const struct rank_filter *filter, struct arena *out,
                   struct latest_row **rows, size_t *count, struct error *err)
{
    static const char rolled[] = LATEST "rollup_latest" FITS " ORDER BY agent_id, benchmark_id";
    static const char plain[] =
        LATEST PLAIN_LATEST FITS " AND rn = 1 ORDER BY agent_id, benchmark_id";
    struct query q;
    if (!ask(sqlite_of(store), filter->is_plain ? plain : rolled, filter, &q, err))
        return false;
    struct latest_row *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = query_grow(out, list, *count, sizeof *list);
        struct latest_row *r = &list[*count];
        r->agent_id = query_text(&q, out);
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
