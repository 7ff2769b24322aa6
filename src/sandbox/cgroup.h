/* cgroup.h - a control group for an agent's processes.
 *
 * Version 2 where its memory and pids controllers can be had, else the
 * hierarchies of version 1 that are mounted. The group is made below our own,
 * so that limits of whoever runs us still hold. The starter enters it itself,
 * once: what it starts is then inside from its first instruction (moving a
 * process costs about 170 us and would stand in the measured time).
 *
 * {0} is not a group: every call may be made, and does nothing. */
#ifndef SANDBOX_CGROUP_H
#define SANDBOX_CGROUP_H

#include "base/arena.h"
#include "base/error.h"

enum cgroup_controller { CGROUP_MEMORY, CGROUP_PIDS, CGROUP_CPU, CGROUP_CONTROLLERS };

/* What can be read while the group exists; descriptors stay open. */
enum cgroup_reading {
    CGROUP_MEMORY_NOW,  /* bytes */
    CGROUP_MEMORY_PEAK, /* bytes, since cgroup_reset_peak */
    CGROUP_MEMORY_KILLS,
    CGROUP_PIDS_REFUSED, /* forks that the limit refused */
    CGROUP_PIDS_NOW,     /* threads count, too */
    CGROUP_CPU_USED,     /* ns */
    CGROUP_READINGS
};

struct cgroup {
    bool is_v2;
    const char *own[CGROUP_CONTROLLERS]; /* folder; NULL = not available */
    const char *above[CGROUP_CONTROLLERS];
    int fds[CGROUP_READINGS]; /* 0 = none */
};

/* Makes the group; one that cannot be made has own[] NULL. */
void cgroup_open(struct cgroup *g, struct arena *arena);
void cgroup_close(struct cgroup *g); /* removes it; its processes must have ended */

/* 0 = no limit. False if the kernel refused: version 1 does where the processes inside hold
 * more already, version 2 ends them. */
MUST_USE bool cgroup_limit_memory(struct cgroup *g, int64_t bytes);
MUST_USE bool cgroup_limit_processes(struct cgroup *g, int64_t count);

/* Moves the caller into it. What cannot be entered is given up. */
void cgroup_enter(struct cgroup *g);
void cgroup_give_up(struct cgroup *g, enum cgroup_controller c);

int64_t cgroup_read(const struct cgroup *g, enum cgroup_reading what); /* -1 = unknown */
bool cgroup_reset_peak(const struct cgroup *g); /* false: the peak is that of all time */

#endif
