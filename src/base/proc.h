/* proc.h - what /proc says about running processes.
 *
 * A process may end between two reads; every function then says so (false, 0)
 * instead of failing. */
#ifndef BASE_PROC_H
#define BASE_PROC_H

#include "base/invariant.h"

#include <signal.h>
#include <sys/types.h>

/* The name of the process of ours that starts what is measured. */
#define PROC_GUARD_NAME "assay-guard"
enum { PROC_GUARD_SIGNAL = SIGURG }; /* it ends what it has started, and stays */

struct proc_stat {
    bool is_guard; /* of that name */
    char state;    /* R, S, D, Z, ... */
    pid_t parent;
    double own_cpu_s;
    double reaped_cpu_s;  /* of its children that it has waited for */
    double system_cpu_s;  /* the part of both that was spent in the kernel */
    int64_t minor_faults; /* reaped children included */
    int64_t major_faults;
    int64_t threads;
    int64_t start_ticks; /* after the machine's start: with the pid it names the process */
    int64_t vms_bytes;   /* of its address space */
    int64_t rss_bytes;
};

MUST_USE bool proc_read_stat(pid_t pid, struct proc_stat *out);
MUST_USE bool proc_pread_stat(int fd, struct proc_stat *out); /* an open /proc/<pid>/stat */

/* The largest resident set so far (VmHWM), or since proc_reset_peak; 0 = unknown. */
int64_t proc_read_peak(pid_t pid);
void proc_reset_peak(pid_t pid); /* where the kernel lets us: Linux 4.0, our own processes */

/* Bytes passed to read and write calls, and how many calls, those of reaped children
 * included. */
struct proc_io {
    int64_t read_bytes; /* by system calls: of the page cache, pipes and /proc, too */
    int64_t write_bytes;
    int64_t operations;
    int64_t disk_read_bytes;  /* fetched from a disk */
    int64_t disk_write_bytes; /* to go to a disk; not those to a tmpfs */
};

MUST_USE bool proc_read_io(pid_t pid, struct proc_io *out);

/* The same from an open /proc/<pid>/io; *used is the number of bytes that this
 * read itself took, which the next one will count. */
MUST_USE bool proc_pread_io(int fd, struct proc_io *out, int64_t *used);

int64_t proc_count_fds(pid_t pid);

/* Writes the children of `root`, their children and so on (not root itself) to
 * `out`, at most `max`; returns how many. */
size_t proc_descendants(pid_t root, pid_t *out, size_t max);

/* The process that starts what `keeper` measures (sandbox/starter.h): its child of that
 * name; 0 = none. */
pid_t proc_find_guard(pid_t keeper);

#endif
