#include "tests/test.h"
#include "view/result_file.h"

static struct view *view;
static struct error error;

static bool parse(const char *text)
{
    static struct arena arena;
    if (!arena.block) arena = arena_open();
    error = (struct error){0};
    return result_file_parse("r.json", str_of(text), &arena, &view, &error);
}

static const struct view_metric *metric(const char *name)
{
    for (size_t i = 0; i < view->cells[0].metric_count; i++) {
        if (strcmp(view->cells[0].metrics[i].name, name) == 0)
            return &view->cells[0].metrics[i];
    }
    fail_msg("no metric '%s'", name);
    return NULL;
}

TEST(iterations_become_samples)
{
    assert_true(parse("{\"name\":\"observation_flow\",\"run_id\":\"1DDXM87Q\","
                      "\"parameters\":{\"n\":3,\"f\":NaN},\"status\":\"success\","
                      "\"iteration_metrics\":["
                      "{\"index\":0,\"duration_s\":0.5,\"metrics\":{\"duration_s\":0.5,"
                      "\"observes_per_sec\":10,\"note\":\"Infinity \\\" NaN\"}},"
                      "{\"index\":1,\"duration_s\":0.25,\"metrics\":{\"observes_per_sec\":"
                      "Infinity,\"extra_ms\":-2e1}}]}"));
    const struct view_metric *d = metric("duration_s");
    assert_ptr_equal(d, &view->cells[0].metrics[0]);
    assert_int_equal(d->count, 2);
    assert_close(d->samples[1], 0.25, 0);
    assert_int_equal(d->direction, DIRECTION_LOWER);
    assert_string_equal(d->unit, "s");
    const struct view_metric *rate = metric("observes_per_sec");
    assert_int_equal(rate->direction, DIRECTION_HIGHER);
    assert_true(isnan(rate->samples[1]));
    assert_true(isnan(metric("extra_ms")->samples[0]));
    assert_string_equal(view->cells[0].record.experiment, "observation_flow");
    assert_string_equal(view->cells[0].record.provenance, "claimed");
    assert_int_equal(view->cells[0].record.counts.attempted, 2);
}

TEST(a_definition_of_theirs_is_not_ours)
{
    assert_true(parse("{\"name\":\"x\",\"iteration_metrics\":[{\"duration_s\":1}]}"));
    assert_string_not_equal(metric("duration_s")->definition, metric_duration.definition);
    assert_true(parse(
        "{\"schema\":\"assay.result/1\",\"name\":\"x\",\"iteration_metrics\":["
        "{\"duration_s\":1}],\"assay\":{\"label\":\"L\",\"group\":2,\"arm\":1,\"statuses\":"
        "[\"failed\"],\"summary\":{\"duration_s\":{\"unit\":\"s\",\"direction\":\"lower\","
        "\"definition\":\"duration/1\"}}}}"));
    assert_string_equal(metric("duration_s")->definition, "duration/1");
    assert_int_equal(view->cells[0].record.group_index, 2);
    assert_int_equal(view->cells[0].statuses[0], TRIAL_FAILED);
    assert_string_equal(view->cells[0].record.label, "L");
}

TEST(summaries_have_one_value_a_number)
{
    assert_true(
        parse("{\"writes\":{\"total_time\":2,\"sizes\":[1,2,3]},\"list\":[{\"a\":1}]}"));
    assert_int_equal(metric("writes.total_time")->n, 1);
    assert_int_equal(metric("writes.sizes")->n, 3);
    assert_int_equal(metric("list.0.a")->n, 1);
}

/* As `assay import` reads it: a cell for each entry of `results`. */
TEST(entries_of_a_summary_are_cells)
{
    assert_true(parse("{\"benchmark_name\":\"B\",\"results\":[{\"implementation\":\"kd\","
                      "\"entity_count\":100,\"build_ms\":2},{\"implementation\":\"quad\","
                      "\"entity_count\":100,\"build_ms\":3}]}"));
    assert_int_equal(view->cell_count, 2);
    assert_string_equal(view->cells[1].record.experiment, "B/quad/100");
    assert_int_equal(view->cells[1].record.cell_index, 1);
    const struct view_metric *m = view_find_metric(&view->cells[1], "build_ms");
    assert_close(m->median, 3, 0);
    assert_close(m->centre, 3, 0); /* as of a stored run */
}

TEST(what_is_no_result_is_said)
{
    assert_false(parse("[1,2]"));
    assert_false(parse("{\"a\":"));
    assert_false(parse("{\"a\":\"text\"}"));
    assert_non_null(strstr(error.text, "it has no numbers"));
    assert_false(parse(""));
}

TEST_MAIN(T(iterations_become_samples), T(a_definition_of_theirs_is_not_ours),
          T(summaries_have_one_value_a_number), T(entries_of_a_summary_are_cells),
          T(what_is_no_result_is_said))
