/* Every regression that was reported, and what people said of it. */
#include "store/sqlite_internal.h"

static bool raise_alarm(struct sqlite *s, const struct alarm_record *a, struct error *err)
{
    static const char sql[] =
        "INSERT INTO alarms (workspace_id, agent_id, benchmark_id, cell, metric, rule,"
        " agent_version, execution_id, severity, changed_at, raised_at, last_at, amount, runs)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (workspace_id, agent_id, benchmark_id, cell, metric, rule, agent_version)"
        " DO UPDATE SET execution_id = excluded.execution_id, severity = excluded.severity,"
        " amount = excluded.amount, last_at = excluded.last_at";
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    const char *const row[] = {s->workspace_id, a->agent_id,   a->benchmark_id, a->cell,
                               a->metric,       a->rule,       a->version,      a->execution_id,
                               a->severity,     a->changed_at, a->raised_at,    a->last_at};
    for (size_t i = 0; i < COUNT(row); i++) query_put_text(&q, row[i]);
    query_put_real(&q, a->amount);
    query_put_int(&q, a->runs);
    return query_run(&q, err);
}

bool sqlite_raise_alarms(struct store *store, const struct alarm_record *alarms, size_t count,
                         struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    if (count == 0) return true;
    if (!sqlite_begin(s, err)) return false;
    for (size_t i = 0; i < count; i++) {
        if (!raise_alarm(s, &alarms[i], err)) return sqlite_rollback(s);
    }
    return sqlite_commit(s, err);
}

bool sqlite_list_alarms(struct store *store, const char *agent_id, struct arena *out,
                        struct alarm_record **alarms, size_t *count, struct error *err)
{
    static const char sql[] =
        "SELECT l.id, l.runs, l.amount, l.agent_id, l.benchmark_id, a.name, b.name, l.cell,"
        " l.metric, l.rule, l.agent_version, l.execution_id, e.run_id, l.severity, "
        "l.changed_at,"
        " l.raised_at, l.last_at, l.judgement, l.judged_reason, l.judged_by, l.judged_at,"
        " l.muted_until, l.muted_reason, l.muted_by, l.muted_at"
        " FROM alarms l"
        " JOIN agents a ON a.id = l.agent_id JOIN benchmarks b ON b.id = l.benchmark_id"
        " LEFT JOIN benchmark_executions e ON e.id = l.execution_id"
        " WHERE l.workspace_id = ?1 AND (?2 IS NULL OR l.agent_id = ?2)"
        " ORDER BY l.raised_at DESC, l.id DESC";
    struct sqlite *s = sqlite_of(store);
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, s->workspace_id);
    query_put_text(&q, agent_id);
    struct alarm_record *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        struct alarm_record *a = &list[*count];
        a->id = query_int(&q);
        a->runs = query_int(&q);
        a->amount = query_real(&q);
        const char **texts[] = {
            &a->agent_id,     &a->benchmark_id, &a->agent,       &a->benchmark,
            &a->cell,         &a->metric,       &a->rule,        &a->version,
            &a->execution_id, &a->run_id,       &a->severity,    &a->changed_at,
            &a->raised_at,    &a->last_at,      &a->judgement,   &a->judged_reason,
            &a->judged_by,    &a->judged_at,    &a->muted_until, &a->muted_reason,
            &a->muted_by,     &a->muted_at};
        for (size_t i = 0; i < COUNT(texts); i++) *texts[i] = query_text(&q, out);
    }
    *alarms = list;
    return query_close(&q, err);
}

bool sqlite_mark_alarm(struct store *store, const struct alarm_record *a, bool *found,
                       struct error *err)
{
    static const char sql[] =
        "UPDATE alarms SET judgement = ?, judged_reason = ?, judged_by = ?, judged_at = ?,"
        " muted_until = ?, muted_reason = ?, muted_by = ?, muted_at = ?"
        " WHERE workspace_id = ? AND id = ?";
    struct sqlite *s = sqlite_of(store);
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    const char *const row[] = {a->judgement, a->judged_reason, a->judged_by,
                               a->judged_at, a->muted_until,   a->muted_reason,
                               a->muted_by,  a->muted_at,      s->workspace_id};
    for (size_t i = 0; i < COUNT(row); i++) query_put_text(&q, row[i]);
    query_put_int(&q, a->id);
    if (!query_run(&q, err)) return false;
    *found = sqlite3_changes(s->db) > 0;
    return true;
}
