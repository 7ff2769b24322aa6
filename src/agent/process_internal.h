/* process_internal.h - what the modes of the `process` adapter share. */
#ifndef AGENT_PROCESS_INTERNAL_H
#define AGENT_PROCESS_INTERNAL_H

#include "agent/agent.h"
#include "sandbox/child.h"
#include "sandbox/contain.h"

struct process_config {
    struct param_command command;
    int mode;
    const struct value *env;
    const char *workdir;
    int contain;
    const struct value *ready;
};

struct process {
    const struct process_config *config;
    struct agent_env env;
    struct child_spec spec; /* without stdin and stdout, which the mode adds */
    struct contain contain;
    uint64_t *hidden_files; /* which one each of env.hidden was at the start; 0 = none */
    int null_fd;
    int errors_fd;        /* standard error: an unnamed file, emptied for each task */
    size_t output_max;    /* the limit, or our own */
    struct arena answers; /* what the latest answer points into */
    void *mode_state;
};

struct process_mode {
    size_t state_size;
    bool (*open)(struct process *p, struct error *err);
    bool (*prepare)(struct process *p, const struct agent_task *task, struct error *err);
    enum trial_status (*ask)(struct process *p);
    enum trial_status (*conclude)(struct process *p, enum trial_status status,
                                  struct agent_answer *answer);
    void (*close)(struct process *p);
};

extern const struct process_mode process_oneshot;
extern const struct process_mode process_session;

/* How a process ended, with the end of what it wrote to standard error:
 * "exit code 3: no such file". Returns false. */
bool process_explain(const struct process *p, int status, struct error *err);

/* Time, output: the reasons that both modes give. */
void process_explain_time(const struct process *p, struct error *err);
void process_explain_output(const struct process *p, struct error *err);

/* An unnamed file in the agent's working folder. */
MUST_USE bool process_open_file(const struct process *p, int *fd, struct error *err);
MUST_USE bool process_empty_file(int fd, struct error *err);

#endif
