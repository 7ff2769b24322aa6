#include "tests/check/bench.h"

static const struct check_case cases[] = {
    {"chars: 3", "", "abc\n", 1, NULL},
    {"chars: 3", "", "abcd", 0, "4 characters, at most 3"},
    {"chars: 3", "", "äöü", 1, NULL},
    {"bytes: 3", "", "äöü", 0, "6 bytes"},
    {"words: 2", "", "one  two\n", 1, NULL},
    {"words: 2", "", "one two three", 0, "3 words"},
    {"lines: 1", "", "one two\n", 1, NULL},
    {"lines: 1", "", "one\ntwo", 0, "2 lines"},
    {"lines: 5, chars: 3", "", "abcd", 0, NULL},
    {"tokens: 5", "", "abcd", NAN, "does not report its tokens"},
    {"chars: 1", "", "", 1, NULL},
    {"chars: 2", "", "\xff\xff", 1, NULL},
    {"chars: 1", "", "\xff\xff", 0, NULL},
};

static const struct problem_case wrong[] = {
    {"", "1:14: 'max_length' needs a limit: chars, words, lines, bytes or tokens"},
    {"chars: 0", "1:22: 'chars' must be at least 1 (is 0)"},
};

TEST(answers)
{
    BENCH("max_length", cases);
}

TEST(wrong_settings)
{
    PROBLEMS("max_length", wrong);
}

TEST_MAIN(T(answers), T(wrong_settings))
