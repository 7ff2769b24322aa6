#include "base/rng.h"
#include "judge/claims.h"
#include "report/answer_claims.h"
#include "tests/report/fixture.h"
#include "tests/test.h"

static struct arena arena;
static struct claims claims;

static int open_arena(void **state)
{
    (void)state;
    arena = arena_open();
    return 0;
}

static int close_arena(void **state)
{
    (void)state;
    arena_close(&arena);
    return 0;
}

/* Cells by twos: sort=quick at 10, sort=merge at 10 times `factor`; noise 1 %. */
static struct view *make(size_t cells, size_t trials, double factor)
{
    struct view *v = fixture_view(
        &arena,
        (struct fixture_shape){.cells = cells, .trials = trials, .metrics = 2, .typical_s = 1});
    struct rng rng = rng_seeded(3);
    for (size_t i = 0; i < cells; i++) {
        struct view_metric *m = &v->cells[i].metrics[0];
        double *samples = arena_new(&arena, double, trials + 1);
        for (size_t t = 0; t < trials; t++) {
            samples[t] = (i % 2 ? factor : 1) * 10 * (1 + 0.01 * rng_normal(&rng));
        }
        m->samples = samples;
        m->median = i % 2 ? 10 * factor : 10;
        snprintf(v->cells[i].record.run_id, UUID_SIZE, "run");
    }
    return v;
}

static const char *why(const struct claim *c)
{
    const char *reason = claims_reason(c, &arena);
    return reason ? reason : "";
}

/* Decides one claim: `rest` is what stands beside its name. */
static const struct claim *decide(struct view *v, const char *rest)
{
    struct error err = {0};
    v->run.spec_text =
        arena_printf(&arena, "experiment: sort\nclaims:\n  - {name: c, %s}\n", rest);
    if (!claims_decide(NULL, v, 0, &arena, &claims, &err)) fail_msg("%s", err.text);
    assert_int_equal(claims.count, 1);
    return &claims.items[0];
}

#define COMPARED "metric: duration_s, compare: {param: sort, from: quick, to: merge}, "

static void wants(struct view *v, const char *expect, enum claim_outcome outcome)
{
    const struct claim *c = decide(v, arena_printf(&arena, COMPARED "expect: {%s}", expect));
    if (c->outcome != outcome) {
        fail_msg("%s: %s, value %g [%g, %g]: %s", expect, claim_outcome_name(c->outcome),
                 c->value, c->low, c->high, why(c));
    }
}

TEST(every_kind_is_decided_by_its_interval)
{
    struct view *half = make(2, 20, 0.5);
    wants(half, "reduction: {min: 0.45}", CLAIM_HOLDS);
    wants(half, "reduction: 0.45", CLAIM_HOLDS);
    wants(half, "reduction: {min: 0.55}", CLAIM_FAILS);
    wants(half, "reduction: {min: 0.5}", CLAIM_UNDECIDED);
    wants(half, "reduction: {max: 0.4}", CLAIM_FAILS);
    wants(half, "gain: {max: -0.4}", CLAIM_HOLDS);
    wants(half, "gain: 0.1", CLAIM_FAILS);
    wants(half, "speedup: 1.9", CLAIM_HOLDS);
    wants(half, "speedup: 2.1", CLAIM_FAILS);
    wants(half, "difference: {max: -4.5}", CLAIM_HOLDS);
    wants(half, "difference: {min: -4.5}", CLAIM_FAILS);
    wants(half, "equal_within: 0.1", CLAIM_FAILS);
    wants(make(2, 20, 1), "equal_within: 0.05", CLAIM_HOLDS);
    wants(make(2, 20, 1.05), "equal_within: 0.05", CLAIM_UNDECIDED);
}

TEST(bands_are_promises)
{
    struct view *half = make(2, 20, 0.5);
    wants(half, "reduction: {band: [0.45, 0.55]}", CLAIM_HOLDS);
    wants(half, "reduction: {band: [0.55, 0.65]}", CLAIM_FAILS);
    wants(half, "reduction: {band: [0.3, 0.4]}", CLAIM_HOLDS); /* beaten */
    wants(half, "reduction: {band: [0.3, 0.4], strict_band: true}", CLAIM_FAILS);
    wants(half, "reduction: {min: 0.3}, band: [0.3, 0.4], strict_band: true", CLAIM_FAILS);
    wants(half, "reduction: {min: 0.55, acceptable: [0.4, 0.6]}", CLAIM_HOLDS);
    wants(half, "reduction: {band: [0.3, 0.4], acceptable: [0.2, 0.6], strict_band: true}",
          CLAIM_HOLDS);
    /* Lower is better: less than promised is the good side. */
    wants(half, "difference: {band: [-4, -3]}", CLAIM_HOLDS);
    wants(half, "difference: {band: [-8, -6]}", CLAIM_FAILS);
    wants(half, "difference: {band: [-4, -3], strict_band: true}", CLAIM_FAILS);
}

TEST(levels_of_the_metric_itself)
{
    struct view *v = make(2, 20, 1);
    const char *metric = "metric: duration_s, expect: {";
    const struct claim *c = decide(v, arena_printf(&arena, "%sat_most: 11}", metric));
    assert_int_equal(c->outcome, CLAIM_HOLDS);
    assert_int_equal(c->subjects, 2);
    c = decide(v, arena_printf(&arena, "%sat_least: 11}", metric));
    assert_int_equal(c->outcome, CLAIM_FAILS);
    for (size_t i = 0; i < 2; i++) { /* scores are told by their mean */
        double *scores = arena_new(&arena, double, 20);
        for (size_t t = 0; t < 20; t++) scores[t] = t % 4 == 0 ? 0.5 : 1;
        v->cells[i].metrics[1].samples = scores;
        v->cells[i].metrics[1].unit = "1";
        v->cells[i].metrics[1].name = "accuracy";
        v->cells[i].metrics[1].kind = KIND_SHARE;
    }
    c = decide(v, "metric: accuracy, expect: {at_least: 0.95}");
    assert_close(c->value, 0.875, 1e-9);
    assert_int_not_equal(c->outcome, CLAIM_HOLDS);
    c = decide(v, "metric: accuracy, expect: {at_least: 0.7}");
    assert_int_equal(c->outcome, CLAIM_HOLDS);
}

TEST(a_sweep_must_hold_everywhere)
{
    struct view *v = make(4, 20, 0.5);
    wants(v, "reduction: 0.45", CLAIM_HOLDS);
    assert_int_equal(claims.items[0].subjects, 2);
    double *bad = arena_new(&arena, double, 20);
    for (size_t i = 0; i < 20; i++) bad[i] = 9 + 0.01 * (double)((i * 7) % 20);
    v->cells[3].metrics[0].samples = bad;
    wants(v, "reduction: 0.45", CLAIM_FAILS);
    assert_string_equal(claims.items[0].label, v->cells[3].record.label);
    v->cells[3].metrics[0].count = 3;
    v->cells[3].metrics[0].n = 3;
    wants(v, "reduction: 0.45", CLAIM_UNDECIDED);
}

/* n is swept beside sort: each n is one pair, by the cells' medians. */
TEST(paired_by_a_swept_parameter)
{
    struct view *v = make(20, 3, 0.5);
    for (size_t i = 0; i < 20; i++)
        v->cells[i].metrics[0].centre =
            v->cells[i].metrics[0].median * (1 + 0.1 * (double)(i / 2));
    const struct claim *c =
        decide(v, COMPARED "paired_by: n, expect: {reduction: {band: [0.49, 0.51]}}");
    assert_int_equal(c->subjects, 1);
    assert_int_equal(c->n[0], 10);
    assert_true(c->is_paired);
    assert_int_equal(c->outcome, CLAIM_HOLDS);
    assert_close(c->value, 0.5, 1e-9);
}

/* What stands in the way of a ratio of means is said, one thing at a time. */
TEST(ratios_of_means_that_do_not_exist_say_why)
{
    static const struct {
        size_t trials;
        double then;
        const char *reason;
    } cases[] = {
        {3, 1, "3 values are too few for any verdict: 4 could"},
        {5, 1, "no interval exists"}, /* 3 of 5 are 0: most subsets of them say nothing */
        {20, 0, "there is no ratio"},
    };
    for (size_t c = 0; c < COUNT(cases); c++) {
        size_t n = cases[c].trials;
        struct view *v = make(2, n, 1);
        for (size_t i = 0; i < 2; i++) {
            double *counts = arena_new(&arena, double, n);
            for (size_t t = 0; t < n; t++) counts[t] = i || t % 2 ? cases[c].then : 0;
            v->cells[i].metrics[0].samples = counts;
            v->cells[i].record.group_index = (int64_t)i;
        }
        wants(v, "reduction: 0.5", CLAIM_UNDECIDED);
        assert_true(isnan(claims.items[0].value));
        if (!strstr(why(&claims.items[0]), cases[c].reason)) {
            fail_msg("%s", why(&claims.items[0]));
        }
    }
}

/* Of a pair in which one gave nothing neither counts: the means would be of unlike rounds. */
TEST(a_ratio_of_means_takes_whole_pairs)
{
    struct view *v = make(2, 40, 1);
    for (size_t i = 0; i < 2; i++) {
        double *counts = arena_new(&arena, double, 40);
        for (size_t t = 0; t < 40; t++) counts[t] = (double)(t % 4) * (i ? 0.5 : 1);
        counts[2] = NAN;
        if (i == 0) counts[3] = counts[6] = NAN;
        v->cells[i].metrics[0].samples = counts;
        v->cells[i].record.arm_index = (int64_t)i;
    }
    wants(v, "reduction: 0.45", CLAIM_HOLDS);
    assert_true(claims.items[0].is_paired);
    assert_close(claims.items[0].value, 0.5, 1e-12);
}

TEST(few_scores_have_a_wide_interval)
{
    struct view *v = make(2, 5, 1);
    static const double scores[] = {0.5, 1, 0.25, 0, 1};
    v->cells[0].metrics[1].samples = v->cells[1].metrics[1].samples = scores;
    v->cells[0].metrics[1].unit = v->cells[1].metrics[1].unit = "1";
    v->cells[0].metrics[1].name = v->cells[1].metrics[1].name = "accuracy";
    v->cells[0].metrics[1].kind = v->cells[1].metrics[1].kind = KIND_SHARE;
    const struct claim *c = decide(v, "metric: accuracy, expect: {at_least: 0.5}");
    assert_int_equal(c->outcome, CLAIM_UNDECIDED);
    assert_close(c->value, 0.55, 1e-12);
    assert_true(c->low < 0.2 && c->high > 0.85);
}

/* Of eight cells each has a chance to fail: an open claim shows the interval of their
 * common level, which includes the limit. */
TEST(an_open_claim_shows_the_interval_that_left_it_open)
{
    struct view *v = make(16, 20, 0.5);
    size_t open = 0;
    for (double share = 0.4980; share < 0.5030; share += 0.00005) {
        const struct claim *c =
            decide(v, arena_printf(&arena, COMPARED "expect: {reduction: {max: %.6f}}", share));
        if (c->outcome != CLAIM_UNDECIDED) continue;
        open++;
        assert_true(c->low <= c->max && c->high >= c->max);
        bool is_far = c->need.what == NEED_TOO_MANY; /* what would move its end to the limit */
        assert_true(is_far || (c->need.what == NEED_VALUES && c->need.n > c->n[1]));
    }
    assert_true(open > 0);
}

/* Eight cases, five passes: the rate is that of the trials, its evidence the cases. */
TEST(rates_of_cases_are_those_of_their_trials)
{
    static const char *const hashes[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    struct view *v = make(2, 40, 1);
    for (size_t i = 0; i < 2; i++) {
        uint8_t *statuses = arena_new(&arena, uint8_t, 40);
        struct trial_note *notes = arena_new(&arena, struct trial_note, 40);
        for (size_t t = 0; t < 40; t++) {
            statuses[t] = t / 8 < (i ? 1 : 2) ? TRIAL_FAILED : TRIAL_OK;
            notes[t] = (struct trial_note){
                .trial = (int64_t)t, .phase = PHASE_MEASURED, .case_hash = hashes[t % 8]};
        }
        v->cells[i].statuses = statuses;
        v->cells[i].notes = notes;
        v->cells[i].note_count = 40;
    }
    const struct claim *c = decide(v, "metric: success_rate, expect: {at_least: 0.6}");
    assert_close(c->value, 0.6, 1e-12); /* 2 of 5 failed in each case; the median says 1 */
    assert_int_equal(c->outcome, CLAIM_UNDECIDED);
    assert_true(c->low < 0.3 && c->high > 0.85); /* 8 cases that are equal are 8 cases */
    assert_int_equal(c->n[1], 8);
    double halves[40]; /* repeats that are alike are no sample of anything */
    for (size_t t = 0; t < 40; t++) halves[t] = 0.5;
    for (size_t i = 0; i < 2; i++) {
        v->cells[i].metrics[1].samples = halves;
        v->cells[i].metrics[1].unit = "1";
        v->cells[i].metrics[1].is_of_trials = true;
    }
    c = decide(v, arena_printf(&arena, "metric: %s, expect: {at_least: 0.5}",
                               v->cells[0].metrics[1].name));
    assert_int_equal(c->outcome, CLAIM_HOLDS);
    c = decide(v, "metric: failure_rate, compare: {param: sort, from: quick, to: merge}, "
                  "expect: {difference: {max: -0.1}}");
    assert_close(c->value, -0.2, 1e-12);
    assert_true(c->is_paired);
}

/* The last `count` trials of a cell failed and gave no value. */
static void lose(struct view *v, size_t cell, size_t count)
{
    struct view_cell *c = &v->cells[cell];
    struct view_metric *m = &c->metrics[0];
    double *samples = arena_new(&arena, double, m->count + 1);
    uint8_t *statuses = arena_new(&arena, uint8_t, m->count + 1);
    for (size_t t = 0; t < m->count; t++) {
        bool is_lost = t + count >= m->count;
        samples[t] = is_lost ? (double)NAN : m->samples[t];
        statuses[t] = is_lost ? TRIAL_FAILED : TRIAL_OK;
    }
    m->samples = samples;
    m->n = m->count - count;
    c->statuses = statuses;
}

TEST(trials_that_failed_do_not_help_a_claim)
{
    static const struct {
        size_t lost[2];
        enum claim_outcome level; /* of the contender, and of the baseline */
        enum claim_outcome effect;
    } table[] = {
        {{0, 0}, CLAIM_HOLDS, CLAIM_HOLDS},
        {{0, 2}, CLAIM_HOLDS, CLAIM_UNDECIDED}, /* 2 of 20 cannot move the median beyond */
        {{0, 10}, CLAIM_UNDECIDED, CLAIM_UNDECIDED},
        {{0, 19}, CLAIM_UNDECIDED, CLAIM_UNDECIDED},
        {{10, 0}, CLAIM_UNDECIDED, CLAIM_HOLDS},
        {{4, 4}, CLAIM_HOLDS, CLAIM_HOLDS}, /* no more than before, as a gate says */
        {{3, 4}, CLAIM_HOLDS, CLAIM_UNDECIDED},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct view *v = make(2, 20, 0.5);
        for (size_t k = 0; k < 2; k++) lose(v, k, table[i].lost[k]);
        const size_t lost = table[i].lost[0] + table[i].lost[1];
        const struct claim *c = decide(v, "metric: duration_s, expect: {at_most: 11}");
        assert_int_equal(c->outcome, table[i].level);
        assert_int_equal(c->failed, lost);
        assert_int_equal(c->trials, 40);
        assert_true(isfinite(c->value));
        if (table[i].level == CLAIM_UNDECIDED)
            assert_non_null(strstr(why(c), " of 20 trials failed"));
        wants(v, "reduction: {min: 0.45}", table[i].effect);
        if (table[i].effect == CLAIM_UNDECIDED && table[i].lost[1] < 19)
            assert_non_null(strstr(why(&claims.items[0]), "trials of the contender failed"));
        if (table[i].lost[1] < 19) wants(v, "reduction: {min: 0.55}", CLAIM_FAILS);
    }
}

TEST(values_that_only_the_contender_lacks_do_not_help_it)
{
    struct view *v = make(2, 20, 0.5);
    lose(v, 1, 3);
    v->cells[1].statuses = v->cells[0].statuses;
    wants(v, "reduction: {min: 0.45}", CLAIM_UNDECIDED);
    assert_non_null(strstr(why(&claims.items[0]), "3 of 20 values"));
}

TEST(claims_stand_by_their_groups_in_their_order)
{
    struct view *v = make(2, 6, 1);
    struct error err = {0};
    static const char *const rows[] = {
        "a, group: x, order: 2", "b, group: y", "c",
        "d, group: x, order: 1", "e, group: y", "f, group: x, order: 1"};
    struct buf text;
    buf_init(&text, 4096);
    buf_text(&text, "experiment: sort\nclaims:\n");
    for (size_t i = 0; i < COUNT(rows); i++) {
        buf_printf(&text, "  - {name: %s, metric: duration_s, expect: {at_most: 11}}\n",
                   rows[i]);
    }
    v->run.spec_text = str_cstr(&arena, buf_str(&text));
    buf_release(&text);
    if (!claims_decide(NULL, v, 0, &arena, &claims, &err)) fail_msg("%s", err.text);
    char names[COUNT(rows) + 1] = "";
    for (size_t i = 0; i < claims.count; i++) names[i] = claims.items[i].name[0];
    assert_string_equal(names, "dfabec");
}

TEST(zeros_are_compared_by_means)
{
    struct view *v = make(2, 40, 1);
    for (size_t i = 0; i < 2; i++) {
        double *counts = arena_new(&arena, double, 40);
        for (size_t t = 0; t < 40; t++) counts[t] = (double)((t * 7) % 5) * (i ? 0.25 : 1);
        v->cells[i].metrics[0].samples = counts;
        v->cells[i].record.group_index = (int64_t)i;
    }
    wants(v, "reduction: 0.5", CLAIM_HOLDS);
    assert_close(claims.items[0].value, 0.75, 1e-9);
    wants(v, "reduction: 0.9", CLAIM_FAILS);
}

/* ---- the engine's answer, and no other ---- */

static struct verdict_question question_of(const struct view *v, size_t pair, double alpha,
                                           double margin)
{
    const struct view_cell *cells = &v->cells[2 * pair];
    const struct ask_subject s = {.cell = {&cells[0], &cells[1]},
                                  .metric = {&cells[0].metrics[0], &cells[1].metrics[0]}};
    const struct ask_terms terms = {.alpha = alpha, .margin = margin};
    return ask_about(&s, &terms, &arena).question;
}

static struct family family_of(const struct view *v)
{
    struct error err = {0};
    struct family f = {.cells = arena_new(&arena, struct family_cell, v->cell_count)};
    for (; f.count < v->cell_count / 2; f.count++)
        f.cells[f.count].question = question_of(v, f.count, 0.05, 0);
    if (!family_ask(&f, arena, &err)) fail_msg("%s", err.text);
    return f;
}

/* `compare --equivalence` and `equal_within` of counts of which some are 0. */
TEST(zeros_are_equal_within_what_compare_calls_equivalent)
{
    struct view *v = make(2, 40, 1);
    for (size_t i = 0; i < 2; i++) {
        double *counts = arena_new(&arena, double, 40);
        for (size_t t = 2; t < 40; t++)
            counts[t] = (900 + (double)((t * 37) % 200)) * (i ? 0.77 : 1);
        v->cells[i].metrics[0].samples = counts;
        v->cells[i].record.arm_index = (int64_t)i;
    }
    size_t holding = 0;
    for (double margin = 0.2; margin < 0.3; margin += 0.01) {
        struct verdict_answer a;
        struct error err = {0};
        struct verdict_question q = question_of(v, 0, 0.05, margin);
        assert_true(verdict_compare(&q, arena, &a, &err));
        assert_int_equal(a.kind, KIND_SHIFT);
        const struct claim *c =
            decide(v, arena_printf(&arena, COMPARED "expect: {equal_within: %.17g}", margin));
        assert_int_equal(c->outcome == CLAIM_HOLDS, a.verdict == VERDICT_EQUIVALENT);
        bool holds = c->outcome == CLAIM_HOLDS;
        assert_true(c->low == (holds ? a.narrow_low : a.effect.shift_low));
        assert_true(c->high == (holds ? a.narrow_high : a.effect.shift_high));
        assert_close(c->confidence, holds ? 0.9 : 0.95, 1e-12);
        holding += holds;
    }
    assert_true(holding > 2 && holding < 8);
}

/* Eight pairs of cells that are all a little worse: no one shows it, all together do. */
TEST(what_fails_on_average_fails)
{
    struct view *v = make(16, 12, 1);
    struct rng rng = rng_seeded(9);
    for (size_t i = 0; i < 16; i++) {
        double *samples = arena_new(&arena, double, 12);
        for (size_t t = 0; t < 12; t++)
            samples[t] = (i % 2 ? 1.06 : 1) * 10 * (1 + 0.1 * rng_normal(&rng));
        v->cells[i].metrics[0].samples = samples;
        v->cells[i].record.group_index = (int64_t)i;
    }
    struct family f = family_of(v);
    for (size_t i = 0; i < f.count; i++)
        assert_int_equal(f.cells[i].answer.verdict, VERDICT_UNDECIDED);
    assert_true(f.whole.effect.low > 1.01);
    wants(v, "equal_within: 0.01", CLAIM_FAILS);
    const struct claim *c = &claims.items[0];
    assert_true(c->together > 0);
    assert_int_equal(c->subjects, 8);
    assert_int_equal(c->n[0], f.whole.arm[0].n);
    assert_true(c->value == f.whole.effect.ratio && c->low == f.whole.effect.low &&
                c->high == f.whole.effect.high);
    wants(v, "equal_within: 0.5", CLAIM_HOLDS); /* in each, at the level of one question */
    assert_int_equal(claims.items[0].together, 0);
}

/* A cell that fails shows the interval that made it fail: of eight, not that of one. */
TEST(a_failed_claim_shows_the_interval_that_decided)
{
    struct view *v = make(16, 20, 1);
    double *slow = arena_new(&arena, double, 20);
    for (size_t t = 0; t < 20; t++) slow[t] = v->cells[5].metrics[0].samples[t] * 1.1;
    v->cells[5].metrics[0].samples = slow;
    struct family f = family_of(v);
    wants(v, "equal_within: 0.05", CLAIM_FAILS);
    const struct claim *c = &claims.items[0];
    assert_string_equal(c->label, v->cells[5].record.label);
    assert_true(c->low == f.cells[2].answer.effect.low && c->low > c->max);
    assert_true(c->high == f.cells[2].answer.effect.high);
    assert_close(c->confidence, 1 - 0.05 / 8, 1e-12);
}

TEST(failure_rates_can_be_claimed)
{
    struct view *v = make(2, 60, 1);
    uint8_t *statuses = arena_new(&arena, uint8_t, 60);
    for (size_t t = 0; t < 60; t += 2) statuses[t] = TRIAL_FAILED;
    v->cells[0].statuses = statuses;
    const struct claim *c =
        decide(v, "metric: failure_rate, compare: {param: sort, from: quick, to: merge}, "
                  "expect: {reduction: {min: 0.5}}");
    assert_int_equal(c->outcome, CLAIM_HOLDS);
    c = decide(v, "metric: success_rate, expect: {at_least: 0.9}");
    assert_int_equal(c->outcome, CLAIM_FAILS);
    /* Where failures of one side alone count as done, nothing is compared, as in a gate. */
    struct value_pair settings[2] = {
        v->cells[0].settings[0], {S("ignore_failure"), .value = value_new_bool(&arena, true)}};
    v->cells[0].settings = settings;
    v->cells[0].setting_count = 2;
    c = decide(v, "metric: failure_rate, compare: {param: sort, from: quick, to: merge}, "
                  "expect: {reduction: {min: 0.5}}");
    assert_int_equal(c->outcome, CLAIM_UNDECIDED);
    assert_int_equal(c->reason.gap.code, COMPARE_A_IGNORES);
}

TEST(every_claim_of_a_long_list_is_decided)
{
    enum { COUNT_OF_CLAIMS = 1200 };
    struct view *v = make(2, 6, 0.5);
    struct error err = {0};
    struct buf b;
    buf_init(&b, 1 << 20);
    buf_text(&b, "experiment: sort\nclaims:\n");
    for (int i = 0; i < COUNT_OF_CLAIMS; i++) {
        buf_printf(&b, "  - {name: c%d, metric: duration_s, expect: {at_most: %d}}\n", i,
                   i + 1 < COUNT_OF_CLAIMS ? 100 : 1);
    }
    v->run.spec_text = str_cstr(&arena, buf_str(&b));
    buf_release(&b);
    assert_true(claims_decide(NULL, v, 0, &arena, &claims, &err));
    assert_int_equal(claims.count, COUNT_OF_CLAIMS);
    assert_int_equal(claims.failing, 1);
}

TEST(what_cannot_be_decided_says_why)
{
    struct view *v = make(2, 20, 0.5);
    const struct claim *c = decide(v, "metric: nothing, expect: {at_most: 1}");
    assert_int_equal(c->outcome, CLAIM_UNDECIDED);
    assert_non_null(strstr(why(c), "no cell of the run gives 'nothing'"));
    c = decide(v, "metric: duration_s, compare: {param: sort, from: quick, to: heap}, "
                  "expect: {gain: 1}");
    assert_non_null(strstr(why(c), "no two cells"));
    for (size_t i = 0; i < 20; i++)
        ((double *)(uintptr_t)v->cells[1].metrics[0].samples)[i] = NAN;
    wants(v, "gain: 1", CLAIM_UNDECIDED);
    assert_non_null(strstr(why(&claims.items[0]), "no pair of which both gave"));
    wants(make(2, 3, 0.5), "reduction: 0.1", CLAIM_UNDECIDED);
    v->run.spec_text = "experiment: sort";
    assert_true(claims_decide(NULL, v, 0, &arena, &claims, NULL));
    assert_int_equal(claims.count, 0);
    v->run.spec_text = NULL;
    assert_true(claims_decide(NULL, v, 0, &arena, &claims, NULL));
}

/* Two versions of an agent, and one cell with 1 and with 8 lanes: a run compared with itself
 * pairs each with itself, as `compare` does. */
TEST(cells_of_two_runs_are_paired_as_compare_pairs_them)
{
    for (int by_version = 0; by_version < 2; by_version++) {
        struct view *v = make(2, 20, 0.5);
        for (size_t i = 0; i < 2; i++) {
            struct execution_record *e = &v->cells[i].record;
            e->parameters = v->cells[0].record.parameters;
            e->group_index = (int64_t)i; /* no arms of one another */
            if (by_version) e->agent_version = i ? "2" : "1";
            if (!by_version) e->concurrency = i ? 8 : 1;
        }
        const struct claim *c = decide(v, "metric: duration_s, compare: {runs: [this, this]}, "
                                          "expect: {equal_within: 0.1}");
        assert_int_equal(c->subjects, 2);
        if (c->outcome != CLAIM_HOLDS)
            fail_msg("%s: %s", by_version ? "versions" : "lanes", why(c));
    }
}

#define WITH_ARENA(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)
TEST_MAIN(WITH_ARENA(every_kind_is_decided_by_its_interval), WITH_ARENA(bands_are_promises),
          WITH_ARENA(levels_of_the_metric_itself), WITH_ARENA(a_sweep_must_hold_everywhere),
          WITH_ARENA(cells_of_two_runs_are_paired_as_compare_pairs_them),
          WITH_ARENA(paired_by_a_swept_parameter), WITH_ARENA(zeros_are_compared_by_means),
          WITH_ARENA(claims_stand_by_their_groups_in_their_order),
          WITH_ARENA(trials_that_failed_do_not_help_a_claim),
          WITH_ARENA(values_that_only_the_contender_lacks_do_not_help_it),
          WITH_ARENA(rates_of_cases_are_those_of_their_trials),
          WITH_ARENA(an_open_claim_shows_the_interval_that_left_it_open),
          WITH_ARENA(ratios_of_means_that_do_not_exist_say_why),
          WITH_ARENA(a_ratio_of_means_takes_whole_pairs),
          WITH_ARENA(zeros_are_equal_within_what_compare_calls_equivalent),
          WITH_ARENA(what_fails_on_average_fails),
          WITH_ARENA(a_failed_claim_shows_the_interval_that_decided),
          WITH_ARENA(few_scores_have_a_wide_interval), WITH_ARENA(failure_rates_can_be_claimed),
          WITH_ARENA(every_claim_of_a_long_list_is_decided),
          WITH_ARENA(what_cannot_be_decided_says_why))
