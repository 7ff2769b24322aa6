/* Every row of the tables of rules, with a planted case that triggers it and one that
 * does not. A rule without one fails here. */
#include "history/gate.h"
#include "history/regress.h"
#include "tests/history/bench.h"
#include "tests/registry.h"

#include <math.h>

/* ---- regressions ---- */

static void plant_beyond(struct bench *b, bool is_there)
{
    put(b, (struct shape){.version = "1", .level = 1});
    put(b, (struct shape){.version = "2", .level = is_there ? 1.3 : 1});
}

/* Several benchmarks, each worse by so much. */
static void plant_many(struct bench *b, double level)
{
    for (int version = 1; version <= 2; version++) {
        for (int i = 0; i < 9; i++) {
            put(b, (struct shape){.version = version == 1 ? "1" : "2",
                                  .benchmark = arena_printf(&b->f.arena, "b%d", i),
                                  .level = version == 2 ? level : 1});
        }
    }
}

static void plant_whole(struct bench *b, bool is_there)
{
    plant_many(b, is_there ? 1.2 : 1);
}

static void plant_systemic(struct bench *b, bool is_there)
{
    plant_many(b, is_there ? 1.07 : 1);
}

static void plant_drift(struct bench *b, bool is_there)
{
    double level = 1;
    for (int i = 0; i < 12; i++) {
        put(b, (struct shape){.version = arena_printf(&b->f.arena, "%d", i), .level = level});
        level *= is_there ? 1.04 : 1;
    }
}

static void plant_tail(struct bench *b, bool is_there)
{
    put(b, (struct shape){.version = "1", .level = 1, .trials = 120});
    put(b,
        (struct shape){.version = "2", .level = 1, .trials = 120, .tail = is_there ? 0.15 : 0});
}

static void plant_variance(struct bench *b, bool is_there)
{
    put(b, (struct shape){.version = "1", .level = 1, .trials = 120});
    put(b, (struct shape){
               .version = "2", .level = 1, .trials = 120, .noise = is_there ? 0.03 : 0.01});
}

static void plant_failure(struct bench *b, bool is_there)
{
    enum trial_status status = is_there ? TRIAL_LIMIT_BREACHED : TRIAL_FAILED;
    put(b, (struct shape){.version = "1", .level = 1, .trials = 60, .failures = 10});
    put(b, (struct shape){
               .version = "2", .level = 1, .trials = 60, .failures = 10, .failed_as = status});
}

static void plant_trade(struct bench *b, bool is_there)
{
    put(b, (struct shape){.version = "1", .level = 1, .trials = 120, .accuracy = 0.95});
    put(b, (struct shape){
               .version = "2", .level = 0.5, .trials = 120, .accuracy = is_there ? 0.6 : 0.95});
}

static bool has_found(const struct regress *r, size_t rule)
{
    bool has = false;
    for (size_t i = 0; i < r->row_count; i++) {
        has |= r->rows[i].rule == rule && r->rows[i].state == REGRESS_FOUND;
    }
    return has;
}

TEST(every_rule_of_regressions_has_its_case)
{
    static void (*const plants[REGRESS_RULE_COUNT])(struct bench * b, bool is_there) = {
        [REGRESS_BEYOND] = plant_beyond,       [REGRESS_WHOLE] = plant_whole,
        [REGRESS_SYSTEMIC] = plant_systemic,   [REGRESS_DRIFT] = plant_drift,
        [REGRESS_TAIL] = plant_tail,           [REGRESS_VARIANCE] = plant_variance,
        [REGRESS_NEW_FAILURE] = plant_failure, [REGRESS_TRADE] = plant_trade};
    registry_check("regression rule", regression_rule_entry, false);
    const struct regression_rule *rule = NULL;
    size_t count = 0;
    for (; (rule = regression_rule_at(count)); count++) {
        assert_true(rule->threshold >= 0);
        assert_string_equal(regress_rule_name((enum regress_rule)count), rule->name);
        for (int is_there = 0; is_there < 2; is_there++) {
            struct bench b = bench_open();
            struct error err = {0};
            struct regress r;
            struct regress_question q = {.which.agent = "a"};
            plants[count](&b, is_there);
            OK(regress_ask(b.store, &q, &b.f.arena, &r, &err));
            bool is_found = has_found(&r, count);
            if (is_found != is_there) fail_msg("%s: %d", rule->name, is_found);
            bench_close(&b);
        }
    }
    assert_int_equal(count, REGRESS_RULE_COUNT);
}

/* ---- shapes of which the median says little ---- */

static double half_zeros(struct rng *rng)
{
    double u = rng_real(rng);
    return rng_real(rng) < 0.5 ? 0 : 1.5 + 0.3 * u;
}

static double two_tight_modes(struct rng *rng)
{
    double x = 1 + 0.01 * rng_normal(rng);
    return rng_real(rng) < 0.5 ? x : 10 * x;
}

static double normal_1(struct rng *rng)
{
    return 1 + 0.02 * rng_normal(rng);
}

static double normal_3(struct rng *rng)
{
    return 1 + 0.06 * rng_normal(rng);
}

static double lognormal_1(struct rng *rng)
{
    return exp(0.1 * rng_normal(rng));
}

static double lognormal_3(struct rng *rng)
{
    return exp(0.3 * rng_normal(rng));
}

/* How many of `pairs` pairs of executions the rule alarms about. */
static size_t variance_alarms(double (*a)(struct rng *), double (*b)(struct rng *),
                              size_t pairs)
{
    struct bench bench = bench_open();
    size_t alarms = 0;
    for (size_t i = 0; i < pairs; i++) {
        const char *name = arena_printf(&bench.f.arena, "b%zu", i);
        struct execution_record was =
            put(&bench, (struct shape){.version = "1", .benchmark = name, .draw = a});
        struct execution_record now =
            put(&bench, (struct shape){.version = "2", .benchmark = name, .draw = b});
        struct regress_question q = {.which = {.run = now.run_id, .baseline = was.run_id}};
        struct regress r;
        struct error err = {0};
        OK(regress_ask(bench.store, &q, &bench.f.arena, &r, &err));
        alarms += has_found(&r, REGRESS_VARIANCE);
    }
    bench_close(&bench);
    return alarms;
}

/* At most alpha plus three standard errors of unchanged pairs, whatever their shape: a median
 * that jumps between modes, or to 0, is not a spread. */
TEST(unchanged_pairs_have_no_more_spread)
{
    enum { PAIRS = 200, MOST = 19 };
    const char *san = getenv("ASSAY_SAN"); /* which make each pair take ten times as long */
    if (san && *san) {
        print_message("# skip: 800 pairs take minutes under sanitizers\n");
        skip();
    }
    static double (*const shapes[])(struct rng *) = {half_zeros, two_tight_modes, normal_1,
                                                     lognormal_1};
    for (size_t i = 0; i < COUNT(shapes); i++) {
        size_t alarms = variance_alarms(shapes[i], shapes[i], PAIRS);
        if (alarms > MOST) fail_msg("shape %zu: %zu of %d pairs alarm", i, alarms, PAIRS);
    }
}

TEST(three_times_the_spread_is_found)
{
    enum { PAIRS = 50, LEAST = 30 };
    size_t found[] = {variance_alarms(normal_1, normal_3, PAIRS),
                      variance_alarms(lognormal_1, lognormal_3, PAIRS)};
    for (size_t i = 0; i < COUNT(found); i++) {
        if (found[i] < LEAST) fail_msg("shape %zu: %zu of %d found", i, found[i], PAIRS);
    }
}

/* ---- gate ---- */

struct gate_case {
    const char *limit; /* that is passed without the cause and violated with it */
    const char *metric;
    struct shape with;
};

static enum gate_state state_of(const char *text, const struct shape *now)
{
    static struct gate_policy policy;
    struct bench b = bench_open();
    struct problems problems = {.arena = &b.f.arena, .file = "p.yaml"};
    struct error err = {0};
    struct gate gate;
    put(&b, (struct shape){.version = "1", .level = 1, .trials = 60});
    put(&b, *now);
    if (!gate_read("p.yaml", str_of(text), &b.f.arena, &policy, &problems)) {
        fail_msg("%s: not read", text);
    }
    struct baseline_question which = {.agent = "a"};
    OK(gate_ask(b.store, &policy, &which, 0, &b.f.arena, &gate, &err));
    enum gate_state state = gate.checks[0].state;
    bench_close(&b);
    return state;
}

TEST(every_kind_of_gate_rule_has_its_case)
{
    static const struct gate_case cases[GATE_KIND_COUNT] = {
        [GATE_SLOWER] = {"10 %", NULL, {.level = 1.3}},
        [GATE_WORSE] = {"10 %", "duration_s", {.level = 1.3}},
        [GATE_FAILURES] = {"20 %", NULL, {.level = 1, .failures = 40, .error = "no"}},
        [GATE_IMPROVEMENT] = {"0 %", NULL, {.level = 1.3}},
        [GATE_BELOW] = {"0.9", "duration_s", {.level = 0.5}},
        [GATE_ABOVE] = {"1.1", "duration_s", {.level = 1.3}},
    };
    registry_check("gate rule", gate_rule_kind_entry, false);
    const struct gate_rule_kind *kind = NULL;
    for (size_t i = 0; (kind = gate_rule_kind_at(i)); i++) {
        assert_string_equal(gate_kind_name((enum gate_kind)i), kind->name);
        struct gate_case c = cases[i];
        if (i == GATE_COST) { /* as slower_than, of a metric that is always there */
            assert_string_equal(kind->metric, "cost_usd");
            c = (struct gate_case){"10 %", "duration_s", {.level = 1.3}};
        }
        char text[200];
        snprintf(text, sizeof text, "block: [{%s: %s%s%s}]", kind->name, c.limit,
                 c.metric ? ", metric: " : "", c.metric ? c.metric : "");
        c.with.version = "2";
        c.with.trials = 60;
        struct shape without = {
            .version = "2", .level = i == GATE_IMPROVEMENT ? 0.8 : 1, .trials = 60};
        if (state_of(text, &c.with) != GATE_VIOLATED) fail_msg("%s: passed", text);
        if (state_of(text, &without) != GATE_PASSED) fail_msg("%s: violated", text);
    }
}

TEST_MAIN(T(every_rule_of_regressions_has_its_case), T(unchanged_pairs_have_no_more_spread),
          T(three_times_the_spread_is_found), T(every_kind_of_gate_rule_has_its_case))
