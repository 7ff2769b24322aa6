/* What the scenarios of stress tests concluded. */
#include "store/sqlite_internal.h"

#define OF_RUN "execution_id IN (SELECT id FROM benchmark_executions WHERE run_id = ?1)"

static bool put_result(struct sqlite *s, const struct stress_record *r, struct error *err)
{
    static const char sql[] = "INSERT INTO stress_results (execution_id, scenario, parameters, "
                              "result, breaking_point,"
                              " broke, resilience_score) VALUES (?, ?, ?, ?, ?, ?, ?)";
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    const char *const texts[] = {r->execution_id, r->scenario, r->parameters, r->result,
                                 r->breaking_point};
    for (size_t i = 0; i < COUNT(texts); i++) query_put_text(&q, texts[i]);
    query_put_int(&q, r->broke);
    query_put_real(&q, r->resilience_score);
    return query_run(&q, err);
}

bool sqlite_put_stress(struct store *store, const char *run_id,
                       const struct stress_record *rows, size_t count, struct error *err)
{
    static const char clear[] = "DELETE FROM stress_results WHERE " OF_RUN;
    struct sqlite *s = sqlite_of(store);
    if (!sqlite_begin(s, err)) return false;
    if (!query_run_texts(s, clear, &run_id, 1, err)) return sqlite_rollback(s);
    for (size_t i = 0; i < count; i++) {
        if (!put_result(s, &rows[i], err)) return sqlite_rollback(s);
    }
    return sqlite_commit(s, err);
}

bool sqlite_list_stress(struct store *store, const char *run_id, struct arena *out,
                        struct stress_record **rows, size_t *count, struct error *err)
{
    static const char sql[] =
        "SELECT execution_id, scenario, parameters, result, breaking_point, broke,"
        " resilience_score FROM stress_results WHERE " OF_RUN " ORDER BY id";
    struct sqlite *s = sqlite_of(store);
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, run_id);
    struct stress_record *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        struct stress_record *r = &list[*count];
        const char **texts[] = {&r->execution_id, &r->scenario, &r->parameters, &r->result,
                                &r->breaking_point};
        for (size_t i = 0; i < COUNT(texts); i++) *texts[i] = query_text(&q, out);
        r->broke = query_int(&q) != 0;
        r->resilience_score = query_real(&q);
    }
    *rows = list;
    return query_close(&q, err);
}
