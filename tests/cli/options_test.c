#include "cli/options.h"
#include "tests/test.h"

struct sample {
    bool force;
    bool all;
    const char *name;
    const char *resume;
    int64_t count;
    double limit;
    struct option_list sets;
    struct option_list scans;
};

static const struct option rows[] = {
    {"force", 'f', OPTION_FLAG, offsetof(struct sample, force), NULL, "h", false, 0},
    {"all", 'a', OPTION_FLAG, offsetof(struct sample, all), NULL, "h", false, 0},
    {"name", 'N', OPTION_TEXT, offsetof(struct sample, name), "NAME", "h", false, 0},
    {"resume", 0, OPTION_TEXT, offsetof(struct sample, resume), "RUN", "h", true, 0},
    {"count", 'n', OPTION_INT, offsetof(struct sample, count), "N", "h", false, 0},
    {"limit", 0, OPTION_REAL, offsetof(struct sample, limit), "S", "h", false, 0},
    {"set", 0, OPTION_LIST, offsetof(struct sample, sets), "K=V", "h", false, 0},
    {"scan", 'L', OPTION_LIST, offsetof(struct sample, scans), "VAR VALUES", "h", false, 2},
};

static const struct sample defaults = {.count = 7};

static const struct command command = {
    .name = "sample",
    .options = rows,
    .option_count = COUNT(rows),
    .options_size = sizeof(struct sample),
    .defaults = &defaults,
};

static struct arena arena;
static struct context context;
static struct error error;
static bool wants_help;

/* Parses the words up to NULL. */
static bool parse(const char *const *words)
{
    size_t count = 0;
    while (words[count]) count++;
    context = (struct context){.arena = &arena, .out = stderr};
    error = (struct error){0};
    wants_help = false;
    return options_parse(&command, words, count, &context, &wants_help, &error);
}

#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL})
#define OPTIONS    ((const struct sample *)context.options)

TEST(every_way_of_writing_a_value)
{
    assert_true(PARSE("--name", "a", "--count=3", "--limit=0.5"));
    assert_string_equal(OPTIONS->name, "a");
    assert_int_equal(OPTIONS->count, 3);
    assert_close(OPTIONS->limit, 0.5, 0);
    assert_true(PARSE("-n", "5", "-Nbob"));
    assert_int_equal(OPTIONS->count, 5);
    assert_string_equal(OPTIONS->name, "bob");
    assert_true(PARSE("-fan9"));
    assert_true(OPTIONS->force && OPTIONS->all);
    assert_int_equal(OPTIONS->count, 9);
    assert_true(PARSE("--name=", "--count", "1"));
    assert_string_equal(OPTIONS->name, "");
    assert_int_equal(OPTIONS->count, 1);
}

TEST(defaults_stand_until_overridden)
{
    assert_true(parse((const char *const[]){NULL}));
    assert_int_equal(OPTIONS->count, 7);
    assert_null(OPTIONS->name);
    assert_true(PARSE("-n1", "-n2"));
    assert_int_equal(OPTIONS->count, 2);
}

TEST(arguments_and_options_mix_until_the_dashes)
{
    assert_true(PARSE("a", "-f", "b", "-", "--", "--count", "-x"));
    assert_int_equal(context.arg_count, 5);
    assert_int_equal(context.dashes, 3);
    assert_string_equal(context.args[2], "-");
    assert_string_equal(context.args[3], "--count");
    assert_string_equal(context.args[4], "-x");
    assert_null(context.args[5]);
    assert_int_equal(OPTIONS->count, 7);
    assert_true(PARSE("a", "b"));
    assert_int_equal(context.dashes, 2);
}

TEST(lists_keep_all_uses)
{
    assert_true(PARSE("--set", "a=1", "--set=b=2", "-L", "x", "1,2", "-Ly", "3"));
    assert_int_equal(OPTIONS->sets.count, 2);
    assert_string_equal(OPTIONS->sets.items[1], "b=2");
    assert_int_equal(OPTIONS->scans.count, 4);
    assert_string_equal(OPTIONS->scans.items[1], "1,2");
    assert_string_equal(OPTIONS->scans.items[2], "y");
}

TEST(an_optional_argument_may_be_missing)
{
    assert_true(PARSE("spec", "--resume"));
    assert_string_equal(OPTIONS->resume, "");
    assert_true(PARSE("--resume", "-f"));
    assert_string_equal(OPTIONS->resume, "");
    assert_true(OPTIONS->force);
    assert_true(PARSE("--resume", "018f"));
    assert_string_equal(OPTIONS->resume, "018f");
    assert_true(PARSE("--resume=018f", "spec"));
    assert_int_equal(context.arg_count, 1);
}

TEST(mistakes_are_named)
{
    static const struct {
        const char *words[4];
        const char *message;
    } cases[] = {
        {{"--cuont", "1"}, "unknown option '--cuont'; did you mean '--count'?"},
        {{"--zzzzzz"}, "unknown option '--zzzzzz'"},
        {{"--jsno"}, "unknown option '--jsno'; did you mean '--json'?"},
        {{"-fz"}, "unknown option '-z'"},
        {{"--count", "x"}, "option '--count' needs a whole number (is 'x')"},
        {{"--count=1.5"}, "option '--count' needs a whole number (is '1.5')"},
        {{"--limit", "inf"}, "option '--limit' needs a number (is 'inf')"},
        {{"--count", "-3"}, "option '--count' must be at least 0 (is -3)"},
        {{"--limit=-0.5"}, "option '--limit' must be at least 0 (is -0.5)"},
        {{"--count"}, "option '--count' needs N"},
        {{"-L", "x"}, "option '--scan' needs VAR VALUES"},
        {{"-L", "x", "--"}, "option '--scan' needs VAR VALUES"},
        {{"--force=1"}, "option '--force' takes no value (has '1')"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_false(parse(cases[i].words));
        assert_int_equal(error.code, ERROR_INVALID);
        assert_string_equal(error.text, cases[i].message);
    }
}

TEST(common_options_reach_the_context)
{
    unsetenv("ASSAY_STORE");
    assert_true(PARSE("--json", "-q"));
    assert_true(context.json && context.quiet && !context.color);
    assert_string_equal(context.store_url, "sqlite:.assay/assay.db");
    setenv("ASSAY_STORE", "sqlite:/tmp/a.db", 1);
    assert_true(PARSE("x"));
    assert_string_equal(context.store_url, "sqlite:/tmp/a.db");
    assert_true(PARSE("--store", "sqlite:b.db"));
    assert_string_equal(context.store_url, "sqlite:b.db");
    assert_false(PARSE("--store", ""));
    assert_non_null(strstr(error.text, "is empty"));
    unsetenv("ASSAY_STORE");
}

TEST(help_stops_the_reading)
{
    assert_true(PARSE("-h", "--nonsense"));
    assert_true(wants_help);
    assert_true(PARSE("--", "-h"));
    assert_false(wants_help);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(every_way_of_writing_a_value),
        T(defaults_stand_until_overridden),
        T(arguments_and_options_mix_until_the_dashes),
        T(lists_keep_all_uses),
        T(an_optional_argument_may_be_missing),
        T(mistakes_are_named),
        T(common_options_reach_the_context),
        T(help_stops_the_reading),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    arena = arena_open();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&arena);
    return failed;
}
