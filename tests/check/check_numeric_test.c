#include "tests/check/bench.h"

static const struct check_case cases[] = {
    {"", "42", "42", 1, NULL},
    {"", "42", "42\n", 1, NULL},
    {"", "42", "The answer is 42.", 1, NULL},
    {"", "42", "The answer is 41.", 0, "41 instead of 42"},
    {"", "42", "it is forty-two", 0, "no number"},
    {"", "42", "41 or 42", 0, "2 numbers in the answer"},
    {"find: last", "42", "41 or 42", 1, NULL},
    {"find: first", "41", "41 or 42", 1, NULL},
    {"", "42.42", "42.42.42.42", 0, "no number"},
    {"", "0", "0x2a", 0, "no number"},
    {"", "4", "it is 4_2", 0, "no number"},
    {"", "42", "10.0.0.1 is not 42.", 1, NULL},
    {"", "42", "0x29 42", 0, "2 numbers in the answer"},
    {"", "42", "42, or 0X29", 0, "2 numbers in the answer"},
    {"", "42", "4_1 42", 0, "2 numbers in the answer"},
    {"", "42", "4_wheels 42", 1, NULL},
    {"", "42", "1e999 42", 0, "2 numbers in the answer"},
    {"", "42", "\u0664\u0661 42", 0, "2 numbers in the answer"},         /* Arabic-Indic */
    {"", "42", "\uFF14\uFF11 42", 0, "2 numbers in the answer"},         /* full width */
    {"", "42", "\u096A\u0967 or 42", 0, "2 numbers in the answer"},      /* Devanagari */
    {"", "42", "\U0001D7D2\U0001D7CF 42", 0, "2 numbers in the answer"}, /* bold */
    {"", "42", "\u0664\u0662", 0, "no number"},
    {"", "42", "\u219241 42", 0, "2 numbers in the answer"}, /* after a sign */
    {"", "42", "\u224842\u00A0kg", 1, NULL},
    {"", "42", "\u7B54\u684842", 1, NULL}, /* after a script without spaces */
    {"", "42", "\u00E942", 0, "no number"},
    {"", "42", "\xFF\xFE 42", 1, NULL},
    {"find: whole", "42", " 42 ", 1, NULL},
    {"find: whole", "42", "42 kg", 0, "not a number"},
    {"find: whole", "42", "", 0, NULL},
    {"find: whole", "4", "4.", 1, NULL},
    {"", "5", "5kg", 1, NULL},
    {"", "2", "H2O", 0, "no number"},
    {"", "1.2", "v1.2", 0, "no number"},
    {"", "-5", "x = -5", 1, NULL},
    {"", "-5",
     "x = \xE2\x88\x92"
     "5",
     1, NULL},
    {"", "5", "+5", 1, NULL},
    {"find: last", "5", "10-5", 1, NULL}, /* a minus sign between numbers is none of 5's */
    {"", "1e3", "1000", 1, NULL},
    {"", "1000", "1e3", 1, NULL},
    {"", "0.5", ".5", 1, NULL},
    {"", "1.5e-7", "1.5E-7", 1, NULL},
    {"", "3", "3e", 1, NULL},
    {"thousands: ','", "1234567.5", "1,234,567.5", 1, NULL},
    {"thousands: ',', find: whole", "1234", "1,234", 1, NULL},
    {"thousands: ',', find: last", "34", "12,34", 1, NULL},
    {"find: first", "1", "1,234", 1, NULL},
    {"tolerance: 0.01", "3.14159", "3.14", 1, NULL},
    {"tolerance: 0.001", "3.14159", "3.14", 0, NULL},
    {"tolerance: 0.1", "0.3", "0.4", 1, NULL}, /* 0.4 - 0.3 is 0.10000000000000003 */
    {"tolerance: 0.1", "0.3", "0.2", 1, NULL},
    {"tolerance: 0.1", "1000000.3", "1000000.4", 1, NULL},
    {"tolerance: 0.1", "0.3", "0.4000001", 0, NULL},
    {"relative: 0.1", "0.3", "0.33", 1, NULL},
    {"relative: 0.01", "1000", "1009", 1, NULL},
    {"relative: 0.01", "1000", "1011", 0, NULL},
    {"relative: 0.01, tolerance: 20", "1000", "1011", 1, NULL},
    {"relative: 0.01", "-1000", "-991", 1, NULL},
    {"", "[1, 2, 3]", "2", 1, NULL},
    {"", "[1, 2, 30]", "4", 0, "4 instead of 2"},
    {"", "'42'", "42", 1, NULL},
    {"", "many", "42", HARNESS_ERROR, "'many' is not a number"},
    {"", "1", "1e999", 0, NULL},
    {"", "1", "nan", 0, NULL},
    {"tolerance: 1e-9", "0.3", "0.30000000000000004", 1, NULL},
    {"", "0.3", "0.30000000000000004", 0, "0.30000000000000004 instead of 0.3"},
    {"find: last", "5", "2026-11-05", 1, NULL},
    {"", "", "42", NAN, "no expected answer"},
};

static const struct problem_case wrong[] = {
    {"tolerance: -1", "1:23: 'tolerance' must be at least 0 (is -1)"},
    {"find: middle", "1:18: 'find' must be one of only, whole, first, last (is 'middle')"},
    {"thousands: ',,'", "1:23: 'thousands' must be one character, such as ','"},
    {"thousands: '.'", "1:23: 'thousands' must be one character, such as ','"},
    {"tolerence: 1", "1:12: unknown parameter 'tolerence' of check 'numeric'; did you mean "
                     "'tolerance'?"},
};

TEST(answers)
{
    BENCH("numeric", cases);
}

TEST(wrong_settings)
{
    PROBLEMS("numeric", wrong);
}

TEST_MAIN(T(answers), T(wrong_settings))
