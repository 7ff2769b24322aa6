/* Storing executions with their samples: through store.h, against the bare
 * sqlite3 API on the same tables and indexes, with the same batches, settings
 * and checkpoints. The bare side may keep all samples in memory until the end,
 * as no program could that wants to survive a kill; both must end with the
 * same series, by digest. */
#include "store/store.h"
#include "base/clock.h"
#include "base/os.h"
#include "bench/ratio.h"
#include "stats/moments.h"
#include "stats/quantile.h"

#include <sqlite3.h>

enum {
    EXECUTIONS = 8, /* a block */
    SINGLE = 150,   /* trials committed alone, as those of 1 ms and more are */
    BATCHED = 20,   /* batches of short trials, as they come every 10 ms */
    BATCH = 200,
    TRIALS = SINGLE + BATCHED * BATCH,
    METRICS = 4,
    OWN = 3,
    CHECKPOINT_PAGES = 1000,
};

static const struct metric metrics[METRICS] = {
    {"duration_s", "s", DIRECTION_LOWER, "duration/1", ""},
    {"cpu_s", "s", DIRECTION_LOWER, "cpu/1", ""},
    {"memory_peak_mb", "MB", DIRECTION_LOWER, "memory/1", ""},
    {"faults", "1", DIRECTION_NONE, "faults/1", ""},
};

static const struct metric own[OWN] = {
    {"trial.start_s", "s", DIRECTION_NONE, "trial.start/1", ""},
    {"trial.status", "1", DIRECTION_NONE, "trial.status/1", ""},
    {"trial.segment", "1", DIRECTION_NONE, "trial.segment/1", ""},
};

struct load {
    char ids[EXECUTIONS][UUID_SIZE];
    uint8_t statuses[TRIALS];
    double own[OWN][TRIALS];
    double samples[METRICS][TRIALS];
};

static void die(const char *what)
{
    printf("bench: storing executions: %s MISSED\n", what);
    exit(1);
}

static void fill(struct load *l)
{
    for (int i = 0; i < EXECUTIONS; i++) id_uuid7(l->ids[i]);
    for (int i = 0; i < TRIALS; i++) {
        l->own[0][i] = i * 0.001;
        for (int m = 0; m < METRICS; m++) {
            l->samples[m][i] = (double)((uint32_t)(i * METRICS + m) * 2654435761u) / 1e9;
        }
    }
}

static size_t batch_size(size_t first)
{
    return first < SINGLE ? 1 : BATCH;
}

static struct execution_record execution(struct store *store, const struct run_record *run,
                                         const char *id)
{
    struct execution_record e;
    execution_record_init(&e);
    snprintf(e.id, sizeof e.id, "%s", id);
    memcpy(e.run_id, run->id, sizeof e.run_id);
    e.experiment = "noop";
    e.start_ns = run->started_ns;
    store_builtin_ids(store, &e);
    return e;
}

static void store_ours(struct store *store, const struct run_record *run, const struct load *l)
{
    struct error err = {0};
    const struct metric *which[METRICS];
    for (int m = 0; m < METRICS; m++) which[m] = &metrics[m];
    for (int i = 0; i < EXECUTIONS; i++) {
        struct execution_record e = execution(store, run, l->ids[i]);
        if (!store_put_execution(store, &e, &err)) die(err.text);
        for (size_t first = 0; first < TRIALS; first += batch_size(first)) {
            const double *columns[METRICS];
            for (int m = 0; m < METRICS; m++) columns[m] = l->samples[m] + first;
            struct trial_batch b = {.execution_id = e.id,
                                    .phase = PHASE_MEASURED,
                                    .first = (int64_t)first,
                                    .count = batch_size(first),
                                    .statuses = l->statuses + first,
                                    .starts_s = l->own[0] + first,
                                    .column_count = METRICS,
                                    .metrics = which,
                                    .columns = columns};
            if (!store_append(store, &b, 1, &err)) die(err.text);
        }
        e.status = RUN_SUCCESS;
        e.end_ns = e.start_ns + 1000000;
        if (!store_finish(store, &e, &err)) die(err.text);
    }
}

/* ---- bare ---- */

enum statement {
    BEGIN,
    COMMIT,
    EXECUTION,
    FINISHED,
    TRIAL,
    CHUNK,
    SERIES,
    NO_CHUNKS,
    NO_TRIALS
};

static const char *const texts[] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [EXECUTION] = "INSERT INTO benchmark_executions (id, run_id, suite_id, benchmark_id,"
                  " agent_id, workspace_id, start_time, end_time, status, experiment)"
                  " SELECT ?1, run_id, suite_id, benchmark_id, agent_id, workspace_id,"
                  " start_time, end_time, 'running', experiment"
                  " FROM benchmark_executions WHERE id = ?2",
    [FINISHED] = "UPDATE benchmark_executions SET status = 'success' WHERE id = ?",
    [TRIAL] =
        "INSERT INTO trials (execution_id, phase, first, count, segment, statuses, starts)"
        " VALUES (?, 'measured', ?, ?, 0, ?, ?)",
    [CHUNK] = "INSERT INTO chunks (execution_id, phase, first, metric, count, samples)"
              " VALUES (?, 'measured', ?, ?, ?, ?)",
    [SERIES] = "INSERT INTO series (execution_id, phase, metric, unit, direction, definition,"
               " count, n, mean, sd, min, p50, p95, p99, max, samples)"
               " VALUES (?, 'measured', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [NO_CHUNKS] = "DELETE FROM chunks WHERE execution_id = ?",
    [NO_TRIALS] = "DELETE FROM trials WHERE execution_id = ?",
};

struct bare {
    sqlite3 *db;
    sqlite3_stmt *statements[COUNT(texts)];
    struct arena scratch;
    int wal_pages;
};

static int count_pages(void *state, sqlite3 *db, const char *name, int pages)
{
    (void)db, (void)name;
    ((struct bare *)state)->wal_pages = pages;
    return SQLITE_OK;
}

static void bare_open(struct bare *b, const char *path)
{
    b->scratch = arena_open();
    if (sqlite3_open_v2(path, &b->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL)) {
        die("opening bare");
    }
    sqlite3_wal_hook(b->db, count_pages, b);
    sqlite3_exec(b->db,
                 "PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;"
                 "PRAGMA cache_size=-16384; PRAGMA journal_size_limit=67108864",
                 NULL, NULL, NULL);
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (sqlite3_prepare_v2(b->db, texts[i], -1, &b->statements[i], NULL)) die(texts[i]);
    }
}

static void bare_close(struct bare *b)
{
    for (size_t i = 0; i < COUNT(texts); i++) sqlite3_finalize(b->statements[i]);
    sqlite3_close(b->db);
    arena_close(&b->scratch);
}

static void step(struct bare *b, enum statement s)
{
    if (sqlite3_step(b->statements[s]) != SQLITE_DONE) die(sqlite3_errmsg(b->db));
    sqlite3_reset(b->statements[s]);
}

static void step_with_id(struct bare *b, enum statement s, const char *id)
{
    sqlite3_bind_text(b->statements[s], 1, id, -1, SQLITE_STATIC);
    step(b, s);
}

static void bare_append(struct bare *b, const struct load *l, const char *id, size_t first)
{
    size_t n = batch_size(first);
    step(b, BEGIN);
    sqlite3_stmt *t = b->statements[TRIAL];
    sqlite3_bind_text(t, 1, id, -1, SQLITE_STATIC);
    sqlite3_bind_int64(t, 2, (int64_t)first);
    sqlite3_bind_int64(t, 3, (int64_t)n);
    sqlite3_bind_blob(t, 4, l->statuses + first, (int)n, SQLITE_STATIC);
    sqlite3_bind_blob(t, 5, l->own[0] + first, (int)(n * 8), SQLITE_STATIC);
    step(b, TRIAL);
    sqlite3_stmt *c = b->statements[CHUNK];
    for (int m = 0; m < METRICS; m++) {
        sqlite3_bind_text(c, 1, id, -1, SQLITE_STATIC);
        sqlite3_bind_int64(c, 2, (int64_t)first);
        sqlite3_bind_text(c, 3, metrics[m].name, -1, SQLITE_STATIC);
        sqlite3_bind_int64(c, 4, (int64_t)n);
        sqlite3_bind_blob(c, 5, l->samples[m] + first, (int)(n * 8), SQLITE_STATIC);
        step(b, CHUNK);
    }
    step(b, COMMIT);
}

static void bare_series(struct bare *b, const char *id, const struct metric *m,
                        const double *samples)
{
    static const double levels[] = {0, 0.5, 0.95, 0.99, 1};
    struct arena scratch = b->scratch;
    size_t n = 0;
    const double *sorted = stats_sort(&scratch, samples, TRIALS, &n);
    struct moments sum = moments_of(sorted, n);
    sqlite3_stmt *s = b->statements[SERIES];
    const char *words[] = {id, m->name, m->unit, direction_name(m->direction), m->definition};
    for (int i = 0; i < 5; i++) sqlite3_bind_text(s, i + 1, words[i], -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 6, TRIALS);
    sqlite3_bind_int64(s, 7, (int64_t)n);
    sqlite3_bind_double(s, 8, sum.mean);
    sqlite3_bind_double(s, 9, moments_sd(&sum));
    for (int i = 0; i < 5; i++) {
        sqlite3_bind_double(s, 10 + i, quantile_of(sorted, n, levels[i]));
    }
    sqlite3_bind_blob(s, 15, samples, TRIALS * 8, SQLITE_STATIC);
    step(b, SERIES);
}

static void store_bare(struct bare *b, const char *model_id, const struct load *l)
{
    for (int i = 0; i < EXECUTIONS; i++) {
        const char *id = l->ids[i];
        sqlite3_bind_text(b->statements[EXECUTION], 2, model_id, -1, SQLITE_STATIC);
        step_with_id(b, EXECUTION, id);
        for (size_t first = 0; first < TRIALS; first += batch_size(first)) {
            bare_append(b, l, id, first);
        }
        step(b, BEGIN);
        step_with_id(b, FINISHED, id);
        for (int m = 0; m < METRICS; m++) bare_series(b, id, &metrics[m], l->samples[m]);
        for (int m = 0; m < OWN; m++) bare_series(b, id, &own[m], l->own[m]);
        step_with_id(b, NO_CHUNKS, id);
        step_with_id(b, NO_TRIALS, id);
        step(b, COMMIT);
        if (b->wal_pages > CHECKPOINT_PAGES) {
            sqlite3_wal_checkpoint_v2(b->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
        }
    }
}

/* ---- what was stored ---- */

/* Of everything in `series` (without row ids), and what must be left of the
 * open form: nothing. */
static void digest(const char *path, char *out, int64_t *rows)
{
    static const char sql[] =
        "SELECT s.execution_id || phase || metric || unit || direction || definition ||"
        " count || ' ' || n || ' ' || mean || ' ' || sd || ' ' || min || ' ' || p50 || ' ' ||"
        " p95 || ' ' || p99 || ' ' || max || ' ' || status, samples FROM series s"
        " JOIN benchmark_executions e ON e.id = s.execution_id"
        " WHERE NOT EXISTS (SELECT 1 FROM trials) AND NOT EXISTS (SELECT 1 FROM chunks)"
        " ORDER BY s.execution_id, metric";
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    struct buf b;
    buf_init(&b, 1 << 24);
    memset(out, 0, SHA256_HEX_SIZE);
    *rows = 0;
    if (sqlite3_open(path, &db) || sqlite3_prepare_v2(db, sql, -1, &stmt, NULL)) die("digest");
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        buf_clear(&b);
        buf_text(&b, out);
        for (int i = 0; i < 2; i++) {
            const void *bytes = sqlite3_column_blob(stmt, i);
            buf_add_bytes(&b, bytes, (size_t)sqlite3_column_bytes(stmt, i));
        }
        id_sha256(buf_str(&b), out);
        (*rows)++;
    }
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    buf_release(&b);
}

static void verify(const char *ours, const char *bare)
{
    char a[SHA256_HEX_SIZE];
    char b[SHA256_HEX_SIZE];
    int64_t rows_a = 0;
    int64_t rows_b = 0;
    digest(ours, a, &rows_a);
    digest(bare, b, &rows_b);
    printf("# %lld and %lld series, digests %.12s and %.12s\n", (long long)rows_a,
           (long long)rows_b, a, b);
    if (rows_a != (int64_t)BLOCKS * EXECUTIONS * (METRICS + OWN)) die("series are missing:");
    if (rows_a != rows_b || strcmp(a, b) != 0) die("the two stored different things:");
}

/* A store with a run and one execution in it, whose row the bare side copies. */
static struct store *prepare(const char *path, const struct run_record *run, const char *id)
{
    struct error err = {0};
    struct store *store = NULL;
    if (!store_open(path, &(struct store_options){.create = true}, &store, &err)) {
        die(err.text);
    }
    struct execution_record e = execution(store, run, id);
    if (!store_put_run(store, run, &err) || !store_put_execution(store, &e, &err)) {
        die(err.text);
    }
    return store;
}

int main(void)
{
    struct arena arena = arena_open();
    struct error err = {0};
    const char *dir = NULL;
    if (!os_make_temp_dir("assay-bench", &arena, &dir, &err)) die(err.text);
    const char *ours_path = arena_printf(&arena, "%s/ours.db", dir);
    const char *bare_path = arena_printf(&arena, "%s/bare.db", dir);
    struct run_record run = {.started_ns = clock_unix_ns()};
    char model_id[UUID_SIZE];
    id_uuid7(run.id);
    id_uuid7(model_id);
    struct store *ours = prepare(ours_path, &run, model_id);
    store_close(prepare(bare_path, &run, model_id));
    struct bare bare = {0};
    bare_open(&bare, bare_path);

    struct load *l = arena_new(&arena, struct load, 1);
    double ours_s[BLOCKS];
    double bare_s[BLOCKS];
    double total_ours = 0;
    double total_bare = 0;
    for (int i = 0; i < BLOCKS; i++) {
        fill(l);
        for (int k = 0; k < 2; k++) {
            int64_t begin = clock_ns();
            bool is_ours = (i + k) % 2 == 0;
            if (is_ours) store_ours(ours, &run, l);
            if (!is_ours) store_bare(&bare, model_id, l);
            (is_ours ? ours_s : bare_s)[i] = (double)(clock_ns() - begin) / 1e9;
        }
        total_ours += ours_s[i];
        total_bare += bare_s[i];
    }
    store_close(ours);
    bare_close(&bare);
    verify(ours_path, bare_path);
    os_remove_tree(dir);
    arena_close(&arena);

    const double target = 1.5;
    struct ratio r = ratio_of(ours_s, bare_s);
    double scale = 1e3 / (BLOCKS * EXECUTIONS);
    printf("bench: storing executions: ours %.2f ms peer %.2f ms ratio %.3f [%.3f, %.3f] "
           "target %.1f %s\n",
           total_ours * scale, total_bare * scale, r.median, r.low, r.high, target,
           r.median <= target ? "ok" : "MISSED");
    return r.median <= target ? 0 : 1;
}
