/* trace.h - moments of requests from a CSV file: when they came in another system.
 *
 *     TIMESTAMP,ContextTokens,GeneratedTokens
 *     2023-11-16 18:17:03.9799600,4808,10
 *
 * A moment is a number of seconds or a time of day as above ("T" or a space in the middle,
 * "Z" at the end or not). The earliest is 0; they are put in order. */
#ifndef LOAD_TRACE_H
#define LOAD_TRACE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

enum { TRACE_MOMENTS_MAX = 10000000 };

struct trace_options {
    const char *column; /* its name in the first line; NULL: the first column */
    double time_scale;  /* by which times are multiplied: 0.1 is ten times as fast; > 0 */
};

struct trace {
    const double *at_s; /* ascending, from 0 */
    size_t count;
};

/* Fails with ERROR_INVALID: no such column, a line that is not a time, no moment at all. */
MUST_USE bool trace_parse(struct trace *trace, struct str csv,
                          const struct trace_options *options, struct arena *out,
                          struct error *err);
MUST_USE bool trace_read(struct trace *trace, const char *path,
                         const struct trace_options *options, struct arena *out,
                         struct error *err);

#endif
