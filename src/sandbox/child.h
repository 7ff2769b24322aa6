/* child.h - starts a process, times it, and leaves nothing of it behind.
 *
 * What is measured is started, timed and reaped by a starter (starter.h), which
 * also ends what it left: everything that can be made ready before (arguments,
 * environment, descriptors) is in a child_plan. What is not measured (a step, a
 * judge) needs no starter and is spawned by us.
 *
 * The child has a process group of its own, default signals and no descriptor
 * of ours but 0, 1 and 2. Without a starter the caller must be a child subreaper
 * (child_adopt), so that processes which the child leaves behind become ours to
 * end. */
#ifndef SANDBOX_CHILD_H
#define SANDBOX_CHILD_H

#include "base/error.h"
#include "base/str.h"
#include "model/trial.h"
#include "sandbox/starter.h"

#include <spawn.h>
#include <sys/resource.h>

struct child_spec {
    const char *const *argv; /* NULL-terminated; argv[0] is looked up on PATH */
    const char *const *env;  /* NULL-terminated; NULL = ours */
    const char *workdir;     /* NULL = ours */
    int stdin_fd;
    int stdout_fd;
    int stderr_fd;
    int extra_fd;            /* the child has it as CHILD_EXTRA_FD; 0 = none */
    struct starter *starter; /* NULL = none: spawned by us */
};

enum { CHILD_EXTRA_FD = STARTER_EXTRA_FD };

/* Asked every 20 ms while a child runs: true = end it now. May be NULL. */
struct child_watch {
    bool (*is_over)(void *context);
    void *context;
};

struct child_plan {
    bool is_ready;
    const char *file;
    const char *const *argv;
    const char *const *env;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    struct child_watch watch; /* optional: set after child_plan_init */
    struct starter *starter;
    struct starter_program program; /* for the starter */
};

/* Fails when the program is not found: "command 'x' not found on PATH". What
 * the spec points to must outlive the plan. */
MUST_USE bool child_plan_init(struct child_plan *plan, const struct child_spec *spec,
                              struct arena *arena, struct error *err);
void child_plan_release(struct child_plan *plan); /* a zeroed plan is released too */

/* The bytes that a child wrote to the pipe, up to a limit; what is beyond is
 * read and dropped, so that the child never blocks on us, or ends the child. */
struct child_output {
    bool ends_child; /* more than kept_max is a breach */
    int read_fd;     /* non-blocking */
    int write_fd;
    char *kept;
    size_t kept_bytes;
    size_t kept_max;
    int64_t total_bytes;
};

MUST_USE bool child_output_open(struct child_output *o, size_t kept_max, struct error *err);
void child_output_close(struct child_output *o);

/* Empty again, for the next child: what orphans have written since is dropped. */
void child_output_clear(struct child_output *o);

/* How one child went. */
struct child_result {
    pid_t pid;       /* 0 where there is a starter, which has swept */
    int start_errno; /* 0, or why it could not be started; then the rest is unset */
    bool is_lost;    /* the starter has ended: nothing is known */
    bool timed_out;
    bool has_flooded; /* ended by output->ends_child */
    bool was_stopped; /* ended by the watch */
    int status;       /* as wait4 gives it */
    struct rusage rusage;
    int pidfd; /* until child_settle; 0 = none */

    /* Of a starter: */
    int64_t start_ns; /* the reading */
    int64_t end_ns;
    bool is_clean;       /* nothing is left */
    struct rusage swept; /* of what had been left */
};

/* Starts it and waits for its end. limit_ns 0 = none; `output` may be NULL. Follow it by
 * child_settle. */
void child_run(const struct child_plan *plan, int64_t limit_ns, struct child_output *output,
               struct child_result *result);

/* Closes what child_run left open. */
void child_settle(struct child_result *result);

/* By its starter: whether the kernel would start it; 0 or the reason (errno). Nothing of it
 * is executed. */
MUST_USE int child_probe(const struct child_plan *plan);

/* By its starter: starts it and leaves the rest to the caller; 0 or the reason (errno). */
MUST_USE int child_start(const struct child_plan *plan, int *pidfd);

/* Ends what child_start has started, with all it had left. */
void child_stop(const struct child_plan *plan, struct child_result *result);

/* What a starter's child used, with what it had left behind. */
void child_usage(const struct child_result *result, struct usage *usage);

/* 0..255; 128 + signal if killed. */
int child_exit_code(int status);

/* From now on orphans below us become our children. */
MUST_USE bool child_adopt(struct error *err);

/* Ends and reaps every process that is still below us: everything, so not for a process
 * that also keeps an agent (contain.h). */
MUST_USE bool child_sweep(struct error *err);

#endif
