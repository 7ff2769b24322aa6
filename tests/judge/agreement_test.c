/* One question, one answer: the same data through everything that judges.
 *
 * Seeded data sets (times, shares, counts with zeros, costs; unpaired, paired by round,
 * paired by case, in one pass or several; tied, constant, tiny, missing, timed out) become two cells. compare, regressions,
 * gate, claims, versus, record, trend and what ranks are asked about one metric with the same alpha, limit
 * and margin. Effect, interval and p must be equal to the last bit; verdicts by the table
 *
 *     engine      gate       regressions   claim equal_within the limit
 *     worse       violated   regression    fails
 *     better      passed     improved *    fails
 *     else        not violated, not a regression, does not fail
 *
 * (* an improvement is told from 0 on, not from the limit on.) A second part asks about
 * all metrics at once: no verdict changes. */
#include "base/rng.h"
#include "history/gate.h"
#include "history/recorded.h"
#include "history/regress_internal.h"
#include "history/trend.h"
#include "judge/claims.h"
#include "judge/compare.h"
#include "judge/versus_internal.h"
#include "report/answers.h"
#include "tests/arena.h"
#include "tests/report/fixture.h"
#include "tests/store/fixture.h"

enum { SETS = 240, TRIALS_MAX = 60, METRICS = 2 };

static size_t histories; /* that changed where the values of B begin */

struct data {
    uint64_t seed;
    enum kind kind;
    bool is_paired; /* arms of one group */
    bool by_case;
    size_t passes; /* of each case */
    bool has_timeouts;
    bool is_graded; /* shares between 0 and 1 */
    size_t n;       /* trials */
    double limit;
    double margin;
    struct view *view; /* both cells: sort=quick is A, sort=merge is B */
};

/* ---- data ---- */

static double value_of(struct rng *r, const struct data *d, double shift, bool is_tied,
                       bool is_constant)
{
    double z = is_constant ? shift : rng_normal(r) + shift;
    if (d->is_graded) return 0.8 + 0.1 * shift;
    if (d->kind == KIND_SHARE) return (is_constant ? shift : z) > 0.3;
    if (d->kind == KIND_SHIFT) return floor(fmax(0, 3 + 2 * z)); /* counts, some of them 0 */
    if (d->kind == KIND_SUM) return 0.001 * exp(0.8 * z);        /* money */
    double v = exp(0.1 * z);
    return is_tied ? round(v * 20) / 20 : v;
}

static void fill_cell(struct view_cell *cell, struct rng *r, const struct data *d, double shift,
                      unsigned how)
{
    struct view_metric *m = &cell->metrics[0];
    double *samples = arena_new(&arena, double, d->n + 1);
    uint8_t *statuses = arena_new(&arena, uint8_t, d->n + 1);
    size_t ok = 0;
    for (size_t i = 0; i < d->n; i++) {
        samples[i] = value_of(r, d, shift, how & 1, (how & 2) != 0);
        if ((how & 4) && rng_below(r, 8) == 0) { /* missing */
            samples[i] = (double)NAN;
            statuses[i] = TRIAL_FAILED;
        }
        if (d->has_timeouts && rng_below(r, 6) == 0) {
            samples[i] = (double)NAN;
            statuses[i] = TRIAL_TIMED_OUT;
        }
        ok += statuses[i] == TRIAL_OK;
    }
    m->samples = samples;
    m->count = d->n;
    m->n = ok;
    m->direction = d->kind == KIND_SHARE ? DIRECTION_HIGHER : DIRECTION_LOWER;
    m->kind = d->kind == KIND_SHIFT ? KIND_RATIO : d->kind;
    m->unit = d->kind == KIND_SHARE ? "1" : d->kind == KIND_SUM ? "USD" : "s";
    if (d->has_timeouts) m->definition = metric_duration.definition;
    cell->statuses = statuses;
    cell->trial_count = d->n;
    cell->record.counts = (struct trial_counts){.attempted = (int64_t)d->n};
    cell->record.counts.by_status[TRIAL_OK] = (int64_t)ok;
    cell->record.counts.by_status[TRIAL_FAILED] = (int64_t)(d->n - ok);
    cell->notes = arena_new(&arena, struct trial_note, d->n + 1);
    cell->note_count = d->by_case ? d->n : 0;
    for (size_t i = 0; i < cell->note_count; i++) {
        cell->notes[i] =
            (struct trial_note){.trial = (int64_t)i,
                                .phase = PHASE_MEASURED,
                                .status = statuses[i],
                                .case_hash = arena_printf(&arena, "%03zu", i / d->passes)};
    }
}

static struct data make(uint64_t seed)
{
    struct rng r = rng_seeded(seed);
    static const size_t sizes[] = {1, 3, 4, 5, 6, 8, 12, 20, 40, TRIALS_MAX};
    struct data d = {.seed = seed,
                     .kind = (enum kind)rng_below(&r, KIND_COUNT),
                     .n = sizes[rng_below(&r, COUNT(sizes))],
                     .limit = 0.05 * (double)rng_below(&r, 3),
                     .margin = rng_below(&r, 2) ? 0.03 : 0};
    unsigned pairing = (unsigned)rng_below(&r, 3);
    d.is_paired = pairing == 1;
    d.by_case = pairing == 2;
    d.passes = d.by_case && rng_below(&r, 2) ? 3 : 1;
    d.n *= d.passes;
    d.has_timeouts = d.kind == KIND_RATIO && rng_below(&r, 3) == 0;
    d.view = fixture_view(
        &arena,
        (struct fixture_shape){.cells = 2, .trials = d.n, .metrics = METRICS, .typical_s = 1});
    unsigned how = (unsigned)rng_below(&r, 8);
    double shift = 0.8 * (double)rng_below(&r, 5) - 0.8;
    for (size_t i = 0; i < 2; i++) {
        struct view_cell *cell = &d.view->cells[i];
        snprintf(cell->record.run_id, UUID_SIZE, "run %zu", d.is_paired ? 0 : i);
        cell->record.group_index = d.is_paired ? 0 : (int64_t)i;
        fill_cell(cell, &r, &d, i ? shift : 0, how);
    }
    return d;
}

/* ---- the askers ---- */

static struct verdict_answer ask_engine(const struct data *d, double margin)
{
    const struct view_cell *cells = d->view->cells;
    const struct ask_subject s = {.cell = {&cells[0], &cells[1]},
                                  .metric = {&cells[0].metrics[0], &cells[1].metrics[0]}};
    const struct ask_terms terms = {.margin = margin, .limit = d->limit};
    struct ask ask = ask_about(&s, &terms, &arena);
    struct verdict_answer a;
    struct error err = {0};
    if (!verdict_compare(&ask.question, arena, &a, &err)) fail_msg("%s", err.text);
    return a;
}

static bool is_same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void agrees(const struct data *d, const char *who, const struct verdict_answer *a,
                   const struct verdict_answer *b)
{
    bool same =
        is_same(a->effect.ratio, b->effect.ratio) && is_same(a->effect.low, b->effect.low) &&
        is_same(a->effect.high, b->effect.high) && is_same(a->effect.shift, b->effect.shift) &&
        is_same(a->effect.shift_low, b->effect.shift_low) &&
        is_same(a->effect.shift_high, b->effect.shift_high) && is_same(a->p, b->p);
    if (same && a->verdict == b->verdict) return;
    fail_msg("%s, set %d: %s p = %g [%g, %g] against the engine's %s p = %g [%g, %g]", who,
             (int)d->seed, verdict_name(b->verdict), b->p, b->effect.shift_low,
             b->effect.shift_high, verdict_name(a->verdict), a->p, a->effect.shift_low,
             a->effect.shift_high);
}

/* The worsening that regressions and gate report is the engine's, to the bit. */
static void agrees_as_worsening(const struct data *d, const char *who,
                                const struct verdict_answer *a, const struct worsening *w)
{
    struct verdict_worsening x = verdict_worsening_of(a);
    bool same = is_same(x.amount, w->amount) && is_same(x.low, w->low) &&
                is_same(x.high, w->high) && is_same(a->p, w->p) && a->verdict == w->verdict;
    if (!same) {
        fail_msg("%s, set %d: %g [%g, %g] p = %g against %g [%g, %g] p = %g", who, (int)d->seed,
                 w->amount, w->low, w->high, w->p, x.amount, x.low, x.high, a->p);
    }
}

static void through_compare(const struct data *d, const struct verdict_answer *a, bool all)
{
    struct view *sides[2];
    for (int i = 0; i < 2; i++) {
        sides[i] = arena_new(&arena, struct view, 1);
        *sides[i] = *d->view;
        sides[i]->cells = &d->view->cells[i];
        sides[i]->cell_count = 1;
    }
    const struct source a_side = {.name = "a", .view = sides[0], .is_run = true};
    const struct source b_side = {.name = "b", .view = sides[1], .is_run = true};
    struct compare_how how = {.margin = d->margin,
                              .limit = d->limit,
                              .metric = all ? NULL : d->view->cells[0].metrics[0].name};
    struct compare c;
    struct error err = {0};
    if (!compare_make(&a_side, &b_side, &how, &arena, &c, &err)) fail_msg("%s", err.text);
    struct verdict_answer expected = *a; /* what B lacks passes nothing */
    ask_leave_open(&c.rows[0].ask, &expected);
    agrees(d, "compare", &expected, &c.rows[0].answer);
    agrees(d, "compare, as a whole", &expected, &c.wholes[0].answer);
}

static struct baseline_set pair_of(const struct data *d)
{
    struct baseline_pair *p = arena_new(&arena, struct baseline_pair, 1);
    *p = (struct baseline_pair){.current = &d->view->cells[1],
                                .baseline = &d->view->cells[0],
                                .current_run = &d->view->run,
                                .baseline_run = &d->view->run,
                                .agent = "a",
                                .benchmark = "b",
                                .name = "cell",
                                .against = "the baseline"};
    return (struct baseline_set){.pairs = p, .count = 1, .subject = "run"};
}

static void through_regressions(const struct data *d, const struct verdict_answer *a,
                                struct store *store)
{
    struct regress r = {.set = pair_of(d)};
    const char *metric = d->view->cells[0].metrics[0].name;
    const struct regress_limit limits[] = {{metric, d->limit}};
    struct regress_question q = {.limits = limits, .limit_count = 1};
    struct error err = {0};
    if (!regress_judge(store, &q, &arena, &r, &err)) fail_msg("%s", err.text);
    for (size_t i = 0; i < r.row_count; i++) {
        const struct regress_row *row = &r.rows[i];
        if (row->rule != REGRESS_BEYOND || strcmp(row->metric, metric) != 0) continue;
        agrees_as_worsening(d, "regressions", a, &row->w);
        assert_int_equal(row->state == REGRESS_FOUND, a->verdict == VERDICT_WORSE);
        return;
    }
    assert_true(a->arm[0].n == 0 || a->arm[1].n == 0);
}

static void through_gate(const struct data *d, const struct verdict_answer *a)
{
    static struct gate_policy policy;
    policy = (struct gate_policy){.file = "gate.yaml", .name = "p", .count = 1};
    policy.rules[0] = (struct gate_rule){.is_block = true,
                                         .kind = GATE_WORSE,
                                         .metric = d->view->cells[0].metrics[0].name,
                                         .limit = d->limit,
                                         .text = "t",
                                         .words = "w"};
    struct gate g = {.policy = &policy, .set = pair_of(d)};
    struct error err = {0};
    if (a->arm[1].n == 0 || d->view->cells[1].metrics[0].n == 0)
        return; /* missing: another rule */
    if (!gate_judge(0, &arena, &g, &err)) fail_msg("%s", err.text);
    agrees_as_worsening(d, "gate", a, &g.checks[0].w);
    assert_int_equal(g.blocked > 0, a->verdict == VERDICT_WORSE);
}

/* equal_within L fails where the interval lies wholly outside of it. */
static void through_claims(const struct data *d, const struct verdict_answer *a)
{
    if (!(d->limit > 0)) return;
    struct claims claims;
    struct error err = {0};
    d->view->run.spec_text =
        arena_printf(&arena,
                     "experiment: sort\nclaims:\n  - {name: c, metric: %s, compare: {param: "
                     "sort, from: quick, to: merge}, expect: {equal_within: %.17g}}\n",
                     d->view->cells[0].metrics[0].name, d->limit);
    if (!claims_decide(NULL, d->view, 0, &arena, &claims, &err)) fail_msg("%s", err.text);
    assert_int_equal(claims.count, 1);
    const struct claim *c = &claims.items[0];
    double low = a->kind == KIND_RATIO ? a->effect.low : a->effect.shift_low;
    double high = a->kind == KIND_RATIO ? a->effect.high : a->effect.shift_high;
    bool is_outside = low > c->max || high < c->min;
    if ((c->outcome == CLAIM_FAILS) != is_outside) {
        fail_msg("claim, set %d: %s, [%g, %g] against [%g, %g]", (int)d->seed,
                 claim_outcome_name(c->outcome), low, high, c->min, c->max);
    }
    /* Failures are a question of their own, which `compare` and a gate answer besides. */
    const struct view_cell *cells = d->view->cells;
    bool is_failing = units_missing(&cells[1], &cells[1].metrics[0]).failed >
                      units_missing(&cells[0], &cells[0].metrics[0]).failed;
    bool is_equivalent = ask_engine(d, d->limit).verdict == VERDICT_EQUIVALENT && !is_failing;
    if ((c->outcome == CLAIM_HOLDS) != is_equivalent) {
        fail_msg("claim, set %d: %s, [%g, %g] against [%g, %g]", (int)d->seed,
                 claim_outcome_name(c->outcome), c->low, c->high, c->min, c->max);
    }
    bool is_worse_up = a->verdict == VERDICT_WORSE && !a->higher_is_better;
    if (is_worse_up && c->outcome != CLAIM_FAILS) {
        fail_msg("claim, set %d: %s though it is worse: %.17g [%.17g, %.17g], limit %g",
                 (int)d->seed, claim_outcome_name(c->outcome), a->effect.ratio, low, high,
                 d->limit);
    }
}

static void through_versus(const struct data *d, const struct verdict_answer *a)
{
    if (!d->by_case || d->limit > 0 || d->kind == KIND_SHIFT) return;
    size_t m = d->kind == KIND_SHARE ? SCORE_ACCURACY
               : d->kind == KIND_SUM ? SCORE_COST
                                     : SCORE_SPEED;
    struct versus v = {.question = {.alpha = 0.05, .margin = d->margin}};
    struct versus_benchmark benchmark = {.name = "b"};
    v.benchmarks = &benchmark;
    v.benchmark_count = 1;
    struct units sides[2];
    for (int k = 0; k < 2; k++)
        sides[k] = units_of(&d->view->cells[k], &d->view->cells[k].metrics[0], &arena);
    assert_true(units_pair(&sides[0], &sides[1], &arena, benchmark.paired[m]));
    struct error err = {0};
    if (!versus_compare(&v, &arena, &err)) fail_msg("%s", err.text);
    /* Who would win by what was seen and lacks the rest does not; the numbers are the same. */
    struct verdict_answer expected = *a;
    if (v.metrics[m].is_owed) {
        assert_true(v.metrics[m].lacking[a->verdict == VERDICT_BETTER] > 0 ||
                    a->verdict == VERDICT_EQUIVALENT);
        expected.verdict = VERDICT_UNDECIDED;
    }
    if (v.metrics[m].is_measured) agrees(d, "versus", &expected, &v.metrics[m].answer);
}

static struct recorded_list recorded_of(const struct view_cell *cell, bool is_share)
{
    const struct view_metric *m = &cell->metrics[0];
    struct recorded_list list = {.items = arena_new(&arena, struct recorded, m->count + 1)};
    for (size_t i = 0; i < m->count; i++) {
        if (isnan(m->samples[i])) continue;
        list.items[list.count++] =
            (struct recorded){.task = "t",
                              .run = "",
                              .number = i,
                              .duration_s = m->samples[i],
                              .cost_usd = m->samples[i],
                              .is_ok = is_share ? m->samples[i] == 1 : true};
    }
    return list;
}

static void through_record(const struct data *d)
{
    if (d->is_graded || d->is_paired || d->by_case || d->limit > 0 || d->has_timeouts) return;
    bool is_share = d->kind == KIND_SHARE;
    struct verdict_answer a = ask_engine(d, VERDICT_MARGIN);
    struct recorded_list lists[2];
    for (int i = 0; i < 2; i++) lists[i] = recorded_of(&d->view->cells[i], is_share);
    struct recorded_comparison c;
    struct error err = {0};
    enum recorded_metric metric = is_share              ? RECORDED_SUCCESS
                                  : d->kind == KIND_SUM ? RECORDED_COST
                                                        : RECORDED_TIME;
    if (!recorded_compare(&lists[0], &lists[1], metric, &arena, &c, &err)) {
        fail_msg("%s", err.text);
    }
    if (lists[0].count > 0 && lists[1].count > 0) agrees(d, "record", &a, &c.answer);
}

/* Values without pairs as two files of numbers. */
static void through_samples(const struct data *d)
{
    if (d->is_paired || d->by_case || d->limit > 0 || d->has_timeouts) return;
    const struct view_metric *m[2];
    struct compare_samples samples = {0};
    for (int i = 0; i < 2; i++) {
        m[i] = &d->view->cells[i].metrics[0];
        double *values = arena_new(&arena, double, m[i]->count + 1);
        size_t n = 0;
        for (size_t k = 0; k < m[i]->count; k++) {
            if (!isnan(m[i]->samples[k])) values[n++] = m[i]->samples[k];
        }
        samples.side[i] = (struct samples){.values = values, .count = n};
    }
    struct compare_how how = {
        .margin = d->margin, .direction = m[0]->direction, .kind = 1 + (int)m[0]->kind};
    struct error err = {0};
    if (samples.side[0].count == 0 || samples.side[1].count == 0) return;
    if (!compare_plain(&how, arena, &samples, &err)) fail_msg("%s", err.text);
    struct verdict_answer a = ask_engine(d, d->margin);
    agrees(d, "samples", &a, &samples.answer);
}

/* The values as a history whose level changes from A to B: the label is the verdict. */
static void through_trend(const struct data *d)
{
    if (d->is_paired || d->by_case || d->limit > 0 || d->n < 8 || d->has_timeouts) return;
    struct trend_series s = {.points = arena_new(&arena, struct trend_point, 2 * d->n),
                             .count = 2 * d->n,
                             .kind = d->view->cells[0].metrics[0].kind,
                             .direction = d->view->cells[0].metrics[0].direction};
    for (size_t i = 0; i < s.count; i++) {
        s.points[i].value = d->view->cells[i / d->n].metrics[0].samples[i % d->n];
    }
    struct trend_question q = {0};
    trend_analyse(&s, &q, &arena);
    if (s.change_count != 1 || s.changes[0].index != d->n) return; /* another question */
    struct verdict_answer a = ask_engine(d, 0);
    agrees(d, "trend", &a, &s.verdicts[0]);
    const char *kind = a.verdict == VERDICT_WORSE    ? "degradation"
                       : a.verdict == VERDICT_BETTER ? "improvement"
                                                     : "change";
    assert_string_equal(trend_kind(&s, 0), kind);
    histories++;
}

/* Whatever judges is asked above, rankings in tests/rank/ranking_versus_test.c; who adds an
 * answer that does adds it here. */
TEST(every_answer_that_judges_is_asked)
{
    static const char *const asked[] = {
        "claims",         "compare",     "gate",    "leaderboard", "matrix",
        "record_compare", "regressions", "samples", "trend",       "versus",
    };
    size_t judging = 0;
    for (size_t i = 0; answer_at(i); i++) {
        const struct answer *row = answer_at(i);
        if (!row->judges) continue;
        if (judging == COUNT(asked) || strcmp(row->name, asked[judging]) != 0)
            fail_msg("answer '%s' judges and is not asked here", row->name);
        judging++;
    }
    assert_int_equal(judging, COUNT(asked));
}

TEST(every_asker_gives_the_engine_s_answer)
{
    size_t decided = 0;
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    for (uint64_t seed = 0; seed < SETS; seed++) {
        struct data d = make(seed);
        struct verdict_answer with_margin = ask_engine(&d, d.margin);
        struct verdict_answer plain = ask_engine(&d, 0);
        decided += plain.verdict == VERDICT_BETTER || plain.verdict == VERDICT_WORSE;
        through_compare(&d, &with_margin, false);
        through_compare(&d, &with_margin, true); /* all metrics at once */
        through_regressions(&d, &plain, store);
        through_gate(&d, &plain);
        through_claims(&d, &plain);
        through_versus(&d, &with_margin);
        through_samples(&d);
        through_record(&d);
        through_trend(&d);
        arena_reset(&arena);
    }
    store_close(store);
    fixture_close(&f);
    assert_true(decided > SETS / 6 && decided < SETS);
    assert_true(histories > 0);
}

/* Grades that do not vary: whoever asks, they differ from four trials on, paired or not. */
TEST(constant_grades_are_a_difference_to_every_asker)
{
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    for (size_t n = 3; n <= 20; n++) {
        for (int is_paired = 0; is_paired < 2; is_paired++) {
            struct rng r = rng_seeded(n);
            struct data d = {.seed = n,
                             .kind = KIND_SHARE,
                             .is_graded = true,
                             .is_paired = is_paired,
                             .passes = 1,
                             .n = n};
            d.view = fixture_view(
                &arena, (struct fixture_shape){
                            .cells = 2, .trials = n, .metrics = METRICS, .typical_s = 1});
            for (size_t i = 0; i < 2; i++) {
                struct view_cell *cell = &d.view->cells[i];
                snprintf(cell->record.run_id, UUID_SIZE, "run %zu", is_paired ? 0 : i);
                cell->record.group_index = is_paired ? 0 : (int64_t)i;
                fill_cell(cell, &r, &d, i ? -1 : 2, 2); /* 1.0 and 0.7 */
            }
            struct verdict_answer a = ask_engine(&d, 0);
            assert_int_equal(a.verdict, n < 4 ? VERDICT_UNDECIDED : VERDICT_WORSE);
            assert_int_equal(verdict_has(&a, REASON_DETERMINISTIC), n >= 4);
            through_compare(&d, &a, false);
            through_compare(&d, &a, true);
            through_regressions(&d, &a, store);
            through_gate(&d, &a);
            through_claims(&d, &a);
            through_samples(&d);
            through_trend(&d);
            arena_reset(&arena);
        }
    }
    store_close(store);
    fixture_close(&f);
}

/* ---- outcomes that nobody knows ---- */

/* Cells of shares by case; of B the first `unknown` trials were never judged. */
static struct data make_unjudged(uint64_t seed, size_t n, size_t unknown, double right)
{
    struct rng r = rng_seeded(seed);
    struct data d = {
        .seed = seed, .kind = KIND_SHARE, .by_case = true, .passes = 1, .n = n, .limit = 0.05};
    d.view = fixture_view(
        &arena,
        (struct fixture_shape){.cells = 2, .trials = n, .metrics = METRICS, .typical_s = 1});
    for (size_t i = 0; i < 2; i++) {
        struct view_cell *cell = &d.view->cells[i];
        snprintf(cell->record.run_id, UUID_SIZE, "run %zu", i);
        fill_cell(cell, &r, &d, 0, 0);
        double *samples = arena_new(&arena, double, n + 1);
        uint8_t *statuses = arena_new(&arena, uint8_t, n + 1);
        for (size_t k = 0; k < n; k++) {
            bool is_unjudged = i == 1 && k < unknown;
            samples[k] = is_unjudged ? (double)NAN : i == 0 || rng_real(&r) < right;
            statuses[k] = is_unjudged ? TRIAL_HARNESS_ERROR : TRIAL_OK;
        }
        cell->metrics[0].samples = samples;
        cell->metrics[0].definition = "rubric_score/1";
        cell->metrics[0].n = i ? n - unknown : n;
        cell->statuses = statuses;
        cell->record.counts.by_status[TRIAL_OK] = (int64_t)(i ? n - unknown : n);
        cell->record.counts.by_status[TRIAL_FAILED] = 0;
        cell->record.counts.by_status[TRIAL_HARNESS_ERROR] = i ? (int64_t)unknown : 0;
    }
    return d;
}

/* What the engine says if the unjudged ones are all wrong, or all right. */
static struct verdict_answer ask_as(const struct data *d, double outcome)
{
    struct data known = *d;
    struct view view = *d->view;
    struct view_cell cells[2] = {d->view->cells[0], d->view->cells[1]};
    struct view_metric m = cells[1].metrics[0];
    double *samples = arena_new(&arena, double, m.count + 1);
    for (size_t i = 0; i < m.count; i++)
        samples[i] = isnan(m.samples[i]) ? outcome : m.samples[i];
    m.samples = samples;
    m.n = m.count;
    cells[1].statuses = arena_new(&arena, uint8_t, m.count + 1); /* all ok */
    cells[1].metrics = &m;
    view.cells = cells;
    known.view = &view;
    return ask_engine(&known, 0);
}

static enum gate_state ask_gate(const struct data *d)
{
    static struct gate_policy policy;
    policy = (struct gate_policy){.file = "gate.yaml", .name = "p", .count = 1};
    policy.rules[0] = (struct gate_rule){.is_block = true,
                                         .kind = GATE_WORSE,
                                         .metric = d->view->cells[0].metrics[0].name,
                                         .limit = d->limit,
                                         .text = "t",
                                         .words = "w"};
    struct gate g = {.policy = &policy, .set = pair_of(d)};
    struct error err = {0};
    if (!gate_judge(0, &arena, &g, &err)) fail_msg("%s", err.text);
    return g.checks[0].state;
}

TEST(an_outcome_that_nobody_knows_passes_nothing)
{
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    size_t open = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct data d = make_unjudged(seed, 60, 5 + 3 * (seed % 10), 0.25 * (double)(seed % 5));
        struct verdict_answer a = ask_engine(&d, 0);
        struct verdict_answer wrong = ask_as(&d, 0);
        struct verdict_answer right = ask_as(&d, 1);
        assert_true(a.effect.shift_low <= wrong.effect.shift_low);
        assert_true(a.effect.shift_high >= right.effect.shift_high);
        bool are_one = wrong.verdict == right.verdict;
        assert_int_equal(a.verdict, are_one ? wrong.verdict : VERDICT_UNDECIDED);
        open += !are_one;
        through_compare(&d, &a, false);
        through_regressions(&d, &a, store);
        through_gate(&d, &a);
        through_claims(&d, &a);
        d.limit = 0; /* versus knows none */
        a = ask_engine(&d, 0);
        through_versus(&d, &a);
        arena_reset(&arena);
    }
    assert_true(open > 0 && open < 40);
    struct data all_right = make_unjudged(1, 60, 30, 1); /* no worse, as far as is known */
    assert_int_equal(ask_gate(&all_right), GATE_UNDECIDED);
    struct data judged = make_unjudged(1, 60, 0, 1);
    assert_int_equal(ask_gate(&judged), GATE_PASSED);
    struct data wrong = make_unjudged(1, 60, 6, 0);
    assert_int_equal(ask_gate(&wrong), GATE_VIOLATED);
    store_close(store);
    fixture_close(&f);
}

TEST(an_agent_that_never_answers_is_never_right)
{
    struct data d = make_unjudged(1, 12, 0, 1);
    struct view_cell *cell = &d.view->cells[1];
    struct view_metric *m = &cell->metrics[0];
    uint8_t *statuses = arena_new(&arena, uint8_t, 13);
    double *samples = arena_new(&arena, double, 13);
    for (size_t i = 0; i < 12; i++) {
        samples[i] = (double)NAN;
        statuses[i] = TRIAL_FAILED;
        cell->notes[i].status = TRIAL_FAILED;
        cell->notes[i].detail = "{\"judged\":true}";
    }
    m->samples = samples;
    m->n = 0;
    cell->statuses = statuses;
    struct verdict_answer a = ask_engine(&d, 0);
    assert_int_equal(a.verdict, VERDICT_WORSE);
    assert_close(a.arm[1].centre, 0, 0);
    assert_int_equal(ask_gate(&d), GATE_VIOLATED);
    for (size_t i = 0; i < 12; i++) cell->notes[i].detail = "{\"judged\":false}";
    assert_true(units_are_empty(cell, m, arena)); /* nothing to judge by: no answer is no 0 */
}

/* Every trial of `cases` cases, five passes each, fails in B. */
static bool is_new_failure(size_t cases, struct store *store)
{
    struct data d = make_unjudged(1, 5 * cases, 0, 1);
    uint8_t *statuses = arena_new(&arena, uint8_t, d.n + 1);
    for (size_t i = 0; i < d.n; i++) {
        for (int k = 0; k < 2; k++) {
            d.view->cells[k].notes[i].case_hash = arena_printf(&arena, "%03zu", i % cases);
        }
        d.view->cells[1].notes[i].status = TRIAL_FAILED;
        d.view->cells[1].notes[i].error = "exit code 1";
        statuses[i] = TRIAL_FAILED;
    }
    d.view->cells[1].statuses = statuses;
    struct regress r = {.set = pair_of(&d)};
    struct error err = {0};
    if (!regress_judge(store, &(struct regress_question){0}, &arena, &r, &err))
        fail_msg("%s", err.text);
    bool is_found = false;
    for (size_t i = 0; i < r.row_count; i++) {
        const struct regress_row *row = &r.rows[i];
        is_found |= row->rule == REGRESS_NEW_FAILURE && row->state == REGRESS_FOUND;
        bool is_rate = row->rule == REGRESS_BEYOND && strcmp(row->metric, "failure_rate") == 0;
        if (is_rate) assert_int_equal(row->w.least, cases < 6 ? 6 : 0);
    }
    return is_found;
}

TEST(passes_of_five_cases_are_no_new_kind_of_failure)
{
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    assert_false(is_new_failure(5, store));
    assert_true(is_new_failure(12, store));
    store_close(store);
    fixture_close(&f);
}

/* The reviews' own case: 8 cases, 10 benchmarks, 20 metrics. A change in one of the
 * benchmarks is found, whatever else is asked about. */
static void plant(struct family *f, size_t cells, enum kind kind, size_t changed)
{
    struct rng r = rng_seeded(11);
    f->cells = arena_new(&arena, struct family_cell, cells);
    f->count = cells;
    for (size_t i = 0; i < cells; i++) {
        double *a = arena_new(&arena, double, 8);
        double *b = arena_new(&arena, double, 8);
        for (size_t k = 0; k < 8; k++) {
            bool is_changed = i < changed;
            a[k] = kind == KIND_SHARE ? 1 : exp(0.05 * rng_normal(&r));
            b[k] = kind == KIND_SHARE ? !is_changed
                                      : (is_changed ? 5 : 1) * exp(0.05 * rng_normal(&r));
        }
        f->cells[i].question =
            (struct verdict_question){.a = a,
                                      .a_count = 8,
                                      .b = b,
                                      .b_count = 8,
                                      .kind = kind,
                                      .is_paired = true,
                                      .has_no_order = true,
                                      .higher_is_better = kind == KIND_SHARE};
    }
}

TEST(a_change_in_one_of_ten_benchmarks_is_found)
{
    struct error err = {0};
    for (size_t changed = 1; changed <= 10; changed += 9) {
        struct family f = {0};
        plant(&f, 10, KIND_RATIO, changed);
        assert_true(family_ask(&f, arena, &err));
        assert_int_equal(f.whole.verdict, VERDICT_WORSE);
        assert_int_equal(f.cells[0].answer.verdict, VERDICT_WORSE); /* and says where */
        plant(&f, 10, KIND_SHARE, changed);
        assert_true(family_ask(&f, arena, &err));
        assert_int_equal(f.whole.verdict, VERDICT_WORSE);
        plant(&f, 10, KIND_RATIO, 0);
        assert_true(family_ask(&f, arena, &err));
        assert_int_not_equal(f.whole.verdict, VERDICT_WORSE);
        arena_reset(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(every_answer_that_judges_is_asked),
        T(every_asker_gives_the_engine_s_answer),
        T(constant_grades_are_a_difference_to_every_asker),
        T(an_outcome_that_nobody_knows_passes_nothing),
        T(an_agent_that_never_answers_is_never_right),
        T(passes_of_five_cases_are_no_new_kind_of_failure),
        T(a_change_in_one_of_ten_benchmarks_is_found),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
