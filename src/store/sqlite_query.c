/* Statements are prepared once and found again by the address of their text:
 * preparing costs ten times what running an insert does. */
#include "store/sqlite_internal.h"

#include "base/fault.h"

#include <math.h>

bool query_open(struct sqlite *s, const char *sql, struct query *q, struct error *err)
{
    *q = (struct query){.s = s, .rc = SQLITE_OK};
    int fault = fault_at("query");
    if (fault) return sqlite_fault(s, fault, err);
    for (size_t i = 0; i < s->statement_count; i++) {
        if (s->statements[i].sql != sql) continue;
        q->stmt = s->statements[i].stmt;
        return true;
    }
    CHECK(s->statement_count < SQLITE_STATEMENTS_MAX);
    int rc = sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &q->stmt, NULL);
    if (rc != SQLITE_OK) return sqlite_error(s, rc, err);
    s->statements[s->statement_count].sql = sql;
    s->statements[s->statement_count++].stmt = q->stmt;
    return true;
}

static void note(struct query *q, int rc)
{
    if (q->rc == SQLITE_OK) q->rc = rc;
}

void query_put_text(struct query *q, const char *text)
{
    note(q, sqlite3_bind_text(q->stmt, ++q->at, text, -1, SQLITE_STATIC));
}

void query_put_str(struct query *q, struct str text)
{
    note(q, sqlite3_bind_text64(q->stmt, ++q->at, text.n ? text.p : "", text.n, SQLITE_STATIC,
                                SQLITE_UTF8));
}

void query_put_int(struct query *q, int64_t v)
{
    note(q, sqlite3_bind_int64(q->stmt, ++q->at, v));
}

void query_put_index(struct query *q, int64_t v)
{
    if (v < 0) {
        query_put_text(q, NULL);
    } else {
        query_put_int(q, v);
    }
}

void query_put_real(struct query *q, double v)
{
    note(q, sqlite3_bind_double(q->stmt, ++q->at, v)); /* SQLite reads NaN as NULL */
}

void query_put_count(struct query *q, double v)
{
    if (!(fabs(v) < 0x1p63)) { /* unknown, or more than the column holds */
        note(q, sqlite3_bind_null(q->stmt, ++q->at));
    } else {
        query_put_int(q, llround(v));
    }
}

void query_put_blob(struct query *q, const void *bytes, size_t n)
{
    note(q, sqlite3_bind_blob64(q->stmt, ++q->at, n ? bytes : "", n, SQLITE_STATIC));
}

bool query_next(struct query *q)
{
    q->at = 0;
    if (q->rc != SQLITE_OK) return false;
    int rc = sqlite3_step(q->stmt);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) q->rc = rc;
    return rc == SQLITE_ROW;
}

bool query_close(struct query *q, struct error *err)
{
    int rc = q->rc;
    bool done = rc == SQLITE_OK || sqlite_error(q->s, rc, err);
    sqlite3_reset(q->stmt);
    sqlite3_clear_bindings(q->stmt);
    return done;
}

bool query_run(struct query *q, struct error *err)
{
    (void)!query_next(q);
    return query_close(q, err);
}

bool query_run_texts(struct sqlite *s, const char *sql, const char *const *texts, size_t count,
                     struct error *err)
{
    struct query q;
    if (!query_open(s, sql, &q, err)) return false;
    for (size_t i = 0; i < count; i++) query_put_text(&q, texts[i]);
    return query_run(&q, err);
}

int64_t query_int(struct query *q)
{
    return sqlite3_column_int64(q->stmt, q->at++);
}

int64_t query_index(struct query *q)
{
    bool is_null = sqlite3_column_type(q->stmt, q->at) == SQLITE_NULL;
    int64_t index = query_int(q);
    return is_null ? -1 : index;
}

double query_real(struct query *q)
{
    int column = q->at++;
    if (sqlite3_column_type(q->stmt, column) == SQLITE_NULL) return NAN;
    return sqlite3_column_double(q->stmt, column);
}

struct str query_peek_blob(struct query *q)
{
    int column = q->at++;
    const char *p = sqlite3_column_blob(q->stmt, column);
    return (struct str){p, (size_t)sqlite3_column_bytes(q->stmt, column)};
}

struct str query_blob(struct query *q, struct arena *out)
{
    return str_copy(out, query_peek_blob(q));
}

const char *query_peek_text(struct query *q)
{
    const unsigned char *text = sqlite3_column_text(q->stmt, q->at++);
    return text ? (const char *)text : "";
}

const char *query_text(struct query *q, struct arena *out)
{
    int column = q->at++;
    const unsigned char *text = sqlite3_column_text(q->stmt, column);
    if (!text) return NULL;
    return arena_copy(out, text, (size_t)sqlite3_column_bytes(q->stmt, column));
}
