/* contain.h - an agent's processes, held to limits and gone at the end.
 *
 * Opened once per execution by the keeper: a starter (starter.h) in a jail
 * (jail.h) and a cgroup (cgroup.h), each where the kernel gives it; else memory
 * and number of processes are looked at every 20 ms. What is missing is said in
 * sentences.
 *
 *     contain_open
 *       contain_begin                before each task
 *       child_run, by its starter
 *       contain_judge                after each task: was a limit met?
 *       contain_revive               where the starter was lost
 *     contain_close                  always */
#ifndef SANDBOX_CONTAIN_H
#define SANDBOX_CONTAIN_H

#include "model/task.h"
#include "sandbox/child.h"

struct contain_spec {
    bool is_off; /* no namespaces, no cgroup, no rights dropped; limits by looking */
    const char *writable[4];    /* absolute; stay the real ones inside; NULL-terminated */
    const char *const *hidden;  /* absolute; not seen inside; NULL-terminated, or NULL */
    const char *const *fixed;   /* absolute; seen, not changed; NULL-terminated, or NULL */
    const char *memory;         /* absolute; of its own alone (jail.h); NULL = none */
    struct agent_limits limits; /* processes: 0 = 512, or none where it is off */
    int errors_fd;              /* standard error, a file: only its end is kept; 0 = none */
    struct buf *unenforced;     /* sentences, a line each */
};

struct contain {
    bool is_open;
    bool looks_at_memory; /* nobody else does */
    bool looks_at_processes;
    const char *temp_dir; /* for TMPDIR; NULL where /tmp is the agent's own */
    struct contain_spec spec;
    struct agent_limits limits;
    struct jail_spec jail;
    struct starter starter;
    struct cgroup cgroup;
    int64_t lost; /* starters that ended before their time */

    bool is_peak_fresh; /* the cgroup's peak is of this task */
    bool has_base;
    int64_t base_bytes;   /* charged before the agent was there for the first time */
    int64_t base_cpu_ns;  /* used by all inside */
    int64_t guard_cpu_ns; /* by the starter among them */
    pid_t guard;
    int64_t kills; /* counts at the last judgement */
    int64_t refusals;
    int64_t seen_bytes; /* by looking, largest of this task */
    int64_t seen_processes;
};

MUST_USE bool contain_open(struct contain *c, const struct contain_spec *spec,
                           struct arena *arena, struct error *err);
void contain_close(struct contain *c); /* a zeroed one too */

/* is_first: no process of the agent is there yet. */
void contain_begin(struct contain *c, bool is_first);

/* A starter in place of one that has ended (the kernel was out of memory; somebody killed
 * it). Everything that it held has ended with it. */
MUST_USE bool contain_revive(struct contain *c, struct error *err);

/* For struct child_watch: true = a limit is passed. */
bool contain_is_over(void *contain);

/* TRIAL_LIMIT_BREACHED with the reason, or TRIAL_OK. Sets group_peak_bytes, and
 * peak_bytes of a process that goes on (resident_bytes): by how much the cgroup
 * holds less now than at its peak. */
enum trial_status contain_judge(struct contain *c, struct usage *usage, struct error *err);

/* After contain_judge of a task that began with is_first: adds what the cgroup saw and
 * wait4 did not. A process whose parent ignores SIGCHLD is reaped by the kernel, and what
 * it used is lost; its peak too, for which the group's is taken. */
void contain_charge(const struct contain *c, struct usage *usage);

/* Processor time of the agent so far, to be subtracted; -1 = unknown. */
int64_t contain_cpu_ns(const struct contain *c);

#endif
