/* bench.h - executions with known answers: a store, and samples made here. */
#ifndef TESTS_HISTORY_BENCH_H
#define TESTS_HISTORY_BENCH_H

#include "base/rng.h"
#include "tests/store/fixture.h"

enum { TRIALS_MAX = 128 };

struct bench {
    struct fixture f;
    struct store *store;
    struct agent_record agent;
    struct suite_record suite;
    struct rng rng;
    int64_t clock_ns;
};

/* What one execution is made of. */
struct shape {
    const char *version;
    const char *benchmark; /* NULL: "b" */
    size_t trials;         /* 0: 30 */
    double level;          /* of duration_s */
    double noise;          /* relative; 0: 0.01 */
    double tail;           /* share of trials that take 3 times as long */
    size_t failures;
    enum trial_status failed_as; /* 0: TRIAL_FAILED */
    const char *error;
    const struct metric *metric;     /* NULL: duration_s */
    const char *host;                /* NULL: unknown */
    const char *provenance;          /* NULL: "measured" */
    double accuracy;                 /* share of right answers; 0: not measured */
    const char *primary;             /* NULL: the metric */
    const char *measured;            /* metrics_measured, in JSON; NULL: all */
    enum run_status status;          /* 0: RUN_SUCCESS */
    size_t mute;                     /* trials at the end that succeed and give no value */
    double (*draw)(struct rng *rng); /* of one trial; NULL: by level and noise */
};

static inline struct bench bench_open(void)
{
    struct bench b = {.f = fixture_open(), .rng = rng_seeded(7)};
    struct error err = {0};
    b.store = open_store(b.f.url);
    b.agent = (struct agent_record){.name = "a", .kind = "noop"};
    b.suite = (struct suite_record){.name = "s", .category = "speed", .content_hash = "h"};
    OK(store_put_agent(b.store, &b.agent, &err));
    OK(store_put_suite(b.store, &b.suite, &err));
    b.clock_ns = clock_unix_ns();
    return b;
}

static inline void bench_close(struct bench *b)
{
    store_close(b->store);
    fixture_close(&b->f);
}

static inline void put_samples(struct bench *b, const struct execution_record *e,
                               const struct shape *shape, size_t trials)
{
    struct error err = {0};
    uint8_t statuses[TRIALS_MAX] = {0};
    double starts[TRIALS_MAX] = {0};
    double values[TRIALS_MAX];
    double rights[TRIALS_MAX];
    struct trial_note notes[TRIALS_MAX] = {0};
    double noise = shape->noise > 0 ? shape->noise : 0.01;
    for (size_t i = 0; i < trials; i++) {
        rights[i] = (double)i < shape->accuracy * (double)trials;
        values[i] = shape->level * (1 + noise * rng_normal(&b->rng));
        if (shape->draw) values[i] = shape->draw(&b->rng);
        if ((double)i < shape->tail * (double)trials) values[i] *= 3;
        if (i + shape->mute >= trials) values[i] = NAN;
        if (i >= shape->failures) continue;
        values[i] = NAN;
        enum trial_status status = shape->failed_as ? shape->failed_as : TRIAL_FAILED;
        statuses[i] = (uint8_t)status;
        notes[i] = (struct trial_note){.trial = (int64_t)i,
                                       .phase = PHASE_MEASURED,
                                       .status = status,
                                       .error = shape->error};
    }
    static const struct metric accuracy = {
        "accuracy", "1", DIRECTION_HIGHER, "accuracy/1", "right answers", .kind = KIND_SHARE};
    const struct metric *metrics[] = {shape->metric ? shape->metric : &metric_duration,
                                      &accuracy};
    const double *columns[] = {values, rights};
    struct trial_batch batch = {.execution_id = e->id,
                                .phase = PHASE_MEASURED,
                                .count = trials,
                                .statuses = statuses,
                                .starts_s = starts,
                                .column_count = shape->accuracy > 0 ? 2 : 1,
                                .metrics = metrics,
                                .columns = columns,
                                .notes = notes,
                                .note_count = shape->failures};
    OK(store_append(b->store, &batch, 1, &err));
}

static inline struct execution_record put(struct bench *b, struct shape shape)
{
    struct error err = {0};
    const char *name = shape.benchmark ? shape.benchmark : "b";
    size_t trials = shape.trials ? shape.trials : 30;
    struct run_record run = a_run();
    run.started_ns = b->clock_ns += 1000000000;
    run.status = shape.status ? shape.status : RUN_SUCCESS;
    if (shape.host)
        run.environment =
            from_json(arena_printf(&b->f.arena, "{\"hostname\":\"%s\"}", shape.host));
    struct benchmark_record r = {
        .name = name, .content_hash = name, .metrics_measured = shape.measured};
    memcpy(r.suite_id, b->suite.id, UUID_SIZE);
    store_benchmark_id(b->store, "s", name, name, r.id);
    OK(store_put_benchmark(b->store, &r, &err));
    OK(store_put_run(b->store, &run, &err));
    struct execution_record e = an_execution(b->store, &run, 0);
    memcpy(e.agent_id, b->agent.id, UUID_SIZE);
    memcpy(e.suite_id, b->suite.id, UUID_SIZE);
    memcpy(e.benchmark_id, r.id, UUID_SIZE);
    e.agent_version = shape.version;
    e.label = name;
    if (shape.provenance) e.provenance = shape.provenance;
    e.status = shape.status ? shape.status : RUN_SUCCESS;
    e.end_ns = e.start_ns + 1;
    e.primary_metric = shape.metric ? shape.metric->name : "duration_s";
    if (shape.primary) e.primary_metric = shape.primary;
    e.counts.attempted = (int64_t)trials;
    e.counts.by_status[shape.failed_as ? shape.failed_as : TRIAL_FAILED] =
        (int64_t)shape.failures;
    e.counts.by_status[TRIAL_OK] = (int64_t)(trials - shape.failures);
    OK(store_put_execution(b->store, &e, &err));
    put_samples(b, &e, &shape, trials);
    OK(store_finish(b->store, &e, &err));
    return e;
}

#endif
