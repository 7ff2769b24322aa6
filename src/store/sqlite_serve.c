/* What the API's server keeps: tokens, and runs that it was asked for. */
#include "store/sqlite_internal.h"

#define NOW_STAMP "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"

bool sqlite_put_token(struct store *store, const struct token_record *t, struct error *err)
{
    static const char find[] = "SELECT 1 FROM api_tokens WHERE workspace_id = ? AND name = ?"
                               " AND revoked_at IS NULL";
    static const char sql[] =
        "INSERT INTO api_tokens (id, workspace_id, name, hash, role, expires_at)"
        " VALUES (?, ?, ?, ?, ?, ?)";
    struct sqlite *s = sqlite_of(store);
    struct query q;
    if (!query_open(s, find, &q, err)) return false;
    query_put_text(&q, s->workspace_id);
    query_put_text(&q, t->name);
    bool is_taken = query_next(&q);
    if (!query_close(&q, err)) return false;
    if (is_taken) {
        return error_set(err, ERROR_INVALID,
                         "workspace '%s' has a token '%s' already: revoke it first, or choose "
                         "another name",
                         store->workspace, t->name);
    }
    const char *const row[] = {t->id,   s->workspace_id, t->name,
                               t->hash, t->role,         t->expires_at};
    return query_run_texts(s, sql, row, COUNT(row), err);
}

bool sqlite_list_tokens(struct store *store, bool all, struct arena *out,
                        struct token_record **tokens, size_t *count, struct error *err)
{
    static const char sql[] =
        "SELECT t.id, w.name, t.name, t.role, t.hash, t.created_at, t.expires_at,"
        " t.last_used_at, t.revoked_at"
        " FROM api_tokens t JOIN workspaces w ON w.id = t.workspace_id"
        " WHERE ?1 OR t.workspace_id = ?2 ORDER BY t.rowid";
    struct sqlite *s = sqlite_of(store);
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_int(&q, all);
    query_put_text(&q, s->workspace_id);
    struct token_record *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        struct token_record *t = &list[*count];
        snprintf(t->id, sizeof t->id, "%s", query_peek_text(&q));
        const char **texts[] = {&t->workspace,    &t->name,       &t->role,
                                &t->hash,         &t->created_at, &t->expires_at,
                                &t->last_used_at, &t->revoked_at};
        for (size_t i = 0; i < COUNT(texts); i++) *texts[i] = query_text(&q, out);
    }
    *tokens = list;
    return query_close(&q, err);
}

bool sqlite_revoke_token(struct store *store, const char *name, bool *found, struct error *err)
{
    static const char sql[] =
        "UPDATE api_tokens SET revoked_at = " NOW_STAMP
        " WHERE workspace_id = ?1 AND (name = ?2 OR id = ?2) AND revoked_at IS NULL";
    struct sqlite *s = sqlite_of(store);
    const char *const row[] = {s->workspace_id, name};
    if (!query_run_texts(s, sql, row, COUNT(row), err)) return false;
    *found = sqlite3_changes(s->db) > 0;
    return true;
}

bool sqlite_touch_token(struct store *store, const char *id, struct error *err)
{
    static const char sql[] = "UPDATE api_tokens SET last_used_at = " NOW_STAMP " WHERE id = ?";
    return query_run_texts(sqlite_of(store), sql, &id, 1, err);
}

/* ---- requests ---- */

bool sqlite_put_request(struct store *store, const struct request_record *r, struct error *err)
{
    static const char sql[] =
        "INSERT INTO run_requests (id, workspace_id, token, suite, agents, configuration,"
        " schedule, state, error, created_at, started_at, ended_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, coalesce(?, " NOW_STAMP "), ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET state = excluded.state, error = excluded.error,"
        " started_at = excluded.started_at, ended_at = excluded.ended_at"
        " WHERE workspace_id = excluded.workspace_id";
    struct sqlite *s = sqlite_of(store);
    const char *const row[] = {
        r->id,     s->workspace_id,  r->token,      r->suite,
        r->agents, r->configuration, r->schedule,   request_state_name(r->state),
        r->error,  r->created_at,    r->started_at, r->ended_at};
    return query_run_texts(s, sql, row, COUNT(row), err);
}

static enum request_state state_of(const char *name)
{
    for (int i = 0; i < REQUEST_STATE_COUNT; i++) {
        if (strcmp(name, request_state_name((enum request_state)i)) == 0)
            return (enum request_state)i;
    }
    return REQUEST_FAILED;
}

bool sqlite_list_requests(struct store *store, const struct request_filter *filter,
                          struct arena *out, struct request_record **requests, size_t *count,
                          struct error *err)
{
    static const char sql[] =
        "SELECT r.id, w.name, r.state, r.token, r.suite, r.agents, r.configuration, r.schedule,"
        " r.error, r.created_at, r.started_at, r.ended_at"
        " FROM run_requests r JOIN workspaces w ON w.id = r.workspace_id"
        " WHERE (?1 OR r.workspace_id = ?2)"
        " AND (NOT ?3 OR r.state IN ('queued', 'running', 'parked'))"
        " AND (?4 IS NULL OR r.id = ?4) AND (?5 IS NULL OR r.schedule = ?5)"
        " ORDER BY r.created_at DESC, r.rowid DESC LIMIT ?6";
    struct sqlite *s = sqlite_of(store);
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_int(&q, filter->all);
    query_put_text(&q, s->workspace_id);
    query_put_int(&q, filter->is_open);
    query_put_text(&q, filter->id);
    query_put_text(&q, filter->schedule);
    query_put_int(&q, filter->limit ? (int64_t)filter->limit : -1);
    struct request_record *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        struct request_record *r = &list[*count];
        snprintf(r->id, sizeof r->id, "%s", query_peek_text(&q));
        r->workspace = query_text(&q, out);
        r->state = state_of(query_peek_text(&q));
        const char **texts[] = {&r->token,         &r->suite,      &r->agents,
                                &r->configuration, &r->schedule,   &r->error,
                                &r->created_at,    &r->started_at, &r->ended_at};
        for (size_t i = 0; i < COUNT(texts); i++) *texts[i] = query_text(&q, out);
    }
    *requests = list;
    return query_close(&q, err);
}
