/* Policies, read and refused; what is missing; and the workflow of docs/ci.md. Decisions
 * by rules are in tests/cli/gate.bats. */
#include "base/os.h"
#include "history/gate.h"
#include "judge/claims.h"
#include "tests/arena.h"
#include "tests/report/fixture.h"

static bool read_policy(const char *text, struct gate_policy *policy, struct problems *problems)
{
    *problems = (struct problems){.arena = &arena, .file = "p.yaml"};
    return gate_read("p.yaml", str_of(text), &arena, policy, problems);
}

TEST(the_shipped_policy_has_the_five_rules)
{
    static struct gate_policy policy;
    struct problems problems = {.arena = &arena, .file = "gate.yaml"};
    struct str bytes;
    struct error err = {0};
    assert_true(os_read_file("specs/policies/gate.yaml", 1 << 20, &arena, &bytes, &err));
    assert_true(gate_read("gate.yaml", bytes, &arena, &policy, &problems));
    static const struct {
        enum gate_kind kind;
        bool is_block;
        double limit;
        const char *metric;
    } expected[] = {
        {GATE_SLOWER, true, 0.1, "duration_s"},
        {GATE_FAILURES, true, 0, "failure_rate"},
        {GATE_COST, true, 0.05, "cost_usd"},
        {GATE_IMPROVEMENT, false, 0.2, "duration_s"},
        {GATE_BELOW, false, 90, "coverage_percent"},
    };
    assert_int_equal(policy.count, COUNT(expected));
    for (size_t i = 0; i < policy.count; i++) {
        assert_int_equal(policy.rules[i].kind, expected[i].kind);
        assert_int_equal(policy.rules[i].is_block, expected[i].is_block);
        assert_close(policy.rules[i].limit, expected[i].limit, 1e-12);
        assert_string_equal(policy.rules[i].metric, expected[i].metric);
    }
}

TEST(what_is_wrong_with_a_policy_is_said_with_its_place)
{
    static const struct {
        const char *text;
        uint32_t line;
        const char *problem;
    } cases[] = {
        {"", 1, "a policy must be a mapping"},
        {"block: []\n", 1, "needs a rule"},
        {"blok: []\n", 1, "did you mean 'block'"},
        {"block: 3\n", 1, "must be a list of rules"},
        {"block:\n  - 3\n", 2, "a rule must be a mapping"},
        {"block:\n  - {slower_then: 10 %}\n", 2, "did you mean 'slower_than'"},
        {"block:\n  - {slower_than: fast}\n", 2, "must be a share"},
        {"block:\n  - {slower_than: -1}\n", 2, "must be at least 0"},
        {"block:\n  - {slower_than: 5}\n", 2, "must be a share (is 5): write 5 % or 0.05"},
        {"block:\n  - {failure_rate_increase: 150 %}\n", 2, "must be at most 1"},
        {"block:\n  - {worse_by: 0.1}\n", 2, "needs 'metric'"},
        {"block:\n  - {metric: x, below: 9 %}\n", 2, "must be a number"},
        {"block:\n  - {metric: x, below: 9, above: 3}\n", 2, "exactly one of"},
        {"block:\n  - {metric: x}\n", 2, "exactly one of"},
        {"block: [\n", 0, ""},
    };
    static struct gate_policy policy;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct problems problems;
        assert_false(read_policy(cases[i].text, &policy, &problems));
        assert_true(problems.kept > 0);
        if (cases[i].line) assert_int_equal(problems.items[0].line, cases[i].line);
        if (!strstr(problems.items[0].text, cases[i].problem)) {
            fail_msg("%s: %s", cases[i].text, problems.items[0].text);
        }
    }
}

/* ---- what is missing ---- */

static struct gate judge(const char *text, struct baseline_pair *pair,
                         const struct baseline_lost *lost)
{
    static struct gate_policy policy;
    struct problems problems;
    struct error err = {0};
    assert_true(read_policy(text, &policy, &problems));
    struct gate gate = {
        .policy = &policy,
        .set = {.pairs = pair, .count = 1, .lost = lost, .lost_count = 1, .subject = "run"}};
    if (!gate_judge(0, &arena, &gate, &err)) fail_msg("%s", err.text);
    return gate;
}

TEST(a_cell_that_vanished_or_was_cut_short_blocks)
{
    static const char slower[] = "block: [{slower_than: 900 %}]\n";
    static const char retired[] = "block: [{slower_than: 900 %}]\nretired: [two]\n";
    struct view *v = fixture_view(
        &arena, (struct fixture_shape){.cells = 2, .trials = 20, .metrics = 1, .typical_s = 1});
    const struct baseline_lost two = {.name = "two, bot 1", .benchmark = "two"};
    struct baseline_pair pair = {.current = &v->cells[1],
                                 .baseline = &v->cells[0],
                                 .agent = "a",
                                 .benchmark = "one",
                                 .name = "one",
                                 .against = "the baseline"};
    assert_int_equal(judge(slower, &pair, &two).blocked, 1);
    assert_int_equal(judge(retired, &pair, &two).blocked, 0);
    struct execution_record *e = &v->cells[1].record;
    e->measured_planned = e->counts.attempted + 16;
    e->status = RUN_SUCCESS; /* `until` ended it */
    assert_null(view_unfinished(e));
    e->status = RUN_PARTIAL;
    pair.cut[1] = view_unfinished(e);
    assert_non_null(pair.cut[1]);
    assert_int_equal(judge(retired, &pair, &two).blocked, 1);
    pair.cut[0] = pair.cut[1];
    assert_int_equal(judge(retired, &pair, &two).blocked, 2);
}

TEST(what_is_no_longer_reported_does_not_pass)
{
    static const char slower[] = "block: [{slower_than: 900 %}]\nretired: [two]\n";
    struct view *v = fixture_view(
        &arena, (struct fixture_shape){.cells = 2, .trials = 20, .metrics = 1, .typical_s = 1});
    const struct baseline_lost two = {.name = "two, bot 1", .benchmark = "two"};
    struct baseline_pair pair = {.current = &v->cells[1],
                                 .baseline = &v->cells[0],
                                 .agent = "a",
                                 .benchmark = "one",
                                 .name = "one",
                                 .against = "the baseline"};
    assert_int_equal(judge(slower, &pair, &two).checks[0].state, GATE_PASSED);
    struct view_metric *m = &v->cells[1].metrics[0];
    double *samples = arena_new(&arena, double, m->count);
    memcpy(samples, m->samples, m->count * sizeof *samples);
    for (size_t i = 0; i < 5; i++) samples[i] = NAN;
    m->samples = samples;
    m->n -= 5;
    struct gate gate = judge(slower, &pair, &two);
    assert_int_equal(gate.checks[0].state, GATE_UNDECIDED);
    assert_int_equal(gate.checks[0].ask.gone, 5);
    assert_int_equal(gate.checks[0].ask.gone_of, 20);
    v->cells[0].metrics[0] = *m; /* as in the baseline */
    assert_int_equal(judge(slower, &pair, &two).checks[0].state, GATE_PASSED);
}

static void fail_last(struct view *v)
{
    struct view_metric *m = &v->cells[0].metrics[0];
    size_t last = m->count - 1;
    double *samples = arena_new(&arena, double, m->count);
    uint8_t *statuses = arena_new(&arena, uint8_t, m->count);
    memcpy(samples, m->samples, m->count * sizeof *samples);
    samples[last] = NAN;
    statuses[last] = TRIAL_FAILED;
    m->samples = samples;
    m->n--;
    v->cells[0].statuses = statuses;
}

/* A gate and a claim about one level decide alike, also where values are few, or failed. */
TEST(a_limit_and_a_claim_decide_alike)
{
    static const double limits[] = {0.5, 0.9, 1, 1.01, 1.1, 2};
    const struct baseline_lost none = {0};
    struct error err = {0};
    size_t seen[] = {[CLAIM_UNDECIDED] = 0, [CLAIM_HOLDS] = 0, [CLAIM_FAILS] = 0};
    for (size_t k = 2; k <= 19; k++) {
        size_t n = k / 2;
        struct view *v = fixture_view(
            &arena,
            (struct fixture_shape){.cells = 1, .trials = n, .metrics = 1, .typical_s = 1});
        if (k % 2) fail_last(v);
        struct baseline_pair pair = {
            .current = &v->cells[0], .agent = "a", .benchmark = "one", .name = "one"};
        for (size_t i = 0; i < COUNT(limits); i++) {
            struct gate gate = judge(
                arena_printf(&arena, "block: [{metric: duration_s, above: %g}]\n", limits[i]),
                &pair, &none);
            struct claims claims;
            v->run.spec_text = arena_printf(
                &arena, "claims: [{name: c, metric: duration_s, expect: {at_most: %g}}]\n",
                limits[i]);
            if (!claims_decide(NULL, v, 0, &arena, &claims, &err)) fail_msg("%s", err.text);
            const struct claim *c = &claims.items[0];
            const struct gate_check *check = &gate.checks[0];
            bool is_empty = k == 3; /* its only trial failed: nothing is claimed of nothing */
            assert_int_equal(c->outcome == CLAIM_HOLDS, check->state == GATE_PASSED);
            if (is_empty) continue;
            assert_int_equal(c->outcome == CLAIM_FAILS, check->state == GATE_VIOLATED);
            assert_true(c->low == check->level.low && c->high == check->level.high);
            assert_close(c->confidence, n < 6 ? 1 - exp2(1 - (double)n) : 0.95, 1e-12);
            seen[c->outcome]++;
        }
    }
    for (size_t i = 0; i < COUNT(seen); i++) assert_true(seen[i] > 0);
}

enum { CELLS = 10, CASES = 8 };

/* CELLS benchmarks of CASES answers, of which `wrong` and every second time one more are wrong;
 * the last `missing` trials failed. */
static struct view *make_levels(size_t cells, size_t wrong, size_t missing, bool is_share)
{
    struct view *v = fixture_view(
        &arena,
        (struct fixture_shape){.cells = cells, .trials = CASES, .metrics = 1, .typical_s = 1});
    for (size_t i = 0; i < cells; i++) {
        struct view_metric *m = &v->cells[i].metrics[0];
        double *samples = arena_new(&arena, double, CASES);
        uint8_t *statuses = arena_new(&arena, uint8_t, CASES);
        for (size_t k = 0; k < CASES; k++) {
            bool is_wrong = k < wrong + i % 2;
            samples[k] = is_share ? !is_wrong : m->samples[k] * (is_wrong ? 0.5 : 1);
            statuses[k] = k + missing < CASES ? TRIAL_OK : TRIAL_FAILED;
            if (statuses[k] != TRIAL_OK) samples[k] = NAN;
        }
        m->samples = samples;
        m->n = CASES - missing;
        m->kind = is_share ? KIND_SHARE : KIND_RATIO;
        m->unit = is_share ? "1" : "s";
        v->cells[i].statuses = statuses;
    }
    return v;
}

/* What a gate says of the levels, and the claim that says the same. */
static struct gate judge_levels(struct view *v, double least, struct claim *claim)
{
    static struct gate_policy policy;
    struct problems problems;
    struct error err = {0};
    struct claims claims;
    struct baseline_pair *pairs = arena_new(&arena, struct baseline_pair, v->cell_count);
    for (size_t i = 0; i < v->cell_count; i++)
        pairs[i] = (struct baseline_pair){
            .current = &v->cells[i], .agent = "a", .benchmark = "one", .name = "one"};
    assert_true(
        read_policy(arena_printf(&arena, "block: [{metric: duration_s, below: %g}]\n", least),
                    &policy, &problems));
    struct gate gate = {.policy = &policy,
                        .set = {.pairs = pairs, .count = v->cell_count, .subject = "run"}};
    if (!gate_judge(0, &arena, &gate, &err)) fail_msg("%s", err.text);
    v->run.spec_text = arena_printf(
        &arena, "claims: [{name: c, metric: duration_s, expect: {at_least: %g}}]\n", least);
    if (!claims_decide(NULL, v, 0, &arena, &claims, &err)) fail_msg("%s", err.text);
    *claim = claims.items[0];
    return gate;
}

/* 55 of 80 answers are right: ten benchmarks of eight show together that not all of them
 * reach 0.9, which none of them shows alone. */
TEST(what_no_cell_can_show_all_of_them_do)
{
    struct claim claim;
    struct gate gate = judge_levels(make_levels(CELLS, 2, 0, true), 0.9, &claim);
    assert_int_equal(gate.blocked, 1);
    assert_int_equal(gate.open, CELLS);
    const struct gate_check *whole = &gate.checks[CELLS];
    assert_null(whole->pair);
    assert_int_equal(whole->cells, CELLS);
    assert_close(whole->level.centre, 0.6875, 1e-12);
    assert_close(whole->level.low, 0.5644287219236266, 1e-9); /* scipy: n* = 68.9 */
    assert_close(whole->level.high, 0.7938432566464995, 1e-9);
    assert_int_equal(claim.outcome, CLAIM_FAILS);
    assert_true(claim.together == CELLS && claim.n[1] == (size_t)CELLS * CASES);
    assert_int_equal(judge_levels(make_levels(CELLS, 2, 0, true), 0.7, &claim).blocked, 0);
}

TEST(limits_and_claims_about_several_cells_decide_alike)
{
    size_t seen[] = {[CLAIM_UNDECIDED] = 0, [CLAIM_HOLDS] = 0, [CLAIM_FAILS] = 0};
    for (size_t k = 0; k < 2 * CASES * 3 * 2; k++) {
        bool is_share = k % 2;
        size_t wrong = k / 2 % CASES;
        size_t missing = k / 2 / CASES % 3;
        size_t cells = k / 2 / CASES / 3 ? CELLS : 2;
        struct view *v = make_levels(cells, wrong, missing, is_share);
        for (double limit = 0.05; limit < 1.1; limit += 0.04) {
            struct claim c;
            struct gate gate = judge_levels(v, limit, &c);
            assert_int_equal(c.outcome == CLAIM_FAILS, gate.blocked > 0);
            assert_int_equal(c.outcome == CLAIM_HOLDS, gate.blocked + gate.open == 0);
            seen[c.outcome]++;
        }
        arena_reset(&arena);
    }
    for (size_t i = 0; i < COUNT(seen); i++) assert_true(seen[i] > 20);
}

/* A time-out is longer than all that were seen: three trials of which one hung are not known
 * to be below the limit. */
TEST(a_hang_does_not_pass_a_limit)
{
    static const char limit[] = "block: [{metric: duration_s, above: 2}]\n";
    struct view *v = fixture_view(
        &arena, (struct fixture_shape){.cells = 1, .trials = 3, .metrics = 1, .typical_s = 1});
    struct view_cell *cell = &v->cells[0];
    const struct baseline_lost none = {0};
    struct baseline_pair pair = {
        .current = cell, .agent = "a", .benchmark = "one", .name = "one"};
    struct view_metric *m = &cell->metrics[0];
    m->definition = metric_duration.definition;
    struct gate gate = judge(limit, &pair, &none);
    assert_int_equal(gate.checks[0].state, GATE_PASSED);
    static const uint8_t statuses[] = {TRIAL_OK, TRIAL_TIMED_OUT, TRIAL_OK};
    double samples[] = {0.9, NAN, 1.1};
    cell->statuses = statuses;
    m->samples = samples;
    m->n = 2;
    gate = judge(limit, &pair, &none);
    assert_int_equal(gate.checks[0].state, GATE_UNDECIDED);
    assert_true(gate.checks[0].level.low == 0.9 && isinf(gate.checks[0].level.high));
    samples[0] = 2.1;
    samples[2] = 2.2;
    assert_int_equal(judge(limit, &pair, &none).checks[0].state, GATE_VIOLATED);
}

/* Blocks of a load last the same and do not fail: its answers get slower, its requests fail. */
TEST(a_load_is_asked_about_its_answers)
{
    static const char text[] = "block: [{slower_than: 10 %}, {failure_rate_increase: 0}]\n";
    struct view *v = fixture_view(
        &arena, (struct fixture_shape){.cells = 2, .trials = 20, .metrics = 3, .typical_s = 1});
    double shares[2][20] = {{0}};
    for (int k = 0; k < 2; k++) {
        struct view_cell *cell = &v->cells[k];
        cell->record.experiment = "load";
        cell->record.primary_metric = "response_p95_s";
        cell->metrics[0].name = "response_p95_s";
        cell->metrics[1] = v->cells[0].metrics[1];
        cell->metrics[1].name = "duration_s";
        cell->metrics[1].unit = "s";
        cell->metrics[2].name = "error_share";
        cell->metrics[2].unit = "1";
        cell->metrics[2].definition = "load_error_share/1";
        cell->metrics[2].kind = KIND_SHARE;
        cell->metrics[2].samples = shares[k];
    }
    struct baseline_pair pair = {.current = &v->cells[1],
                                 .baseline = &v->cells[0],
                                 .agent = "a",
                                 .benchmark = "load",
                                 .name = "load",
                                 .against = "the baseline"};
    double slow[20];
    for (size_t i = 0; i < 20; i++) {
        slow[i] = 12 * v->cells[0].metrics[0].samples[i];
        shares[1][i] = 0.2 + 0.001 * (double)i;
    }
    v->cells[1].metrics[0].samples = slow;
    const struct baseline_lost none = {0};
    struct gate gate = judge(text, &pair, &none);
    assert_int_equal(gate.checks[0].state, GATE_VIOLATED);
    assert_string_equal(gate.checks[0].rule->text, "response_p95_s slower_than 10 %");
    assert_string_equal(gate.checks[1].rule->metric, "failure_rate");
    assert_int_equal(gate.checks[1].state, GATE_PASSED);
    assert_string_equal(gate.checks[2].rule->metric, "error_share");
    assert_int_equal(gate.checks[2].state, GATE_VIOLATED);
    assert_close(gate.checks[2].w.amount, 0.2095, 1e-9);
    /* Who names the metric means it. */
    gate = judge("block: [{metric: duration_s, slower_than: 10 %}]\n", &pair, &none);
    assert_int_equal(gate.checks[0].state, GATE_PASSED);
    assert_string_equal(gate.checks[0].rule->metric, "duration_s");
    memset(shares[1], 0, sizeof shares[1]);
    v->cells[1].metrics[0].samples = v->cells[0].metrics[0].samples;
    gate = judge(text, &pair, &none);
    for (size_t i = 0; i < 3; i++) assert_int_equal(gate.checks[i].state, GATE_PASSED);
}

/* Ten blocks, in each of which 15 of 60 requests begin to time out. */
TEST(a_load_that_loses_requests_is_blocked)
{
    static const char text[] = "block: [{failure_rate_increase: 0}]\n";
    struct view *v = fixture_view(
        &arena, (struct fixture_shape){.cells = 2, .trials = 10, .metrics = 2, .typical_s = 1});
    double shares[2][10] = {{0}};
    double due[10];
    for (int k = 0; k < 2; k++) {
        struct view_cell *cell = &v->cells[k];
        cell->record.experiment = "load";
        cell->metrics[0].name = "error_share";
        cell->metrics[0].unit = "1";
        cell->metrics[0].definition = "load_error_share/1";
        cell->metrics[0].kind = KIND_SHARE;
        cell->metrics[0].samples = shares[k];
        cell->metrics[1] = cell->metrics[0];
        cell->metrics[1].name = "scheduled";
        cell->metrics[1].definition = "load_scheduled/1";
        cell->metrics[1].kind = KIND_RATIO;
        cell->metrics[1].samples = due;
    }
    struct baseline_pair pair = {.current = &v->cells[1],
                                 .baseline = &v->cells[0],
                                 .agent = "a",
                                 .benchmark = "load",
                                 .name = "load",
                                 .against = "the baseline"};
    for (size_t i = 0; i < 10; i++) {
        due[i] = 60 + (double)(i % 3);
        shares[1][i] = 0.24 + 0.002 * (double)i;
    }
    const struct baseline_lost none = {0};
    struct gate gate = judge(text, &pair, &none);
    assert_string_equal(gate.checks[1].rule->metric, "error_share");
    assert_int_equal(gate.checks[1].state, GATE_VIOLATED);
    /* Blocks of one request each are no more than ten. */
    for (size_t i = 0; i < 10; i++) due[i] = 1;
    assert_int_equal(judge(text, &pair, &none).checks[1].state, GATE_UNDECIDED);
}

/* Failures that count no more are not fewer. */
TEST(failures_that_are_ignored_do_not_pass)
{
    static const char text[] = "block: [{failure_rate_increase: 0}]\n";
    struct view *v = fixture_view(
        &arena, (struct fixture_shape){.cells = 2, .trials = 20, .metrics = 1, .typical_s = 1});
    const struct baseline_lost none = {0};
    struct value_pair ignored = {S("ignore_failure"), .value = value_new_bool(&arena, true)};
    struct baseline_pair pair = {.current = &v->cells[1],
                                 .baseline = &v->cells[0],
                                 .agent = "a",
                                 .benchmark = "one",
                                 .name = "one",
                                 .against = "the baseline"};
    assert_int_equal(judge(text, &pair, &none).checks[0].state, GATE_PASSED);
    v->cells[1].settings = &ignored;
    v->cells[1].setting_count = 1;
    assert_int_equal(judge(text, &pair, &none).checks[0].state, GATE_VIOLATED);
    v->cells[0].settings = &ignored;
    v->cells[0].setting_count = 1;
    assert_int_equal(judge(text, &pair, &none).checks[0].state, GATE_PASSED);
    v->cells[1].setting_count = 0;
    assert_int_equal(judge(text, &pair, &none).checks[0].state, GATE_UNDECIDED);
}

/* The workflow is YAML, begins as it should, and each step does something. */
TEST(the_workflow_of_the_manual_reads)
{
    struct str bytes;
    struct error err = {0};
    assert_true(os_read_file("docs/ci.md", 1 << 20, &arena, &bytes, &err));
    const char *begin = strstr(bytes.p, "```yaml .github/workflows/");
    assert_non_null(begin);
    begin = strchr(begin, '\n') + 1;
    const char *end = strstr(begin, "\n```");
    assert_non_null(end);
    const struct value *root = NULL;
    struct value_error error = {0};
    struct str text = {begin, (size_t)(end - begin) + 1};
    if (!value_read(text, &value_limits_spec, &arena, &root, &error)) {
        fail_msg("line %u: %s", error.line, error.error.text);
    }
    const struct value *on = value_get(root, "on");
    assert_non_null(value_get(on, "schedule"));
    bool has_pull_request = false;
    for (size_t i = 0; i < on->map.count; i++) {
        has_pull_request |= str_is(on->map.pairs[i].key, "pull_request");
    }
    assert_true(has_pull_request);
    const struct value *jobs = value_get(root, "jobs");
    assert_non_null(jobs);
    assert_int_equal(jobs->map.count, 2);
    for (size_t i = 0; i < jobs->map.count; i++) {
        const struct value *job = jobs->map.pairs[i].value;
        const struct value *steps = value_get(job, "steps");
        assert_non_null(value_get(job, "runs-on"));
        assert_non_null(steps);
        for (size_t k = 0; k < steps->list.count; k++) {
            const struct value *step = steps->list.items[k];
            assert_true(!value_get(step, "run") != !value_get(step, "uses"));
        }
    }
}

/* Every cell has them, as claims know. */
TEST(rates_that_every_cell_has_can_be_limited)
{
    struct view *v = fixture_view(
        &arena, (struct fixture_shape){.cells = 2, .trials = 40, .metrics = 1, .typical_s = 1});
    const struct baseline_lost none = {.name = "two, bot 1", .benchmark = "two"};
    struct baseline_pair pair = {.current = &v->cells[1],
                                 .baseline = &v->cells[0],
                                 .agent = "a",
                                 .benchmark = "one",
                                 .name = "one",
                                 .against = "the baseline"};
    static const struct {
        const char *rule;
        size_t passed, failed; /* blocked by no failures, and by 30 of 40 */
    } cases[] = {
        {"metric: failure_rate, above: 0.2", 0, 1},
        {"metric: success_rate, below: 0.8", 0, 1},
        {"metric: success_rate, worse_by: 10 %", 0, 1},
    };
    uint8_t *statuses = arena_new(&arena, uint8_t, 40);
    for (size_t i = 0; i < 2; i++) v->cells[i].statuses = arena_new(&arena, uint8_t, 40);
    for (size_t i = 0; i < 30; i++) statuses[i] = TRIAL_FAILED;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *text =
            arena_printf(&arena, "block: [{%s}]\nretired: [two]\n", cases[i].rule);
        v->cells[1].statuses = v->cells[0].statuses;
        struct gate g = judge(text, &pair, &none);
        assert_int_equal(g.blocked, cases[i].passed);
        v->cells[1].statuses = statuses;
        g = judge(text, &pair, &none);
        assert_int_equal(g.blocked, cases[i].failed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(the_shipped_policy_has_the_five_rules),
        T(what_is_wrong_with_a_policy_is_said_with_its_place),
        T(a_cell_that_vanished_or_was_cut_short_blocks),
        T(what_is_no_longer_reported_does_not_pass),
        T(a_limit_and_a_claim_decide_alike),
        T(what_no_cell_can_show_all_of_them_do),
        T(limits_and_claims_about_several_cells_decide_alike),
        T(a_hang_does_not_pass_a_limit),
        T(a_load_is_asked_about_its_answers),
        T(a_load_that_loses_requests_is_blocked),
        T(failures_that_are_ignored_do_not_pass),
        T(rates_that_every_cell_has_can_be_limited),
        T(the_workflow_of_the_manual_reads),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
