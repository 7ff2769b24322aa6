/* pattern.h - regular expressions that cannot hang: the boundary to PCRE2.
 *
 * Perl's syntax, UTF-8; \d, \w and \s are ASCII. Bytes that are not UTF-8 never
 * match anything, instead of failing the whole text.
 *
 * A pattern that backtracks without end, or scans a long text again from every
 * position, is stopped after a set amount of work, counted and not timed, so
 * that the same text ends the same way on every machine. PCRE2's own match
 * limit starts again at every position of the text and does not see scans.
 *
 * All memory comes from arenas: nothing to close. */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include "base/error.h"
#include "base/str.h"

enum {
    PATTERN_IGNORE_CASE = 1,
    PATTERN_MULTILINE = 2, /* ^ and $ at every line */
    PATTERN_DOTALL = 4,    /* . matches newlines */
    PATTERN_WHOLE = 8,     /* the whole text must match */
};

enum { PATTERN_BYTES_MAX = 16384, PATTERN_WORK = 10000000 };

struct pattern;

/* The error says the position: "at 3: missing closing parenthesis". */
MUST_USE bool pattern_compile(struct str text, unsigned flags, struct arena *out,
                              const struct pattern **pattern, struct error *err);

/* *match is the first match or, where the pattern has groups, its first group
 * that took part; {0} where there is none. Fails when the work is used up. */
MUST_USE bool pattern_find(const struct pattern *pattern, struct str text, bool *found,
                           struct str *match, struct error *err);

/* Letters in lower case, by Unicode's simple mapping; bytes that are not UTF-8
 * become U+FFFD. */
struct str pattern_lower(struct str text, struct arena *out);

#endif
