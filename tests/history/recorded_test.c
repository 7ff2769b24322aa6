/* Figures of recorded executions, and the exporters' table. */
#include "history/recorded.h"
#include "interop/export.h"
#include "tests/history/bench.h"

static struct arena arena;

static struct recorded_list list_of(const double *durations, const bool *ok, size_t count,
                                    int64_t first_ns, int64_t step_ns)
{
    struct recorded_list list = {arena_new(&arena, struct recorded, count), count};
    for (size_t i = 0; i < count; i++) {
        list.items[i] = (struct recorded){.task = "t",
                                          .version = "v",
                                          .run = "",
                                          .number = i,
                                          .at_ns = first_ns + (int64_t)i * step_ns,
                                          .duration_s = durations[i],
                                          .cost_usd = NAN,
                                          .is_ok = ok ? ok[i] : true};
    }
    return list;
}

TEST(failures_do_not_enter_the_mean)
{
    static const double durations[] = {1, 2, 3, 100};
    static const bool ok[] = {true, true, true, false};
    struct recorded_list list = list_of(durations, ok, 4, 0, 0);
    list.items[1].cost_usd = 0.5;
    struct recorded_stats s = recorded_stats(list.items, list.count, arena);
    assert_close(s.times.mean, 2, 0);
    assert_close(s.failures.mean, 100, 0);
    assert_close(s.success.estimate, 0.75, 0);
    assert_close(s.cost_mean, 0.5, 0);
    assert_int_equal(s.cost_n, 1);
    s = recorded_stats(NULL, 0, arena);
    assert_true(isnan(s.times.mean) && isnan(s.success.estimate) && isnan(s.cost_total));
}

TEST(improvement_is_positive_where_the_second_is_better)
{
    static const double slow[] = {10, 10.1, 9.9, 10.2, 9.8, 10, 10.1, 9.9};
    static const double fast[] = {6.5, 6.6, 6.4, 6.5, 6.5, 6.6, 6.4, 6.5};
    struct recorded_list a = list_of(slow, NULL, 8, 0, 0);
    struct recorded_list b = list_of(fast, NULL, 8, 0, 0);
    struct recorded_comparison c;
    struct error err = {0};
    assert_true(recorded_compare(&a, &b, RECORDED_TIME, &arena, &c, &err));
    assert_close(c.improvement, 0.35, 1e-9);
    assert_int_equal(c.verdict, VERDICT_BETTER);
    assert_true(recorded_compare(&b, &a, RECORDED_TIME, &arena, &c, &err));
    assert_int_equal(c.verdict, VERDICT_WORSE);
    assert_true(c.improvement < 0);
    assert_true(recorded_compare(&a, &b, RECORDED_COST, &arena, &c, &err));
    assert_true(isnan(c.improvement));
    assert_int_equal(c.verdict, VERDICT_UNDECIDED);
    assert_true(recorded_compare(&a, &b, RECORDED_SUCCESS, &arena, &c, &err));
    assert_close(c.improvement, 0, 0);
}

/* The costs of the first two trials only: a series may be shorter than another. */
TEST(series_of_unequal_length_are_read_by_their_trials)
{
    static const struct metric cost = {"cost_usd", "USD", DIRECTION_LOWER, "cost/1"};
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    struct error err = {0};
    struct suite_record suite = {.name = "recorded", .category = "x", .content_hash = "h"};
    struct run_record run = a_run();
    OK(store_put_suite(store, &suite, &err));
    OK(store_put_run(store, &run, &err));
    struct execution_record e = an_execution(store, &run, 0);
    struct benchmark_record r = {.name = "noop", .content_hash = "h"};
    memcpy(r.suite_id, suite.id, UUID_SIZE);
    store_benchmark_id(store, "recorded", "noop", "h", r.id);
    OK(store_put_benchmark(store, &r, &err));
    memcpy(e.suite_id, suite.id, UUID_SIZE);
    memcpy(e.benchmark_id, r.id, UUID_SIZE);
    OK(store_put_execution(store, &e, &err));
    uint8_t statuses[40] = {0};
    double values[40];
    for (size_t i = 0; i < COUNT(values); i++) values[i] = (double)i + 1;
    for (size_t from = 0; from < COUNT(values); from += from ? 38 : 2) {
        const struct metric *metrics[] = {from ? &metric_duration : &cost};
        const double *columns[] = {values + from};
        struct trial_batch batch = {.execution_id = e.id,
                                    .phase = PHASE_MEASURED,
                                    .first = (int64_t)from,
                                    .count = from ? 38 : 2,
                                    .statuses = statuses,
                                    .starts_s = values + from,
                                    .column_count = 1,
                                    .metrics = metrics,
                                    .columns = columns};
        OK(store_append(store, &batch, 1, &err));
    }
    struct recorded_list list;
    OK(recorded_from_store(store, &(struct recorded_filter){0}, &arena, &list, &err));
    assert_int_equal(list.count, COUNT(values));
    for (size_t i = 0; i < list.count; i++) {
        assert_true(i < 2 ? list.items[i].cost_usd == values[i]
                          : isnan(list.items[i].cost_usd));
        assert_true(i < 2 ? isnan(list.items[i].duration_s)
                          : list.items[i].duration_s == values[i]);
    }
    store_close(store);
    fixture_close(&f);
}

/* Money adds up: a tenth of the tasks at ten times the price is a bill twice as high. */
TEST(costs_are_compared_by_their_means)
{
    static const double times[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                   1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct recorded_list a = list_of(times, NULL, COUNT(times), 0, 0);
    struct recorded_list b = list_of(times, NULL, COUNT(times), 0, 0);
    double sums[2] = {0};
    for (size_t i = 0; i < COUNT(times); i++) {
        a.items[i].cost_usd = 1 + 0.01 * (double)(i % 7);
        b.items[i].cost_usd = a.items[i].cost_usd * (i % 4 == 0 ? 10 : 1);
        sums[0] += a.items[i].cost_usd;
        sums[1] += b.items[i].cost_usd;
    }
    struct recorded_comparison c;
    struct error err = {0};
    assert_true(recorded_compare(&a, &b, RECORDED_COST, &arena, &c, &err));
    assert_close(c.effect, sums[1] / sums[0], 1e-9);
    assert_close(c.b / c.a, c.effect, 1e-9);
    assert_int_equal(c.verdict, VERDICT_WORSE);
}

/* Another mix of tasks is no change of speed, and what one side did alone does not count. */
TEST(tasks_are_matched_and_never_pooled)
{
    static const double first[] = {3, 3.1, 2.9, 3, 3.1, 2.9, 0.003, 0.003, 0.0031, 0.0029};
    static const double second[] = {3,      0.003,  0.0031, 0.0029, 0.003,
                                    0.0031, 0.0029, 0.003,  50,     51};
    struct recorded_list a = list_of(first, NULL, 10, 0, 0);
    struct recorded_list b = list_of(second, NULL, 10, 0, 0);
    for (size_t i = 6; i < 10; i++) a.items[i].task = "small";
    for (size_t i = 1; i < 8; i++) b.items[i].task = "small";
    b.items[8].task = b.items[9].task = "new";
    struct recorded_comparison c;
    struct error err = {0};
    assert_true(recorded_compare(&a, &b, RECORDED_TIME, &arena, &c, &err));
    assert_true(fabs(c.improvement) < 0.05);
    assert_int_not_equal(c.verdict, VERDICT_BETTER);
    assert_int_not_equal(c.verdict, VERDICT_WORSE);
    assert_int_equal(c.a_count, 4); /* 6 against 1 have no interval and no part in it */
    assert_int_equal(c.b_count, 7);
    for (size_t i = 0; i < 10; i++) b.items[i].duration_s *= 2;
    assert_true(recorded_compare(&a, &b, RECORDED_TIME, &arena, &c, &err));
    assert_int_equal(c.verdict, VERDICT_WORSE);
    assert_close(c.effect, 2, 0.1);
    assert_int_equal(recorded_match(&a, &b, &arena).count, 2);
    for (size_t i = 0; i < 10; i++) b.items[i].task = "other";
    assert_true(recorded_compare(&a, &b, RECORDED_TIME, &arena, &c, &err));
    assert_true(isnan(c.improvement));
    assert_int_equal(c.verdict, VERDICT_UNDECIDED);
}

/* The medians say faster, the values slower: what is told is what was tested. */
TEST(improvement_is_never_against_the_verdict)
{
    double a_times[100];
    double b_times[100];
    for (size_t i = 0; i < 100; i++) {
        double wobble = 1 + 0.0001 * (double)(i * 37 % 100);
        a_times[i] = (i * 29 % 100 < 49 ? 1 : 10) * wobble;
        b_times[i] = (i * 29 % 100 < 60 ? 9 : 12) * wobble;
    }
    struct recorded_list a = list_of(a_times, NULL, 100, 0, 0);
    struct recorded_list b = list_of(b_times, NULL, 100, 0, 0);
    struct recorded_comparison c;
    struct error err = {0};
    assert_true(recorded_compare(&a, &b, RECORDED_TIME, &arena, &c, &err));
    assert_true(c.b < c.a);
    assert_int_equal(c.verdict, VERDICT_WORSE);
    assert_close(c.improvement, 1 - c.effect, 1e-12);
    assert_true(c.improvement < -0.1);
}

/* Six runs of three values that hardly differ, each run at a level of its own. */
static struct recorded_list runs_at(const double *levels, size_t count, size_t each)
{
    struct recorded_list list = {arena_new(&arena, struct recorded, count * each + 1), 0};
    for (size_t r = 0; r < count; r++) {
        const char *run = arena_printf(&arena, "run %zu at %g", r, levels[r]);
        for (size_t i = 0; i < each; i++) {
            list.items[list.count] = (struct recorded){.task = "t",
                                                       .run = run,
                                                       .run_ns = (int64_t)r,
                                                       .number = list.count,
                                                       .cost_usd = NAN,
                                                       .is_ok = true};
            list.items[list.count++].duration_s = levels[r] * (1 + 1e-4 * (double)i);
        }
    }
    return list;
}

TEST(runs_count_once_however_many_values_they_have)
{
    static const double before[] = {0.90, 1.10, 0.97, 1.05, 0.93, 1.04};
    static const double after[] = {1.05, 0.95, 1.12, 1.02, 1.16, 0.99};
    struct recorded_comparison c[2];
    struct error err = {0};
    for (size_t k = 0; k < 2; k++) {
        struct recorded_list a = runs_at(before, 6, k ? 50 : 3);
        struct recorded_list b = runs_at(after, 6, k ? 50 : 3);
        assert_true(recorded_compare(&a, &b, RECORDED_TIME, &arena, &c[k], &err));
        assert_int_equal(c[k].verdict, VERDICT_UNDECIDED);
        assert_true(c[k].low < 1 && c[k].high > 1);
    }
    assert_close(c[0].high / c[0].low, c[1].high / c[1].low, 0.01);
    assert_true(c[1].answer.run_sd > 0.05);
}

/* One value a run is not a constant that differs: it varies as much as runs do. */
TEST(runs_of_one_value_are_samples)
{
    static const double before[] = {0.90, 1.10, 0.97, 1.05, 0.93, 1.04};
    static const double after[] = {0.91, 1.11, 0.98, 1.06, 0.94, 1.05};
    struct recorded_list a = runs_at(before, 6, 1);
    struct recorded_list b = runs_at(after, 6, 1);
    struct recorded_comparison c;
    struct error err = {0};
    assert_true(recorded_compare(&a, &b, RECORDED_TIME, &arena, &c, &err));
    assert_int_equal(c.verdict, VERDICT_UNDECIDED);
    assert_true(c.low < 0.95 && c.high > 1.05);
    assert_true(isnan(c.answer.run_sd));
}

/* In slices of one list: a copy of it for each task would be gigabytes. */
TEST(many_tasks_are_matched_in_little_memory)
{
    enum { TASKS = 20000 };
    struct recorded_list sides[2];
    for (size_t k = 0; k < 2; k++) {
        sides[k] = (struct recorded_list){arena_new(&arena, struct recorded, TASKS), TASKS};
        for (size_t i = 0; i < TASKS; i++) {
            sides[k].items[i] = (struct recorded){
                .task = arena_printf(&arena, "t%zu", k ? TASKS - i : i), .run = ""};
        }
    }
    struct arena own = arena_open();
    struct recorded_matches m = recorded_match(&sides[0], &sides[1], &own);
    assert_int_equal(m.count, TASKS - 1); /* t0 and t20000 have no partner */
    assert_false(m.is_all);
    for (size_t i = 0; i < m.count; i++) {
        assert_int_equal(m.items[i].side[0].count, 1);
        assert_string_equal(m.items[i].side[0].items->task, m.items[i].task);
        assert_string_equal(m.items[i].side[1].items->task, m.items[i].task);
    }
    assert_true((char *)m.items[1].side[0].items - (char *)m.items[0].side[0].items ==
                sizeof(struct recorded));
    arena_close(&own);
}

TEST(weeks_begin_on_monday)
{
    /* 2026-11-15 is a Sunday, 23:59:59 UTC; a second later it is Monday. */
    static const double durations[] = {1, 1};
    struct recorded_list list = list_of(durations, NULL, 2, 1794787199000000000, 1000000000);
    struct recorded_week *weeks = NULL;
    size_t count = 0;
    struct error err = {0};
    assert_true(recorded_weeks(&list, &arena, &weeks, &count, &err));
    assert_int_equal(count, 2);
    assert_string_equal(weeks[0].monday, "2026-11-09");
    assert_string_equal(weeks[1].monday, "2026-11-16");
    assert_null(weeks[1].told);
}

TEST(a_large_change_that_is_decided_is_told_both_ways)
{
    double durations[20];
    for (size_t i = 0; i < 20; i++) durations[i] = (i < 10 ? 2 : 1) + 0.01 * (double)(i % 5);
    const int64_t half_day = 43200000000000;
    struct recorded_list list = list_of(durations, NULL, 20, 1794182400000000000, half_day);
    struct recorded_week *weeks = NULL;
    size_t count = 0;
    struct error err = {0};
    /* Ten half days before and after 2026-11-09 (a Monday). */
    for (size_t i = 0; i < 20; i++) {
        list.items[i].at_ns = 1794182400000000000 + ((int64_t)i - 10) * half_day;
    }
    assert_true(recorded_weeks(&list, &arena, &weeks, &count, &err));
    assert_int_equal(count, 2);
    assert_string_equal(weeks[1].told, "improved");
    for (size_t i = 0; i < 20; i++) list.items[i].duration_s = 3 - durations[i];
    assert_true(recorded_weeks(&list, &arena, &weeks, &count, &err));
    assert_string_equal(weeks[1].told, "degraded");
}

int main(void)
{
    arena = arena_open();
    const struct CMUnitTest tests[] = {
        T(failures_do_not_enter_the_mean),
        T(improvement_is_positive_where_the_second_is_better),
        T(series_of_unequal_length_are_read_by_their_trials),
        T(costs_are_compared_by_their_means),
        T(tasks_are_matched_and_never_pooled),
        T(improvement_is_never_against_the_verdict),
        T(runs_count_once_however_many_values_they_have),
        T(runs_of_one_value_are_samples),
        T(many_tasks_are_matched_in_little_memory),
        T(weeks_begin_on_monday),
        T(a_large_change_that_is_decided_is_told_both_ways),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&arena);
    return failed;
}
