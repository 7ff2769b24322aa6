/* harness.h - carries out trials as the arm does: setup; prepare, clock,
 * execute_once, clock, conclude for each; teardown. For tests of experiments
 * and instruments, in the test's own process.
 *
 *     struct bench b;
 *     bench_open(&b, "command", "{command: [true]}", 0);
 *     assert_int_equal(bench_trial(&b), TRIAL_OK);
 *     bench_close(&b);                                                       */
#ifndef TESTS_EXPERIMENT_HARNESS_H
#define TESTS_EXPERIMENT_HARNESS_H

#include "base/clock.h"
#include "base/os.h"
#include "experiment/experiment.h"
#include "instrument/instrument.h"
#include "tests/test.h"
#include "world/sql.h"

#include <unistd.h>

enum { BENCH_VALUES = 32 };

struct bench {
    const struct experiment *experiment;
    struct arena arena;
    struct experiment_env env;
    void *state;
    struct trial trial;
    struct buf output, detail, histograms;
    double values[BENCH_VALUES];
    double duration_s;
    const struct instrument *instrument; /* NULL = none */
    void *instrument_state;
    double instrument_values[BENCH_VALUES];
    void (*meddle)(struct bench *b); /* after execute_once: makes wrong what it left */
    const char *file, *wrong;        /* what, and how: for bench_spoil_file */
    struct error error;              /* of setup or teardown */
};

/* Parameters, written as YAML, as the config struct of their table. */
static inline void *bench_config(struct arena *arena, struct param_table table, size_t size,
                                 const char *yaml)
{
    const struct value *map = NULL;
    struct value_error where = {0};
    if (!value_read(str_of(yaml), &value_limits_spec, arena, &map, &where))
        fail_msg("%s: %s", yaml, where.error.text);
    struct problems problems = {.arena = arena, .file = "test"};
    if (!param_check(table, map, "test", &problems))
        fail_msg("%s: %s", yaml, problems.items[0].text);
    void *config = arena_alloc(arena, 1, size + 1, 16);
    struct error err = {0};
    if (!param_read(table, map, config, arena, &err)) fail_msg("%s: %s", yaml, err.text);
    return config;
}

/* False if check or setup said no; b->error has the reason. */
static inline bool bench_try_open(struct bench *b, const char *experiment, const char *yaml,
                                  int64_t time_limit_ns)
{
    *b = (struct bench){.experiment = experiment_find(str_of(experiment))};
    assert_non_null(b->experiment);
    assert_true(b->experiment->metric_count <= BENCH_VALUES);
    b->arena = arena_open();
    buf_init(&b->output, 1 << 20);
    buf_init(&b->detail, 1 << 20);
    buf_init(&b->histograms, 1 << 20);
    b->env = (struct experiment_env){
        .arena = &b->arena,
        .config =
            bench_config(&b->arena, b->experiment->params, b->experiment->config_size, yaml),
        .workload_seed = 1,
        .private_seed = 2,
        .time_limit_ns = time_limit_ns,
    };
    assert_true(os_make_temp_dir("assay-test", &b->arena, &b->env.work_dir, &b->error));
    b->state = arena_alloc(&b->arena, 1, b->experiment->state_size + 1, 16);
    if (b->experiment->check && !b->experiment->check(b->env.config, &b->error)) return false;
    return !b->experiment->setup || b->experiment->setup(&b->env, b->state, &b->error);
}

static inline void bench_open(struct bench *b, const char *experiment, const char *yaml,
                              int64_t time_limit_ns)
{
    if (!bench_try_open(b, experiment, yaml, time_limit_ns)) fail_msg("%s", b->error.text);
}

/* Arm side of one instrument, after bench_open. */
static inline void bench_attach(struct bench *b, const char *instrument, const char *yaml)
{
    b->instrument = instrument_find(str_of(instrument));
    assert_non_null(b->instrument);
    assert_true(b->instrument->metric_count <= BENCH_VALUES);
    void *config =
        bench_config(&b->arena, b->instrument->params, b->instrument->config_size, yaml);
    b->instrument_state = arena_alloc(&b->arena, 1, b->instrument->state_size + 1, 16);
    struct instrument_subject subject = {getpid(), b->experiment->spawns};
    if (b->instrument->open &&
        !b->instrument->open(b->instrument_state, config, &subject, &b->error))
        fail_msg("%s", b->error.text);
}

static inline enum trial_status bench_trial(struct bench *b)
{
    const struct experiment *e = b->experiment;
    const struct instrument *it = b->instrument;
    int64_t iteration = b->trial.env ? b->trial.iteration + 1 : 0;
    buf_clear(&b->output);
    buf_clear(&b->detail);
    buf_clear(&b->histograms);
    for (size_t i = 0; i < BENCH_VALUES; i++) b->values[i] = b->instrument_values[i] = NAN;
    b->trial = (struct trial){
        .env = &b->env,
        .iteration = iteration,
        .phase = PHASE_MEASURED,
        .workload_seed = 100 + (uint64_t)iteration,
        .private_seed = 200 + (uint64_t)iteration,
        .values = b->values,
        .detail = &b->detail,
        .output = &b->output,
        .histograms = &b->histograms,
    };
    b->duration_s = NAN;
    enum trial_status status = e->prepare ? e->prepare(&b->trial, b->state) : TRIAL_OK;
    if (status != TRIAL_OK) return status;
    if (it && it->begin) it->begin(b->instrument_state);
    int64_t begin_ns = clock_ns();
    status = e->execute_once(&b->trial, b->state);
    int64_t end_ns = clock_ns();
    if (it && it->end) it->end(b->instrument_state);
    b->duration_s = (double)(end_ns - begin_ns) * 1e-9;
    if (b->meddle) b->meddle(b);
    if (e->conclude) status = e->conclude(&b->trial, b->state, status);
    if (it && it->give)
        it->give(b->instrument_state, b->duration_s, &b->trial.usage, b->instrument_values);
    return status;
}

/* A meddler: executes the statement b->wrong in the file b->file of the trial's folder. */
static inline void bench_spoil_file(struct bench *b)
{
    const char *path = arena_printf(&b->arena, "%s/trial/%s", b->env.work_dir, b->file);
    struct sql *sql = NULL;
    if (!sql_open(path, SQL_BALANCED, &b->arena, &sql, &b->error) ||
        !sql_exec(sql, b->wrong, &b->error))
        fail_msg("%s: %s", path, b->error.text);
    sql_close(sql);
}

/* A trial whose file is spoilt so must fail, and say this. */
static inline void bench_notices(struct bench *b, const char *file, const char *statement,
                                 const char *said)
{
    b->meddle = bench_spoil_file;
    b->file = file;
    b->wrong = statement;
    enum trial_status status = bench_trial(b);
    if (status != TRIAL_FAILED || !strstr(b->trial.error.text, said))
        fail_msg("%s: status %d, '%s'", statement, (int)status, b->trial.error.text);
    b->meddle = NULL;
}

static inline double bench_value(const struct bench *b, const char *metric)
{
    for (size_t i = 0; i < b->experiment->metric_count; i++) {
        if (strcmp(b->experiment->metrics[i].name, metric) == 0) return b->values[i];
    }
    fail_msg("%s has no metric %s", b->experiment->name, metric);
    return NAN;
}

static inline double instrument_value(const struct instrument *it, const double *values,
                                      const char *metric)
{
    for (size_t i = 0; i < it->metric_count; i++) {
        if (strcmp(it->metrics[i].name, metric) == 0) return values[i];
    }
    fail_msg("%s has no metric %s", it->name, metric);
    return NAN;
}

static inline double bench_reading(const struct bench *b, const char *metric)
{
    return instrument_value(b->instrument, b->instrument_values, metric);
}

/* True if teardown went well. */
static inline bool bench_close(struct bench *b)
{
    if (b->instrument && b->instrument->close) b->instrument->close(b->instrument_state);
    bool done = !b->experiment->teardown || b->experiment->teardown(b->state, &b->error);
    os_remove_tree(b->env.work_dir);
    buf_release(&b->output);
    buf_release(&b->detail);
    buf_release(&b->histograms);
    arena_close(&b->arena);
    return done;
}

#endif
