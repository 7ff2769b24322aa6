/* store_internal.h - what a store kind implements: one row of functions.
 *
 * To add an operation: say in store.h what it does, hand it on in store.c, name it in one
 * list here, and write it in each kind. */
#ifndef STORE_STORE_INTERNAL_H
#define STORE_STORE_INTERNAL_H

#include "base/memo.h"
#include "store/store.h"

enum rows_kind { ROWS_SHARED, ROWS_RUN, ROWS_BASELINES };

/* clang-format off */
/* Operations that are to do what store.h says of store_NAME. */
#define STORE_SAME_OPERATIONS(X) \
    X(close) X(make_ready) X(put_run) X(put_execution) X(append) X(finish) X(forget) \
    X(compact) X(list_runs) X(list_executions) \
    X(peek_executions) X(find_execution) X(query_executions) X(put_cases) X(list_notes) \
    X(list_artifacts) X(leaderboard) X(matrix) X(latest) X(left_out) X(settle_rank) \
    X(put_baseline) X(list_baselines) X(put_regressions) \
    X(put_stress) X(list_stress) X(hold) X(generation) \
    X(release) X(put_histogram) X(list_histograms) X(put_row) X(progress) \
    X(place_imported) X(place_newest) X(get_place) X(put_place) X(raise_alarms) X(list_alarms) X(put_token) X(list_tokens) \
    X(touch_token) X(put_request) X(list_requests)

/* Those that store.c asks for something else than it is asked for: struct store_ops says
 * what. */
#define STORE_OTHER_OPERATIONS(X) \
    X(put_agent) X(put_suite) X(put_benchmark) X(unregister) X(list_agents) \
    X(list_suites) X(list_benchmarks) X(find_case) X(list_series) X(clear_baseline) \
    X(begin_all) X(commit_all) X(rollback_all) X(find_run_by_hash) X(write_rows) \
    X(mark_alarm) X(revoke_token)
/* clang-format on */

#define STORE_OPERATIONS(X) STORE_SAME_OPERATIONS(X) STORE_OTHER_OPERATIONS(X)

struct store_ops {
#define MEMBER(name) __typeof__(store_##name) *(name);
    STORE_SAME_OPERATIONS(MEMBER)
#undef MEMBER
    __typeof__(store_begin) *begin_all;
    __typeof__(store_commit) *commit_all;
    __typeof__(store_rollback) *rollback_all;
    bool (*put_agent)(struct store *store, const struct agent_record *a, struct error *err);
    bool (*put_suite)(struct store *store, const struct suite_record *s, struct error *err);
    bool (*put_benchmark)(struct store *store, const struct benchmark_record *b,
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
    bool (*clear_baseline)(struct store *store, const char *name, int64_t *cleared,
                           struct error *err);
    bool (*mark_alarm)(struct store *store, const struct alarm_record *alarm, bool *found,
                       struct error *err);
    bool (*revoke_token)(struct store *store, const char *name, bool *found, struct error *err);
    bool (*find_run_by_hash)(struct store *store, const char *spec_hash, char *run_id,
                             struct error *err); /* "" = none */
    /* kind: ROWS_SHARED, ROWS_RUN (of one run), ROWS_BASELINES */
    bool (*write_rows)(struct store *store, enum rows_kind kind, const char *run_ids_json,
                       struct buf *lines, struct error *err);
};

/* The type of an operation, for what a kind declares:
 *     #define DECLARE(name) STORE_TYPE(name) sqlite_##name;                     */
#define STORE_TYPE(name) __typeof__(*((struct store_ops *)NULL)->name)

/* The first member of each kind's own struct. */
struct store {
    const struct store_ops *ops;
    const char *workspace;
    const char *path; /* as given to store_open, without its kind */
    bool is_served;
    struct memo memo;
};

#endif
