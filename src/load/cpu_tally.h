/* cpu_tally.h - processor time of processes that come and go, from looks at those that are
 * there.
 *
 * A process is known by its number and the moment it started. Each look adds what every
 * process has used since the look before: its own time, and of the children that it has waited
 * for what was not seen while they ran. What a process uses after its last look is missed
 * unless its parent waits for it and is looked at too. */
#ifndef LOAD_CPU_TALLY_H
#define LOAD_CPU_TALLY_H

#include "base/invariant.h"

#include <sys/types.h>

enum { CPU_TALLY_MAX = 1024 };

struct cpu_process {
    pid_t pid, parent;
    int64_t start_ticks;
    double own_s, reaped_s; /* so far */
};

struct cpu_tally {
    struct cpu_process seen[CPU_TALLY_MAX]; /* at the last look, by pid */
    size_t count;
    double used_s;
};

/* What they have used before does not count. Both sort `processes`, at most CPU_TALLY_MAX. */
void cpu_tally_begin(struct cpu_tally *t, struct cpu_process *processes, size_t count);
void cpu_tally_look(struct cpu_tally *t, struct cpu_process *processes, size_t count);

#endif
