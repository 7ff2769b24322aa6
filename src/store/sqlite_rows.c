/* Runs and executions. Each record is described once, as a table of columns;
 * the statements that write and read it, the binding and the reading follow
 * from that table. */
#include "store/sqlite_internal.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/plain.h"

#include <math.h>

enum column_kind {
    COLUMN_UUID,   /* char[UUID_SIZE]; "" is NULL */
    COLUMN_TEXT,   /* const char * */
    COLUMN_INT,    /* int64_t */
    COLUMN_REAL,   /* double, NaN is NULL */
    COLUMN_COUNT,  /* double, stored as an integer */
    COLUMN_STATUS, /* enum run_status */
    COLUMN_INDEX,  /* int64_t, -1 is NULL */
    COLUMN_LIST,   /* const struct value *, NULL is NULL; what is not a list is NULL too */
    COLUMN_MAP,    /* likewise */
    COLUMN_SORTED, /* likewise a map, written with its keys in order */
    COLUMN_NOTES,  /* struct note_list */
    COLUMN_KIND,   /* enum version_kind, by name */
    COLUMN_REASON, /* enum unranked, by name */
};

struct column {
    const char *name;
    enum column_kind kind;
    size_t offset;
};

struct table {
    const char *name;
    const struct column *columns;
    size_t count;
    const char *derived; /* names of columns that are written, not read */
    const char *derived_values;
};

#define R(kind, name)                                           \
    {                                                           \
#name, COLUMN_##kind, offsetof(struct run_record, name) \
    }
#define E(kind, name)                                                 \
    {                                                                 \
#name, COLUMN_##kind, offsetof(struct execution_record, name) \
    }
#define TRIALS(name, status)                                                                 \
    {                                                                                        \
        "trials_" name, COLUMN_INT,                                                          \
            offsetof(struct execution_record, counts.by_status) + (status) * sizeof(int64_t) \
    }
#define SCORE(name, id)                                                       \
    {                                                                         \
        name "_score", COLUMN_REAL,                                           \
            offsetof(struct execution_record, scores) + (id) * sizeof(double) \
    }

static const struct column run_columns[] = {
    R(UUID, id),         R(STATUS, status),  R(INT, seed),     R(TEXT, spec_path),
    R(TEXT, spec_text),  R(TEXT, spec_hash), R(LIST, command), R(MAP, environment),
    R(MAP, vcs),         R(LIST, tags),      R(NOTES, notes),  R(TEXT, assay_version),
    R(TEXT, output_dir), R(INT, started_ns), R(INT, ended_ns), R(LIST, claims),
    R(TEXT, baseline),
};

static const struct column execution_columns[] = {
    E(UUID, id),
    E(UUID, run_id),
    E(UUID, suite_id),
    E(UUID, benchmark_id),
    E(UUID, agent_id),
    E(TEXT, agent_version),
    E(INT, cell_index),
    E(INT, group_index),
    E(INT, arm_index),
    E(TEXT, cell_key),
    E(TEXT, label),
    E(TEXT, experiment),
    E(SORTED, parameters),
    E(TEXT, factor),
    E(TEXT, provenance),
    E(TEXT, model_configuration),
    E(LIST, instruments),
    E(TEXT, primary_metric),
    E(STATUS, status),
    E(TEXT, error_details),
    E(NOTES, notes),
    E(INT, seed),
    E(INT, warmup_planned),
    E(INT, warmup_done),
    E(INT, steady_at),
    E(INT, measured_planned),
    E(INT, segments),
    E(INT, concurrency),
    {"trials_attempted", COLUMN_INT, offsetof(struct execution_record, counts.attempted)},
    TRIALS("ok", TRIAL_OK),
    TRIALS("failed", TRIAL_FAILED),
    TRIALS("timed_out", TRIAL_TIMED_OUT),
    TRIALS("limit_breached", TRIAL_LIMIT_BREACHED),
    TRIALS("invalid_output", TRIAL_INVALID_OUTPUT),
    TRIALS("agent_error", TRIAL_AGENT_ERROR),
    TRIALS("harness_error", TRIAL_HARNESS_ERROR),
    E(REAL, overhead_s),
    E(INT, start_ns),
    E(INT, end_ns),
    SCORE("accuracy", SCORE_ACCURACY),
    SCORE("speed", SCORE_SPEED),
    SCORE("efficiency", SCORE_EFFICIENCY),
    SCORE("cost", SCORE_COST),
    SCORE("reliability", SCORE_RELIABILITY),
    E(COUNT, tokens_used),
    E(COUNT, api_calls_made),
    E(REAL, memory_peak_mb),
    E(REAL, cpu_usage_percent),
    E(REAL, output_correctness),
    E(REAL, output_completeness),
    E(REAL, output_relevance),
    E(REAL, percentile_rank),
    E(REAL, deviation_from_baseline),
    E(REAL, cost_usd),
    E(INDEX, entry_index),
    E(TEXT, name),
    E(KIND, version_kind),
    E(TEXT, made_from),
    E(REASON, unranked),
};

static const struct table run_table = {
    .name = "runs",
    .columns = run_columns,
    .count = COUNT(run_columns),
    .derived = "workspace_id, started_at, ended_at",
    .derived_values = "?, ?, ?",
};

static const struct table execution_table = {
    .name = "benchmark_executions",
    .columns = execution_columns,
    .count = COUNT(execution_columns),
    .derived = "workspace_id, start_time, end_time, total_duration_ms, execution_environment",
    .derived_values = "?, ?, ?, ?, (SELECT environment FROM runs WHERE id = ?2)",
};

/* ---- statements from tables ---- */

static void add_columns(struct buf *b, const struct table *t)
{
    for (size_t i = 0; i < t->count; i++) {
        buf_printf(b, "%s%s", i ? ", " : "", t->columns[i].name);
    }
}

/* "INSERT INTO t (..) VALUES (..) ON CONFLICT (id) DO UPDATE SET a = excluded.a, .."
 * OR ABORT is what an insert does anyway. Said aloud, it is the same word as the update's, and
 * SQLite compiles a trigger that both fire once instead of twice (a third of preparing it). */
static void write_put(struct buf *b, const struct table *t)
{
    buf_printf(b, "INSERT OR ABORT INTO %s (", t->name);
    add_columns(b, t);
    buf_printf(b, ", %s) VALUES (", t->derived);
    for (size_t i = 0; i < t->count; i++) buf_text(b, "?, ");
    buf_printf(b, "%s) ON CONFLICT (id) DO UPDATE SET ", t->derived_values);
    for (size_t i = 1; i < t->count; i++) {
        buf_printf(b, "%s = excluded.%s, ", t->columns[i].name, t->columns[i].name);
    }
    struct str rest = str_of(t->derived);
    while (rest.p) {
        struct str name = str_trim(str_cut(&rest, ','));
        buf_printf(b, "%.*s = excluded.%.*s%s", STR_ARG(name), STR_ARG(name),
                   rest.p ? ", " : "");
    }
}

static void write_list(struct buf *b, const struct table *t)
{
    buf_text(b, "SELECT ");
    add_columns(b, t);
    buf_printf(b, " FROM %s ", t->name);
}

static const char *finish_sql(struct sqlite *s, struct buf *b, const char *rest)
{
    buf_text(b, rest);
    CHECK(!b->overflow);
    const char *sql = str_cstr(&s->arena, buf_str(b));
    buf_clear(b);
    return sql;
}

/* Each run with its place in the order (sqlite_order.c). */
#define RUN_ORDER(now)                                                                  \
    "(SELECT id AS placed_id, rowid AS place, CASE WHEN rowid >= 0 THEN run_era(rowid)" \
    " WHEN started_ns <= " now " THEN started_ns ELSE -9223372036854775807 END AS era"  \
    " FROM runs WHERE workspace_id = ?1)"

/* By time the index on (workspace_id, started_ns) answers, by id the primary
 * key; the plus keeps the planner from the other one. */
#define RUN_FILTER                                                      \
    "workspace_id = ?1 AND started_ns >= ?2 AND (?3 IS NULL OR EXISTS " \
    "(SELECT 1 FROM json_each(runs.tags) WHERE value = ?3)) "           \
    "AND (?7 IS NULL OR EXISTS (SELECT 1 FROM benchmark_executions e"   \
    " JOIN benchmark_suites s ON s.id = e.suite_id"                     \
    " WHERE e.run_id = runs.id AND e.experiment = 'suite' AND s.name = ?7)) "

/* Executions by what has an index: the condition on it comes first, in a form that the planner
 * takes, and the others are filters. "id = ?2 OR ?2 IS NULL" would read the whole table. */
#define EXECUTIONS_WHERE(indexed)                                                             \
    "LEFT JOIN " RUN_ORDER(                                                                   \
        "?8") " ON placed_id = run_id WHERE " indexed " AND +workspace_id = ?1"               \
              " AND (?2 IS NULL OR +benchmark_id = ?2) AND (?3 IS NULL OR +agent_id = ?3)"    \
              " AND (?7 IS NULL OR +suite_id = ?7) AND (NOT ?4 OR status = 'success')"        \
              " AND (NOT ?5 OR provenance = 'measured')"                                      \
              " ORDER BY coalesce(era, start_ns, 0) DESC, place DESC, start_ns DESC, id DESC" \
              " LIMIT ?6"
static const char *const query_by[SQLITE_QUERIES] = {
    [SQLITE_BY_NONE] = EXECUTIONS_WHERE("workspace_id = ?1"),
    [SQLITE_BY_SUITE] = EXECUTIONS_WHERE("suite_id = ?7"),
    [SQLITE_BY_AGENT] = EXECUTIONS_WHERE("agent_id = ?3"),
    [SQLITE_BY_BENCHMARK] = EXECUTIONS_WHERE("benchmark_id = ?2"),
};

void sqlite_rows_init(struct sqlite *s)
{
    char memory[6000];
    struct buf b;
    buf_over(&b, memory, sizeof memory);
    write_put(&b, &run_table);
    s->sql.put_run = finish_sql(s, &b, "");
    write_put(&b, &execution_table);
    s->sql.put_execution = finish_sql(s, &b, "");
    write_list(&b, &run_table);
    s->sql.list_runs =
        finish_sql(s, &b,
                   "JOIN " RUN_ORDER("?5") " ON place = runs.rowid WHERE +" RUN_FILTER
                                           "ORDER BY era DESC, place DESC LIMIT ?4");
    write_list(&b, &run_table);
    s->sql.list_measured_runs =
        finish_sql(s, &b, "WHERE rowid >= 0 AND +" RUN_FILTER "ORDER BY rowid DESC LIMIT ?4");
    write_list(&b, &run_table);
    s->sql.list_runs_by_id = finish_sql(s, &b,
                                        "WHERE +" RUN_FILTER "AND id >= ?5 AND id < ?6 "
                                        "ORDER BY started_ns DESC, id DESC LIMIT ?4");
    write_list(&b, &run_table);
    s->sql.list_runs_by_end =
        finish_sql(s, &b,
                   "WHERE +" RUN_FILTER "AND substr(id, 25) >= ?5 AND substr(id, 25) < ?6 "
                   "ORDER BY started_ns DESC, id DESC LIMIT ?4");
    write_list(&b, &execution_table);
    s->sql.list_executions = finish_sql(s, &b, "WHERE run_id = ? ORDER BY cell_index, id");
    write_list(&b, &execution_table);
    s->sql.first_execution =
        finish_sql(s, &b, "WHERE run_id = ? ORDER BY cell_index, id LIMIT 1");
    write_list(&b, &execution_table);
    s->sql.find_execution = finish_sql(s, &b, "WHERE id = ? AND workspace_id = ?");
    for (int by = 0; by < SQLITE_QUERIES; by++) {
        write_list(&b, &execution_table);
        s->sql.query_executions[by] = finish_sql(s, &b, query_by[by]);
    }
}

/* The one that the fewest rows have. */
static enum sqlite_query_by query_of(const struct execution_filter *filter)
{
    return filter->benchmark_id ? SQLITE_BY_BENCHMARK
           : filter->agent_id   ? SQLITE_BY_AGENT
           : filter->suite_id   ? SQLITE_BY_SUITE
                                : SQLITE_BY_NONE;
}

static const char *text_of(const struct value *v, struct arena *out)
{
    return v ? json_of(v, out).p : NULL;
}

static const char *sorted_text_of(const struct value *v, struct arena *out)
{
    return v ? json_canonical(v, out).p : NULL;
}

static const struct value *value_of(const char *text, enum value_kind kind, struct arena *out)
{
    const struct value *v = value_stored(text, out);
    return v && v->kind == kind ? v : NULL;
}

/* Texts are made in `scratch`, which must live until the step. */
static void put_record(struct query *q, const struct table *t, const void *record,
                       struct arena *scratch)
{
    for (size_t i = 0; i < t->count; i++) {
        const void *field = (const char *)record + t->columns[i].offset;
        switch (t->columns[i].kind) {
        case COLUMN_UUID: query_put_text(q, *(const char *)field ? field : NULL); break;
        case COLUMN_TEXT: query_put_text(q, *(const char *const *)field); break;
        case COLUMN_INT: query_put_int(q, *(const int64_t *)field); break;
        case COLUMN_INDEX: query_put_index(q, *(const int64_t *)field); break;
        case COLUMN_REAL: query_put_real(q, *(const double *)field); break;
        case COLUMN_COUNT: query_put_count(q, *(const double *)field); break;
        case COLUMN_STATUS:
            query_put_text(q, run_status_name(*(const enum run_status *)field));
            break;
        case COLUMN_LIST:
        case COLUMN_MAP:
            query_put_text(q, text_of(*(const struct value *const *)field, scratch));
            break;
        case COLUMN_SORTED:
            query_put_text(q, sorted_text_of(*(const struct value *const *)field, scratch));
            break;
        case COLUMN_NOTES:
            query_put_text(q, note_write((const struct note_list *)field, scratch));
            break;
        case COLUMN_KIND:
            query_put_text(q, version_kind_name(*(const enum version_kind *)field));
            break;
        case COLUMN_REASON:
            query_put_text(q, unranked_name(*(const enum unranked *)field));
            break;
        }
    }
}

/* A name that this version does not know: VERSION_UNKNOWN. */
static enum version_kind version_kind_of(const char *name)
{
    for (enum version_kind k = VERSION_UNKNOWN + 1; k < VERSION_KIND_COUNT; k++) {
        if (strcmp(name, version_kind_name(k)) == 0) return k;
    }
    return VERSION_UNKNOWN;
}

/* Any other reason is one too: SQL has left it out of the rankings. */
static enum unranked unranked_of(const char *name)
{
    for (enum unranked u = UNRANKED_NOT + 1; u < UNRANKED_COUNT; u++) {
        if (strcmp(name, unranked_name(u)) == 0) return u;
    }
    return *name ? UNRANKED_SUBSET : UNRANKED_NOT;
}

static void take_record(struct query *q, const struct table *t, void *record, struct arena *out)
{
    for (size_t i = 0; i < t->count; i++) {
        void *field = (char *)record + t->columns[i].offset;
        switch (t->columns[i].kind) {
        case COLUMN_UUID: snprintf(field, UUID_SIZE, "%s", query_peek_text(q)); break;
        case COLUMN_TEXT: *(const char **)field = query_text(q, out); break;
        case COLUMN_INT: *(int64_t *)field = query_int(q); break;
        case COLUMN_INDEX: *(int64_t *)field = query_index(q); break;
        case COLUMN_LIST:
            *(const struct value **)field = value_of(query_peek_text(q), VALUE_LIST, out);
            break;
        case COLUMN_MAP:
        case COLUMN_SORTED:
            *(const struct value **)field = value_of(query_peek_text(q), VALUE_MAP, out);
            break;
        case COLUMN_NOTES:
            *(struct note_list *)field = note_read(query_peek_text(q), out);
            break;
        case COLUMN_KIND:
            *(enum version_kind *)field = version_kind_of(query_peek_text(q));
            break;
        case COLUMN_REASON: *(enum unranked *)field = unranked_of(query_peek_text(q)); break;
        case COLUMN_REAL:
        case COLUMN_COUNT: *(double *)field = query_real(q); break;
        case COLUMN_STATUS:
            if (!run_status_parse(query_peek_text(q), field)) {
                *(enum run_status *)field = RUN_FAILED; /* written by somebody else */
            }
            break;
        }
    }
}

/* Other programs may write the requirement's columns alone (docs/store.md). */
static void take_execution(struct query *q, struct execution_record *e, struct arena *out)
{
    take_record(q, &execution_table, e, out);
    e->experiment = e->experiment ? plain_line(e->experiment, out) : "";
    if (!e->label) e->label = e->experiment;
    e->label = plain_line(e->label, out);
    if (!e->parameters) e->parameters = value_new_map(out, NULL, 0);
    if (!e->provenance) e->provenance = "measured";
}

/* ---- operations ---- */

bool sqlite_make_ready(struct store *store, struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    struct query q;
    return query_open(s, s->sql.put_run, &q, err) &&
           query_open(s, s->sql.put_execution, &q, err);
}

bool sqlite_put_run(struct store *store, const struct run_record *run, struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    char started[CLOCK_STAMP_SIZE];
    char ended[CLOCK_STAMP_SIZE];
    struct query q;
    if (!query_open(s, s->sql.put_run, &q, err)) return false;
    if (!sqlite_begin(s, err)) return false;
    struct arena scratch = arena_open();
    put_record(&q, &run_table, run, &scratch);
    query_put_text(&q, s->workspace_id);
    query_put_text(&q, clock_stamp(run->started_ns, started));
    query_put_text(&q, run->ended_ns ? clock_stamp(run->ended_ns, ended) : NULL);
    bool done = query_run(&q, err);
    arena_close(&scratch);
    return done ? sqlite_commit(s, err) : sqlite_rollback(s);
}

bool sqlite_place_imported(struct store *store, const char *run_id, struct error *err)
{
    static const char sql[] =
        "UPDATE runs SET rowid = min(0, (SELECT min(rowid) FROM runs)) - 1"
        " WHERE id = ?1 AND (started_ns > ?2 OR started_ns < (SELECT max(started_ns) FROM runs"
        " WHERE workspace_id = ?3 AND rowid >= 0))";
    struct sqlite *s = sqlite_of(store);
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, run_id);
    query_put_int(&q, clock_unix_ns() + RUN_CLOCK_SLACK_NS);
    query_put_text(&q, s->workspace_id);
    return query_run(&q, err);
}

bool sqlite_get_place(struct store *store, const char *run_id, int64_t *place,
                      struct error *err)
{
    static const char sql[] = "SELECT rowid FROM runs WHERE id = ?";
    struct query q;
    if (!query_open(sqlite_of(store), sql, &q, err)) return false;
    query_put_text(&q, run_id);
    bool is_there = query_next(&q);
    if (is_there) *place = query_int(&q);
    if (!query_close(&q, err)) return false;
    return is_there || error_set(err, ERROR_NOT_FOUND, "no run %s", run_id);
}

bool sqlite_put_place(struct store *store, const char *run_id, int64_t place, struct error *err)
{
    static const char sql[] = "UPDATE runs SET rowid = ? WHERE id = ?";
    struct query q;
    if (!query_open(sqlite_of(store), sql, &q, err)) return false;
    query_put_int(&q, place);
    query_put_text(&q, run_id);
    return query_run(&q, err);
}

bool sqlite_place_newest(struct store *store, const char *run_id, struct error *err)
{
    static const char place[] = "UPDATE runs SET rowid = max(0, (SELECT max(rowid) FROM runs))"
                                " + 1 WHERE id = ?";
    static const char date[] = "UPDATE benchmark_executions SET created_at ="
                               " strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE run_id = ?";
    struct sqlite *s = sqlite_of(store);
    if (!sqlite_begin(s, err)) return false;
    return query_run_texts(s, place, &run_id, 1, err) &&
                   query_run_texts(s, date, &run_id, 1, err)
               ? sqlite_commit(s, err)
               : sqlite_rollback(s);
}

/* The rows that a cell without suite or agent names. */
static bool add_builtin_rows(struct sqlite *s, const struct execution_record *e,
                             struct error *err)
{
    static const char agent[] = "INSERT INTO agents (id, workspace_id, name, kind, is_builtin)"
                                " VALUES (?, ?, 'assay', 'builtin', 1) ON CONFLICT DO NOTHING";
    static const char suite[] =
        "INSERT INTO benchmark_suites (id, workspace_id, name, category, is_builtin)"
        " VALUES (?, ?, 'builtin', 'builtin', 1) ON CONFLICT DO NOTHING";
    static const char benchmark[] = "INSERT INTO benchmarks (id, workspace_id, suite_id, name)"
                                    " VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING";
    struct execution_record ours = {.experiment = e->experiment};
    store_builtin_ids(&s->store, &ours);
    const char *agent_row[] = {ours.agent_id, s->workspace_id};
    const char *suite_row[] = {ours.suite_id, s->workspace_id};
    const char *benchmark_row[] = {ours.benchmark_id, s->workspace_id, ours.suite_id,
                                   ours.experiment};
    if (strcmp(e->agent_id, ours.agent_id) == 0 &&
        !query_run_texts(s, agent, agent_row, COUNT(agent_row), err)) {
        return false;
    }
    if (strcmp(e->suite_id, ours.suite_id) != 0) return true;
    if (!query_run_texts(s, suite, suite_row, COUNT(suite_row), err)) return false;
    return strcmp(e->benchmark_id, ours.benchmark_id) != 0 ||
           query_run_texts(s, benchmark, benchmark_row, COUNT(benchmark_row), err);
}

bool sqlite_write_execution(struct sqlite *s, const struct execution_record *e,
                            struct error *err)
{
    char start[CLOCK_STAMP_SIZE];
    char end[CLOCK_STAMP_SIZE];
    struct query q;
    if (!add_builtin_rows(s, e, err)) return false;
    if (!query_open(s, s->sql.put_execution, &q, err)) return false;
    struct arena scratch = arena_open();
    put_record(&q, &execution_table, e, &scratch);
    query_put_text(&q, s->workspace_id);
    query_put_text(&q, clock_stamp(e->start_ns, start));
    /* The requirement wants an end always; a running cell's is its start. */
    query_put_text(&q, clock_stamp(e->end_ns ? e->end_ns : e->start_ns, end));
    query_put_count(&q, e->end_ns ? (double)(e->end_ns - e->start_ns) / 1e6 : (double)NAN);
    bool done = query_run(&q, err);
    arena_close(&scratch);
    return done;
}

bool sqlite_put_execution(struct store *store, const struct execution_record *e,
                          struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    if (!sqlite_begin(s, err)) return false;
    return sqlite_write_execution(s, e, err) ? sqlite_commit(s, err) : sqlite_rollback(s);
}

bool sqlite_list_runs(struct store *store, const struct run_filter *filter, struct arena *out,
                      struct run_record **runs, size_t *count, struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    const char *prefix = filter->id_prefix;
    char above[UUID_SIZE + 1];
    struct query q;
    const char *by_id = filter->is_short ? s->sql.list_runs_by_end : s->sql.list_runs_by_id;
    bool has_imports = false;
    if (!prefix && !sqlite_order_has_imports(s, &has_imports, err)) return false;
    if (has_imports && !sqlite_order_refresh(s, err)) return false;
    const char *in_order = has_imports ? s->sql.list_runs : s->sql.list_measured_runs;
    if (!query_open(s, prefix ? by_id : in_order, &q, err)) return false;
    query_put_text(&q, s->workspace_id);
    query_put_int(&q, filter->since_ns);
    query_put_text(&q, filter->tag);
    query_put_int(&q, filter->limit ? (int64_t)filter->limit : -1);
    if (prefix) {
        snprintf(above, sizeof above, "%.*s~", UUID_SIZE - 1, prefix); /* ~ sorts after f */
        query_put_text(&q, prefix);
        query_put_text(&q, above);
    } else {
        query_put_int(&q, clock_unix_ns() + RUN_CLOCK_SLACK_NS);
        query_put_text(&q, NULL);
    }
    query_put_text(&q, filter->suite);
    struct run_record *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        take_record(&q, &run_table, &list[*count], out);
    }
    *runs = list;
    return query_close(&q, err);
}

bool sqlite_list_executions(struct store *store, const char *run_id, struct arena *out,
                            struct execution_record **executions, size_t *count,
                            struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    struct query q;
    if (!query_open(s, s->sql.list_executions, &q, err)) return false;
    query_put_text(&q, run_id);
    struct execution_record *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        take_execution(&q, &list[*count], out);
    }
    *executions = list;
    return query_close(&q, err);
}

bool sqlite_peek_executions(struct store *store, const char *run_id, struct arena *out,
                            struct execution_record *first, size_t *count, struct error *err)
{
    static const char sql[] = "SELECT count(*) FROM benchmark_executions WHERE run_id = ?";
    struct sqlite *s = sqlite_of(store);
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, run_id);
    *count = query_next(&q) ? (size_t)query_int(&q) : 0;
    if (!query_close(&q, err)) return false;
    if (!query_open(s, s->sql.first_execution, &q, err)) return false;
    query_put_text(&q, run_id);
    if (query_next(&q)) take_execution(&q, first, out);
    return query_close(&q, err);
}

bool sqlite_find_execution(struct store *store, const char *id, struct arena *out,
                           struct execution_record *execution, struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    struct query q;
    if (!query_open(s, s->sql.find_execution, &q, err)) return false;
    query_put_text(&q, id);
    query_put_text(&q, s->workspace_id);
    bool is_there = query_next(&q);
    if (is_there) take_execution(&q, execution, out);
    if (!query_close(&q, err)) return false;
    return is_there || error_set(err, ERROR_NOT_FOUND, "no execution '%s' in workspace '%s'",
                                 id, s->store.workspace);
}

bool sqlite_query_executions(struct store *store, const struct execution_filter *filter,
                             struct arena *out, struct execution_record **executions,
                             size_t *count, struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    struct query q;
    if (!sqlite_order_refresh(s, err) ||
        !query_open(s, s->sql.query_executions[query_of(filter)], &q, err)) {
        return false;
    }
    query_put_text(&q, s->workspace_id);
    query_put_text(&q, filter->benchmark_id);
    query_put_text(&q, filter->agent_id);
    query_put_int(&q, filter->is_success);
    query_put_int(&q, filter->is_measured);
    query_put_int(&q, filter->limit ? (int64_t)filter->limit : -1);
    query_put_text(&q, filter->suite_id);
    query_put_int(&q, clock_unix_ns() + RUN_CLOCK_SLACK_NS);
    struct execution_record *list = NULL;
    for (*count = 0; query_next(&q); (*count)++) {
        list = arena_grow(out, list, *count, sizeof *list);
        take_execution(&q, &list[*count], out);
    }
    *executions = list;
    return query_close(&q, err);
}

bool sqlite_forget(struct store *store, const char *run_id, struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    const char *row[] = {run_id, s->workspace_id};
    if (!sqlite_begin(s, err)) return false;
    bool done = query_run_texts(s, "DELETE FROM runs WHERE id = ? AND workspace_id = ?", row,
                                COUNT(row), err);
    if (done && sqlite3_changes(s->db) == 0) {
        done = error_set(err, ERROR_NOT_FOUND, "no run '%s' in workspace '%s'", run_id,
                         s->store.workspace);
    }
    memset(s->known, 0, sizeof s->known);
    return done ? sqlite_commit(s, err) : sqlite_rollback(s);
}
