/* Agents, suites, benchmarks and cases: what executions refer to by id. */
#include "store/sqlite_internal.h"

static bool put_texts(struct sqlite *s, const char *sql, const char *const *texts, size_t count,
                      bool flag, struct error *err)
{
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    for (size_t i = 0; i < count; i++) query_put_text(&q, texts[i]);
    query_put_int(&q, flag);
    return query_run(&q, err);
}

/* The next columns, in order. */
static void take_texts(struct query *q, const char **const *fields, size_t count,
                       struct arena *out)
{
    for (size_t i = 0; i < count; i++) *fields[i] = query_text(q, out);
}

/* What a run has met does not replace what was registered by hand, nor what was only
 * named (by `record`, by an import) what has been defined. */
bool sqlite_put_agent(struct store *store, const struct agent_record *a, struct error *err)
{
    static const char sql[] =
        "INSERT INTO agents (id, workspace_id, name, kind, version, configuration,"
        " is_registered) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
        " kind = iif(excluded.configuration IS NULL AND configuration IS NOT NULL, kind,"
        "  excluded.kind), version = excluded.version,"
        " configuration = coalesce(excluded.configuration, configuration),"
        " is_registered = max(is_registered, excluded.is_registered)"
        " WHERE excluded.is_registered OR NOT is_registered";
    struct sqlite *s = sqlite_of(store);
    const char *row[] = {a->id,   s->workspace_id, a->name,
                         a->kind, a->version,      a->configuration};
    return put_texts(s, sql, row, COUNT(row), a->is_registered, err);
}

bool sqlite_put_suite(struct store *store, const struct suite_record *r, struct error *err)
{
    static const char clear[] = "UPDATE benchmark_suites SET is_registered = 0"
                                " WHERE workspace_id = ? AND name = ? AND id <> ? AND ?";
    static const char put[] =
        "INSERT INTO benchmark_suites (id, workspace_id, name, title, category, version,"
        " content_hash, baseline_scores, spec, source, benchmarks, is_registered)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
        " title = excluded.title, category = excluded.category, version = excluded.version,"
        " baseline_scores = excluded.baseline_scores,"
        " benchmarks = CASE WHEN coalesce(json_array_length(benchmarks), 0) >"
        "  json_array_length(excluded.benchmarks) THEN benchmarks"
        "  ELSE excluded.benchmarks END," /* a run of some of them takes none away */
        " spec = coalesce(excluded.spec, spec), source = coalesce(excluded.source, source),"
        " is_registered = max(is_registered, excluded.is_registered)";
    struct sqlite *s = sqlite_of(store);
    const char *others[] = {s->workspace_id, r->name, r->id};
    const char *row[] = {r->id,       s->workspace_id, r->name,         r->title,
                         r->category, r->version,      r->content_hash, r->baseline_scores,
                         r->spec,     r->source,       r->benchmarks};
    if (!sqlite_begin(s, err)) return false;
    bool done = put_texts(s, clear, others, COUNT(others), r->is_registered, err) &&
                put_texts(s, put, row, COUNT(row), r->is_registered, err);
    return done ? sqlite_commit(s, err) : sqlite_rollback(s);
}

bool sqlite_put_benchmark(struct store *store, const struct benchmark_record *b,
                          struct error *err)
{
    static const char sql[] =
        "INSERT INTO benchmarks (id, workspace_id, suite_id, name, description, test_type,"
        " metrics_measured, dataset, constraints, scoring_rubric, targets, settings, cases,"
        " content_hash) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14"
        " WHERE ?15 ON CONFLICT (id) DO UPDATE SET description = excluded.description,"
        " test_type = excluded.test_type, metrics_measured = excluded.metrics_measured,"
        " dataset = excluded.dataset, constraints = excluded.constraints,"
        " scoring_rubric = excluded.scoring_rubric, targets = excluded.targets,"
        " settings = excluded.settings, cases = excluded.cases"; /* whoever wrote it before */
    struct sqlite *s = sqlite_of(store);
    const char *row[] = {b->id,          s->workspace_id,   b->suite_id,         b->name,
                         b->description, b->test_type,      b->metrics_measured, b->dataset,
                         b->constraints, b->scoring_rubric, b->targets,          b->settings,
                         b->cases,       b->content_hash};
    return put_texts(s, sql, row, COUNT(row), true, err);
}

bool sqlite_put_cases(struct store *store, const struct case_record *cases, size_t count,
                      struct error *err)
{
    static const char sql[] = "INSERT INTO cases (hash, name, input, expected, rubric, fields)"
                              " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
    struct sqlite *s = sqlite_of(store);
    if (!sqlite_begin(s, err)) return false;
    for (size_t i = 0; i < count; i++) {
        const struct case_record *c = &cases[i];
        const char *row[] = {c->hash, c->name, c->input, c->expected, c->rubric, c->fields};
        if (!query_run_texts(s, sql, row, COUNT(row), err)) return sqlite_rollback(s);
    }
    return sqlite_commit(s, err);
}

bool sqlite_unregister(struct store *store, bool is_suite, const char *name, bool *found,
                       struct error *err)
{
    static const char agent[] = "UPDATE agents SET is_registered = 0"
                                " WHERE workspace_id = ? AND name = ? AND is_registered";
    static const char suite[] = "UPDATE benchmark_suites SET is_registered = 0"
                                " WHERE workspace_id = ? AND name = ? AND is_registered";
    struct sqlite *s = sqlite_of(store);
    const char *const row[] = {s->workspace_id, name};
    if (!query_run_texts(s, is_suite ? suite : agent, row, COUNT(row), err)) return false;
    *found = sqlite3_changes(s->db) > 0;
    return true;
}

bool sqlite_list_agents(struct store *store, bool all, const char *name, struct arena *out,
                        struct agent_record **agents, size_t *count, struct error *err)
{
    static const char sql[] =
        "SELECT id, name, kind, version, configuration, is_registered FROM agents"
        " WHERE workspace_id = ?1 AND NOT is_builtin AND (?2 OR is_registered)"
        " AND (?3 IS NULL OR name = ?3) ORDER BY name";
    struct sqlite *s = sqlite_of(store);
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, s->workspace_id);
    query_put_int(&q, all);
    query_put_text(&q, name);
    struct agent_record *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        struct agent_record *a = &list[*count];
        snprintf(a->id, sizeof a->id, "%s", query_peek_text(&q));
        const char **texts[] = {&a->name, &a->kind, &a->version, &a->configuration};
        take_texts(&q, texts, COUNT(texts), out);
        a->is_registered = query_int(&q) != 0;
    }
    *agents = list;
    return query_close(&q, err);
}

bool sqlite_list_suites(struct store *store, bool all, const char *name, const char *id,
                        struct arena *out, struct suite_record **suites, size_t *count,
                        struct error *err)
{
    static const char sql[] =
        "SELECT id, name, title, category, version, content_hash, baseline_scores, spec,"
        " source, benchmarks, is_registered FROM benchmark_suites"
        " WHERE workspace_id = ?1 AND NOT is_builtin AND (?2 OR is_registered)"
        " AND (?3 IS NULL OR name = ?3) AND (?4 IS NULL OR id = ?4)"
        " ORDER BY name, created_at DESC, id";
    struct sqlite *s = sqlite_of(store);
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, s->workspace_id);
    query_put_int(&q, all);
    query_put_text(&q, name);
    query_put_text(&q, id);
    struct suite_record *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        struct suite_record *r = &list[*count];
        snprintf(r->id, sizeof r->id, "%s", query_peek_text(&q));
        const char **texts[] = {&r->name,    &r->title,        &r->category,
                                &r->version, &r->content_hash, &r->baseline_scores,
                                &r->spec,    &r->source,       &r->benchmarks};
        take_texts(&q, texts, COUNT(texts), out);
        r->is_registered = query_int(&q) != 0;
    }
    *suites = list;
    return query_close(&q, err);
}

bool sqlite_list_benchmarks(struct store *store, const char *suite_id, const char *id,
                            struct arena *out, struct benchmark_record **benchmarks,
                            size_t *count, struct error *err)
{
    static const char sql[] =
        "SELECT id, suite_id, name, description, test_type, metrics_measured, dataset,"
        " constraints, scoring_rubric, targets, settings, cases, content_hash"
        " FROM benchmarks b WHERE workspace_id = ?1 AND (?3 IS NULL OR id = ?3)"
        " AND (?2 IS NULL OR EXISTS (SELECT 1 FROM benchmark_suites s,"
        "  json_each(s.benchmarks) e WHERE s.id = ?2 AND e.value = b.id))"
        " ORDER BY (SELECT e.key FROM benchmark_suites s,"
        "  json_each(s.benchmarks) e WHERE s.id = ?2 AND e.value = b.id)";
    struct sqlite *s = sqlite_of(store);
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, s->workspace_id);
    query_put_text(&q, suite_id);
    query_put_text(&q, id);
    struct benchmark_record *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        struct benchmark_record *b = &list[*count];
        snprintf(b->id, sizeof b->id, "%s", query_peek_text(&q));
        snprintf(b->suite_id, sizeof b->suite_id, "%s", query_peek_text(&q));
        const char **texts[] = {
            &b->name,     &b->description, &b->test_type,      &b->metrics_measured,
            &b->dataset,  &b->constraints, &b->scoring_rubric, &b->targets,
            &b->settings, &b->cases,       &b->content_hash};
        take_texts(&q, texts, COUNT(texts), out);
    }
    *benchmarks = list;
    return query_close(&q, err);
}

bool sqlite_find_case(struct store *store, const char *hash, struct arena *out,
                      struct case_record *c, bool *found, struct error *err)
{
    static const char sql[] =
        "SELECT hash, name, input, expected, rubric, fields FROM cases WHERE hash = ?";
    struct query q;
    if (!query_open(sqlite_of(store), sql, &q, err)) return false;
    query_put_text(&q, hash);
    *found = query_next(&q);
    if (*found) {
        const char **texts[] = {&c->hash,     &c->name,   &c->input,
                                &c->expected, &c->rubric, &c->fields};
        take_texts(&q, texts, COUNT(texts), out);
    }
    return query_close(&q, err);
}
