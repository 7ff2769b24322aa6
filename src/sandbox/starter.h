/* starter.h - a small process that starts what is measured.
 *
 * Linux takes the peak resident set of whoever starts a process over into it: `cat`
 * started by us would never need less memory than we do. So it is started by a static
 * program of a few hundred kB (src/starter, a part of this binary), which also reads the
 * clock. Its own size, about 0.6 MB, is the least that a peak can be.
 *
 * Where it is to hold an agent, it begins in a jail (jail.h): it is then the first process
 * of its namespaces, and everything inside ends with it. It ends by itself when our end of
 * the socket closes, even by SIGKILL. */
#ifndef SANDBOX_STARTER_H
#define SANDBOX_STARTER_H

#include "base/buf.h"
#include "sandbox/jail.h"
#include "sandbox/starter_protocol.h"

#include <sys/types.h>

struct starter {
    pid_t pid; /* 0 = none */
    int socket;
    bool has_namespaces;
    const void *loaded; /* for child.h: whose program it has; NULL = none */
};

struct starter_program {
    const char *file;
    const char *folder; /* NULL = stay */
    const char *const *argv;
    const char *const *env;
    int fds[4]; /* 0 to 3 of what is started; 0 at the end = none */
};

/* `jail` NULL = none, and `unenforced` may be. Something is started inside once, to see that
 * it can be; a jail that fails that is left for a weaker one, and the reason is said. */
MUST_USE bool starter_open(struct starter *s, const struct jail_spec *jail,
                           struct buf *unenforced, struct error *err);
void starter_close(struct starter *s); /* a zeroed one too; everything inside ends */

/* What to start from now on. */
MUST_USE bool starter_load(struct starter *s, const struct starter_program *p,
                           struct error *err);

/* Sends an order; receives what it led to. False = the starter is gone. `pidfd` may be
 * NULL. */
bool starter_order(const struct starter *s, enum starter_order_kind kind, int64_t limit_ns);
bool starter_receive(const struct starter *s, struct starter_reply *reply, int *pidfd);

/* The pid behind a pidfd, as we see it; 0 = it has ended. */
pid_t starter_pid_of(int pidfd);

#endif
