/* Two agents with planted differences: what is told, and what is not. */
#include "report/versus_words.h"

#include "judge/versus_internal.h"
#include "tests/judge/ring.h"
#include "tests/registry.h"

static const struct versus *ask(struct ring *r)
{
    struct error err = {0};
    struct versus *v = NULL;
    struct versus_question q = {.agent = {"a", "b"}, .suite = "sums"};
    OK(versus_ask(r->store, &q, &r->f.arena, &v, &err));
    return v;
}

/* Both on one benchmark. */
static const struct versus *fight(struct ring *r, const struct conduct *a,
                                  const struct conduct *b, const char *targets)
{
    static const char *const names[] = {"add"};
    char ids[1][UUID_SIZE];
    put_benchmarks(r, names, 1, targets, ids);
    put_agent(r, "a", ids[0], a, 1);
    put_agent(r, "b", ids[0], b, 2);
    return ask(r);
}

static const struct versus_advice *advice(const struct versus *v, const char *rule)
{
    for (size_t i = 0; i < v->advice_count; i++) {
        if (strcmp(v->advice[i].rule, rule) == 0) return &v->advice[i];
    }
    return NULL;
}

static double value_at(const struct versus_advice *a, const char *name)
{
    for (size_t i = 0; i < a->value_count; i++) {
        if (strcmp(a->values[i].name, name) == 0) return a->values[i].value;
    }
    fail_msg("rule %s looked at no %s", a->rule, name);
    return (double)NAN;
}

static const char targets[] = "{\"duration_s\":1}";

TEST(the_right_one_wins_and_flips_are_counted)
{
    struct ring r = ring_open();
    const struct conduct a = {.wrong_from = 28, .wrong_to = 30, .seconds = 0.1};
    const struct conduct b = {.wrong_from = 0, .wrong_to = 14, .seconds = 0.09};
    const struct versus *v = fight(&r, &a, &b, targets);
    assert_int_equal(v->case_count, CASES);
    assert_int_equal(v->flipped[0], 14);
    assert_int_equal(v->flipped[1], 2);
    assert_close(v->mcnemar_p, 0.00418091, 1e-6); /* R: binom.test(2, 16)$p.value */
    const struct versus_metric *accuracy = &v->metrics[SCORE_ACCURACY];
    assert_int_equal(versus_winner(accuracy), 0);
    assert_close(accuracy->effect, -12.0 / 30, 1e-12);
    assert_string_equal(accuracy->test, "McNemar");
    const struct versus_metric *speed = &v->metrics[SCORE_SPEED];
    assert_int_equal(versus_winner(speed), 1);
    assert_true(speed->low < 0.9 && speed->high > 0.9 && speed->kind == VERSUS_RATIO);
    assert_int_equal(versus_winner(&v->metrics[SCORE_RELIABILITY]), -1);
    assert_int_equal(versus_winner(&v->overall), 0);
    assert_true(v->wins[0] == 1 && v->wins[1] == 1 && v->ties == 1);
    assert_false(v->metrics[SCORE_COST].is_measured);
    assert_true(isnan(v->metrics[SCORE_COST].score[0]));
    ring_close(&r);
}

/* B is right wherever it was judged, but 12 of its 30 cases were not: who would be ahead
 * overall depends on them, so nobody is. */
TEST(outcomes_that_nobody_knows_leave_the_overall_open)
{
    struct ring r = ring_open();
    const struct versus *v =
        fight(&r, &(struct conduct){.wrong_to = 9, .seconds = 0.01},
              &(struct conduct){.unjudged = 12, .seconds = 0.01}, "{\"duration_s\":0.01}");
    assert_int_equal(v->metrics[SCORE_ACCURACY].verdict, VERDICT_UNDECIDED);
    assert_int_equal(v->overall.verdict, VERDICT_UNDECIDED);
    assert_true(v->overall.low < 0 && v->overall.high > 0);
    ring_close(&r);
}

TEST(equal_agents_have_no_winner)
{
    struct ring r = ring_open();
    const struct conduct c = {.wrong_from = 3, .wrong_to = 6, .seconds = 0.1};
    const struct versus *v = fight(&r, &c, &c, targets);
    for (size_t m = 0; m < SCORE_COUNT; m++)
        assert_int_equal(versus_winner(&v->metrics[m]), -1);
    assert_int_equal(versus_winner(&v->overall), -1);
    assert_true(v->flipped[0] == 0 && v->flipped[1] == 0 && v->mcnemar_p == 1);
    /* 30 cases without a difference do not prove that there is none. */
    assert_int_equal(v->metrics[SCORE_ACCURACY].verdict, VERDICT_UNDECIDED);
    assert_close(v->metrics[SCORE_ACCURACY].high, 1 - pow(0.025, 1.0 / CASES), 1e-9);
    ring_close(&r);
}

/* Each sentence goes when its cause does. */
TEST(recommendations_have_a_cause)
{
    static const struct conduct good = {.seconds = 0.1};
    static const struct conduct bad = {.wrong_to = 15, .seconds = 0.1};
    static const struct conduct hasty = {.wrong_to = 15, .seconds = 0.01};
    static const struct conduct other = {.wrong_from = 25, .wrong_to = 27, .seconds = 0.1};
    static const struct conduct silent = {.silent = 12, .seconds = 0.1};
    static const struct {
        const char *rule;
        const struct conduct *a, *with, *without;
        const char *targets, *targets_without;
        const char *decisive, *threshold; /* the value that passes it */
    } rows[] = {
        {"prefer", &good, &bad, &good, targets, targets, "p", "p_below"},
        {"trade_off", &good, &hasty, &bad, targets, targets, "p", "p_below"},
        {"add_cases", &good, &good, &bad, targets, targets, "p", "p_at_least"},
        {"learn_from_flips", &other, &bad, &good, targets, targets, "only_b_passes",
         "at_least"},
        {"mend_reliability", &good, &silent, &good, targets, targets, "reliability_b", "below"},
        {"state_targets", &good, &good, &good, "{}", targets, "cases", "at_least"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        bool is_flips = strcmp(rows[i].rule, "learn_from_flips") == 0;
        struct ring r = ring_open();
        const struct versus *v = fight(&r, rows[i].a, rows[i].with, rows[i].targets);
        const struct versus_advice *a = advice(v, rows[i].rule);
        if (!a || a->value_count == 0 || !a->threshold.name ||
            !strstr(versus_words_advice(v, a, &r.f.arena), ".")) {
            fail_msg("no advice by rule %s", rows[i].rule);
        }
        for (size_t k = 0; k < a->value_count; k++) assert_true(isfinite(a->values[k].value));
        double looked_at = value_at(a, rows[i].decisive);
        double threshold = a->threshold.value;
        assert_string_equal(a->threshold.name, rows[i].threshold);
        bool wants_less = !strstr(rows[i].threshold, "at_least");
        if (!(wants_less ? looked_at < threshold : looked_at >= threshold)) {
            fail_msg("%s: %g against %g", rows[i].rule, looked_at, threshold);
        }
        ring_close(&r);
        r = ring_open();
        v = fight(&r, is_flips ? &good : rows[i].a, rows[i].without, rows[i].targets_without);
        if (advice(v, rows[i].rule)) fail_msg("%s without a cause", rows[i].rule);
        ring_close(&r);
    }
    /* Every row is here, but for the one that needs a second benchmark: see below. */
    registry_check("advice rule", versus_rule_entry, false);
    for (size_t i = 0; versus_rule_at(i); i++) {
        const struct versus_rule *rule = versus_rule_at(i);
        bool is_tried = strcmp(rule->name, "run_the_rest") == 0;
        for (size_t k = 0; k < COUNT(rows); k++) {
            if (strcmp(rows[k].rule, rule->name) != 0) continue;
            assert_string_equal(rows[k].threshold, rule->threshold.name);
            is_tried = true;
        }
        if (!is_tried) fail_msg("rule %s has no case", rule->name);
    }
}

TEST(benchmarks_that_one_has_not_met_are_said)
{
    static const char *const names[] = {"add", "multiply"};
    const struct conduct good = {.seconds = 0.1};
    struct ring r = ring_open();
    char ids[2][UUID_SIZE];
    put_benchmarks(&r, names, 2, targets, ids);
    put_agent(&r, "a", ids[0], &good, 1);
    put_agent(&r, "a", ids[1], &good, 2);
    struct error err = {0};
    struct versus *v = NULL;
    struct versus_question q = {.agent = {"a", "b"}, .suite = "sums"};
    REFUSED(versus_ask(r.store, &q, &r.f.arena, &v, &err), ERROR_NOT_FOUND);
    put_agent(&r, "b", ids[0], &good, 3);
    const struct versus *some = ask(&r);
    assert_int_equal(some->case_count, CASES);
    assert_non_null(advice(some, "run_the_rest"));
    struct sentences notes = {.out = &r.f.arena};
    versus_words_notes(some, &notes);
    assert_int_equal(notes.count, 2);
    assert_non_null(strstr(notes.items[0], "'multiply' is left out"));
    put_agent(&r, "b", ids[1], &good, 4);
    const struct versus *all = ask(&r);
    assert_int_equal(all->case_count, 2 * CASES);
    assert_null(advice(all, "run_the_rest"));
    q.suite = "summs";
    REFUSED(versus_ask(r.store, &q, &r.f.arena, &v, &err), ERROR_NOT_FOUND);
    assert_non_null(strstr(err.text, "did you mean 'sums'"));
    q = (struct versus_question){.agent = {"a@2", "b"}, .suite = "sums"};
    REFUSED(versus_ask(r.store, &q, &r.f.arena, &v, &err), ERROR_NOT_FOUND);
    ring_close(&r);
}

TEST(what_is_defined_otherwise_is_not_compared)
{
    struct ring r = ring_open();
    const struct versus *v =
        fight(&r, &(struct conduct){.seconds = 0.1},
              &(struct conduct){.wrong_to = 15, .seconds = 0.1, .defined_as = "rubric_score/2"},
              targets);
    assert_false(v->metrics[SCORE_ACCURACY].is_measured);
    assert_int_equal(versus_winner(&v->metrics[SCORE_ACCURACY]), -1);
    assert_true(v->metrics[SCORE_SPEED].is_measured);
    struct sentences notes = {.out = &r.f.arena};
    versus_words_notes(v, &notes);
    assert_non_null(strstr(notes.items[0], "accuracy is not compared: its definition is"));
    ring_close(&r);
}

TEST_MAIN(T(what_is_defined_otherwise_is_not_compared),
          T(the_right_one_wins_and_flips_are_counted), T(equal_agents_have_no_winner),
          T(outcomes_that_nobody_knows_leave_the_overall_open), T(recommendations_have_a_cause),
          T(benchmarks_that_one_has_not_met_are_said))
