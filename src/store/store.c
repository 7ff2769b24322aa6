/* Finds the kind of a URL, and passes each call to it. What needs no knowledge
 * of the kind (selectors, the ids of built-in rows) is here, once. */
#include "store/store_internal.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/human.h"
#include "base/json.h"
#include "model/environment.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

enum { KIND_MAX = 16, CANDIDATES_SHOWN = 5, SELECTOR_MIN = 4, MEMO_BYTES = 32 << 20 };

/* The part before the first ':' if it could be a scheme (RFC 3986: a letter,
 * then letters, digits, + - .), else empty: the URL is a path. */
static struct str scheme_of(const char *url)
{
    size_t n = 0;
    while (isalnum((unsigned char)url[n]) || (url[n] && strchr("+-.", url[n]))) n++;
    bool is_scheme = n > 1 && url[n] == ':' && isalpha((unsigned char)url[0]);
    return (struct str){url, is_scheme ? n : 0};
}

static const struct store_kind *kind_of(const char *url, const char **rest, struct error *err)
{
    struct str scheme = scheme_of(url);
    *rest = scheme.n ? url + scheme.n + 1 : url;
    if (!scheme.n) scheme = S("sqlite");
    const struct store_kind *kind = store_kind_find(scheme);
    if (kind) return kind;
    error_set(err, ERROR_INVALID,
              "unknown store '%.*s'%s; a path with a colon in it is written sqlite:PATH",
              STR_ARG(scheme), registry_hint(store_kind_entry, scheme).text);
    return NULL;
}

bool store_open(const char *url, const struct store_options *options, struct store **store,
                struct error *err)
{
    const char *rest;
    const struct store_kind *kind = kind_of(url, &rest, err);
    *store = NULL;
    if (!kind || !kind->open(rest, options, store, err)) return false;
    (*store)->path = rest;
    (*store)->is_served = options->is_served;
    (*store)->memo.most_bytes = MEMO_BYTES;
    return true;
}

bool store_is_served(const struct store *store)
{
    return store->is_served;
}

const char *store_path(const struct store *store)
{
    return store->path;
}

bool store_migrate(const char *url, struct store_versions *versions, struct error *err)
{
    const char *rest;
    const struct store_kind *kind = kind_of(url, &rest, err);
    return kind && kind->migrate(rest, versions, err);
}

void store_close(struct store *store)
{
    if (!store) return;
    memo_close(&store->memo);
    store->ops->close(store);
}

struct memo *store_memo(struct store *store)
{
    return &store->memo;
}

bool store_make_ready(struct store *store, struct error *err)
{
    return store->ops->make_ready(store, err);
}

bool store_put_run(struct store *store, const struct run_record *run, struct error *err)
{
    return store->ops->put_run(store, run, err);
}

bool store_place_imported(struct store *store, const char *run_id, struct error *err)
{
    return store->ops->place_imported(store, run_id, err);
}

bool store_get_place(struct store *store, const char *run_id, int64_t *place, struct error *err)
{
    return store->ops->get_place(store, run_id, place, err);
}

bool store_put_place(struct store *store, const char *run_id, int64_t place, struct error *err)
{
    return store->ops->put_place(store, run_id, place, err);
}

bool store_place_newest(struct store *store, const char *run_id, struct error *err)
{
    return store->ops->place_newest(store, run_id, err);
}

bool store_put_execution(struct store *store, const struct execution_record *e,
                         struct error *err)
{
    trial_counts_check(&e->counts);
    return store->ops->put_execution(store, e, err);
}

void store_builtin_ids(struct store *store, struct execution_record *e)
{
    struct str workspace = str_of(store->workspace);
    id_uuid5(workspace, "suite", S("builtin"), e->suite_id);
    id_uuid5(workspace, "benchmark", str_of(e->experiment), e->benchmark_id);
    id_uuid5(workspace, "agent", S("assay"), e->agent_id);
}

bool store_append(struct store *store, const struct trial_batch *batches, size_t count,
                  struct error *err)
{
    return store->ops->append(store, batches, count, err);
}

bool store_finish(struct store *store, const struct execution_record *e, struct error *err)
{
    trial_counts_check(&e->counts);
    return store->ops->finish(store, e, err);
}

bool store_forget(struct store *store, const char *run_id, struct error *err)
{
    struct arena scratch = arena_open();
    struct run_record run;
    int64_t pid = 0;
    bool is_alive = store_find_run(store, run_id, &scratch, &run, NULL) &&
                    run.status == RUN_RUNNING && environment_is_alive(run.environment, &pid);
    arena_close(&scratch);
    if (is_alive) {
        return error_set(err, ERROR_INVALID,
                         "run %s is still running (process %lld): end that first", run_id,
                         (long long)pid);
    }
    return store->ops->forget(store, run_id, err);
}

bool store_compact(struct store *store, struct error *err)
{
    return store->ops->compact(store, err);
}

bool store_list_runs(struct store *store, const struct run_filter *filter, struct arena *out,
                     struct run_record **runs, size_t *count, struct error *err)
{
    return store->ops->list_runs(store, filter, out, runs, count, err);
}

static bool ambiguous(const char *selector, const struct run_record *runs, size_t count,
                      struct error *err)
{
    char list[400];
    struct buf b;
    buf_over(&b, list, sizeof list);
    for (size_t i = 0; i < count && i < CANDIDATES_SHOWN; i++) {
        char stamp[CLOCK_STAMP_SIZE];
        buf_printf(&b, "%s%s (%.19s)", i ? ", " : "", runs[i].id,
                   clock_stamp(runs[i].started_ns, stamp));
    }
    return error_set(err, ERROR_INVALID, "'%s' begins several runs: %s%s; write more of the id",
                     selector, list, count > CANDIDATES_SHOWN ? ", ..." : "");
}

/* latest, or latest~N */
static bool find_newest(struct store *store, const char *selector, struct arena *out,
                        struct run_record *run, struct error *err)
{
    const char *tilde = strchr(selector, '~');
    int64_t back = 0;
    if (tilde && (!str_to_int(str_of(tilde + 1), &back) || back < 0 || back > INT32_MAX)) {
        return error_set(err, ERROR_INVALID, "'%s': write latest~1 for the run before",
                         selector);
    }
    struct run_filter filter = {.limit = back + 1};
    struct run_record *runs = NULL;
    size_t count = 0;
    if (!store_list_runs(store, &filter, out, &runs, &count, err)) return false;
    if (count == 0) {
        return error_set(err, ERROR_NOT_FOUND, "no run in workspace '%s' yet",
                         store->workspace);
    }
    if ((size_t)back >= count) {
        return error_set(err, ERROR_NOT_FOUND, "there is no %s: the store has %zu run%s",
                         selector, count, PLURAL(count));
    }
    *run = runs[back];
    return true;
}

bool store_is_latest(const char *selector)
{
    return strcmp(selector, "latest") == 0 || str_starts(str_of(selector), S("latest~"));
}

bool store_find_run(struct store *store, const char *selector, struct arena *out,
                    struct run_record *run, struct error *err)
{
    char prefix[UUID_SIZE] = "";
    struct run_filter filter = {.id_prefix = prefix, .limit = CANDIDATES_SHOWN + 1};
    size_t length = strlen(selector);
    if (store_is_latest(selector)) return find_newest(store, selector, out, run, err);
    if (length < SELECTOR_MIN) {
        return error_set(err, ERROR_INVALID,
                         "'%s' is too short for a run: write at least %d characters of its id, "
                         "or latest",
                         selector, SELECTOR_MIN);
    }
    bool is_id = length < UUID_SIZE && strspn(selector, "0123456789abcdefABCDEF-") == length;
    for (size_t i = 0; is_id && i < length; i++) {
        prefix[i] = (char)tolower((unsigned char)selector[i]);
    }
    struct run_record *runs = NULL;
    size_t count = 0;
    if (is_id && !store_list_runs(store, &filter, out, &runs, &count, err)) return false;
    filter.is_short = count == 0 && is_id;
    if (filter.is_short && !store_list_runs(store, &filter, out, &runs, &count, err))
        return false;
    if (count == 0) {
        return error_set(err, ERROR_NOT_FOUND,
                         "no run '%s' in workspace '%s' (a run is named by its id, the "
                         "beginning of it, latest or latest~1; `assay list` shows them)",
                         selector, store->workspace);
    }
    if (count > 1) return ambiguous(selector, runs, count, err);
    *run = runs[0];
    return true;
}

bool store_list_executions(struct store *store, const char *run_id, struct arena *out,
                           struct execution_record **executions, size_t *count,
                           struct error *err)
{
    return store->ops->list_executions(store, run_id, out, executions, count, err);
}

bool store_list_series(struct store *store, const char *execution_id, struct arena *out,
                       struct series_record **series, size_t *count, struct error *err)
{
    return store->ops->list_series(store, execution_id, NULL, out, series, count, err);
}

bool store_read_series(struct store *store, const struct series_filter *filter,
                       struct arena *out, struct series_record **series, size_t *count,
                       struct error *err)
{
    struct buf names;
    struct json j;
    buf_init(&names, (size_t)1 << 20);
    json_init(&j, &names, 0);
    json_texts(&j, filter->metrics, filter->metric_count);
    bool done = store->ops->list_series(store, filter->execution_id, buf_str(&names).p, out,
                                        series, count, err);
    buf_release(&names);
    return done;
}

bool store_peek_executions(struct store *store, const char *run_id, struct arena *out,
                           struct execution_record *first, size_t *count, struct error *err)
{
    return store->ops->peek_executions(store, run_id, out, first, count, err);
}

bool store_list_notes(struct store *store, const char *execution_id, struct arena *out,
                      struct trial_note **notes, size_t *count, struct error *err)
{
    return store->ops->list_notes(store, execution_id, out, notes, count, err);
}

bool store_list_artifacts(struct store *store, const char *execution_id, struct arena *out,
                          struct artifact_record **artifacts, size_t *count, struct error *err)
{
    return store->ops->list_artifacts(store, execution_id, out, artifacts, count, err);
}

bool store_progress(struct store *store, const char *execution_id,
                    struct store_progress *progress, struct error *err)
{
    return store->ops->progress(store, execution_id, progress, err);
}

bool store_find_execution(struct store *store, const char *id, struct arena *out,
                          struct execution_record *execution, struct error *err)
{
    return store->ops->find_execution(store, id, out, execution, err);
}

bool store_query_executions(struct store *store, const struct execution_filter *filter,
                            struct arena *out, struct execution_record **executions,
                            size_t *count, struct error *err)
{
    return store->ops->query_executions(store, filter, out, executions, count, err);
}

/* ---- rankings ---- */

bool store_leaderboard(struct store *store, const struct rank_filter *filter, struct arena *out,
                       struct rank_row **rows, size_t *count, struct error *err)
{
    return store->ops->leaderboard(store, filter, out, rows, count, err);
}

bool store_matrix(struct store *store, const struct rank_filter *filter, struct arena *out,
                  struct rank_row **rows, size_t *count, struct error *err)
{
    return store->ops->matrix(store, filter, out, rows, count, err);
}

bool store_latest(struct store *store, const struct rank_filter *filter, struct arena *out,
                  struct latest_row **rows, size_t *count, struct error *err)
{
    return store->ops->latest(store, filter, out, rows, count, err);
}

bool store_left_out(struct store *store, const struct rank_filter *filter, struct arena *out,
                    struct left_out_row **rows, size_t *count, struct error *err)
{
    return store->ops->left_out(store, filter, out, rows, count, err);
}

bool store_settle_rank(struct store *store, const struct execution_record *e, struct error *err)
{
    return store->ops->settle_rank(store, e, err);
}

bool store_put_stress(struct store *store, const char *run_id, const struct stress_record *rows,
                      size_t count, struct error *err)
{
    return store->ops->put_stress(store, run_id, rows, count, err);
}

bool store_list_stress(struct store *store, const char *run_id, struct arena *out,
                       struct stress_record **rows, size_t *count, struct error *err)
{
    return store->ops->list_stress(store, run_id, out, rows, count, err);
}

/* ---- regressions ---- */

bool store_put_regressions(struct store *store, const char *const *execution_ids,
                           size_t execution_count, const struct regression_record *rows,
                           size_t count, struct error *err)
{
    return store->ops->put_regressions(store, execution_ids, execution_count, rows, count, err);
}

bool store_raise_alarms(struct store *store, const struct alarm_record *alarms, size_t count,
                        struct error *err)
{
    return store->ops->raise_alarms(store, alarms, count, err);
}

bool store_list_alarms(struct store *store, const char *agent_id, struct arena *out,
                       struct alarm_record **alarms, size_t *count, struct error *err)
{
    return store->ops->list_alarms(store, agent_id, out, alarms, count, err);
}

bool store_mark_alarm(struct store *store, const struct alarm_record *alarm, struct error *err)
{
    bool found = false;
    if (!store->ops->mark_alarm(store, alarm, &found, err)) return false;
    return found || error_set(err, ERROR_NOT_FOUND,
                              "no alarm %" PRId64 " in workspace '%s'; `assay regressions "
                              "--stats` lists them",
                              alarm->id, store->workspace);
}

/* ---- what the API's server keeps ---- */

bool store_put_token(struct store *store, const struct token_record *token, struct error *err)
{
    return store->ops->put_token(store, token, err);
}

bool store_list_tokens(struct store *store, bool all, struct arena *out,
                       struct token_record **tokens, size_t *count, struct error *err)
{
    return store->ops->list_tokens(store, all, out, tokens, count, err);
}

bool store_revoke_token(struct store *store, const char *name, struct error *err)
{
    bool found = false;
    if (!store->ops->revoke_token(store, name, &found, err)) return false;
    return found || error_set(err, ERROR_NOT_FOUND,
                              "no token '%s' in workspace '%s' that could be revoked; "
                              "`assay tokens list` shows them",
                              name, store->workspace);
}

bool store_touch_token(struct store *store, const char *id, struct error *err)
{
    return store->ops->touch_token(store, id, err);
}

bool store_put_request(struct store *store, const struct request_record *request,
                       struct error *err)
{
    return store->ops->put_request(store, request, err);
}

bool store_list_requests(struct store *store, const struct request_filter *filter,
                         struct arena *out, struct request_record **requests, size_t *count,
                         struct error *err)
{
    return store->ops->list_requests(store, filter, out, requests, count, err);
}

/* ---- import and export ---- */

bool store_hold(struct store *store, struct error *err)
{
    return store->ops->hold(store, err);
}

void store_release(struct store *store)
{
    store->ops->release(store);
}

bool store_generation(struct store *store, uint64_t *generation, struct error *err)
{
    return store->ops->generation(store, generation, err);
}

bool store_begin(struct store *store, struct error *err)
{
    return store->ops->begin_all(store, err);
}

bool store_commit(struct store *store, struct error *err)
{
    return store->ops->commit_all(store, err);
}

bool store_rollback(struct store *store)
{
    return store->ops->rollback_all(store);
}

bool store_put_histogram(struct store *store, const char *execution_id,
                         const struct histogram_record *h, struct error *err)
{
    return store->ops->put_histogram(store, execution_id, h, err);
}

bool store_list_histograms(struct store *store, const char *execution_id, struct arena *out,
                           struct histogram_record **histograms, size_t *count,
                           struct error *err)
{
    return store->ops->list_histograms(store, execution_id, out, histograms, count, err);
}

bool store_find_run_by_hash(struct store *store, const char *spec_hash, struct arena *out,
                            struct run_record *run, bool *found, struct error *err)
{
    char id[UUID_SIZE] = "";
    if (!store->ops->find_run_by_hash(store, spec_hash, id, err)) return false;
    *found = id[0] != '\0';
    return !*found || store_find_run(store, id, out, run, err);
}

static bool write_rows(struct store *store, enum rows_kind kind, const char *const *run_ids,
                       size_t count, struct buf *lines, struct error *err)
{
    struct buf ids;
    struct json j;
    buf_init(&ids, (size_t)64 << 20);
    json_init(&j, &ids, 0);
    json_texts(&j, run_ids, count);
    bool done = store->ops->write_rows(store, kind, buf_str(&ids).p, lines, err);
    buf_release(&ids);
    return done;
}

bool store_write_shared_rows(struct store *store, const char *const *run_ids, size_t count,
                             struct buf *lines, struct error *err)
{
    return write_rows(store, ROWS_SHARED, run_ids, count, lines, err);
}

bool store_write_run_rows(struct store *store, const char *run_id, struct buf *lines,
                          struct error *err)
{
    return write_rows(store, ROWS_RUN, &run_id, 1, lines, err);
}

bool store_write_baseline_rows(struct store *store, const char *const *run_ids, size_t count,
                               struct buf *lines, struct error *err)
{
    return write_rows(store, ROWS_BASELINES, run_ids, count, lines, err);
}

bool store_put_row(struct store *store, const char *run_id, struct str line, struct error *err)
{
    return store->ops->put_row(store, run_id, line, err);
}
