/* fixture.h - what the store tests share: a folder, and records to put. */
#ifndef TESTS_STORE_FIXTURE_H
#define TESTS_STORE_FIXTURE_H

#include "base/clock.h"
#include "base/os.h"
#include "store/sqlite_internal.h"
#include "tests/json.h"
#include "tests/test.h"

/* Fails the test with the error's own words. */
#define OK(call)                                          \
    do {                                                  \
        if (!(call)) fail_msg("%s: %s", #call, err.text); \
    } while (0)
#define REFUSED(call, expected)                                           \
    do {                                                                  \
        if (call) fail_msg("%s did not fail", #call);                     \
        if (err.code != (expected)) fail_msg("wrong code: %s", err.text); \
    } while (0)

struct fixture {
    struct arena arena;
    const char *dir;
    const char *url;
    const char *path;
};

static inline struct fixture fixture_open(void)
{
    struct fixture f = {.arena = arena_open()};
    struct error err = {0};
    OK(os_make_temp_dir("store-test", &f.arena, &f.dir, &err));
    f.path = arena_printf(&f.arena, "%s/s.db", f.dir);
    f.url = arena_printf(&f.arena, "sqlite:%s", f.path);
    return f;
}

static inline void fixture_close(struct fixture *f)
{
    os_remove_tree(f->dir);
    arena_close(&f->arena);
}

static inline struct store *open_store(const char *url)
{
    struct store_options options = {.create = true};
    struct store *store = NULL;
    struct error err = {0};
    OK(store_open(url, &options, &store, &err));
    return store;
}

/* A store as an assay of schema version 1 would have left it. */
static inline void make_older(const char *path)
{
    struct sqlite s = {.path = path};
    struct error err = {0};
    assert_int_equal(sqlite3_open(path, &s.db), SQLITE_OK);
    OK(sqlite_exec(&s, "PRAGMA journal_mode=WAL; BEGIN", &err));
    OK(sqlite_schema_upgrade(&s, 0, 1, &err));
    OK(sqlite_exec(&s, "COMMIT", &err));
    sqlite3_close(s.db);
}

static inline struct run_record a_run(void)
{
    struct run_record run = {
        .status = RUN_RUNNING,
        .seed = 42,
        .spec_path = "spec.yaml",
        .spec_text = "experiment: noop\n",
        .spec_hash = "abc",
        .command = from_json("[\"assay\",\"run\"]"),
        .environment = from_json("{\"host\":\"h\"}"),
        .tags = from_json("[\"nightly\",\"x86\"]"),
        .assay_version = "1",
        .started_ns = clock_unix_ns(),
    };
    id_uuid7(run.id);
    return run;
}

static inline struct execution_record an_execution(struct store *store,
                                                   const struct run_record *run, int64_t cell)
{
    struct execution_record e;
    execution_record_init(&e);
    id_uuid7(e.id);
    memcpy(e.run_id, run->id, sizeof e.run_id);
    e.experiment = "noop";
    e.label = "a cell";
    e.parameters = from_json("{}");
    e.provenance = "measured";
    e.primary_metric = "duration_s";
    e.cell_index = cell;
    e.start_ns = run->started_ns;
    store_builtin_ids(store, &e);
    return e;
}

/* A run with one cell. */
static inline struct execution_record put_cell(struct store *store)
{
    struct error err = {0};
    struct run_record run = a_run();
    OK(store_put_run(store, &run, &err));
    struct execution_record e = an_execution(store, &run, 0);
    OK(store_put_execution(store, &e, &err));
    return e;
}

/* `count` trials whose every value is made of its position. */
enum { BATCH_MAX = 64 };

struct batch {
    struct trial_batch b;
    uint8_t statuses[BATCH_MAX];
    double starts[BATCH_MAX];
    double durations[BATCH_MAX];
    const struct metric *metrics[1];
    const double *columns[1];
};

static inline void fill_batch(struct batch *t, const char *execution_id, enum trial_phase phase,
                              int64_t first, size_t count)
{
    assert_true(count <= BATCH_MAX);
    for (size_t i = 0; i < count; i++) {
        double k = (double)first + (double)i;
        t->statuses[i] = (size_t)k % 5 == 4 ? TRIAL_FAILED : TRIAL_OK;
        t->starts[i] = k / 10;
        t->durations[i] = t->statuses[i] == TRIAL_OK ? 1 + k / 1000 : (double)NAN;
    }
    t->metrics[0] = &metric_duration;
    t->columns[0] = t->durations;
    t->b = (struct trial_batch){
        .execution_id = execution_id,
        .phase = phase,
        .first = first,
        .count = count,
        .statuses = t->statuses,
        .starts_s = t->starts,
        .column_count = 1,
        .metrics = t->metrics,
        .columns = t->columns,
    };
}

static inline bool append(struct store *store, const char *execution_id, enum trial_phase phase,
                          int64_t first, size_t count, struct error *err)
{
    struct batch t;
    fill_batch(&t, execution_id, phase, first, count);
    return store_append(store, &t.b, 1, err);
}

static inline const struct series_record *find_series(const struct series_record *list,
                                                      size_t count, enum trial_phase phase,
                                                      const char *metric)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].phase == phase && strcmp(list[i].metric, metric) == 0) return &list[i];
    }
    fail_msg("no series %s %s", trial_phase_name(phase), metric);
    abort();
}

/* The measured trials are 0..count-1, each once, as fill_batch makes them. */
static inline void assert_trials(struct store *store, const char *execution_id, size_t count,
                                 struct arena *scratch)
{
    struct series_record *list;
    size_t n;
    struct error err = {0};
    OK(store_list_series(store, execution_id, scratch, &list, &n, &err));
    if (count == 0 && n == 0) return;
    const struct series_record *d = find_series(list, n, PHASE_MEASURED, "duration_s");
    const struct series_record *st = find_series(list, n, PHASE_MEASURED, "trial.status");
    const struct series_record *at = find_series(list, n, PHASE_MEASURED, "trial.start_s");
    assert_int_equal(d->count, count);
    assert_int_equal(st->count, count);
    assert_int_equal(at->count, count);
    for (size_t i = 0; i < count; i++) {
        bool is_ok = i % 5 != 4;
        assert_true(st->samples[i] == (is_ok ? TRIAL_OK : TRIAL_FAILED));
        assert_true(at->samples[i] == (double)i / 10);
        assert_true(is_ok ? d->samples[i] == 1 + (double)i / 1000 : isnan(d->samples[i]));
    }
}

#endif
