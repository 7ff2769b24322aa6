/* store_internal.h - what a store kind implements: one row of functions, each
 * with the contract that store.h gives the function of the same name. */
#ifndef STORE_STORE_INTERNAL_H
#define STORE_STORE_INTERNAL_H

#include "store/store.h"

enum rows_kind { ROWS_SHARED, ROWS_RUN, ROWS_BASELINES };

struct store_ops {
    void (*close)(struct store *store);
    bool (*put_run)(struct store *store, const struct run_record *run, struct error *err);
    bool (*put_execution)(struct store *store, const struct execution_record *e,
                          struct error *err);
    bool (*append)(struct store *store, const struct trial_batch *batches, size_t count,
                   struct error *err);
    bool (*finish)(struct store *store, const struct execution_record *e, struct error *err);
    bool (*forget)(struct store *store, const char *run_id, struct error *err);
    bool (*forget_execution)(struct store *store, const char *id, struct error *err);
    bool (*compact)(struct store *store, struct error *err);
    bool (*list_runs)(struct store *store, const struct run_filter *filter, struct arena *out,
                      struct run_record **runs, size_t *count, struct error *err);
    bool (*list_executions)(struct store *store, const char *run_id, struct arena *out,
                            struct execution_record **executions, size_t *count,
                            struct error *err);
    bool (*peek_executions)(struct store *store, const char *run_id, struct arena *out,
                            struct execution_record *first, size_t *count, struct error *err);
    bool (*query_executions)(struct store *store, const struct execution_filter *filter,
                             struct arena *out, struct execution_record **executions,
                             size_t *count, struct error *err);
    bool (*put_agent)(struct store *store, const struct agent_record *a, struct error *err);
    bool (*put_suite)(struct store *store, const struct suite_record *s, struct error *err);
    bool (*put_benchmark)(struct store *store, const struct benchmark_record *b,
                          struct error *err);
    bool (*put_cases)(struct store *store, const struct case_record *cases, size_t count,
                      struct error *err);
    /* Sets *found; is_suite: of that name, else the agent. */
    bool (*unregister)(struct store *store, bool is_suite, const char *name, bool *found,
                       struct error *err);
    /* name, id: NULL = any. */
    bool (*list_agents)(struct store *store, bool all, const char *name, struct arena *out,
                        struct agent_record **agents, size_t *count, struct error *err);
    bool (*list_suites)(struct store *store, bool all, const char *name, const char *id,
                        struct arena *out, struct suite_record **suites, size_t *count,
                        struct error *err);
    bool (*list_benchmarks)(struct store *store, const char *suite_id, const char *id,
                            struct arena *out, struct benchmark_record **benchmarks,
                            size_t *count, struct error *err);
    bool (*find_case)(struct store *store, const char *hash, struct arena *out,
                      struct case_record *c, bool *found, struct error *err);
    /* `metrics`: a JSON list of names; NULL = all. */
    bool (*list_series)(struct store *store, const char *execution_id, const char *metrics,
                        struct arena *out, struct series_record **series, size_t *count,
                        struct error *err);
    bool (*list_notes)(struct store *store, const char *execution_id, struct arena *out,
                       struct trial_note **notes, size_t *count, struct error *err);
    bool (*list_artifacts)(struct store *store, const char *execution_id, struct arena *out,
                           struct artifact_record **artifacts, size_t *count,
                           struct error *err);
    bool (*leaderboard)(struct store *store, const struct rank_filter *filter,
                        struct arena *out, struct rank_row **rows, size_t *count,
                        struct error *err);
    bool (*matrix)(struct store *store, const struct rank_filter *filter, struct arena *out,
                   struct rank_row **rows, size_t *count, struct error *err);
    bool (*latest)(struct store *store, const struct rank_filter *filter, struct arena *out,
                   struct latest_row **rows, size_t *count, struct error *err);
    bool (*left_out)(struct store *store, const struct rank_filter *filter, struct arena *out,
                     struct left_out_row **rows, size_t *count, struct error *err);
    bool (*settle_rank)(struct store *store, const struct execution_record *e,
                        struct error *err);
    bool (*put_baseline)(struct store *store, const char *name,
                         const struct execution_record *e, struct error *err);
    bool (*list_baselines)(struct store *store, const char *name, struct arena *out,
                           struct baseline_record **baselines, size_t *count,
                           struct error *err);
    bool (*clear_baseline)(struct store *store, const char *name, int64_t *cleared,
                           struct error *err);
    bool (*put_regressions)(struct store *store, const char *const *execution_ids,
                            size_t execution_count, const struct regression_record *rows,
                            size_t count, struct error *err);
    bool (*list_regressions)(struct store *store, const char *agent_id, struct arena *out,
                             struct regression_record **rows, size_t *count, struct error *err);
    bool (*hold)(struct store *store, struct error *err);
    void (*release)(struct store *store);
    bool (*begin)(struct store *store, struct error *err);
    bool (*commit)(struct store *store, struct error *err);
    bool (*rollback)(struct store *store);
    bool (*put_histogram)(struct store *store, const char *execution_id,
                          const struct histogram_record *h, struct error *err);
    bool (*list_histograms)(struct store *store, const char *execution_id, struct arena *out,
                            struct histogram_record **histograms, size_t *count,
                            struct error *err);
    bool (*find_run_by_hash)(struct store *store, const char *spec_hash, char *run_id,
                             struct error *err); /* "" = none */
    /* kind: ROWS_SHARED, ROWS_RUN (of one run), ROWS_BASELINES */
    bool (*write_rows)(struct store *store, enum rows_kind kind, const char *run_ids_json,
                       struct buf *lines, struct error *err);
    bool (*put_row)(struct store *store, struct str line, struct error *err);
    bool (*progress)(struct store *store, const char *execution_id,
                     struct store_progress *progress, struct error *err);
};

/* The first member of each kind's own struct. */
struct store {
    const struct store_ops *ops;
    const char *workspace;
    const char *path; /* as given to store_open, without its kind */
};

#endif
