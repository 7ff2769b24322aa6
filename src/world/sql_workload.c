#include "world/sql_workload.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    BATCH = 1000,
    MIXED_BATCH = 100,
    JOIN_LIMIT = 1000,
    REPEATS = 100, /* in the data of read_heavy */
    DATA_SIZE = REPEATS * 32,
    RANGE_LOW = 1000,
    RANGE_HIGH = 2000
};

const char *const sql_workload_names[] = {"write_heavy", "read_heavy", "mixed", NULL};

static const char *const create_table =
    "CREATE TABLE records(id INTEGER PRIMARY KEY, data TEXT, value REAL, timestamp INTEGER)";
static const char *const create_index = "CREATE INDEX records_value ON records(value)";
static const char *const insert_row = "INSERT INTO records VALUES(?,?,?,?)";
static const int64_t timestamp = 1700000000;

static bool put_row(struct sql_statement *insert, int64_t id, struct str data,
                    struct error *err)
{
    sql_bind_int(insert, 1, id);
    sql_bind_text(insert, 2, data);
    sql_bind_real(insert, 3, (double)id / 1000);
    sql_bind_int(insert, 4, timestamp + id);
    return sql_run(insert, err);
}

static struct str short_data(int64_t id, char *room, size_t size)
{
    int n = snprintf(room, size, "data_%lld", (long long)id);
    return (struct str){room, (size_t)n};
}

/* ---- read_heavy's table ---- */

static struct str long_data(int64_t id, char room[DATA_SIZE])
{
    char one[32];
    struct str piece = short_data(id, one, sizeof one);
    for (size_t i = 0; i < REPEATS; i++) memcpy(room + i * piece.n, piece.p, piece.n);
    return (struct str){room, REPEATS * piece.n};
}

static bool fill_batch(struct sql *sql, struct sql_statement *insert, int64_t first,
                       struct error *err)
{
    if (!sql_exec(sql, "BEGIN", err)) return false;
    for (int64_t id = first; id < first + BATCH; id++) {
        char data[DATA_SIZE];
        if (!put_row(insert, id, long_data(id, data), err)) return false;
    }
    return sql_exec(sql, "COMMIT", err);
}

static bool fill(struct sql *sql, int64_t megabytes, int64_t *rows, struct error *err)
{
    struct sql_statement *insert = NULL;
    if (!sql_exec(sql, create_table, err) || !sql_prepare(sql, insert_row, &insert, err))
        return false;
    int64_t pages = 0, page_size = 0;
    if (!sql_ask_int(sql, "PRAGMA page_size", &page_size, err)) return false;
    for (*rows = 0; pages * page_size < megabytes * 1024 * 1024; *rows += BATCH) {
        if (!fill_batch(sql, insert, *rows, err) ||
            !sql_ask_int(sql, "PRAGMA page_count", &pages, err))
            return false;
    }
    return sql_exec(sql, create_index, err);
}

bool sql_work_fill(const char *path, enum sql_profile profile, int64_t megabytes, int64_t *rows,
                   struct error *err)
{
    struct arena arena = arena_open();
    struct sql *sql = NULL;
    bool done = sql_open(path, profile, &arena, &sql, err) && fill(sql, megabytes, rows, err);
    sql_close(sql);
    arena_close(&arena);
    return done;
}

/* ---- the loads ---- */

bool sql_work_open(struct sql_work *w, struct arena *arena, struct error *err)
{
    w->answer = 0;
    return sql_open(w->path, w->profile, arena, &w->sql, err);
}

void sql_work_close(struct sql_work *w)
{
    sql_close(w->sql);
    w->sql = NULL;
}

/* A transaction of a batch of rows, up to the row `end`. */
static bool put_batch(struct sql *sql, struct sql_statement *insert, int64_t first, int64_t end,
                      struct error *err)
{
    if (!sql_exec(sql, "BEGIN", err)) return false;
    for (int64_t id = first; id < first + BATCH && id < end; id++) {
        char data[32];
        if (!put_row(insert, id, short_data(id, data, sizeof data), err)) return false;
    }
    return sql_exec(sql, "COMMIT", err);
}

static bool write_heavy(struct sql_work *w, struct error *err)
{
    struct sql_statement *insert = NULL;
    if (!sql_exec(w->sql, create_table, err) || !sql_prepare(w->sql, insert_row, &insert, err))
        return false;
    for (int64_t first = 0; first < w->records; first += BATCH) {
        if (!put_batch(w->sql, insert, first, w->records, err)) return false;
    }
    return true;
}

/* Adds up all columns of all rows. */
static bool add_up(struct sql *sql, const char *query, int columns, double *sum,
                   struct error *err)
{
    struct sql_statement *s = NULL;
    bool has_row = true;
    if (!sql_prepare(sql, query, &s, err)) return false;
    while (sql_next(s, &has_row, err)) {
        if (!has_row) return true;
        for (int i = 0; i < columns; i++) *sum += sql_column_real(s, i);
    }
    return false;
}

static bool read_heavy(struct sql_work *w, struct error *err)
{
    char above[120], join[160], range[160];
    int64_t half = w->table_rows / 2;
    snprintf(above, sizeof above, "SELECT count(*) FROM records WHERE value > %.3f",
             (double)half / 1000);
    snprintf(join, sizeof join,
             "SELECT a.id FROM records a JOIN records b ON a.id = b.id LIMIT %d", JOIN_LIMIT);
    snprintf(range, sizeof range,
             "SELECT id, value, timestamp, data FROM records WHERE id BETWEEN %d AND %d",
             RANGE_LOW, RANGE_HIGH);
    return add_up(w->sql, "SELECT count(*) FROM records", 1, &w->answer, err) &&
           add_up(w->sql, above, 1, &w->answer, err) &&
           add_up(w->sql, "SELECT avg(value), min(value), max(value) FROM records", 3,
                  &w->answer, err) &&
           add_up(w->sql, join, 1, &w->answer, err) &&
           add_up(w->sql, range, 2, &w->answer, err);
}

static bool ask_mixed(struct sql_statement *queries[3], int64_t i, double *sum,
                      struct error *err)
{
    for (int q = 0; q < 3; q++) {
        bool has_row = false;
        sql_bind_int(queries[q], 1, q == 0 ? i / 2 : q == 1 ? i - 100 : i);
        if (!sql_next(queries[q], &has_row, err)) return false;
        if (has_row) *sum += sql_column_real(queries[q], 0);
        while (has_row) {
            if (!sql_next(queries[q], &has_row, err)) return false;
        }
    }
    return true;
}

static bool mixed(struct sql_work *w, struct error *err)
{
    static const char *const texts[] = {
        "SELECT value FROM records WHERE id = ?",
        "SELECT count(*) FROM records WHERE id > ?",
        "SELECT avg(value) FROM records WHERE id <= ?",
    };
    struct sql_statement *insert = NULL, *queries[3] = {0};
    if (!sql_exec(w->sql, create_table, err) || !sql_exec(w->sql, create_index, err) ||
        !sql_prepare(w->sql, insert_row, &insert, err))
        return false;
    for (int q = 0; q < 3; q++) {
        if (!sql_prepare(w->sql, texts[q], &queries[q], err)) return false;
    }
    int64_t n = w->records / 10;
    for (int64_t i = 0; i < n; i++) {
        char data[32];
        if (i % MIXED_BATCH == 0 && !sql_exec(w->sql, i ? "COMMIT; BEGIN" : "BEGIN", err))
            return false;
        if (!put_row(insert, i, short_data(i, data, sizeof data), err)) return false;
        if (i % 10 == 9 && !ask_mixed(queries, i, &w->answer, err)) return false;
    }
    return n == 0 || sql_exec(w->sql, "COMMIT", err);
}

bool sql_work_run(struct sql_work *w, struct error *err)
{
    switch (w->workload) {
    case SQL_WRITE_HEAVY: return write_heavy(w, err);
    case SQL_READ_HEAVY: return read_heavy(w, err);
    case SQL_MIXED: return mixed(w, err);
    case SQL_WORKLOAD_COUNT: break;
    }
    return error_set(err, ERROR_INVALID, "no such load");
}

/* ---- what it must have given ---- */

static double expected_answer(const struct sql_work *w)
{
    double n = (double)w->table_rows, sum = 0;
    if (w->workload == SQL_READ_HEAVY) {
        int64_t half = w->table_rows / 2;
        sum = n + (double)(w->table_rows - 1 - half) + (n - 1) / 2000 + (n - 1) / 1000;
        double joined = n < JOIN_LIMIT ? n : JOIN_LIMIT;
        sum += joined * (joined - 1) / 2;
        for (int64_t id = RANGE_LOW; id <= RANGE_HIGH && id < w->table_rows; id++)
            sum += (double)id + (double)id / 1000;
    } else if (w->workload == SQL_MIXED) {
        for (int64_t i = 9; i < w->records / 10; i += 10) {
            int64_t half = i / 2, last = i < 100 ? i + 1 : 100;
            sum += (double)half / 1000 + (double)last + (double)i / 2000;
        }
    }
    return sum;
}

static int64_t expected_rows(const struct sql_work *w)
{
    switch (w->workload) {
    case SQL_READ_HEAVY: return w->table_rows;
    case SQL_WRITE_HEAVY: return w->records;
    default: return w->records / 10;
    }
}

/* All columns of a row. */
static bool is_row(const struct sql_work *w, struct sql_statement *s, int64_t id)
{
    char room[DATA_SIZE];
    struct str data =
        w->workload == SQL_READ_HEAVY ? long_data(id, room) : short_data(id, room, sizeof room);
    return sql_column_int(s, 0) == id && str_equal(sql_column_text(s, 1), data) &&
           sql_column_real(s, 2) == (double)id / 1000 && sql_column_int(s, 3) == timestamp + id;
}

static bool has_its_rows(const struct sql_work *w, struct sql *sql, struct error *err)
{
    struct sql_statement *s = NULL;
    bool has_row = true;
    int64_t id = 0, rows = expected_rows(w);
    if (!sql_prepare(sql, "SELECT * FROM records ORDER BY id", &s, err)) return false;
    for (;; id++) {
        if (!sql_next(s, &has_row, err)) return false;
        if (!has_row) break;
        if (!is_row(w, s, id))
            return error_set(err, ERROR_FAILED, "row %lld of the file is not what was written",
                             (long long)id);
    }
    return id == rows || error_set(err, ERROR_FAILED, "the file has %lld rows instead of %lld",
                                   (long long)id, (long long)rows);
}

/* The file as a later reader finds it. */
static bool is_kept(const struct sql_work *w, struct error *err)
{
    struct arena arena = arena_open();
    struct sql *sql = NULL;
    bool done = sql_open(w->path, w->profile, &arena, &sql, err) && has_its_rows(w, sql, err);
    sql_close(sql);
    arena_close(&arena);
    return done;
}

bool sql_work_verify(struct sql_work *w, struct error *err)
{
    double expected = expected_answer(w);
    struct sql_effective effective;
    bool done = fabs(w->answer - expected) <= 1e-9 * (1 + fabs(expected)) ||
                error_set(err, ERROR_FAILED, "the queries gave %.12g instead of %.12g",
                          w->answer, expected);
    if (done && w->sql) {
        done = sql_effective(w->sql, &effective, err) &&
               sql_is_as_asked(&effective, w->profile, err);
    }
    sql_work_close(w);
    return (done && is_kept(w, err)) || error_wrap(err, "%s, %s", sql_profile_names[w->profile],
                                                   sql_workload_names[w->workload]);
}

/* ---- a writer that is killed ---- */

/* A log is copied into its file after 100 pages, some batches, instead of 1000: writers die
 * in that, too. */
static const char *const checkpoint_often = "PRAGMA wal_autocheckpoint=100";

/* Never returns: commits batches and tells so. After the commits that it lives to tell, it is
 * killed at one of as many writes as the last of them had. */
__attribute__((noreturn)) static void write_until_killed(const char *path,
                                                         enum sql_profile profile,
                                                         struct sql_kill when, int tell_fd)
{
    struct arena arena = arena_open();
    struct sql *sql = NULL;
    struct sql_statement *insert = NULL;
    struct sql_writes writes = {0};
    struct error err = {0};
    bool done = sql_open(path, profile, &arena, &sql, &err) &&
                sql_exec(sql, create_table, &err) && sql_exec(sql, create_index, &err) &&
                sql_exec(sql, checkpoint_often, &err) && sql_count_writes(sql, &writes, &err) &&
                sql_prepare(sql, insert_row, &insert, &err);
    for (int64_t commit = 0; done; commit++) {
        if (commit == when.after)
            writes.fatal = 1 + (int64_t)(when.draw % (uint64_t)writes.count);
        if (commit <= when.after) writes.count = 0;
        done = put_batch(sql, insert, commit * BATCH, INT64_MAX, &err) &&
               write(tell_fd, "b", 1) == 1;
    }
    _exit(1);
}

/* Reads what the writer tells until it ends; gives how it did. */
static int hear_out(pid_t writer, int fd, int64_t *told)
{
    char bytes[256];
    *told = 0;
    for (;;) {
        ssize_t n = read(fd, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        *told += n * BATCH;
    }
    int status = 0;
    while (waitpid(writer, &status, 0) < 0 && errno == EINTR) continue;
    return status;
}

/* A file that cannot be opened or counted is damaged: its writer could. */
static void inspect(const char *path, enum sql_profile profile, struct sql_durability *out)
{
    struct arena arena = arena_open();
    struct sql *sql = NULL;
    struct error why = {0};
    int64_t is_ok = 0;
    out->is_intact =
        sql_open(path, profile, &arena, &sql, &why) &&
        sql_ask_int(sql, "SELECT integrity_check = 'ok' FROM pragma_integrity_check(1)", &is_ok,
                    &why) &&
        is_ok == 1;
    if (sql && !sql_ask_int(sql, "SELECT count(*) FROM records NOT INDEXED", &out->found, &why))
        out->is_intact = false;
    if (out->found % BATCH != 0) out->is_intact = false;
    sql_close(sql);
    arena_close(&arena);
}

bool sql_probe_durability(const char *path, enum sql_profile profile, struct sql_kill when,
                          struct sql_durability *out, struct error *err)
{
    *out = (struct sql_durability){0};
    CHECK(when.after > 0);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return error_set_errno(err, errno, "pipe");
    pid_t writer = fork();
    if (writer == 0) {
        close(ends[0]);
        write_until_killed(path, profile, when, ends[1]);
    }
    close(ends[1]);
    if (writer < 0) {
        int reason = errno;
        close(ends[0]);
        return error_set_errno(err, reason, "fork");
    }
    int status = hear_out(writer, ends[0], &out->told);
    close(ends[0]);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        return error_set(err, ERROR_FAILED,
                         "the writer with profile %s ended by itself after %lld rows",
                         sql_profile_names[profile], (long long)out->told);
    inspect(path, profile, out);
    out->lost = out->told > out->found ? out->told - out->found : 0;
    return true;
}
