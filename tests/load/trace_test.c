#include "load/trace.h"

#include "tests/test.h"

static struct arena arena;
static struct error err;

static struct trace parsed(const char *csv, const char *column, double time_scale)
{
    struct trace t;
    err = (struct error){0};
    struct trace_options o = {.column = column, .time_scale = time_scale};
    if (!trace_parse(&t, str_of(csv), &o, &arena, &err)) return (struct trace){0};
    return t;
}

TEST(times_of_both_kinds_in_any_order_and_scaled)
{
    arena = arena_open();
    struct trace t = parsed("time\n10.5\n10\n12\n", NULL, 1);
    assert_int_equal(t.count, 3);
    assert_close(t.at_s[0], 0, 0);
    assert_close(t.at_s[1], 0.5, 1e-9);
    assert_close(t.at_s[2], 2, 1e-9);
    t = parsed("1\n2\n", NULL, 0.1); /* a first line that is a moment is one */
    assert_int_equal(t.count, 2);
    assert_close(t.at_s[1], 0.1, 1e-12);
    t = parsed("id,\"when, it was\"\r\n1,2023-11-16 23:59:59.9799600\r\n"
               "2,\"2023-11-17T00:00:01.0000001Z\"\r\n",
               "when, it was", 2);
    assert_int_equal(t.count, 2);
    assert_close(t.at_s[1], 2 * 1.0200401, 1e-9);
    t = parsed("a,b\n1,\n2,7\n3\n\n", "b", 1); /* without a time there is no request */
    assert_int_equal(t.count, 1);
    arena_close(&arena);
}

TEST(what_is_not_a_trace_is_refused_with_its_place)
{
    static const struct {
        const char *csv, *column, *says;
    } rows[] = {
        {"", NULL, "has no moment"},
        {"time\n", NULL, "has no moment"},
        {"time\n1\nsoon\n", NULL, "row 3: 'soon' is not a time"},
        {"time\n1e300\n", NULL, "row 2: '1e300' is not a time"},
        {"time\n1\n", "when", "no column 'when'"},
        {"time\n\"1\n", NULL, "row 2: a quote is not closed"},
        {"time\n\"1\"x\n", NULL, "row 2: a quote is not closed, or text follows it"},
        {"time\n2023-13-45 99:00:00\n", NULL, "row 2: '2023-13-45 99:00:00' is not a time"},
    };
    arena = arena_open();
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct trace t = parsed(rows[i].csv, rows[i].column, 1);
        if (t.count > 0 || !strstr(err.text, rows[i].says))
            fail_msg("row %zu: %s", i, err.text);
        assert_int_equal(err.code, ERROR_INVALID);
    }
    arena_close(&arena);
}

/* A trace of requests to a language model; what is known of it was counted with awk. */
TEST(a_real_trace)
{
    const char *file = shared_data("series/AzureLLMInferenceTrace_code.csv");
    if (!file) return;
    arena = arena_open();
    struct trace t;
    struct trace_options o = {.column = "TIMESTAMP", .time_scale = 1};
    if (!trace_read(&t, file, &o, &arena, &err)) fail_msg("%s", err.text);
    assert_int_equal(t.count, 8819);
    assert_close(t.at_s[1], 0.052, 1e-9);
    for (size_t i = 1; i < t.count; i++) assert_true(t.at_s[i] >= t.at_s[i - 1]);
    double length_s = t.at_s[t.count - 1];
    o.time_scale = 0.01;
    assert_true(trace_read(&t, file, &o, &arena, &err));
    assert_close(t.at_s[t.count - 1], length_s / 100, 1e-6);
    arena_close(&arena);
}

TEST_MAIN(T(times_of_both_kinds_in_any_order_and_scaled),
          T(what_is_not_a_trace_is_refused_with_its_place), T(a_real_trace))
