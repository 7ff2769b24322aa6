#include "http/url.h"
#include "tests/test.h"

static struct arena arena;

static bool parse(const char *raw, struct url *url)
{
    struct error err = {0};
    return url_parse(str_of(raw), &arena, url, &err);
}

TEST(parts_are_told_apart_before_they_are_decoded)
{
    struct url u;
    arena = arena_open();
    assert_true(parse("/a%2Fb/c+d?x=1%262&y=a+b&flag&=3&&z==", &u));
    assert_int_equal(u.segment_count, 2);
    assert_string_equal(u.segments[0].p, "a/b");
    assert_string_equal(u.segments[1].p, "c+d");
    assert_int_equal(u.pair_count, 5);
    assert_string_equal(u.pairs[0].value.p, "1&2");
    assert_string_equal(u.pairs[1].value.p, "a b");
    assert_string_equal(u.pairs[2].name.p, "flag");
    assert_int_equal(u.pairs[2].value.n, 0);
    assert_int_equal(u.pairs[3].name.n, 0);
    assert_string_equal(u.pairs[4].value.p, "=");
    arena_close(&arena);
}

TEST(the_root_has_no_segment_and_an_empty_one_is_one)
{
    struct url u;
    arena = arena_open();
    assert_true(parse("/", &u));
    assert_int_equal(u.segment_count, 0);
    assert_true(parse("/?", &u));
    assert_int_equal(u.pair_count, 0);
    assert_true(parse("//a/", &u));
    assert_int_equal(u.segment_count, 3);
    arena_close(&arena);
}

TEST(what_is_no_text_is_refused)
{
    static const char *const wrong[] = {"",       "a",          "/%",      "/%4",  "/%zz",
                                        "/?a=%0", "/%00",       "/?%00=1", "/%ff", "/?a=%c3%28",
                                        "/?%",    "/%ed%a0%80", "*"};
    struct url u;
    arena = arena_open();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (parse(wrong[i], &u)) fail_msg("'%s' was taken", wrong[i]);
    }
    arena_close(&arena);
}

TEST(there_are_limits)
{
    struct url u;
    char long_path[200];
    char many[2 * URL_PAIRS_MAX + 8] = "/?";
    arena = arena_open();
    for (size_t i = 0; i < sizeof long_path - 1; i++) long_path[i] = i % 2 ? 'a' : '/';
    long_path[sizeof long_path - 1] = '\0';
    assert_false(parse(long_path, &u));
    for (size_t i = 0; i <= URL_PAIRS_MAX; i++) memcpy(many + 2 + 2 * i, "a&", 3);
    assert_false(parse(many, &u));
    many[2 + 2 * URL_PAIRS_MAX] = '\0';
    assert_true(parse(many, &u));
    assert_int_equal(u.pair_count, URL_PAIRS_MAX);
    arena_close(&arena);
}

TEST_MAIN(T(parts_are_told_apart_before_they_are_decoded),
          T(the_root_has_no_segment_and_an_empty_one_is_one), T(what_is_no_text_is_refused),
          T(there_are_limits))
