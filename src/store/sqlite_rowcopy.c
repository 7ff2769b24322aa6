/* Rows as they are, for bundles.
 *
 * Which tables and which rows is one table below; columns are whatever the
 * schema has, so that a migration that adds one needs no change here. Rows are
 * written in an order that does not depend on when they were inserted. */
#include "store/sqlite_internal.h"

#include "base/base64.h"
#include "base/json.h"

#include <math.h>

#define CHOSEN        "(SELECT value FROM json_each(?1))"
#define EXECUTIONS    "(SELECT id FROM benchmark_executions WHERE run_id IN " CHOSEN ")"
#define NAMED(column) "(SELECT " column " FROM benchmark_executions WHERE run_id IN " CHOSEN ")"
#define BENCHMARKS                                                                       \
    "(id IN " NAMED("benchmark_id") " OR id IN (SELECT e.value FROM benchmark_suites s," \
                                    " json_each(s.benchmarks) e WHERE s.id IN " NAMED(   \
                                        "suite_id") "))"

static const struct copied {
    const char *name;
    enum rows_kind kind;
    bool has_local_id; /* column `id` counts rows of this file: not carried */
    const char *rows;  /* after WHERE */
    const char *lift;  /* run after a row was put that an older assay wrote; or NULL */
} tables[] = {
    {"workspaces", ROWS_SHARED, false,
     "id IN (SELECT workspace_id FROM runs WHERE id IN " CHOSEN ") ORDER BY id"},
    {"agents", ROWS_SHARED, false, "id IN " NAMED("agent_id") " ORDER BY id"},
    {"benchmark_suites", ROWS_SHARED, false, "id IN " NAMED("suite_id") " ORDER BY id"},
    {"benchmarks", ROWS_SHARED, false, BENCHMARKS " ORDER BY id"},
    {"cases", ROWS_SHARED, false,
     "hash IN (SELECT j.value FROM benchmarks b, json_each(b.cases) j WHERE b.id IN"
     " (SELECT id FROM benchmarks WHERE " BENCHMARKS
     ")) OR hash IN (SELECT case_hash FROM case_results WHERE execution_id IN " EXECUTIONS
     ") ORDER BY hash"},
    {"runs", ROWS_RUN, false, "id IN " CHOSEN},
    {"benchmark_executions", ROWS_RUN, false, "run_id IN " CHOSEN " ORDER BY cell_index, id"},
    {"trials", ROWS_RUN, false,
     "execution_id IN " EXECUTIONS " ORDER BY execution_id, phase, first"},
    {"chunks", ROWS_RUN, false,
     "execution_id IN " EXECUTIONS " ORDER BY execution_id, phase, first, metric"},
    {"series", ROWS_RUN, true, "execution_id IN " EXECUTIONS " ORDER BY execution_id, id"},
    {"histograms", ROWS_RUN, false,
     "execution_id IN " EXECUTIONS " ORDER BY execution_id, phase, metric, trial"},
    {"case_results", ROWS_RUN, true,
     "execution_id IN " EXECUTIONS " ORDER BY execution_id, id"},
    {"artifacts", ROWS_RUN, true, "execution_id IN " EXECUTIONS " ORDER BY execution_id, id"},
    {"profiles", ROWS_RUN, true, "execution_id IN " EXECUTIONS " ORDER BY execution_id, id"},
    {"stress_results", ROWS_RUN, true,
     "execution_id IN " EXECUTIONS " ORDER BY execution_id, id"},
    {"baselines", ROWS_BASELINES, true,
     "execution_id IN " EXECUTIONS " ORDER BY name, agent_id, benchmark_id, cell",
     "UPDATE OR IGNORE baselines SET cell = coalesce((SELECT cell_key FROM"
     " benchmark_executions e WHERE e.id = execution_id), '') WHERE cell = '';"
     "DELETE FROM baselines AS b WHERE cell = '' AND EXISTS (SELECT 1 FROM baselines o"
     " JOIN benchmark_executions e ON e.id = b.execution_id AND e.cell_key = o.cell"
     " WHERE o.cell <> '' AND (o.workspace_id, o.name, o.agent_id, o.benchmark_id) ="
     " (b.workspace_id, b.name, b.agent_id, b.benchmark_id))"},
    {"alarms", ROWS_BASELINES, true,
     "execution_id IN " EXECUTIONS
     " ORDER BY agent_id, benchmark_id, cell, metric, rule, agent_version"},
};

/* A column of agents and suites: what the people of a store have registered in it. */
static const char registration[] = "is_registered";

_Static_assert(COUNT(tables) <= SQLITE_COPIED_TABLES, "one statement for each");

/* ---- writing ---- */

static void put_tagged(struct json *j, const char *tag, const void *bytes, size_t n)
{
    json_object(j);
    json_key(j, tag);
    json_raw(j, S("\""));
    base64_add(j->out, bytes, n);
    buf_add_char(j->out, '"');
    json_end(j);
}

static void put_column(struct json *j, sqlite3_stmt *stmt, int i)
{
    struct str text = {0};
    switch (sqlite3_column_type(stmt, i)) {
    case SQLITE_INTEGER: json_int(j, sqlite3_column_int64(stmt, i)); break;
    case SQLITE_FLOAT:
        if (isfinite(sqlite3_column_double(stmt, i))) {
            json_real(j, sqlite3_column_double(stmt, i));
        } else {
            json_object(j);
            json_put_text(j, "x", sqlite3_column_double(stmt, i) > 0 ? "inf" : "-inf");
            json_end(j);
        }
        break;
    case SQLITE_TEXT:
        text.p = (const char *)sqlite3_column_text(stmt, i);
        text.n = (size_t)sqlite3_column_bytes(stmt, i);
        if (str_is_utf8(text)) {
            json_str(j, text);
        } else {
            put_tagged(j, "t", text.p, text.n);
        }
        break;
    case SQLITE_BLOB:
        text.p = sqlite3_column_blob(stmt, i);
        text.n = (size_t)sqlite3_column_bytes(stmt, i);
        put_tagged(j, "b", text.p, text.n);
        break;
    default: json_null(j);
    }
}

static void put_line(const struct copied *t, sqlite3_stmt *stmt, struct buf *lines)
{
    struct json j;
    json_init(&j, lines, 0);
    json_object(&j);
    json_key_object(&j, t->name);
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const char *name = sqlite3_column_name(stmt, i);
        if (t->has_local_id && strcmp(name, "id") == 0) continue;
        if (strcmp(name, registration) == 0) continue;
        if (sqlite3_column_type(stmt, i) == SQLITE_NULL) continue;
        json_key(&j, name);
        put_column(&j, stmt, i);
    }
    json_end(&j);
    json_end(&j);
    buf_add_char(lines, '\n');
}

static bool write_table(struct sqlite *s, const struct copied *t, const char *run_ids_json,
                        struct buf *lines, struct error *err)
{
    char sql[1200];
    struct buf b;
    buf_over(&b, sql, sizeof sql);
    buf_printf(&b, "SELECT * FROM %s WHERE %s", t->name, t->rows);
    CHECK(!b.overflow);
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);
    if (rc != SQLITE_OK) return sqlite_error(s, rc, err);
    sqlite3_bind_text(stmt, 1, run_ids_json, -1, SQLITE_STATIC);
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) put_line(t, stmt, lines);
    bool done = rc == SQLITE_DONE || sqlite_error(s, rc, err);
    sqlite3_finalize(stmt);
    return done;
}

bool sqlite_write_rows(struct store *store, enum rows_kind kind, const char *run_ids_json,
                       struct buf *lines, struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    /* One snapshot: another process may be folding. */
    if (!sqlite_hold(store, err)) return false;
    bool done = true;
    for (size_t i = 0; done && i < COUNT(tables); i++) {
        if (tables[i].kind == kind) done = write_table(s, &tables[i], run_ids_json, lines, err);
    }
    sqlite_release(store);
    return done;
}

/* ---- putting ---- */

static const struct copied *find_table(struct str name)
{
    for (size_t i = 0; i < COUNT(tables); i++) {
        if (str_is(name, tables[i].name)) return &tables[i];
    }
    return NULL;
}

static bool has_column(struct sqlite *s, const char *table, struct str column, bool *has,
                       struct error *err)
{
    static const char sql[] = "SELECT 1 FROM pragma_table_info(?) WHERE name = ?";
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_text(&q, table);
    query_put_str(&q, column);
    *has = query_next(&q);
    return query_close(&q, err);
}

/* "INSERT INTO t (a, b) VALUES (?, ?)". The names come from the file: only those
 * that are columns get into the statement. */
static bool write_insert(struct sqlite *s, const struct copied *t, const struct value *row,
                         struct buf *sql, struct error *err)
{
    buf_printf(sql, "INSERT %sINTO %s (", t->kind == ROWS_RUN ? "" : "OR IGNORE ", t->name);
    for (size_t i = 0; i < row->map.count; i++) {
        struct str name = row->map.pairs[i].key;
        bool has = false;
        if (!has_column(s, t->name, name, &has, err)) return false;
        if (!has || (t->has_local_id && str_is(name, "id"))) {
            return error_set(err, ERROR_INVALID,
                             "table %s has no column '%.*s' here: it was written by a newer "
                             "assay, or is damaged",
                             t->name, STR_ARG(name));
        }
        buf_printf(sql, "%s%.*s", i ? ", " : "", STR_ARG(name));
    }
    buf_text(sql, ") VALUES (");
    for (size_t i = 0; i < row->map.count; i++) buf_text(sql, i ? ", ?" : "?");
    buf_text(sql, ")");
    return !sql->overflow || error_set(err, ERROR_INVALID, "a row of %s is too wide", t->name);
}

/* {"b": base64}, {"t": base64} or {"x": "inf"} */
static bool bind_tagged(sqlite3_stmt *stmt, int at, const struct value *v, struct arena *out)
{
    const struct value_pair *tag = v->map.count == 1 ? v->map.pairs : NULL;
    if (!tag || tag->value->kind != VALUE_TEXT) return false;
    struct str text = tag->value->source;
    if (str_is(tag->key, "x")) {
        if (!str_is(text, "inf") && !str_is(text, "-inf")) return false;
        sqlite3_bind_double(stmt, at,
                            str_is(text, "inf") ? (double)INFINITY : -(double)INFINITY);
        return true;
    }
    unsigned char *bytes = arena_new(out, unsigned char, text.n / 4 * 3 + 1);
    size_t n = 0;
    if (text.n && !base64_decode(text, bytes, &n)) return false;
    if (str_is(tag->key, "b")) {
        sqlite3_bind_blob64(stmt, at, bytes, n, SQLITE_STATIC);
    } else if (str_is(tag->key, "t")) {
        sqlite3_bind_text64(stmt, at, (const char *)bytes, n, SQLITE_STATIC, SQLITE_UTF8);
    } else {
        return false;
    }
    return true;
}

static bool bind_value(sqlite3_stmt *stmt, int at, const struct value *v, struct arena *out)
{
    switch (v->kind) {
    case VALUE_NULL: sqlite3_bind_null(stmt, at); return true;
    case VALUE_INT: sqlite3_bind_int64(stmt, at, v->integer); return true;
    case VALUE_REAL: sqlite3_bind_double(stmt, at, v->real); return true;
    case VALUE_TEXT:
        sqlite3_bind_text64(stmt, at, v->source.p ? v->source.p : "", v->source.n,
                            SQLITE_STATIC, SQLITE_UTF8);
        return true;
    case VALUE_MAP: return bind_tagged(stmt, at, v, out);
    default: return false;
    }
}

/* "cell_index,label,...": rows of a table mostly have the same columns, in the same order. */
static bool has_same_columns(const char *columns, const struct value *row)
{
    struct str rest = str_of(columns);
    for (size_t i = 0; i < row->map.count; i++) {
        if (!rest.p || !str_equal(str_cut(&rest, ','), row->map.pairs[i].key)) return false;
    }
    return !rest.p;
}

static const char *columns_of(const struct value *row, struct arena *out)
{
    struct buf b;
    buf_init(&b, 65536);
    for (size_t i = 0; i < row->map.count; i++) {
        if (i) buf_add_char(&b, ',');
        buf_add(&b, row->map.pairs[i].key);
    }
    const char *text = str_cstr(out, buf_str(&b));
    buf_release(&b);
    return text;
}

/* The statement that inserts such a row: the last one of its table where the columns are the
 * same, as checking their names costs more than the row. */
static bool prepare_insert(struct sqlite *s, const struct copied *t, const struct value *row,
                           sqlite3_stmt **stmt, struct error *err)
{
    struct sqlite_insert *last = &s->inserts[t - tables];
    *stmt = last->stmt;
    if (last->stmt && has_same_columns(last->columns, row)) {
        sqlite3_reset(last->stmt);
        return true;
    }
    char memory[4000];
    struct buf sql;
    buf_over(&sql, memory, sizeof memory);
    if (!write_insert(s, t, row, &sql, err)) return false;
    sqlite3_finalize(last->stmt);
    last->stmt = NULL;
    last->columns = columns_of(row, &s->arena);
    int rc = sqlite3_prepare_v3(s->db, sql.p, -1, SQLITE_PREPARE_PERSISTENT, &last->stmt, NULL);
    *stmt = last->stmt;
    return rc == SQLITE_OK || sqlite_error(s, rc, err);
}

static bool insert_row(struct sqlite *s, const struct copied *t, const struct value *row,
                       struct arena *scratch, struct error *err)
{
    sqlite3_stmt *stmt = NULL;
    if (!prepare_insert(s, t, row, &stmt, err)) return false;
    bool done = true;
    for (size_t i = 0; done && i < row->map.count; i++) {
        const struct value_pair *pair = &row->map.pairs[i];
        if (str_is(pair->key, registration)) {
            sqlite3_bind_int64(stmt, (int)i + 1, 0);
            continue;
        }
        if (bind_value(stmt, (int)i + 1, pair->value, scratch)) continue;
        done =
            error_set(err, ERROR_INVALID, "column '%.*s' of %s has no value that can be read",
                      STR_ARG(pair->key), t->name);
    }
    if (done) {
        int rc = sqlite3_step(stmt);
        done = rc == SQLITE_DONE || sqlite_error(s, sqlite3_extended_errcode(s->db), err);
    }
    sqlite3_reset(stmt);
    sqlite3_clear_bindings(stmt);
    return done;
}

/* ---- what a row may say ---- */

static bool is_of_run(struct sqlite *s, struct str execution_id, const char *run_id, bool *is,
                      struct error *err)
{
    static const char sql[] = "SELECT 1 FROM benchmark_executions WHERE id = ? AND run_id = ?";
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    query_put_str(&q, execution_id);
    query_put_text(&q, run_id);
    *is = query_next(&q);
    return query_close(&q, err);
}

/* What may be named by a bundle is of the workspace that it is put into. */
static bool check_workspace(struct sqlite *s, const struct copied *t, const struct value *row,
                            struct error *err)
{
    bool is_workspace = strcmp(t->name, "workspaces") == 0;
    const struct value *id = value_get(row, is_workspace ? "id" : "workspace_id");
    bool is_own = !id || (id->kind == VALUE_TEXT && str_is(id->source, s->workspace_id));
    return is_own ||
           error_set(err, ERROR_INVALID,
                     "a row of %s is of another workspace than it is to be put into", t->name);
}

/* A baseline or an alarm is of the agent, the benchmark and the version that its execution
 * measured: nobody mutes in advance, or for others, by a bundle. */
static bool is_of_execution(struct sqlite *s, const struct copied *t, const struct value *row,
                            bool *is, struct error *err)
{
    static const char sql[] =
        "SELECT 1 FROM benchmark_executions e JOIN runs r ON r.id = e.run_id"
        " WHERE e.id = ?1 AND e.agent_id = ?2 AND e.benchmark_id = ?3 AND e.workspace_id = ?4"
        " AND (?5 IS NULL OR ?5 = r.id OR"
        "  substr(?5, 1, instr(?5, '|')) IN"
        "  (e.agent_version || '|', json_extract(r.vcs, '$.commit') || '|'))";
    static const char *const keys[] = {"execution_id", "agent_id", "benchmark_id",
                                       "workspace_id", "agent_version"};
    bool is_alarm = strcmp(t->name, "alarms") == 0;
    struct query q;
    *is = true;
    for (size_t i = 0; i < COUNT(keys) - !is_alarm && *is; i++) {
        const struct value *v = value_get(row, keys[i]);
        *is = v && v->kind == VALUE_TEXT;
    }
    if (!*is) return true;
    if (!query_open(s, sql, &q, err)) return false;
    for (size_t i = 0; i < COUNT(keys) - !is_alarm; i++)
        query_put_str(&q, value_get(row, keys[i])->source);
    *is = query_next(&q);
    return query_close(&q, err);
}

/* Executions come before what belongs to them. */
static bool check_owner(struct sqlite *s, const struct copied *t, const struct value *row,
                        const char *run_id, struct error *err)
{
    bool is_own = (t->kind == ROWS_RUN) == (run_id != NULL);
    if (is_own && run_id) {
        bool is_run = strcmp(t->name, "runs") == 0;
        bool is_execution = strcmp(t->name, "benchmark_executions") == 0;
        const struct value *owner = value_get(row, is_run         ? "id"
                                                   : is_execution ? "run_id"
                                                                  : "execution_id");
        is_own = owner && owner->kind == VALUE_TEXT;
        if (is_own && (is_run || is_execution)) {
            is_own = str_is(owner->source, run_id);
        } else if (is_own && !is_of_run(s, owner->source, run_id, &is_own, err)) {
            return false;
        }
    }
    if (is_own && t->kind == ROWS_BASELINES && !is_of_execution(s, t, row, &is_own, err))
        return false;
    return is_own || error_set(err, ERROR_INVALID,
                               "a row of %s does not belong where the bundle has it", t->name);
}

/* A case is known by its hash alone: who puts another content under it first would change
 * what every suite with that case expects. */
static bool check_case(struct store *store, const struct value *row, struct arena *scratch,
                       struct error *err)
{
    const struct value *hash = value_get(row, "hash");
    struct case_record c;
    bool found = false;
    if (hash && hash->kind == VALUE_TEXT &&
        !sqlite_find_case(store, str_cstr(scratch, hash->source), scratch, &c, &found, err)) {
        return false;
    }
    char hex[SHA256_HEX_SIZE];
    bool is_right = found && (strcmp(case_record_hash(&c, false, hex), c.hash) == 0 ||
                              strcmp(case_record_hash(&c, true, hex), c.hash) == 0);
    return is_right ||
           error_set(err, ERROR_INVALID, "the content of a case is not what its hash says");
}

static bool put_checked(struct store *store, const struct copied *t, const struct value *row,
                        const char *run_id, struct error *err)
{
    struct sqlite *s = sqlite_of(store);
    struct arena scratch = arena_open();
    bool done = check_workspace(s, t, row, err) && check_owner(s, t, row, run_id, err) &&
                insert_row(s, t, row, &scratch, err) &&
                (strcmp(t->name, "cases") != 0 || check_case(store, row, &scratch, err)) &&
                (!t->lift || sqlite_exec(s, t->lift, err));
    arena_close(&scratch);
    return done;
}

bool sqlite_put_row(struct store *store, const char *run_id, struct str line, struct error *err)
{
    static const struct value_limits limits = {(size_t)1 << 30, 4, 1000};
    struct arena scratch = arena_open();
    const struct value *v = NULL;
    bool done = value_read_json(line, &limits, &scratch, &v, err);
    bool is_row = done && v->kind == VALUE_MAP && v->map.count == 1 &&
                  v->map.pairs[0].value->kind == VALUE_MAP &&
                  v->map.pairs[0].value->map.count > 0;
    if (done && !is_row) done = error_set(err, ERROR_INVALID, "not a row");
    const struct copied *t = is_row ? find_table(v->map.pairs[0].key) : NULL;
    if (done && !t) {
        done = error_set(err, ERROR_INVALID,
                         "no table '%.*s' here: it was written by a newer assay, or is damaged",
                         STR_ARG(v->map.pairs[0].key));
    }
    done = done && t && put_checked(store, t, v->map.pairs[0].value, run_id, err);
    arena_close(&scratch);
    return done;
}
