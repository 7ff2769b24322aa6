/* disturbance.h - how much of the CPUs other work took while a run measured.
 *
 * The kernel says how long the CPUs that we may use were busy (/proc/stat), and what our own
 * processes used, with all that they have waited for (/proc/PID/stat). The rest was others'.
 * Both count ticks of 10 ms: a run of less than a second is not judged. A server on this
 * machine that a run asks is other work, too. */
#ifndef RUN_DISTURBANCE_H
#define RUN_DISTURBANCE_H

#include "base/invariant.h"

#define DISTURBANCE_LIMIT 0.05

struct disturbance {
    int64_t at_ns;
    double busy_s; /* of the CPUs that we may use */
    double own_s;
    int cpus; /* 0: the kernel does not say */
};

struct disturbance disturbance_look(void);

/* Others' share of the CPUs between the two looks; NaN: not known. */
double disturbance_share(const struct disturbance *from, const struct disturbance *until);

#endif
