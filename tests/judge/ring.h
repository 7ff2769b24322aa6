/* ring.h - agents of known conduct in a store, for whatever judges them. */
#ifndef TESTS_JUDGE_RING_H
#define TESTS_JUDGE_RING_H

#include "base/rng.h"
#include "suite/scoring.h"
#include "tests/store/fixture.h"

enum { CASES = 30, PASSES = 2, TRIALS = CASES * PASSES };

static const struct metric accuracy_metric = {.name = "accuracy",
                                              .unit = "1",
                                              .direction = DIRECTION_HIGHER,
                                              .definition = "rubric_score/1",
                                              .kind = KIND_SHARE};

/* One agent's behaviour on a benchmark. */
struct conduct {
    int wrong_from, wrong_to; /* cases that it fails to solve: [from, to) */
    int silent;               /* trials at the end without an answer */
    int unjudged;             /* cases at the end that assay could not judge */
    double seconds;           /* median duration */
    const char *defined_as;   /* the definition of accuracy; NULL: the usual */
    const char *prompt;       /* that it is asked by; NULL: there is none */
};

struct ring {
    struct fixture f;
    struct store *store;
    struct run_record run;
    struct suite_record suite;
};

static inline struct ring ring_open(void)
{
    struct ring r = {.f = fixture_open()};
    struct error err = {0};
    r.store = open_store(r.f.url);
    r.run = a_run();
    OK(store_put_run(r.store, &r.run, &err));
    r.suite =
        (struct suite_record){.name = "sums", .category = "accuracy", .content_hash = "h"};
    return r;
}

static inline void ring_close(struct ring *r)
{
    store_close(r->store);
    fixture_close(&r->f);
}

static inline void put_benchmarks(struct ring *r, const char *const *names, size_t count,
                                  const char *targets, char ids[][UUID_SIZE])
{
    struct error err = {0};
    char list[200];
    struct buf b;
    buf_over(&b, list, sizeof list);
    for (size_t i = 0; i < count; i++) {
        store_benchmark_id(r->store, "sums", names[i], "h", ids[i]);
        buf_printf(&b, "%s\"%s\"", i ? "," : "[", ids[i]);
    }
    buf_text(&b, "]");
    r->suite.benchmarks = str_cstr(&r->f.arena, buf_str(&b));
    OK(store_put_suite(r->store, &r->suite, &err));
    for (size_t i = 0; i < count; i++) {
        struct benchmark_record record = {
            .name = names[i], .content_hash = "h", .targets = targets, .settings = "{}"};
        memcpy(record.id, ids[i], UUID_SIZE);
        memcpy(record.suite_id, r->suite.id, UUID_SIZE);
        OK(store_put_benchmark(r->store, &record, &err));
    }
}

static inline void put_agent(struct ring *r, const char *name, const char *benchmark_id,
                             const struct conduct *c, uint64_t seed)
{
    static uint8_t statuses[TRIALS];
    static double starts[TRIALS], accuracy[TRIALS], seconds[TRIALS];
    static struct trial_note notes[TRIALS];
    static char hashes[CASES][8];
    struct error err = {0};
    struct rng rng = rng_seeded(seed);
    struct agent_record agent = {.name = name, .kind = "noop"};
    OK(store_put_agent(r->store, &agent, &err));
    struct execution_record e = an_execution(r->store, &r->run, 0);
    memcpy(e.agent_id, agent.id, UUID_SIZE);
    memcpy(e.suite_id, r->suite.id, UUID_SIZE);
    memcpy(e.benchmark_id, benchmark_id, UUID_SIZE);
    if (c->prompt)
        e.parameters = from_json(arena_printf(&r->f.arena, "{\"prompt\":\"%s\"}", c->prompt));
    for (int i = 0; i < TRIALS; i++) {
        int k = i % CASES;
        bool is_silent = i >= TRIALS - c->silent;
        snprintf(hashes[k], sizeof hashes[k], "case%02d", k);
        bool is_unjudged = k >= CASES - c->unjudged;
        statuses[i] = is_silent ? TRIAL_FAILED : is_unjudged ? TRIAL_HARNESS_ERROR : TRIAL_OK;
        accuracy[i] =
            is_silent || is_unjudged ? (double)NAN : !(k >= c->wrong_from && k < c->wrong_to);
        double noise = exp(0.05 * rng_normal(&rng));
        seconds[i] = is_silent || is_unjudged ? (double)NAN : c->seconds * (1 + k % 7) * noise;
        notes[i] = (struct trial_note){.trial = i,
                                       .phase = PHASE_MEASURED,
                                       .iteration = i / CASES,
                                       .case_hash = hashes[k],
                                       .status = statuses[i]};
    }
    struct metric right = accuracy_metric;
    if (c->defined_as) right.definition = c->defined_as;
    const struct metric *metrics[] = {&metric_duration, &right};
    const double *columns[] = {seconds, accuracy};
    struct trial_batch batch = {.execution_id = e.id,
                                .phase = PHASE_MEASURED,
                                .count = TRIALS,
                                .statuses = statuses,
                                .starts_s = starts,
                                .column_count = 2,
                                .metrics = metrics,
                                .columns = columns,
                                .notes = notes,
                                .note_count = TRIALS};
    struct scoring scoring;
    OK(store_put_execution(r->store, &e, &err));
    OK(store_append(r->store, &batch, 1, &err));
    OK(scoring_load(r->store, &e, &r->f.arena, &scoring, &err));
    scoring_fill(&scoring, &e);
    e.status = RUN_SUCCESS;
    e.end_ns = e.start_ns + 1;
    OK(store_finish(r->store, &e, &err));
}

#endif
