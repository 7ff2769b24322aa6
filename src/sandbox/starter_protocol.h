/* starter_protocol.h - what a keeper and its starter say to each other (starter.h).
 *
 * Packets over a socket: an order each way in, at most one reply each way out. */
#ifndef SANDBOX_STARTER_PROTOCOL_H
#define SANDBOX_STARTER_PROTOCOL_H

#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>

enum {
    STARTER_SOCKET_FD = 10,
    STARTER_GROUPS_FD = 11, /* pairs from here on: the folder above a cgroup, and the file
                               that takes us out of it; not open = no such group */
    STARTER_GROUPS_MAX = 3,
    STARTER_IMAGE_FD = 17, /* its own program, for STARTER_TEST: there may be no /proc */
    STARTER_FDS_MAX = 5,   /* with STARTER_PLAN: the plan, stdin, stdout, stderr, 3 */
    STARTER_EXTRA_FD = 3,
};

#define STARTER_JAILED "assay-jail" /* argv[0] where rights are to be given up; else: */
#define STARTER_FREE   "assay-starter"

/* From the keeper's handler of SIGTERM, where no order can be written. Of no effect on
 * anything else that it may have started. */
enum { STARTER_SIGNAL = SIGURG }; /* as base/proc.h says */

enum starter_order_kind {
    STARTER_PLAN = 'p',  /* what to start; no reply */
    STARTER_TEST = 't',  /* start yourself and end at once: does it work here? */
    STARTER_PROBE = 'x', /* start, and end before its first instruction: only start_errno */
    STARTER_RUN = 'r',   /* start, wait for the end, sweep */
    STARTER_START = 's', /* start; the reply brings a pidfd */
    STARTER_END = 'e',   /* end it, wait, sweep */
    STARTER_KILL = 'k',  /* of STARTER_RUN: end it now; no reply of its own */
};

struct starter_order {
    int32_t kind;
    int64_t limit_ns; /* of STARTER_RUN; 0 = none */
};

/* The head of a plan; texts follow, each with its NUL: the file, the folder ("" = stay),
 * then arguments and environment. */
struct starter_plan {
    uint32_t bytes; /* with the texts */
    uint32_t argc;
    uint32_t envc;
};

struct starter_reply {
    int32_t start_errno; /* 0, or why it could not be started; then the rest is unset */
    int32_t status;      /* as wait4 gives it */
    int32_t timed_out;
    int32_t is_clean; /* no process is left */
    int64_t start_ns; /* CLOCK_MONOTONIC_RAW, right before the start */
    int64_t end_ns;   /* right after it was reaped */
    struct rusage own;
    struct rusage swept; /* of those that it had left, together; the largest peak */
};

#endif
