/* The result file of a cell has the 12 keys of the AgentFarm format, in their
 * types, whatever the run holds. */
#include "report/report.h"
#include "tests/report/fixture.h"
#include "tests/test.h"

static const struct value_limits limits = {REPORT_MAX_BYTES, 64, 1000000};

static const struct value *result_of(struct arena *a, const struct view *view, size_t cell)
{
    struct buf b;
    buf_init(&b, REPORT_MAX_BYTES);
    report_write_result(view, &view->cells[cell], &b);
    const struct value *root = NULL;
    struct error err = {0};
    if (!value_read_json(str_copy(a, buf_str(&b)), &limits, a, &root, &err)) {
        fail_msg("%s", err.text);
    }
    buf_release(&b);
    return root;
}

TEST(the_twelve_keys_have_their_types)
{
    static const struct {
        const char *key;
        enum value_kind kind;
    } keys[] = {
        {"name", VALUE_TEXT},       {"run_id", VALUE_TEXT}, {"parameters", VALUE_MAP},
        {"iterations", VALUE_MAP},  {"metrics", VALUE_MAP}, {"iteration_metrics", VALUE_LIST},
        {"environment", VALUE_MAP}, {"vcs", VALUE_MAP},     {"artifacts", VALUE_LIST},
        {"tags", VALUE_LIST},       {"notes", VALUE_TEXT},  {"status", VALUE_TEXT},
    };
    struct arena a = arena_open();
    struct view *view = fixture_ordinary(&a);
    const struct value *root = result_of(&a, view, 0);
    for (size_t i = 0; i < COUNT(keys); i++) {
        const struct value *v = value_get(root, keys[i].key);
        if (!v || v->kind != keys[i].kind) fail_msg("%s", keys[i].key);
    }
    assert_int_equal(root->map.count, COUNT(keys) + 2);
    assert_true(str_is(value_get(root, "schema")->source, "assay.result/1"));
    assert_int_equal(value_get(root, "assay")->kind, VALUE_MAP);
    arena_close(&a);
}

TEST(numbers_are_those_of_the_view)
{
    struct arena a = arena_open();
    struct view *view = fixture_ordinary(&a);
    const struct value *root = result_of(&a, view, 1);
    const struct view_cell *cell = &view->cells[1];
    for (size_t m = 0; m < cell->metric_count; m++) {
        const struct value *s = value_get(value_get(root, "metrics"), cell->metrics[m].name);
        assert_int_equal(s->map.count, 4);
        assert_true(value_number(value_get(s, "mean")) == cell->metrics[m].mean);
        assert_true(value_number(value_get(s, "p50")) == cell->metrics[m].median);
        assert_true(value_number(value_get(s, "p95")) == cell->metrics[m].p95);
        assert_true(value_number(value_get(s, "p99")) == cell->metrics[m].p99);
    }
    const struct value *list = value_get(root, "iteration_metrics");
    assert_int_equal(list->list.count, 50);
    for (size_t t = 0; t < 50; t++) {
        const struct value *it = list->list.items[t];
        assert_int_equal(it->map.count, 3);
        assert_int_equal(value_get(it, "index")->integer, t);
        assert_true(value_number(value_get(it, "duration_s")) == cell->metrics[0].samples[t]);
        assert_true(value_number(value_get(value_get(it, "metrics"), "peak_mb")) ==
                    cell->metrics[1].samples[t]);
    }
    const struct value *n = value_get(root, "iterations");
    assert_int_equal(value_get(n, "warmup")->integer, 3);
    assert_int_equal(value_get(n, "measured")->integer, 50);
    assert_true(str_is(value_get(root, "run_id")->source, view->run.id));
    assert_true(str_is(value_get(root, "status")->source, "success"));
    arena_close(&a);
}

/* Each at its trial, once; those of the warm-up are left out. */
TEST(a_detail_is_with_its_trial)
{
    struct arena a = arena_open();
    struct view *view = fixture_ordinary(&a);
    struct trial_note notes[] = {
        {.trial = 2, .phase = PHASE_MEASURED, .detail = "{\"runs\":[7]}"},
        {.trial = 4, .phase = PHASE_MEASURED},
        {.trial = 5, .phase = PHASE_MEASURED, .detail = "{\"runs\":[8]}"},
        {.trial = 6, .phase = PHASE_WARMUP, .detail = "{\"runs\":[9]}"},
    };
    view->cells[1].notes = notes;
    view->cells[1].note_count = COUNT(notes);
    const struct value *list = value_get(result_of(&a, view, 1), "iteration_metrics");
    for (size_t t = 0; t < 50; t++) {
        const struct value *detail = value_get(list->list.items[t], "detail");
        assert_int_equal(detail != NULL, t == 2 || t == 5);
        if (!detail) continue;
        const struct value *runs = value_get(detail, "runs");
        assert_int_equal(runs->list.items[0]->integer, t == 2 ? 7 : 8);
    }
    arena_close(&a);
}

TEST(a_failed_trial_keeps_its_place_with_null)
{
    struct arena a = arena_open();
    const struct value *root = result_of(&a, fixture_failed(&a), 1);
    const struct value *list = value_get(root, "iteration_metrics");
    assert_int_equal(list->list.count, 12);
    assert_int_equal(value_get(list->list.items[3], "duration_s")->kind, VALUE_NULL);
    const struct value *summary = value_get(value_get(root, "metrics"), "duration_s");
    assert_int_equal(value_get(summary, "mean")->kind, VALUE_NULL);
    const struct value *trials = value_get(value_get(root, "assay"), "trials");
    assert_int_equal(value_get(trials, "timed_out")->integer, 12);
    arena_close(&a);
}

TEST(every_run_gives_valid_results)
{
    for (size_t f = 0; f < COUNT(fixtures); f++) {
        struct arena a = arena_open();
        struct view *view = fixtures[f].make(&a);
        for (size_t c = 0; c < view->cell_count; c++) {
            const struct value *root = result_of(&a, view, c);
            assert_int_equal(value_get(value_get(root, "vcs"), "dirty")->kind, VALUE_BOOL);
            assert_int_equal(value_get(value_get(root, "vcs"), "commit")->kind, VALUE_TEXT);
        }
        arena_close(&a);
    }
}

TEST_MAIN(T(the_twelve_keys_have_their_types), T(numbers_are_those_of_the_view),
          T(a_detail_is_with_its_trial), T(a_failed_trial_keeps_its_place_with_null),
          T(every_run_gives_valid_results))
