/* guard.h - a small process that sees to it that nothing of an agent stays.
 *
 * The guard is the first process of a pid, mount and IPC namespace of its own,
 * made once per execution: orphans come to it, one kill ends everything inside,
 * and with its end the kernel ends the rest and drops the private mounts. /tmp,
 * /var/tmp and /dev/shm inside are overlays: the agent reads what is there, and
 * what it writes vanishes with the namespace. Folders named in the spec stay
 * the real ones.
 *
 * It lives as long as the socket to its keeper is open. When the keeper dies,
 * even by SIGKILL, the guard ends all processes and removes the cgroup. It is
 * not in the cgroup itself: start it before entering. */
#ifndef SANDBOX_GUARD_H
#define SANDBOX_GUARD_H

#include "base/buf.h"
#include "model/trial.h"
#include "sandbox/cgroup.h"

#include <sys/types.h>

struct guard {
    pid_t pid; /* 0 = none */
    int socket;
};

struct guard_spec {
    const char *const *real_dirs; /* absolute; NULL-terminated */
    const struct cgroup *cgroup;
    struct buf *unenforced; /* a sentence is added for what could not be had */
};

enum { GUARD_NAMESPACES = 3 };
extern const char *const guard_namespaces[GUARD_NAMESPACES]; /* files in /proc/<pid>/ns */
extern const int guard_namespace_flags;                      /* for clone and setns */

/* ERROR_UNAVAILABLE where the kernel does not permit it. */
MUST_USE bool guard_start(struct guard *g, const struct guard_spec *spec, struct error *err);

/* Ends and reaps every process of the namespace, adding what the reaped ones
 * used. Children of the keeper itself must have been reaped before. */
MUST_USE bool guard_sweep(struct guard *g, struct usage *usage, struct error *err);

void guard_end(struct guard *g);

#endif
