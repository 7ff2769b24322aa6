#include "run/measure.h"

#include "tests/test.h"

/* Hooks write their letter, so that the order can be read off. */
struct trace {
    char text[64];
    size_t n;
};

static struct trace trace;

static void mark(char c)
{
    trace.text[trace.n++] = c;
    trace.text[trace.n] = '\0';
}

static enum trial_status do_prepare(struct trial *t, void *state)
{
    (void)t;
    (void)state;
    mark('p');
    return TRIAL_OK;
}

static enum trial_status do_refuse(struct trial *t, void *state)
{
    (void)state;
    error_set(&t->error, ERROR_FAILED, "not today");
    return TRIAL_HARNESS_ERROR;
}

static enum trial_status do_work(struct trial *t, void *state)
{
    (void)t;
    (void)state;
    mark('x');
    return TRIAL_OK;
}

static _Atomic int64_t limit_from_ns;
static int64_t limit_seen_ns; /* while it concludes */

static enum trial_status do_conclude(struct trial *t, void *state, enum trial_status status)
{
    (void)state;
    limit_seen_ns = atomic_load(&limit_from_ns);
    t->values[0] = 42;
    mark('c');
    return status;
}

static void on_begin(void *state)
{
    (void)state;
    mark('b');
}

static void on_end(void *state)
{
    (void)state;
    mark('e');
}

static void on_give(const void *state, double duration_s, const struct usage *usage,
                    double *values)
{
    (void)state;
    (void)usage;
    values[0] = duration_s;
    mark('g');
}

static const struct metric metric = {.name = "m", .unit = "1", .definition = "m/1"};
static struct experiment body = {.name = "body",
                                 .metrics = &metric,
                                 .metric_count = 1,
                                 .prepare = do_prepare,
                                 .execute_once = do_work,
                                 .conclude = do_conclude};
static const struct instrument meter = {.name = "meter",
                                        .metrics = &metric,
                                        .metric_count = 1,
                                        .begin = on_begin,
                                        .end = on_end,
                                        .give = on_give};

static double values[3];
static uint32_t order[8];
static int instrument_state;
static void *states[1] = {&instrument_state};
static struct group_instrument instruments[1] = {{.row = &meter, .first_column = 2}};
static struct group_arm plan = {.experiment = &body,
                                .instruments = instruments,
                                .instrument_count = 1,
                                .column_count = 3,
                                .case_count = 1,
                                .workload_seed = 5,
                                .private_seed = 6};

static struct measure begin(void)
{
    trace = (struct trace){0};
    struct measure m = {.plan = &plan,
                        .instrument_states = states,
                        .has_hooks = true,
                        .values = values,
                        .case_order = order,
                        .case_order_of = -1};
    m.trial.values = values + 1;
    return m;
}

TEST(hooks_stand_in_their_order_around_the_clock)
{
    struct measure m = begin();
    struct reading got = measure_trial(&m, PHASE_MEASURED, 0);
    assert_string_equal(trace.text, "pbxecg");
    assert_int_equal(got.status, TRIAL_OK);
    assert_true(got.end_ns >= got.start_ns);
    assert_true(values[0] == (double)(got.end_ns - got.start_ns) / 1e9);
    assert_true(values[1] == 42 && values[2] == values[0]);
}

/* A judge that takes an hour does not make an agent slow. */
TEST(the_time_limit_counts_for_each_part_alone)
{
    struct measure m = begin();
    m.limit_from_ns = &limit_from_ns;
    atomic_store(&limit_from_ns, 1);
    struct reading got = measure_trial(&m, PHASE_MEASURED, 0);
    assert_int_equal(limit_seen_ns, got.end_ns);
    body.spawns = true; /* what comes after has limits of its own */
    measure_trial(&m, PHASE_MEASURED, 1);
    body.spawns = false;
    assert_int_equal(limit_seen_ns, 0);
    body.conclude = NULL; /* nothing has been prepared for that long */
    got = measure_trial(&m, PHASE_MEASURED, 2);
    body.conclude = do_conclude;
    int64_t from_ns = atomic_load(&limit_from_ns);
    assert_true(from_ns > 1 && from_ns <= got.start_ns);
}

TEST(a_refused_preparation_runs_nothing)
{
    body.prepare = do_refuse;
    struct measure m = begin();
    struct reading got = measure_trial(&m, PHASE_MEASURED, 0);
    body.prepare = do_prepare;
    assert_int_equal(got.status, TRIAL_HARNESS_ERROR);
    assert_string_equal(trace.text, "");
    assert_true(isnan(values[1]));
}

TEST(streams_differ_by_trial_phase_and_case_and_repeat)
{
    struct measure m = begin();
    measure_trial(&m, PHASE_MEASURED, 3);
    uint64_t third = m.trial.workload_seed;
    trace.n = 0;
    measure_trial(&m, PHASE_MEASURED, 4);
    assert_true(m.trial.workload_seed != third);
    trace.n = 0;
    measure_trial(&m, PHASE_WARMUP, 3);
    assert_true(m.trial.workload_seed != third);
    assert_true(m.trial.private_seed != m.trial.workload_seed);
    trace.n = 0;
    measure_trial(&m, PHASE_MEASURED, 3);
    assert_true(m.trial.workload_seed == third);
}

TEST(a_pass_visits_every_case_once_in_a_seeded_order)
{
    struct measure m = begin();
    plan.case_count = 8;
    int seen[2][8] = {{0}};
    bool same = true;
    int64_t first_pass[8];
    for (int64_t i = 0; i < 16; i++) {
        trace.n = 0;
        measure_trial(&m, PHASE_MEASURED, i);
        assert_int_equal(m.trial.iteration, i / 8);
        seen[i / 8][m.trial.case_index]++;
        if (i < 8) first_pass[i] = m.trial.case_index;
        if (i >= 8 && first_pass[i - 8] != m.trial.case_index) same = false;
    }
    plan.case_count = 1;
    for (int k = 0; k < 8; k++) assert_true(seen[0][k] == 1 && seen[1][k] == 1);
    assert_false(same);
}

TEST_MAIN(T(hooks_stand_in_their_order_around_the_clock),
          T(the_time_limit_counts_for_each_part_alone), T(a_refused_preparation_runs_nothing),
          T(streams_differ_by_trial_phase_and_case_and_repeat),
          T(a_pass_visits_every_case_once_in_a_seeded_order))
