#include "base/value.h"

#include "base/json.h"
#include "tests/test.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char shown[700];

/* "line:column: reason" or the tree as JSON. */
static const char *read_as(struct str bytes, bool canonical)
{
    struct arena a = arena_open();
    const struct value *v = NULL;
    struct value_error e;
    if (value_read(bytes, &value_limits_spec, &a, &v, &e)) {
        struct buf b;
        buf_over(&b, shown, sizeof shown);
        struct json j;
        json_init(&j, &b, 0);
        canonical ? json_value_canonical(&j, v) : json_value(&j, v);
    } else {
        snprintf(shown, sizeof shown, "%u:%u: %s", e.line, e.column, e.error.text);
    }
    arena_close(&a);
    return shown;
}

static const char *parse(const char *text)
{
    return read_as(str_of(text), false);
}

TEST(scalars_follow_the_core_schema)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"[1, +3, -0, 0x1F, 0o17, 010]", "[1,3,0,31,15,10]"},
        {"[1.5, 1e3, .5, 5., -2.5e-3]", "[1.5,1000,0.5,5,-0.0025]"},
        {"[~, null, NULL, ]", "[null,null,null]"},
        {"[true, False, yes, no, on]", "[true,false,\"yes\",\"no\",\"on\"]"},
        {"['1', \"true\", '']", "[\"1\",\"true\",\"\"]"},
        {"[1.2.3, 1e, .e3, 0x, 12:30, 2026-11-01, 1_000, +]",
         "[\"1.2.3\",\"1e\",\".e3\",\"0x\",\"12:30\",\"2026-11-01\",\"1_000\",\"+\"]"},
        {"[9223372036854775807, -9223372036854775808, 0x7fffffffffffffff]",
         "[9223372036854775807,-9223372036854775808,9223372036854775807]"},
        {"", "null"},
        {"# only a comment\n", "null"},
        {"a: !!str 1\n", "{\"a\":\"1\"}"},
        {"{\n\t\"a\": [1,\n\t\t2],\n\t\"b\": \"x\\u0041\"\n}\n", "{\"a\":[1,2],\"b\":\"xA\"}"},
        {"['it''s', 'a\n  b', \"x\\\n  y\"]", "[\"it's\",\"a b\",\"xy\"]"},
        {"|\n  a\n  b\n", "\"a\\nb\\n\""},
        {">-\n  a\n  b\n", "\"a b\""},
        {"a: 1\r\nb: 2\r\n", "{\"a\":1,\"b\":2}"},
        {"\xEF\xBB\xBF"
         "a: 1\n",
         "{\"a\":1}"},
        {"a: &x [1, 2]\nb: *x\nc: &x 3\nd: *x\n", "{\"a\":[1,2],\"b\":[1,2],\"c\":3,\"d\":3}"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(parse(cases[i].in), cases[i].out);
    }
}

TEST(errors_have_a_place_and_a_reason)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"a: 1\nb: 2\na: 3\n", "3:1: duplicate key 'a' (first in line 1)"},
        {"a: 9223372036854775808",
         "1:4: integer 9223372036854775808 does not fit in 64 bits; quote it if it is text"},
        {"a: 0x8000000000000000", "1:4: integer 0x8000000000000000 does not fit in 64 bits"},
        {"a: 1e999", "1:4: number 1e999 is out of range; quote it if it is text"},
        {"a: -.inf", "1:4: -.inf is not a finite number; quote it if it is text"},
        {"x: &x {a: 1}\ny:\n  <<: *x\n",
         "3:3: merge keys ('<<') are not supported; write the keys out"},
        {"a: 1\n---\nb: 2\n",
         "2:1: a second document ('---') starts here; a file may have only one"},
        {"? [1]\n: 2\n", "1:3: a key must be text, not a list"},
        {"a: &a [*a]", "1:9: alias '*a' is undefined: no anchor '&a' ends before it"},
        {"a: &a x\n*a : 3", "2:2: an alias cannot be a key; write the key out"},
        {"a: !foo 1", "1:9: tag '!foo' is not supported; only !!str is"},
        {"a: [1, 2\nb: 3\n", "3:1: not YAML: flow sequence without a closing bracket"},
        {"a: \"x\\0y\"", "1:4: text with a NUL character (\\0)"},
        {"a: ok\nb: \xff\n", "2:4: byte 0xff is not UTF-8"},
        {"a: ok\nb: x\x13\n", "2:5: control character 0x13"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(parse(cases[i].in), cases[i].out);
    }
    assert_string_equal(read_as(S("a: 1\nb: \0\n"), false), "2:4: a NUL byte; a spec is text");
}

TEST(places_and_spellings_are_kept)
{
    struct arena a = arena_open();
    struct value_error e;
    const struct value *v = NULL;
    assert_true(value_read(S("# c\nversion: 1.10\nlist:\n  - x\n  - 7\n"), &value_limits_spec,
                           &a, &v, &e));
    const struct value *version = value_get(v, "version");
    assert_true(version->kind == VALUE_REAL && str_is(version->source, "1.10"));
    assert_int_equal(version->line, 2);
    assert_int_equal(version->column, 10);
    assert_int_equal(v->map.pairs[1].line, 3);
    const struct value *list = value_get(v, "list");
    assert_int_equal(list->list.items[1]->line, 5);
    assert_int_equal(list->list.items[1]->column, 5);
    assert_null(value_get(v, "nothing"));
    assert_null(value_get(list, "x"));
    assert_null(value_get(NULL, "x"));
    arena_close(&a);
}

static struct str repeated(struct arena *a, const char *unit, size_t count)
{
    size_t n = strlen(unit);
    char *p = arena_alloc(a, count * n + 1, 1, 1);
    for (size_t i = 0; i < count; i++) memcpy(p + i * n, unit, n);
    return (struct str){p, count * n};
}

static bool is_sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#else
    const char *san = getenv("ASSAY_SAN"); /* clang does not say */
    return san && *san;
#endif
}

/* Each hostile file must be answered within 1 s and 100 MB. Run in a child,
 * whose peak is its own. */
static void answer_within_budget(struct str bytes, const char *expected)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct rusage before;
        struct rusage after;
        getrusage(RUSAGE_SELF, &before);
        const char *answer = read_as(bytes, false);
        getrusage(RUSAGE_SELF, &after);
        double cpu_s = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
                       (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) / 1e6;
        long grown_mb = (after.ru_maxrss - before.ru_maxrss) / 1024;
        if (is_sanitized()) { /* its costs are not ours */
            cpu_s = 0;
            grown_mb = 0;
        }
        bool right = strstr(answer, expected) != NULL;
        if (!right) fprintf(stderr, "# '%.20s...': %s\n", bytes.p, answer);
        if (cpu_s > 1 || grown_mb > 100) fprintf(stderr, "# %.2f s, %ld MB\n", cpu_s, grown_mb);
        _exit(right && cpu_s <= 1 && grown_mb <= 100 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

TEST(hostile_files_are_refused_cheaply)
{
    struct arena a = arena_open();
    static const struct {
        const char *unit;
        size_t count;
        const char *expected;
    } cases[] = {
        {"[", 100000, "1:65: nested more than 64 deep"},
        {"{a: ", 50000, "nested more than 64 deep"},
        {"{", 190000, "a key must be text"},
        {"{", 500000, "1:1: 500000 brackets, commas and colons; at most 200000 are read"},
        {"- ", 200000, "1:129: nested more than 64 deep"},
        {"? ", 200000, "a key must be text"},
        {"[,", 100000, "not YAML"},
        {"- &a x\n", 70000, "more than 50000 values"},
        {"- 1\n", 100000, "50000:3: more than 50000 values"},
        {"9", 100000, "does not fit in 64 bits"},
        {"!", 500000, "is not supported"},
        {"\"", 500000, "not YAML"},
        {"&a ", 170000, "not YAML"},
        {"garbage!", 1310720, "10485760 bytes; at most 524288 are read"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        answer_within_budget(repeated(&a, cases[i].unit, cases[i].count), cases[i].expected);
    }
    arena_close(&a);
}

TEST(aliases_are_charged_in_full)
{
    struct arena a = arena_open();
    struct buf b;
    buf_init(&b, 1 << 20);
    buf_text(&b, "a: &a [x,x,x,x,x,x,x,x,x]\n");
    for (char c = 'b'; c <= 'k'; c++) {
        buf_printf(&b, "%c: &%c [", c, c);
        for (int i = 0; i < 9; i++) buf_printf(&b, "%s*%c", i ? "," : "", c - 1);
        buf_text(&b, "]\n");
    }
    answer_within_budget(buf_str(&b), "5:24: more than 50000 values");

    /* 60 + 10 levels: neither is too deep alone. */
    buf_clear(&b);
    buf_printf(&b, "a: &a %.*s%.*s\nb: %.*s*a%.*s\n", 60, repeated(&a, "[", 60).p, 60,
               repeated(&a, "]", 60).p, 10, repeated(&a, "[", 10).p, 10,
               repeated(&a, "]", 10).p);
    answer_within_budget(buf_str(&b), "2:15: nested more than 64 deep");

    /* Few values, each a second pointer to much text: readers copy it. */
    buf_clear(&b);
    buf_printf(&b, "a: &a %s\nb: [", repeated(&a, "x", 100000).p);
    for (int i = 0; i < 1000; i++) buf_printf(&b, "%s*a", i ? "," : "");
    buf_text(&b, "]\n");
    answer_within_budget(buf_str(&b), "2:33: more than 1048576 bytes of text");

    buf_clear(&b);
    for (int i = 0; i < 300; i++) buf_printf(&b, "- &a%d x\n", i);
    answer_within_budget(buf_str(&b), "257:9: more than 256 anchors");

    buf_clear(&b);
    for (int i = 0; i < 45000; i++) buf_printf(&b, "k%d: 1\n", i);
    buf_text(&b, "k7: 2\n");
    answer_within_budget(buf_str(&b), "45001:1: duplicate key 'k7' (first in line 8)");
    buf_release(&b);
    arena_close(&a);
}

static const char *read_json(struct str bytes)
{
    struct arena a = arena_open();
    const struct value *v = NULL;
    struct error e;
    struct value_limits limits = {.max_bytes = 1000, .max_depth = 5, .max_nodes = 20};
    if (value_read_json(bytes, &limits, &a, &v, &e)) {
        struct buf b;
        buf_over(&b, shown, sizeof shown);
        struct json j;
        json_init(&j, &b, 0);
        json_value(&j, v);
    } else {
        snprintf(shown, sizeof shown, "%s", e.text);
    }
    arena_close(&a);
    return shown;
}

TEST(json_is_strict)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        {" {\"b\":[1,2.5,true,null,\"x\"],\"a\":{}} ",
         "{\"b\":[1,2.5,true,null,\"x\"],\"a\":{}}"},
        {"9223372036854775807", "9223372036854775807"},
        {"\"[[[[[[[[[[\\\"[[[\"", "\"[[[[[[[[[[\\\"[[[\""},
        {"9223372036854775808",
         "line 1, column 19: too big integer near '9223372036854775808'"},
        {"{\"a\":1,\"a\":2}", "line 1, column 10: duplicate object key near '\"a\"'"},
        {"[[[[[[1]]]]]]", "nested 6 deep; at most 5 is read"},
        {"[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]",
         "more than 20 values, which is the limit"},
        {"[1,]", "line 1, column 4: unexpected token near ']'"},
        {"", "line 1, column 0: unexpected token near end of file"},
        {"nope", "line 1, column 4: invalid token near 'nope'"},
        {"1 2", "line 1, column 3: end of file expected near '2'"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(read_json(str_of(cases[i].in)), cases[i].out);
    }
    assert_non_null(strstr(read_json(S("\"\xff\"")), "unable to decode byte 0xff"));
    assert_non_null(strstr(read_json(S("\"a\\u0000\"")), "\\u0000 is not allowed"));
    assert_string_equal(read_json(S("[1\0]")), "a NUL byte; JSON is text");
    struct arena a = arena_open();
    assert_string_equal(read_json(repeated(&a, " ", 1001)),
                        "1001 bytes of JSON; at most 1000 are read");
    arena_close(&a);
}

static const struct value *yaml(struct arena *a, const char *text)
{
    const struct value *v = NULL;
    struct value_error e;
    assert_true(value_read(str_of(text), &value_limits_spec, a, &v, &e));
    return v;
}

TEST(equality_ignores_order_and_spelling)
{
    struct arena a = arena_open();
    const struct value *v = yaml(&a, "{a: 1, b: [x, 2.0], c: {d: null}}");
    assert_true(value_equal(v, yaml(&a, "{c: {d: ~}, b: ['x', 2], a: 1.0}")));
    assert_false(value_equal(v, yaml(&a, "{c: {d: ~}, b: ['x', 2], a: 2}")));
    assert_false(value_equal(v, yaml(&a, "{c: {d: ~}, b: ['x', 2]}")));
    assert_false(value_equal(v, yaml(&a, "{c: {e: ~}, b: ['x', 2], a: 1}")));
    assert_false(value_equal(v, yaml(&a, "{c: {d: ~}, b: [2, 'x'], a: 1}")));
    assert_false(value_equal(yaml(&a, "'1'"), yaml(&a, "1")));
    assert_false(value_equal(yaml(&a, "9007199254740993"), yaml(&a, "9007199254740992")));
    arena_close(&a);
}

TEST(value_with_sets_replaces_and_goes_below)
{
    struct arena a = arena_open();
    const struct value *base = yaml(&a, "{n: 1, parameters: {x: 2}}");
    const struct value *v = value_with(&a, base, S("n"), value_new_int(&a, 5));
    v = value_with(&a, v, S("parameters.y"), value_new_bool(&a, true));
    v = value_with(&a, v, S("new"), value_new_text(&a, S("t")));
    v = value_with(&a, v, S("deep.er"), value_new_real(&a, 1.5));
    assert_true(value_equal(
        v, yaml(&a, "{n: 5, parameters: {x: 2, y: true}, new: t, deep: {er: 1.5}}")));
    assert_true(value_equal(base, yaml(&a, "{n: 1, parameters: {x: 2}}")));
    assert_true(value_equal(value_with(&a, NULL, S("k"), value_new_null(&a)), yaml(&a, "k:")));
    arena_close(&a);
}

TEST_MAIN(T(scalars_follow_the_core_schema), T(errors_have_a_place_and_a_reason),
          T(places_and_spellings_are_kept), T(hostile_files_are_refused_cheaply),
          T(aliases_are_charged_in_full), T(json_is_strict),
          T(equality_ignores_order_and_spelling), T(value_with_sets_replaces_and_goes_below))
