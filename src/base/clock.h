/* clock.h - the only place that reads clocks.
 *
 * clock_ns is CLOCK_MONOTONIC_RAW: the kernel slews CLOCK_MONOTONIC by up to
 * 500 ppm under NTP, which is larger than some effects we are asked to find.
 * clock_unix_ns is wall time, for stamps that people read, never for durations. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/invariant.h"

#include <time.h>

enum { CLOCK_STAMP_SIZE = 32 };

static inline int64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t clock_unix_ns(void);

/* "2026-11-15T20:04:56.123Z" into `out` (CLOCK_STAMP_SIZE bytes); returns out. */
const char *clock_stamp(int64_t unix_ns, char *out);

/* Reads what clock_stamp writes (fraction optional); from 1677 to 2262. */
MUST_USE bool clock_parse_stamp(const char *text, int64_t *unix_ns);

/* `seconds` after `unix_ns`, for times from files; the first or last moment that
 * there is where it would be beyond. NaN is 0. */
int64_t clock_after(int64_t unix_ns, double seconds);

/* Sleeps until clock_ns reaches `until_ns`. */
void clock_sleep_until(int64_t until_ns);

#endif
