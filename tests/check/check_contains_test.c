#include "tests/check/bench.h"

static const struct check_case cases[] = {
    {"", "ten", "it is ten.", 1, "contains 'ten'"},
    {"", "ten", "it is 10.", 0, NULL},
    {"", "[ten, 10]", "it is 10.", 1, NULL},
    {"", "Ten", "ten", 0, NULL},
    {"ignore_case: true", "Ten", "ten", 1, NULL},
    {"collapse_spaces: true", "a b", "x a \n b", 1, NULL},
    {"text: [a, b, c, d]", "", "a c", 0.5, "2 of 4 texts; 'b' is missing"},
    {"text: [a, b]", "", "ab", 1, NULL},
    {"text: a", "zzz", "a", 1, NULL}, /* the option goes before the expected */
    {"text: sorry, absent: true", "", "I am sorry", 0, "contains 'sorry'"},
    {"text: [sorry, apolog], absent: true", "", "fine", 1, NULL},
    {"absent: true", "x", "y", 1, NULL},
    {"text: [red, blue], without: [grey, pink]", "", "red, blue, pink", 0,
     "contains 'pink', which it must not"},
    {"text: [red, blue], without: [grey]", "", "red", 0.5, NULL},
    {"text: [red], without: [grey]", "", "", 0, NULL},
    {"without: [grey]", "red", "red and grey", 0, NULL},
    {"without: [Grey], ignore_case: true", "red", "red and grey", 0, NULL},
    {"absent: true", "x", "x", 0, NULL},
    {"", "12", "", 0, NULL},
    {"", "12", "0123", 1, NULL},
    {"", "12",
     "\xff"
     "12\xfe",
     1, NULL},
    {"", "", "x", NAN, NULL},
};

TEST(answers)
{
    BENCH("contains", cases);
}

TEST_MAIN(T(answers))
