/* human.h - numbers for people: 1.23 ms, 45.6 MB, 2.1 k.
 *
 * Numbers that stand together (a row, a column, an axis) are compared by eye,
 * so they must share unit and decimals: a scale is chosen once for all of them
 * and each number is written on it. Values keep their own units everywhere
 * else; only text made for people is scaled. */
#ifndef BASE_HUMAN_H
#define BASE_HUMAN_H

#include "base/str.h"

enum { HUMAN_SIZE = 48 };

/* "%zu case%s", n, PLURAL(n) */
#define PLURAL(n) ((n) == 1 ? "" : "s")

struct human_scale {
    double factor;    /* shown = value * factor */
    const char *unit; /* "ms"; "" for a plain number */
    int decimals;     /* -1: %.4g, for numbers that no unit makes handy */
};

/* A scale for values of `unit` ("s", "MB", "1", "1/s", ...; units without a
 * family of prefixes stay as they are). The unit is chosen so that `high`
 * reads well, the decimals so that `low` keeps four digits. NaN and 0 have no
 * say; signs are ignored. */
struct human_scale human_scale(const char *unit, double low, double high);

/* One number on a scale, without its unit: "1.234"; "-" for NaN. Whole counts
 * are written whole. Returns out (HUMAN_SIZE bytes). */
const char *human_number(const struct human_scale *scale, double value, char *out);

/* A number that stands alone, three digits, with its unit: "1.23 ms". */
const char *human_value(const char *unit, double value, char *out);

/* "p = 0.012", "p < 1e-16" (smaller ones make no difference), "p = -" for NaN; and in a
 * column that says p: "0.012", "< 1e-16", "-". */
const char *human_p(double p, char *out);
const char *human_p_cell(double p, char *out);
#define HUMAN_P(p)      human_p((p), (char[HUMAN_SIZE]){0})
#define HUMAN_P_CELL(p) human_p_cell((p), (char[HUMAN_SIZE]){0})

/* "850 ms", "45 s", "3 min 20 s", "2 h 5 min", "12 d 3 h". */
const char *human_span(double seconds, char *out);

/* Reads "90s", "10 min", "12h", "30d", "2w". */
MUST_USE bool human_parse_span(struct str text, double *seconds);

#endif
