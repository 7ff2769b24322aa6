/* Importers: what becomes of foreign bytes. */
#include "base/os.h"
#include "interop/import.h"
#include "tests/json.h"

#include <time.h>

static struct arena arena;

static struct imported *read_as(const char *format, const char *text,
                                const struct import_options *options)
{
    static const struct import_options none = {0};
    struct error err = {0};
    struct imported *in = NULL;
    const struct importer *importer = importer_choose(format, str_of(text), &err);
    if (!importer) fail_msg("%s", err.text);
    if (!import_read(importer, str_of(text), options ? options : &none, &arena, &in, &err)) {
        fail_msg("%s", err.text);
    }
    return in;
}

static void refuses(const char *format, const char *text, const char *why)
{
    static const struct import_options none = {0};
    struct error err = {0};
    struct imported *in = NULL;
    const struct importer *importer = importer_find(str_of(format));
    assert_non_null(importer);
    if (import_read(importer, str_of(text), &none, &arena, &in, &err)) {
        fail_msg("read as %s: %s", format, text);
    }
    if (!strstr(err.text, why)) fail_msg("'%s' does not say '%s'", err.text, why);
}

static const struct imported_metric *metric_of(const struct imported_cell *cell,
                                               const char *name)
{
    for (size_t i = 0; i < cell->metric_count; i++) {
        if (strcmp(cell->metrics[i].metric.name, name) == 0) return &cell->metrics[i];
    }
    fail_msg("no metric %s in %s", name, cell->name);
    return NULL;
}

TEST(hyperfine_keeps_times_and_failures)
{
    const struct imported *in = read_as(
        NULL,
        "{\"results\":[{\"command\":\"a\",\"mean\":2,\"times\":[1,2,3],\"exit_codes\":[0,7,0],"
        "\"memory_usage_byte\":[1000000,2000000,3000000],\"parameters\":{\"n\":\"3\"}},"
        "{\"command\":\"b\",\"mean\":0.5}]}",
        NULL);
    assert_int_equal(in->cell_count, 2);
    const struct imported_cell *a = in->cells[0];
    assert_int_equal(a->trial_count, 3);
    const double *times = metric_of(a, "duration_s")->values;
    assert_true(times[0] == 1 && isnan(times[1]) && times[2] == 3);
    assert_true(metric_of(a, "failure_duration_s")->values[1] == 2);
    assert_true(metric_of(a, "memory_peak_mb")->values[2] == 3);
    assert_int_equal(a->statuses[1], TRIAL_FAILED);
    assert_string_equal(a->notes[0].error, "exit code 7");
    assert_true(value_equal(a->parameters, from_json("{\"n\":\"3\"}")));
    assert_false(a->is_claimed);
    assert_true(in->cells[1]->is_claimed);
    refuses("hyperfine", "{\"results\":3}", "no list 'results'");
    refuses("hyperfine", "{\"results\":[{\"mean\":1}]}", "results[0]");
}

TEST(google_benchmark_takes_repetitions_and_converts_units)
{
    const struct imported *in = read_as(
        NULL,
        "{\"context\":{\"date\":\"2021-05-05T10:00:00+02:00\",\"host_name\":\"h\"},"
        "\"benchmarks\":["
        "{\"name\":\"x\",\"run_type\":\"iteration\",\"iterations\":9,\"real_time\":3,"
        "\"cpu_time\":2,\"time_unit\":\"ms\",\"items_per_second\":7},"
        "{\"name\":\"x\",\"run_type\":\"iteration\",\"real_time\":4,\"cpu_time\":2,"
        "\"time_unit\":\"us\"},"
        "{\"name\":\"x_mean\",\"run_name\":\"x\",\"run_type\":\"aggregate\","
        "\"aggregate_name\":\"mean\",\"real_time\":3.5,\"cpu_time\":2,\"time_unit\":\"ns\"},"
        "{\"name\":\"y_median\",\"run_name\":\"y\",\"run_type\":\"aggregate\","
        "\"aggregate_name\":\"median\",\"repetitions\":5,\"real_time\":8,\"cpu_time\":8},"
        "{\"name\":\"z\",\"error_occurred\":true,\"error_message\":\"no\"}]}",
        NULL);
    assert_int_equal(in->cell_count, 3);
    assert_int_equal(in->started_ns, 1620201600000000000);
    const double *x = metric_of(in->cells[0], "duration_s")->values;
    assert_int_equal(in->cells[0]->trial_count, 2);
    assert_close(x[0], 3e-3, 1e-15);
    assert_close(x[1], 4e-6, 1e-15);
    assert_int_equal(metric_of(in->cells[0], "items_per_second")->metric.direction,
                     DIRECTION_HIGHER);
    assert_false(in->cells[0]->is_claimed);
    assert_string_equal(in->cells[1]->name, "z");
    assert_int_equal(in->cells[1]->statuses[0], TRIAL_FAILED);
    assert_true(in->cells[2]->is_claimed);
    assert_close(metric_of(in->cells[2], "duration_s")->values[0], 8e-9, 1e-18);
    assert_non_null(strstr(in->cells[2]->notes[0].detail, "\"n\":5"));
}

TEST(google_benchmark_reads_its_own_projects_files)
{
    static const char *const files[] = {"test1_run1.json", "test2_run.json", "test3_run0.json",
                                        "test5_run0.json"};
    for (size_t i = 0; i < COUNT(files); i++) {
        char name[100];
        snprintf(name, sizeof name, "importers/google_benchmark/%s", files[i]);
        const char *path = shared_data(name);
        if (!path) return;
        struct str bytes;
        struct error err = {0};
        assert_true(os_read_file(path, 1 << 20, &arena, &bytes, &err));
        const struct imported *in = read_as(NULL, bytes.p, NULL);
        if (i == 0) assert_int_equal(in->cell_count, 14);
        if (i == 2) assert_int_equal(in->cells[0]->trial_count, 2); /* BM_Two */
    }
}

TEST(pytest_benchmark_with_and_without_data)
{
    const struct imported *in =
        read_as(NULL,
                "{\"machine_info\":{\"node\":\"box\"},\"commit_info\":{\"id\":\"abc\","
                "\"branch\":\"main\",\"dirty\":true},\"datetime\":\"2024-01-01T00:00:00\","
                "\"benchmarks\":[{\"name\":\"t\",\"fullname\":\"f.py::t\",\"params\":{\"a\":1},"
                "\"stats\":{\"mean\":2,\"rounds\":3,\"data\":[1,2,3]}},"
                "{\"name\":\"u\",\"stats\":{\"mean\":2,\"rounds\":30}}]}",
                NULL);
    assert_string_equal(in->cells[0]->name, "f.py::t");
    assert_int_equal(in->cells[0]->trial_count, 3);
    assert_true(in->cells[1]->is_claimed);
    assert_non_null(strstr(in->cells[1]->notes[0].detail, "\"n\":30"));
    assert_true(value_equal(
        in->vcs, from_json("{\"commit\":\"abc\",\"branch\":\"main\",\"dirty\":true}")));
    assert_true(str_is(value_text(in->environment, "hostname"), "box"));
}

/* A trial without a value, or with an impossible one, would count as one that went well. */
TEST(pytest_benchmark_refuses_what_is_no_duration_and_names_that_are_there_twice)
{
#define ROWS(rows) "{\"machine_info\":{},\"benchmarks\":[" rows "]}"
#define ROW(stats) ROWS("{\"name\":\"t\",\"stats\":{" stats "}}")
    static const struct {
        const char *text, *says;
    } cases[] = {
        {ROW("\"data\":[1,-0.5]"), "benchmarks[0]: round 2: -0.5 s is not a duration"},
        {ROW("\"data\":[NaN,1]"), "benchmarks[0]: round 1: not a number of seconds"},
        {ROW("\"data\":[1,2,Infinity]"), "benchmarks[0]: round 3: not a number of seconds"},
        {ROW("\"data\":[\"1\",\"x\"]"), "benchmarks[0]: round 1: not a number of seconds"},
        {ROW("\"mean\":-5"),
         "benchmarks[0]: 'mean' (there is no 'data'): -5 s is not a duration"},
        {ROW(""), "benchmarks[0]: 'mean' (there is no 'data'): not a number of seconds"},
        {ROWS("{\"name\":\"t\"}"), "benchmarks[0]: it has no 'stats'"},
        {ROWS("{\"fullname\":\"t\",\"params\":{\"n\":1},\"stats\":{\"data\":[1]}},"
              "{\"fullname\":\"t\",\"params\":{\"n\":9},\"stats\":{\"data\":[9]}}"),
         "benchmarks[1]: there is a 't' before it; give each a 'fullname' of its own"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        refuses("pytest_benchmark", cases[i].text, cases[i].says);
    const struct imported *zero = read_as(NULL, ROW("\"data\":[0,0.5]"), NULL);
    assert_int_equal(zero->cells[0]->trial_count, 2); /* below the clock's step */
#undef ROW
#undef ROWS
}

TEST(agentfarm_survives_bare_infinity_and_flattens)
{
    const struct imported *in = read_as(
        NULL,
        "{\"name\":\"memory_db\",\"parameters\":{\"n\":1},\"iteration_metrics\":["
        "{\"index\":0,\"duration_s\":0.5,\"metrics\":{\"duration_s\":0.5,\"speedup\":Infinity,"
        "\"nan\":NaN,\"text\":\"NaN \\\" Infinity\",\"runs\":{\"ops_per_sec\":12}}},"
        "{\"index\":1,\"duration_s\":0.6,\"metrics\":{\"speedup\":-Infinity}}]}",
        NULL);
    const struct imported_cell *cell = in->cells[0];
    assert_int_equal(cell->trial_count, 2);
    assert_int_equal(cell->metric_count, 2);
    assert_true(metric_of(cell, "runs.ops_per_sec")->values[0] == 12);
    assert_true(metric_of(cell, "duration_s")->values[1] == 0.6);
}

TEST(our_own_result_files_keep_what_they_say)
{
    const struct imported *in = read_as(
        NULL,
        "{\"name\":\"suite\",\"iteration_metrics\":["
        "{\"index\":0,\"duration_s\":0.5,\"metrics\":{\"duration_s\":0.5,\"speed\":7}},"
        "{\"index\":1,\"duration_s\":null,\"metrics\":{\"speed\":null,\"cost_usd\":2}},"
        "{\"index\":2,\"duration_s\":null,\"metrics\":{\"speed\":8,\"left\":1}}],"
        "\"assay\":{\"provenance\":\"simulated\","
        "\"statuses\":[\"ok\",\"timed_out\",\"ok\"],\"summary\":{"
        "\"speed\":{\"unit\":\"km/h\",\"direction\":\"higher\",\"definition\":\"speed/1\"},"
        "\"cost_usd\":{\"unit\":\"USD\",\"direction\":\"lower\","
        "\"definition\":\"cost/1\"}}}}",
        NULL);
    const struct imported_cell *cell = in->cells[0];
    static const uint8_t statuses[] = {TRIAL_OK, TRIAL_TIMED_OUT, TRIAL_OK};
    assert_int_equal(cell->trial_count, 3);
    assert_memory_equal(cell->statuses, statuses, sizeof statuses);
    assert_int_equal(cell->note_count, 1);
    assert_int_equal(cell->notes[0].status, TRIAL_TIMED_OUT);
    const struct imported_metric *speed = metric_of(cell, "speed");
    assert_string_equal(speed->metric.unit, "km/h");
    assert_string_equal(speed->metric.definition, "speed/1");
    assert_int_equal(speed->metric.direction, DIRECTION_HIGHER);
    assert_true(speed->values[0] == 7 && isnan(speed->values[1]) && speed->values[2] == 8);
    assert_true(metric_of(cell, "cost_usd")->values[1] == 2); /* a failure costs, too */
    assert_string_equal(metric_of(cell, "left")->metric.definition, "agentfarm.metric/1");
    assert_true(cell->is_claimed); /* what was not measured does not become it */
    assert_non_null(strstr(cell->remarks[0], "simulated"));
}

TEST(agentfarm_scripts_are_claims)
{
    const struct imported *in =
        read_as(NULL,
                "{\"timestamps\":[\"2025-08-27T02:30:45.5\",\"2025-08-27T02:30:55.5\"],"
                "\"write_ops\":[10,20],\"notes\":[\"a\",\"b\"]}",
                NULL);
    assert_true(in->cells[0]->is_claimed);
    assert_true(metric_of(in->cells[0], "write_ops")->values[1] == 20);
    assert_close(in->cells[0]->starts_s[1], 10, 1e-9);
}

TEST(records_in_all_three_forms)
{
    static const char one[] = "{\"task\":\"t\",\"duration\":1.5,\"success\":true}";
    static const char list[] =
        "[{\"task\":\"t\",\"duration\":1.5,\"success\":true,\"timestamp\":1000000010},"
        "{\"task\":\"t\",\"duration\":9,\"success\":false,\"timestamp\":1000000000,"
        "\"metadata\":{\"k\":1},\"git_commit\":\"abc\"}]";
    static const char lines[] =
        "{\"task\":\"t\",\"duration\":1,\"success\":true,\"version\":\"v1\"}\n\n"
        "{\"task_description\":\"t\",\"execution_time\":2,\"success\":true,"
        "\"version\":\"v2\",\"agent_selected\":\"x\",\"cost_estimated\":0.5}\n";
    assert_int_equal(read_as(NULL, one, NULL)->cells[0]->trial_count, 1);
    const struct imported *in = read_as(NULL, list, NULL);
    const struct imported_cell *cell = in->cells[0];
    assert_string_equal(in->suite, "recorded");
    assert_int_equal(in->started_ns, 1000000000000000000);
    assert_close(cell->starts_s[0], 10, 1e-6);
    assert_true(isnan(metric_of(cell, "duration_s")->values[1]));
    assert_true(metric_of(cell, "failure_duration_s")->values[1] == 9);
    assert_string_equal(cell->notes[0].detail, "{\"k\":1,\"git_commit\":\"abc\"}");
    in = read_as(NULL, lines, NULL);
    assert_int_equal(in->cell_count, 2);
    assert_string_equal(in->cells[1]->agent, "x");
    assert_true(metric_of(in->cells[1], "cost_usd")->values[0] == 0.5);
    refuses("record", "{\"task\":\"t\",\"duration\":-1,\"success\":true}", "at least 0");
    refuses("record", "{\"task\":\"t\",\"duration\":1,\"success\":1}", "true or false");
    refuses("record", "{\"task\":\"\",\"duration\":1,\"success\":true}", "not empty");
    refuses("record", "[{\"task\":\"t\",\"duration\":1,\"success\":true},3]", "record 2");
}

TEST(hlog_merges_intervals_and_keeps_tags_apart)
{
    struct hdr h;
    struct error err = {0};
    struct buf log;
    buf_init(&log, 1 << 20);
    buf_text(&log,
             "#[Histogram log format version 1.3]\n"
             "#[StartTime: 1441812279.474 (seconds since epoch), x]\n\"StartTimestamp\"\n");
    for (int i = 0; i < 3; i++) {
        assert_true(hdr_init(&h, 1, 3600000000000, 3, &arena, &err));
        for (int64_t v = 1; v <= 1000; v++) assert_true(hdr_record(&h, v * 1000000, 1));
        buf_printf(&log, "%s%d.5,1.0,%.3f,", i == 2 ? "Tag=B," : "", i, (double)h.max / 1e6);
        hdr_encode(&h, &log);
        buf_add_char(&log, '\n');
    }
    const struct imported *in = read_as(NULL, log.p, NULL);
    buf_release(&log);
    assert_int_equal(in->cell_count, 2);
    assert_int_equal(in->cells[0]->histogram->total, 2000);
    assert_int_equal(in->cells[0]->histogram_count, 2);
    assert_string_equal(in->cells[1]->name, "hlog/B");
    assert_string_equal(in->cells[0]->histogram_metric.unit, "ns");
    assert_close(metric_of(in->cells[0], "latency_p50_s")->values[0], 0.5, 1e-3);
    assert_close((double)in->started_ns / 1e9, 1441812279.974, 1e-9);
    assert_close(in->cells[0]->starts_s[1], 1, 1e-9);
    refuses("hlog", "0,1,2,HISTFAAAxxxx\n", "line 1");
    refuses("hlog", "0,1\n", "line 1");
}

/* "start,length,max,histogram" of ten values around `value`, as the log's makers write it. */
static void put_interval(struct buf *log, int number, int64_t value, int64_t highest,
                         int digits, double max_unit)
{
    struct hdr h;
    struct error err = {0};
    assert_true(hdr_init(&h, 1, highest, digits, &arena, &err));
    for (int64_t i = 0; value && i < 10; i++) {
        assert_true(hdr_record(&h, value + 9 * i, 1));
    }
    buf_printf(log, "%d.5,1.0,%.3f,", number, (double)h.max / max_unit);
    hdr_encode(&h, log);
    buf_add_char(log, '\n');
}

TEST(hlog_has_one_unit_whatever_the_intervals)
{
    struct buf log;
    buf_init(&log, 1 << 20);
    put_interval(&log, 0, 12345, 3600000000000, 3, 1e6); /* 0.012: rounded by 3 % */
    put_interval(&log, 1, 300, 3600000000000, 3, 1e6);   /* 0.000 */
    put_interval(&log, 2, 0, 3600000000000, 3, 1e6);     /* nothing happened */
    const struct imported_cell *cell = read_as(NULL, log.p, NULL)->cells[0];
    assert_int_equal(cell->metric_count, 6);
    assert_string_equal(cell->histogram_metric.unit, "ns");
    assert_close(1e6 * metric_of(cell, "latency_p50_s")->values[0], 12.38, 1e-2);
    assert_close(1e9 * metric_of(cell, "latency_max_s")->values[1], 381, 1e-2);
    assert_true(isnan(metric_of(cell, "latency_max_s")->values[2]));
    assert_true(metric_of(cell, "count")->values[2] == 0);

    put_interval(&log, 3, 12345, 3600000000000, 3, 1e3); /* one that disagrees */
    cell = read_as(NULL, log.p, NULL)->cells[0];
    assert_string_equal(cell->histogram_metric.unit, "1");
    assert_close(metric_of(cell, "latency_max")->values[0], 12426, 1e-2);

    struct import_options kib = {.unit = "KiB"};
    cell = read_as(NULL, log.p, &kib)->cells[0];
    assert_string_equal(cell->histogram_metric.unit, "KiB");
    assert_string_equal(metric_of(cell, "latency_max")->metric.unit, "MB");
    assert_close(metric_of(cell, "latency_max")->values[0], 12426 * 1024e-6, 1e-2);
    buf_release(&log);
}

/* Counts cannot be added bucket by bucket: each goes where the middle of its bucket is. */
TEST(hlog_merges_unlike_precisions_by_value)
{
    for (int first = 1; first <= 3; first += 2) {
        struct buf log;
        buf_init(&log, 1 << 20);
        put_interval(&log, 0, 12345, 3600000000000, first, 1e6);
        put_interval(&log, 1, 500000, 3600000000000, 4 - first, 1e6);
        const struct imported_cell *cell = read_as(NULL, log.p, NULL)->cells[0];
        assert_int_equal(cell->histogram->digits, first);
        assert_int_equal(cell->histogram->total, 20);
        assert_int_equal(cell->remark_count, 1);
        assert_non_null(strstr(cell->remarks[0], "bucket middles"));
        assert_close((double)hdr_percentile(cell->histogram, 25), 12380, 0.05);
        assert_close((double)hdr_percentile(cell->histogram, 75), 500040, 0.05);
        buf_release(&log);
    }
}

TEST(two_columns_of_one_metric_are_refused)
{
    refuses("csv", "lat_s,lat_s\n1,2\n", "two columns give 'lat_s'");
    refuses("csv", "lat_ms,lat_s\n1,2\n", "two columns give 'lat_s'");
    refuses("jsonl", "{\"lat_us\":1,\"lat_ms\":2}\n", "(one is 'lat_ms')");
    read_as("csv", "lat_ms,lat_s\n1,\n,2\n", NULL); /* one at a time */
}

/* Found by name wherever they stand, and the agent and version are part of it. */
TEST(cells_are_told_apart_by_name_agent_and_version)
{
    struct imported in = {.arena = &arena};
    struct error err = {0};
    static const struct str none = {0};
    struct imported_cell *cells[300];
    for (size_t i = 0; i < COUNT(cells); i++) {
        cells[i] = imported_cell(&in, str_of(arena_printf(&arena, "b%zu", i / 3)),
                                 i % 3 ? S("a") : none, i % 3 == 2 ? S("1") : none, &err);
        assert_non_null(cells[i]);
    }
    assert_int_equal(in.cell_count, COUNT(cells));
    for (size_t i = COUNT(cells); i-- > 0;) {
        assert_ptr_equal(imported_cell(&in, str_of(arena_printf(&arena, "b%zu", i / 3)),
                                       i % 3 ? S("a") : none, i % 3 == 2 ? S("1") : none, &err),
                         cells[i]);
    }
    for (size_t i = in.cell_count; i < IMPORT_CELLS_MAX; i++) {
        assert_non_null(
            imported_cell(&in, str_of(arena_printf(&arena, "c%zu", i)), none, none, &err));
    }
    assert_null(imported_cell(&in, S("one more"), none, none, &err));
    assert_non_null(strstr(err.text, "split the file"));
    assert_ptr_equal(imported_cell(&in, S("b0"), none, none, &err), cells[0]);
}

TEST(csv_maps_columns_and_units)
{
    static const char text[] = "name,\"lat_ms\",note,at\r\n"
                               "a,1.5,\"x, \"\"y\"\"\",2024-01-01T00:00:00Z\r\n"
                               "b,3,,2024-01-01T00:00:01Z\n"
                               "a,,z,2024-01-01 00:00:02\n";
    struct import_options o = {.by = "name", .time = "at"};
    const struct imported *in = read_as(NULL, text, &o);
    assert_int_equal(in->cell_count, 2);
    const struct imported_metric *m = metric_of(in->cells[0], "lat_s");
    assert_string_equal(m->metric.unit, "s");
    assert_int_equal(m->metric.direction, DIRECTION_LOWER);
    assert_close(m->values[0], 1.5e-3, 1e-15);
    assert_true(isnan(m->values[1]));
    assert_close(in->cells[0]->starts_s[1], 2, 1e-9);
    refuses("csv", "a,b\n1\n", "row 1");
    refuses("csv", "0.5\n0.6\n", "the header has '0.5', which is a number");
    refuses("csv", "login,0.5\nlogin,0.6\n", "the first line must name the columns");
    refuses("csv", "a,b\nx,y\n", "has a number");
    refuses("csv", "a\n\"x", "is not closed");
}

TEST(csv_quotes)
{
    struct import_options o = {.by = "n"};
    const struct imported *in = read_as("csv",
                                        "n,v\n\"a \"\"b\"\"\",1\n\"\"\"\",2\n"
                                        "\"x\ny\",3\n\"\"\"q\",\"4\"",
                                        &o);
    static const char *const names[] = {"a \"b\"", "\"", "x\ny", "\"q"};
    assert_int_equal(in->cell_count, COUNT(names));
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_string_equal(in->cells[i]->name, names[i]);
        assert_close(in->cells[i]->metrics[0].values[0], (double)i + 1, 0);
    }
    refuses("csv", "n,v\n\"a\"\"", "is not closed");
    refuses("csv", "n,v\n\"a\" b,1\n", "text after a quoted field");
}

/* A quoted field costs what it is long, not what is left of the file: 60,000 rows
 * took 10 s of processor time. */
/* Seconds of processor time. */
static double read_quoted_csv(size_t rows)
{
    struct buf b;
    buf_init(&b, (size_t)8 << 20);
    buf_text(&b, "n,v\n");
    for (size_t i = 0; i < rows; i++) buf_printf(&b, "\"a benchmark\",\"%zu\"\n", i);
    clock_t begin = clock();
    const struct imported *in =
        read_as("csv", buf_str(&b).p, &(struct import_options){.by = "n"});
    double took_s = (double)(clock() - begin) / CLOCKS_PER_SEC;
    assert_int_equal(in->cells[0]->trial_count, rows);
    buf_release(&b);
    return took_s;
}

/* Six times the rows, not 36 times the time. */
TEST(csv_of_quoted_fields_takes_time_as_its_length)
{
    double few_s = read_quoted_csv(10000);
    assert_true(read_quoted_csv(60000) < 15 * few_s + 0.2);
}

TEST(a_stamp_at_the_end_of_time_is_refused)
{
    int64_t ns = 0;
    assert_true(import_stamp(S("2262-04-11T23:47:16.5Z"), &ns));
    assert_false(import_stamp(S("2262-04-11T23:47:16.9Z"), &ns));
    assert_false(import_stamp(S("2262-04-11T23:47:16-01:00"), &ns));
}

TEST(jsonl_numbers_are_metrics)
{
    struct import_options o = {.by = "n", .unit = "ms", .direction = "higher"};
    const struct imported *in =
        read_as(NULL, "{\"n\":\"q\",\"v\":2}\n{\"n\":\"q\",\"v\":4,\"t\":\"no\"}\n", &o);
    const struct imported_metric *m = metric_of(in->cells[0], "v_s");
    assert_close(m->values[1], 4e-3, 1e-15);
    assert_int_equal(m->metric.direction, DIRECTION_HIGHER);
    refuses("jsonl", "{\"a\":1}\n[1]\n", "line 2");
}

static enum kind kind_of(const struct imported *in, size_t cell, const char *metric)
{
    return metric_of(in->cells[cell], metric)->metric.kind;
}

TEST(a_column_is_of_one_kind_in_all_benchmarks)
{
    struct import_options o = {.by = "n"};
    const struct imported *in = read_as("csv",
                                        "n,speedup,ok,errors,wait_s,paid_usd\n"
                                        "a,0.498,1,0,1,1\na,0.419,0,0,1,0\n"
                                        "b,0.7,1,0,1,2\nb,0.9,1,3,1,1\n",
                                        &o);
    for (size_t c = 0; c < 2; c++) {
        assert_int_equal(kind_of(in, c, "speedup"), KIND_RATIO); /* below 1, and no share */
        assert_int_equal(kind_of(in, c, "ok"), KIND_SHARE);
        assert_int_equal(kind_of(in, c, "errors"), KIND_SHIFT); /* a has nothing but zeros */
        assert_int_equal(kind_of(in, c, "wait_s"), KIND_RATIO); /* seconds, each of them 1 */
        assert_int_equal(kind_of(in, c, "paid_usd"), KIND_SUM);
    }
    o.kind = "share";
    in = read_as("csv", "n,score\na,0.5\na,0.75\n", &o);
    assert_int_equal(kind_of(in, 0, "score"), KIND_SHARE);
}

TEST(a_stated_kind_is_another_reading)
{
    struct import_options o = {0};
    char plain[SHA256_HEX_SIZE];
    char stated[SHA256_HEX_SIZE];
    const struct importer *csv = importer_find(S("csv"));
    import_hash(csv, &o, NULL, NULL, S("a\n1\n"), plain);
    o.kind = "ratio";
    import_hash(csv, &o, NULL, NULL, S("a\n1\n"), stated);
    assert_string_not_equal(plain, stated);
}

TEST(what_is_written_reads_back_once)
{
    struct error err = {0};
    const char *dir = NULL;
    struct store *store = NULL;
    struct store_options how = {.create = true};
    assert_true(os_make_temp_dir("assay-import", &arena, &dir, &err));
    assert_true(store_open(arena_printf(&arena, "%s/a.db", dir), &how, &store, &err));
    const struct imported *in = read_as(
        NULL,
        "[{\"task\":\"t\",\"duration\":1.5,\"success\":true,\"version\":\"v1\",\"cost\":2},"
        "{\"task\":\"t\",\"duration\":2,\"success\":false,\"version\":\"v1\"}]",
        NULL);
    struct import_origin origin = {.hash = "abc", .path = "x.json"};
    struct run_record run;
    struct run_record again;
    bool is_new = false;
    assert_true(import_write(store, in, &origin, &arena, &run, &is_new, &err));
    assert_true(is_new);
    assert_true(import_write(store, in, &origin, &arena, &again, &is_new, &err));
    assert_false(is_new);
    assert_string_equal(run.id, again.id);
    struct execution_record *e = NULL;
    struct series_record *series = NULL;
    size_t count = 0;
    assert_true(store_list_executions(store, run.id, &arena, &e, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(e[0].agent_version, "v1");
    assert_int_equal(e[0].counts.by_status[TRIAL_FAILED], 1);
    assert_close(e[0].scores[SCORE_RELIABILITY], 0.5, 0);
    assert_close(e[0].cost_usd, 2, 0);
    assert_true(store_list_series(store, e[0].id, &arena, &series, &count, &err));
    assert_int_equal(count, 3 + 3); /* ours, and the three about trials */
    const struct series_record *cost = series_find(series, count, PHASE_MEASURED, "cost_usd");
    assert_int_equal(cost->kind, KIND_SUM);
    store_close(store);
    os_remove_tree(dir);
}

int main(void)
{
    arena = arena_open();
    const struct CMUnitTest tests[] = {
        T(hyperfine_keeps_times_and_failures),
        T(google_benchmark_takes_repetitions_and_converts_units),
        T(google_benchmark_reads_its_own_projects_files),
        T(pytest_benchmark_with_and_without_data),
        T(pytest_benchmark_refuses_what_is_no_duration_and_names_that_are_there_twice),
        T(agentfarm_survives_bare_infinity_and_flattens),
        T(our_own_result_files_keep_what_they_say),
        T(agentfarm_scripts_are_claims),
        T(records_in_all_three_forms),
        T(hlog_merges_intervals_and_keeps_tags_apart),
        T(hlog_has_one_unit_whatever_the_intervals),
        T(hlog_merges_unlike_precisions_by_value),
        T(csv_maps_columns_and_units),
        T(two_columns_of_one_metric_are_refused),
        T(cells_are_told_apart_by_name_agent_and_version),
        T(csv_quotes),
        T(csv_of_quoted_fields_takes_time_as_its_length),
        T(a_stamp_at_the_end_of_time_is_refused),
        T(jsonl_numbers_are_metrics),
        T(a_column_is_of_one_kind_in_all_benchmarks),
        T(a_stated_kind_is_another_reading),
        T(what_is_written_reads_back_once),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&arena);
    return failed;
}
