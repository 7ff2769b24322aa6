/* self_usage.h - what this process, and the children it has reaped, used
 * between two moments. Nothing is allocated between open and close. */
#ifndef INSTRUMENT_SELF_USAGE_H
#define INSTRUMENT_SELF_USAGE_H

#include "base/error.h"
#include "base/proc.h"
#include "model/trial.h"

#include <sys/resource.h>

struct self_usage {
    int io_fd;    /* /proc/self/io, or -1 */
    int reset_fd; /* /proc/self/clear_refs, or -1 */
    bool has_io;
    struct proc_io io;
    int64_t io_used;
    struct rusage self;
    struct rusage children;
    struct usage usage; /* after end; bytes -1 where the kernel does not count them */
};

void self_usage_open(struct self_usage *s);
void self_usage_begin(struct self_usage *s);
void self_usage_end(struct self_usage *s);
void self_usage_close(struct self_usage *s);

#endif
