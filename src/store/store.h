/* store.h - where runs, trials and samples are kept: the contract.
 *
 * One contract, several stores; tests/store/contract_test.c runs the same
 * cases on each. A store is opened by URL ("sqlite:.assay/assay.db") and works
 * in one workspace. Not safe to share between threads or across fork; many
 * processes may each open the same store and write at once.
 *
 * Durability. store_append is one transaction: when it returns true the trials
 * in it survive SIGKILL of this process (and, with `durable`, loss of power).
 * store_finish folds an execution's trials into its series, in one
 * transaction: a kill at any moment leaves either all of the open form or all
 * of the folded form. Readers see the same samples in both.
 *
 * To add a store: write src/store/<name>.c ending in `const struct store_kind
 * store_<name>`, and name it in the list in store_registry.c. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/buf.h"
#include "base/registry.h"
#include "model/record.h"

struct memo; /* base/memo.h */

struct store;

struct store_options {
    bool read_only;
    bool create;           /* make it if it does not exist */
    bool durable;          /* survive loss of power, not only of the process */
    const char *workspace; /* NULL = "default" */
    int busy_timeout_ms;   /* how long to wait for another writer; 0 = 5000 */
    bool is_served; /* whoever asks is elsewhere: names never mean files of this machine */
};

/* `url`: "sqlite:PATH", or a bare path. Error codes distinguish them: ERROR_IO
 * (cannot open, damaged, full, read-only), ERROR_INVALID (not a store, older
 * or newer schema: said with both versions and the way out), ERROR_TIMEOUT
 * (locked by another writer), ERROR_UNAVAILABLE (a kind this build lacks),
 * ERROR_NOT_FOUND (does not exist and `create` is off). */
MUST_USE bool store_open(const char *url, const struct store_options *options,
                         struct store **store, struct error *err);
void store_close(struct store *store); /* NULL is fine */

bool store_is_served(const struct store *store);

/* Where it is, as `url` said, without its kind: points into `url`. */
const char *store_path(const struct store *store);

/* Upgrades a store made by an older assay, in one transaction: a kill at any
 * moment leaves it wholly old or wholly new. A store of this version is left
 * as it is. store_open never does this by itself: it refuses. `versions` may be
 * NULL. */
struct store_versions {
    int from; /* of its schema, before */
    int to;
};
MUST_USE bool store_migrate(const char *url, struct store_versions *versions,
                            struct error *err);

/* ---- writing ---- */

/* Does what the first put of a run and of an execution takes beyond the row itself, for who
 * has time now and not later. Changes nothing. */
MUST_USE bool store_make_ready(struct store *store, struct error *err);

/* Inserts, or updates the row with the same id. Suite, benchmark and agent
 * rows that an execution names are made if missing (suite `builtin`, agent
 * `assay`, see store_builtin_ids). */
MUST_USE bool store_put_run(struct store *store, const struct run_record *run,
                            struct error *err);
MUST_USE bool store_put_execution(struct store *store, const struct execution_record *e,
                                  struct error *err);

/* Runs are in the order in which they were put: clocks go back, and files claim any date.
 * To be called for a run that was put but measured elsewhere: it becomes the newest only if
 * its start is after all others' and not in the future; else it stands where its start
 * belongs, and while that is in the future before all others. */
MUST_USE bool store_place_imported(struct store *store, const char *run_id, struct error *err);
/* To be called for a run that was stored before and is put with a new start: what it has was
 * found again. It becomes the newest, and its executions the newest of their benchmarks. */
MUST_USE bool store_place_newest(struct store *store, const char *run_id, struct error *err);
/* For a run that is taken out and put again: where it stood in that order, and back there. A
 * place is good only until another run is put. */
MUST_USE bool store_get_place(struct store *store, const char *run_id, int64_t *place,
                              struct error *err);
MUST_USE bool store_put_place(struct store *store, const char *run_id, int64_t place,
                              struct error *err);

/* Fills suite_id, benchmark_id and agent_id for a cell without suite or agent:
 * suite `builtin`, benchmark = the experiment's name, agent `assay`. */
void store_builtin_ids(struct store *store, struct execution_record *e);

/* Insert, or update the row with the same id (an agent: the same name). Putting
 * what a run has met never takes a registration away. Cases are written once
 * per hash. */
MUST_USE bool store_put_agent(struct store *store, struct agent_record *agent,
                              struct error *err); /* fills id */
/* The id that an agent of this name has. */
void store_agent_id(struct store *store, const char *name, char *id);
MUST_USE bool store_put_suite(struct store *store, struct suite_record *suite,
                              struct error *err); /* fills id */
MUST_USE bool store_put_benchmark(struct store *store, struct benchmark_record *benchmark,
                                  struct error *err); /* ids must be set */

/* The id of a benchmark, by the names of suite and benchmark and its content. */
void store_benchmark_id(struct store *store, const char *suite, const char *name,
                        const char *content_hash, char *id);
MUST_USE bool store_put_cases(struct store *store, const struct case_record *cases,
                              size_t count, struct error *err);

/* Ends the registration of a name; what runs refer to stays. A suite: of all
 * its contents. ERROR_NOT_FOUND if none is registered by that name. */
MUST_USE bool store_remove_agent(struct store *store, const char *name, struct error *err);
MUST_USE bool store_remove_suite(struct store *store, const char *name, struct error *err);

/* `count` trials in a row of one execution and phase, starting at `first`. */
struct trial_batch {
    const char *execution_id;
    enum trial_phase phase;
    int64_t first;
    size_t count;
    int64_t segment;         /* 0, 1, ...: raised by each resume */
    const uint8_t *statuses; /* enum trial_status, count of them */
    const double *starts_s;  /* since the run's started_ns, count of them */
    size_t column_count;
    const struct metric *const *metrics; /* column_count of them */
    const double *const *columns;        /* column_count arrays of count values */
    const struct trial_note *notes;
    size_t note_count;
    const struct artifact_record *artifacts;
    size_t artifact_count;
    const struct histogram_record *histograms; /* of these trials; others are refused */
    size_t histogram_count;
};

/* All batches in one transaction. Trials of a phase come in order and without
 * gaps: a batch that starts below what is stored (a trial twice) or above it (a
 * trial missing) is refused with ERROR_INVALID, as is a metric whose unit or
 * definition is not the one this execution's earlier trials were measured by. */
MUST_USE bool store_append(struct store *store, const struct trial_batch *batches, size_t count,
                           struct error *err);

/* Updates the execution's row and folds its trials into series. */
MUST_USE bool store_finish(struct store *store, const struct execution_record *e,
                           struct error *err);

/* What is written between these two is one transaction: all of it or nothing.
 * After a failed write call store_rollback, which returns false. */
MUST_USE bool store_begin(struct store *store, struct error *err);
MUST_USE bool store_commit(struct store *store, struct error *err);
bool store_rollback(struct store *store);

/* Counts of one metric of one execution; replaces the one of the same phase,
 * metric and trial. */
MUST_USE bool store_put_histogram(struct store *store, const char *execution_id,
                                  const struct histogram_record *h, struct error *err);

/* Removes a run with all that belongs to it; refuses (ERROR_INVALID) while its process
 * lives. */
MUST_USE bool store_forget(struct store *store, const char *run_id, struct error *err);

/* Gives the space of forgotten runs back to the file system. */
MUST_USE bool store_compact(struct store *store, struct error *err);

/* ---- reading: results live in `out` ---- */

/* What is read between these two is one moment of the store, whatever others write
 * meanwhile. Pairs of them may lie inside of each other. */
MUST_USE bool store_hold(struct store *store, struct error *err);
void store_release(struct store *store);

/* A place for what follows from values that were read and takes long to work out again: it
 * lives as long as the handle. */
struct memo *store_memo(struct store *store);

/* A number that changes with everything that others have written to the store (other processes,
 * other handles of this one): as long as it is the same, so are the answers. */
MUST_USE bool store_generation(struct store *store, uint64_t *generation, struct error *err);

struct run_filter {
    const char *id_prefix; /* NULL = any */
    bool is_short;         /* id_prefix is the beginning of the id's last block (id_short) */
    const char *tag;
    const char *suite; /* by name: runs of any content of it; NULL = any */
    int64_t since_ns;
    size_t limit; /* 0 = all; newest first, as store_place_imported says */
};

MUST_USE bool store_list_runs(struct store *store, const struct run_filter *filter,
                              struct arena *out, struct run_record **runs, size_t *count,
                              struct error *err);

/* "latest", or "latest~" and whatever follows. A name such as "latest-good" is not. */
bool store_is_latest(const char *selector);

/* "latest", "latest~1" (the one before), an id or a unique prefix of one (at least 4
 * characters; the message lists the candidates of an ambiguous one), or the end of it that is
 * shown (id_short), or a unique beginning of that. */
MUST_USE bool store_find_run(struct store *store, const char *selector, struct arena *out,
                             struct run_record *run, struct error *err);

/* In plan order. */
MUST_USE bool store_list_executions(struct store *store, const char *run_id, struct arena *out,
                                    struct execution_record **executions, size_t *count,
                                    struct error *err);

/* How many a run has, and the first of them (with count 0: untouched), without reading
 * the others. */
MUST_USE bool store_peek_executions(struct store *store, const char *run_id, struct arena *out,
                                    struct execution_record *first, size_t *count,
                                    struct error *err);

/* Registered ones, by name (`all`: those met in runs too; never the built-in
 * ones). Suites: newest content first. */
MUST_USE bool store_list_agents(struct store *store, bool all, struct arena *out,
                                struct agent_record **agents, size_t *count, struct error *err);
MUST_USE bool store_list_suites(struct store *store, bool all, struct arena *out,
                                struct suite_record **suites, size_t *count, struct error *err);
/* Of one content of a suite, in its order. */
MUST_USE bool store_list_benchmarks(struct store *store, const char *suite_id,
                                    struct arena *out, struct benchmark_record **benchmarks,
                                    size_t *count, struct error *err);

/* By name, or by id; registered or met in a run. ERROR_NOT_FOUND with a suggestion. Of a
 * suite's contents: the registered one, else the newest. */
MUST_USE bool store_find_agent(struct store *store, const char *name, struct arena *out,
                               struct agent_record *agent, struct error *err);
MUST_USE bool store_find_suite(struct store *store, const char *name, struct arena *out,
                               struct suite_record *suite, struct error *err);
MUST_USE bool store_find_benchmark(struct store *store, const char *id, struct arena *out,
                                   struct benchmark_record *benchmark, struct error *err);
MUST_USE bool store_find_suite_by_id(struct store *store, const char *id, struct arena *out,
                                     struct suite_record *suite, struct error *err);
MUST_USE bool store_find_case(struct store *store, const char *hash, struct arena *out,
                              struct case_record *c, struct error *err);

/* By its id; ERROR_NOT_FOUND. */
MUST_USE bool store_find_execution(struct store *store, const char *id, struct arena *out,
                                   struct execution_record *execution, struct error *err);

/* Executions of the workspace that fit; each NULL or empty field fits all. */
struct execution_filter {
    const char *suite_id;
    const char *benchmark_id;
    const char *agent_id;
    bool is_success;  /* status 'success' only */
    bool is_measured; /* provenance 'measured' only */
    size_t limit;     /* 0 = all */
};

/* Newest first, as their runs are. */
MUST_USE bool store_query_executions(struct store *store, const struct execution_filter *filter,
                                     struct arena *out, struct execution_record **executions,
                                     size_t *count, struct error *err);

/* Every metric, measured phase first, from the folded or the open form. Two
 * series are about the trials themselves: "trial.start_s" (since the run's
 * start) and "trial.status" (enum trial_status), "trial.segment". */
MUST_USE bool store_list_series(struct store *store, const char *execution_id,
                                struct arena *out, struct series_record **series, size_t *count,
                                struct error *err);

/* The same, but only metrics of these names: those of a long list of executions are
 * read one at a time. */
struct series_filter {
    const char *execution_id;
    const char *const *metrics;
    size_t metric_count;
};
MUST_USE bool store_read_series(struct store *store, const struct series_filter *filter,
                                struct arena *out, struct series_record **series, size_t *count,
                                struct error *err);

/* Notes of one execution in trial order, outputs included. */
MUST_USE bool store_list_notes(struct store *store, const char *execution_id, struct arena *out,
                               struct trial_note **notes, size_t *count, struct error *err);

MUST_USE bool store_list_artifacts(struct store *store, const char *execution_id,
                                   struct arena *out, struct artifact_record **artifacts,
                                   size_t *count, struct error *err);

MUST_USE bool store_list_histograms(struct store *store, const char *execution_id,
                                    struct arena *out, struct histogram_record **histograms,
                                    size_t *count, struct error *err);

/* The newest run made from exactly these contents (spec_hash); *found is false
 * if there is none. */
MUST_USE bool store_find_run_by_hash(struct store *store, const char *spec_hash,
                                     struct arena *out, struct run_record *run, bool *found,
                                     struct error *err);

/* How far an execution got: trials stored in each phase, and the segment that
 * the next ones should carry. */
struct store_progress {
    int64_t trials[PHASE_COUNT];
    int64_t next_segment;
};
MUST_USE bool store_progress(struct store *store, const char *execution_id,
                             struct store_progress *progress, struct error *err);

/* ---- rankings ----
 *
 * Only measured executions rank, and neither those of suite `builtin` nor of
 * agent `assay`. Means are over the scores that are there; NaN where none is.
 * Answers come from rollups, which every transaction that touches an execution
 * keeps right, or (`is_plain`) from the executions themselves: the same to
 * 1e-12, for tests and for whoever doubts. */

enum rank_by {
    RANK_BY_NOTHING, /* all together: group "overall" */
    RANK_BY_CATEGORY,
    RANK_BY_COMPLEXITY, /* this and the next always from the executions */
    RANK_BY_TEST_TYPE,
};

struct rank_filter {
    const char *since;    /* first UTC day of the window, "2026-11-15"; NULL = from the first */
    const char *category; /* of the suite; NULL = any */
    const char *suite;    /* its name; NULL = any. This and the next always from the */
    const char *benchmark; /* executions */
    enum rank_by by;
    bool merges_versions; /* one row an agent; else one for each version and prompt of it */
    bool is_plain;
    const char *run;     /* matrix, latest and left out: of this run alone, by its id; NULL = */
    bool wants_unranked; /* any. Also those that do not rank */
};

struct rank_row {
    const char *agent_id;
    const char *agent_name;
    const char *agent_version;  /* NULL = none, or merged */
    const char *prompt;         /* its name; likewise */
    const char *group;          /* the category, complexity or test type; "overall" */
    double mean[SCORE_COUNT];   /* NaN = no execution has that score */
    int64_t known[SCORE_COUNT]; /* executions that have it */
    int64_t executions;
    int64_t benchmarks; /* different ones */
    const char *last;   /* created_at of the newest */
};

/* Means over all executions of the window. */
MUST_USE bool store_leaderboard(struct store *store, const struct rank_filter *filter,
                                struct arena *out, struct rank_row **rows, size_t *count,
                                struct error *err);

/* Means over the latest success of each benchmark and prompt; `since` bounds those, and
 * `by` is not looked at. */
MUST_USE bool store_matrix(struct store *store, const struct rank_filter *filter,
                           struct arena *out, struct rank_row **rows, size_t *count,
                           struct error *err);

/* The latest success of each agent on each benchmark, with each prompt. */
struct latest_row {
    const char *agent_id;
    const char *agent_version; /* likewise */
    const char *prompt;        /* its name, also where versions are merged; "" = none */
    const char *benchmark_id;
    const char *execution_id;
    const char *category;
    const char *created_at;
    int64_t concurrency; /* cases in flight at once */
    double score[SCORE_COUNT];
};
MUST_USE bool store_latest(struct store *store, const struct rank_filter *filter,
                           struct arena *out, struct latest_row **rows, size_t *count,
                           struct error *err);

/* Executions of the window that do not rank, by reason (unranked_name, "simulated",
 * "claimed"). */
struct left_out_row {
    const char *reason;
    int64_t executions;
    const char *agents; /* their names, parted by commas */
};
MUST_USE bool store_left_out(struct store *store, const struct rank_filter *filter,
                             struct arena *out, struct left_out_row **rows, size_t *count,
                             struct error *err);

/* An execution that ranks has been stored: what it was made from no longer does, nor do
 * executions on other contents of its benchmark; those on the same content do again. */
MUST_USE bool store_settle_rank(struct store *store, const struct execution_record *e,
                                struct error *err);

/* ---- baselines and regressions ---- */

/* The execution becomes the baseline of that name for its agent, benchmark and cell
 * (cell_identity); what the name says of others stays. */
MUST_USE bool store_put_baseline(struct store *store, const char *name,
                                 const struct execution_record *e, struct error *err);
/* By name (NULL = all), agent, benchmark. */
MUST_USE bool store_list_baselines(struct store *store, const char *name, struct arena *out,
                                   struct baseline_record **baselines, size_t *count,
                                   struct error *err);
/* ERROR_NOT_FOUND, with the names there are, if nothing is pinned under it. */
MUST_USE bool store_clear_baseline(struct store *store, const char *name, struct error *err);

/* Replaces what is stored about these executions, in one transaction. */
MUST_USE bool store_put_regressions(struct store *store, const char *const *execution_ids,
                                    size_t execution_count,
                                    const struct regression_record *rows, size_t count,
                                    struct error *err);
/* Alarms that were just reported. A new one is kept as it is; of one that is there already
 * only execution, severity, amount and last_at change. */
MUST_USE bool store_raise_alarms(struct store *store, const struct alarm_record *alarms,
                                 size_t count, struct error *err);
/* Newest first; agent_id NULL = all. */
MUST_USE bool store_list_alarms(struct store *store, const char *agent_id, struct arena *out,
                                struct alarm_record **alarms, size_t *count, struct error *err);
/* Replaces judgement, mute and their reasons with those of the record; `id` says which.
 * ERROR_NOT_FOUND if this workspace has no such alarm. */
MUST_USE bool store_mark_alarm(struct store *store, const struct alarm_record *alarm,
                               struct error *err);

/* ---- what the API's server keeps ---- */

/* `id` must be set; of this workspace. ERROR_INVALID if a token of that name is there that
 * has not been revoked. */
MUST_USE bool store_put_token(struct store *store, const struct token_record *token,
                              struct error *err);
/* In the order of making; `all`: of every workspace, else of this one. */
MUST_USE bool store_list_tokens(struct store *store, bool all, struct arena *out,
                                struct token_record **tokens, size_t *count, struct error *err);
/* By name or id. ERROR_NOT_FOUND if this workspace has none that is not revoked already. */
MUST_USE bool store_revoke_token(struct store *store, const char *name, struct error *err);
/* Of any workspace: it was used now. */
MUST_USE bool store_touch_token(struct store *store, const char *id, struct error *err);

/* Inserts, or updates state, error and times of the one with the same id. */
MUST_USE bool store_put_request(struct store *store, const struct request_record *request,
                                struct error *err);
struct request_filter {
    bool all;       /* of every workspace, else of this one */
    bool is_open;   /* queued, running or parked */
    const char *id; /* NULL = any */
    const char *schedule;
    size_t limit; /* 0 = all */
};
/* Newest first. */
MUST_USE bool store_list_requests(struct store *store, const struct request_filter *filter,
                                  struct arena *out, struct request_record **requests,
                                  size_t *count, struct error *err);

/* Replaces what is stored about the scenarios of that run, in one transaction. */
MUST_USE bool store_put_stress(struct store *store, const char *run_id,
                               const struct stress_record *rows, size_t count,
                               struct error *err);
/* In the order in which they were put. */
MUST_USE bool store_list_stress(struct store *store, const char *run_id, struct arena *out,
                                struct stress_record **rows, size_t *count, struct error *err);

/* ---- rows as they are: how bundles carry runs from store to store ----
 *
 * One JSON object a line, {"table": {"column": value, ...}}. Texts that are not
 * UTF-8 are {"t": base64}, blobs {"b": base64}, infinities {"x": "inf"}; numbers
 * read back exactly. Keys that only count rows of this file are left out. Two
 * stores that hold the same give the same lines. */

/* What the runs refer to: workspace, agents, suites, benchmarks, cases. */
MUST_USE bool store_write_shared_rows(struct store *store, const char *const *run_ids,
                                      size_t count, struct buf *lines, struct error *err);
/* All that belongs to one run, its samples and artifacts with it. */
MUST_USE bool store_write_run_rows(struct store *store, const char *run_id, struct buf *lines,
                                   struct error *err);
/* Baselines that executions of these runs are. */
MUST_USE bool store_write_baseline_rows(struct store *store, const char *const *run_ids,
                                        size_t count, struct buf *lines, struct error *err);
/* Puts one such row, of that run; run_id NULL: a shared one or a baseline, which stays as it
 * is where it is there already. Any other must be new. Refuses tables and columns it does not
 * know, rows of other runs, and cases that are not what their hash says. Registrations
 * are neither written nor put: they are this store's own. */
MUST_USE bool store_put_row(struct store *store, const char *run_id, struct str line,
                            struct error *err);

/* ---- kinds ---- */

struct store_kind {
    REGISTRY_ENTRY; /* name: scheme of the URL */
    /* `rest` is the URL without "scheme:". */
    bool (*open)(const char *rest, const struct store_options *options, struct store **store,
                 struct error *err);
    bool (*migrate)(const char *rest, struct store_versions *versions, struct error *err);
};

REGISTRY(struct store_kind, store_kind)

#endif
