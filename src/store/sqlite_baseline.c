/* Baselines, and the regressions that were found against them. */
#include "model/cell.h"
#include "store/sqlite_internal.h"

/* Removes one that was pinned before cells were distinguished, or by their key. */
static bool drop_older(struct sqlite *s, const char *const *row, const char *key,
                       struct error *err)
{
    static const char sql[] = "DELETE FROM baselines WHERE workspace_id = ? AND name = ?"
                              " AND agent_id = ? AND benchmark_id = ? AND cell IN ('', ?)";
    const char *const older[] = {row[0], row[1], row[2], row[3], key ? key : ""};
    return query_run_texts(s, sql, older, COUNT(older), err);
}

bool sqlite_put_baseline(struct store *store, const char *name,
                         const struct execution_record *e, struct error *err)
{
    static const char sql[] =
        "INSERT INTO baselines (workspace_id, name, agent_id, benchmark_id, execution_id,"
        " agent_version, cell) VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (workspace_id, name, agent_id, benchmark_id, cell) DO UPDATE SET"
        " execution_id = excluded.execution_id, agent_version = excluded.agent_version,"
        " created_at = excluded.created_at";
    struct sqlite *s = sqlite_of(store);
    struct cell_identity cell = cell_identity(e, CELL_WHAT | CELL_LANES);
    const char *const row[] = {s->workspace_id,  name,    e->agent_id, e->benchmark_id, e->id,
                               e->agent_version, cell.hex};
    return drop_older(s, row, e->cell_key, err) &&
           query_run_texts(s, sql, row, COUNT(row), err);
}

bool sqlite_list_baselines(struct store *store, const char *name, struct arena *out,
                           struct baseline_record **baselines, size_t *count, struct error *err)
{
    static const char sql[] =
        "SELECT l.agent_id, l.benchmark_id, l.name, a.name, b.name, l.agent_version,"
        " l.created_at, l.execution_id, e.run_id, l.cell, e.label"
        " FROM baselines l"
        " JOIN agents a ON a.id = l.agent_id JOIN benchmarks b ON b.id = l.benchmark_id"
        " LEFT JOIN benchmark_executions e ON e.id = l.execution_id"
        " WHERE l.workspace_id = ?1 AND (?2 IS NULL OR l.name = ?2)"
        " ORDER BY l.name, a.name, b.name, l.id";
    struct sqlite *s = sqlite_of(store);
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, s->workspace_id);
    query_put_text(&q, name);
    struct baseline_record *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        struct baseline_record *b = &list[*count];
        snprintf(b->agent_id, sizeof b->agent_id, "%s", query_peek_text(&q));
        snprintf(b->benchmark_id, sizeof b->benchmark_id, "%s", query_peek_text(&q));
        const char **texts[] = {&b->name,    &b->agent,      &b->benchmark,
                                &b->version, &b->created_at, &b->execution_id,
                                &b->run_id,  &b->cell,       &b->label};
        for (size_t i = 0; i < COUNT(texts); i++) *texts[i] = query_text(&q, out);
    }
    *baselines = list;
    return query_close(&q, err);
}

bool sqlite_clear_baseline(struct store *store, const char *name, int64_t *cleared,
                           struct error *err)
{
    static const char sql[] = "DELETE FROM baselines WHERE workspace_id = ? AND name = ?";
    struct sqlite *s = sqlite_of(store);
    const char *const row[] = {s->workspace_id, name};
    if (!query_run_texts(s, sql, row, COUNT(row), err)) return false;
    *cleared = sqlite3_changes(s->db);
    return true;
}

static bool put_regression(struct sqlite *s, const struct regression_record *r,
                           struct error *err)
{
    static const char sql[] =
        "INSERT INTO regressions (workspace_id, agent_id, agent_version, benchmark_id,"
        " execution_id, metric, severity, impact_analysis, baseline_value, current_value,"
        " regression_percentage) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    const char *const row[] = {s->workspace_id, r->agent_id,       r->agent_version,
                               r->benchmark_id, r->execution_id,   r->metric,
                               r->severity,     r->impact_analysis};
    for (size_t i = 0; i < COUNT(row); i++) query_put_text(&q, row[i]);
    query_put_real(&q, r->baseline_value);
    query_put_real(&q, r->current_value);
    query_put_real(&q, r->regression_percentage);
    return query_run(&q, err);
}

bool sqlite_put_regressions(struct store *store, const char *const *execution_ids,
                            size_t execution_count, const struct regression_record *rows,
                            size_t count, struct error *err)
{
    static const char clear[] =
        "DELETE FROM regressions WHERE workspace_id = ? AND execution_id = ?";
    struct sqlite *s = sqlite_of(store);
    if (!sqlite_begin(s, err)) return false;
    for (size_t i = 0; i < execution_count; i++) {
        const char *const row[] = {s->workspace_id, execution_ids[i]};
        if (!query_run_texts(s, clear, row, COUNT(row), err)) return sqlite_rollback(s);
    }
    for (size_t i = 0; i < count; i++) {
        if (!put_regression(s, &rows[i], err)) return sqlite_rollback(s);
    }
    return sqlite_commit(s, err);
}
