/* A report says one thing: its headline, its section of comparisons and `compare` ask one
 * engine, and words follow the verdict. */
#include "rank/outcome.h"

#include "base/rng.h"
#include "judge/compare.h"
#include "judge/summary.h"
#include "report/outcome_words.h"
#include "report/phrase.h"
#include "stats/quantile.h"
#include "tests/arena.h"
#include "tests/report/fixture.h"
#include "tests/store/fixture.h"

enum { TRIALS = 12, ARMS_MAX = 4 };

static struct view *make_arms(size_t count)
{
    struct view *v = fixture_view(
        &arena,
        (struct fixture_shape){.cells = count, .trials = TRIALS, .metrics = 1, .typical_s = 1});
    v->comparison_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct view_cell *c = &v->cells[i];
        c->record.group_index = 0;
        c->record.arm_index = (int64_t)i;
        c->record.label = (const char *[]){"A", "B", "C", "D"}[i];
        memcpy(c->record.run_id, v->run.id, sizeof v->run.id);
        c->metrics[0].definition = metric_duration.definition;
    }
    return v;
}

static void fill(struct view_cell *cell, const double *values)
{
    struct view_metric *m = &cell->metrics[0];
    double *samples = arena_new(&arena, double, TRIALS);
    memcpy(samples, values, TRIALS * sizeof *samples);
    m->samples = samples;
    m->centre = m->median = stats_median(arena, samples, TRIALS);
}

static struct outcome complete(struct view *v)
{
    struct outcome o;
    struct error err = {0};
    OK(summary_complete(NULL, v, &arena, &err));
    OK(outcome_make(NULL, v, &arena, &o, &err));
    return o;
}

static struct compare compared(struct view *v)
{
    struct compare c;
    struct error err = {0};
    const struct source run = {.name = v->run.id, .view = v, .is_run = true};
    OK(compare_make(&run, NULL, &(struct compare_how){.margin = VERDICT_MARGIN}, &arena, &c,
                    &err));
    return c;
}

static const char *said_of(const struct view *v, size_t comparison)
{
    struct buf b;
    buf_init(&b, 65536);
    phrase_comparison(&b, v, &v->comparisons[comparison]);
    const char *text = str_cstr(&arena, buf_str(&b));
    buf_release(&b);
    return text;
}

static void expect_same(const struct verdict_answer *a, const struct verdict_answer *b)
{
    assert_int_equal(a->verdict, b->verdict);
    assert_memory_equal(&a->alpha, &b->alpha, sizeof a->alpha);
    assert_memory_equal(&a->p, &b->p, sizeof a->p);
    assert_memory_equal(&a->effect, &b->effect, offsetof(struct verdict_effect, cliffs_label));
}

/* Each word of the report about two arms is that of the row which `compare` has. */
TEST(headline_section_and_compare_give_one_answer)
{
    size_t told = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct rng rng = rng_seeded(seed);
        size_t count = 2 + seed % 3;
        struct view *v = make_arms(count);
        double shift = 0.06 * rng_normal(&rng);
        for (size_t i = 0; i < count; i++) {
            double values[TRIALS];
            for (size_t k = 0; k < TRIALS; k++)
                values[k] = exp(0.05 * rng_normal(&rng) + (i == 1 ? shift : 0));
            fill(&v->cells[i], values);
        }
        struct outcome o = complete(v);
        struct compare c = compared(v);
        assert_int_equal(c.row_count, count - 1);
        bool is_row = false;
        for (size_t i = 0; i < c.row_count; i++) {
            expect_same(&v->comparisons[i].answer, &c.rows[i].answer);
            enum verdict verdict = c.rows[i].answer.verdict;
            bool is_told = verdict == VERDICT_BETTER || verdict == VERDICT_WORSE;
            assert_int_equal(is_told, strstr(said_of(v, i), "faster than") != NULL);
            assert_int_equal(verdict == VERDICT_EQUIVALENT,
                             strstr(said_of(v, i), "the same within") != NULL);
            if (o.best != 0 && o.next != 0) continue;
            if (o.best != i + 1 && o.next != i + 1) continue;
            is_row = true;
            expect_same(&o.top.answer, &c.rows[i].answer);
            assert_int_equal(is_told,
                             strstr(outcome_sentence(&o, &arena), "is fastest") != NULL);
            told += is_told;
        }
        assert_true(o.has_comparison && (is_row || (o.best != 0 && o.next != 0)));
    }
    assert_true(told > 10); /* the data do tell some apart */
}

/* Unadjusted, B would be told from A. */
TEST(of_three_arms_the_headline_knows_that_there_are_three)
{
    static const double order[TRIALS] = {5, 11, 2, 8, 1, 12, 4, 9, 3, 7, 10, 6};
    double values[3][TRIALS];
    for (size_t i = 0; i < TRIALS; i++) {
        double base = 0.10 + 0.002 * (double)(i * 5 % 7);
        bool is_up = order[i] == 1 || order[i] == 4 || order[i] == 6;
        values[0][i] = base;
        values[1][i] = base + (is_up ? 0.003 : -0.003) * order[i];
        values[2][i] = base + 0.03 * (i % 2 ? 1 : -0.8);
    }
    struct view *v = make_arms(3);
    for (size_t i = 0; i < 3; i++) fill(&v->cells[i], values[i]);
    struct outcome o = complete(v);
    assert_string_equal(outcome_sentence(&o, &arena),
                        "B has the lowest duration_s, but its order with A is not decided: "
                        "ratio 0.85 [0.72, 1.01], 97.5 % interval, 12 pairs.");
    assert_non_null(strstr(said_of(v, 0), "97.5 % interval, 12 pairs"));
    struct view *two = make_arms(2);
    for (size_t i = 0; i < 2; i++) fill(&two->cells[i], values[i]);
    o = complete(two);
    assert_non_null(strstr(outcome_sentence(&o, &arena), "B is fastest"));
}

/* Where the first arm is neither of the two, the question is as hard as those of the others. */
TEST(the_best_two_of_others_are_asked_about_at_the_same_level)
{
    struct rng rng = rng_seeded(3);
    struct view *v = make_arms(4);
    for (size_t i = 0; i < 4; i++) {
        double values[TRIALS];
        for (size_t k = 0; k < TRIALS; k++)
            values[k] = exp(0.01 * rng_normal(&rng)) * (i < 2 ? 3 : 1);
        fill(&v->cells[i], values);
    }
    struct outcome o = complete(v);
    assert_true(o.best >= 2 && o.next >= 2);
    assert_true(o.top.answer.alpha < VERDICT_ALPHA ||
                o.top.answer.verdict != VERDICT_UNDECIDED);
    assert_int_equal(o.top.cell, o.best);
}

TEST(a_small_change_is_called_the_same_everywhere)
{
    struct view *v = make_arms(2);
    double values[2][TRIALS];
    for (size_t i = 0; i < TRIALS; i++) {
        values[0][i] = 1 + 0.0001 * (double)(i * 5 % 7);
        values[1][i] = 0.98 * (1 + 0.0001 * (double)(i * 3 % 7));
    }
    for (size_t i = 0; i < 2; i++) fill(&v->cells[i], values[i]);
    struct outcome o = complete(v);
    assert_int_equal(compared(v).rows[0].answer.verdict, VERDICT_EQUIVALENT);
    assert_non_null(strstr(outcome_sentence(&o, &arena), "is the same within 3 %"));
    assert_non_null(strstr(said_of(v, 0), "B and A are the same within 3 %: ratio 0.98"));
    assert_non_null(strstr(said_of(v, 0), "(90 % interval, 12 pairs)"));
}

/* A trial that ran out of time is longer than all that were seen: there is no ratio, but a
 * verdict. */
TEST(time_outs_are_compared)
{
    struct view *v = make_arms(2);
    double values[2][TRIALS];
    uint8_t *statuses = arena_new(&arena, uint8_t, TRIALS);
    for (size_t i = 0; i < TRIALS; i++) {
        bool is_cut = i < 8;
        values[0][i] = 1 + 0.01 * (double)(i * 5 % 7);
        values[1][i] = is_cut ? (double)NAN : values[0][i] + 0.001;
        statuses[i] = is_cut ? TRIAL_TIMED_OUT : TRIAL_OK;
    }
    for (size_t i = 0; i < 2; i++) fill(&v->cells[i], values[i]);
    v->cells[1].statuses = statuses;
    v->cells[1].record.counts.by_status[TRIAL_OK] = TRIALS - 8;
    v->cells[1].record.counts.by_status[TRIAL_TIMED_OUT] = 8;
    (void)complete(v);
    assert_int_equal(compared(v).rows[0].answer.verdict, VERDICT_WORSE);
    assert_int_equal(v->comparisons[0].answer.verdict, VERDICT_WORSE);
    const char *said = said_of(v, 0);
    if (!strstr(said, "A ran") || !strstr(said, "faster than B") ||
        !strstr(said, "8 values were cut off"))
        fail_msg("%s", said);
}

/* By its kind, whatever its words are. */
TEST(that_a_machine_is_virtual_is_no_news)
{
    struct view *v = make_arms(2);
    static const char *texts[] = {"words of today", "others"};
    static const char *kinds[] = {"virtual", "load"};
    v->machine_warnings = texts;
    v->machine_warning_kinds = kinds;
    v->machine_warning_count = 2;
    struct outcome o = complete(v);
    const char *const *said = outcome_warnings(&o, &arena);
    assert_true(said[0] && !said[1] && strncmp(said[0], "others", 6) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(headline_section_and_compare_give_one_answer),
        T(of_three_arms_the_headline_knows_that_there_are_three),
        T(the_best_two_of_others_are_asked_about_at_the_same_level),
        T(a_small_change_is_called_the_same_everywhere),
        T(time_outs_are_compared),
        T(that_a_machine_is_virtual_is_no_news)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
