/* Slopes worked out by hand from the resident sets written here. */
#include "tests/test.h"
#include "view/view_internal.h"

enum { MOST = 64 };

/* A cell whose only metric is the resident set; NaN = that case failed. */
static struct view_cell cell_of(const double *mb, const uint32_t *segments, size_t n,
                                struct arena *a)
{
    struct view_cell cell = {.metrics = arena_new(a, struct view_metric, 2), .trial_count = n};
    struct series_record s = {.phase = PHASE_MEASURED,
                              .metric = "memory_resident_mb",
                              .unit = "MB",
                              .direction = DIRECTION_LOWER,
                              .definition = "memory_resident/1",
                              .samples = mb,
                              .count = n};
    static const uint32_t none[MOST];
    cell.segments = segments ? segments : none;
    view_summarise(&cell.metrics[cell.metric_count++], &s, a);
    view_grow(&cell, a);
    return cell;
}

static bool is_warned(const struct view_cell *cell)
{
    for (size_t i = 0; i < cell->metrics[0].warning_count; i++) {
        if (strstr(cell->metrics[0].warnings[i], "a leak")) return true;
    }
    return false;
}

/* 0.02 MB more with each of 16 cases, but case 7 borrows 3 MB for itself: its
 * pair (7, 15) says -3 + 0.16, the other seven 0.16 over 8 cases. */
TEST(a_leak_has_its_slope_and_one_odd_case_does_not_matter)
{
    struct arena a = arena_open();
    double mb[16];
    for (size_t i = 0; i < COUNT(mb); i++) mb[i] = 10 + 0.02 * (double)i;
    mb[7] += 3;
    struct view_cell cell = cell_of(mb, NULL, COUNT(mb), &a);
    assert_int_equal(cell.metric_count, 2);
    const struct view_metric *m = &cell.metrics[1];
    assert_string_equal(m->name, "memory_growth_mb");
    assert_int_equal(m->n, 8);
    assert_close(m->median, 20, 1e-9);
    assert_close(m->min, (0.16 - 3) * 1000 / 8, 1e-9);
    assert_close(m->median_high, 20, 1e-9);
    assert_true(m->is_of_trials);
    arena_close(&a);
}

TEST(growth_beyond_doubt_is_warned_of_and_its_absence_is_not)
{
    struct arena a = arena_open();
    double grows[20], stays[20];
    for (size_t i = 0; i < COUNT(grows); i++) {
        grows[i] = 10 + 0.5 * (double)i;
        stays[i] = 10 + (i % 3 == 0 ? 0.1 : 0); /* breathes */
    }
    struct view_cell leaky = cell_of(grows, NULL, COUNT(grows), &a);
    assert_close(leaky.metrics[1].median_low, 500, 1e-9);
    assert_true(is_warned(&leaky));
    struct view_cell tight = cell_of(stays, NULL, COUNT(stays), &a);
    assert_close(tight.metrics[1].median, 0, 1e-9);
    assert_true(tight.metrics[1].median_low <= 0);
    assert_false(is_warned(&tight));
    arena_close(&a);
}

/* Three processes: 12 cases, a failure, 12 cases, resumed, 4 (too few). The
 * second begins where the first began: pairs across would say less. */
TEST(a_process_that_was_replaced_begins_anew)
{
    struct arena a = arena_open();
    double mb[29];
    uint32_t segments[29] = {0};
    for (size_t i = 0; i < 12; i++) mb[i] = mb[13 + i] = 5 + (double)i;
    mb[12] = NAN;
    for (size_t i = 25; i < 29; i++) {
        mb[i] = 900;
        segments[i] = 1;
    }
    struct view_cell cell = cell_of(mb, segments, COUNT(mb), &a);
    const struct view_metric *m = &cell.metrics[1];
    assert_int_equal(m->n, 12);
    assert_close(m->min, 1000, 1e-9);
    assert_close(m->max, 1000, 1e-9);
    arena_close(&a);
}

TEST(few_cases_say_nothing)
{
    struct arena a = arena_open();
    double mb[11] = {0};
    struct view_cell cell = cell_of(mb, NULL, COUNT(mb), &a);
    assert_int_equal(cell.metric_count, 1);
    arena_close(&a);
}

TEST_MAIN(T(a_leak_has_its_slope_and_one_odd_case_does_not_matter),
          T(growth_beyond_doubt_is_warned_of_and_its_absence_is_not),
          T(a_process_that_was_replaced_begins_anew), T(few_cases_say_nothing))
