#include "cli/options.h"

#include "base/clock.h"
#include "tests/test.h"

#include <math.h>

struct sample {
    bool force;
    bool all;
    const char *name;
    const char *resume;
    int64_t count;
    double limit;
    struct param_texts sets;
    struct param_texts scans;
    int level;
    struct param_ints colors;
    double share;
    struct param_shares limits;
    int64_t since_ns;
    double age_s;
};

#define AT(field) .offset = offsetof(struct sample, field), .help = "h"

static const char *const levels[] = {"low", "high", NULL};
static const char *const colors[] = {"red", "green", "blue", NULL};

static const struct param rows[] = {
    {.name = "force", .letter = 'f', .type = PARAM_BOOL, AT(force)},
    {.name = "all", .letter = 'a', .type = PARAM_BOOL, AT(all)},
    {.name = "name", .letter = 'N', .type = PARAM_TEXT, AT(name), .argument = "NAME"},
    {.name = "resume", .type = PARAM_SELECTOR, AT(resume), .is_optional = true},
    {.name = "count",
     .letter = 'n',
     .type = PARAM_INT,
     AT(count),
     .fallback = "7",
     .max = INFINITY},
    {.name = "limit", .type = PARAM_REAL, AT(limit), .max = INFINITY},
    {.name = "set", .type = PARAM_TEXT_LIST, AT(sets)},
    {.name = "scan",
     .letter = 'L',
     .type = PARAM_TEXT_LIST,
     AT(scans),
     .argument = "VAR VALUES",
     .takes = 2},
    {.name = "level",
     .type = PARAM_CHOICE,
     AT(level),
     .choices = levels,
     .fallback = "\"high\""},
    {.name = "color",
     .type = PARAM_CHOICE_LIST,
     AT(colors),
     .choices = colors,
     .argument = "COLORS"},
    {.name = "alpha",
     .type = PARAM_SHARE,
     AT(share),
     .fallback = "0.05",
     .max = 0.5,
     .open = true},
    {.name = "threshold", .type = PARAM_SHARE_LIST, AT(limits), .max = INFINITY, .open = true},
    {.name = "since", .type = PARAM_MOMENT, AT(since_ns)},
    {.name = "older-than", .type = PARAM_SPAN, AT(age_s), .max = 9e9},
};

static const struct command command = {
    .name = "run", /* the one that answers hyperfine's options */
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct sample),
};

static const struct command_argument arguments[] = {
    {.offset = offsetof(struct sample, name)},
    {.offset = offsetof(struct sample, resume), .is_optional = true, .fallback = "latest"},
};

static struct command taking = {
    .name = "take",
    .params = {rows, COUNT(rows)},
    .config_size = sizeof(struct sample),
    .takes = "a name and perhaps a run",
    .arguments = arguments,
    .argument_count = COUNT(arguments),
};

static struct arena arena;
static struct context context;
static struct error error;
static bool wants_help;

/* Parses the words up to NULL. */
static bool parse_as(const struct command *as, const char *const *words)
{
    size_t count = 0;
    while (words[count]) count++;
    context = (struct context){.arena = &arena, .out = stderr};
    error = (struct error){0};
    wants_help = false;
    return options_parse(as, words, count, &context, &wants_help, &error);
}

static bool parse(const char *const *words)
{
    return parse_as(&command, words);
}

#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL})
#define TAKE(...)  parse_as(&taking, (const char *const[]){__VA_ARGS__, NULL})
#define OPTIONS    ((const struct sample *)context.options)

TEST(arguments_go_where_the_command_says)
{
    assert_true(TAKE("a", "--force", "b"));
    assert_string_equal(OPTIONS->name, "a");
    assert_string_equal(OPTIONS->resume, "b");
    assert_true(TAKE("a"));
    assert_string_equal(OPTIONS->resume, "latest");
    assert_false(TAKE("a", "b", "c"));
    assert_string_equal(error.text, "takes a name and perhaps a run, got 3");
    assert_false(TAKE("--force"));
    assert_string_equal(error.text, "takes a name and perhaps a run, got 0");
    assert_true(TAKE("-h"));
    taking.takes = "no arguments";
    taking.argument_count = 0;
    assert_false(TAKE("x"));
    assert_string_equal(error.text, "takes no arguments, got 'x'");
    assert_true(PARSE("a", "b", "c")); /* counts them itself */
}

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

TEST(choices_are_read_as_their_index)
{
    assert_true(parse((const char *const[]){NULL}));
    assert_int_equal(OPTIONS->level, 1); /* its default */
    assert_int_equal(OPTIONS->colors.count, 0);
    assert_true(PARSE("--level=low", "--color", "blue,red", "--color", "green"));
    assert_int_equal(OPTIONS->level, 0);
    assert_int_equal(OPTIONS->colors.count, 3);
    assert_int_equal(OPTIONS->colors.items[0], 2);
    assert_int_equal(OPTIONS->colors.items[2], 1);
}

TEST(shares_are_numbers_or_percents)
{
    assert_true(parse((const char *const[]){NULL}));
    assert_close(OPTIONS->share, 0.05, 0);
    assert_true(PARSE("--alpha", "2 %", "--threshold", "10%", "--threshold", "cost=250 %"));
    assert_close(OPTIONS->share, 0.02, 1e-15);
    assert_int_equal(OPTIONS->limits.count, 2);
    assert_null(OPTIONS->limits.items[0].name);
    assert_close(OPTIONS->limits.items[0].share, 0.1, 1e-15);
    assert_string_equal(OPTIONS->limits.items[1].name, "cost");
    assert_close(OPTIONS->limits.items[1].share, 2.5, 1e-15);
}

TEST(times_are_spans_and_days)
{
    int64_t day = 0;
    assert_true(clock_parse_stamp("2026-11-15T00:00:00Z", &day));
    assert_true(PARSE("--since", "2026-11-15", "--older-than", "2 min"));
    assert_int_equal(OPTIONS->since_ns, day);
    assert_close(OPTIONS->age_s, 120, 0);
    assert_true(PARSE("--since=all"));
    assert_int_equal(OPTIONS->since_ns, 0);
    int64_t before = clock_unix_ns();
    assert_true(PARSE("--since=1h"));
    int64_t age = before - OPTIONS->since_ns;
    assert_true(age <= INT64_C(3600000000000) && age > INT64_C(3500000000000));
}

TEST(what_was_given_is_known)
{
    assert_true(PARSE("--count", "7", "-q"));
    assert_true(options_has(&context, "count"));
    assert_true(options_has(&context, "quiet"));
    assert_false(options_has(&context, "limit"));
    static const char *const names[] = {"limit", "count"};
    assert_string_equal(options_first(&context, names, 2), "count");
    assert_null(options_first(&context, names, 1));
}

/* What each answer names must exist in `assay run`. */
TEST(options_of_hyperfine_are_answered_with_ours)
{
    assert_false(PARSE("-r", "10"));
    assert_string_equal(error.text, "unknown option '-r': hyperfine's -r is -n here");
    assert_false(PARSE("--export-json", "a.json"));
    assert_non_null(strstr(error.text, "hyperfine's --export-json is --report FILE.json"));
    static const char *const theirs[] = {"r",
                                         "m",
                                         "M",
                                         "N",
                                         "P",
                                         "S",
                                         "u",
                                         "sort",
                                         "reference",
                                         "export-json",
                                         "runs",
                                         "min-runs",
                                         "max-runs",
                                         "parameter-list",
                                         "parameter-scan",
                                         "show-output"};
    for (size_t i = 0; i < COUNT(theirs); i++) {
        const char *ours = options_of_hyperfine(str_of(theirs[i]), NULL);
        if (!ours) fail_msg("hyperfine's %s has no answer", theirs[i]);
        if (ours[0] != '-' || ours[2] == ' ') continue;
        const struct command *run = command_find(S("run"));
        struct str word = {ours, strcspn(ours, " ,:")};
        bool is_known = false;
        for (size_t k = 0; k < run->params.count; k++) {
            const struct param *row = &run->params.rows[k];
            is_known |= word.n == 2 ? row->letter == ours[1]
                                    : str_is((struct str){word.p + 2, word.n - 2}, row->name);
        }
        if (!is_known) fail_msg("hyperfine's %s: no option %.*s", theirs[i], STR_ARG(word));
    }
    assert_null(options_of_hyperfine(S("measured"), NULL));
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
        {{"--count", "x"}, "--count must be an integer (is 'x')"},
        {{"--count=1.5"}, "--count must be an integer (is 1.5)"},
        {{"--limit", "inf"}, "--limit must be a number (is 'inf')"},
        {{"--count", "-3"}, "--count must be at least 0 (is -3)"},
        {{"--limit=-0.5"}, "--limit must be at least 0 (is -0.5)"},
        {{"--count"}, "--count needs N"},
        {{"-L", "x"}, "--scan needs VAR VALUES"},
        {{"-L", "x", "--"}, "--scan needs VAR VALUES"},
        {{"--force=1"}, "--force takes no value (has '1')"},
        {{"--level", "hihg"},
         "--level must be one of low, high (is 'hihg'; did you mean 'high'?)"},
        {{"--color=red,black"}, "--color must be one of red, green, blue (is 'black')"},
        {{"--alpha", "0"}, "--alpha must be above 0 (is '0')"},
        {{"--alpha", "50%"}, "--alpha must be below 0.5 (is '50%')"},
        {{"--alpha", "5"}, "--alpha must be a share (is '5'): write 5 % or 0.05"},
        {{"--threshold", "5"}, "--threshold must be a share (is '5'): write 5 % or 0.05"},
        {{"--threshold", "cost=20"},
         "--threshold must be a share (is 'cost=20'): write 20 % or 0.2"},
        {{"--since", "soon"},
         "--since must be a time: 30d, 12h, 2026-11-15, 2026-11-15T20:04:56Z or all "
         "(is 'soon')"},
        {{"--older-than", "old"},
         "--older-than must be a time span such as 90s, 12h or 30d (is 'old')"},
        {{"--older-than", "9999999d"},
         "--older-than must be at most 9000000000 s (is "
         "'9999999d')"},
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
        T(choices_are_read_as_their_index),
        T(shares_are_numbers_or_percents),
        T(times_are_spans_and_days),
        T(what_was_given_is_known),
        T(options_of_hyperfine_are_answered_with_ours),
        T(an_optional_argument_may_be_missing),
        T(mistakes_are_named),
        T(common_options_reach_the_context),
        T(help_stops_the_reading),
        T(arguments_go_where_the_command_says),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    arena = arena_open();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(&arena);
    return failed;
}
