#include "base/clock.h"
#include "tests/check/bench.h"

static const struct check_case cases[] = {
    {"", "kitten", "kitten", 1, NULL},
    {"", "kitten", "sitting", 1 - 3.0 / 7, "3 edits in 7 characters"},
    {"", "flaw", "lawn", 0.5, NULL},
    {"", "abc", "", 0, NULL},
    {"", "''", "", 1, NULL},
    {"", "''", "abc", 0, NULL},
    {"", "äöü", "äöo", 1 - 1.0 / 3, NULL}, /* characters, not bytes */
    {"", "ABC", "abc", 0, NULL},
    {"ignore_case: true", "ABC", "abc", 1, NULL},
    {"", "[xxxx, abcd, abzz]", "abcx", 0.75, NULL}, /* the nearest accepted one */
    {"", "abcdef", "azced", 0.5, NULL},
    {"trim: false", "a", "a\n", 0.5, NULL},
    {"max_chars: 3", "abc", "abcd", 0, "longer than 3 characters"},
    {"max_chars: 3", "abcd", "abc", HARNESS_ERROR, "'max_chars' is 3"},
    {"", "ab",
     "\xff"
     "b",
     0.5, NULL},
    {"", "", "x", NAN, NULL},
};

TEST(answers)
{
    BENCH("edit_distance", cases);
}

TEST(cost_is_bounded)
{
    struct arena a = arena_open();
    struct check_case c = {"", "x", "", 0, NULL};
    size_t n = 8 << 20;
    char *text = arena_new(&a, char, n);
    memset(text, 'y', n);
    struct rubric_result r;
    struct error err;
    clock_t begin = clock();
    assert_true(bench_run(&a, "edit_distance", &c, (struct str){text, n}, NULL, &r, &err));
    assert_true(r.score == 0);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 2);
    arena_close(&a);
}

TEST_MAIN(T(answers), T(cost_is_bounded))
