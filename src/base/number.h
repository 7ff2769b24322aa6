/* number.h - numbers in a text that people or models wrote. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include "base/str.h"

struct number_scan {
    struct str text;
    size_t at;
    bool is_inside; /* of a word or a number: no other one begins */
    size_t unread;  /* numbers that were passed over, which have no value here */
};

/* The next number; false if there is none. A number is digits with an optional
 * sign (also U+2212), fraction and exponent. It does not begin within a word
 * ("H2O", "v1.2" have none), and a minus after a digit or letter is not a sign
 * ("10-5" is 10 and 5). Digits may be parted by `thousands` in groups of three
 * ("1,234"; 0 = never). What goes on as no number does ("42.42.42", "0x2a", "4_2") has none.
 * `unread` counts what people would call a number and is not read: of another base ("0x2a"),
 * parted by underscores ("4_2"), too large for a double, or in digits of another script. */
MUST_USE bool number_next(struct number_scan *scan, char thousands, double *value);

/* The whole of a trimmed text as one number. */
MUST_USE bool number_read(struct str text, char thousands, double *value);

#endif
