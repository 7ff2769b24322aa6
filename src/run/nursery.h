/* nursery.h - a small process that forks the others.
 *
 * Started before the parent has loaded a spec or opened a store, it stays at
 * the size of the bare program. Whatever it forks starts that small, which is
 * what makes memory_peak_mb right, and shares none of the parent's open files
 * and locks.
 *
 * When the parent ends, for whatever reason, the socket between them closes
 * and the nursery ends its runners; they end their arms. */
#ifndef RUN_NURSERY_H
#define RUN_NURSERY_H

#include "base/error.h"

#include <sys/types.h>

struct names;

struct nursery {
    int socket; /* readable when a runner has ended */
    pid_t pid;
    struct names *names; /* shared by all that it forks: load/names.h */
    bool is_gone;        /* somebody killed it, and the runners with it */
};

MUST_USE bool nursery_start(struct nursery *n, struct error *err);
void nursery_end(struct nursery *n);

/* Forks a runner for the group with this number. */
MUST_USE bool nursery_launch(struct nursery *n, uint32_t group, int memory_fd, int event_fd,
                             struct error *err);

/* The next runner that ended, if any: its group and wait status. Does not wait.
 * Sets is_gone. */
bool nursery_ended(struct nursery *n, uint32_t *group, int *status);

#endif
