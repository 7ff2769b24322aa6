#include "model/cell.h"

#include "tests/json.h"
#include "tests/test.h"

static struct execution_record record(const char *parameters)
{
    struct execution_record e;
    execution_record_init(&e);
    e.experiment = "sort";
    e.parameters = from_json(parameters);
    snprintf(e.agent_id, sizeof e.agent_id, "agent-1");
    snprintf(e.benchmark_id, sizeof e.benchmark_id, "benchmark-1");
    return e;
}

TEST(parameters_count_by_value)
{
    static const char *const same[] = {"{\"n\":1,\"m\":{\"a\":2,\"b\":3}}",
                                       "{\"m\": {\"b\": 3.0, \"a\": 2}, \"n\": 1.0}"};
    struct execution_record a = record(same[0]);
    struct execution_record b = record(same[1]);
    assert_true(cell_is_same(&a, &b, CELL_SAME));
    b.parameters = from_json("{\"n\":2,\"m\":{\"a\":2,\"b\":3}}");
    assert_false(cell_is_same(&a, &b, CELL_SAME));
    assert_true(cell_is_same(&a, &b, CELL_SAME & ~CELL_WHAT));
    a.parameters = from_json("{\"n\":[1,{\"m\":2}]}");
    b.parameters = from_json("{\"n\":[1.0,{\"m\":2.0}]}");
    assert_true(cell_is_same(&a, &b, CELL_SAME));
    a.parameters = from_json("{\"n\":1e300}"); /* is no int64_t */
    b.parameters = from_json("{\"n\":2e300}");
    assert_false(cell_is_same(&a, &b, CELL_SAME));
    assert_true(cell_is_same(&a, &a, CELL_SAME));
}

TEST(each_part_tells_cells_apart)
{
    struct execution_record a = record("{}");
    struct execution_record others[5];
    for (size_t i = 0; i < COUNT(others); i++) others[i] = a;
    others[0].experiment = "search";
    snprintf(others[1].agent_id, sizeof others[1].agent_id, "agent-2");
    snprintf(others[2].benchmark_id, sizeof others[2].benchmark_id, "benchmark-2");
    others[3].concurrency = 4;
    others[4].agent_version = "2";
    static const unsigned parts[] = {CELL_WHAT, CELL_AGENT, CELL_BENCHMARK, CELL_LANES,
                                     CELL_VERSION};
    for (size_t i = 0; i < COUNT(others); i++) {
        for (size_t k = 0; k < COUNT(parts); k++) {
            assert_int_equal(cell_is_same(&a, &others[i], parts[k]), i != k);
        }
    }
    a.concurrency = 0; /* where nobody knows it is one */
    others[3].concurrency = 1;
    assert_true(cell_is_same(&a, &others[3], CELL_SAME));
}

TEST(a_given_name_is_what_a_cell_is)
{
    struct execution_record a = record("{\"command\":[\"/tmp/build-1/work\"]}");
    struct execution_record b = record("{\"command\":[\"/tmp/build-2/work\"]}");
    assert_false(cell_is_same(&a, &b, CELL_SAME));
    a.name = b.name = "work";
    assert_true(cell_is_same(&a, &b, CELL_SAME));
    b.name = "other";
    assert_false(cell_is_same(&a, &b, CELL_SAME));
    b.name = NULL;
    assert_false(cell_is_same(&a, &b, CELL_SAME));
}

TEST(a_parameter_can_be_left_out)
{
    struct execution_record a = record("{\"n\":1,\"parameters\":{\"x\":1,\"y\":2}}");
    struct execution_record b = record("{\"n\":1,\"parameters\":{\"x\":5,\"y\":2}}");
    const char *const x[] = {"parameters.x", NULL};
    const char *const whole[] = {"parameters", NULL};
    const char *const n[] = {"n", NULL};
    assert_string_equal(cell_identity_but(&a, CELL_SAME, x).hex,
                        cell_identity_but(&b, CELL_SAME, x).hex);
    assert_string_equal(cell_identity_but(&a, CELL_SAME, whole).hex,
                        cell_identity_but(&b, CELL_SAME, whole).hex);
    assert_string_not_equal(cell_identity_but(&a, CELL_SAME, n).hex,
                            cell_identity_but(&b, CELL_SAME, n).hex);
}

TEST(a_prompt_is_another_cell_and_its_text_another_version)
{
    struct execution_record a =
        record("{\"prompt\":\"short\",\"prompts\":{\"short\":\"Be brief.\"}}");
    struct execution_record b =
        record("{\"prompt\":\"short\",\"prompts\":{\"short\":\"Briefly.\",\"long\":\"...\"}}");
    a.experiment = b.experiment = "suite";
    a.agent_version = b.agent_version = "1";
    a.model_configuration = "{\"prompt_text\":\"Be brief.\"}";
    b.model_configuration = "{\"prompt_text\":\"Briefly.\"}";
    assert_true(cell_is_same(&a, &b, CELL_SAME));
    assert_false(cell_is_same(&a, &b, CELL_SAME | CELL_VERSION));
    b.parameters = from_json("{\"prompt\":\"long\",\"prompts\":{\"short\":\"Be brief.\"}}");
    assert_false(cell_is_same(&a, &b, CELL_SAME));
}

TEST(settings_are_flat)
{
    struct arena arena = arena_open();
    const struct value *map = NULL;
    size_t count = 0;
    assert_true(value_read_json(S("{\"a\":1,\"b\":{\"c\":2,\"d\":{\"e\":[3]}}}"),
                                &value_limits_spec, &arena, &map, NULL));
    const struct value_pair *pairs = cell_settings(map, &arena, &count);
    assert_int_equal(count, 3);
    assert_true(str_is(pairs[1].key, "b.c") && str_is(pairs[2].key, "b.d.e"));
    assert_null(cell_settings(NULL, &arena, &count));
    assert_int_equal(count, 0);
    arena_close(&arena);
}

#define COMMIT "1a2b3c4d5e6f708192a3b4c5d6e7f80912345678"

TEST(versions_are_stated_or_the_commit_or_the_run)
{
    struct arena arena = arena_open();
    struct execution_record e = record("{}");
    struct run_record run = {.id = "01a1e3a7-df6a-7123-8abc-0123456789ab"};
    struct run_record again = {.id = "01a1e3a7-df6a-7123-8abc-ba9876543210"};
    e.agent_version = "1.07";
    assert_string_equal(cell_version(&e, &run, true, &arena).shown, "1.07");
    struct cell_version none = cell_version(&e, &run, false, &arena);
    assert_true(none.is_run);
    assert_string_equal(none.shown, "run 0123456789ab");
    run.vcs = again.vcs = from_json("{\"commit\":\"" COMMIT "\",\"dirty\":false}");
    struct cell_version clean = cell_version(&e, &run, false, &arena);
    assert_string_equal(clean.shown, "commit 1a2b3c4d");
    assert_string_equal(clean.id, cell_version(&e, &again, false, &arena).id);
    run.vcs =
        from_json("{\"commit\":\"" COMMIT "\",\"dirty\":true,\"changes\":\"aabbccddeeff\"}");
    struct cell_version changed = cell_version(&e, &run, false, &arena);
    assert_string_equal(changed.shown, "commit 1a2b3c4d + changes aabbccdd");
    assert_string_not_equal(changed.id, clean.id);
    again.vcs = run.vcs;
    assert_string_equal(changed.id, cell_version(&e, &again, false, &arena).id);
    run.vcs = again.vcs = from_json("{\"commit\":\"" COMMIT "\",\"dirty\":true}");
    assert_string_not_equal(cell_version(&e, &run, false, &arena).id,
                            cell_version(&e, &again, false, &arena).id);
    arena_close(&arena);
}

TEST(another_configuration_is_another_version)
{
    struct arena arena = arena_open();
    struct run_record run = {.id = "01a1e3a7-df6a-7123-8abc-0123456789ab"};
    struct execution_record a = record("{}");
    struct execution_record b = record("{}");
    a.agent_version = b.agent_version = "1";
    a.model_configuration = "{\"model\":\"small\"}";
    b.model_configuration = "{\"model\":\"large\"}";
    assert_string_not_equal(cell_version(&a, &run, true, &arena).id,
                            cell_version(&b, &run, true, &arena).id);
    b.model_configuration = a.model_configuration;
    assert_string_equal(cell_version(&a, &run, true, &arena).id,
                        cell_version(&b, &run, true, &arena).id);
    arena_close(&arena);
}

TEST(metrics_compare_by_unit_definition_and_direction)
{
    struct metric a = {.name = "x", .unit = "s", .definition = "x/1", .direction = 1};
    struct metric b = a;
    assert_true(metric_is_comparable(&a, &b));
    b.unit = "ms";
    assert_int_equal(metric_unlike(&a, &b), METRIC_UNLIKE_UNIT);
    b = a;
    b.definition = "x/2";
    assert_int_equal(metric_unlike(&a, &b), METRIC_UNLIKE_DEFINITION);
    b = a;
    b.direction = DIRECTION_HIGHER;
    assert_int_equal(metric_unlike(&a, &b), METRIC_UNLIKE_DIRECTION);
    b = a;
    b.name = "y";
    assert_false(metric_is_comparable(&a, &b));
}

TEST_MAIN(T(parameters_count_by_value), T(each_part_tells_cells_apart),
          T(a_given_name_is_what_a_cell_is), T(a_parameter_can_be_left_out),
          T(a_prompt_is_another_cell_and_its_text_another_version), T(settings_are_flat),
          T(versions_are_stated_or_the_commit_or_the_run),
          T(another_configuration_is_another_version),
          T(metrics_compare_by_unit_definition_and_direction))
