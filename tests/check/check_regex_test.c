#include "base/pattern.h"

#include "base/clock.h"
#include "tests/check/bench.h"

static const struct check_case cases[] = {
    {"pattern: '\\d+'", "", "abc 42", 1, "matches '42'"},
    {"pattern: '\\d+'", "", "abc", 0, "no match"},
    {"pattern: '^\\d+$'", "", "42\n", 1, NULL},
    {"pattern: '\\d+', whole: true", "", "42 ", 0, NULL},
    {"pattern: '\\d+', whole: true", "", "42", 1, NULL},
    {"pattern: '^b$'", "", "a\nb\nc", 0, NULL},
    {"pattern: '^b$', multiline: true", "", "a\nb\nc", 1, NULL},
    {"pattern: 'a.c'", "", "a\nc", 0, NULL},
    {"pattern: 'a.c', dotall: true", "", "a\nc", 1, NULL},
    {"pattern: 'straße', ignore_case: true", "", "STRAßE", 1, NULL},
    {"pattern: 'é.é'", "", "éüé", 1, NULL},
    {"pattern: 'sorry', absent: true", "", "fine", 1, NULL},
    {"pattern: 'sorry', absent: true", "", "so sorry", 0, NULL},
    {"pattern: 'answer: (\\d+)', compare: true", "42", "answer: 42", 1, "matched '42'"},
    {"pattern: 'answer: (\\d+)', compare: true", "[41, 43]", "answer: 42", 0, NULL},
    {"pattern: 'answer: (\\d+)', compare: true", "42", "42", 0, "no match"},
    {"pattern: '(?:a=(\\d+)|b=(\\d+))', compare: true", "7", "b=7", 1, NULL},
    {"pattern: 'x', compare: true", "", "x", NAN, NULL},
    {"pattern: 'b'", "",
     "\xff\xfe"
     "b\xff",
     1, NULL}, /* bad bytes match nothing, no error */
    {"pattern: '.'", "", "\xff", 0, NULL},
    {"pattern: ''", "", "", 1, NULL},
    {"pattern: 'a\\Kb'", "", "ab", 1, NULL},
};

static const struct problem_case wrong[] = {
    {"pattern: '('", "1:19: 'pattern' at 1: missing closing parenthesis"},
    {"pattern: '[z-a]'", "1:19: 'pattern' at 3: range out of order in character class"},
    {"", "1:9: check 'regex' needs parameter 'pattern' (text): regular expression, in Perl's "
         "syntax (PCRE2)"},
    {"pattern: '(?=ab\\K)'", "1:19: 'pattern' at 8: \\K is not allowed in lookarounds (but see "
                             "PCRE2_EXTRA_ALLOW_LOOKAROUND_BSK)"},
    {"pattern: '\\C'", "1:19: 'pattern' at 2: using \\C is disabled by the application"},
    {"pattern: x, absent: true, compare: true",
     "1:30: 'absent' and 'compare' exclude each other"},
};

TEST(answers)
{
    BENCH("regex", cases);
}

TEST(wrong_patterns_are_found_when_the_spec_is_read)
{
    PROBLEMS("regex", wrong);
}

/* Each of these takes minutes or years when it is not stopped. */
TEST(hostile_patterns_end)
{
    static const struct {
        const char *pattern;
        const char *unit; /* of which the answer is many */
        size_t times;
        const char *tail;
    } table[] = {
        {"(a+)+$", "a", 40, "b"},
        {"(a|aa)+$", "a", 60, "b"},
        {"(a|a?)+$", "a", 60, "b"},
        {"(.*)*x", "a", 300, "\nx"},
        {"(?:a*)*(?:a*)*\\db", "a", 200, "b"},
        {"^(([a-z])+.)+[A-Z]([a-z])+$", "a", 60, ""},
        {"[^x]*+y", "a", 400000, "xy"}, /* no backtracking, yet quadratic */
        {"a.*?b", "a", 400000, "\nb"},  /* scans to the end from every a */
        {"(?s).*a.*b.*c", "ab", 100000, ""},
        {"(\\w+\\s?)+;:", "word ", 5000, ":"},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct arena a = arena_open();
        struct buf text;
        buf_init(&text, 4 << 20);
        for (size_t k = 0; k < table[i].times; k++) buf_text(&text, table[i].unit);
        buf_text(&text, table[i].tail);
        const struct pattern *p;
        struct error err = {0};
        assert_true(pattern_compile(str_of(table[i].pattern), 0, &a, &p, &err));
        bool found = true;
        struct str match;
        int64_t begin_ns = clock_ns();
        bool done = pattern_find(p, buf_str(&text), &found, &match, &err);
        double seconds = (double)(clock_ns() - begin_ns) / 1e9;
        if (seconds > 10) fail_msg("%s took %.1f s", table[i].pattern, seconds);
        if (done && found) fail_msg("%s matched", table[i].pattern);
        if (!done && !strstr(err.text, "steps")) fail_msg("%s", err.text);
        /* The same end every time, or rescoring would differ. */
        bool again = true;
        if (i == 0)
            assert_int_equal(pattern_find(p, buf_str(&text), &again, &match, NULL), done);
        buf_release(&text);
        arena_close(&a);
    }
}

TEST(a_simple_pattern_reads_a_long_answer)
{
    struct arena a = arena_open();
    size_t n = 4 << 20;
    char *text = arena_new(&a, char, n);
    memset(text, 'x', n);
    memcpy(text + n - 10, "answer: 42", 10);
    const struct pattern *p;
    struct error err = {0};
    bool found = false;
    struct str match;
    assert_true(pattern_compile(S("answer: (\\d+)"), 0, &a, &p, &err));
    assert_true(pattern_find(p, (struct str){text, n}, &found, &match, &err));
    assert_true(found && str_is(match, "42"));
    assert_true(pattern_compile(S("\\d+"), 0, &a, &p, &err));
    assert_true(pattern_find(p, (struct str){text, n}, &found, &match, &err));
    assert_true(found && str_is(match, "42"));
    arena_close(&a);
}

/* Else an agent could choose which of its answers count. */
TEST(an_answer_that_uses_up_the_steps_is_wrong)
{
    static const char *const options[] = {"pattern: '(a+)+$'",
                                          "pattern: '(a+)+$', absent: true",
                                          "pattern: '(a+)+$', compare: true"};
    struct arena a = arena_open();
    const char *text = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab";
    for (size_t i = 0; i < COUNT(options); i++) {
        struct check_case c = {options[i], "x", "", 0, NULL};
        struct rubric_result r;
        struct error err = {0};
        if (!bench_run(&a, "regex", &c, str_of(text), NULL, &r, &err)) fail_msg("%s", err.text);
        assert_true(r.score == 0);
        assert_non_null(strstr(str_cstr(&a, r.detail), "the pattern needs more than"));
    }
    arena_close(&a);
}

TEST(lower_case)
{
    static const char *const table[][2] = {
        {"ABC xyz", "abc xyz"},
        {"ÄÖÜ", "äöü"},
        {"ΑΒΓ", "αβγ"},
        {"Ж", "ж"},
        {"", ""},
        {"a\xff"
         "B",
         "a\xEF\xBF\xBD"
         "b"},
        {"\xC8\xBA", "\xE2\xB1\xA5"}, /* two bytes become three */
        {"日本", "日本"},
    };
    struct arena a = arena_open();
    for (size_t i = 0; i < COUNT(table); i++) {
        struct str lower = pattern_lower(str_of(table[i][0]), &a);
        if (!str_is(lower, table[i][1])) fail_msg("%s -> %.*s", table[i][0], STR_ARG(lower));
    }
    arena_close(&a);
}

TEST_MAIN(T(answers), T(wrong_patterns_are_found_when_the_spec_is_read),
          T(hostile_patterns_end), T(a_simple_pattern_reads_a_long_answer),
          T(an_answer_that_uses_up_the_steps_is_wrong), T(lower_case))
