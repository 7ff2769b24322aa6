/* self_usage.h - what this process, and the children it has reaped, used
 * between two moments. Nothing is allocated between open and close. */
#ifndef INSTRUMENT_SELF_USAGE_H
#define INSTRUMENT_SELF_USAGE_H

#include "base/proc.h"
#include "instrument/instrument.h"

#include <sys/resource.h>

struct self_usage {
    int io_fd; /* /proc/<pid>/io, or -1 */
    bool is_of_guard;
    int reset_fd; /* /proc/self/clear_refs, or -1 */
    bool has_io;
    struct proc_io io;
    int64_t io_used;
    struct rusage self;
    struct rusage children;
    struct usage usage; /* after end; bytes -1 where the kernel does not count them */
};

/* The arm's side of an instrument whose state is, or begins with, a struct
 * self_usage: `open`, `begin`, `end` and `close` of instrument.h. open never
 * fails: where a file of /proc cannot be opened, what it reports is missing. */
bool self_usage_open(void *state, const void *config, const struct instrument_subject *subject,
                     struct error *err);
void self_usage_begin(void *state);
void self_usage_end(void *state);
void self_usage_close(void *state);

/* What counts in `give`: the trial's processes if they were counted, else what
 * this process saw of itself; NULL if neither did the work (an agent behind HTTP). */
const struct usage *self_usage_or(const struct self_usage *s, const struct usage *usage);

#endif
