/* Agents, suites, benchmarks and cases by name and by content. */
#include "tests/store/fixture.h"

static struct suite_record a_suite(const char *hash)
{
    return (struct suite_record){
        .name = "sums",
        .title = "Sums",
        .category = "accuracy",
        .version = "1.0",
        .content_hash = hash,
        .baseline_scores = "[]",
    };
}

TEST(a_registered_agent_outlives_what_runs_meet)
{
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    struct error err = {0};
    struct agent_record mine = {.name = "bc",
                                .kind = "process",
                                .version = "1",
                                .configuration = "{\"id\":\"bc\"}",
                                .is_registered = true};
    struct agent_record met = {.name = "bc", .kind = "noop", .configuration = "{}"};
    struct agent_record other = {.name = "calculator", .kind = "noop", .configuration = "{}"};
    OK(store_put_agent(store, &mine, &err));
    OK(store_put_agent(store, &met, &err));
    OK(store_put_agent(store, &other, &err));
    assert_string_equal(mine.id, met.id);

    struct agent_record got;
    OK(store_find_agent(store, "bc", &f.arena, &got, &err));
    assert_string_equal(got.kind, "process");
    assert_string_equal(got.configuration, mine.configuration);
    assert_true(got.is_registered);

    struct agent_record *list;
    size_t count;
    OK(store_list_agents(store, false, &f.arena, &list, &count, &err));
    assert_int_equal(count, 1);
    OK(store_list_agents(store, true, &f.arena, &list, &count, &err));
    assert_int_equal(count, 2);

    OK(store_remove_agent(store, "bc", &err));
    REFUSED(store_remove_agent(store, "bc", &err), ERROR_NOT_FOUND);
    OK(store_find_agent(store, "bc", &f.arena, &got, &err));
    assert_false(got.is_registered);
    REFUSED(store_find_agent(store, "calculater", &f.arena, &got, &err), ERROR_NOT_FOUND);
    assert_non_null(strstr(err.text, "did you mean 'calculator'"));
    store_close(store);
    fixture_close(&f);
}

TEST(an_agent_that_is_only_named_stays_defined)
{
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    struct error err = {0};
    struct agent_record met = {
        .name = "bc", .kind = "process", .version = "1", .configuration = "{\"id\":\"bc\"}"};
    struct agent_record recorded = {.name = "bc", .kind = "external", .version = "2"};
    struct agent_record got;
    OK(store_put_agent(store, &met, &err));
    OK(store_put_agent(store, &recorded, &err));
    OK(store_find_agent(store, "bc", &f.arena, &got, &err));
    assert_string_equal(got.kind, "process");
    assert_string_equal(got.configuration, met.configuration);
    assert_string_equal(got.version, "2");
    met.configuration = "{\"id\":\"bc\",\"version\":\"3\"}";
    OK(store_put_agent(store, &met, &err));
    OK(store_find_agent(store, "bc", &f.arena, &got, &err));
    assert_string_equal(got.configuration, met.configuration);
    store_close(store);
    fixture_close(&f);
}

TEST(another_content_is_another_suite)
{
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    struct error err = {0};
    struct suite_record one = a_suite("aaaa");
    struct suite_record two = a_suite("bbbb");
    one.is_registered = true;
    one.spec = "suite: {id: sums}\n";
    one.source = "/tmp/sums.yaml";
    OK(store_put_suite(store, &one, &err));
    OK(store_put_suite(store, &two, &err));
    assert_string_not_equal(one.id, two.id);

    struct suite_record got;
    OK(store_find_suite(store, "sums", &f.arena, &got, &err));
    assert_string_equal(got.id, one.id);
    assert_string_equal(got.spec, one.spec);
    struct suite_record again = a_suite("aaaa"); /* as a run meets it: keeps the text */
    OK(store_put_suite(store, &again, &err));
    OK(store_find_suite_by_id(store, one.id, &f.arena, &got, &err));
    assert_string_equal(got.spec, one.spec);
    assert_true(got.is_registered);

    two.is_registered = true; /* one content of a name at a time */
    OK(store_put_suite(store, &two, &err));
    struct suite_record *list;
    size_t count;
    OK(store_list_suites(store, false, &f.arena, &list, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(list[0].id, two.id);
    OK(store_remove_suite(store, "sums", &err));
    OK(store_list_suites(store, false, &f.arena, &list, &count, &err));
    assert_int_equal(count, 0);
    OK(store_list_suites(store, true, &f.arena, &list, &count, &err));
    assert_int_equal(count, 2);
    store_close(store);
    fixture_close(&f);
}

TEST(benchmarks_and_cases_come_back)
{
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    struct error err = {0};
    struct suite_record suite = a_suite("aaaa");
    char id[UUID_SIZE];
    store_benchmark_id(store, suite.name, "small", "cccc", id);
    suite.benchmarks = arena_printf(&f.arena, "[\"%s\"]", id);
    OK(store_put_suite(store, &suite, &err));
    struct benchmark_record b = {.name = "small",
                                 .test_type = "synthetic",
                                 .scoring_rubric = "\"numeric\"",
                                 .targets = "{\"duration_s\":0.1}",
                                 .cases = "[\"h1\",\"h2\"]",
                                 .content_hash = "cccc"};
    memcpy(b.suite_id, suite.id, sizeof b.suite_id);
    memcpy(b.id, id, sizeof b.id);
    struct benchmark_record other = b; /* under the same id, as a bundle might bring it */
    other.targets = "{\"duration_s\":1000}";
    other.scoring_rubric = "\"exact\"";
    OK(store_put_benchmark(store, &other, &err));
    OK(store_put_benchmark(store, &b, &err));
    struct benchmark_record *list;
    size_t count;
    OK(store_list_benchmarks(store, suite.id, &f.arena, &list, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(list[0].cases, b.cases);
    assert_string_equal(list[0].targets, b.targets);
    assert_string_equal(list[0].scoring_rubric, b.scoring_rubric);
    assert_null(list[0].constraints);
    struct benchmark_record got;
    OK(store_find_benchmark(store, b.id, &f.arena, &got, &err));
    assert_string_equal(got.suite_id, suite.id);
    REFUSED(store_find_benchmark(store, "x", &f.arena, &got, &err), ERROR_NOT_FOUND);

    struct case_record cases[] = {{.hash = "h1", .name = "1", .input = "\"1+1\""},
                                  {.hash = "h1", .name = "again", .input = "\"1+1\""},
                                  {.hash = "h2", .name = "2", .expected = "4"}};
    OK(store_put_cases(store, cases, COUNT(cases), &err));
    struct case_record c;
    OK(store_find_case(store, "h1", &f.arena, &c, &err));
    assert_string_equal(c.name, "1");
    assert_string_equal(c.input, "\"1+1\"");
    REFUSED(store_find_case(store, "h3", &f.arena, &c, &err), ERROR_NOT_FOUND);
    store_close(store);
    fixture_close(&f);
}

TEST(executions_come_by_when_they_were_measured)
{
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    struct error err = {0};
    static const int64_t days[] = {3, 1, 2}; /* as they are imported */
    for (size_t i = 0; i < COUNT(days); i++) {
        struct run_record run = a_run();
        run.started_ns = days[i] * INT64_C(86400000000000);
        OK(store_put_run(store, &run, &err));
        OK(store_place_imported(store, run.id, &err));
        struct execution_record e = an_execution(store, &run, 0);
        OK(store_put_execution(store, &e, &err));
    }
    struct execution_record *list;
    size_t count;
    OK(store_query_executions(store, &(struct execution_filter){0}, &f.arena, &list, &count,
                              &err));
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(list[i].start_ns / INT64_C(86400000000000), 3 - i);
    }
    store_close(store);
    fixture_close(&f);
}

TEST(executions_are_found_by_benchmark_and_status)
{
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    struct error err = {0};
    struct run_record run = a_run();
    OK(store_put_run(store, &run, &err));
    for (int i = 0; i < 3; i++) {
        struct execution_record e = an_execution(store, &run, i);
        e.status = i == 0 ? RUN_FAILED : RUN_SUCCESS;
        if (i == 2) e.provenance = "simulated";
        OK(store_put_execution(store, &e, &err));
    }
    struct execution_record some = an_execution(store, &run, 9);
    struct execution_record *list;
    size_t count;
    struct execution_filter filter = {.benchmark_id = some.benchmark_id};
    OK(store_query_executions(store, &filter, &f.arena, &list, &count, &err));
    assert_int_equal(count, 3);
    filter.is_success = true;
    OK(store_query_executions(store, &filter, &f.arena, &list, &count, &err));
    assert_int_equal(count, 2);
    filter.is_measured = true;
    OK(store_query_executions(store, &filter, &f.arena, &list, &count, &err));
    assert_int_equal(count, 1);
    filter.agent_id = "nobody";
    OK(store_query_executions(store, &filter, &f.arena, &list, &count, &err));
    assert_int_equal(count, 0);
    store_close(store);
    fixture_close(&f);
}

/* Names of any length count in full. */
TEST(benchmarks_of_suites_with_long_names_are_two)
{
    struct fixture f = fixture_open();
    struct store *store = open_store(f.url);
    char one[UUID_SIZE], other[UUID_SIZE], name[1001];
    memset(name, 'n', sizeof name);
    name[1000] = '\0';
    store_benchmark_id(store, name, "a", "cccc", one);
    store_benchmark_id(store, name, "b", "cccc", other);
    assert_string_not_equal(one, other);
    store_close(store);
    fixture_close(&f);
}

TEST_MAIN(T(benchmarks_of_suites_with_long_names_are_two),
          T(a_registered_agent_outlives_what_runs_meet),
          T(an_agent_that_is_only_named_stays_defined), T(another_content_is_another_suite),
          T(benchmarks_and_cases_come_back), T(executions_come_by_when_they_were_measured),
          T(executions_are_found_by_benchmark_and_status))
