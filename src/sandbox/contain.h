/* contain.h - an agent's processes, held to limits and gone at the end.
 *
 * Opened once per execution by the keeper: a guard with namespaces of its own
 * (guard.h) and a cgroup (cgroup.h), each where the kernel gives it; else
 * orphans come to us and are followed as our descendants, and memory and number
 * of processes are looked at every 20 ms. What is missing is said in sentences.
 *
 *     contain_open
 *       contain_begin                before each task
 *       contain_enter .. leave       around every start of a process
 *       contain_judge                after each task: was a limit met?
 *       contain_sweep                when no process of the agent may be left
 *     contain_close                  always
 *
 * The keeper is in the namespaces only while it starts a process (7 us, of which
 * the way back is taken while the process runs), so that whatever else it does
 * is not. It is in the cgroup from open to close. */
#ifndef SANDBOX_CONTAIN_H
#define SANDBOX_CONTAIN_H

#include "model/task.h"
#include "sandbox/guard.h"

#include <sys/resource.h>

struct contain_spec {
    bool is_off;              /* no namespaces, no cgroup; limits by looking */
    const char *real_dirs[4]; /* absolute; stay the real ones inside; NULL-terminated */
    struct agent_limits limits;
    int errors_fd;          /* standard error, a file: only its end is kept; 0 = none */
    struct buf *unenforced; /* sentences, each with a space behind it */
};

struct contain {
    bool is_open;
    bool looks_at_memory; /* nobody else does */
    bool looks_at_processes;
    const char *temp_dir; /* for TMPDIR; NULL where /tmp is the agent's own */
    struct agent_limits limits;
    int errors_fd;
    struct guard guard;
    struct cgroup cgroup;
    int guard_fd;
    int own_fds[GUARD_NAMESPACES];
    int cwd_fd;
    int oom_fd; /* our own oom_score_adj, which children inherit */
    char oom_before[16];
    bool is_inside;
    struct rlimit data_before;
    struct rlimit core_before;

    bool is_peak_fresh; /* the cgroup's peak is of this task */
    int64_t base_bytes; /* charged before the agent was there */
    int64_t kills;      /* counts at the last judgement */
    int64_t refusals;
    int64_t seen_bytes; /* by looking, largest of this task */
    int64_t seen_processes;
};

MUST_USE bool contain_open(struct contain *c, const struct contain_spec *spec,
                           struct arena *arena, struct error *err);
void contain_close(struct contain *c); /* a zeroed one too */

/* is_first: no process of the agent is there yet. */
void contain_begin(struct contain *c, bool is_first);

MUST_USE bool contain_enter(struct contain *c, struct error *err);
MUST_USE bool contain_leave(struct contain *c, struct error *err); /* if it is inside */

/* For struct child_watch: leaves; true = a limit is passed. */
void contain_has_started(void *contain);
bool contain_is_over(void *contain);

/* TRIAL_LIMIT_BREACHED with the reason, or TRIAL_OK. Sets group_peak_bytes, and
 * peak_bytes of a process that goes on (resident_bytes): by how much the cgroup
 * holds less now than at its peak. */
enum trial_status contain_judge(struct contain *c, struct usage *usage, struct error *err);

/* `group` is the process group of the agent's main process, which has been
 * reaped. */
MUST_USE bool contain_sweep(struct contain *c, pid_t group, struct usage *usage,
                            struct error *err);

/* Processor time of the agent so far, to be subtracted; -1 = unknown. */
int64_t contain_cpu_ns(const struct contain *c);

#endif
