#include "base/param.h"

#include "tests/test.h"

static const char *const modes[] = {"fast", "slow", NULL};

struct config {
    int64_t n;
    double rate;
    bool on;
    const char *version;
    int mode;
    struct param_ints counts;
    struct param_reals radii;
    struct param_bools flags;
    struct param_texts words;
    struct param_ints chosen;
    struct param_command command;
    const struct value *open;
    const struct value *any;
};

#define AT(field) .offset = offsetof(struct config, field)

static const struct param rows[] = {
    {"n", PARAM_INT, AT(n), .required = true, .min = 1, .max = 1000, .help = "how many"},
    {"rate", PARAM_REAL, AT(rate), .fallback = "2.5", .min = 1, .unit = "1/s", .help = "speed"},
    {"on", PARAM_BOOL, AT(on), .fallback = "true"},
    {"version", PARAM_TEXT, AT(version), .fallback = "\"none\""},
    {"mode", PARAM_CHOICE, PARAM_TREATMENT, AT(mode), .fallback = "\"slow\"", .choices = modes},
    {"counts", PARAM_INT_LIST, AT(counts), .fallback = "[1,2]", .min = 0, .max = 9},
    {"radii", PARAM_REAL_LIST, AT(radii)},
    {"flags", PARAM_BOOL_LIST, AT(flags)},
    {"words", PARAM_TEXT_LIST, AT(words)},
    {"chosen", PARAM_CHOICE_LIST, AT(chosen), .choices = modes},
    {"command", PARAM_COMMAND, AT(command)},
    {"open", PARAM_MAP, AT(open)},
    {"any", PARAM_ANY, AT(any)},
};
static const struct param_table table = {rows, COUNT(rows)};

static const struct value *yaml(struct arena *a, const char *text)
{
    const struct value *v = NULL;
    struct value_error e;
    assert_true(value_read(str_of(text), &value_limits_spec, a, &v, &e));
    return v;
}

/* All problems, one a line; empty if there are none. */
static const char *check(const char *text)
{
    static char shown[2000];
    struct arena a = arena_open();
    struct problems p = {.arena = &a};
    bool right = param_check(table, yaml(&a, text), "experiment 'spin'", &p);
    assert_int_equal(right, p.total == 0);
    struct buf b;
    buf_over(&b, shown, sizeof shown);
    for (size_t i = 0; i < p.kept; i++) {
        buf_printf(&b, "%s%u:%u: %s", i ? "\n" : "", p.items[i].line, p.items[i].column,
                   p.items[i].text);
    }
    arena_close(&a);
    return shown;
}

TEST(every_problem_is_said_at_its_place)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"{n: 1}", ""},
        {"{n: 5.0, rate: 3, on: false, version: 1.10, mode: fast, counts: 3}", ""},
        {"{n: 1e2, command: [ls, 3], open: , any: [1]}", ""},
        {"{n: 0}", "1:5: 'n' must be at least 1 (is 0)"},
        {"{n: 1001}", "1:5: 'n' must be at most 1000 (is 1001)"},
        {"{n: 1.5}", "1:5: 'n' must be an integer (is 1.5)"},
        {"{n: '3'}", "1:5: 'n' must be an integer (is '3')"},
        {"{n: [3]}", "1:5: 'n' must be an integer (is a list)"},
        {"{n: }", "1:2: 'n' must be an integer (is null)"},
        {"{n: 1, rate: null, mode: ~, counts: null}", ""},
        {"{n: null}", "1:1: experiment 'spin' needs parameter 'n' (integer): how many"},
        {"{n: 1, rate: 0.5}", "1:14: 'rate' must be at least 1 (is 0.5)"},
        {"{n: 1, rate: 1e9}", ""},
        {"{n: 1, on: yes}", "1:12: 'on' must be true or false (is 'yes')"},
        {"{n: 1, version: {}}", "1:17: 'version' must be text (is a mapping)"},
        {"{n: 1, mode: fsat}",
         "1:14: 'mode' must be one of fast, slow (is 'fsat'; did you mean 'fast'?)"},
        {"{n: 1, mode: 7}", "1:14: 'mode' must be one of fast, slow (is 7)"},
        {"{n: 1, counts: [1, 10, x]}", "1:20: item 2 of 'counts' must be at most 9 (is 10)\n"
                                       "1:24: item 3 of 'counts' must be an integer (is 'x')"},
        {"{n: 1, counts: []}", "1:16: 'counts' must have at least one item (is an empty list)"},
        {"{n: 1, radii: [], words: []}", ""}, /* none by default, and so may they be */
        {"{n: 1, command: []}",
         "1:17: 'command' must be text (for the shell) or a list of words (is a list)"},
        {"{n: 1, open: 3}", "1:14: 'open' must be a mapping (is 3)"},
        {"{n: 1, raet: 3}",
         "1:8: unknown parameter 'raet' of experiment 'spin'; did you mean 'rate'?"},
        {"{n: 1, zzzzzzzz: 3}",
         "1:8: unknown parameter 'zzzzzzzz' of experiment 'spin'; it takes n, rate, on, "
         "version, "
         "mode, counts, radii, flags, words, chosen, command, open, any"},
        {"{}", "1:1: experiment 'spin' needs parameter 'n' (integer): how many"},
        {"[1]", "1:1: the parameters of experiment 'spin' must be a mapping (is a list)"},
        {"{n: 'a long text that goes on and on and on and on and on and on'}",
         "1:5: 'n' must be an integer (is 'a long text that goes on and on and on and...)"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(check(cases[i].in), cases[i].out);
    }
}

TEST(no_table_takes_none)
{
    struct arena a = arena_open();
    struct problems p = {.arena = &a};
    assert_false(
        param_check((struct param_table){0}, yaml(&a, "{x: 1}"), "instrument 'rusage'", &p));
    assert_string_equal(p.items[0].text,
                        "unknown parameter 'x' of instrument 'rusage'; it takes none");
    assert_true(param_check((struct param_table){0}, NULL, "x", &p));
    arena_close(&a);
}

TEST(values_arrive_as_their_c_types)
{
    struct arena a = arena_open();
    struct error e = {0};
    struct config c = {0};
    const struct value *v =
        yaml(&a, "{n: 1e2, rate: 3, on: false, version: 1.10, mode: fast, counts: [5, 6.0],\n"
                 "radii: 7, flags: [true, false], words: [a, 1.50, true], chosen: slow,\n"
                 "command: [echo, 007], open: {x: 1}, any: hello}");
    assert_true(param_read(table, v, &c, &a, &e));
    assert_int_equal(c.n, 100);
    assert_true(c.rate == 3.0);
    assert_false(c.on);
    assert_string_equal(c.version, "1.10");
    assert_int_equal(c.mode, 0);
    assert_true(c.counts.count == 2 && c.counts.items[0] == 5 && c.counts.items[1] == 6);
    assert_true(c.radii.count == 1 && c.radii.items[0] == 7.0);
    assert_true(c.flags.count == 2 && c.flags.items[0] && !c.flags.items[1]);
    assert_int_equal(c.words.count, 3);
    assert_string_equal(c.words.items[1], "1.50");
    assert_string_equal(c.words.items[2], "true");
    assert_true(c.chosen.count == 1 && c.chosen.items[0] == 1);
    assert_true(!c.command.shell && c.command.argc == 2 && !c.command.argv[2]);
    assert_string_equal(c.command.argv[1], "007");
    assert_non_null(value_get(c.open, "x"));
    assert_true(str_is(c.any->source, "hello"));
    arena_close(&a);
}

TEST(absent_rows_take_their_fallback)
{
    struct arena a = arena_open();
    struct error e = {0};
    struct config c = {0};
    assert_true(
        param_read(table, yaml(&a, "{n: 1, command: 'ls | wc', rate: null}"), &c, &a, &e));
    assert_true(c.rate == 2.5 && c.on && c.mode == 1);
    assert_string_equal(c.version, "none");
    assert_int_equal(c.counts.count, 2);
    assert_string_equal(c.command.shell, "ls | wc");
    assert_null(c.open);
    assert_int_equal(c.radii.count, 0);
    assert_false(param_read(table, yaml(&a, "{}"), &c, &a, &e));
    assert_string_equal(e.text, "parameter 'n' is missing");
    assert_false(param_read(table, yaml(&a, "{n: x}"), &c, &a, &e));
    arena_close(&a);
}

static const char *complete(const char *text)
{
    static char shown[1000];
    struct arena a = arena_open();
    struct buf b;
    buf_over(&b, shown, sizeof shown);
    struct json j;
    json_init(&j, &b, 0);
    json_value(&j, param_complete(table, yaml(&a, text), &a));
    arena_close(&a);
    return shown;
}

TEST(completed_maps_forget_spelling_and_order)
{
    const char *plain =
        "{\"n\":100,\"rate\":3,\"on\":true,\"version\":\"1.10\",\"mode\":\"slow\","
        "\"counts\":[5]}";
    assert_string_equal(complete("{n: 100, rate: 3, version: '1.10', counts: [5]}"), plain);
    assert_string_equal(complete("{counts: 5.0, version: 1.10, rate: 3.0, n: 1e2}"), plain);
}

TEST(fits_is_about_one_value)
{
    struct arena a = arena_open();
    struct error e = {0};
    const struct param *counts = param_find(table, S("counts"));
    assert_true(param_fits(counts, yaml(&a, "3"), &e));
    assert_true(param_fits(counts, yaml(&a, "[3, 4]"), &e));
    assert_false(param_fits(counts, yaml(&a, "[3, 40]"), &e));
    assert_string_equal(e.text, "item 2: must be at most 9 (is 40)");
    assert_false(param_fits(param_find(table, S("n")), yaml(&a, "[3]"), &e));
    assert_string_equal(e.text, "must be an integer (is a list)");
    assert_null(param_find(table, S("nn")));
    arena_close(&a);
}

TEST(schema_says_what_the_rows_say)
{
    struct buf b;
    buf_init(&b, 10000);
    struct json j;
    json_init(&j, &b, 0);
    param_write_schema((struct param_table){rows, 5}, &j);
    assert_string_equal(
        b.p, "{\"type\":\"object\",\"properties\":{"
             "\"n\":{\"description\":\"how "
             "many\",\"type\":\"integer\",\"minimum\":1,\"maximum\":1000},"
             "\"rate\":{\"description\":\"speed "
             "(1/s)\",\"default\":2.5,\"type\":\"number\",\"minimum\":1},"
             "\"on\":{\"default\":true,\"type\":\"boolean\"},"
             "\"version\":{\"default\":\"none\",\"type\":[\"string\",\"number\",\"boolean\"]},"
             "\"mode\":{\"default\":\"slow\",\"enum\":[\"fast\",\"slow\"]}},"
             "\"required\":[\"n\"],\"additionalProperties\":false}");
    buf_clear(&b);
    json_init(&j, &b, 0);
    param_write_schema(table, &j);
    struct arena a = arena_open();
    const struct value *v = NULL;
    struct error e;
    assert_true(value_read_json(buf_str(&b), &value_limits_spec, &a, &v, &e));
    assert_int_equal(value_get(v, "properties")->map.count, COUNT(rows));
    arena_close(&a);
    buf_release(&b);
}

TEST(a_flag_is_true_false_or_absent)
{
    static const struct param flag[] = {{"flag", PARAM_FLAG, .offset = 0}};
    static const struct {
        const char *yaml;
        enum param_flag read;
    } cases[] = {{"{}", PARAM_FLAG_ABSENT},
                 {"{flag: null}", PARAM_FLAG_ABSENT},
                 {"{flag: false}", PARAM_FLAG_FALSE},
                 {"{flag: true}", PARAM_FLAG_TRUE}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena a = arena_open();
        struct error err = {0};
        enum param_flag read = PARAM_FLAG_ABSENT;
        struct param_table one = {flag, 1};
        assert_true(param_read(one, yaml(&a, cases[i].yaml), &read, &a, &err));
        assert_int_equal(read, cases[i].read);
        assert_false(param_read(one, yaml(&a, "{flag: 3}"), &read, &a, &err));
        arena_close(&a);
    }
}

TEST_MAIN(T(a_flag_is_true_false_or_absent), T(every_problem_is_said_at_its_place),
          T(no_table_takes_none), T(values_arrive_as_their_c_types),
          T(absent_rows_take_their_fallback), T(completed_maps_forget_spelling_and_order),
          T(fits_is_about_one_value), T(schema_says_what_the_rows_say))
