#include "base/rng.h"
#include "report/compare_words.h"
#include "report/words.h"
#include "tests/json.h"
#include "tests/report/fixture.h"
#include "tests/test.h"
#include "view/units.h"

static struct arena arena;
static const struct compare_how usual = {.margin = 0.03, .alpha = 0};

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

/* Normal noise of 1 % around `level` in place of the fixture's samples. */
static void refill(struct view_cell *cell, double level, uint64_t seed)
{
    struct rng rng = rng_seeded(seed);
    for (size_t m = 0; m < cell->metric_count; m++) {
        double *samples = arena_new(&arena, double, cell->metrics[m].count + 1);
        for (size_t i = 0; i < cell->metrics[m].count; i++) {
            samples[i] = level * (1 + 0.01 * rng_normal(&rng));
        }
        cell->metrics[m].samples = samples;
    }
}

static struct source make(size_t cells, size_t trials, double level, uint64_t seed)
{
    struct view *v = fixture_view(
        &arena, (struct fixture_shape){
                    .cells = cells, .trials = trials, .metrics = 4, .typical_s = 0.01});
    for (size_t i = 0; i < cells; i++) {
        refill(&v->cells[i], level, seed + i);
        snprintf(v->cells[i].record.run_id, UUID_SIZE, "run-%llu", (unsigned long long)seed);
    }
    snprintf(v->run.id, UUID_SIZE, "run-%llu", (unsigned long long)seed);
    return (struct source){.name = "x", .view = v};
}

static bool compare(const struct source *a, const struct source *b,
                    const struct compare_how *how, struct compare *c, struct error *err)
{
    *err = (struct error){0};
    return compare_make(a, b, how, &arena, c, err);
}

static bool is_noted(const struct compare *c, const char *word)
{
    struct sentences notes = {.out = &arena};
    compare_words_notes(c, &notes);
    for (size_t i = 0; i < notes.count; i++) {
        if (strstr(notes.items[i], word)) return true;
    }
    return false;
}

TEST(cells_are_matched_and_judged)
{
    struct source a = make(4, 20, 10, 1);
    struct source b = make(4, 20, 12, 50);
    struct compare c;
    struct error err;
    assert_true(compare(&a, &b, &usual, &c, &err));
    assert_int_equal(c.pair_count, 4);
    assert_int_equal(c.row_count, 12); /* exit_code is neither better nor worse */
    for (size_t i = 0; i < c.row_count; i++) {
        assert_int_equal(c.rows[i].answer.verdict, VERDICT_WORSE);
        assert_false(c.rows[i].is_paired);
        assert_true(c.rows[i].p_adjusted >= c.rows[i].answer.p);
    }
    assert_true(c.rows[0].is_primary);
    assert_true(is_noted(&c, "one after the other"));
}

/* Blocks of load that were sent late: their times are the generator's, not B's. */
TEST(blocks_that_the_generator_spoiled_are_not_compared)
{
    struct source sides[2] = {make(1, 20, 10, 1), make(1, 20, 10, 50)};
    struct compare c;
    struct error err;
    for (int k = 0; k < 2; k++) {
        struct view_metric *m = sides[k].view->cells[0].metrics;
        double *times = arena_new(&arena, double, 20),
               *verdicts = arena_new(&arena, double, 20);
        for (size_t i = 0; i < 20; i++) {
            verdicts[i] = k == 1 && i % 5 < 3;
            times[i] = m[0].samples[i] * (verdicts[i] > 0 ? 3 : 1);
        }
        m[0].definition = "load_response_p95_s/2";
        m[0].unit = "s";
        m[0].samples = times;
        m[3].name = "generator";
        m[3].definition = "load_generator/1";
        m[3].samples = verdicts;
    }
    assert_true(compare(&sides[0], &sides[1], &usual, &c, &err));
    assert_int_equal(c.rows[0].answer.verdict, VERDICT_EQUIVALENT);
    assert_int_equal(c.rows[0].ask.gone, 0);
    assert_true(is_noted(&c, "spoiled 12 of 20 blocks of B"));
    /* What failed in them failed. */
    for (int k = 0; k < 2; k++) {
        sides[k].view->cells[0].metrics[0].definition = "load_failed/1";
        sides[k].view->cells[0].metrics[0].unit = "1";
    }
    assert_true(compare(&sides[0], &sides[1], &usual, &c, &err));
    assert_int_not_equal(c.rows[0].answer.verdict, VERDICT_EQUIVALENT);
}

TEST(a_run_against_itself_is_never_a_difference)
{
    struct source a = make(4, 20, 10, 1);
    struct compare c;
    struct error err;
    assert_true(compare(&a, &a, &usual, &c, &err));
    for (size_t i = 0; i < c.row_count; i++) {
        enum verdict v = c.rows[i].answer.verdict;
        assert_true(v == VERDICT_EQUIVALENT || v == VERDICT_UNDECIDED);
    }
}

TEST(arms_of_a_group_are_paired)
{
    struct source a = make(4, 20, 10, 1);
    struct compare c;
    struct error err;
    assert_true(compare(&a, NULL, &usual, &c, &err));
    assert_int_equal(c.pair_count, 2);
    assert_true(c.rows[0].is_paired);
    assert_ptr_equal(c.pairs[1].cell[0], &a.view->cells[2]);
    struct source single = make(1, 20, 10, 1);
    assert_false(compare(&single, NULL, &usual, &c, &err));
    assert_non_null(strstr(err.text, "no arms to compare"));
}

/* Both arms drift by half of their level; B takes 2 % longer. */
static void drift(struct source *s, size_t trials)
{
    struct rng rng = rng_seeded(11);
    double *samples[2];
    double level = 10;
    for (int i = 0; i < 2; i++) {
        samples[i] = arena_new(&arena, double, trials);
        s->view->cells[i].metrics[0].samples = samples[i];
    }
    for (size_t t = 0; t < trials; t++) {
        level *= 1 + 0.05 * rng_normal(&rng) + 0.5 / (double)trials;
        for (int i = 0; i < 2; i++) {
            samples[i][t] = level * (i ? 1.02 : 1) * (1 + 0.003 * rng_normal(&rng));
        }
    }
}

TEST(drift_that_arms_share_cancels_in_their_pairs)
{
    struct source a = make(2, 20, 10, 1);
    struct compare c;
    struct error err;
    struct compare_how how = usual;
    how.metric = a.view->cells[0].metrics[0].name;
    how.margin = 0;
    drift(&a, 20);
    assert_true(compare(&a, NULL, &how, &c, &err));
    assert_true(c.rows[0].is_paired);
    assert_int_equal(c.rows[0].answer.verdict, VERDICT_WORSE);
    assert_close(c.rows[0].answer.effect.ratio, 1.02, 0.005);
    double paired_width = c.rows[0].answer.effect.high - c.rows[0].answer.effect.low;
    /* The same numbers, of two runs that were made one after the other. */
    struct view views[2] = {*a.view, *a.view};
    struct source sides[2] = {{.name = "A", .view = &views[0]},
                              {.name = "B", .view = &views[1]}};
    for (size_t i = 0; i < 2; i++) {
        views[i].cell_count = 1;
        views[i].cells = &a.view->cells[i];
    }
    snprintf(views[1].cells[0].record.run_id, UUID_SIZE, "another");
    assert_true(compare(&sides[0], &sides[1], &how, &c, &err));
    assert_false(c.rows[0].is_paired);
    assert_int_equal(c.rows[0].answer.verdict, VERDICT_UNDECIDED);
    assert_true(c.rows[0].answer.effect.high - c.rows[0].answer.effect.low > 10 * paired_width);
}

/* Rounds go AB, BA, AB, ...: the interval of arms is a little wider than that of
 * the same pairs without an order (stats/verdict.h), by sqrt(1.21) at most. */
TEST(arms_are_judged_as_alternating)
{
    struct source a = make(2, 60, 10, 1);
    struct compare c;
    struct error err;
    struct compare_how how = usual;
    how.metric = a.view->cells[0].metrics[0].name;
    how.is_paired = true;
    assert_true(compare(&a, NULL, &how, &c, &err));
    double arms = c.rows[0].answer.effect.high - c.rows[0].answer.effect.low;
    a.view->cells[1].record.group_index = 7; /* no arm any more; paired because asked to */
    const struct ask_subject subject = {
        .cell = {&a.view->cells[0], &a.view->cells[1]},
        .metric = {&a.view->cells[0].metrics[0], &a.view->cells[1].metrics[0]},
        .is_paired = true};
    struct ask ask = ask_about(&subject, &(struct ask_terms){0}, &arena);
    assert_true(ask.question.is_paired);
    assert_false(ask.question.is_alternating);
    struct verdict_answer answer;
    assert_true(verdict_compare(&ask.question, arena, &answer, &err));
    double plain = answer.effect.high - answer.effect.low;
    assert_true(arms > plain * 1.02);
    assert_true(arms < plain * 1.25);
}

/* Two servers take turns, and neither loses one of its 1000 requests: that is what is known, not
 * that ten blocks were alike. */
TEST(blocks_of_arms_count_by_their_requests)
{
    struct source a = make(2, 10, 10, 1);
    struct compare c;
    struct error err;
    struct compare_how how = usual;
    static double shares[10], due[10];
    for (size_t i = 0; i < COUNT(due); i++) due[i] = 100;
    for (int k = 0; k < 2; k++) {
        struct view_metric *m = a.view->cells[k].metrics;
        m[0].name = how.metric = "error_share";
        m[0].unit = "1";
        m[0].definition = "load_error_share/1";
        m[0].kind = KIND_SHARE;
        m[0].samples = shares;
        m[1].name = "scheduled";
        m[1].samples = due;
    }
    assert_true(compare(&a, NULL, &how, &c, &err));
    assert_true(c.rows[0].answer.effect.shift_high < 0.01);
    assert_true(c.rows[0].answer.effect.shift_low > -0.01);
}

TEST(unlike_metrics_are_refused)
{
    struct source a = make(1, 20, 10, 1);
    struct source b = make(1, 20, 10, 9);
    struct compare c;
    struct error err;
    b.view->cells[0].metrics[1].unit = "GB";
    assert_true(compare(&a, &b, &usual, &c, &err));
    assert_int_equal(c.refusal_count, 2); /* and one of which nobody said what is better */
    assert_int_equal(c.refusals[1].gap.code, COMPARE_NO_DIRECTION);
    assert_string_equal(c.refusals[0].metric, "peak_mb");
    assert_int_equal(c.refusals[0].gap.code, COMPARE_UNIT);
    assert_string_equal(c.refusals[0].gap.a, "MB");
    assert_string_equal(c.refusals[0].gap.b, "GB");
    struct compare_how named = usual;
    named.metric = "peak_mb";
    assert_false(compare(&a, &b, &named, &c, &err));
    b.view->cells[0].metrics[0].definition = "fixture/2";
    assert_false(compare(&a, &b, &usual, &c, &err));
    assert_false(words_refuse(&c.refused, &err)); /* as every asker does */
    assert_non_null(strstr(err.text, "'fixture/1' in A and 'fixture/2' in B"));
    named.metric = "nothing";
    assert_false(compare(&a, &b, &named, &c, &err));
    named.metric = "exit_code";
    assert_false(compare(&a, &b, &named, &c, &err));
    assert_false(words_refuse(&c.refused, &err)); /* as every asker does */
    assert_non_null(strstr(err.text, "--direction"));
}

TEST(unlike_things_are_refused_or_noted)
{
    struct source a = make(1, 20, 10, 1);
    struct source b = make(1, 20, 10, 9);
    struct compare c;
    struct error err;
    b.view->cells[0].record.segments = 3;
    b.view->cells[0].record.instruments = from_json("[\"timing\"]");
    b.view->cells[0].record.seed = 7;
    b.view->cells[0].record.model_configuration = "{\"t\":1}";
    a.view->cells[0].record.model_configuration = "{\"t\":0}";
    assert_true(compare(&a, &b, &usual, &c, &err));
    assert_true(is_noted(&c, "B was resumed: its trials are of 3 sessions"));
    assert_true(is_noted(&c, "different instruments"));
    assert_true(is_noted(&c, "different agent configurations"));
    assert_true(is_noted(&c, "seeds differ"));
    b.view->cells[0].record.experiment = "other";
    assert_false(compare(&a, &b, &usual, &c, &err));
    assert_non_null(strstr(err.text, "they measure different things"));
    struct source same_run = make(1, 20, 10, 1); /* its cells were chosen by hand */
    same_run.view->cells[0].record.experiment = "other";
    assert_true(compare(&a, &same_run, &usual, &c, &err));
}

TEST(failures_are_compared_and_leave_the_pairs)
{
    struct source a = make(2, 40, 10, 1);
    struct view_cell *cell = &a.view->cells[1];
    double *samples = arena_new(&arena, double, 40);
    memcpy(samples, cell->metrics[0].samples, 40 * sizeof *samples);
    for (int i = 0; i < 20; i++) samples[i] = NAN;
    cell->metrics[0].samples = samples;
    cell->record.counts.by_status[TRIAL_OK] = 20;
    cell->record.counts.by_status[TRIAL_FAILED] = 20;
    uint8_t *statuses = arena_new(&arena, uint8_t, 40);
    for (int i = 0; i < 20; i++) statuses[i] = TRIAL_FAILED;
    cell->statuses = statuses;
    struct compare c;
    struct error err;
    assert_true(compare(&a, NULL, &usual, &c, &err));
    assert_int_equal(c.pairs[0].failures.verdict, VERDICT_WORSE);
    assert_int_equal(c.rows[0].answer.arm[0].n, 20);
    assert_int_equal(c.rows[0].answer.arm[1].n, 20);
    for (int i = 20; i < 40; i++) samples[i] = NAN;
    cell->record.counts.by_status[TRIAL_OK] = 0;
    cell->record.counts.by_status[TRIAL_FAILED] = 40;
    assert_true(compare(&a, NULL, &usual, &c, &err));
    assert_int_equal(c.rows[0].answer.verdict, VERDICT_UNDECIDED);
    assert_true(isnan(c.rows[0].p_adjusted));
    assert_true(is_noted(&c, "all 40 trials of B failed"));
}

/* As gate and regressions refuse to: what failed in A counts as done there. */
TEST(failures_that_one_side_ignores_are_not_compared)
{
    struct source a = make(2, 40, 10, 1);
    struct value_pair ignored = {S("ignore_failure"), .value = value_new_bool(&arena, true)};
    uint8_t *statuses = arena_new(&arena, uint8_t, 40);
    for (int i = 0; i < 40; i++) statuses[i] = TRIAL_FAILED;
    a.view->cells[1].statuses = statuses;
    struct compare c;
    struct error err;
    assert_true(compare(&a, NULL, &usual, &c, &err));
    assert_int_equal(c.pairs[0].failures.verdict, VERDICT_WORSE);
    size_t refused = c.refusal_count;
    a.view->cells[0].settings = &ignored;
    a.view->cells[0].setting_count = 1;
    assert_true(compare(&a, NULL, &usual, &c, &err));
    assert_int_equal(c.pairs[0].failures.verdict, VERDICT_UNDECIDED);
    assert_true(isnan(c.pairs[0].failures.effect.shift));
    assert_int_equal(c.refusal_count, refused + 1);
    assert_int_equal(c.refusals[0].gap.code, COMPARE_A_IGNORES);
    assert_int_equal(c.wholes[c.whole_count - 1].answer.verdict, VERDICT_UNDECIDED);
    a.view->cells[1].settings = &ignored;
    a.view->cells[1].setting_count = 1;
    assert_true(compare(&a, NULL, &usual, &c, &err));
    assert_int_equal(c.pairs[0].failures.verdict, VERDICT_WORSE);
}

/* Among 60 comparisons of nothing some have p < 0.05; adjusted, none is told. */
TEST(many_comparisons_of_nothing_find_nothing)
{
    struct source a = make(20, 12, 10, 1);
    struct source b = make(20, 12, 10, 900);
    struct compare c;
    struct error err;
    struct compare_how how = usual;
    how.margin = 0;
    how.is_unadjusted = true;
    size_t raw = 0;
    size_t told = 0;
    assert_true(compare(&a, &b, &how, &c, &err));
    for (size_t i = 0; i < c.row_count; i++) raw += c.rows[i].answer.verdict != 0;
    how.is_unadjusted = false;
    assert_true(compare(&a, &b, &how, &c, &err));
    for (size_t i = 0; i < c.row_count; i++) {
        told += c.rows[i].answer.verdict != 0;
    }
    assert_true(raw > 0);
    assert_int_equal(told, 0);
}

TEST(cases_are_units)
{
    static const uint8_t statuses[4] = {TRIAL_OK};
    struct view_cell cell = {.trial_count = 4, .statuses = statuses};
    struct trial_note notes[4];
    const char *hashes[] = {"b", "a", "b", "a"};
    for (int i = 0; i < 4; i++) {
        notes[i] =
            (struct trial_note){.trial = i, .phase = PHASE_MEASURED, .case_hash = hashes[i]};
    }
    struct view_metric m = {.samples = (double[]){1, 10, 3, NAN}, .count = 4};
    struct units trials = units_of(&cell, &m, &arena);
    assert_null(trials.keys);
    assert_int_equal(trials.count, 4);
    cell.notes = notes;
    cell.note_count = 4;
    struct units u = units_of(&cell, &m, &arena);
    assert_int_equal(u.count, 2);
    assert_string_equal(u.keys[0], "a");
    assert_close(u.values[0], 10, 0);
    assert_close(u.values[1], 2, 0);
    const char *other_keys[] = {"b", "c"};
    struct units other = {.values = (double[]){7, 8}, .keys = other_keys, .count = 2};
    struct units paired[2];
    assert_true(units_pair(&u, &other, &arena, paired));
    assert_int_equal(paired[0].count, 1);
    assert_close(paired[0].values[0], 2, 0);
    assert_close(paired[1].values[0], 7, 0);
    assert_false(units_pair(&u, &trials, &arena, paired));
}

#define WITH_ARENA(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)
static void set_agent(struct view_cell *cell, const char *agent, const char *version)
{
    snprintf(cell->record.agent_id, UUID_SIZE, "%s", agent);
    cell->record.agent_version = version;
    cell->record.parameters = from_json("{\"benchmark\":\"echo\"}");
}

/* Run all, improve one agent, raise its version, run only that one. */
TEST(agents_are_never_matched_with_other_agents)
{
    struct source a = make(2, 20, 10, 1);
    struct source b = make(1, 20, 12, 50);
    struct compare c;
    struct error err;
    a.is_run = b.is_run = true;
    set_agent(&a.view->cells[0], "slow", "1");
    set_agent(&a.view->cells[1], "fast", "1");
    set_agent(&b.view->cells[0], "fast", "2");
    assert_true(compare(&a, &b, &usual, &c, &err));
    assert_int_equal(c.pair_count, 1);
    assert_ptr_equal(c.pairs[0].cell[0], &a.view->cells[1]);
    assert_int_equal(c.unmatched_count, 1);
    struct source one = make(1, 20, 10, 1);
    one.is_run = true;
    set_agent(&one.view->cells[0], "slow", "1");
    assert_false(compare(&one, &b, &usual, &c, &err));
    assert_non_null(strstr(err.text, "two agents"));
    one.is_run = b.is_run = false; /* chosen by hand */
    assert_true(compare(&one, &b, &usual, &c, &err));
    assert_true(is_noted(&c, "two agents"));
}

/* A run that has two versions of an agent, against one that has one of them. */
TEST(the_same_version_is_matched_first)
{
    struct source a = make(1, 20, 10, 1);
    struct source b = make(2, 20, 12, 50);
    struct compare c;
    struct error err;
    a.is_run = b.is_run = true;
    set_agent(&a.view->cells[0], "web", "2");
    set_agent(&b.view->cells[0], "web", "1");
    set_agent(&b.view->cells[1], "web", "2");
    assert_true(compare(&a, &b, &usual, &c, &err));
    assert_int_equal(c.pair_count, 1);
    assert_ptr_equal(c.pairs[0].cell[1], &b.view->cells[1]);
}

TEST_MAIN(WITH_ARENA(cells_are_matched_and_judged),
          WITH_ARENA(blocks_that_the_generator_spoiled_are_not_compared),
          WITH_ARENA(a_run_against_itself_is_never_a_difference),
          WITH_ARENA(arms_of_a_group_are_paired),
          WITH_ARENA(drift_that_arms_share_cancels_in_their_pairs),
          WITH_ARENA(arms_are_judged_as_alternating),
          WITH_ARENA(blocks_of_arms_count_by_their_requests),
          WITH_ARENA(unlike_metrics_are_refused),
          WITH_ARENA(unlike_things_are_refused_or_noted),
          WITH_ARENA(failures_are_compared_and_leave_the_pairs),
          WITH_ARENA(failures_that_one_side_ignores_are_not_compared),
          WITH_ARENA(many_comparisons_of_nothing_find_nothing), WITH_ARENA(cases_are_units),
          WITH_ARENA(agents_are_never_matched_with_other_agents),
          WITH_ARENA(the_same_version_is_matched_first))
