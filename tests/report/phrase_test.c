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

TEST_MAIN(T(the_first_failure_is_said_once),
          T(cells_share_a_unit_but_each_has_digits_that_fit_it))
