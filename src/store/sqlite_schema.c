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

/* Migration i + 1 is row i: texts run in order, up to NULL. */
static const char *const first[] = {names, runs, trials, findings, NULL};
static const char *const second[] = {NULL}; /* rollups and views, which the last makes again */
static const char *const third[] = {registered, NULL};
static const char *const fourth[] = {NULL}; /* the same again */
/* A benchmark that stays the same belongs to several contents of its suite. */
static const char benchmarks_of[] = "ALTER TABLE benchmark_suites ADD COLUMN benchmarks TEXT;";
static const char *const fifth[] = {benchmarks_of, NULL};
/* Nothing asks by it, and hashes come in no order: each commit of a suite's
 * trials wrote a page of it per trial. */
static const char no_case_index[] = "DROP INDEX idx_case_results_case;";
static const char *const sixth[] = {no_case_index, NULL};
static const char concurrent[] =
    "ALTER TABLE benchmark_executions ADD COLUMN concurrency INTEGER;";
static const char *const seventh[] = {concurrent, NULL};

/* What was read out of the spec's text again, or out of sentences, gets columns.
 * NULL in rows that are older than a column, so that their bundles stay the same:
 *   runs.claims       JSON list of checked claims, each with the `entry` it belongs to
 *   runs.baseline     the baseline that the spec names
 *   entry_index       the entry of the spec that the cell was planned from
 *   name              what the user calls the cell, over changes of path and version
 *   version_kind      what agent_version is (enum version_kind)
 *   made_from         the execution whose trials this one took over (rescored, cached)
 *   unranked          why it does not rank (enum unranked); NULL = it does
 *   baselines.cell    which cell of agent and benchmark: a run may have many
 *   histograms.trial  the trial that gave it; NULL = of the whole execution */
static const char typed[] =
    "ALTER TABLE runs ADD COLUMN claims TEXT;"
    "ALTER TABLE runs ADD COLUMN baseline TEXT;"
    "ALTER TABLE benchmark_executions ADD COLUMN entry_index INTEGER;"
    "ALTER TABLE benchmark_executions ADD COLUMN name TEXT;"
    "ALTER TABLE benchmark_executions ADD COLUMN version_kind TEXT;"
    "ALTER TABLE benchmark_executions ADD COLUMN made_from TEXT;"
    "ALTER TABLE benchmark_executions ADD COLUMN unranked TEXT;"
    "ALTER TABLE case_results DROP COLUMN scores;"; /* nothing ever wrote it */

static const char baseline_cells[] =
    "DROP INDEX idx_baselines_execution;"
    "ALTER TABLE baselines RENAME TO old_baselines;"
    "CREATE TABLE baselines ("
    " id INTEGER PRIMARY KEY, workspace_id " UUID ", name TEXT NOT NULL,"
    " agent_id " UUID " REFERENCES agents (id),"
    " benchmark_id " UUID " REFERENCES benchmarks (id),"
    " execution_id TEXT REFERENCES benchmark_executions (id) ON DELETE SET NULL,"
    " agent_version TEXT, scores TEXT, created_at TEXT NOT NULL DEFAULT " NOW ","
    " cell TEXT NOT NULL DEFAULT '',"
    " UNIQUE (workspace_id, name, agent_id, benchmark_id, cell)) STRICT;"
    "INSERT INTO baselines SELECT o.*, coalesce((SELECT e.cell_key FROM benchmark_executions e"
    "  WHERE e.id = o.execution_id), '') FROM old_baselines o;"
    "DROP TABLE old_baselines;"
    "CREATE INDEX idx_baselines_execution ON baselines (execution_id);";

static const char trial_histograms[] =
    "ALTER TABLE histograms RENAME TO old_histograms;"
    "CREATE TABLE histograms ("
    " execution_id " UUID " " OF_EXECUTION ", phase TEXT NOT NULL,"
    " metric TEXT NOT NULL, unit TEXT NOT NULL, definition TEXT NOT NULL,"
    " count INTEGER NOT NULL, encoding TEXT NOT NULL, data BLOB NOT NULL,"
    " trial INTEGER) STRICT;"
    "CREATE UNIQUE INDEX idx_histograms_trial"
    " ON histograms (execution_id, phase, metric, coalesce(trial, -1));"
    "INSERT INTO histograms SELECT *, NULL FROM old_histograms;"
    "DROP TABLE old_histograms;";
static const char *const eighth[] = {typed, baseline_cells, trial_histograms, NULL};
static const char *const ninth[] = {NULL}; /* the same once more */

/* What the server keeps. A token's role says more than a list of scopes would, and a name
 * is free again when its token has been revoked. */
static const char tokens[] =
    "ALTER TABLE api_tokens RENAME TO old_tokens;"
    "CREATE TABLE api_tokens ("
    " id TEXT PRIMARY KEY, workspace_id " UUID ", name TEXT NOT NULL,"
    " hash TEXT NOT NULL UNIQUE, role TEXT NOT NULL,"
    " created_at TEXT NOT NULL DEFAULT " NOW ", expires_at TEXT, last_used_at TEXT,"
    " revoked_at TEXT) STRICT;"
    "INSERT INTO api_tokens SELECT * FROM old_tokens;"
    "DROP TABLE old_tokens;"
    "CREATE UNIQUE INDEX idx_api_tokens_name ON api_tokens (workspace_id, name)"
    " WHERE revoked_at IS NULL;";

/* Every regression that was ever reported, once: what people say of it has to find it again,
 * and how good the detector is can only be known from all of them. */
static const char alarms[] =
    "CREATE TABLE alarms ("
    " id INTEGER PRIMARY KEY, workspace_id " UUID ","
    " agent_id " UUID " REFERENCES agents (id),"
    " benchmark_id " UUID " REFERENCES benchmarks (id),"
    " cell TEXT NOT NULL, metric TEXT NOT NULL, rule TEXT NOT NULL,"
    " agent_version TEXT NOT NULL DEFAULT '',"
    " execution_id TEXT REFERENCES benchmark_executions (id) ON DELETE SET NULL,"
    " severity TEXT, amount REAL, runs INTEGER,"
    " changed_at TEXT, raised_at TEXT NOT NULL DEFAULT " NOW ", last_at TEXT,"
    " judgement TEXT, judged_reason TEXT, judged_by TEXT, judged_at TEXT,"
    " muted_until TEXT, muted_reason TEXT, muted_by TEXT, muted_at TEXT,"
    " UNIQUE (workspace_id, agent_id, benchmark_id, cell, metric, rule, agent_version))"
    " STRICT;"
    "CREATE INDEX idx_alarms_execution ON alarms (execution_id);";

/* Runs that the API was asked for; `id` is the run's. */
static const char requests[] =
    "CREATE TABLE run_requests ("
    " id TEXT PRIMARY KEY, workspace_id " UUID ", token TEXT, suite TEXT NOT NULL,"
    " agents TEXT NOT NULL, configuration TEXT, schedule TEXT, state TEXT NOT NULL,"
    " error TEXT, created_at TEXT NOT NULL DEFAULT " NOW ", started_at TEXT,"
    " ended_at TEXT) STRICT;"
    "CREATE INDEX idx_run_requests_state ON run_requests (state, created_at);"
    "CREATE INDEX idx_run_requests_workspace ON run_requests (workspace_id, created_at);";
/* Few executions do not rank, or had several cases in flight: a question about those alone
 * need not look at all others. */
static const char exceptions[] =
    "CREATE INDEX idx_benchmark_exec_unranked ON benchmark_executions (workspace_id, "
    "created_at)"
    " WHERE unranked IS NOT NULL OR coalesce(provenance, 'measured') <> 'measured';"
    "CREATE INDEX idx_benchmark_exec_concurrent ON benchmark_executions (id, concurrency)"
    " WHERE concurrency > 1;";
/* How two sets of the values compare (enum kind). NULL in rows that are older, and in their
 * bundles: experiment/declared.h finds it. */
static const char kinds[] = "ALTER TABLE series ADD COLUMN kind TEXT;";
static const char *const eleventh[] = {tokens, alarms, requests, exceptions, kinds, NULL};
/* A new random number for an agent with each change of one of its executions: what was read of
 * it before need not be read again as long as its number stays (sqlite_known.c). */
#define STAMP(row)                                                                         \
    " INSERT INTO rollup_stamps VALUES (" row ".workspace_id, " row ".agent_id, random())" \
    "  ON CONFLICT DO UPDATE SET stamp = excluded.stamp;"
#define OLD_STAMP STAMP("old")
#define NEW_STAMP STAMP("new")
static const char stamps[] =
    "CREATE TABLE rollup_stamps ("
    " workspace_id TEXT NOT NULL, agent_id TEXT NOT NULL, stamp INTEGER NOT NULL,"
    " PRIMARY KEY (workspace_id, agent_id)) STRICT, WITHOUT ROWID;"
    "INSERT INTO rollup_stamps SELECT workspace_id, agent_id, random() FROM"
    " (SELECT DISTINCT workspace_id, agent_id FROM benchmark_executions);"
    "CREATE TRIGGER stamp_inserted AFTER INSERT ON benchmark_executions BEGIN" NEW_STAMP " END;"
    "CREATE TRIGGER stamp_updated AFTER UPDATE ON benchmark_executions BEGIN" OLD_STAMP
        NEW_STAMP " END;"
    "CREATE TRIGGER stamp_deleted AFTER DELETE ON benchmark_executions BEGIN" OLD_STAMP " END;"
    "CREATE TRIGGER stamp_category AFTER UPDATE OF category ON benchmark_suites BEGIN"
    " UPDATE rollup_stamps SET stamp = random(); END;";
static const char *const twelfth[] = {stamps, NULL};
static const char *const *const migrations[] = {first,
                                                second,
                                                third,
                                                fourth,
                                                fifth,
                                                sixth,
                                                seventh,
                                                eighth,
                                                ninth,
                                                sqlite_schema_contents,
                                                eleventh,
                                                twelfth,
                                                sqlite_schema_rank};

int sqlite_schema_version(void)
{
    return (int)COUNT(migrations);
}

bool sqlite_schema_upgrade(struct sqlite *s, int from, int to, struct error *err)
{
    for (int i = from; i < to; i++) {
        for (size_t k = 0; migrations[i][k]; k++) {
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
