/* Several reads or writes as one transaction, histograms, and runs found by content. */
#include "store/sqlite_internal.h"

bool sqlite_hold(struct store *store, struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    if (!s->in_batch && s->holds == 0 && !sqlite_exec(s, "BEGIN", err)) return false;
    s->holds++;
    return true;
}

void sqlite_release(struct store *store)
{
    struct sqlite *s = sqlite_of(store);
    CHECK(s->holds > 0);
    if (--s->holds > 0 || s->in_batch || sqlite3_get_autocommit(s->db)) return;
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL); /* nothing was written */
}

/* SQLite would go on reading a file that was removed or replaced, and whoever revoked a
 * token in the new one would find it valid. */
bool sqlite_generation(struct store *store, uint64_t *generation, struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    struct query q;
    int has_moved = 0;
    sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
    if (has_moved) {
        return error_set(err, ERROR_UNAVAILABLE,
                         "the file of store '%s' was removed or replaced: start again",
                         s->path);
    }
    if (!query_open(s, "PRAGMA data_version", &q, err)) return false;
    *generation = query_next(&q) ? (uint64_t)query_int(&q) : 0;
    return query_close(&q, err);
}

bool sqlite_begin_all(struct store *store, struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    CHECK(!s->in_batch && s->holds == 0);
    s->in_batch = sqlite_begin(s, err);
    return s->in_batch;
}

bool sqlite_commit_all(struct store *store, struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    CHECK(s->in_batch);
    s->in_batch = false;
    return sqlite_commit(s, err);
}

bool sqlite_rollback_all(struct store *store)
{
    struct sqlite *s = sqlite_of(store);
    s->in_batch = false;
    return sqlite_rollback(s);
}

bool sqlite_put_histogram(struct store *store, const char *execution_id,
                          const struct histogram_record *h, struct error *err)
{
    static const char sql[] =
        "INSERT INTO histograms (execution_id, phase, metric, unit, definition, count,"
        " encoding, data, trial) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (execution_id, phase, metric, coalesce(trial, -1)) DO UPDATE SET"
        " unit = excluded.unit,"
        " definition = excluded.definition, count = excluded.count,"
        " encoding = excluded.encoding, data = excluded.data";
    struct query q;
    if (!query_open(sqlite_of(store), sql, &q, err)) return false;
    query_put_text(&q, execution_id);
    query_put_text(&q, trial_phase_name(h->phase));
    query_put_text(&q, h->metric);
    query_put_text(&q, h->unit);
    query_put_text(&q, h->definition);
    query_put_int(&q, h->count);
    query_put_text(&q, h->encoding);
    query_put_blob(&q, h->data.p, h->data.n);
    query_put_index(&q, h->trial);
    return query_run(&q, err);
}

bool sqlite_list_histograms(struct store *store, const char *execution_id, struct arena *out,
                            struct histogram_record **histograms, size_t *count,
                            struct error *err)
{
    static const char sql[] = "SELECT phase, metric, unit, definition, count, encoding,"
                              " data, trial FROM histograms WHERE execution_id = ?"
                              " ORDER BY phase, metric, trial";
    struct query q;
    if (!query_open(sqlite_of(store), sql, &q, err)) return false;
    query_put_text(&q, execution_id);
    struct histogram_record *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        struct histogram_record *h = &list[*count];
        if (!trial_phase_parse(query_peek_text(&q), &h->phase)) h->phase = PHASE_MEASURED;
        h->metric = query_text(&q, out);
        h->unit = query_text(&q, out);
        h->definition = query_text(&q, out);
        h->count = query_int(&q);
        h->encoding = query_text(&q, out);
        h->data = query_blob(&q, out);
        h->trial = query_index(&q);
    }
    *histograms = list;
    return query_close(&q, err);
}

bool sqlite_find_run_by_hash(struct store *store, const char *spec_hash, char *run_id,
                             struct error *err)
{
    static const char sql[] = "SELECT id FROM runs WHERE workspace_id = ? AND spec_hash = ?"
                              " ORDER BY started_ns DESC, id DESC LIMIT 1";
    struct sqlite *s = sqlite_of(store);
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, s->workspace_id);
    query_put_text(&q, spec_hash);
    run_id[0] = '\0';
    if (query_next(&q)) snprintf(run_id, UUID_SIZE, "%s", query_peek_text(&q));
    return query_close(&q, err);
}
