/* What rankings are made from, as a migration that is never edited once released. It
 * drops what earlier ones made and makes it again: all of it follows from the
 * executions, so nothing is lost.
 *
 * benchmark_leaderboard and agent_comparison_matrix answer the requirement's
 * two questions from the executions. What its text leaves open: agents rank
 * within their workspace; what is built in, was not measured or is marked
 * `unranked` does not rank; an agent without a score has no rank by it and
 * comes last (PostgreSQL would put it first, at rank 1); means that differ by
 * less than 1e-12 are equal, since the order in which a mean was added up must
 * not decide a rank. An overall score is the weighted mean of the scores that
 * are there; `is_partial` says that some are not, and such agents rank among
 * those that lack the same. A window is whole UTC days. The views answer by
 * agent, as its text does; the rollups keep its versions and its prompts apart.
 *
 * Over a million executions those views take seconds. The rollups hold the
 * same in a few thousand rows, kept by triggers, so that they are right
 * whoever writes, and a forgotten run leaves no trace. Sums are whole numbers,
 * (sum * 2^36 + rest) / 2^60: what has been added can be taken away again
 * without an error, which doubles do not promise. */
#include "store/sqlite_internal.h"

#define SPLIT(name)                                                                 \
    " " name "_score IS NOT NULL AS " name "_n,"                                    \
    " coalesce(CAST(" name "_score * 16777216 AS INTEGER), 0) AS " name "_sum,"     \
    " coalesce(CAST((" name "_score * 16777216 - CAST(" name "_score * 16777216 AS" \
    " INTEGER)) * 68719476736 AS INTEGER), 0) AS " name "_rest"
#define COLUMNS(name)                                                    \
    " " name "_n INTEGER NOT NULL, " name "_sum INTEGER NOT NULL, " name \
    "_rest INTEGER NOT NULL"
#define TOTAL(name)  " sum(" name "_n), sum(" name "_sum), sum(" name "_rest)"
#define CHANGE(name) " new.sign * " name "_n, new.sign * " name "_sum, new.sign * " name "_rest"
#define ADD(name)                                           \
    " " name "_n = " name "_n + excluded." name "_n,"       \
    " " name "_sum = " name "_sum + excluded." name "_sum," \
    " " name "_rest = " name "_rest + excluded." name "_rest"
#define FIVE(of) \
    of("accuracy") "," of("speed") "," of("efficiency") "," of("cost") "," of("reliability")

#define SCORES "accuracy_score, speed_score, efficiency_score, cost_score, reliability_score"
#define RELEVANT(row)                                                                       \
    "(" row ".workspace_id, " row ".agent_id, " row ".suite_id, " row ".benchmark_id, " row \
    ".created_at, " row ".status, " row ".provenance, " row ".unranked, " row               \
    ".agent_version, " row ".parameters, " row ".accuracy_score, " row ".speed_score, " row \
    ".efficiency_score, " row ".cost_score, " row ".reliability_score)"
#define OF_USER(row) \
    "EXISTS (SELECT 1 FROM benchmark_suites WHERE id = " row ".suite_id AND NOT is_builtin)"

#define RANK(name, partition)                                               \
    " iif(avg_" name " IS NULL, NULL, RANK() OVER (PARTITION BY " partition \
    " ORDER BY round(avg_" name ", 12) DESC NULLS LAST)) AS " name "_rank"
/* min() of several columns is NULL if one of them is. */
#define BEST(name) "coalesce(" name "_rank, 9223372036854775807)"
/* A score's part of the overall, and of the weights that it is divided by. */
#define PART(name, weight)   "coalesce(avg_" name " * " weight ", 0)"
#define WEIGHT(name, weight) "iif(avg_" name " IS NULL, 0, " weight ")"
#define WEIGHTED(of)                                                                       \
    of("accuracy", "0.3") " + " of("speed", "0.2") " + " of("efficiency", "0.2") " + " of( \
        "cost", "0.15") " + " of("reliability", "0.15")
#define LACKS(name)            "avg_" name " IS NULL"
#define MATRIX_RANK(name)      RANK(name, "workspace_id")
#define LEADERBOARD_RANK(name) RANK(name, "workspace_id, benchmark_category")
#define AVERAGE(name)          " AVG(" name "_score) AS avg_" name
#define SCORE(name)             \
    " '" name "', json_object(" \
    "'score', avg_" name ", 'rank', " name "_rank)"

#define AVERAGES          FIVE(AVERAGE)
#define BEST_RANK         FIVE(BEST)
#define LACKING           FIVE(LACKS)
#define MATRIX_RANKS      FIVE(MATRIX_RANK)
#define LEADERBOARD_RANKS FIVE(LEADERBOARD_RANK)
#define SCORES_AND_RANKS  FIVE(SCORE)
#define SUM_COLUMNS       FIVE(COLUMNS)
#define SPLIT_SCORES      FIVE(SPLIT)
#define CHANGES           FIVE(CHANGE)
#define ADDED             FIVE(ADD)
#define TOTALS            FIVE(TOTAL)
#define OLD_RELEVANT      RELEVANT("old")
#define NEW_RELEVANT      RELEVANT("new")
#define OLD_OF_USER       OF_USER("old")
#define NEW_OF_USER       OF_USER("new")

static const char basis[] =
    "DROP TRIGGER IF EXISTS rollup_inserted;"
    "DROP TRIGGER IF EXISTS rollup_updating;"
    "DROP TRIGGER IF EXISTS rollup_updated;"
    "DROP TRIGGER IF EXISTS rollup_deleting;"
    "DROP TRIGGER IF EXISTS rollup_category_changing;"
    "DROP TRIGGER IF EXISTS rollup_category_changed;"
    "DROP VIEW IF EXISTS rollup_changes;"
    "DROP VIEW IF EXISTS rollup_rows;"
    "DROP VIEW IF EXISTS agent_comparison_matrix;"
    "DROP VIEW IF EXISTS benchmark_leaderboard;"
    "DROP VIEW IF EXISTS ranked_executions;"
    "DROP TABLE IF EXISTS rollups;"
    "DROP TABLE IF EXISTS rollup_benchmarks;"
    "DROP TABLE IF EXISTS rollup_latest;"
    "CREATE INDEX IF NOT EXISTS idx_benchmark_exec_latest"
    " ON benchmark_executions (agent_id, benchmark_id, created_at, id);"

    "CREATE VIEW ranked_executions AS"
    " SELECT be.*, bs.category, bs.name AS suite_name,"
    "  coalesce(be.agent_version, '') AS rank_version, " SQLITE_PROMPT
    "   AS rank_prompt FROM benchmark_executions be"
    " JOIN benchmark_suites bs ON bs.id = be.suite_id AND NOT bs.is_builtin"
    " JOIN agents a ON a.id = be.agent_id AND NOT a.is_builtin"
    " WHERE coalesce(be.provenance, 'measured') = 'measured' AND be.unranked IS NULL;";

/* Of a benchmark whose content changed, only the content that was run last ranks. From
 * here on whatever stores an execution sees to it (sqlite_settle_rank). */
static const char old_contents[] =
    "UPDATE benchmark_executions SET unranked = 'old_content' WHERE unranked IS NULL"
    " AND benchmark_id IN (SELECT id FROM"
    "  (SELECT b.id, ROW_NUMBER() OVER (PARTITION BY s.workspace_id, s.name, b.name"
    "    ORDER BY max(e.created_at) DESC, b.id) AS age FROM ranked_executions e"
    "   JOIN benchmarks b ON b.id = e.benchmark_id JOIN benchmark_suites s ON s.id = b.suite_id"
    "   WHERE e.status = 'success' GROUP BY b.id) WHERE age > 1);";

/* The two questions, answered from the executions. */
static const char matrix[] =
    "CREATE VIEW agent_comparison_matrix AS "
    "WITH latest_benchmarks AS ("
    " SELECT agent_id, workspace_id, benchmark_id, " SCORES ","
    "  ROW_NUMBER() OVER (PARTITION BY agent_id, benchmark_id"
    "   ORDER BY created_at DESC, id DESC) AS rn"
    " FROM ranked_executions WHERE status = 'success'),"
    "benchmark_aggregates AS ("
    " SELECT agent_id, workspace_id," AVERAGES ","
    "  COUNT(DISTINCT benchmark_id) AS benchmarks_completed"
    " FROM latest_benchmarks WHERE rn = 1 GROUP BY workspace_id, agent_id),"
    "rankings AS ("
    " SELECT *," MATRIX_RANKS ","
    "  (" WEIGHTED(PART) ") / nullif(" WEIGHTED(
        WEIGHT) ", 0) AS overall_score,"
                "  1 IN (" LACKING ") AS is_partial"
                " FROM benchmark_aggregates)"
                "SELECT agent_id, avg_accuracy, avg_speed, avg_efficiency, avg_cost, "
                "avg_reliability,"
                " accuracy_rank, speed_rank, efficiency_rank, cost_rank, reliability_rank, "
                "overall_score,"
                " iif(overall_score IS NULL, NULL, RANK() OVER (PARTITION BY "
                "workspace_id, " LACKING
                "  ORDER BY round(overall_score, 12) DESC NULLS LAST)) AS overall_rank,"
                " benchmarks_completed, workspace_id, is_partial FROM rankings;";

static const char leaderboard[] =
    "CREATE VIEW benchmark_leaderboard AS "
    "WITH score_aggregates AS ("
    " SELECT be.agent_id, be.workspace_id, a.name AS agent_name,"
    "  be.category AS benchmark_category," AVERAGES ","
    "  COUNT(DISTINCT be.benchmark_id) AS benchmarks_completed,"
    "  MAX(be.created_at) AS last_benchmark_date"
    " FROM ranked_executions be JOIN agents a ON be.agent_id = a.id"
    " WHERE be.created_at >= date('now', '-30 days')"
    " GROUP BY be.workspace_id, be.agent_id, a.name, be.category),"
    "category_rankings AS (SELECT *," LEADERBOARD_RANKS " FROM score_aggregates)"
    "SELECT agent_id, agent_name, benchmark_category,"
    " json_object(" SCORES_AND_RANKS ") AS scores_and_ranks,"
    " benchmarks_completed, last_benchmark_date,"
    " nullif(min(" BEST_RANK "), 9223372036854775807) AS best_ranking, workspace_id "
    "FROM category_rankings ORDER BY benchmark_category, best_ranking NULLS LAST;";

/* Sums per UTC day; when an agent last met a benchmark; its latest success there. */
static const char tables[] =
    "CREATE TABLE rollups ("
    " workspace_id TEXT NOT NULL, category TEXT NOT NULL, agent_id TEXT NOT NULL,"
    " rank_version TEXT NOT NULL, rank_prompt TEXT NOT NULL, day TEXT NOT NULL,"
    " executions INTEGER NOT NULL," SUM_COLUMNS ","
    " PRIMARY KEY (workspace_id, category, agent_id, rank_version, rank_prompt, day))"
    " STRICT, WITHOUT ROWID;"
    "CREATE TABLE rollup_benchmarks ("
    " workspace_id TEXT NOT NULL, category TEXT NOT NULL, agent_id TEXT NOT NULL,"
    " rank_version TEXT NOT NULL, rank_prompt TEXT NOT NULL, benchmark_id TEXT NOT NULL,"
    " last_seen TEXT NOT NULL,"
    " PRIMARY KEY (workspace_id, category, agent_id, rank_version, rank_prompt,"
    "  benchmark_id)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE rollup_latest ("
    " workspace_id TEXT NOT NULL, agent_id TEXT NOT NULL, rank_version TEXT NOT NULL,"
    " rank_prompt TEXT NOT NULL, benchmark_id TEXT NOT NULL, category TEXT NOT NULL,"
    " execution_id TEXT NOT NULL, created_at TEXT NOT NULL,"
    " accuracy_score REAL, speed_score REAL, efficiency_score REAL, cost_score REAL,"
    " reliability_score REAL,"
    " PRIMARY KEY (workspace_id, agent_id, rank_version, rank_prompt, benchmark_id))"
    " STRICT, WITHOUT ROWID;"

    "CREATE VIEW rollup_rows AS"
    " SELECT id, workspace_id, category, agent_id, rank_version, rank_prompt, benchmark_id,"
    "  created_at, substr(created_at, 1, 10) AS day," SPLIT_SCORES " FROM ranked_executions;";

/* INSERT INTO rollup_changes VALUES (1, id): that execution has come; (-1, id): it
 * is about to go. */
static const char change[] =
    "CREATE VIEW rollup_changes AS SELECT 0 AS sign, '' AS id;"
    "CREATE TRIGGER rollup_change INSTEAD OF INSERT ON rollup_changes BEGIN"
    " INSERT INTO rollups"
    "  SELECT workspace_id, category, agent_id, rank_version, rank_prompt, day,"
    "   new.sign," CHANGES "  FROM rollup_rows WHERE id = new.id"
    "  ON CONFLICT DO UPDATE SET executions = executions + excluded.executions," ADDED ";"
    " DELETE FROM rollups WHERE executions = 0"
    "  AND (workspace_id, category, agent_id, rank_version, rank_prompt, day) ="
    "  (SELECT workspace_id, category, agent_id, rank_version, rank_prompt, day"
    "   FROM rollup_rows WHERE id = new.id);"
    " DELETE FROM rollup_benchmarks"
    "  WHERE (workspace_id, category, agent_id, rank_version, rank_prompt, benchmark_id) ="
    "  (SELECT workspace_id, category, agent_id, rank_version, rank_prompt, benchmark_id"
    "   FROM ranked_executions WHERE id = new.id);"
    " INSERT INTO rollup_benchmarks"
    "  SELECT e.workspace_id, e.category, e.agent_id, e.rank_version, e.rank_prompt,"
    "   e.benchmark_id, e.created_at"
    "  FROM ranked_executions c JOIN ranked_executions e"
    "   ON (e.agent_id, e.benchmark_id, e.category, e.rank_version, e.rank_prompt) ="
    "    (c.agent_id, c.benchmark_id, c.category, c.rank_version, c.rank_prompt)"
    "  WHERE c.id = new.id AND (new.sign > 0 OR e.id <> new.id)"
    "  ORDER BY e.created_at DESC LIMIT 1;"
    " DELETE FROM rollup_latest"
    "  WHERE (workspace_id, agent_id, rank_version, rank_prompt, benchmark_id) ="
    "  (SELECT workspace_id, agent_id, rank_version, rank_prompt, benchmark_id"
    "   FROM ranked_executions WHERE id = new.id);"
    " INSERT INTO rollup_latest"
    "  SELECT e.workspace_id, e.agent_id, e.rank_version, e.rank_prompt, e.benchmark_id,"
    "   e.category, e.id, e.created_at,"
    "   e.accuracy_score, e.speed_score, e.efficiency_score, e.cost_score,"
    "   e.reliability_score"
    "  FROM ranked_executions c JOIN ranked_executions e"
    "   ON (e.agent_id, e.benchmark_id, e.rank_version, e.rank_prompt) ="
    "    (c.agent_id, c.benchmark_id, c.rank_version, c.rank_prompt)"
    "  WHERE c.id = new.id AND (new.sign > 0 OR e.id <> new.id) AND e.status = 'success'"
    "  ORDER BY e.created_at DESC, e.id DESC LIMIT 1;"
    "END;";

static const char triggers[] =
    "CREATE TRIGGER rollup_inserted AFTER INSERT ON benchmark_executions"
    " WHEN " NEW_OF_USER " BEGIN"
    " INSERT INTO rollup_changes VALUES (1, new.id); END;"
    "CREATE TRIGGER rollup_updating BEFORE UPDATE ON benchmark_executions"
    " WHEN " OLD_RELEVANT " IS NOT " NEW_RELEVANT " AND " OLD_OF_USER " BEGIN"
    " INSERT INTO rollup_changes VALUES (-1, old.id); END;"
    "CREATE TRIGGER rollup_updated AFTER UPDATE ON benchmark_executions"
    " WHEN " OLD_RELEVANT " IS NOT " NEW_RELEVANT " AND " NEW_OF_USER " BEGIN"
    " INSERT INTO rollup_changes VALUES (1, new.id); END;"
    "CREATE TRIGGER rollup_deleting BEFORE DELETE ON benchmark_executions"
    " WHEN " OLD_OF_USER " BEGIN"
    " INSERT INTO rollup_changes VALUES (-1, old.id); END;";

/* While the old rows are still there, taking them away one by one finds each other as the
 * last: what the old category knew of these benchmarks is looked up again. */
static const char category_triggers[] =
    "CREATE TRIGGER rollup_category_changing BEFORE UPDATE OF category ON benchmark_suites"
    " WHEN old.category <> new.category BEGIN"
    " INSERT INTO rollup_changes"
    "  SELECT -1, id FROM benchmark_executions WHERE suite_id = old.id; END;"
    "CREATE TRIGGER rollup_category_changed AFTER UPDATE OF category ON benchmark_suites"
    " WHEN old.category <> new.category BEGIN"
    " DELETE FROM rollup_benchmarks WHERE workspace_id = old.workspace_id"
    "  AND category = old.category AND benchmark_id IN"
    "  (SELECT benchmark_id FROM benchmark_executions WHERE suite_id = old.id);"
    " INSERT INTO rollup_benchmarks"
    "  SELECT workspace_id, category, agent_id, rank_version, rank_prompt, benchmark_id,"
    "   max(created_at)"
    "  FROM ranked_executions WHERE workspace_id = old.workspace_id"
    "   AND category = old.category AND benchmark_id IN"
    "   (SELECT benchmark_id FROM benchmark_executions WHERE suite_id = old.id)"
    "  GROUP BY agent_id, rank_version, rank_prompt, benchmark_id;"
    " INSERT INTO rollup_changes"
    "  SELECT 1, id FROM benchmark_executions WHERE suite_id = new.id; END;";

/* What is in the store already. */
static const char fill[] =
    "INSERT INTO rollups"
    " SELECT workspace_id, category, agent_id, rank_version, rank_prompt, day, count(*)," TOTALS
    " FROM rollup_rows GROUP BY workspace_id, category, agent_id, rank_version, rank_prompt,"
    "  day;"
    "INSERT INTO rollup_benchmarks"
    " SELECT workspace_id, category, agent_id, rank_version, rank_prompt, benchmark_id,"
    "  max(created_at)"
    " FROM ranked_executions GROUP BY workspace_id, category, agent_id, rank_version,"
    "  rank_prompt, benchmark_id;"
    "INSERT INTO rollup_latest"
    " SELECT workspace_id, agent_id, rank_version, rank_prompt, benchmark_id, category, id,"
    "  created_at, " SCORES
    " FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY agent_id, rank_version, rank_prompt,"
    "   benchmark_id ORDER BY created_at DESC, id DESC) AS rn FROM ranked_executions"
    "  WHERE status = 'success') WHERE rn = 1;";

const char *const sqlite_schema_contents[] = {basis, old_contents, NULL};
const char *const sqlite_schema_rank[] = {
    basis, matrix, leaderboard, tables, change, triggers, category_triggers, fill, NULL};
