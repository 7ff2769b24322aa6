/* Views loaded from a real store; the expected numbers were worked out by hand
 * from the samples written here. */
#include "judge/summary.h"
#include "tests/json.h"
#include "tests/store/fixture.h"
#include "view/units.h"
#include "view/view.h"

static const struct metric metric_peak = {"peak_mb", "MB",   DIRECTION_LOWER,
                                          "peak/1",  "peak", .of_failures = false};

struct cell_plan {
    const char *parameters;
    int64_t group;
    int64_t arm;
    const double *durations;
    const uint8_t *statuses; /* NULL = all ok */
    size_t count;
};

static void put_planned(struct store *store, struct run_record *run, int64_t index,
                        const struct cell_plan *plan, bool finish)
{
    struct error err = {0};
    struct execution_record e = an_execution(store, run, index);
    e.experiment = "sort";
    store_builtin_ids(store, &e);
    e.label = plan->parameters;
    e.parameters = from_json(plan->parameters);
    e.group_index = plan->group;
    e.arm_index = plan->arm;
    e.overhead_s = 1e-7;
    OK(store_put_execution(store, &e, &err));
    uint8_t statuses[64] = {0};
    double starts[64];
    double peaks[64];
    for (size_t i = 0; i < plan->count; i++) {
        starts[i] = (double)i;
        peaks[i] = 2;
        if (plan->statuses) statuses[i] = plan->statuses[i];
        e.counts.by_status[statuses[i]]++;
    }
    e.counts.attempted = (int64_t)plan->count;
    const struct metric *metrics[] = {&metric_peak, &metric_duration};
    const double *columns[] = {peaks, plan->durations};
    struct trial_batch batch = {
        .execution_id = e.id,
        .phase = PHASE_MEASURED,
        .count = plan->count,
        .statuses = statuses,
        .starts_s = starts,
        .column_count = 2,
        .metrics = metrics,
        .columns = columns,
    };
    OK(store_append(store, &batch, 1, &err));
    e.status = RUN_SUCCESS;
    if (finish) OK(store_finish(store, &e, &err));
}

static const double ten[] = {1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 10.0};

TEST(numbers_are_those_worked_out_by_hand)
{
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    struct error err = {0};
    struct run_record run = a_run();
    run.environment = from_json("{\"cpus\":2,\"warnings\":[\"turbo is on\",7]}");
    run.vcs = from_json("{\"commit\":\"abc\"}");
    OK(store_put_run(store, &run, &err));
    struct cell_plan plan = {"{\"n\":1,\"in\":{\"x\":2}}", 0, 0, ten, NULL, 10};
    put_planned(store, &run, 0, &plan, true);
    struct view *view = NULL;
    OK(view_load(store, "latest", &f.arena, &view, &err));
    assert_int_equal(view->cell_count, 1);
    const struct view_cell *cell = &view->cells[0];
    assert_int_equal(cell->metric_count, 2);
    assert_int_equal(cell->setting_count, 2);
    assert_true(str_is(cell->settings[0].key, "in.x")); /* keys in order */
    const struct view_metric *m = &cell->metrics[0];
    assert_string_equal(m->name, "duration_s"); /* primary first, though stored second */
    assert_string_equal(cell->metrics[1].name, "peak_mb");
    assert_int_equal(m->n, 10);
    assert_close(m->mean, 2.26, 1e-12);
    assert_close(m->median, 1.45, 1e-12);
    assert_close(m->median_low, 1.1, 1e-12); /* order statistics 2 and 9 of 10 */
    assert_close(m->median_high, 1.8, 1e-12);
    assert_close(m->sd, 2.731788181149239, 1e-12);
    assert_close(m->cv, 2.731788181149239 / 2.26, 1e-12);
    assert_string_equal(m->cv_label, "poor");
    assert_close(m->min, 1, 0);
    assert_close(m->max, 10, 0);
    assert_close(m->p25, 1.225, 1e-12); /* type 7: h = 2.25 */
    assert_close(m->p95, 6.31, 1e-12);  /* h = 8.55: 1.8 + 0.55 * 8.2 */
    assert_close(m->mad, 0.25, 1e-12);
    assert_int_equal(m->outliers, 1);
    assert_close(cell->starts_s[9], 9, 0);
    assert_int_equal(view->machine_warning_count, 1);
    assert_string_equal(view->machine_warnings[0], "turbo is on");
    assert_int_equal(value_get(view->run.environment, "cpus")->integer, 2);
    assert_non_null(value_get(view->run.vcs, "commit"));
    store_close(store);
    fixture_close(&f);
}

TEST(failed_trials_are_counted_and_give_no_sample)
{
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    struct error err = {0};
    struct run_record run = a_run();
    OK(store_put_run(store, &run, &err));
    const double durations[] = {1, NAN, 3};
    const uint8_t statuses[] = {TRIAL_OK, TRIAL_TIMED_OUT, TRIAL_OK};
    /* One folded and one still open: both must read the same. */
    for (int64_t i = 0; i < 2; i++) {
        struct cell_plan plan = {i ? "{\"n\":1}" : "{\"n\":2}", i, 0, durations, statuses, 3};
        put_planned(store, &run, i, &plan, i == 0);
    }
    struct view *view = NULL;
    OK(view_load(store, run.id, &f.arena, &view, &err));
    for (size_t i = 0; i < 2; i++) {
        const struct view_cell *cell = &view->cells[i];
        assert_int_equal(cell->trial_count, 3);
        assert_int_equal(cell->statuses[1], TRIAL_TIMED_OUT);
        assert_int_equal(cell->record.counts.attempted, 3);
        assert_int_equal(cell->record.counts.by_status[TRIAL_TIMED_OUT], 1);
        const struct view_metric *m = &cell->metrics[0];
        assert_int_equal(m->count, 3);
        assert_int_equal(m->n, 2);
        assert_close(m->median, 2, 0);
        assert_true(isnan(m->median_low)); /* two values have no interval */
        assert_true(isnan(m->samples[1]));
    }
    store_close(store);
    fixture_close(&f);
}

/* Twice as slow in every round, whatever the round did: the ratio is exactly 2
 * though the arms overlap widely. */
TEST(comparisons_use_the_pairs)
{
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    struct error err = {0};
    struct run_record run = a_run();
    OK(store_put_run(store, &run, &err));
    double slow[10];
    double fails[10];
    for (size_t i = 0; i < 10; i++) {
        slow[i] = 2 * ten[i];
        fails[i] = i < 4 ? (double)NAN : 3 * ten[i];
    }
    const struct cell_plan plans[] = {
        {"{\"n\":1,\"sort\":\"a\"}", 0, 0, ten, NULL, 10},
        {"{\"n\":2,\"sort\":\"a\"}", 1, 0, ten, NULL, 10},
        {"{\"n\":1,\"sort\":\"b\"}", 0, 1, slow, NULL, 10},
        {"{\"n\":2,\"sort\":\"b\"}", 1, 1, fails, NULL, 10},
    };
    for (size_t i = 0; i < COUNT(plans); i++) {
        put_planned(store, &run, (int64_t)i, &plans[i], true);
    }
    struct view *view = NULL;
    OK(view_load(store, run.id, &f.arena, &view, &err));
    OK(summary_complete(store, view, &f.arena, &err));
    assert_int_equal(view->comparison_count, 2);
    const struct view_comparison *c = &view->comparisons[0];
    assert_int_equal(c->reference, 0);
    assert_int_equal(c->cell, 2);
    assert_true(c->answer.is_paired);
    assert_int_equal(c->answer.arm[0].n, 10);
    assert_close(c->answer.effect.ratio, 2, 1e-12);
    assert_close(c->answer.effect.low, 2, 1e-12);
    assert_close(c->answer.effect.high, 2, 1e-12);
    assert_int_equal(c->answer.verdict, VERDICT_WORSE);
    c = &view->comparisons[1];
    assert_int_equal(c->answer.arm[0].n, 6); /* rounds with a failure left out */
    assert_close(c->answer.effect.ratio, 3, 1e-12);

    /* n: medians 1.45, 1.45 (sort a), 2.9 and 3 * 1.65 (sort b, six values). */
    assert_int_equal(view->effect_count, 4);
    assert_string_equal(view->effects[0].param, "n");
    assert_string_equal(view->effects[0].value, "1");
    assert_close(view->effects[0].ratio, 1, 1e-12);
    assert_int_equal(view->effects[1].matched, 2);
    assert_close(view->effects[1].ratio, sqrt(3 * 1.65 / 2.9), 1e-12);
    assert_string_equal(view->effects[3].value, "b");
    assert_close(view->effects[3].ratio, sqrt(2 * 3 * 1.65 / 1.45), 1e-12);
    assert_close(view->effects[2].median, 1.45, 1e-12);
    store_close(store);
    fixture_close(&f);
}

TEST(one_value_of_each_parameter_has_no_effect)
{
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    struct error err = {0};
    struct run_record run = a_run();
    OK(store_put_run(store, &run, &err));
    /* Differ in both parameters: nothing to match. */
    const struct cell_plan plans[] = {{"{\"n\":1,\"k\":{\"a\":1}}", 0, 0, ten, NULL, 10},
                                      {"{\"n\":2,\"k\":{\"a\":2}}", 1, 0, ten, NULL, 10}};
    for (size_t i = 0; i < 2; i++) put_planned(store, &run, (int64_t)i, &plans[i], true);
    struct view *view = NULL;
    OK(view_load(store, run.id, &f.arena, &view, &err));
    assert_int_equal(view->effect_count, 0);
    assert_int_equal(view->comparison_count, 0);
    store_close(store);
    fixture_close(&f);
}

TEST(overhead_that_weighs_is_warned_of)
{
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    struct error err = {0};
    struct run_record run = a_run();
    OK(store_put_run(store, &run, &err));
    double tiny[10];
    for (size_t i = 0; i < 10; i++) tiny[i] = ten[i] * 1e-7; /* the overhead is 1e-7 */
    const struct cell_plan plans[] = {{"{\"n\":1}", 0, 0, tiny, NULL, 10},
                                      {"{\"n\":2}", 1, 0, ten, NULL, 10}};
    for (size_t i = 0; i < 2; i++) put_planned(store, &run, (int64_t)i, &plans[i], true);
    struct view *view = NULL;
    OK(view_load(store, run.id, &f.arena, &view, &err));
    for (size_t i = 0; i < 2; i++) {
        const struct view_metric *m = &view->cells[i].metrics[0];
        bool is_warned = false;
        for (size_t w = 0; w < m->warning_count; w++) {
            is_warned = is_warned || strstr(m->warnings[w], "69 % of the median");
        }
        assert_int_equal(is_warned, i == 0);
    }
    store_close(store);
    fixture_close(&f);
}

TEST(an_empty_run_and_an_unknown_one)
{
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    struct error err = {0};
    struct view *view = NULL;
    REFUSED(view_load(store, "latest", &f.arena, &view, &err), ERROR_NOT_FOUND);
    struct run_record run = a_run();
    OK(store_put_run(store, &run, &err));
    OK(view_load(store, "latest", &f.arena, &view, &err));
    assert_int_equal(view->cell_count, 0);
    store_close(store);
    fixture_close(&f);
}

TEST(zero_variance_and_resumes_are_warned_of)
{
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    struct error err = {0};
    struct run_record run = a_run();
    OK(store_put_run(store, &run, &err));
    struct execution_record e = an_execution(store, &run, 0);
    e.segments = 2;
    OK(store_put_execution(store, &e, &err));
    const double same[] = {5, 5, 5, 5, 5};
    const uint8_t ok[5] = {0};
    const double starts[5] = {0};
    const struct metric *metrics[] = {&metric_duration};
    const double *columns[] = {same};
    struct trial_batch batch = {.execution_id = e.id,
                                .phase = PHASE_MEASURED,
                                .count = 5,
                                .statuses = ok,
                                .starts_s = starts,
                                .column_count = 1,
                                .metrics = metrics,
                                .columns = columns};
    OK(store_append(store, &batch, 1, &err));
    batch.first = 5;
    batch.segment = 1;
    OK(store_append(store, &batch, 1, &err));
    struct view *view = NULL;
    OK(view_load(store, run.id, &f.arena, &view, &err));
    const struct view_metric *m = &view->cells[0].metrics[0];
    assert_int_equal(m->n, 10);
    assert_close(m->cv, 0, 0);
    assert_string_equal(m->cv_label, "excellent");
    assert_true(m->warning_count >= 2);
    assert_non_null(strstr(m->warnings[m->warning_count - 1], "resumed before trial 5"));
    store_close(store);
    fixture_close(&f);
}

/* The whole run, and a history that reads one metric of it, leave out the same blocks. */
TEST(blocks_that_the_generator_spoiled_are_left_out)
{
    static const struct metric rate = {"rate", "1/s", DIRECTION_HIGHER, "load_rate/5", "r"};
    static const struct metric verdict = {"generator", "1", DIRECTION_NONE, "load_generator/1",
                                          "g"};
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    struct error err = {0};
    struct run_record run = a_run();
    OK(store_put_run(store, &run, &err));
    struct execution_record e = an_execution(store, &run, 0);
    e.primary_metric = rate.name;
    OK(store_put_execution(store, &e, &err));
    const double rates[] = {100, 900, 100, 100, 800}, verdicts[] = {0, 1, 0, 0, 2};
    const uint8_t ok[5] = {0};
    const double starts[5] = {0, 1, 2, 3, 4};
    const struct metric *metrics[] = {&rate, &verdict};
    const double *columns[] = {rates, verdicts};
    struct trial_batch batch = {.execution_id = e.id,
                                .phase = PHASE_MEASURED,
                                .count = 5,
                                .statuses = ok,
                                .starts_s = starts,
                                .column_count = 2,
                                .metrics = metrics,
                                .columns = columns};
    OK(store_append(store, &batch, 1, &err));
    struct view *view = NULL;
    OK(view_load(store, run.id, &f.arena, &view, &err));
    const struct view_metric *m = &view->cells[0].metrics[0];
    assert_close(m->centre, 100, 0);
    bool is_said = false;
    for (size_t i = 0; i < m->warning_count; i++)
        is_said |= strstr(m->warnings[i], "spoiled 2 of 5 blocks") != NULL;
    assert_true(is_said);
    struct view_cell cell;
    OK(view_load_metric(store, &e, rate.name, &f.arena, &cell, &err));
    struct units u = units_of(&cell, &cell.metrics[0], &f.arena);
    assert_int_equal(u.count, 5);
    for (size_t i = 0; i < 5; i++) assert_int_equal(isnan(u.values[i]) != 0, verdicts[i] > 0);
    store_close(store);
    fixture_close(&f);
}

TEST_MAIN(T(blocks_that_the_generator_spoiled_are_left_out),
          T(numbers_are_those_worked_out_by_hand),
          T(failed_trials_are_counted_and_give_no_sample), T(comparisons_use_the_pairs),
          T(one_value_of_each_parameter_has_no_effect), T(an_empty_run_and_an_unknown_one),
          T(overhead_that_weighs_is_warned_of), T(zero_variance_and_resumes_are_warned_of))
