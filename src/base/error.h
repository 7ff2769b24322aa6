/* error.h - why something did not work, for programs and for people.
 *
 * A function that can fail returns bool (true = done), takes a `struct error *`
 * last and is MUST_USE. Whoever knows the cause calls error_set; whoever knows
 * what was being attempted calls error_wrap, so that the reader gets
 *     loading spec 'a.json': line 12: 'measured' must be at least 1 (is 0)
 * Say the value, the limit and the way out. Nothing below cli/ prints. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "base/invariant.h"

enum error_code {
    ERROR_NONE = 0,
    ERROR_INVALID,     /* the caller's or the user's input is wrong */
    ERROR_NOT_FOUND,   /* the named thing does not exist */
    ERROR_UNAVAILABLE, /* this machine cannot do it: no counters, no server */
    ERROR_IO,          /* the operating system or the network said no */
    ERROR_TIMEOUT,     /* it took too long; trying again may work */
    ERROR_FAILED,      /* the work itself failed: an agent, a command, a body */
    ERROR_CODE_COUNT
};

struct error {
    enum error_code code;
    char text[600];        /* "outermost: ...: innermost", no trailing newline */
    const char *parameter; /* that is wrong; NULL: none in particular */
};

/* Both return false, so that a failing function can end in one line:
 *     return error_set(err, ERROR_INVALID, "line %d: ...", line);
 *     return error_wrap(err, "loading spec '%s'", path);
 * A text that does not fit is cut and ends in "...". `err` may be NULL. */
bool error_set(struct error *err, enum error_code code, const char *fmt, ...) PRINTF(3, 4);
bool error_wrap(struct error *err, const char *fmt, ...) PRINTF(2, 3);

/* After either: the parameter of a question whose value is wrong, a literal. */
bool error_blame(struct error *err, const char *parameter);

/* Where something may be absent: ERROR_NOT_FOUND is not an error, any other is kept in `first`,
 * unless that has one. Returns false:
 *     bool is_there = store_find_x(..., &why) || error_unless_absent(&first, &why); */
bool error_unless_absent(struct error *first, const struct error *why);

/* error_set with ": <strerror(errno_value)>" after the text; code ERROR_IO,
 * or ERROR_NOT_FOUND for ENOENT. */
bool error_set_errno(struct error *err, int errno_value, const char *fmt, ...) PRINTF(3, 4);

#endif
