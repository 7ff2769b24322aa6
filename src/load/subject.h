/* subject.h - a server that we start, look at, disturb and end while it is loaded.
 *
 * A starter (sandbox/starter.h) holds it: whatever it starts ends with it, and it ends with
 * us. It is ready when its address takes a connection. While a block runs, a thread of its
 * own (the minder) looks at the processes every 10 ms: memory, processor time, threads, open
 * files; it brings the planned fault about, and starts a server that is gone again, as any
 * supervisor does, at most ten times a second.
 *
 * A limit of memory is the kernel's where the processes are in memory cgroups: it is lowered
 * when the block begins, and lifted when it ends. Where version 1 refuses that, because they
 * hold more already, they are killed, as version 2 does. Without cgroups the minder kills what
 * has a larger resident set than it may. */
#ifndef LOAD_SUBJECT_H
#define LOAD_SUBJECT_H

#include "load/cpu_tally.h"
#include "load/target.h"
#include "sandbox/child.h"

#include <pthread.h>
#include <stdatomic.h>

enum subject_fault {
    SUBJECT_NO_FAULT,
    SUBJECT_STOP, /* SIGSTOP to all its processes, SIGCONT a fifth of the block later */
    SUBJECT_KILL, /* SIGKILL to all of them */
};

struct subject_use {  /* of all its processes */
    double memory_mb; /* highest resident set seen */
    double cpu_s;
    double threads;
    double files;
    double deaths;       /* without a fault of ours */
    double group_mb;     /* highest use of a cgroup, times their number; NaN: none */
    double memory_kills; /* by the kernel, or for its limit; NaN: no cgroups */
};

/* The memory cgroups that all its processes are in, each with a share of a limit. */
struct subject_groups {
    struct cgroup *const *items;
    size_t count;        /* 0: none */
    int64_t usual_bytes; /* limit of each outside of a squeeze; 0: none */
};

struct subject {
    const struct target *target; /* NULL: its processes are others' to start and end */
    const pid_t *roots;          /* below which these are */
    size_t root_count;
    struct subject_groups groups;
    struct cgroup own_group; /* of a server that we start */
    struct cgroup *own_list[1];
    struct starter starter;
    struct arena memory; /* of the plan: a start uses one up */
    struct child_spec spec;
    struct child_plan plan;
    int64_t next_start_ns;
    int pidfd; /* -1: not running */
    int null_fd;
    int errors_fd; /* a file: what it said */

    /* Of the block that is on. */
    pthread_t minder;
    bool has_minder;
    _Atomic bool is_over;
    int64_t memory_limit_bytes; /* 0: none */
    bool is_squeezed;           /* the cgroups have it */
    bool has_fresh_peak;
    int64_t group_bytes; /* highest seen */
    int64_t kills_before;
    enum subject_fault fault;
    int64_t fault_ns;          /* when it is due */
    _Atomic int64_t *fault_at; /* when it came; NULL: nobody asks */
    int64_t stop_ns;           /* length of a stop */
    int64_t resume_ns;         /* when it ends; 0: none is on */
    struct cpu_tally cpu;
    struct subject_use use;
};

/* `command` is a shell's. Fails (ERROR_UNAVAILABLE) where it cannot be started, ends, or does
 * not take connections within 30 s, with what it said last. */
MUST_USE bool subject_open(struct subject *s, const char *command, const struct target *target,
                           const char *work_dir, struct arena *out, struct error *err);
void subject_close(struct subject *s); /* a zeroed one too */

/* Processes that somebody else starts, ends and starts again: everything below `roots`. They
 * are looked at and disturbed alike; their deaths are not counted. `groups` without a memory
 * controller are not used. */
void subject_adopt(struct subject *s, const pid_t *roots, size_t count,
                   const struct subject_groups *groups);

/* Around a block that begins at `begin_ns`. A fault comes 3/10 into it. */
struct subject_watch {
    int64_t begin_ns;
    double length_s;
    enum subject_fault fault;
    int64_t memory_limit_bytes;
    _Atomic int64_t *fault_at; /* gets the moment of the fault (clock_ns); may be NULL */
};
#define SUBJECT_FAULT_AT   0.3
#define SUBJECT_STOP_SHARE 0.2
MUST_USE bool subject_begin(struct subject *s, const struct subject_watch *watch,
                            struct error *err);
void subject_end(struct subject *s, struct subject_use *use);

#endif
