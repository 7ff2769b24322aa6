/* jail.h - what an agent can reach, made as small as the kernel lets us.
 *
 * With namespaces (as root, or in a user namespace of its own) an agent sees no process
 * but its own, and a file system that it can read and not write, except for
 *
 *   - /tmp, /var/tmp and /dev/shm: overlays, whose changes vanish with the namespace;
 *   - the folders named `writable`, which stay the real ones;
 *   - what is named `hidden`, cgroups and sockets of others: empty. Neither it nor what
 *     is `fixed`, nor a folder on the way to it, can be moved or replaced;
 *   - /dev: no disk, no console, no terminal but its own. Nodes elsewhere cannot be opened,
 *     nor, with Landlock, FIFOs outside of its folders be written to.
 *
 * It has no capability and can gain none, so that none of this can be undone, and cannot
 * change the limits of who measures it (filter.h). Without
 * namespaces Landlock keeps it from writing elsewhere, from other processes' memory and
 * environment, and from signalling them. What is missing is said in sentences. */
#ifndef SANDBOX_JAIL_H
#define SANDBOX_JAIL_H

#include "base/buf.h"
#include "sandbox/cgroup.h"

struct jail_spec {
    bool is_off;                 /* limits only */
    const char *const *writable; /* absolute; NULL-terminated */
    const char *const *hidden;   /* absolute; NULL-terminated; may not exist */
    const char *const *fixed;    /* the same; seen, and not changed even where it may write */
    const char *memory;          /* absolute; with namespaces a folder in memory, which nobody
                                    else sees, in place of the real one; NULL = none */
    struct cgroup *cgroup;       /* for starter.h: to be entered first; may be NULL */
    int64_t data_bytes;          /* RLIMIT_DATA; 0 = none */
};

/* What clone was given: CLONE_NEW..., or 0. */
struct jail_ids {
    unsigned uid, gid; /* as seen from outside */
    int flags;
};

/* In the process that is to be the jail's first, before it becomes the starter: makes the
 * mounts, enters the cgroup, gives up every right. `said` gets what is not enforced. False
 * with the reason in `said` = not to be used. */
bool jail_enter(const struct jail_spec *spec, const struct jail_ids *ids, struct buf *said);

#endif
