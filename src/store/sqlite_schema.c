/* The tables, as migrations that are never edited once released: a change is a
 * new one at the end. docs/store.md describes the tables for people who query
 * them; their names are promises.
 *
 * Choices. Ids are UUID texts and times ISO texts, so that any tool can read
 * them. benchmark_executions has every column of the requirement under the same
 * name, and can be filled with those alone. `chunks` is ordered by first trial
 * before metric: the rows of one commit then lie on one page, and a commit of
 * ten metrics writes one page to the log, not ten. */
#include "store/sqlite_internal.h"

#include "base/fault.h"

#define NOW  "(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))"
#define FLAG "INTEGER NOT NULL DEFAULT 0"
#define UUID "TEXT NOT NULL"

static const char names[] =
    "CREATE TABLE workspaces (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;"
    "CREATE TABLE agents ("
    " id TEXT PRIMARY KEY, workspace_id " UUID ", name TEXT NOT NULL,"
    " kind TEXT, configuration TEXT, is_builtin " FLAG ","
    " created_at TEXT NOT NULL DEFAULT " NOW ","
    " UNIQUE (workspace_id, name)) STRICT;"
    "CREATE TABLE benchmark_suites ("
    " id TEXT PRIMARY KEY, workspace_id " UUID ", name TEXT NOT NULL,"
    " category TEXT NOT NULL, version TEXT, content_hash TEXT, spec TEXT,"
    " is_builtin " FLAG ", created_at TEXT NOT NULL DEFAULT " NOW ","
    " UNIQUE (workspace_id, name, content_hash)) STRICT;"
    "CREATE TABLE benchmarks ("
    " id TEXT PRIMARY KEY, workspace_id " UUID ","
    " suite_id " UUID " REFERENCES benchmark_suites (id) ON DELETE CASCADE,"
    " name TEXT NOT NULL, description TEXT, test_type TEXT, metrics_measured TEXT,"
    " dataset TEXT, constraints TEXT, scoring_rubric TEXT, targets TEXT, cases TEXT,"
    " content_hash TEXT, created_at TEXT NOT NULL DEFAULT " NOW ") STRICT;"
    "CREATE INDEX idx_benchmarks_suite ON benchmarks (suite_id, name);"
    "CREATE TABLE cases ("
    " hash TEXT PRIMARY KEY, name TEXT, input TEXT, expected TEXT, rubric TEXT) STRICT;";

static const char runs[] =
    "CREATE TABLE runs ("
    " id TEXT PRIMARY KEY, workspace_id " UUID ", status TEXT NOT NULL,"
    " seed INTEGER, spec_path TEXT, spec_text TEXT, spec_hash TEXT, command TEXT,"
    " environment TEXT, vcs TEXT, tags TEXT, notes TEXT, assay_version TEXT,"
    " output_dir TEXT, started_at TEXT NOT NULL, ended_at TEXT,"
    " started_ns INTEGER NOT NULL, ended_ns INTEGER NOT NULL,"
    " created_at TEXT NOT NULL DEFAULT " NOW ") STRICT;"
    "CREATE INDEX idx_runs_started ON runs (workspace_id, started_ns, id);"
    "CREATE TABLE benchmark_executions ("
    " id TEXT PRIMARY KEY,"
    " suite_id " UUID " REFERENCES benchmark_suites (id),"
    " benchmark_id " UUID " REFERENCES benchmarks (id),"
    " agent_id " UUID " REFERENCES agents (id),"
    " agent_version TEXT, workspace_id " UUID ","
    " execution_environment TEXT, model_configuration TEXT,"
    " start_time TEXT NOT NULL, end_time TEXT NOT NULL, total_duration_ms INTEGER,"
    " accuracy_score REAL, speed_score REAL, efficiency_score REAL, cost_score REAL,"
    " reliability_score REAL,"
    " tokens_used INTEGER, api_calls_made INTEGER, memory_peak_mb REAL,"
    " cpu_usage_percent REAL,"
    " output_correctness REAL, output_completeness REAL, output_relevance REAL,"
    " percentile_rank REAL, deviation_from_baseline REAL,"
    " status TEXT, error_details TEXT,"
    " created_at TEXT NOT NULL DEFAULT " NOW ","
    " run_id TEXT REFERENCES runs (id) ON DELETE CASCADE,"
    " cell_index INTEGER, group_index INTEGER, arm_index INTEGER, cell_key TEXT,"
    " label TEXT, experiment TEXT, parameters TEXT, factor TEXT, provenance TEXT,"
    " instruments TEXT, primary_metric TEXT, notes TEXT, seed INTEGER,"
    " warmup_planned INTEGER, warmup_done INTEGER, steady_at INTEGER,"
    " measured_planned INTEGER, segments INTEGER, trials_attempted INTEGER,"
    " trials_ok INTEGER, trials_failed INTEGER, trials_timed_out INTEGER,"
    " trials_limit_breached INTEGER, trials_invalid_output INTEGER,"
    " trials_agent_error INTEGER, trials_harness_error INTEGER,"
    " overhead_s REAL, cost_usd REAL, start_ns INTEGER, end_ns INTEGER) STRICT;"
    "CREATE INDEX idx_benchmark_exec_agent ON benchmark_executions (agent_id, created_at);"
    "CREATE INDEX idx_benchmark_exec_suite ON benchmark_executions (suite_id, benchmark_id);"
    "CREATE INDEX idx_benchmark_exec_scores"
    " ON benchmark_executions (accuracy_score, speed_score);"
    "CREATE INDEX idx_benchmark_exec_benchmark"
    " ON benchmark_executions (benchmark_id, created_at);"
    "CREATE INDEX idx_benchmark_exec_run ON benchmark_executions (run_id, cell_index);"
    "CREATE INDEX idx_benchmark_exec_created"
    " ON benchmark_executions (workspace_id, created_at);";

#define OF_EXECUTION "REFERENCES benchmark_executions (id) ON DELETE CASCADE"

static const char trials[] =
    "CREATE TABLE trials ("
    " execution_id " UUID " " OF_EXECUTION ", phase TEXT NOT NULL,"
    " first INTEGER NOT NULL, count INTEGER NOT NULL, segment INTEGER NOT NULL,"
    " statuses BLOB NOT NULL, starts BLOB NOT NULL,"
    " PRIMARY KEY (execution_id, phase, first)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE chunks ("
    " execution_id " UUID " " OF_EXECUTION ", phase TEXT NOT NULL,"
    " first INTEGER NOT NULL, metric TEXT NOT NULL, count INTEGER NOT NULL,"
    " samples BLOB NOT NULL,"
    " PRIMARY KEY (execution_id, phase, first, metric)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE series ("
    " id INTEGER PRIMARY KEY, execution_id " UUID " " OF_EXECUTION ","
    " phase TEXT NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL,"
    " direction TEXT NOT NULL, definition TEXT NOT NULL,"
    " count INTEGER NOT NULL DEFAULT 0, n INTEGER NOT NULL DEFAULT 0,"
    " mean REAL, sd REAL, min REAL, p50 REAL, p95 REAL, p99 REAL, max REAL,"
    " samples BLOB NOT NULL DEFAULT x'',"
    " UNIQUE (execution_id, phase, metric)) STRICT;"
    "CREATE TABLE histograms ("
    " execution_id " UUID " " OF_EXECUTION ", phase TEXT NOT NULL,"
    " metric TEXT NOT NULL, unit TEXT NOT NULL, definition TEXT NOT NULL,"
    " count INTEGER NOT NULL, encoding TEXT NOT NULL, data BLOB NOT NULL,"
    " PRIMARY KEY (execution_id, phase, metric)) STRICT;"
    "CREATE TABLE case_results ("
    " id INTEGER PRIMARY KEY, execution_id " UUID " " OF_EXECUTION ","
    " phase TEXT NOT NULL, trial INTEGER NOT NULL, iteration INTEGER NOT NULL,"
    " case_hash TEXT, status TEXT NOT NULL, error TEXT, detail TEXT, output BLOB,"
    " scores TEXT) STRICT;"
    "CREATE INDEX idx_case_results_trial ON case_results (execution_id, phase, trial);"
    "CREATE INDEX idx_case_results_case ON case_results (case_hash)"
    " WHERE case_hash IS NOT NULL;"
    "CREATE TABLE artifacts ("
    " id INTEGER PRIMARY KEY, execution_id " UUID " " OF_EXECUTION ","
    " trial INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,"
    " bytes BLOB NOT NULL) STRICT;"
    "CREATE INDEX idx_artifacts_trial ON artifacts (execution_id, trial);";

static const char findings[] =
    "CREATE TABLE profiles ("
    " id INTEGER PRIMARY KEY, execution_id " UUID " " OF_EXECUTION ","
    " profile_data TEXT NOT NULL, optimization_opportunities TEXT,"
    " created_at TEXT NOT NULL DEFAULT " NOW ") STRICT;"
    "CREATE INDEX idx_profiles_execution ON profiles (execution_id);"
    "CREATE TABLE stress_results ("
    " id INTEGER PRIMARY KEY, execution_id " UUID " " OF_EXECUTION ","
    " scenario TEXT NOT NULL, parameters TEXT, result TEXT, broke " FLAG ","
    " breaking_point TEXT, resilience_score REAL,"
    " created_at TEXT NOT NULL DEFAULT " NOW ") STRICT;"
    "CREATE INDEX idx_stress_results_execution ON stress_results (execution_id);"
    "CREATE TABLE baselines ("
    " id INTEGER PRIMARY KEY, workspace_id " UUID ", name TEXT NOT NULL,"
    " agent_id " UUID " REFERENCES agents (id),"
    " benchmark_id " UUID " REFERENCES benchmarks (id),"
    " execution_id TEXT REFERENCES benchmark_executions (id) ON DELETE SET NULL,"
    " agent_version TEXT, scores TEXT, created_at TEXT NOT NULL DEFAULT " NOW ","
    " UNIQUE (workspace_id, name, agent_id, benchmark_id)) STRICT;"
    "CREATE INDEX idx_baselines_execution ON baselines (execution_id);"
    "CREATE TABLE regressions ("
    " id INTEGER PRIMARY KEY, workspace_id " UUID ","
    " agent_id " UUID " REFERENCES agents (id), agent_version TEXT,"
    " benchmark_id " UUID " REFERENCES benchmarks (id),"
    " execution_id TEXT REFERENCES benchmark_executions (id) ON DELETE CASCADE,"
    " metric TEXT NOT NULL, baseline_value REAL, current_value REAL,"
    " regression_percentage REAL, severity TEXT, impact_analysis TEXT,"
    " created_at TEXT NOT NULL DEFAULT " NOW ") STRICT;"
    "CREATE INDEX idx_regressions_agent ON regressions (agent_id, created_at);"
    "CREATE INDEX idx_regressions_execution ON regressions (execution_id);"
    "CREATE TABLE api_tokens ("
    " id TEXT PRIMARY KEY, workspace_id " UUID ", name TEXT NOT NULL,"
    " hash TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL,"
    " created_at TEXT NOT NULL DEFAULT " NOW ", expires_at TEXT, last_used_at TEXT,"
    " revoked_at TEXT, UNIQUE (workspace_id, name)) STRICT;";

/* Sums per UTC day, and when an agent last met a benchmark: what a leaderboard
 * over a window of days needs without reading executions. */
static const char rollups[] =
    "CREATE TABLE rollups ("
    " workspace_id " UUID ", agent_id " UUID ", category TEXT NOT NULL, day TEXT NOT NULL,"
    " executions INTEGER NOT NULL,"
    " accuracy_n INTEGER NOT NULL, accuracy_sum REAL NOT NULL,"
    " speed_n INTEGER NOT NULL, speed_sum REAL NOT NULL,"
    " efficiency_n INTEGER NOT NULL, efficiency_sum REAL NOT NULL,"
    " cost_n INTEGER NOT NULL, cost_sum REAL NOT NULL,"
    " reliability_n INTEGER NOT NULL, reliability_sum REAL NOT NULL,"
    " last_created_at TEXT NOT NULL,"
    " PRIMARY KEY (workspace_id, category, agent_id, day)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE rollup_benchmarks ("
    " workspace_id " UUID ", agent_id " UUID ", category TEXT NOT NULL,"
    " benchmark_id " UUID ", last_seen TEXT NOT NULL,"
    " PRIMARY KEY (workspace_id, category, agent_id, benchmark_id)) STRICT, WITHOUT ROWID;";

/* The requirement's two questions. Three things its text leaves open: agents
 * rank within their workspace; the built-in agent and suite do not rank; an
 * agent without a score comes last (PostgreSQL would put it first). The window
 * is whole UTC days: 'YYYY-MM-DDT..' > 'YYYY-MM-DD' holds for all of that day. */
#define RANK_IN(group, column) \
    "RANK() OVER (PARTITION BY " group " ORDER BY " column " DESC NULLS LAST)"
#define SCORE(name) "'" name "', json_object('score', avg_" name ", 'rank', " name "_rank)"

static const char views[] =
    "CREATE VIEW agent_comparison_matrix AS "
    "WITH latest_benchmarks AS ("
    " SELECT be.agent_id, be.workspace_id, be.benchmark_id, accuracy_score, speed_score,"
    "  efficiency_score, cost_score, reliability_score,"
    "  ROW_NUMBER() OVER (PARTITION BY be.agent_id, be.benchmark_id"
    "   ORDER BY be.created_at DESC, be.id DESC) AS rn"
    " FROM benchmark_executions be"
    " JOIN agents a ON a.id = be.agent_id AND NOT a.is_builtin"
    " WHERE be.status = 'success'),"
    "benchmark_aggregates AS ("
    " SELECT agent_id, workspace_id, AVG(accuracy_score) AS avg_accuracy,"
    "  AVG(speed_score) AS avg_speed, AVG(efficiency_score) AS avg_efficiency,"
    "  AVG(cost_score) AS avg_cost, AVG(reliability_score) AS avg_reliability,"
    "  COUNT(DISTINCT benchmark_id) AS benchmarks_completed"
    " FROM latest_benchmarks WHERE rn = 1 GROUP BY workspace_id, agent_id),"
    "rankings AS ("
    " SELECT agent_id, workspace_id, avg_accuracy, avg_speed, avg_efficiency, avg_cost,"
    "  avg_reliability,"
    "  " RANK_IN(
        "workspace_id",
        "avg_accuracy") " AS accuracy_rank,"
                        "  " RANK_IN(
                            "workspace_id",
                            "avg_speed") " AS speed_rank,"
                                         "  " RANK_IN(
                                             "workspace_id",
                                             "avg_efficiency") " AS efficiency_rank,"
                                                               "  " RANK_IN(
                                                                   "workspace_id",
                                                                   "avg_cost") " AS cost_rank,"
                                                                               "  " RANK_IN(
                                                                                   "workspace_"
                                                                                   "id",
                                                                                   "avg_"
                                                                                   "reliabilit"
                                                                                   "y") " AS "
                                                                                        "reliab"
                                                                                        "ility_"
                                                                                        "rank,"
                                                                                        "  "
                                                                                        "(avg_"
                                                                                        "accura"
                                                                                        "cy * "
                                                                                        "0.3 + "
                                                                                        "avg_"
                                                                                        "speed "
                                                                                        "* 0.2 "
                                                                                        "+ "
                                                                                        "avg_"
                                                                                        "effici"
                                                                                        "ency "
                                                                                        "* 0.2 "
                                                                                        "+ "
                                                                                        "avg_"
                                                                                        "cost "
                                                                                        "* 0.15"
                                                                                        "   + "
                                                                                        "avg_"
                                                                                        "reliab"
                                                                                        "ility "
                                                                                        "* "
                                                                                        "0.15) "
                                                                                        "AS "
                                                                                        "overal"
                                                                                        "l_"
                                                                                        "score"
                                                                                        " FROM "
                                                                                        "benchm"
                                                                                        "ark_"
                                                                                        "aggreg"
                                                                                        "ates)"
                                                                                        "SELECT"
                                                                                        " agent"
                                                                                        "_id, "
                                                                                        "avg_"
                                                                                        "accura"
                                                                                        "cy, "
                                                                                        "avg_"
                                                                                        "speed,"
                                                                                        " avg_"
                                                                                        "effici"
                                                                                        "ency, "
                                                                                        "avg_"
                                                                                        "cost, "
                                                                                        "avg_"
                                                                                        "reliab"
                                                                                        "ility,"
                                                                                        " accur"
                                                                                        "acy_"
                                                                                        "rank, "
                                                                                        "speed_"
                                                                                        "rank, "
                                                                                        "effici"
                                                                                        "ency_"
                                                                                        "rank, "
                                                                                        "cost_"
                                                                                        "rank, "
                                                                                        "reliab"
                                                                                        "ility_"
                                                                                        "rank,"
                                                                                        " overa"
                                                                                        "ll_"
                                                                                        "score,"
                                                                                        " " RANK_IN("workspace_id",
                                                                                                    "overall_score") " AS overall_rank,"
                                                                                                                     " workspace_id FROM rankings;"

                                                                                                                     "CREATE VIEW benchmark_leaderboard AS "
                                                                                                                     "WITH score_aggregates AS ("
                                                                                                                     " SELECT be.agent_id, be.workspace_id, a.name AS agent_name,"
                                                                                                                     "  bs.category AS benchmark_category, AVG(be.accuracy_score) AS avg_accuracy,"
                                                                                                                     "  AVG(be.speed_score) AS avg_speed, AVG(be.efficiency_score) AS avg_efficiency,"
                                                                                                                     "  AVG(be.cost_score) AS avg_cost, AVG(be.reliability_score) AS avg_reliability,"
                                                                                                                     "  COUNT(DISTINCT be.benchmark_id) AS benchmarks_completed,"
                                                                                                                     "  MAX(be.created_at) AS last_benchmark_date"
                                                                                                                     " FROM benchmark_executions be"
                                                                                                                     " JOIN agents a ON be.agent_id = a.id AND NOT a.is_builtin"
                                                                                                                     " JOIN benchmark_suites bs ON be.suite_id = bs.id AND NOT bs.is_builtin"
                                                                                                                     " WHERE be.created_at > date('now', '-30 days')"
                                                                                                                     " GROUP BY be.workspace_id, be.agent_id, a.name, bs.category),"
                                                                                                                     "category_rankings AS ("
                                                                                                                     " SELECT *,"
                                                                                                                     "  " RANK_IN("workspace_id, benchmark_category", "avg_accuracy") " AS accuracy_rank,"
                                                                                                                                                                                      "  " RANK_IN("workspace_id, benchmark_category", "avg_speed") " AS speed_rank,"
                                                                                                                                                                                                                                                    "  " RANK_IN("workspace_id, benchmark_category", "avg_efficiency") " AS efficiency_rank,"
                                                                                                                                                                                                                                                                                                                       "  " RANK_IN("workspace_id, benchmark_category",
                                                                                                                                                                                                                                                                                                                                    "avg_cost") " AS cost_rank,"
                                                                                                                                                                                                                                                                                                                                                "  " RANK_IN(
                                                                                                                                                                                                                                                                                                                                                    "workspace_id, benchmark_category",
                                                                                                                                                                                                                                                                                                                                                    "avg_reliability") " AS reliability_rank"
                                                                                                                                                                                                                                                                                                                                                                       " FROM score_aggregates)"
                                                                                                                                                                                                                                                                                                                                                                       "SELECT agent_id, agent_name, benchmark_category,"
                                                                                                                                                                                                                                                                                                                                                                       " json_object(" SCORE("accuracy") "," SCORE("speed") "," SCORE("efficiency") "," SCORE("cost") "," SCORE("reliability") ") AS scores_and_ranks,"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               " benchmarks_completed, last_benchmark_date,"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               " min(accuracy_rank, speed_rank, efficiency_rank, cost_rank, reliability_rank)"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               "  AS best_ranking, workspace_id "
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               "FROM category_rankings ORDER BY benchmark_category, best_ranking;";

/* What is registered by hand, apart from what runs have met; and whatever it
 * takes to score stored answers again. */
static const char registered[] =
    "ALTER TABLE agents ADD COLUMN version TEXT;"
    "ALTER TABLE agents ADD COLUMN is_registered " FLAG ";"
    "ALTER TABLE benchmark_suites ADD COLUMN title TEXT;"
    "ALTER TABLE benchmark_suites ADD COLUMN source TEXT;"
    "ALTER TABLE benchmark_suites ADD COLUMN baseline_scores TEXT;"
    "ALTER TABLE benchmark_suites ADD COLUMN is_registered " FLAG ";"
    "ALTER TABLE benchmarks ADD COLUMN settings TEXT;"
    "ALTER TABLE cases ADD COLUMN fields TEXT;";

/* Migration i + 1 is row i: texts run in order. */
static const char *const migrations[][4] = {
    {names, runs, trials, findings},
    {rollups, views},
    {registered},
};

int sqlite_schema_version(void)
{
    return (int)COUNT(migrations);
}

bool sqlite_schema_upgrade(struct sqlite *s, int from, int to, struct error *err)
{
    for (int i = from; i < to; i++) {
        for (size_t k = 0; k < COUNT(migrations[i]) && migrations[i][k]; k++) {
            if (!sqlite_exec(s, migrations[i][k], err)) return false;
        }
        int fault = fault_at("migration");
        if (fault) return sqlite_fault(s, fault, err);
    }
    char stamp[100];
    snprintf(stamp, sizeof stamp, "PRAGMA application_id=%d; PRAGMA user_version=%d",
             SQLITE_APPLICATION_ID, to);
    return sqlite_exec(s, stamp, err);
}
