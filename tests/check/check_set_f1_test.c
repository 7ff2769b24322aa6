#include "tests/check/bench.h"

static const struct check_case cases[] = {
    {"", "[a, b, c]", "c, a, b", 1, "3 of 3 expected items, 0 others"},
    {"", "[a, b, c]", "a, b", 0.8, NULL},           /* 2*2/(2+3) */
    {"", "[a, b, c]", "a, b, c, d, e", 0.75, NULL}, /* 2*3/(5+3) */
    {"", "[a, b]", "x, y", 0, NULL},
    {"", "[a, b]", "[\"b\", \"a\"]", 1, NULL},
    {"", "'a, b'", "b,a", 1, NULL},
    {"", "[1, 2]", "[2.0, 1]", 1, NULL},
    {"", "[1, 2]", "2, 1", 1, NULL},
    {"separator: ';'", "'a;b'", "b;a", 1, NULL},
    {"separator: \"\\n\"", "[a, b]", "a\nb\n", 1, NULL},
    {"separator: ' and '", "[a, b]", "a and b", 1, NULL},
    {"", "[a, b]", "a, a, b, ,", 1, NULL},
    {"", "[A]", "a", 0, NULL},
    {"ignore_case: true", "[A]", "a", 1, NULL},
    {"", "[[a, b], [c]]", "c", 1, NULL}, /* alternatives */
    {"", "[[a, b], [c]]", "a, c", 2.0 / 3, NULL},
    {"unfence: true", "[a]", "```json\n[\"a\"]\n```", 1, NULL},
    {"", "[a]", "```json\n[\"a\"]\n```", 0, NULL},
    {"", "[a]", "", 0, NULL},
    {"", "[[]]", "", 1, NULL}, /* nothing is what was expected */
    {"", "", "a", NAN, NULL},
};

static const struct problem_case wrong[] = {
    {"separator: ''", "1:22: 'separator' is empty"},
};

TEST(answers)
{
    BENCH("set_f1", cases);
}

TEST(wrong_settings)
{
    PROBLEMS("set_f1", wrong);
}

TEST_MAIN(T(answers), T(wrong_settings))
