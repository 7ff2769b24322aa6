#include "tests/check/bench.h"

static const struct check_case cases[] = {
    {"", "yes", "yes", 1, "as expected"},
    {"", "yes", "yes\n", 1, NULL},
    {"", "yes", "\r\n  yes\t", 1, NULL},
    {"trim: false", "yes", "yes\n", 0, NULL},
    {"", "yes", "Yes", 0, "'Yes' instead of 'yes'"},
    /* Texts that look the same are shown by their bytes; others as they are. */
    {"", "\"a\\nb\"", "a\r\nb", 0, "'a\\\\r\\\\nb' instead of 'a\\\\nb'"},
    {"", "caf\xC3\xA9", "cafe\xCC\x81", 0,
     "'cafe\\\\xcc\\\\x81' instead of 'caf\\\\xc3\\\\xa9'"},
    {"", "caf\xC3\xA9", "th\xC3\xA9", 0, "'th\xC3\xA9' instead of 'caf\xC3\xA9'"},
    {"ignore_case: true", "yes", "YES", 1, NULL},
    {"ignore_case: true", "STRASSE Ä É Ω", "strasse ä é ω", 1, NULL},
    {"ignore_case: true", "a\xCC\x81", "\xC3\xA1", 0, NULL}, /* no normalisation */
    {"collapse_spaces: true", "a b c", "a  b\n\tc", 1, NULL},
    {"", "a b", "a  b", 0, NULL},
    {"", "[a, b]", "b", 1, "as expected: 'b'"},
    {"", "[a, b]", "c", 0, "not one of 2 accepted"},
    {"", "2", "2", 1, NULL},
    {"", "2", "2.0", 1, NULL},
    {"", "'2'", "2.0", 0, NULL}, /* a text is compared as text */
    {"", "1.10", "1.10", 1, NULL},
    {"", "true", "true", 1, NULL},
    {"", "{a: 1, b: [x]}", "{\"b\": [\"x\"], \"a\": 1.0}", 1, NULL},
    {"", "{a: 1}", "{\"a\": 2}", 0, NULL},
    {"", "[[1, 2]]", "[1,2]", 1, NULL},
    {"", "''", "", 1, NULL},
    {"", "''", " \n", 1, NULL},
    {"", "x", "", 0, NULL},
    {"", "x", "\xff\xfe", 0, NULL},
    {"", "", "x", NAN, "no expected answer"},
    {"", "[]", "x", NAN, "no expected answer"},
    {"", "~", "x", NAN, "no expected answer"},
};

TEST(answers)
{
    BENCH("exact", cases);
}

TEST_MAIN(T(answers))
