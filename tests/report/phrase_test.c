#include "report/phrase.h"

#include "tests/report/fixture.h"
#include "tests/test.h"

static void expect_scale(const struct view *view, size_t cell, const char *wanted)
{
    char text[100];
    struct buf b;
    buf_over(&b, text, sizeof text);
    const struct view_metric *m = &view->cells[cell].metrics[0];
    struct human_scale scale = phrase_scale(view, m);
    phrase_quantity(&b, &scale, m->median);
    assert_string_equal(text, wanted);
}

TEST(cells_share_a_unit_but_each_has_digits_that_fit_it)
{
    struct arena a = arena_open();
    struct view *view = fixture_view(&a, (struct fixture_shape){2, 10, 1, 0.01});
    view->cells[0].metrics[0].median = 85.243e-6;
    view->cells[1].metrics[0].median = 20.2923e-3;
    expect_scale(view, 0, "0.08524 ms");
    expect_scale(view, 1, "20.29 ms");
    view->cells[1].metrics[0].median = 2.02923; /* too far apart for one unit */
    expect_scale(view, 0, "85.24 \u00b5s");
    expect_scale(view, 1, "2.029 s");
    arena_close(&a);
}

/* Whether the cell's own error has said it is known by what happened, not by its words. */
TEST(the_first_failure_is_said_once)
{
    struct arena a = arena_open();
    struct view *view = fixture_view(&a, (struct fixture_shape){1, 3, 1, 0.01});
    struct view_cell *cell = &view->cells[0];
    struct trial_note note = {.phase = PHASE_MEASURED, .status = TRIAL_FAILED, .error = "e"};
    cell->notes = &note;
    cell->note_count = 1;
    cell->record.counts.by_status[TRIAL_OK] = 2;
    cell->record.counts.by_status[TRIAL_FAILED] = 1;
    assert_ptr_equal(phrase_first_failure(cell), &note);
    cell->record.status = RUN_PARTIAL;
    cell->record.error_details = "interrupted"; /* has an "e" in it */
    assert_ptr_equal(phrase_first_failure(cell), &note);
    cell->record.status = RUN_FAILED;
    assert_ptr_equal(phrase_first_failure(cell), &note); /* the runner died */
    note_add(&cell->record.notes, &a, NOTE_STOPPED, S("stopped"));
    assert_null(phrase_first_failure(cell));
    cell->record.notes = (struct note_list){0};
    cell->record.counts.by_status[TRIAL_OK] = 0;
    assert_null(phrase_first_failure(cell));
    arena_close(&a);
}

/* One value of what is neither good nor bad is a value; the same in all trials is told once. */
TEST(what_never_changes_is_told_in_one_line)
{
    struct view_metric metrics[] = {
        {.name = "duration_s", .unit = "s", .direction = DIRECTION_LOWER, .n = 5},
        {.name = "rows", .unit = "1", .direction = DIRECTION_NONE, .n = 5, .min = 7, .max = 7},
        {.name = "share", .unit = "%", .direction = DIRECTION_NONE, .n = 1, .min = 3, .max = 3},
        {.name = "gaps", .unit = "1", .direction = DIRECTION_NONE, .n = 5, .min = 1, .max = 2},
        {.name = "none", .unit = "1", .direction = DIRECTION_NONE},
        {.name = "exit_code", .unit = "1", .direction = DIRECTION_NONE, .n = 5},
        {.name = "quiet", .unit = "1", .direction = DIRECTION_NONE, .n = 5, .is_hidden = true},
    };
    static const bool idle[] = {false, true, false, false, true, true, true};
    for (size_t i = 0; i < COUNT(metrics); i++) {
        metrics[i].median = metrics[i].centre = metrics[i].min;
        metrics[i].definition = "test/1";
        assert_int_equal(phrase_is_idle(&metrics[i]), idle[i]);
    }
    struct view_cell cell = {.metrics = metrics, .metric_count = COUNT(metrics)};
    struct view view = {.cells = &cell, .cell_count = 1};
    struct buf out;
    buf_init(&out, 1000);
    phrase_constants(&out, &view, &cell);
    assert_string_equal(out.p, "rows 7, exit_code 0");
    buf_release(&out);
}

TEST_MAIN(T(what_never_changes_is_told_in_one_line), T(the_first_failure_is_said_once),
          T(cells_share_a_unit_but_each_has_digits_that_fit_it))
