#include "history/trend.h"
#include "tests/history/bench.h"

enum { N = 100 };

static void fill(double *values, double noise, double step, size_t at, uint64_t seed)
{
    struct rng rng = rng_seeded(seed);
    for (size_t i = 0; i < N; i++) {
        values[i] = (i < at ? 10 : 10 * (1 + step)) * (1 + noise * rng_normal(&rng));
    }
}

TEST(quiet_noise_hides_little)
{
    struct arena arena = arena_open();
    double values[N];
    fill(values, 0.005, 0, N, 1);
    struct trend_rates r = trend_rates(values, N, &(struct change_options){0}, 1, arena);
    assert_int_equal(r.deals, TREND_DEALS);
    assert_true(r.false_alarms <= 0.05);
    assert_true(r.missed[2] <= 0.02);
    arena_close(&arena);
}

/* The found step must not count as noise of the series. */
TEST(a_real_step_does_not_spoil_the_rates)
{
    struct arena arena = arena_open();
    double values[N];
    fill(values, 0.005, 0.5, 50, 1);
    struct trend_rates r = trend_rates(values, N, &(struct change_options){0}, 1, arena);
    assert_true(r.false_alarms <= 0.05);
    assert_true(r.missed[2] <= 0.02);
    arena_close(&arena);
}

TEST(loud_noise_is_admitted)
{
    struct arena arena = arena_open();
    double values[N];
    fill(values, 0.1, 0, N, 2);
    struct trend_rates r = trend_rates(values, N, &(struct change_options){0}, 1, arena);
    assert_true(r.missed[0] >= 0.8); /* 3 % in noise of 10 % */
    struct change_options rash = {.detector = CHANGE_OTAVA, .p = 0.2};
    struct trend_rates of_rash = trend_rates(values, N, &rash, 1, arena);
    assert_true(of_rash.false_alarms > 0.3);
    arena_close(&arena);
}

TEST(rates_are_repeatable_and_refused_for_few_points)
{
    struct arena arena = arena_open();
    double values[N];
    fill(values, 0.03, 0, N, 3);
    struct change_options o = {0};
    struct trend_rates a = trend_rates(values, N, &o, 9, arena);
    struct trend_rates b = trend_rates(values, N, &o, 9, arena);
    assert_memory_equal(&a.missed, &b.missed, sizeof a.missed);
    assert_int_equal(trend_rates(values, 19, &o, 9, arena).deals, 0);
    assert_int_equal(trend_rates(values, 0, &o, 9, arena).deals, 0);
    for (size_t i = 0; i < N; i++) values[i] -= 10; /* around 0: shifts, not ratios */
    assert_int_not_equal(trend_rates(values, N, &o, 9, arena).deals, 0);
    arena_close(&arena);
}

/* A step of 10 %, and what it is called. */
static const char *called(double step, size_t after, enum direction direction)
{
    static struct trend_point points[40];
    struct arena out = arena_open();
    struct rng r = rng_seeded(4);
    struct trend_series s = {.points = points, .count = 20 + after, .direction = direction};
    for (size_t i = 0; i < s.count; i++) {
        points[i].value = (i < 20 ? 1 : 1 + step) * (1 + 0.01 * rng_normal(&r));
    }
    struct trend_question q = {.change.detector = CHANGE_OTAVA};
    trend_analyse(&s, &q, &out);
    const char *kind = s.change_count == 1 ? trend_kind(&s, 0) : "none";
    arena_close(&out);
    return kind;
}

TEST(better_and_worse_are_verdicts)
{
    assert_string_equal(called(0.1, 20, DIRECTION_LOWER), "degradation");
    assert_string_equal(called(0.1, 20, DIRECTION_HIGHER), "improvement");
    assert_string_equal(called(-0.1, 20, DIRECTION_LOWER), "improvement");
    assert_string_equal(called(-0.1, 20, DIRECTION_NONE), "change");
    /* Otava sees one point; a verdict on one point there is none. */
    assert_string_equal(called(0.3, 1, DIRECTION_LOWER), "change");
}

/* ---- points ---- */

enum { HALF = 8 };

/* The history of as many executions like `before`, then like `after`. */
static struct trend_series *history_of(struct bench *b, struct shape before, struct shape after,
                                       struct arena *out)
{
    static struct trend t;
    struct error err = {0};
    struct trend_question q = {0};
    for (size_t i = 0; i < 2 * HALF; i++) {
        struct shape shape = i < HALF ? before : after;
        shape.version = i < HALF ? "1" : "2";
        put(b, shape);
    }
    if (!trend_load(b->store, &q, out, &t, &err)) fail_msg("%s", err.text);
    assert_int_equal(t.count, 1);
    assert_int_equal(t.series[0].count, 2 * HALF);
    return &t.series[0];
}

/* No answer is a wrong one, here as in every comparison. */
TEST(an_agent_that_stops_answering_is_less_right)
{
    static const struct metric accuracy = {"accuracy", "1", DIRECTION_HIGHER, "rubric_score/1",
                                           .kind = KIND_SHARE};
    struct bench b = bench_open();
    struct arena out = arena_open();
    struct shape right = {.level = 1, .noise = 1e-300, .metric = &accuracy};
    struct shape half = right;
    half.failures = 15;
    half.error = "exit code 1";
    const struct trend_series *s = history_of(&b, right, half, &out);
    assert_true(s->points[0].value == 1 && s->points[2 * HALF - 1].value == 0.5);
    assert_int_equal(s->points[2 * HALF - 1].n, 30);
    assert_int_equal(s->change_count, 1);
    assert_int_equal(s->changes[0].index, HALF);
    assert_true(s->changes[0].before == 1 && s->changes[0].after == 0.5);
    arena_close(&out);
    bench_close(&b);
}

TEST(a_program_that_hangs_is_slower)
{
    struct bench b = bench_open();
    struct arena out = arena_open();
    struct shape hung = {
        .level = 1, .failures = 20, .failed_as = TRIAL_TIMED_OUT, .error = "longer than 2 s"};
    const struct trend_series *s = history_of(&b, (struct shape){.level = 1}, hung, &out);
    assert_true(isinf(s->points[HALF].value));
    assert_int_equal(s->change_count, 1);
    assert_int_equal(s->changes[0].index, HALF);
    assert_true(isfinite(s->changes[0].before) && isinf(s->changes[0].after));
    assert_string_equal(trend_kind(s, 0), "degradation");
    arena_close(&out);
    bench_close(&b);
}

/* A tenth of the tasks that cost three times as much: no median has it. */
TEST(money_adds_up)
{
    static const struct metric cost = {"cost_usd", "USD", DIRECTION_LOWER, "cost/1",
                                       .kind = KIND_SUM};
    struct bench b = bench_open();
    struct arena out = arena_open();
    struct shape cheap = {.level = 1, .metric = &cost};
    struct shape dear = cheap;
    dear.tail = 0.1;
    const struct trend_series *s = history_of(&b, cheap, dear, &out);
    assert_int_equal(s->kind, KIND_SUM);
    assert_close(s->points[2 * HALF - 1].value, 1.2, 0.02);
    assert_int_equal(s->change_count, 1);
    assert_string_equal(trend_kind(s, 0), "degradation");
    arena_close(&out);
    bench_close(&b);
}

/* What a stand-in answered is no history of the agent. */
TEST(simulated_runs_are_a_history_of_their_own)
{
    struct bench b = bench_open();
    struct arena out = arena_open();
    struct error err = {0};
    struct trend t;
    put(&b, (struct shape){.version = "1", .level = 1});
    put(&b, (struct shape){.version = "1", .level = 9, .provenance = "simulated"});
    OK(trend_load(b.store, &(struct trend_question){0}, &out, &t, &err));
    assert_int_equal(t.count, 2);
    assert_int_equal(t.series[0].count, 1);
    arena_close(&out);
    bench_close(&b);
}

TEST(an_interrupted_run_is_no_point)
{
    struct bench b = bench_open();
    struct trend trend;
    struct error err = {0};
    for (int i = 0; i < 4; i++) {
        put(&b, (struct shape){.version = "1",
                               .level = i == 2 ? 2 : 1,
                               .trials = i == 2 ? 4 : 30,
                               .status = i == 2 ? RUN_PARTIAL : RUN_SUCCESS});
    }
    OK(trend_load(b.store, &(struct trend_question){0}, &b.f.arena, &trend, &err));
    assert_int_equal(trend.count, 1);
    assert_int_equal(trend.series[0].count, 3);
    assert_int_equal(trend.unfinished, 1);
    bench_close(&b);
}

TEST_MAIN(T(an_interrupted_run_is_no_point), T(quiet_noise_hides_little),
          T(a_real_step_does_not_spoil_the_rates), T(loud_noise_is_admitted),
          T(rates_are_repeatable_and_refused_for_few_points), T(better_and_worse_are_verdicts),
          T(an_agent_that_stops_answering_is_less_right), T(a_program_that_hangs_is_slower),
          T(money_adds_up), T(simulated_runs_are_a_history_of_their_own))
